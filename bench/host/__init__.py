"""The cost of host calls in C, on Weft and its peers."""
