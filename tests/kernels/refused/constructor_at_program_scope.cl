// An object at program scope whose constructor has to run needs somebody who runs it.
//! options: -cl-std=CLC++2021
//! error: an object at program scope has a constructor
struct S {
    int x;
    S(int n) : x(n) {}
};
global S s(5);
kernel void constructor_at_program_scope(global int *a) { a[0] = s.x; }
