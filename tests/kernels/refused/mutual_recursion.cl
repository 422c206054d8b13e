// Two functions that call each other, and do something with the result.
//! error: recursi
int second(int n);
int first(int n) { return n <= 0 ? 1 : n - second(first(n - 1)); }
int second(int n) { return n <= 0 ? 0 : n - first(second(n - 1)); }
kernel void mutual_recursion(global int *a) { a[0] = first(a[0]); }
