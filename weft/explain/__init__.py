"""The report of `weft explain`: what the compiler did with a program and why, as data, text and HTML."""
