"""Programs for developers: generators of the constants of built-ins, a runner of the conformance suite."""
