"""What the kernel compiler did with a program and why, for people: data, text and a page to look at."""
