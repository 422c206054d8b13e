// Two functions that call each other.
//! error: recursi
int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
kernel void mutual_recursion(global int *a) { a[0] = even(a[0]); }
