// A stack of each work-item's own, small enough for its elements to be looked through: a place is read, and
// written again in a branch, with the address that was computed where some lanes did not come to.
//! launch: 64 / 64
//! arg a: small_ints((G[0],), int32, 0, 32)
//! arg out: zeros((G[0],), int32)
//| for i in range(G[0]):
//|     stack = [(int(a[i]), 2)]
//|     while stack:
//|         x, y = stack.pop()
//|         out[i] += x * y
//|         if y > 0 and len(stack) < 6:
//|             stack.append((x >> 1, y - 1))
//|             if x & 1:
//|                 stack.append((x + 1, y - 2))
kernel void stack_in_branches(global const int *a, global int *out) {
    int i = get_global_id(0), top = 0, s = 0;
    int2 stack[8];
    stack[top++] = (int2)(a[i], 2);
    while (top) {
        int2 c = stack[--top];
        s += c.x * c.y;
        if (c.y > 0 && top < 6) {
            stack[top++] = (int2)(c.x >> 1, c.y - 1);
            if (c.x & 1) stack[top++] = (int2)(c.x + 1, c.y - 2);
        }
    }
    out[i] = s;
}
