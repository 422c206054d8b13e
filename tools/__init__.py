"""Developer programs: generators of constants for built-ins, runners of conformance and application
suites."""
