"""The tables of the paper on Presburger arithmetic in memory access optimization, measured again."""
