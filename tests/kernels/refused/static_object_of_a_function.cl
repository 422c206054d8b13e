// A static object that is initialized when it is reached first would be initialized by several work-items at once.
//! options: -cl-std=CLC++2021
//! error: a static object of a function is initialized when it is reached first
int first(int n) {
    static int t = n;
    return t;
}
kernel void static_object_of_a_function(global int *a) { a[0] = first(a[1]); }
