// C++ for OpenCL 2021: classes with constructors and destructors, templates, references, lambdas, overloads, namespaces,
// constexpr, and objects in private and local memory, whose methods get generic pointers.
//! options: -cl-std=CLC++2021
//! launch: 40 / 8
//! launch: 33 / 11
//! sizes: any
//! arg a: arange(G[0], dtype=int32)
//! arg f: arange(G[0], dtype=float32)
//| i = arange(G[0])
//| l = i % L[0]
//| other = (i - l) + (l + 1) % L[0]
//| a[:] = (i + 4) * 2 + (6 + i) + 3 * (other % 5) + 2 + 3 + 20
//| f += 0.5 + 4 + 0.25
namespace shapes {
constexpr int four = 4;
template <typename T> struct Adder {
    T base;
    Adder(T b) : base(b) {}
    T operator()(T x) const { return base + x; }
};
class Counter {
    int &place;
public:
    Counter(int &p) : place(p) { place++; }
    ~Counter() { place++; }
};
struct Point {
    int x, y;
    int sum() const { return x + y; }
    Point &operator+=(const Point &p) { x += p.x; y += p.y; return *this; }
};
}
struct Fixed {
    int x;
    constexpr Fixed(int n) constant : x(n * 4) {}
};
inline constant int three = 3;
constant Fixed fixed(5);
template <int N, typename T> T power(T x) {
    if constexpr (N == 0)
        return T(1);
    else
        return x * power<N - 1>(x);
}
template <typename T> void exchange(T &a, T &b) { T c = a; a = b; b = c; }
int over(int x) { return x; }
float over(float x) { return x + 0.5f; }
kernel void classes_and_templates(global int *a, global float *f) {
    using namespace shapes;
    local Point points[1024];
    int i = get_global_id(0), l = get_local_id(0), n = get_local_size(0), count = 0;
    points[l].x = i % 5;
    points[l].y = i % 5;
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    Point p = {0, i * 0};
    p += points[(l + 1) % n];
    auto twice = [&](int x) { return x * 2 + i; };
    Adder<int> add(four);
    int u = add(a[i]) * 2, v = twice(3);
    exchange(u, v);
    {
        Counter counter(count);
    }
    float whole = NULL == (int *)nullptr ? 0.0f : 1.0f;
    f[i] = over(f[i]) + static_cast<float>(four) + power<2>(0.5f) + whole;
    a[i] = over(u) + v + p.sum() + points[(l + 1) % n].x + count + three + fixed.x;
}
