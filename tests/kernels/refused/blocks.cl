// Blocks exist for device-side enqueue, which there is not.
//! options: -cl-std=CL2.0
//! error: blocks are not supported, because device-side enqueue is not
kernel void blocks(global int *a) {
    int b = a[1];
    int (^plus)(int) = ^(int x) { return x + b; };
    a[0] = plus(3);
}
