"""What calls of the host cost, seen from C, on Weft and its peers."""
