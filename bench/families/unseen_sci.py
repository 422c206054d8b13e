"""Untracked: kernels with another author's hand. Expected results come from pocl."""
import hashlib, os, pickle, subprocess, sys
from pathlib import Path
import numpy as np
from bench.case import Case, Launch, Local, case

F, I, U, D, L = np.float32, np.int32, np.uint32, np.float64, np.int64
REF = Path("/tmp/sci/ref")
REF.mkdir(exist_ok=True)

def reference(source, launches, buffers, out, options):
    key = hashlib.sha256(pickle.dumps((source, [(l.kernel, l.arguments, l.global_size, l.local_size) for l in launches],
        {k: v.tobytes() for k, v in buffers.items()}, out, options))).hexdigest()[:24]
    path = REF / (key + ".pkl")
    if not path.exists():
        job = REF / (key + ".job")
        job.write_bytes(pickle.dumps((source, [(l.kernel, [a.nbytes if isinstance(a, Local) else a for a in l.arguments],
            [isinstance(a, Local) for a in l.arguments], l.global_size, l.local_size) for l in launches], buffers, out, options)))
        env = dict(os.environ, OCL_ICD_VENDORS="/etc/OpenCL/vendors", PYOPENCL_NO_CACHE="1")
        subprocess.run([sys.executable, "/tmp/sci/refrun.py", str(job), str(path)], check=True, env=env)
        job.unlink()
    return pickle.loads(path.read_bytes())

def sci(name, tol=1e-4, restore=(), options="", differ=0.0):
    def register(make):
        @case("unseen-sci/" + name)
        def build(random):
            source, launches, buffers, out = make(random)
            launches = [Launch(l[0], l[1], l[2], l[3] if len(l) > 3 else None) for l in launches]
            buffers = {k: np.ascontiguousarray(v) for k, v in buffers.items()}
            expected = reference(source, launches, buffers, out, options)
            return Case(source, launches, buffers, expected, tolerance=tol, restore=tuple(restore), options=options, may_differ=differ)
        return make
    return register

def up(n, m): return -(-n // m) * m
def ru(r, *s, lo=0.0, hi=1.0, t=F): return (lo + (hi - lo) * r.random(s)).astype(t)

# ---------------------------------------------------------------- particles
@sci("contacts 3-D cells", tol=2e-3)
def _(r):
    src = """
typedef struct { float4 pos; float4 vel; } Grain;
int cell_of(float x, float inv, int n) { int c = (int)floor(x * inv); return c < 0 ? 0 : (c >= n ? n - 1 : c); }
__kernel void contacts(__global const Grain *g, __global const uint *head, __global const uint *count,
                       __global float4 *force, __global int *touching, const int n, const int nc, const float inv,
                       const float stiff, const float damp)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    const float4 p = g[i].pos;
    const float4 v = g[i].vel;
    int cx = cell_of(p.x, inv, nc), cy = cell_of(p.y, inv, nc), cz = cell_of(p.z, inv, nc);
    float4 f = (float4)(0.0f);
    int hits = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int x = cx + dx, y = cy + dy, z = cz + dz;
                if (x < 0 || y < 0 || z < 0 || x >= nc || y >= nc || z >= nc) continue;
                uint c = (z * nc + y) * nc + x;
                uint first = head[c], last = first + count[c];
                for (uint k = first; k < last; k++) {
                    if (k == i) continue;
                    float4 d = p - g[k].pos;
                    d.w = 0.0f;
                    float reach = p.w + g[k].pos.w;
                    float r2 = dot(d, d);
                    if (r2 < reach * reach) {
                        float r = sqrt(r2);
                        float4 nrm = d / r;
                        float4 dv = v - g[k].vel;
                        dv.w = 0;
                        float vn = dot(dv, nrm);
                        f += (stiff * (reach - r) - damp * vn) * nrm;
                        hits++;
                    }
                }
            }
    force[i] = f;
    touching[i] = hits;
}
"""
    n, nc = 6000, 12
    pos = ru(r, n, 3); c = np.minimum((pos * nc).astype(int), nc - 1); idx = (c[:, 2] * nc + c[:, 1]) * nc + c[:, 0]
    o = np.argsort(idx, kind="stable"); pos = pos[o]; idx = idx[o]
    g = np.zeros((n, 8), F); g[:, :3] = pos; g[:, 3] = ru(r, n, lo=0.015, hi=0.03); g[:, 4:7] = ru(r, n, 3, lo=-1, hi=1)
    count = np.bincount(idx, minlength=nc**3).astype(U); head = (np.cumsum(count) - count).astype(U)
    return src, [("contacts", ("g", "head", "count", "force", "touch", I(n), I(nc), F(nc), F(1000), F(3)), (up(n, 128),), (128,))], \
        dict(g=g, head=head, count=count, force=np.zeros((n, 4), F), touch=np.zeros(n, I)), ("force",)

@sci("contacts 2-D grid, linked lists", tol=2e-3)
def _(r):
    src = """
__kernel void collide(__global const float2 *where, __global const float *radius, __global const int *first,
                      __global const int *next, __global float2 *push, int n, int w, int h, float cell)
{
    size_t me = get_global_id(0);
    if (me >= (size_t)n) return;
    float2 p = where[me];
    float rad = radius[me];
    int gx = (int)(p.x / cell), gy = (int)(p.y / cell);
    float2 sum = (float2)(0.f, 0.f);
    for (int y = max(gy - 1, 0); y <= min(gy + 1, h - 1); ++y) {
        for (int x = max(gx - 1, 0); x <= min(gx + 1, w - 1); ++x) {
            for (int k = first[y * w + x]; k >= 0; k = next[k]) {
                if (k == (int)me) continue;
                float2 d = p - where[k];
                float dist = length(d);
                float overlap = rad + radius[k] - dist;
                if (overlap > 0.f) sum += d * (0.5f * overlap / (dist + 1e-6f));
            }
        }
    }
    push[me] = sum;
}
"""
    n, w = 8000, 64
    p = ru(r, n, 2); ci = (p[:, 1] * w).astype(int) * w + (p[:, 0] * w).astype(int)
    first = np.full(w * w, -1, I); nxt = np.full(n, -1, I)
    for i in range(n): nxt[i] = first[ci[i]]; first[ci[i]] = i
    return src, [("collide", ("p", "rad", "first", "next", "push", I(n), I(w), I(w), F(1 / w)), (n,))], \
        dict(p=p, rad=ru(r, n, lo=.002, hi=.008), first=first, next=nxt, push=np.zeros((n, 2), F)), ("push",)

@sci("contacts dem springs double", tol=1e-6)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
struct contact_list { int len; int who[14]; };
__kernel void dem(__global const double *x, __global const double *y, __global const double *rad,
                  __global const int *cellStart, __global const int *cellEnd, __global double *fx, __global double *fy,
                  __global int *ncontact, int N, int nx, int ny, double h)
{
    int i = get_global_id(0);
    if (i < N) {
        double xi = x[i], yi = y[i], ri = rad[i];
        int ix = convert_int(xi / h), iy = convert_int(yi / h);
        double ax = 0, ay = 0;
        int nn = 0;
        for (int jy = iy - 1; jy < iy + 2; jy++) {
            if (jy < 0 || jy >= ny) continue;
            for (int jx = ix - 1; jx < ix + 2; jx++) {
                if (jx < 0 || jx >= nx) continue;
                int c = jx + nx * jy;
                for (int j = cellStart[c]; j < cellEnd[c]; j++) {
                    if (j != i) {
                        double dx = xi - x[j], dy = yi - y[j];
                        double d2 = dx * dx + dy * dy;
                        double s = ri + rad[j];
                        if (d2 < s * s) {
                            double d = sqrt(d2);
                            double pen = s - d;
                            double mag = 1e4 * pen * sqrt(pen) / d;
                            ax += mag * dx; ay += mag * dy;
                            nn++;
                        }
                    }
                }
            }
        }
        fx[i] = ax; fy[i] = ay; ncontact[i] = nn;
    }
}
"""
    n, w = 5000, 40
    p = r.random((n, 2)); ci = (p[:, 1] * w).astype(int) * w + (p[:, 0] * w).astype(int); o = np.argsort(ci, kind="stable"); p = p[o]; ci = ci[o]
    cnt = np.bincount(ci, minlength=w * w); e = np.cumsum(cnt)
    return src, [("dem", ("x", "y", "rad", "s", "e", "fx", "fy", "nc", I(n), I(w), I(w), D(1 / w)), (up(n, 64),), (64,))], \
        dict(x=p[:, 0], y=p[:, 1], rad=ru(r, n, lo=.003, hi=.01, t=D), s=(e - cnt).astype(I), e=e.astype(I), fx=np.zeros(n), fy=np.zeros(n), nc=np.zeros(n, I)), ("fx", "fy", "nc")

@sci("LJ neighbour list, transposed, min image", tol=2e-3)
def _(r):
    src = """
__kernel void lj(__global const float4 *pos, __global const int *nl, __global const int *nn, __global float4 *f,
                 const float box, const float rc2, const int stride, const int n)
{
    uint i = get_global_id(0);
    if (i >= n) return;
    float4 ri = pos[i];
    float fx = 0, fy = 0, fz = 0, e = 0;
    int cnt = nn[i];
    for (int j = 0; j < cnt; j++) {
        int k = nl[j * stride + i];
        float4 rk = pos[k];
        float dx = ri.x - rk.x, dy = ri.y - rk.y, dz = ri.z - rk.z;
        dx -= box * rint(dx / box);
        dy -= box * rint(dy / box);
        dz -= box * rint(dz / box);
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < rc2) {
            float i2 = 1.0f / r2, i6 = i2 * i2 * i2;
            float ff = 48.0f * i2 * i6 * (i6 - 0.5f);
            fx += ff * dx; fy += ff * dy; fz += ff * dz;
            e += 4.0f * i6 * (i6 - 1.0f);
        }
    }
    f[i] = (float4)(fx, fy, fz, e);
}
"""
    n, m = 4000, 60
    side = 16; g = np.stack(np.unravel_index(np.arange(side**3)[:n], (side,) * 3), 1) * 1.1 + r.random((n, 3)) * .1
    pos = np.zeros((n, 4), F); pos[:, :3] = g
    nn = r.integers(20, m, n).astype(I); nl = ((np.arange(n)[None, :] + r.integers(1, 400, (m, n))) % n).astype(I)
    return src, [("lj", ("pos", "nl", "nn", "f", F(side * 1.1), F(9), I(n), I(n)), (up(n, 64),), (64,))], \
        dict(pos=pos, nl=nl, nn=nn, f=np.zeros((n, 4), F)), ("f",)

@sci("LJ neighbour list, CSR, double", tol=1e-6)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void pair_force(global const double *X, global const int *start, global const int *list, global double *Fo, int natoms)
{
  const int i = get_global_id(0);
  if (i >= natoms) return;
  const double xi = X[3*i], yi = X[3*i+1], zi = X[3*i+2];
  double fx = 0.0, fy = 0.0, fz = 0.0;
  for (int jj = start[i]; jj < start[i+1]; ++jj) {
    const int j = list[jj];
    const double dx = xi - X[3*j], dy = yi - X[3*j+1], dz = zi - X[3*j+2];
    const double rsq = dx*dx + dy*dy + dz*dz;
    if (rsq < 6.25) {
      const double sr2 = 1.0/rsq;
      const double sr6 = sr2*sr2*sr2;
      const double fpair = 48.0*sr6*(sr6-0.5)*sr2;
      fx += dx*fpair; fy += dy*fpair; fz += dz*fpair;
    }
  }
  Fo[3*i] = fx; Fo[3*i+1] = fy; Fo[3*i+2] = fz;
}
"""
    n = 3000; side = 15
    g = np.stack(np.unravel_index(np.arange(side**3)[:n], (side,) * 3), 1) * 1.1 + r.random((n, 3)) * .1
    nn = r.integers(10, 70, n); start = np.concatenate([[0], np.cumsum(nn)]).astype(I)
    lst = ((np.repeat(np.arange(n), nn) + r.integers(1, 500, start[-1])) % n).astype(I)
    return src, [("pair_force", ("X", "s", "l", "f", I(n)), (n,))], dict(X=g, s=start, l=lst, f=np.zeros(3 * n)), ("f",)

@sci("Barnes-Hut tree walk, private stack", tol=2e-3)
def _(r):
    src = """
#define DEPTH 48
__kernel void gravity(__global const float4 *com, __global const int4 *child, __global const float *width,
                      __global const float4 *body, __global float4 *acc, const int n, const float theta, const float eps)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float4 p = body[i];
    float ax = 0.0f, ay = 0.0f;
    int stack[DEPTH];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        int node = stack[--top];
        float4 c = com[node];
        float dx = c.x - p.x, dy = c.y - p.y;
        float d2 = dx * dx + dy * dy + eps;
        float w = width[node];
        if (w * w < theta * theta * d2 || w == 0.0f) {
            float inv = rsqrt(d2);
            float s = c.w * inv * inv * inv;
            ax += s * dx;
            ay += s * dy;
        } else {
            int4 k = child[node];
            if (k.x >= 0) stack[top++] = k.x;
            if (k.y >= 0) stack[top++] = k.y;
            if (k.z >= 0) stack[top++] = k.z;
            if (k.w >= 0) stack[top++] = k.w;
        }
    }
    acc[i] = (float4)(ax, ay, 0.0f, 0.0f);
}
"""
    com, child, width = [], [], []
    pts = r.random((2000, 2))
    def node(ids, x, y, w):
        me = len(com); com.append(None); child.append([-1] * 4); width.append(w)
        if len(ids) == 1 or w < 1e-4:
            p = pts[ids].mean(0); com[me] = (p[0], p[1], 0, len(ids)); width[me] = 0.0; return me
        h = w / 2; k = 0
        for qx in (0, 1):
            for qy in (0, 1):
                s = ids[((pts[ids, 0] >= x + h) == qx) & ((pts[ids, 1] >= y + h) == qy)]
                if len(s): child[me][k] = node(s, x + qx * h, y + qy * h, h)
                k += 1
        p = pts[ids].mean(0); com[me] = (p[0], p[1], 0, len(ids)); return me
    node(np.arange(2000), 0., 0., 1.)
    o = np.lexsort((pts[:, 0], (pts[:, 1] * 20).astype(int)))
    body = np.zeros((2000, 4), F); body[:, :2] = pts[o]
    return src, [("gravity", ("com", "ch", "w", "b", "a", I(2000), F(.6), F(1e-4)), (2048,), (64,))], \
        dict(com=np.array(com, F), ch=np.array(child, I), w=np.array(width, F), b=body, a=np.zeros((2000, 4), F)), ("a",)

@sci("N-body, local tiles of 96, float3", tol=2e-3)
def _(r):
    src = """
#define T 96
__kernel __attribute__((reqd_work_group_size(T, 1, 1)))
void nbody(__global const float *xyz, __global const float *mass, __global float *out, uint n)
{
    __local float3 sp[T];
    __local float sm[T];
    uint i = get_global_id(0), l = get_local_id(0);
    float3 me = (i < n) ? vload3(i, xyz) : (float3)(0.0f);
    float3 a = 0.0f;
    for (uint base = 0; base < n; base += T) {
        uint j = base + l;
        sp[l] = j < n ? vload3(j, xyz) : (float3)(0.0f);
        sm[l] = j < n ? mass[j] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < T; k++) {
            float3 d = sp[k] - me;
            float r2 = dot(d, d) + 0.01f;
            float q = rsqrt(r2);
            a += d * (sm[k] * q * q * q);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n) vstore3(a, i, out);
}
"""
    n = 1500
    return src, [("nbody", ("x", "m", "o", U(n)), (up(n, 96),), (96,))], dict(x=ru(r, n, 3), m=ru(r, n), o=np.zeros((n, 3), F)), ("o",)

@sci("SPH density and pressure, hashed grid", tol=2e-3)
def _(r):
    src = """
constant float H = 0.05f;
inline uint hash3(int3 c) { return ((uint)(c.x * 73856093) ^ (uint)(c.y * 19349663) ^ (uint)(c.z * 83492791)) & 2047u; }
__kernel void density(__global const float3 *pos, __global const uint2 *range, __global const uint *order, __global float *rho, int n)
{
    int id = get_global_id(0);
    if (id >= n) return;
    float3 p = pos[id];
    int3 c = convert_int3(floor(p / H));
    float sum = 0.0f;
    for (int i = 0; i < 27; i++) {
        int3 q = c + (int3)(i % 3 - 1, (i / 3) % 3 - 1, i / 9 - 1);
        uint2 rg = range[hash3(q)];
        for (uint k = rg.x; k < rg.y; ++k) {
            uint j = order[k];
            float3 d = p - pos[j];
            float r2 = dot(d, d);
            float h2 = H * H;
            if (r2 < h2) { float t = h2 - r2; sum += t * t * t; }
        }
    }
    rho[id] = sum * 315.0f / (64.0f * 3.14159265f * pow(H, 9.0f));
}
"""
    n = 3000; p = np.zeros((n, 4), F); p[:, :3] = ru(r, n, 3)
    c = np.floor(p[:, :3] / F(.05)).astype(np.int64)
    h = ((c[:, 0] * 73856093) ^ (c[:, 1] * 19349663) ^ (c[:, 2] * 83492791)) & 2047
    o = np.argsort(h, kind="stable"); cnt = np.bincount(h, minlength=2048); e = np.cumsum(cnt)
    rg = np.stack([e - cnt, e], 1).astype(U)
    return src, [("density", ("p", "rg", "o", "rho", I(n)), (n,))], dict(p=p, rg=rg, o=o.astype(U), rho=np.zeros(n, F)), ("rho",)

# ---------------------------------------------------------------- grids
@sci("heat, rows of 46 doubles, group per row", tol=1e-9)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void heat_step(__global const double *u, __global double *v, const double c)
{
    int x = get_global_id(0), y = get_global_id(1);
    int w = get_global_size(0), h = get_global_size(1);
    int i = y * w + x;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) { v[i] = u[i]; return; }
    v[i] = u[i] + c * (u[i - 1] + u[i + 1] + u[i - w] + u[i + w] - 4.0 * u[i]);
}
"""
    u = r.random((500, 46))
    return src, [("heat_step", ("u", "v", D(.1)), (46, 500), (46, 1)), ("heat_step", ("v", "u2", D(.1)), (46, 500), (46, 1))], dict(u=u, v=np.zeros_like(u), u2=np.zeros_like(u)), ("u2",)

@sci("heat, rows of 46 doubles, no local size, guarded", tol=1e-9)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define IDX(i, j) ((i) * ld + (j))
__kernel void heat(__global const double * restrict t0, __global double * restrict t1, int rows, int cols, int ld, double ax, double ay)
{
    int j = get_global_id(0);
    int i = get_global_id(1);
    if (i > 0 && i < rows - 1 && j > 0 && j < cols - 1) {
        double c = t0[IDX(i, j)];
        t1[IDX(i, j)] = c + ax * (t0[IDX(i, j - 1)] - 2.0 * c + t0[IDX(i, j + 1)]) + ay * (t0[IDX(i - 1, j)] - 2.0 * c + t0[IDX(i + 1, j)]);
    }
}
"""
    u = r.random((500, 46))
    return src, [("heat", ("u", "v", I(500), I(46), I(46), D(.1), D(.12)), (46, 500))], dict(u=u, v=u.copy()), ("v",)

@sci("heat, work-item per row of 46 doubles", tol=1e-9)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void rows(__global const double *a, __global double *b, int n, int m, double k)
{
    int y = get_global_id(0) + 1;
    if (y >= n - 1) return;
    for (int x = 1; x < m - 1; x++)
        b[y * m + x] = a[y * m + x] + k * (a[y * m + x - 1] + a[y * m + x + 1] + a[(y - 1) * m + x] + a[(y + 1) * m + x] - 4 * a[y * m + x]);
}
"""
    u = r.random((500, 46))
    return src, [("rows", ("u", "v", I(500), I(46), D(.1)), (512,), (64,))], dict(u=u, v=u.copy()), ("v",)

@sci("heat, group of 46 along a row in local memory", tol=1e-9)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void heat_local(__global const double *u, __global double *v, __local double *s, const int nx, const int ny, const double r)
{
    const int li = get_local_id(0), n = get_local_size(0), row = get_group_id(0);
    for (int j = row; j < ny; j += get_num_groups(0)) {
        s[li + 1] = u[j * nx + li];
        if (li == 0) { s[0] = u[j * nx]; s[n + 1] = u[j * nx + n - 1]; }
        barrier(CLK_LOCAL_MEM_FENCE);
        double up = j > 0 ? u[(j - 1) * nx + li] : s[li + 1];
        double dn = j < ny - 1 ? u[(j + 1) * nx + li] : s[li + 1];
        v[j * nx + li] = s[li + 1] + r * (s[li] + s[li + 2] + up + dn - 4.0 * s[li + 1]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
"""
    u = r.random((500, 46))
    return src, [("heat_local", ("u", "v", Local(48 * 8), I(46), I(500), D(.1)), (46 * 100,), (46,))], dict(u=u, v=u.copy()), ("v",)

@sci("stencil 25-point, halo in local memory, z march")
def _(r):
    src = """
#define R 4
#define BX 32
#define BY 8
__constant float C[R + 1] = {-2.847222f, 1.6f, -0.2f, 0.025397f, -0.001786f};
__kernel void wave(__global const float *in, __global const float *prev, __global float *out, int nx, int ny, int nz)
{
    __local float tile[BY + 2 * R][BX + 2 * R];
    const int gx = get_global_id(0) + R, gy = get_global_id(1) + R;
    const int lx = get_local_id(0) + R, ly = get_local_id(1) + R;
    const int plane = nx * ny;
    int p = gy * nx + gx;
    float behind[R], front[R], cur;
    for (int k = 0; k < R; k++) behind[R - 1 - k] = in[p + k * plane];
    cur = in[p + R * plane];
    for (int k = 0; k < R; k++) front[k] = in[p + (R + 1 + k) * plane];
    p += R * plane;
    for (int z = R; z < nz - R; z++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(1) < R) {
            tile[get_local_id(1)][lx] = in[p - R * nx];
            tile[get_local_id(1) + BY + R][lx] = in[p + BY * nx];
        }
        if (get_local_id(0) < R) {
            tile[ly][get_local_id(0)] = in[p - R];
            tile[ly][get_local_id(0) + BX + R] = in[p + BX];
        }
        tile[ly][lx] = cur;
        barrier(CLK_LOCAL_MEM_FENCE);
        float v = 3.0f * C[0] * cur;
        #pragma unroll
        for (int k = 1; k <= R; k++)
            v += C[k] * (front[k - 1] + behind[k - 1] + tile[ly - k][lx] + tile[ly + k][lx] + tile[ly][lx - k] + tile[ly][lx + k]);
        out[p] = 2.0f * cur - prev[p] + 0.01f * v;
        for (int k = R - 1; k > 0; k--) behind[k] = behind[k - 1];
        behind[0] = cur;
        cur = front[0];
        for (int k = 0; k < R - 1; k++) front[k] = front[k + 1];
        p += plane;
        if (z + R + 1 < nz) front[R - 1] = in[p + R * plane];
    }
}
"""
    s = (48, 72, 72); a = ru(r, *s)
    return src, [("wave", ("a", "b", "o", I(72), I(72), I(48)), (64, 64), (32, 8))], dict(a=a, b=ru(r, *s), o=np.zeros(s, F)), ("o",)

@sci("stencil 3-D 27-point, odd box, 3-D ids")
def _(r):
    src = """
__kernel void smooth27(__global const float *a, __global float *b, int X, int Y, int Z)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < 1 || y < 1 || z < 1 || x > X - 2 || y > Y - 2 || z > Z - 2) return;
    float s = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                float w = 1.0f / (1 << (abs(dx) + abs(dy) + abs(dz)));
                s += w * a[((z + dz) * Y + (y + dy)) * X + x + dx];
            }
    b[(z * Y + y) * X + x] = s / 8.0f;
}
"""
    s = (37, 41, 53); a = ru(r, *s)
    return src, [("smooth27", ("a", "b", I(53), I(41), I(37)), (56, 44, 40), (8, 4, 4))], dict(a=a, b=np.zeros(s, F)), ("b",)

@sci("7-point double, 2-D ids, z loop", tol=1e-9)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void jacobi(global const double *restrict p, global const double *restrict rhs, global double *restrict q,
                   const uint nx, const uint ny, const uint nz, const double h2)
{
    uint i = get_global_id(0), j = get_global_id(1);
    if (i == 0 || j == 0 || i >= nx - 1 || j >= ny - 1) return;
    double below = p[j * nx + i], here = p[(ny + j) * nx + i];
    for (uint k = 1; k < nz - 1; ++k) {
        uint c = (k * ny + j) * nx + i;
        double above = p[c + nx * ny];
        q[c] = (below + above + p[c - 1] + p[c + 1] + p[c - nx] + p[c + nx] - h2 * rhs[c]) / 6.0;
        below = here; here = above;
    }
}
"""
    s = (40, 50, 60); a = r.random(s)
    return src, [("jacobi", ("a", "r", "b", U(60), U(50), U(40), D(.01)), (64, 56), (16, 8))], dict(a=a, r=r.random(s), b=np.zeros(s)), ("b",)

@sci("LBM D2Q9, arrays, bounce back")
def _(r):
    src = """
constant int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
constant int ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constant int opp[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
constant float wt[9] = {4.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/9, 1.f/36, 1.f/36, 1.f/36, 1.f/36};
kernel void lbm(global const float *fin, global float *fout, global const uchar *solid, int nx, int ny, float omega)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= nx || y >= ny) return;
    int n = nx * ny, c = y * nx + x;
    float f[9];
    float rho = 0, ux = 0, uy = 0;
    for (int i = 0; i < 9; i++) {
        int xs = (x - ex[i] + nx) % nx, ys = (y - ey[i] + ny) % ny;
        f[i] = fin[i * n + ys * nx + xs];
        rho += f[i];
        ux += ex[i] * f[i];
        uy += ey[i] * f[i];
    }
    if (solid[c]) {
        for (int i = 0; i < 9; i++) fout[i * n + c] = f[opp[i]];
        return;
    }
    ux /= rho; uy /= rho;
    float u2 = 1.5f * (ux * ux + uy * uy);
    for (int i = 0; i < 9; i++) {
        float eu = 3.0f * (ex[i] * ux + ey[i] * uy);
        float feq = wt[i] * rho * (1.0f + eu + 0.5f * eu * eu - u2);
        fout[i * n + c] = f[i] + omega * (feq - f[i]);
    }
}
"""
    nx, ny = 150, 110; f = ru(r, 9, ny, nx, lo=.1, hi=.2)
    return src, [("lbm", ("f", "g", "s", I(nx), I(ny), F(1.2)), (up(nx, 16), up(ny, 8)), (16, 8))], dict(f=f, g=np.zeros_like(f), s=(r.random((ny, nx)) < .1).astype(np.uint8)), ("g",)

@sci("LBM D2Q9, structures of nine, 1-D ids")
def _(r):
    src = """
typedef struct { float s[9]; } cell_t;
__kernel void propagate(__global const cell_t *in, __global cell_t *out, __global const int *obst, int w, int h)
{
    int ii = get_global_id(1), jj = get_global_id(0);
    int yn = (ii + 1) % h, xe = (jj + 1) % w;
    int ys = (ii == 0) ? (ii + h - 1) : (ii - 1);
    int xw = (jj == 0) ? (jj + w - 1) : (jj - 1);
    float t0 = in[ii*w + jj].s[0], t1 = in[ii*w + xw].s[1], t2 = in[ys*w + jj].s[2], t3 = in[ii*w + xe].s[3];
    float t4 = in[yn*w + jj].s[4], t5 = in[ys*w + xw].s[5], t6 = in[ys*w + xe].s[6], t7 = in[yn*w + xe].s[7], t8 = in[yn*w + xw].s[8];
    __global cell_t *o = &out[ii*w + jj];
    if (obst[ii*w + jj]) {
        o->s[0] = t0; o->s[1] = t3; o->s[2] = t4; o->s[3] = t1; o->s[4] = t2; o->s[5] = t7; o->s[6] = t8; o->s[7] = t5; o->s[8] = t6;
    } else {
        float d = t0+t1+t2+t3+t4+t5+t6+t7+t8;
        float ux = (t1+t5+t8-(t3+t6+t7))/d, uy = (t2+t5+t6-(t4+t7+t8))/d;
        float sq = 1.f - 1.5f*(ux*ux+uy*uy);
        float w0 = 4.f/9.f, w1 = 1.f/9.f, w2 = 1.f/36.f, om = 1.7f;
        float a = ux+uy, b = uy-ux;
        o->s[0] = t0 + om*(w0*d*sq - t0);
        o->s[1] = t1 + om*(w1*d*(sq+3*ux+4.5f*ux*ux) - t1);
        o->s[2] = t2 + om*(w1*d*(sq+3*uy+4.5f*uy*uy) - t2);
        o->s[3] = t3 + om*(w1*d*(sq-3*ux+4.5f*ux*ux) - t3);
        o->s[4] = t4 + om*(w1*d*(sq-3*uy+4.5f*uy*uy) - t4);
        o->s[5] = t5 + om*(w2*d*(sq+3*a+4.5f*a*a) - t5);
        o->s[6] = t6 + om*(w2*d*(sq+3*b+4.5f*b*b) - t6);
        o->s[7] = t7 + om*(w2*d*(sq-3*a+4.5f*a*a) - t7);
        o->s[8] = t8 + om*(w2*d*(sq-3*b+4.5f*b*b) - t8);
    }
}
"""
    w, h = 128, 100; f = ru(r, h, w, 9, lo=.1, hi=.2)
    return src, [("propagate", ("f", "g", "o", I(w), I(h)), (w, h), (32, 1))], dict(f=f, g=np.zeros_like(f), o=(r.random((h, w)) < .1).astype(I)), ("g",)

@sci("LBM D3Q19, offsets in a loop, double", tol=1e-9)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define Q 19
__constant int cx[Q] = {0,1,-1,0,0,0,0,1,-1,1,-1,1,-1,1,-1,0,0,0,0};
__constant int cy[Q] = {0,0,0,1,-1,0,0,1,-1,-1,1,0,0,0,0,1,-1,1,-1};
__constant int cz[Q] = {0,0,0,0,0,1,-1,0,0,0,0,1,-1,-1,1,1,-1,-1,1};
__constant double w[Q] = {1./3,1./18,1./18,1./18,1./18,1./18,1./18,1./36,1./36,1./36,1./36,1./36,1./36,1./36,1./36,1./36,1./36,1./36,1./36};
__kernel void collide(__global const double *src, __global double *dst, int nx, int ny, int nz, double tau)
{
    int gid = get_global_id(0);
    int N = nx * ny * nz;
    if (gid >= N) return;
    int x = gid % nx, y = (gid / nx) % ny, z = gid / (nx * ny);
    double g[Q], rho = 0, u = 0, v = 0, s = 0;
    for (int q = 0; q < Q; q++) {
        int a = x - cx[q], b = y - cy[q], c = z - cz[q];
        a = a < 0 ? nx - 1 : a == nx ? 0 : a;
        b = b < 0 ? ny - 1 : b == ny ? 0 : b;
        c = c < 0 ? nz - 1 : c == nz ? 0 : c;
        g[q] = src[q * N + a + nx * (b + ny * c)];
        rho += g[q]; u += g[q] * cx[q]; v += g[q] * cy[q]; s += g[q] * cz[q];
    }
    u /= rho; v /= rho; s /= rho;
    double uu = 1.0 - 1.5 * (u * u + v * v + s * s);
    for (int q = 0; q < Q; q++) {
        double cu = 3.0 * (cx[q] * u + cy[q] * v + cz[q] * s);
        dst[q * N + gid] = g[q] - (g[q] - w[q] * rho * (uu + cu + 0.5 * cu * cu)) / tau;
    }
}
"""
    nx, ny, nz = 30, 25, 20; f = ru(r, 19, nx * ny * nz, lo=.1, hi=.2, t=D)
    return src, [("collide", ("f", "g", I(nx), I(ny), I(nz), D(.8)), (up(nx * ny * nz, 50),), (50,))], dict(f=f, g=np.zeros_like(f)), ("g",)

@sci("WENO5 Burgers flux in rows")
def _(r):
    src = """
static float weno(float a, float b, float c, float d, float e) {
    float q0 = (2*a - 7*b + 11*c) / 6.f, q1 = (-b + 5*c + 2*d) / 6.f, q2 = (2*c + 5*d - e) / 6.f;
    float b0 = 13.f/12*pown(a - 2*b + c, 2) + 0.25f*pown(a - 4*b + 3*c, 2);
    float b1 = 13.f/12*pown(b - 2*c + d, 2) + 0.25f*pown(b - d, 2);
    float b2 = 13.f/12*pown(c - 2*d + e, 2) + 0.25f*pown(3*c - 4*d + e, 2);
    float a0 = 0.1f/pown(1e-6f + b0, 2), a1 = 0.6f/pown(1e-6f + b1, 2), a2 = 0.3f/pown(1e-6f + b2, 2);
    return (a0*q0 + a1*q1 + a2*q2) / (a0 + a1 + a2);
}
kernel void flux(global const float *u, global float *f, int n)
{
    int i = get_global_id(0), row = get_global_id(1);
    global const float *q = u + row * n;
    if (i >= n) return;
    int m3 = max(i - 2, 0), m2 = max(i - 1, 0), p1 = min(i + 1, n - 1), p2 = min(i + 2, n - 1), p3 = min(i + 3, n - 1);
    float l = weno(q[m3], q[m2], q[i], q[p1], q[p2]);
    float rr = weno(q[p3], q[p2], q[p1], q[i], q[m2]);
    float a = fmax(fabs(l), fabs(rr));
    f[row * n + i] = 0.5f * (0.5f*l*l + 0.5f*rr*rr - a * (rr - l));
}
"""
    u = ru(r, 60, 301, lo=-1)
    return src, [("flux", ("u", "f", I(301)), (304, 60), (16, 4))], dict(u=u, f=np.zeros_like(u)), ("f",)

@sci("shallow water, HLL fluxes, structs")
def _(r):
    src = """
typedef struct { float h, hu, hv; } state;
static state flux(state l, state r, int dir) {
    const float g = 9.81f;
    float ul = (dir ? l.hv : l.hu) / l.h, ur = (dir ? r.hv : r.hu) / r.h;
    float cl = sqrt(g * l.h), cr = sqrt(g * r.h);
    float sl = fmin(ul - cl, ur - cr), sr = fmax(ul + cl, ur + cr);
    state fl, fr, f;
    fl.h = l.h * ul; fl.hu = l.hu * ul + (dir ? 0 : 0.5f * g * l.h * l.h); fl.hv = l.hv * ul + (dir ? 0.5f * g * l.h * l.h : 0);
    fr.h = r.h * ur; fr.hu = r.hu * ur + (dir ? 0 : 0.5f * g * r.h * r.h); fr.hv = r.hv * ur + (dir ? 0.5f * g * r.h * r.h : 0);
    if (sl >= 0) return fl;
    if (sr <= 0) return fr;
    float d = 1.0f / (sr - sl);
    f.h = (sr * fl.h - sl * fr.h + sl * sr * (r.h - l.h)) * d;
    f.hu = (sr * fl.hu - sl * fr.hu + sl * sr * (r.hu - l.hu)) * d;
    f.hv = (sr * fl.hv - sl * fr.hv + sl * sr * (r.hv - l.hv)) * d;
    return f;
}
__kernel void sw(__global const state *q, __global state *o, int nx, int ny, float lam)
{
    int i = get_global_id(0), j = get_global_id(1);
    if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;
    int c = j * nx + i;
    state me = q[c];
    state w = flux(q[c - 1], me, 0), e = flux(me, q[c + 1], 0), s = flux(q[c - nx], me, 1), n = flux(me, q[c + nx], 1);
    me.h -= lam * (e.h - w.h + n.h - s.h);
    me.hu -= lam * (e.hu - w.hu + n.hu - s.hu);
    me.hv -= lam * (e.hv - w.hv + n.hv - s.hv);
    o[c] = me;
}
"""
    q = ru(r, 90, 131, 3, lo=-.5, hi=.5); q[..., 0] = ru(r, 90, 131, lo=1, hi=2)
    return src, [("sw", ("q", "o", I(131), I(90), F(.05)), (144, 96), (16, 16))], dict(q=q, o=q.copy()), ("o",)

@sci("FDTD 2-D, three kernels", restore=("hx", "hy", "ez"))
def _(r):
    src = """
__kernel void hx(__global float *Hx, __global const float *Ez, int nx, int ny, float s) {
    int i = get_global_id(0), j = get_global_id(1);
    if (i < nx && j < ny - 1) Hx[j * nx + i] -= s * (Ez[(j + 1) * nx + i] - Ez[j * nx + i]);
}
__kernel void hy(__global float *Hy, __global const float *Ez, int nx, int ny, float s) {
    int i = get_global_id(0), j = get_global_id(1);
    if (i < nx - 1 && j < ny) Hy[j * nx + i] += s * (Ez[j * nx + i + 1] - Ez[j * nx + i]);
}
__kernel void ez(__global float *Ez, __global const float *Hx, __global const float *Hy, __global const float *eps, int nx, int ny, float s) {
    int i = get_global_id(0), j = get_global_id(1);
    if (i > 0 && j > 0 && i < nx && j < ny)
        Ez[j * nx + i] += s / eps[j * nx + i] * (Hy[j * nx + i] - Hy[j * nx + i - 1] - Hx[j * nx + i] + Hx[(j - 1) * nx + i]);
}
"""
    s = (150, 203); g = (208, 152); z = np.zeros(s, F)
    n = (I(203), I(150), F(.5))
    return src, [("hx", ("hx", "ez", *n), g, (16, 8)), ("hy", ("hy", "ez", *n), g, (16, 8)), ("ez", ("ez", "hx", "hy", "eps", *n), g, (16, 8))], \
        dict(hx=ru(r, *s), hy=ru(r, *s), ez=ru(r, *s), eps=ru(r, *s, lo=1, hi=4)), ("ez",)

@sci("multigrid restrict and prolong, double", tol=1e-9, restore=("fine",))
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void restrict_full(__global const double *f, __global double *c, int nc) {
    int i = get_global_id(0), j = get_global_id(1), nf = 2 * nc - 1;
    if (i <= 0 || j <= 0 || i >= nc - 1 || j >= nc - 1) return;
    int k = 2 * j * nf + 2 * i;
    c[j * nc + i] = 0.25 * f[k] + 0.125 * (f[k - 1] + f[k + 1] + f[k - nf] + f[k + nf])
        + 0.0625 * (f[k - nf - 1] + f[k - nf + 1] + f[k + nf - 1] + f[k + nf + 1]);
}
__kernel void prolong(__global const double *c, __global double *f, int nc) {
    int i = get_global_id(0), j = get_global_id(1), nf = 2 * nc - 1;
    if (i >= nf || j >= nf) return;
    int I0 = i / 2, J0 = j / 2;
    double v;
    if ((i & 1) == 0 && (j & 1) == 0) v = c[J0 * nc + I0];
    else if ((i & 1) == 1 && (j & 1) == 0) v = 0.5 * (c[J0 * nc + I0] + c[J0 * nc + I0 + 1]);
    else if ((i & 1) == 0) v = 0.5 * (c[J0 * nc + I0] + c[(J0 + 1) * nc + I0]);
    else v = 0.25 * (c[J0 * nc + I0] + c[J0 * nc + I0 + 1] + c[(J0 + 1) * nc + I0] + c[(J0 + 1) * nc + I0 + 1]);
    f[j * nf + i] += v;
}
"""
    nc = 65; nf = 129
    return src, [("restrict_full", ("fine", "c", I(nc)), (72, 72), (8, 8)), ("prolong", ("c", "fine", I(nc)), (136, 136), (8, 8))], \
        dict(fine=r.random((nf, nf)), c=np.zeros((nc, nc))), ("fine",)

@sci("red-black Gauss-Seidel, SOR, half ranges", restore=("u",))
def _(r):
    src = """
__kernel void sweep(__global float *u, __global const float *f, int n, int colour, float om) {
    int hx = get_global_id(0), y = get_global_id(1) + 1;
    int x = 2 * hx + 1 + ((y + colour) & 1);
    if (x >= n - 1 || y >= n - 1) return;
    int k = y * n + x;
    u[k] = (1 - om) * u[k] + om * 0.25f * (u[k - 1] + u[k + 1] + u[k - n] + u[k + n] - f[k]);
}
"""
    n = 201
    return src, [("sweep", ("u", "f", I(n), I(c), F(1.5)), (100, 199)) for c in (0, 1)], dict(u=ru(r, n, n), f=ru(r, n, n)), ("u",)

@sci("semi-Lagrangian advection, bilinear", tol=1e-3)
def _(r):
    src = """
float sample(__global const float *q, float x, float y, int w, int h) {
    x = clamp(x, 0.0f, w - 1.001f); y = clamp(y, 0.0f, h - 1.001f);
    int i = (int)x, j = (int)y;
    float a = x - i, b = y - j;
    return mix(mix(q[j * w + i], q[j * w + i + 1], a), mix(q[(j + 1) * w + i], q[(j + 1) * w + i + 1], a), b);
}
__kernel void advect(__global const float2 *vel, __global const float *q, __global float *o, int w, int h, float dt) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    float2 v = vel[y * w + x];
    float2 mid = (float2)(x, y) - 0.5f * dt * v;
    float ux = sample(q, mid.x, mid.y, w, h);
    o[y * w + x] = sample(q, x - dt * v.x, y - dt * v.y, w, h) + 0.001f * ux;
}
"""
    w, h = 170, 130
    return src, [("advect", ("v", "q", "o", I(w), I(h), F(1.3)), (w, h))], dict(v=ru(r, h, w, 2, lo=-4, hi=4), q=ru(r, h, w), o=np.zeros((h, w), F)), ("o",)

# ---------------------------------------------------------------- linear algebra
@sci("SpMV CSR scalar, long tail")
def _(r):
    src = """
kernel void spmv(const int rows, global const float *val, global const int *col, global const int *ptr, global const float *x, global float *y)
{
    int row = get_global_id(0);
    if (row < rows) {
        float t = 0;
        int b = ptr[row], e = ptr[row + 1];
        for (int j = b; j < e; j++) t += val[j] * x[col[j]];
        y[row] = t;
    }
}
"""
    n = 6000; nn = np.minimum((3 + r.pareto(1.5, n) * 4).astype(int), 300); p = np.concatenate([[0], np.cumsum(nn)]).astype(I)
    return src, [("spmv", (I(n), "v", "c", "p", "x", "y"), (up(n, 256),), (256,))], \
        dict(v=ru(r, p[-1]), c=r.integers(0, n, p[-1]).astype(I), p=p, x=ru(r, n), y=np.zeros(n, F)), ("y",)

@sci("SpMV CSR vector, 32 work-items a row")
def _(r):
    src = """
#define W 32
__kernel void spmv_vec(__global const float *val, __global const int *cols, __global const int *rowDelim,
                       __global const float *vec, const int dim, __global float *out, __local volatile float *part)
{
    int t = get_local_id(0);
    int id = t & (W - 1);
    int warps = get_local_size(0) / W;
    int row = get_group_id(0) * warps + t / W;
    float my = 0;
    if (row < dim) {
        int s = rowDelim[row], e = rowDelim[row + 1];
        for (int j = s + id; j < e; j += W) my += val[j] * vec[cols[j]];
    }
    part[t] = my;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = W / 2; o > 0; o >>= 1) {
        if (id < o) part[t] += part[t + o];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0 && row < dim) out[row] = part[t];
}
"""
    n = 2000; nn = r.integers(5, 120, n); p = np.concatenate([[0], np.cumsum(nn)]).astype(I)
    return src, [("spmv_vec", ("v", "c", "p", "x", I(n), "y", Local(512)), (n // 4 * 128,), (128,))], \
        dict(v=ru(r, p[-1]), c=r.integers(0, n, p[-1]).astype(I), p=p, x=ru(r, n), y=np.zeros(n, F)), ("y",)

@sci("SpMV ELL, column major, double", tol=1e-9)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void ell(global const double *a, global const int *idx, global const double *x, global double *y, int n, int k, int pitch)
{
    int i = get_global_id(0);
    if (i >= n) return;
    double s = 0;
    for (int j = 0; j < k; ++j) {
        int c = idx[i + j * pitch];
        if (c >= 0) s += a[i + j * pitch] * x[c];
    }
    y[i] = s;
}
"""
    n, k = 5003, 21; pitch = up(n, 32)
    idx = r.integers(0, n, (k, pitch)); idx[r.random((k, pitch)) < .2] = -1
    return src, [("ell", ("a", "i", "x", "y", I(n), I(k), I(pitch)), (n,))], dict(a=r.random((k, pitch)), i=idx.astype(I), x=r.random(n), y=np.zeros(n)), ("y",)

@sci("SpMV COO, float atomics by compare-exchange", tol=1e-3, restore=("y",))
def _(r):
    src = """
inline void add(volatile __global float *p, float v) {
    union { uint u; float f; } now, next;
    do { now.f = *p; next.f = now.f + v; } while (atomic_cmpxchg((volatile __global uint *)p, now.u, next.u) != now.u);
}
__kernel void coo(__global const int *r, __global const int *c, __global const float *v, __global const float *x, __global float *y, int nnz)
{
    for (int i = get_global_id(0); i < nnz; i += get_global_size(0)) add(&y[r[i]], v[i] * x[c[i]]);
}
"""
    n, z = 3000, 40000
    return src, [("coo", ("r", "c", "v", "x", "y", I(z)), (4096,), (64,))], dict(r=np.sort(r.integers(0, n, z)).astype(I), c=r.integers(0, n, z).astype(I), v=ru(r, z), x=ru(r, n), y=np.zeros(n, F)), ("y",)

@sci("SpMV BSR 3x3 blocks")
def _(r):
    src = """
__kernel void bsr(__global const int *brow, __global const int *bcol, __global const float *blk, __global const float *x, __global float *y, int nb)
{
    int ib = get_global_id(0);
    if (ib >= nb) return;
    float s0 = 0, s1 = 0, s2 = 0;
    for (int k = brow[ib]; k < brow[ib + 1]; k++) {
        __global const float *m = blk + 9 * k;
        int j = 3 * bcol[k];
        float a = x[j], b = x[j + 1], c = x[j + 2];
        s0 += m[0] * a + m[1] * b + m[2] * c;
        s1 += m[3] * a + m[4] * b + m[5] * c;
        s2 += m[6] * a + m[7] * b + m[8] * c;
    }
    y[3 * ib] = s0; y[3 * ib + 1] = s1; y[3 * ib + 2] = s2;
}
"""
    n = 2000; nn = r.integers(4, 16, n); p = np.concatenate([[0], np.cumsum(nn)]).astype(I)
    return src, [("bsr", ("p", "c", "b", "x", "y", I(n)), (up(n, 64),), (64,))], dict(p=p, c=r.integers(0, n, p[-1]).astype(I), b=ru(r, p[-1], 9), x=ru(r, 3 * n), y=np.zeros(3 * n, F)), ("y",)

@sci("batched 3x3 inverse, AoS, double", tol=1e-8)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void inv3(__global const double *A, __global double *B, int n)
{
    int g = get_global_id(0);
    if (g >= n) return;
    double m[3][3];
    for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) m[i][j] = A[g * 9 + i * 3 + j];
    double det = m[0][0] * (m[1][1] * m[2][2] - m[2][1] * m[1][2]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    double d = 1 / det;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, e = (i + 2) % 3;
            B[g * 9 + i * 3 + j] = d * (m[a][c] * m[b][e] - m[a][e] * m[b][c]);
        }
}
"""
    n = 10007; a = r.random((n, 3, 3)) + 2 * np.eye(3)
    return src, [("inv3", ("a", "b", I(n)), (up(n, 64),), (64,))], dict(a=a, b=np.zeros_like(a)), ("b",)

@sci("batched 6x6 Cholesky and solve in private memory", tol=1e-3)
def _(r):
    src = """
#define N 6
__kernel void chol(__global const float *A, __global const float *b, __global float *x, uint count)
{
    uint id = get_global_id(0);
    if (id >= count) return;
    float L[N * N], y[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            float s = A[id * N * N + i * N + j];
            for (int k = 0; k < j; k++) s -= L[i * N + k] * L[j * N + k];
            L[i * N + j] = i == j ? sqrt(s) : s / L[j * N + j];
        }
    for (int i = 0; i < N; i++) {
        float s = b[id * N + i];
        for (int k = 0; k < i; k++) s -= L[i * N + k] * y[k];
        y[i] = s / L[i * N + i];
    }
    for (int i = N - 1; i >= 0; i--) {
        float s = y[i];
        for (int k = i + 1; k < N; k++) s -= L[k * N + i] * y[k];
        y[i] = s / L[i * N + i];
    }
    for (int i = 0; i < N; i++) x[id * N + i] = y[i];
}
"""
    n = 5000; a = ru(r, n, 6, 6); a = (a @ a.transpose(0, 2, 1) + 3 * np.eye(6)).astype(F)
    return src, [("chol", ("a", "b", "x", U(n)), (n,))], dict(a=a, b=ru(r, n, 6), x=np.zeros((n, 6), F)), ("x",)

@sci("batched 8x8 LU with pivoting", tol=1e-2, differ=.01, restore=("a",))
def _(r):
    src = """
#define M 8
kernel void lu(global float *a, global int *piv, int batch)
{
    int b = get_global_id(0);
    if (b >= batch) return;
    float t[M][M];
    for (int i = 0; i < M; ++i) for (int j = 0; j < M; ++j) t[i][j] = a[(i * M + j) * batch + b];
    for (int k = 0; k < M; ++k) {
        int p = k; float best = fabs(t[k][k]);
        for (int i = k + 1; i < M; ++i) { float v = fabs(t[i][k]); if (v > best) { best = v; p = i; } }
        piv[k * batch + b] = p;
        if (p != k) for (int j = 0; j < M; ++j) { float w = t[k][j]; t[k][j] = t[p][j]; t[p][j] = w; }
        float inv = 1.0f / t[k][k];
        for (int i = k + 1; i < M; ++i) {
            float f = t[i][k] * inv;
            t[i][k] = f;
            for (int j = k + 1; j < M; ++j) t[i][j] -= f * t[k][j];
        }
    }
    for (int i = 0; i < M; ++i) for (int j = 0; j < M; ++j) a[(i * M + j) * batch + b] = t[i][j];
}
"""
    n = 3000
    return src, [("lu", ("a", "p", I(n)), (up(n, 64),), (64,))], dict(a=ru(r, 8, 8, n, lo=-1), p=np.zeros((8, n), I)), ("p",)

@sci("QR by Givens rotations 5x4, double", tol=1e-8)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define R 5
#define C 4
__kernel void givens(__global const double *in, __global double *out, int n)
{
    const int gid = get_global_id(0);
    if (gid >= n) return;
    double a[R * C];
    for (int k = 0; k < R * C; k++) a[k] = in[gid * R * C + k];
    for (int j = 0; j < C; j++)
        for (int i = R - 1; i > j; i--) {
            double p = a[(i - 1) * C + j], q = a[i * C + j];
            double h = hypot(p, q);
            if (h == 0.0) continue;
            double c = p / h, s = q / h;
            for (int k = j; k < C; k++) {
                double u = a[(i - 1) * C + k], v = a[i * C + k];
                a[(i - 1) * C + k] = c * u + s * v;
                a[i * C + k] = c * v - s * u;
            }
        }
    for (int k = 0; k < R * C; k++) out[gid * R * C + k] = a[k];
}
"""
    n = 3000
    return src, [("givens", ("a", "b", I(n)), (up(n, 32),), (32,))], dict(a=r.random((n, 20)), b=np.zeros((n, 20))), ("b",)

@sci("Cholesky block 24x24 in local memory", tol=1e-3, restore=("a2",))
def _(r):
    src = """
#define NB 24
__kernel void potrf(__global float *A, int batch)
{
    __local float s[NB][NB + 1];
    int b = get_group_id(0), tx = get_local_id(0), ty = get_local_id(1);
    __global float *a = A + b * NB * NB;
    s[ty][tx] = a[ty * NB + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < NB; k++) {
        if (tx == k && ty == k) s[k][k] = sqrt(s[k][k]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tx == k && ty > k) s[ty][k] /= s[k][k];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (tx > k && ty >= tx) s[ty][tx] -= s[ty][k] * s[tx][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[ty * NB + tx] = ty >= tx ? s[ty][tx] : 0.0f;
}
"""
    n = 40; a = ru(r, n, 24, 24); a = (a @ a.transpose(0, 2, 1) + 24 * np.eye(24)).astype(F)
    return src, [("potrf", ("a2", I(n)), (24 * n, 24), (24, 24))], dict(a2=a), ("a2",)

@sci("LU panel, work-item per row, column in local memory")
def _(r):
    src = """
#define W 12
__kernel void panel(__global const float *in, __global float *out, const int n)
{
    __local float piv[W];
    int row = get_local_id(0), m = get_group_id(0);
    __global const float *a = in + m * n * W;
    float v[W];
    for (int j = 0; j < W; j++) v[j] = a[row * W + j];
    for (int k = 0; k < W; k++) {
        if (row == k) for (int j = k; j < W; j++) piv[j] = v[j];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row > k) {
            float f = v[k] / piv[k];
            v[k] = f;
            for (int j = k + 1; j < W; j++) v[j] -= f * piv[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < W; j++) out[m * n * W + row * W + j] = v[j];
}
"""
    g, n = 50, 60; a = ru(r, g, n, 12); a[:, :12] += 4 * np.eye(12, dtype=F)
    return src, [("panel", ("a", "b", I(n)), (g * n,), (n,))], dict(a=a, b=np.zeros_like(a)), ("b",)

@sci("tridiagonal Thomas, system per item, strided", tol=1e-3)
def _(r):
    src = """
__kernel void thomas(__global const float *a, __global const float *b, __global const float *c, __global const float *d,
                     __global float *cp, __global float *x, int n, int systems)
{
    int s = get_global_id(0);
    if (s >= systems) return;
    float w = c[s] / b[s], g = d[s] / b[s];
    cp[s] = w; x[s] = g;
    for (int i = 1; i < n; i++) {
        int k = i * systems + s;
        float m = 1.0f / (b[k] - a[k] * w);
        w = c[k] * m;
        g = (d[k] - a[k] * g) * m;
        cp[k] = w; x[k] = g;
    }
    for (int i = n - 2; i >= 0; i--) {
        int k = i * systems + s;
        g = x[k] - cp[k] * g;
        x[k] = g;
    }
}
"""
    n, s = 64, 1000
    return src, [("thomas", ("a", "b", "c", "d", "cp", "x", I(n), I(s)), (1024,), (64,))], \
        dict(a=ru(r, n, s), b=ru(r, n, s, lo=3, hi=4), c=ru(r, n, s), d=ru(r, n, s), cp=np.zeros((n, s), F), x=np.zeros((n, s), F)), ("x",)

@sci("tridiagonal cyclic reduction in local memory", tol=1e-3)
def _(r):
    src = """
__kernel void cr(__global const float *ga, __global const float *gb, __global const float *gc, __global const float *gd, __global float *gx,
                 __local float *sh, int n, int iters)
{
    int t = get_local_id(0), blk = get_group_id(0);
    __local float *a = sh, *b = sh + n, *c = sh + 2 * n, *d = sh + 3 * n;
    for (int i = t; i < n; i += get_local_size(0)) { a[i] = ga[i + blk * n]; b[i] = gb[i + blk * n]; c[i] = gc[i + blk * n]; d[i] = gd[i + blk * n]; }
    barrier(CLK_LOCAL_MEM_FENCE);
    float an, bn, cn, dn;
    int delta = 1;
    for (int j = 0; j < iters; j++) {
        int i = t, l = i - delta, r = i + delta;
        if (l < 0) l = 0;
        if (r >= n) r = n - 1;
        float t1 = i - delta < 0 ? 0 : a[i] / b[l], t2 = i + delta >= n ? 0 : c[i] / b[r];
        bn = b[i] - c[l] * t1 - a[r] * t2;
        dn = d[i] - d[l] * t1 - d[r] * t2;
        an = -a[l] * t1;
        cn = -c[r] * t2;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = an; b[i] = bn; c[i] = cn; d[i] = dn;
        delta *= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    gx[blk * n + t] = d[t] / b[t];
}
"""
    g, n = 60, 128; s = (g, n); a = ru(r, *s); c = ru(r, *s); a[:, 0] = 0; c[:, -1] = 0
    return src, [("cr", ("a", "b", "c", "d", "x", Local(4 * n * 4), I(n), I(7)), (g * n,), (n,))], dict(a=a, b=ru(r, *s, lo=3, hi=4), c=c, d=ru(r, *s), x=np.zeros(s, F)), ("x",)

@sci("Householder reflections, group per matrix, double", tol=1e-8, restore=("a",))
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define N 20
kernel void house(global double *A)
{
    local double a[N * N], v[N], beta;
    int j = get_local_id(0), g = get_group_id(0);
    for (int i = 0; i < N; i++) a[i * N + j] = A[g * N * N + i * N + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < N - 1; k++) {
        if (j == 0) {
            double s = 0;
            for (int i = k; i < N; i++) { v[i] = a[i * N + k]; s += v[i] * v[i]; }
            double al = a[k * N + k] > 0 ? -sqrt(s) : sqrt(s);
            v[k] -= al;
            double q = s - al * a[k * N + k];
            beta = q != 0 ? 1.0 / q : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (j >= k) {
            double d = 0;
            for (int i = k; i < N; i++) d += v[i] * a[i * N + j];
            d *= beta;
            for (int i = k; i < N; i++) a[i * N + j] -= d * v[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < N; i++) A[g * N * N + i * N + j] = a[i * N + j];
}
"""
    return src, [("house", ("a",), (20 * 60,), (20,))], dict(a=r.random((60, 20, 20))), ("a",)

@sci("dgemm tiles 12x12, odd sizes, guarded", tol=1e-9)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define TS 12
__kernel void gemm(const int M, const int N, const int K, const __global double *A, const __global double *B, __global double *C)
{
    const int row = get_local_id(1), col = get_local_id(0);
    const int gr = TS * get_group_id(1) + row, gc = TS * get_group_id(0) + col;
    __local double As[TS][TS], Bs[TS][TS];
    double acc = 0.0;
    for (int t = 0; t < (K + TS - 1) / TS; t++) {
        As[row][col] = (gr < M && t * TS + col < K) ? A[gr * K + t * TS + col] : 0.0;
        Bs[row][col] = (gc < N && t * TS + row < K) ? B[(t * TS + row) * N + gc] : 0.0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++) acc += As[row][k] * Bs[k][col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (gr < M && gc < N) C[gr * N + gc] = acc;
}
"""
    m, n, k = 101, 97, 113
    return src, [("gemm", (I(m), I(n), I(k), "a", "b", "c"), (up(n, 12), up(m, 12)), (12, 12))], dict(a=r.random((m, k)), b=r.random((k, n)), c=np.zeros((m, n))), ("c",)

@sci("complex matrix product, float2, naive")
def _(r):
    src = """
typedef float2 cfl;
static cfl cmul(cfl a, cfl b) { return (cfl)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__kernel void cgemm(__global const cfl *a, __global const cfl *b, __global cfl *c, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i >= n || j >= n) return;
    cfl s = (cfl)(0, 0);
    for (int k = 0; k < n; k++) s += cmul(a[i * n + k], b[k * n + j]);
    c[i * n + j] = s;
}
"""
    n = 90
    return src, [("cgemm", ("a", "b", "c", I(n)), (96, 96), (16, 16))], dict(a=ru(r, n, n, 2), b=ru(r, n, n, 2), c=np.zeros((n, n, 2), F)), ("c",)

@sci("dot products, group of 100, tree with odd sizes")
def _(r):
    src = """
kernel void dots(global const float *a, global const float *b, global float *o, int n, local float *t)
{
    int l = get_local_id(0), s = get_local_size(0);
    float acc = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) acc += a[i] * b[i];
    t[l] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (s > 1) {
        int h = (s + 1) / 2;
        if (l + h < s) t[l] += t[l + h];
        s = h;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) o[get_group_id(0)] = t[0];
}
"""
    n = 60000
    return src, [("dots", ("a", "b", "o", I(n), Local(400)), (4000,), (100,))], dict(a=ru(r, n), b=ru(r, n), o=np.zeros(40, F)), ("o",)

@sci("FEM P1 triangles, stiffness, gathered nodes, double", tol=1e-9)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void stiffness(__global const double2 *node, __global const int *tri, __global double *K, int ne)
{
    int e = get_global_id(0);
    if (e >= ne) return;
    int v[3] = { tri[3 * e], tri[3 * e + 1], tri[3 * e + 2] };
    double2 p[3];
    for (int i = 0; i < 3; i++) p[i] = node[v[i]];
    double b[3], c[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        b[i] = p[j].y - p[k].y;
        c[i] = p[k].x - p[j].x;
    }
    double area = 0.5 * fabs(b[0] * c[1] - b[1] * c[0]) + 1e-3;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) K[9 * e + 3 * i + j] = (b[i] * b[j] + c[i] * c[j]) / (4 * area);
}
"""
    n, e = 3000, 6001
    return src, [("stiffness", ("n", "t", "k", I(e)), (e,))], dict(n=r.random((n, 2)), t=r.integers(0, n, (e, 3)).astype(I), k=np.zeros(9 * e)), ("k",)

@sci("FEM hexahedra, Jacobians at 8 Gauss points", tol=1e-3)
def _(r):
    src = """
__constant float gp[2] = {-0.577350269f, 0.577350269f};
__constant float sx[8] = {-1, 1, 1, -1, -1, 1, 1, -1}, sy[8] = {-1, -1, 1, 1, -1, -1, 1, 1}, sz[8] = {-1, -1, -1, -1, 1, 1, 1, 1};
__kernel void hex(__global const float *coords, __global const int *conn, __global float *vol, __global float *lap, const int nel)
{
    for (int e = get_global_id(0); e < nel; e += get_global_size(0)) {
        float x[8], y[8], z[8], diag[8];
        for (int a = 0; a < 8; a++) {
            int n = conn[e * 8 + a];
            x[a] = coords[3 * n]; y[a] = coords[3 * n + 1]; z[a] = coords[3 * n + 2]; diag[a] = 0;
        }
        float v = 0;
        for (int g = 0; g < 8; g++) {
            float r = gp[g & 1], s = gp[(g >> 1) & 1], t = gp[g >> 2];
            float J[3][3] = {{0}};
            float dn[8][3];
            for (int a = 0; a < 8; a++) {
                dn[a][0] = 0.125f * sx[a] * (1 + sy[a] * s) * (1 + sz[a] * t);
                dn[a][1] = 0.125f * sy[a] * (1 + sx[a] * r) * (1 + sz[a] * t);
                dn[a][2] = 0.125f * sz[a] * (1 + sx[a] * r) * (1 + sy[a] * s);
                for (int k = 0; k < 3; k++) { J[k][0] += dn[a][k] * x[a]; J[k][1] += dn[a][k] * y[a]; J[k][2] += dn[a][k] * z[a]; }
            }
            float det = J[0][0]*(J[1][1]*J[2][2]-J[1][2]*J[2][1]) - J[0][1]*(J[1][0]*J[2][2]-J[1][2]*J[2][0]) + J[0][2]*(J[1][0]*J[2][1]-J[1][1]*J[2][0]);
            v += det;
            float i00 = (J[1][1]*J[2][2]-J[1][2]*J[2][1]) / det, i01 = (J[0][2]*J[2][1]-J[0][1]*J[2][2]) / det, i02 = (J[0][1]*J[1][2]-J[0][2]*J[1][1]) / det;
            for (int a = 0; a < 8; a++) { float d = i00 * dn[a][0] + i01 * dn[a][1] + i02 * dn[a][2]; diag[a] += det * d * d; }
        }
        vol[e] = v;
        for (int a = 0; a < 8; a++) lap[e * 8 + a] = diag[a];
    }
}
"""
    s = 12; ne = (s - 1)**3
    c = (np.stack(np.unravel_index(np.arange(s**3), (s,) * 3), 1) + .2 * r.random((s**3, 3))).astype(F)
    k, j, i = [q.ravel() for q in np.meshgrid(*[np.arange(s - 1)] * 3, indexing="ij")]
    nid = lambda a, b, d: (a * s + b) * s + d
    conn = np.stack([nid(k, j, i), nid(k + 1, j, i), nid(k + 1, j + 1, i), nid(k, j + 1, i), nid(k, j, i + 1), nid(k + 1, j, i + 1), nid(k + 1, j + 1, i + 1), nid(k, j + 1, i + 1)], 1).astype(I)
    return src, [("hex", ("c", "n", "v", "l", I(ne)), (512,), (64,))], dict(c=c, n=conn, v=np.zeros(ne, F), l=np.zeros((ne, 8), F)), ("v", "l")

# ---------------------------------------------------------------- spectra, signals
@sci("FFT 240 = 16 x 15, DFTs in local memory", tol=1e-3)
def _(r):
    src = """
__kernel void dft2(__global const float2 *in, __global float2 *out)
{
    __local float2 t[240];
    int l = get_local_id(0), g = get_group_id(0);
    int k1 = l / 15, n2 = l % 15;
    float2 s = (float2)(0, 0);
    for (int n1 = 0; n1 < 16; n1++) {
        float2 v = in[g * 240 + 15 * n1 + n2];
        float a = -2.0f * M_PI_F * (n1 * k1 % 16) / 16.0f, c, q = sincos(a, &c);
        s += (float2)(v.x * c - v.y * q, v.x * q + v.y * c);
    }
    float a = -2.0f * M_PI_F * (n2 * k1) / 240.0f, c, q = sincos(a, &c);
    t[k1 * 15 + n2] = (float2)(s.x * c - s.y * q, s.x * q + s.y * c);
    barrier(CLK_LOCAL_MEM_FENCE);
    int k2 = l / 16; k1 = l % 16;
    s = (float2)(0, 0);
    for (int m = 0; m < 15; m++) {
        float2 v = t[k1 * 15 + m];
        float b = -2.0f * M_PI_F * (m * k2 % 15) / 15.0f, d, e = sincos(b, &d);
        s += (float2)(v.x * d - v.y * e, v.x * e + v.y * d);
    }
    out[g * 240 + k1 + 16 * k2] = s;
}
"""
    return src, [("dft2", ("a", "b"), (240 * 20,), (240,))], dict(a=ru(r, 20, 240, 2, lo=-1), b=np.zeros((20, 240, 2), F)), ("b",)

@sci("FFT radix-4 Stockham pass in global memory", tol=1e-3)
def _(r):
    src = """
float2 mulc(float2 a, float2 b) { return (float2)(a.x*b.x - a.y*b.y, a.x*b.y + a.y*b.x); }
__kernel void radix4(__global const float2 *x, __global float2 *y, int p)
{
    int i = get_global_id(0), t = get_global_size(0);
    int k = i & (p - 1);
    float al = -M_PI_F * (float)k / (float)(2 * p);
    float2 u0 = x[i], u1 = x[i + t], u2 = x[i + 2 * t], u3 = x[i + 3 * t];
    float2 w = (float2)(cos(al), sin(al)), w2 = mulc(w, w), w3 = mulc(w2, w);
    u1 = mulc(u1, w); u2 = mulc(u2, w2); u3 = mulc(u3, w3);
    float2 v0 = u0 + u2, v1 = u0 - u2, v2 = u1 + u3, v3 = u1 - u3;
    v3 = (float2)(v3.y, -v3.x);
    int j = ((i - k) << 2) + k;
    y[j] = v0 + v2; y[j + p] = v1 + v3; y[j + 2 * p] = v0 - v2; y[j + 3 * p] = v1 - v3;
}
"""
    n = 4096; L_ = []; a, b = "a", "b"; p = 1
    for _ in range(6): L_.append(("radix4", (a, b, I(p)), (n // 4,), (64,))); a, b = b, ("c" if b == "b" else "b"); p *= 4
    return src, L_, dict(a=ru(r, n, 2, lo=-1), b=np.zeros((n, 2), F), c=np.zeros((n, 2), F)), (a,)

@sci("FFT radix-2 in local memory, bit reversal", tol=1e-3)
def _(r):
    src = """
kernel void fft(global const float2 *src, global float2 *dst, local float2 *s, uint logn)
{
    uint t = get_local_id(0), n = 1u << logn, g = get_group_id(0);
    for (uint i = t; i < n; i += get_local_size(0)) {
        uint v = i, rv = 0;
        for (uint b = 0; b < logn; b++) { rv = (rv << 1) | (v & 1); v >>= 1; }
        s[rv] = src[g * n + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint m = 1; m < n; m <<= 1) {
        for (uint b = t; b < n / 2; b += get_local_size(0)) {
            uint j = b % m, k = (b / m) * 2 * m + j;
            float ang = -M_PI_F * j / m;
            float2 w = (float2)(native_cos(ang), native_sin(ang)), o = s[k + m], e = s[k];
            float2 q = (float2)(w.x * o.x - w.y * o.y, w.x * o.y + w.y * o.x);
            s[k] = e + q; s[k + m] = e - q;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = t; i < n; i += get_local_size(0)) dst[g * n + i] = s[i];
}
"""
    return src, [("fft", ("a", "b", Local(512 * 8), U(9)), (64 * 16,), (64,))], dict(a=ru(r, 16, 512, 2, lo=-1), b=np.zeros((16, 512, 2), F)), ("b",)

@sci("wavelet CDF 9/7 lifting of rows in local memory", tol=1e-3)
def _(r):
    src = """
#define A -1.586134342f
#define B -0.05298011854f
#define G 0.8829110762f
#define D 0.4435068522f
__kernel void cdf97(__global const float *in, __global float *out, int w, __local float *s)
{
    int y = get_group_id(0), l = get_local_id(0), n = get_local_size(0);
    for (int i = l; i < w; i += n) s[i] = in[y * w + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int st = 0; st < 4; st++) {
        float c = st == 0 ? A : st == 1 ? B : st == 2 ? G : D;
        int odd = !(st & 1);
        for (int i = 2 * l + odd; i < w; i += 2 * n) {
            float p = i > 0 ? s[i - 1] : s[1], q = i < w - 1 ? s[i + 1] : s[w - 2];
            s[i] += c * (p + q);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = l; i < w; i += n) out[y * w + (i & 1) * ((w + 1) / 2) + i / 2] = s[i] * ((i & 1) ? 1.1496f : 0.8698f);
}
"""
    return src, [("cdf97", ("a", "b", I(250), Local(1000)), (125 * 100,), (125,))], dict(a=ru(r, 100, 250), b=np.zeros((100, 250), F)), ("b",)

@sci("wavelet Haar 2-D, four outputs per item")
def _(r):
    src = """
__kernel void haar(__global const float *im, __global float *ll, __global float *lh, __global float *hl, __global float *hh, uint w, uint h)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= w / 2 || y >= h / 2) return;
    uint o = 2 * y * w + 2 * x, d = y * (w / 2) + x;
    float a = im[o], b = im[o + 1], c = im[o + w], e = im[o + w + 1];
    ll[d] = (a + b + c + e) * 0.5f; lh[d] = (a - b + c - e) * 0.5f; hl[d] = (a + b - c - e) * 0.5f; hh[d] = (a - b - c + e) * 0.5f;
}
"""
    w, h = 300, 202; z = np.zeros((101, 150), F)
    return src, [("haar", ("a", "l", "m", "n", "o", U(w), U(h)), (w // 2, h // 2))], dict(a=ru(r, h, w), l=z, m=z, n=z, o=z), ("l", "m", "n", "o")

@sci("IIR biquad cascade per channel", tol=1e-3)
def _(r):
    src = """
#define SECTIONS 4
kernel void biquad(global const float *x, global float *y, constant float *coef, int len, int ch)
{
    int c = get_global_id(0);
    if (c >= ch) return;
    float z1[SECTIONS], z2[SECTIONS];
    for (int s = 0; s < SECTIONS; s++) z1[s] = z2[s] = 0;
    for (int t = 0; t < len; t++) {
        float v = x[c * len + t];
        for (int s = 0; s < SECTIONS; s++) {
            constant float *k = coef + 5 * s;
            float o = k[0] * v + z1[s];
            z1[s] = k[1] * v - k[3] * o + z2[s];
            z2[s] = k[2] * v - k[4] * o;
            v = o;
        }
        y[c * len + t] = v;
    }
}
"""
    co = np.tile(np.array([.2, .3, .2, -.5, .2], F), 4)
    return src, [("biquad", ("x", "y", "k", I(300), I(200)), (256,), (64,))], dict(x=ru(r, 200, 300, lo=-1), y=np.zeros((200, 300), F), k=co), ("y",)

@sci("FIR with a ring of taps in local memory")
def _(r):
    src = """
#define TAPS 63
__kernel void fir(__global const float *x, __constant float *h, __global float *y, int n)
{
    __local float s[128 + TAPS - 1];
    int g = get_global_id(0), l = get_local_id(0);
    int base = get_group_id(0) * 128 - (TAPS - 1);
    for (int i = l; i < 128 + TAPS - 1; i += 128) { int k = base + i; s[i] = (k >= 0 && k < n) ? x[k] : 0.0f; }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g >= n) return;
    float a = 0;
    for (int t = 0; t < TAPS; t++) a += h[t] * s[l + TAPS - 1 - t];
    y[g] = a;
}
"""
    n = 40001
    return src, [("fir", ("x", "h", "y", I(n)), (up(n, 128),), (128,))], dict(x=ru(r, n), h=ru(r, 63), y=np.zeros(n, F)), ("y",)

@sci("beamforming, delay and sum, interpolated")
def _(r):
    src = """
__kernel void das(__global const float *rf, __global const float2 *elem, __global float *img, int nel, int ns, int w, int h, float pitch, float fs)
{
    int ix = get_global_id(0), iz = get_global_id(1);
    if (ix >= w || iz >= h) return;
    float x = (ix - w / 2) * pitch, z = (iz + 1) * pitch, s = 0;
    for (int e = 0; e < nel; e++) {
        float dx = x - elem[e].x, dz = z - elem[e].y;
        float d = (z + native_sqrt(dx * dx + dz * dz)) * fs;
        int k = (int)d;
        if (k < ns - 1) {
            float f = d - k;
            s += (1 - f) * rf[e * ns + k] + f * rf[e * ns + k + 1];
        }
    }
    img[iz * w + ix] = s;
}
"""
    el = np.zeros((32, 2), F); el[:, 0] = np.linspace(-16, 16, 32)
    return src, [("das", ("rf", "el", "im", I(32), I(600), I(90), I(110), F(.5), F(4)), (96, 112), (16, 16))], dict(rf=ru(r, 32, 600), el=el, im=np.zeros((110, 90), F)), ("im",)

# ---------------------------------------------------------------- images
@sci("bilateral 7x7, uchar, clamped coordinates", tol=.01)
def _(r):
    src = """
__kernel void bilateral(__global const uchar *src, __global uchar *dst, int w, int h, float is2, float ir2)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    float c = src[y * w + x], num = 0, den = 0;
    for (int j = -3; j <= 3; j++)
        for (int i = -3; i <= 3; i++) {
            int xx = min(max(x + i, 0), w - 1), yy = min(max(y + j, 0), h - 1);
            float v = src[yy * w + xx], d = v - c;
            float wt = native_exp(-(i * i + j * j) * is2 - d * d * ir2);
            num += wt * v; den += wt;
        }
    dst[y * w + x] = convert_uchar_sat_rte(num / den);
}
"""
    w, h = 170, 120
    return src, [("bilateral", ("s", "d", I(w), I(h), F(.1), F(.002)), (176, 120), (16, 8))], dict(s=r.integers(0, 256, (h, w)).astype(np.uint8), d=np.zeros((h, w), np.uint8)), ("d",)

@sci("non-local means, patch 3, window 9")
def _(r):
    src = """
__kernel void nlm(__global const float *in, __global float *out, const int W, const int H, const float h2)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < 5 || y < 5 || x >= W - 5 || y >= H - 5) return;
    float acc = 0.f, norm = 0.f;
    for (int dy = -4; dy <= 4; ++dy)
        for (int dx = -4; dx <= 4; ++dx) {
            float dist = 0.f;
            for (int py = -1; py <= 1; ++py)
                for (int px = -1; px <= 1; ++px) {
                    float d = in[(y + py) * W + x + px] - in[(y + dy + py) * W + x + dx + px];
                    dist += d * d;
                }
            float w = exp(-dist / h2);
            acc += w * in[(y + dy) * W + x + dx];
            norm += w;
        }
    out[y * W + x] = acc / norm;
}
"""
    w, h = 130, 90
    return src, [("nlm", ("a", "b", I(w), I(h), F(.3)), (w, h))], dict(a=ru(r, h, w), b=np.zeros((h, w), F)), ("b",)

@sci("median 3x3 by insertion sort, uchar", tol=0)
def _(r):
    src = """
__kernel void median3(__global const uchar *in, __global uchar *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) { if (x < w && y < h) out[y * w + x] = in[y * w + x]; return; }
    uchar v[9];
    int n = 0;
    for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) v[n++] = in[(y + j) * w + x + i];
    for (int i = 1; i < 9; i++) {
        uchar key = v[i];
        int j = i - 1;
        while (j >= 0 && v[j] > key) { v[j + 1] = v[j]; j--; }
        v[j + 1] = key;
    }
    out[y * w + x] = v[4];
}
"""
    w, h = 160, 120
    return src, [("median3", ("a", "b", I(w), I(h)), (w, h), (16, 16)[0:0] or (32, 4))], dict(a=r.integers(0, 256, (h, w)).astype(np.uint8), b=np.zeros((h, w), np.uint8)), ("b",)

@sci("Gaussian pyramid, uchar3 down by two", tol=.01)
def _(r):
    src = """
__constant int k[5] = {1, 4, 6, 4, 1};
kernel void down(global const uchar *s, global uchar *d, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1), dw = w / 2, dh = h / 2;
    if (x >= dw || y >= dh) return;
    int3 acc = (int3)(128);
    for (int j = 0; j < 5; j++) {
        int yy = clamp(2 * y + j - 2, 0, h - 1);
        for (int i = 0; i < 5; i++) {
            int xx = clamp(2 * x + i - 2, 0, w - 1);
            acc += k[i] * k[j] * convert_int3(vload3(yy * w + xx, s));
        }
    }
    vstore3(convert_uchar3(acc >> 8), y * dw + x, d);
}
"""
    w, h = 200, 150
    return src, [("down", ("a", "b", I(w), I(h)), (112, 80), (16, 16))], dict(a=r.integers(0, 256, (h, w, 3)).astype(np.uint8), b=np.zeros((h // 2, w // 2, 3), np.uint8)), ("b",)

@sci("Lucas-Kanade, windows of 9, border replicated", tol=1e-2, differ=.01)
def _(r):
    src = """
#define P(im, x, y) im[clamp(y, 0, h - 1) * w + clamp(x, 0, w - 1)]
__kernel void lk(__global const float *a, __global const float *b, __global float2 *flow, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    float xx = 0.01f, xy = 0, yy = 0.01f, xt = 0, yt = 0;
    for (int j = y - 4; j <= y + 4; j++)
        for (int i = x - 4; i <= x + 4; i++) {
            float gx = (P(a, i + 1, j) - P(a, i - 1, j)) * 0.5f;
            float gy = (P(a, i, j + 1) - P(a, i, j - 1)) * 0.5f;
            float gt = P(b, i, j) - P(a, i, j);
            xx += gx * gx; xy += gx * gy; yy += gy * gy; xt += gx * gt; yt += gy * gt;
        }
    float det = xx * yy - xy * xy;
    flow[y * w + x] = (float2)((xy * yt - yy * xt) / det, (xy * xt - xx * yt) / det);
}
"""
    w, h = 150, 100
    return src, [("lk", ("a", "b", "f", I(w), I(h)), (160, 112), (16, 16))], dict(a=ru(r, h, w), b=ru(r, h, w), f=np.zeros((h, w, 2), F)), ("f",)

@sci("Horn-Schunck iteration")
def _(r):
    src = """
float avg(__global const float *u, int x, int y, int w, int h) {
    int l = x > 0 ? x - 1 : 0, rr = x < w - 1 ? x + 1 : w - 1, t = y > 0 ? y - 1 : 0, b = y < h - 1 ? y + 1 : h - 1;
    return (u[y*w+l] + u[y*w+rr] + u[t*w+x] + u[b*w+x]) / 6.0f + (u[t*w+l] + u[t*w+rr] + u[b*w+l] + u[b*w+rr]) / 12.0f;
}
__kernel void hs(__global const float *Ix, __global const float *Iy, __global const float *It, __global const float *u0, __global const float *v0,
                 __global float *u, __global float *v, int w, int h, float a2)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h) {
        int i = y * w + x;
        float ub = avg(u0, x, y, w, h), vb = avg(v0, x, y, w, h);
        float q = (Ix[i] * ub + Iy[i] * vb + It[i]) / (a2 + Ix[i] * Ix[i] + Iy[i] * Iy[i]);
        u[i] = ub - Ix[i] * q;
        v[i] = vb - Iy[i] * q;
    }
}
"""
    w, h = 250, 180; s = (h, w)
    return src, [("hs", ("x", "y", "t", "a", "b", "u", "v", I(w), I(h), F(.5)), (256, 184), (32, 8))], dict(x=ru(r, *s), y=ru(r, *s), t=ru(r, *s), a=ru(r, *s), b=ru(r, *s), u=np.zeros(s, F), v=np.zeros(s, F)), ("u", "v")

@sci("Hough lines, global atomics", tol=0, restore=("acc",))
def _(r):
    src = """
__kernel void hough(__global const uchar *edges, __global int *acc, __constant float *ct, __constant float *st, int w, int h, int nt, int nr)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h || edges[y * w + x] == 0) return;
    for (int t = 0; t < nt; t++) {
        int rho = (int)floor(x * ct[t] + y * st[t] + 0.5f) + nr / 2;
        if (rho >= 0 && rho < nr) atomic_inc(&acc[t * nr + rho]);
    }
}
"""
    w, h, nt, nr = 160, 120, 60, 420; th = np.arange(nt) * np.pi / nt
    # whole and half angles avoid ties
    return src, [("hough", ("e", "acc", "c", "s", I(w), I(h), I(nt), I(nr)), (w, h))], \
        dict(e=(r.random((h, w)) < .05).astype(np.uint8), acc=np.zeros((nt, nr), I), c=(np.round(np.cos(th + .01) * 256) / 256).astype(F), s=(np.round(np.sin(th + .01) * 256) / 256).astype(F)), ("acc",)

@sci("histogram, local atomics, 256 bins", tol=0, restore=("h",))
def _(r):
    src = """
__kernel void hist(__global const uchar *px, __global uint *h, uint n)
{
    __local uint bins[256];
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&bins[px[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) atomic_add(&h[i], bins[i]);
}
"""
    n = 200000
    return src, [("hist", ("p", "h", U(n)), (2048,), (128,))], dict(p=np.minimum(r.exponential(40, n), 255).astype(np.uint8), h=np.zeros(256, U)), ("h",)

@sci("histogram 2-D joint, float bins, odd group", tol=0, restore=("h",))
def _(r):
    src = """
#define B 20
__kernel void joint(__global const float *a, __global const float *b, __global int *h, const int n)
{
    __local int loc[B * B];
    int l = get_local_id(0), s = get_local_size(0), i = get_global_id(0);
    for (int k = l; k < B * B; k += s) loc[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (i < n) {
        int p = clamp((int)(a[i] * B), 0, B - 1), q = clamp((int)(b[i] * B), 0, B - 1);
        atomic_add(loc + p * B + q, 1);
        i += get_global_size(0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = l; k < B * B; k += s) if (loc[k]) atomic_add(h + k, loc[k]);
}
"""
    n = 100003
    return src, [("joint", ("a", "b", "h", I(n)), (100 * 20,), (100,))], dict(a=ru(r, n), b=ru(r, n), h=np.zeros(400, I)), ("h",)

@sci("connected components, minimum of neighbours", tol=0, restore=("l",))
def _(r):
    src = """
__kernel void cc(__global const uchar *im, __global const int *l, __global int *o, int w, int h, __global int *changed)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    int p = y * w + x;
    if (!im[p]) { o[p] = -1; return; }
    int m = l[p];
    if (x > 0 && im[p - 1] && l[p - 1] < m) m = l[p - 1];
    if (x < w - 1 && im[p + 1] && l[p + 1] < m) m = l[p + 1];
    if (y > 0 && im[p - w] && l[p - w] < m) m = l[p - w];
    if (y < h - 1 && im[p + w] && l[p + w] < m) m = l[p + w];
    if (m < l[p]) *changed = 1;
    while (l[m] != m && l[m] >= 0 && l[m] < m) m = l[m];
    o[p] = m;
}
"""
    w, h = 180, 140; l = np.arange(w * h).astype(I)
    a = ("im", "l", "o", I(w), I(h), "c"); b = ("im", "o", "l", I(w), I(h), "c")
    return src, [("cc", k, (w, h)) for k in (a, b, a, b)], dict(im=(r.random((h, w)) < .6).astype(np.uint8), l=l, o=l.copy(), c=np.zeros(1, I)), ("l",)

@sci("seam carving, cumulative rows", tol=1e-4)
def _(r):
    src = """
__kernel void seam(__global const float *e, __global float *m, __global char *dir, int w, int h)
{
    int x = get_local_id(0), n = get_local_size(0);
    for (int i = x; i < w; i += n) m[i] = e[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int y = 1; y < h; y++) {
        __global const float *p = m + (y - 1) * w;
        for (int i = x; i < w; i += n) {
            float c = p[i], l = i > 0 ? p[i - 1] : INFINITY, rr = i < w - 1 ? p[i + 1] : INFINITY;
            char d = 0;
            if (l < c) { c = l; d = -1; }
            if (rr < c) { c = rr; d = 1; }
            m[y * w + i] = e[y * w + i] + c;
            dir[y * w + i] = d;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
"""
    w, h = 301, 200
    return src, [("seam", ("e", "m", "d", I(w), I(h)), (64,), (64,))], dict(e=ru(r, h, w), m=np.zeros((h, w), F), d=np.zeros((h, w), np.int8)), ("m", "d")

@sci("Canny: gradient, non-maximum suppression", tol=1e-3)
def _(r):
    src = """
kernel void sobel(global const float *im, global float *mag, global uchar *dir, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int p = y * w + x;
    float gx = im[p-w+1] + 2*im[p+1] + im[p+w+1] - im[p-w-1] - 2*im[p-1] - im[p+w-1];
    float gy = im[p+w-1] + 2*im[p+w] + im[p+w+1] - im[p-w-1] - 2*im[p-w] - im[p-w+1];
    mag[p] = hypot(gx, gy);
    float a = atan2(gy, gx) * 180 / M_PI_F;
    if (a < 0) a += 180;
    uchar d;
    if (a < 22.5f || a >= 157.5f) d = 0; else if (a < 67.5f) d = 45; else if (a < 112.5f) d = 90; else d = 135;
    dir[p] = d;
}
kernel void nms(global const float *mag, global const uchar *dir, global float *o, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    int p = y * w + x;
    float m = mag[p], a, b;
    switch (dir[p]) {
    case 0: a = mag[p - 1]; b = mag[p + 1]; break;
    case 45: a = mag[p - w + 1]; b = mag[p + w - 1]; break;
    case 90: a = mag[p - w]; b = mag[p + w]; break;
    default: a = mag[p - w - 1]; b = mag[p + w + 1]; break;
    }
    o[p] = (m <= a || m <= b) ? 0 : m;
}
"""
    w, h = 200, 150; z = np.zeros((h, w), F)
    return src, [("sobel", ("a", "m", "d", I(w), I(h)), (w, h)), ("nms", ("m", "d", "o", I(w), I(h)), (w, h))], dict(a=ru(r, h, w), m=z, d=np.zeros((h, w), np.uint8), o=z.copy()), ("m",)

@sci("CT back projection, linear interpolation", tol=1e-3)
def _(r):
    src = """
__kernel void backproject(__global const float *sino, __global float *img, __constant float2 *cs, int nang, int ndet, int n)
{
    int i = get_global_id(0), j = get_global_id(1);
    if (i >= n || j >= n) return;
    float x = i - 0.5f * n + 0.5f, y = j - 0.5f * n + 0.5f, s = 0;
    for (int a = 0; a < nang; a++) {
        float t = x * cs[a].x + y * cs[a].y + 0.5f * ndet - 0.5f;
        int k = (int)floor(t);
        if (k < 0 || k >= ndet - 1) continue;
        float f = t - k;
        s += sino[a * ndet + k] * (1 - f) + sino[a * ndet + k + 1] * f;
    }
    img[j * n + i] = s * M_PI_F / nang;
}
"""
    n, na, nd = 90, 45, 135; th = np.arange(na) * np.pi / na
    return src, [("backproject", ("s", "im", "cs", I(na), I(nd), I(n)), (96, 96), (8, 8))], dict(s=ru(r, na, nd), im=np.zeros((n, n), F), cs=np.stack([np.cos(th), np.sin(th)], 1).astype(F)), ("im",)

@sci("bicubic resize, float4 colours", tol=1e-3)
def _(r):
    src = """
static float cub(float t) { t = fabs(t); return t < 1 ? (1.5f * t - 2.5f) * t * t + 1 : t < 2 ? ((-0.5f * t + 2.5f) * t - 4) * t + 2 : 0; }
__kernel void bicubic(__global const float4 *in, __global float4 *out, int2 is, int2 os)
{
    int2 g = (int2)(get_global_id(0), get_global_id(1));
    if (any(g >= os)) return;
    float2 p = (convert_float2(g) + 0.5f) * convert_float2(is) / convert_float2(os) - 0.5f;
    float2 fl = floor(p), fr = p - fl;
    int2 b = convert_int2(fl);
    float4 s = 0;
    for (int j = -1; j <= 2; j++)
        for (int i = -1; i <= 2; i++) {
            int2 q = clamp(b + (int2)(i, j), (int2)(0), is - 1);
            s += in[q.y * is.x + q.x] * (cub(i - fr.x) * cub(j - fr.y));
        }
    out[g.y * os.x + g.x] = s;
}
"""
    vec = cl_int2
    return src, [("bicubic", ("a", "b", vec(90, 70), vec(150, 121)), (152, 128), (8, 16))], dict(a=ru(r, 70, 90, 4), b=np.zeros((121, 150, 4), F)), ("b",)

def cl_int2(x, y):
    import pyopencl.cltypes as t
    return t.make_int2(x, y)

# ---------------------------------------------------------------- rendering, noise
@sci("Perlin noise, fbm of five octaves, permutation table", tol=1e-3)
def _(r):
    src = """
float fade(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
float grad(int h, float x, float y, float z) {
    int q = h & 15;
    float u = q < 8 ? x : y, v = q < 4 ? y : (q == 12 || q == 14 ? x : z);
    return ((q & 1) ? -u : u) + ((q & 2) ? -v : v);
}
float noise(__global const int *p, float x, float y, float z) {
    int X = (int)floor(x) & 255, Y = (int)floor(y) & 255, Z = (int)floor(z) & 255;
    x -= floor(x); y -= floor(y); z -= floor(z);
    float u = fade(x), v = fade(y), w = fade(z);
    int A = p[X] + Y, AA = p[A] + Z, AB = p[A + 1] + Z, B = p[X + 1] + Y, BA = p[B] + Z, BB = p[B + 1] + Z;
    return mix(mix(mix(grad(p[AA], x, y, z), grad(p[BA], x - 1, y, z), u), mix(grad(p[AB], x, y - 1, z), grad(p[BB], x - 1, y - 1, z), u), v),
               mix(mix(grad(p[AA + 1], x, y, z - 1), grad(p[BA + 1], x - 1, y, z - 1), u), mix(grad(p[AB + 1], x, y - 1, z - 1), grad(p[BB + 1], x - 1, y - 1, z - 1), u), v), w);
}
__kernel void fbm(__global float *o, __global const int *p, int w, int h, float t)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    float s = 0, a = 0.5f, f = 0.031f;
    for (int k = 0; k < 5; k++) { s += a * noise(p, x * f, y * f, t * f); a *= 0.5f; f *= 2; }
    o[y * w + x] = s;
}
"""
    p = r.permutation(256); p = np.concatenate([p, p]).astype(I)
    return src, [("fbm", ("o", "p", I(125), I(101), F(7.3)), (128, 104), (32, 8))], dict(o=np.zeros((101, 125), F), p=p), ("o",)

@sci("Worley noise, hashed points", tol=1e-3, differ=.002)
def _(r):
    src = """
uint hash(uint x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x; }
__kernel void worley(__global float2 *o, int w, int h, float scale)
{
    size_t id = get_global_id(0);
    if (id >= (size_t)w * h) return;
    float x = (id % w) * scale, y = (id / w) * scale;
    int cx = (int)x, cy = (int)y;
    float f1 = 1e9f, f2 = 1e9f;
    for (int j = cy - 1; j <= cy + 1; j++)
        for (int i = cx - 1; i <= cx + 1; i++) {
            uint s = hash((uint)i * 374761393u + hash((uint)j));
            float px = i + (s & 0xffff) / 65536.0f, py = j + (s >> 16) / 65536.0f;
            float d = (px - x) * (px - x) + (py - y) * (py - y);
            if (d < f1) { f2 = f1; f1 = d; } else if (d < f2) f2 = d;
        }
    o[id] = (float2)(sqrt(f1), sqrt(f2));
}
"""
    return src, [("worley", ("o", I(150), I(133), F(.07)), (150 * 133,))], dict(o=np.zeros((133, 150, 2), F)), ("o",)

@sci("SDF sphere tracing, union of shapes, normals", tol=1e-2, differ=.02)
def _(r):
    src = """
float sdBox(float3 p, float3 b) { float3 d = fabs(p) - b; return fmin(fmax(d.x, fmax(d.y, d.z)), 0.0f) + length(fmax(d, 0.0f)); }
float sdTorus(float3 p, float2 t) { float2 q = (float2)(length(p.xz) - t.x, p.y); return length(q) - t.y; }
float map(float3 p) {
    float d = p.y + 1.0f;
    d = fmin(d, length(p - (float3)(0.8f, 0.0f, 0.3f)) - 0.7f);
    d = fmin(d, sdBox(p - (float3)(-0.9f, -0.2f, 0.0f), (float3)(0.5f)));
    return fmin(d, sdTorus(p - (float3)(0, 0.4f, -0.5f), (float2)(0.7f, 0.2f)));
}
__kernel void render(__global float *img, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    float3 ro = (float3)(0, 0.5f, -4), rd = normalize((float3)((2.0f * x - w) / h, (h - 2.0f * y) / h, 1.7f));
    float t = 0;
    int i;
    for (i = 0; i < 96; i++) {
        float d = map(ro + rd * t);
        if (d < 0.001f * t) break;
        t += d;
        if (t > 20.0f) break;
    }
    float c = 0;
    if (t < 20.0f) {
        float3 p = ro + rd * t;
        float e = 0.002f;
        float3 n = normalize((float3)(map(p + (float3)(e, 0, 0)) - map(p - (float3)(e, 0, 0)), map(p + (float3)(0, e, 0)) - map(p - (float3)(0, e, 0)),
                                      map(p + (float3)(0, 0, e)) - map(p - (float3)(0, 0, e))));
        c = fmax(dot(n, normalize((float3)(1, 2, -1))), 0.0f);
        float sh = 1;
        for (float s = 0.05f; s < 3.0f;) { float d = map(p + normalize((float3)(1, 2, -1)) * s); if (d < 0.001f) { sh = 0.2f; break; } s += d; }
        c *= sh;
    }
    img[y * w + x] = c;
}
"""
    return src, [("render", ("o", I(120), I(90)), (120, 90))], dict(o=np.zeros((90, 120), F)), ("o",)

@sci("ray tracing, spheres, reflections", tol=1e-2, differ=.02)
def _(r):
    src = """
typedef struct { float4 c; float4 col; } Sphere;
typedef struct { float3 o, d; } Ray;
int hit(__constant Sphere *s, int n, Ray r, float *t) {
    int best = -1;
    for (int i = 0; i < n; i++) {
        float3 oc = r.o - s[i].c.xyz;
        float b = dot(oc, r.d), c = dot(oc, oc) - s[i].c.w * s[i].c.w, d = b * b - c;
        if (d <= 0) continue;
        d = sqrt(d);
        float q = -b - d;
        if (q < 1e-3f) q = -b + d;
        if (q > 1e-3f && q < *t) { *t = q; best = i; }
    }
    return best;
}
__kernel void trace(__constant Sphere *s, __global float4 *img, int n, int w, int h)
{
    int id = get_global_id(0);
    if (id >= w * h) return;
    Ray r;
    r.o = (float3)(0, 0, -5);
    r.d = normalize((float3)((id % w - w * 0.5f) / h, (id / w - h * 0.5f) / h, 1));
    float3 col = 0, att = 1;
    for (int depth = 0; depth < 5; depth++) {
        float t = 1e20f;
        int i = hit(s, n, r, &t);
        if (i < 0) { col += att * (0.5f + 0.5f * r.d.y); break; }
        float3 p = r.o + t * r.d, nn = normalize(p - s[i].c.xyz);
        col += att * s[i].col.xyz * fmax(dot(nn, (float3)(0.577f, 0.577f, -0.577f)), 0.1f) * (1 - s[i].col.w);
        att *= s[i].col.w;
        r.o = p; r.d = r.d - 2 * dot(r.d, nn) * nn;
    }
    img[id] = (float4)(col, 1);
}
"""
    n = 20; s = np.zeros((n, 8), F); s[:, :3] = ru(r, n, 3, lo=-2, hi=2); s[:, 3] = ru(r, n, lo=.3, hi=.8); s[:, 4:] = ru(r, n, 4)
    return src, [("trace", ("s", "o", I(n), I(100), I(80)), (8000,), (64,))], dict(s=s, o=np.zeros((8000, 4), F)), ("o",)

@sci("BVH traversal, stack of structures, triangles", tol=1e-3, differ=.005)
def _(r):
    src = """
typedef struct { float lo[3]; int left; float hi[3]; int count; } Node;
__kernel void bvh(__global const Node *nodes, __global const float *tris, __global const float *rays, __global float *hits, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float3 o = vload3(2 * i, rays), d = vload3(2 * i + 1, rays);
    float3 inv = 1.0f / d;
    float best = 1e30f;
    int stack[32], sp = 0, cur = 0;
    for (;;) {
        Node nd = nodes[cur];
        float tx1 = (nd.lo[0] - o.x) * inv.x, tx2 = (nd.hi[0] - o.x) * inv.x;
        float tmin = fmin(tx1, tx2), tmax = fmax(tx1, tx2);
        float ty1 = (nd.lo[1] - o.y) * inv.y, ty2 = (nd.hi[1] - o.y) * inv.y;
        tmin = fmax(tmin, fmin(ty1, ty2)); tmax = fmin(tmax, fmax(ty1, ty2));
        float tz1 = (nd.lo[2] - o.z) * inv.z, tz2 = (nd.hi[2] - o.z) * inv.z;
        tmin = fmax(tmin, fmin(tz1, tz2)); tmax = fmin(tmax, fmax(tz1, tz2));
        if (tmax >= fmax(tmin, 0.0f) && tmin < best) {
            if (nd.count > 0) {
                for (int k = 0; k < nd.count; k++) {
                    __global const float *t = tris + 9 * (nd.left + k);
                    float3 a = vload3(0, t), e1 = vload3(1, t) - a, e2 = vload3(2, t) - a;
                    float3 p = cross(d, e2);
                    float det = dot(e1, p);
                    if (fabs(det) < 1e-9f) continue;
                    float id = 1 / det;
                    float3 s = o - a;
                    float u = dot(s, p) * id;
                    if (u < 0 || u > 1) continue;
                    float3 q = cross(s, e1);
                    float v = dot(d, q) * id;
                    if (v < 0 || u + v > 1) continue;
                    float tt = dot(e2, q) * id;
                    if (tt > 1e-4f && tt < best) best = tt;
                }
            } else {
                stack[sp++] = nd.left + 1;
                cur = nd.left;
                continue;
            }
        }
        if (sp == 0) break;
        cur = stack[--sp];
    }
    hits[i] = best;
}
"""
    nt = 600; c = r.random((nt, 1, 3)); tri = (c + .06 * r.standard_normal((nt, 3, 3)))
    nodes = []; order = []
    def build(ids, slot):
        lo, hi = tri[ids].min((0, 1)), tri[ids].max((0, 1))
        if len(ids) <= 4:
            nodes[slot] = (lo, len(order), hi, len(ids)); order.extend(ids); return
        ax = int(np.argmax(hi - lo)); ids = ids[np.argsort(tri[ids].mean(1)[:, ax])]; h = len(ids) // 2
        k = len(nodes); nodes.append(None); nodes.append(None); nodes[slot] = (lo, k, hi, 0)
        build(ids[:h], k); build(ids[h:], k + 1)
    nodes.append(None); build(np.arange(nt), 0)
    nd = np.zeros(len(nodes), np.dtype([("lo", F, 3), ("l", I), ("hi", F, 3), ("c", I)]))
    for i, q in enumerate(nodes): nd[i] = q
    w = 50; yy, xx = np.mgrid[0:w, 0:w] / w
    o = np.stack([xx, yy, np.full_like(xx, -2)], -1).reshape(-1, 3); d = np.concatenate([.1 * r.standard_normal((w * w, 2)), np.ones((w * w, 1))], 1)
    rays = np.stack([o, d], 1).astype(F)
    return src, [("bvh", ("n", "t", "r", "h", I(w * w)), (up(w * w, 64),), (64,))], dict(n=nd, t=tri[order].astype(F), r=rays, h=np.zeros(w * w, F)), ("h",)

# ---------------------------------------------------------------- random numbers
@sci("Monte Carlo Asian options, xorshift, Box-Muller", tol=1e-3)
def _(r):
    src = """
static uint rnd(uint *s) { uint x = *s; x ^= x << 13; x ^= x >> 17; x ^= x << 5; return *s = x; }
__kernel void asian(__global float *out, __global const uint *seed, int paths, int steps, float s0, float k, float mu, float vol)
{
    int g = get_global_id(0);
    uint st = seed[g];
    float sum = 0;
    for (int p = 0; p < paths; p++) {
        float s = s0, a = 0;
        for (int t = 0; t < steps; t++) {
            float u1 = (rnd(&st) >> 8) * (1.0f / 16777216.0f) + 1e-7f, u2 = (rnd(&st) >> 8) * (1.0f / 16777216.0f);
            float z = sqrt(-2.0f * log(u1)) * cos(6.2831853f * u2);
            s *= exp(mu + vol * z);
            a += s;
        }
        sum += fmax(a / steps - k, 0.0f);
    }
    out[g] = sum / paths;
}
"""
    n = 500
    return src, [("asian", ("o", "s", I(10), I(12), F(100), F(95), F(.001), F(.05)), (n,))], dict(o=np.zeros(n, F), s=r.integers(1, 2**32, n).astype(U)), ("o",)

@sci("Philox 4x32-10, uint4", tol=0)
def _(r):
    src = """
kernel void philox(global uint4 *o, uint2 key, uint n)
{
    uint i = get_global_id(0);
    if (i >= n) return;
    uint4 c = (uint4)(i, 0, 0, 0);
    uint2 k = key;
    for (int rd = 0; rd < 10; rd++) {
        uint h0 = mul_hi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = mul_hi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = (uint4)(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k += (uint2)(0x9E3779B9u, 0xBB67AE85u);
    }
    o[i] = c;
}
"""
    import pyopencl.cltypes as t
    n = 20001
    return src, [("philox", ("o", t.make_uint2(1, 2), U(n)), (up(n, 64),), (64,))], dict(o=np.zeros((n, 4), U)), ("o",)

@sci("Mersenne twister per work-item, state in global memory", tol=0, restore=("st",))
def _(r):
    src = """
#define NN 19
#define MM 9
__kernel void mt(__global uint *st, __global uint *out, int per, int threads)
{
    int id = get_global_id(0);
    if (id >= threads) return;
    int i = 0;
    for (int k = 0; k < per; k++) {
        int i1 = i + 1 < NN ? i + 1 : 0, im = i + MM < NN ? i + MM : i + MM - NN;
        uint y = (st[i * threads + id] & 0x80000000u) | (st[i1 * threads + id] & 0x7fffffffu);
        uint v = st[im * threads + id] ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0);
        st[i * threads + id] = v;
        v ^= v >> 11; v ^= (v << 7) & 0x9d2c5680u; v ^= (v << 15) & 0xefc60000u; v ^= v >> 18;
        out[k * threads + id] = v;
        i = i1;
    }
}
"""
    n = 500
    return src, [("mt", ("st", "o", I(60), I(n)), (512,), (128,))], dict(st=r.integers(0, 2**32, (19, n)).astype(U), o=np.zeros((60, n), U)), ("o",)

@sci("Mersenne twister per work-item, private state of 19 words", tol=0)
def _(r):
    src = """
#define MT_RNG_COUNT 64
#define NN 19
#define MM 9
__kernel void mersenne(__global float *d_Rand, __global const uint *a, int nPer)
{
    int g = get_global_id(0);
    int iState, iState1, iStateM, iOut;
    unsigned int mti, mti1, mtiM, x;
    unsigned int mt[NN];
    mt[0] = a[g];
    for (iState = 1; iState < NN; iState++) mt[iState] = 1812433253U * (mt[iState - 1] ^ (mt[iState - 1] >> 30)) + iState;
    iState = 0;
    mti1 = mt[0];
    for (iOut = 0; iOut < nPer; iOut++) {
        iState1 = iState + 1;
        iStateM = iState + MM;
        if (iState1 >= NN) iState1 -= NN;
        if (iStateM >= NN) iStateM -= NN;
        mti = mti1; mti1 = mt[iState1]; mtiM = mt[iStateM];
        x = (mti & 0x80000000u) | (mti1 & 0x7fffffffu);
        x = mtiM ^ (x >> 1) ^ ((x & 1) ? a[g] : 0);
        mt[iState] = x;
        iState = iState1;
        x ^= (x >> 12); x ^= (x << 7) & 0x9d2c5680u; x ^= (x << 15) & 0xefc60000u; x ^= (x >> 18);
        d_Rand[g + iOut * get_global_size(0)] = ((float)x + 1.0f) / 4294967296.0f;
    }
}
"""
    return src, [("mersenne", ("o", "a", I(100)), (1024,), (128,))], dict(o=np.zeros((100, 1024), F), a=r.integers(1, 2**32, 1024).astype(U)), ("o",)

@sci("Ising checkerboard, LCG per site", tol=0, restore=("s", "g"))
def _(r):
    src = """
__kernel void ising(__global char *s, __global uint *rng, int L, int colour, __constant float *boltz)
{
    int idx = get_global_id(0);
    if (idx >= L * L / 2) return;
    int y = idx / (L / 2), x = 2 * (idx % (L / 2)) + ((y + colour) & 1);
    int up = (y + L - 1) % L, dn = (y + 1) % L, lf = (x + L - 1) % L, rt = (x + 1) % L;
    int sum = s[up * L + x] + s[dn * L + x] + s[y * L + lf] + s[y * L + rt];
    int e = s[y * L + x] * sum;
    rng[idx] = rng[idx] * 1664525u + 1013904223u;
    float u = (rng[idx] >> 8) / 16777216.0f;
    if (e <= 0 || u < boltz[e]) s[y * L + x] = -s[y * L + x];
}
"""
    n = 150
    return src, [("ising", ("s", "g", I(n), I(c), "b"), (up(n * n // 2, 64),), (64,)) for c in (0, 1)], \
        dict(s=(r.integers(0, 2, (n, n)) * 2 - 1).astype(np.int8), g=r.integers(0, 2**32, n * n // 2).astype(U), b=np.exp(-np.arange(5) * .8).astype(F)), ("s",)

# ---------------------------------------------------------------- search, tables, graphs
@sci("k nearest of 8, insertion into private arrays", tol=1e-4)
def _(r):
    src = """
#define K 8
__kernel void knn(__global const float *ref, __global const float *qry, __global float *dist, __global int *ind, int nr, int nq, int dim)
{
    unsigned int x = get_global_id(0);
    if (x >= nq) return;
    float d[K]; int id[K];
    for (int k = 0; k < K; k++) { d[k] = MAXFLOAT; id[k] = -1; }
    for (int i = 0; i < nr; i++) {
        float s = 0;
        for (int c = 0; c < dim; c++) { float t = ref[c * nr + i] - qry[c * nq + x]; s += t * t; }
        if (s < d[K - 1]) {
            int j = K - 1;
            while (j > 0 && d[j - 1] > s) { d[j] = d[j - 1]; id[j] = id[j - 1]; --j; }
            d[j] = s; id[j] = i;
        }
    }
    for (int k = 0; k < K; k++) { dist[k * nq + x] = sqrt(d[k]); ind[k * nq + x] = id[k]; }
}
"""
    nr, nq, dm = 300, 600, 5
    return src, [("knn", ("r", "q", "d", "i", I(nr), I(nq), I(dm)), (640,), (128,))], dict(r=ru(r, dm, nr), q=ru(r, dm, nq), d=np.zeros((8, nq), F), i=np.zeros((8, nq), I)), ("d",)

@sci("k-d tree nearest neighbour, explicit stack", tol=1e-4)
def _(r):
    src = """
typedef struct { float x, y, z; int axis; } KD;
__kernel void nearest(__global const KD *t, __global const float4 *q, __global float *out, int n, int m)
{
    int i = get_global_id(0);
    if (i >= m) return;
    float4 p = q[i];
    float best = 1e30f;
    int st[24]; float sd[24];
    int sp = 0;
    st[sp] = 0; sd[sp++] = 0;
    while (sp) {
        --sp;
        int k = st[sp];
        if (sd[sp] >= best) continue;
        while (k < n) {
            KD nd = t[k];
            float dx = nd.x - p.x, dy = nd.y - p.y, dz = nd.z - p.z;
            float d = dx * dx + dy * dy + dz * dz;
            if (d < best) best = d;
            float diff = nd.axis == 0 ? -dx : nd.axis == 1 ? -dy : -dz;
            int near = 2 * k + (diff < 0 ? 1 : 2), far = 2 * k + (diff < 0 ? 2 : 1);
            if (diff * diff < best && far < n) { st[sp] = far; sd[sp++] = diff * diff; }
            k = near;
        }
    }
    out[i] = sqrt(best);
}
"""
    n = 2**12 - 1; pts = r.random((n, 3)); t = np.zeros(n, np.dtype([("p", F, 3), ("a", I)]))
    def b(ids, k, ax):
        if not len(ids): return
        ids = ids[np.argsort(pts[ids, ax])]; h = len(ids) // 2; t[k] = (pts[ids[h]], ax)
        b(ids[:h], 2 * k + 1, (ax + 1) % 3); b(ids[h + 1:], 2 * k + 2, (ax + 1) % 3)
    b(np.arange(n), 0, 0)
    q = np.zeros((1500, 4), F); q[:, :3] = r.random((1500, 3))
    return src, [("nearest", ("t", "q", "o", I(n), I(1500)), (1536,), (64,))], dict(t=t, q=q, o=np.zeros(1500, F)), ("o",)

@sci("Voronoi by jump flooding", tol=0, restore=("a",), differ=.01)
def _(r):
    src = """
__kernel void jfa(__global const int *in, __global int *out, __global const float2 *seed, int w, int h, int step)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    int best = in[y * w + x];
    float bd = best < 0 ? INFINITY : distance(seed[best], (float2)(x, y));
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            int u = x + i * step, v = y + j * step;
            if (u < 0 || v < 0 || u >= w || v >= h) continue;
            int s = in[v * w + u];
            if (s < 0) continue;
            float d = distance(seed[s], (float2)(x, y));
            if (d < bd) { bd = d; best = s; }
        }
    out[y * w + x] = best;
}
"""
    w, h, n = 140, 100, 60; sd = np.stack([r.random(n) * w, r.random(n) * h], 1).astype(F); a = np.full((h, w), -1, I)
    for i, (x, y) in enumerate(sd.astype(int)): a[y, x] = i
    L_ = []; p, q = "a", "b"
    for s in (64, 32, 16, 8, 4, 2, 1): L_.append(("jfa", (p, q, "s", I(w), I(h), I(s)), (w, h))); p, q = q, p
    return src, L_, dict(a=a, b=a.copy(), s=sd), (p,)

@sci("dynamic time warping, work-item per series", tol=1e-3)
def _(r):
    src = """
#define N 48
__kernel void dtw(__global const float *a, __global const float *b, __global float *o, int count)
{
    int id = get_global_id(0);
    if (id >= count) return;
    float prev[N + 1], cur[N + 1];
    prev[0] = 0;
    for (int j = 1; j <= N; j++) prev[j] = INFINITY;
    for (int i = 0; i < N; i++) {
        cur[0] = INFINITY;
        float x = a[i];
        for (int j = 1; j <= N; j++) {
            float c = fabs(x - b[(j - 1) * count + id]);
            cur[j] = c + fmin(prev[j - 1], fmin(prev[j], cur[j - 1]));
        }
        for (int j = 0; j <= N; j++) prev[j] = cur[j];
    }
    o[id] = prev[N];
}
"""
    n = 300
    return src, [("dtw", ("a", "b", "o", I(n)), (n,))], dict(a=ru(r, 48), b=ru(r, 48, n), o=np.zeros(n, F)), ("o",)

@sci("Smith-Waterman, diagonals in one group", tol=0)
def _(r):
    src = """
__kernel void sw(__global const char *a, __global const char *b, __global int *best, int n, int m, __local int *buf)
{
    int t = get_local_id(0), g = get_group_id(0);
    __global const char *A = a + g * n, *B = b + g * m;
    __local int *p2 = buf, *p1 = buf + n + 1, *c = buf + 2 * (n + 1), *mx = buf + 3 * (n + 1);
    for (int i = t; i <= n; i += get_local_size(0)) p2[i] = p1[i] = c[i] = 0;
    int local_best = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 2; d <= n + m; d++) {
        int lo = max(1, d - m), hi = min(n, d - 1);
        for (int i = lo + t; i <= hi; i += get_local_size(0)) {
            int j = d - i;
            int s = p2[i - 1] + (A[i - 1] == B[j - 1] ? 3 : -2);
            s = max(max(s, 0), max(p1[i - 1], p1[i]) - 1);
            c[i] = s;
            local_best = max(local_best, s);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        __local int *x = p2; p2 = p1; p1 = c; c = x;
        if (t == 0) c[0] = 0;
    }
    mx[t] = local_best;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) { int q = 0; for (int i = 0; i < (int)get_local_size(0); i++) q = max(q, mx[i]); best[g] = q; }
}
"""
    n, m, g = 60, 70, 30
    return src, [("sw", ("a", "b", "o", I(n), I(m), Local(4 * (3 * (n + 1) + 32))), (32 * g,), (32,))], dict(a=r.integers(0, 4, (g, n)).astype(np.int8), b=r.integers(0, 4, (g, m)).astype(np.int8), o=np.zeros(g, I)), ("o",)

@sci("knapsack rows, ping pong in local memory", tol=0)
def _(r):
    src = """
__kernel void knap(__global const int *w, __global const int *v, __global int *out, int items, int cap, __local int *row)
{
    int l = get_local_id(0), s = get_local_size(0), g = get_group_id(0), stride = cap + 1;
    __local int *cur = row, *nxt = row + stride;
    for (int c = l; c <= cap; c += s) cur[c] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < items; i++) {
        int wi = w[g * items + i], vi = v[g * items + i];
        for (int c = l; c <= cap; c += s) {
            int best = cur[c];
            if (c >= wi) best = max(best, cur[c - wi] + vi);
            nxt[c] = best;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        __local int *t = cur; cur = nxt; nxt = t;
    }
    if (l == 0) out[g] = cur[cap];
}
"""
    g, n, c = 20, 40, 500
    return src, [("knap", ("w", "v", "o", I(n), I(c), Local(8 * (c + 1))), (64 * g,), (64,))], dict(w=r.integers(1, 60, (g, n)).astype(I), v=r.integers(1, 90, (g, n)).astype(I), o=np.zeros(g, I)), ("o",)

@sci("edit distance, one string per item, uchar", tol=0)
def _(r):
    src = """
__kernel void lev(__constant uchar *q, int qn, __global const uchar *words, __global const int *off, __global int *dist, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    int b = off[i], len = off[i + 1] - b;
    int col[33];
    for (int k = 0; k <= qn; k++) col[k] = k;
    for (int j = 0; j < len; j++) {
        int diag = col[0];
        col[0] = j + 1;
        uchar c = words[b + j];
        for (int k = 1; k <= qn; k++) {
            int up = col[k];
            int cost = diag + (q[k - 1] != c);
            col[k] = min(min(col[k - 1] + 1, up + 1), cost);
            diag = up;
        }
    }
    dist[i] = col[qn];
}
"""
    n = 1500; ln = r.integers(3, 14, n); off = np.concatenate([[0], np.cumsum(ln)]).astype(I)
    return src, [("lev", ("q", I(9), "w", "f", "d", I(n)), (n,))], dict(q=r.integers(97, 105, 9).astype(np.uint8), w=r.integers(97, 105, off[-1]).astype(np.uint8), f=off, d=np.zeros(n, I)), ("d",)

@sci("triangle counting by merging lists", tol=0)
def _(r):
    src = """
__kernel void tri(__global const int *ptr, __global const int *adj, __global int *cnt, int n)
{
    int u = get_global_id(0);
    if (u >= n) return;
    int c = 0;
    for (int e = ptr[u]; e < ptr[u + 1]; e++) {
        int v = adj[e];
        if (v <= u) continue;
        int i = ptr[u], ie = ptr[u + 1], j = ptr[v], je = ptr[v + 1];
        while (i < ie && j < je) {
            int a = adj[i], b = adj[j];
            if (a == b) { c += a > v; i++; j++; }
            else if (a < b) i++;
            else j++;
        }
    }
    cnt[u] = c;
}
"""
    n = 700; m = np.triu(r.random((n, n)) < .03, 1); m = m | m.T
    p = np.concatenate([[0], np.cumsum(m.sum(1))]).astype(I); adj = np.nonzero(m)[1].astype(I)
    return src, [("tri", ("p", "a", "c", I(n)), (704,), (64,))], dict(p=p, a=adj, c=np.zeros(n, I)), ("c",)

@sci("SSSP Bellman-Ford, pull, float", tol=1e-5, restore=("d0",))
def _(r):
    src = """
kernel void relax(global const int *ptr, global const int *src, global const float *w, global const float *d, global float *o, int n)
{
    int v = get_global_id(0);
    if (v < n) {
        float m = d[v];
        for (int e = ptr[v]; e < ptr[v + 1]; e++) m = fmin(m, d[src[e]] + w[e]);
        o[v] = m;
    }
}
"""
    n = 5000; dg = r.integers(1, 20, n); p = np.concatenate([[0], np.cumsum(dg)]).astype(I); d = np.full(n, 1e9, F); d[:50] = 0
    return src, [("relax", ("p", "s", "w", "d0", "d1", I(n)), (n,)), ("relax", ("p", "s", "w", "d1", "d0", I(n)), (n,))], \
        dict(p=p, s=r.integers(0, n, p[-1]).astype(I), w=ru(r, p[-1]), d0=d, d1=d.copy()), ("d0",)

@sci("ODE adaptive RKF45, van der Pol, double", tol=1e-5)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
void f(double mu, double x, double y, double *a, double *b) { *a = y; *b = mu * (1 - x * x) * y - x; }
__kernel void vdp(__global const double *mus, __global double2 *o, __global int *steps, int n, double T, double tol)
{
    int i = get_global_id(0);
    if (i >= n) return;
    double mu = mus[i], x = 2, y = 0, t = 0, h = 0.01;
    int cnt = 0;
    while (t < T && cnt < 2000) {
        if (t + h > T) h = T - t;
        double k1x, k1y, k2x, k2y, k3x, k3y, k4x, k4y;
        f(mu, x, y, &k1x, &k1y);
        f(mu, x + 0.5 * h * k1x, y + 0.5 * h * k1y, &k2x, &k2y);
        f(mu, x + 0.75 * h * k2x, y + 0.75 * h * k2y, &k3x, &k3y);
        double nx = x + h * (2 * k1x + 3 * k2x + 4 * k3x) / 9, ny = y + h * (2 * k1y + 3 * k2y + 4 * k3y) / 9;
        f(mu, nx, ny, &k4x, &k4y);
        double ex = h * (-5 * k1x / 72 + k2x / 12 + k3x / 9 - k4x / 8), ey = h * (-5 * k1y / 72 + k2y / 12 + k3y / 9 - k4y / 8);
        double err = sqrt(ex * ex + ey * ey);
        cnt++;
        if (err < tol) { t += h; x = nx; y = ny; }
        double s = err > 0 ? 0.9 * cbrt(tol / err) : 2.0;
        h *= fmin(2.0, fmax(0.3, s));
    }
    o[i] = (double2)(x, y);
    steps[i] = cnt;
}
"""
    n = 300
    return src, [("vdp", ("m", "o", "s", I(n), D(3), D(1e-5)), (n,))], dict(m=ru(r, n, lo=.5, hi=5, t=D), o=np.zeros((n, 2)), s=np.zeros(n, I)), ("o",)

@sci("particlefilter likelihood, index arrays", tol=1e-3)
def _(r):
    src = """
__kernel void likelihood(__global const float *ax, __global const float *ay, __global const int *objxy, __global int *ind, __global const uchar *I, __global float *lik,
                         const int Nparticles, const int countOnes, const int max_size, const int IszY, const int Nfr)
{
    size_t i = get_global_id(0);
    if (i < Nparticles) {
        for (int y = 0; y < countOnes; y++) {
            int indX = round(ax[i]) + objxy[y * 2 + 1];
            int indY = round(ay[i]) + objxy[y * 2];
            ind[i * countOnes + y] = abs(indX * IszY * Nfr + indY * Nfr);
            if (ind[i * countOnes + y] >= max_size) ind[i * countOnes + y] = 0;
        }
        float s = 0;
        for (int x = 0; x < countOnes; x++)
            s += (pown((float)(I[ind[i * countOnes + x]] - 100), 2) - pown((float)(I[ind[i * countOnes + x]] - 228), 2)) / 50.0f;
        lik[i] = s / countOnes;
    }
}
"""
    n, ones = 1000, 69
    return src, [("likelihood", ("x", "y", "o", "ind", "I", "l", I(n), I(ones), I(128 * 128 * 10), I(128), I(10)), (1024,), (128,))], \
        dict(x=ru(r, n, lo=20, hi=100), y=ru(r, n, lo=20, hi=100), o=r.integers(-5, 6, (ones, 2)).astype(I), ind=np.zeros((n, ones), I), I=r.integers(0, 256, 128 * 128 * 10).astype(np.uint8), l=np.zeros(n, F)), ("l",)

@sci("catmull-rom and cubic splines at random positions, binary search", tol=1e-3)
def _(r):
    src = """
__kernel void spline(__global const float *x, __global const float4 *coef, __global const float *q, __global float *o, uint n, uint m)
{
    uint i = get_global_id(0);
    if (i >= m) return;
    float t = q[i];
    uint lo = 0, hi = n - 1;
    while (hi - lo > 1) { uint mid = (lo + hi) >> 1; if (x[mid] > t) hi = mid; else lo = mid; }
    float d = t - x[lo];
    float4 c = coef[lo];
    o[i] = c.x + d * (c.y + d * (c.z + d * c.w));
}
"""
    n, m = 1000, 20000
    return src, [("spline", ("x", "c", "q", "o", U(n), U(m)), (m,))], dict(x=np.sort(ru(r, n)), c=ru(r, n, 4), q=ru(r, m), o=np.zeros(m, F)), ("o",)

@sci("trilinear volume sampling, ray march, transfer function", tol=1e-2)
def _(r):
    src = """
float vox(__global const uchar *v, int n, int x, int y, int z) { return v[(z * n + y) * n + x] * (1.0f / 255); }
__kernel void march(__global const uchar *v, __constant float4 *tf, __global float4 *o, int n, int w, int h)
{
    int px = get_global_id(0), py = get_global_id(1);
    if (px >= w || py >= h) return;
    float3 pos = (float3)((px + 0.5f) * (n - 1) / w, (py + 0.5f) * (n - 1) / h, 0), dir = (float3)(0.05f, 0.03f, 0.7f);
    float4 acc = 0;
    while (pos.x < n - 1 && pos.y < n - 1 && pos.z < n - 1 && acc.w < 0.97f) {
        int x = pos.x, y = pos.y, z = pos.z;
        float a = pos.x - x, b = pos.y - y, c = pos.z - z;
        float s = mix(mix(mix(vox(v,n,x,y,z), vox(v,n,x+1,y,z), a), mix(vox(v,n,x,y+1,z), vox(v,n,x+1,y+1,z), a), b),
                      mix(mix(vox(v,n,x,y,z+1), vox(v,n,x+1,y,z+1), a), mix(vox(v,n,x,y+1,z+1), vox(v,n,x+1,y+1,z+1), a), b), c);
        float4 col = tf[(int)(s * 15.99f)];
        acc.xyz += (1 - acc.w) * col.w * col.xyz;
        acc.w += (1 - acc.w) * col.w;
        pos += dir;
    }
    o[py * w + px] = acc;
}
"""
    n, w, h = 40, 70, 60
    return src, [("march", ("v", "t", "o", I(n), I(w), I(h)), (80, 64), (16, 16))], dict(v=r.integers(0, 256, (n, n, n)).astype(np.uint8), t=(ru(r, 16, 4) * .15).astype(F), o=np.zeros((h, w, 4), F)), ("o",)

@sci("marching cubes count, corners in an array", tol=0)
def _(r):
    src = """
__kernel void classify(__global const float *f, __global const uchar *table, __global uint *n, int dx, int dy, int dz, float iso)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= dx - 1 || y >= dy - 1 || z >= dz - 1) return;
    float c[8];
    int b = (z * dy + y) * dx + x;
    c[0] = f[b]; c[1] = f[b + 1]; c[2] = f[b + 1 + dx]; c[3] = f[b + dx];
    b += dx * dy;
    c[4] = f[b]; c[5] = f[b + 1]; c[6] = f[b + 1 + dx]; c[7] = f[b + dx];
    uint idx = 0;
    for (int i = 0; i < 8; i++) idx |= (c[i] < iso) << i;
    n[(z * (dy - 1) + y) * (dx - 1) + x] = table[idx];
}
"""
    s = (30, 35, 45)
    return src, [("classify", ("f", "t", "n", I(45), I(35), I(30), F(.5)), (48, 36, 32), (8, 4, 4))], dict(f=ru(r, *s), t=r.integers(0, 6, 256).astype(np.uint8), n=np.zeros((29, 34, 44), U)), ("n",)

@sci("exclusive scan, 3 kernels, group of 200", tol=0)
def _(r):
    src = """
__kernel void scan1(__global const int *in, __global int *out, __global int *sums, int n)
{
    __local int t[2][200];
    int l = get_local_id(0), g = get_global_id(0), p = 0;
    t[0][l] = g < n ? in[g] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = 1; o < 200; o *= 2) {
        t[1 - p][l] = l >= o ? t[p][l] + t[p][l - o] : t[p][l];
        p = 1 - p;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (g < n) out[g] = l ? t[p][l - 1] : 0;
    if (l == 199) sums[get_group_id(0)] = t[p][l];
}
__kernel void scan2(__global int *s, int n) { if (get_global_id(0) == 0) { int a = 0; for (int i = 0; i < n; i++) { int v = s[i]; s[i] = a; a += v; } } }
__kernel void scan3(__global int *o, __global const int *s, int n) { int g = get_global_id(0); if (g < n) o[g] += s[get_group_id(0)]; }
"""
    n = 30001; g = up(n, 200)
    return src, [("scan1", ("i", "o", "s", I(n)), (g,), (200,)), ("scan2", ("s", I(g // 200)), (1,)), ("scan3", ("o", "s", I(n)), (g,), (200,))], dict(i=r.integers(0, 9, n).astype(I), o=np.zeros(n, I), s=np.zeros(g // 200, I)), ("o",)

@sci("Viterbi, states as work-items, 48 states", tol=1e-4)
def _(r):
    src = """
#define S 48
kernel void viterbi(global const float *logA, global const float *logB, global const int *obs, global float *out, global uchar *back, int T, int M)
{
    local float p[2][S];
    int j = get_local_id(0), g = get_group_id(0);
    p[0][j] = logB[j * M + obs[g * T]];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 1; t < T; t++) {
        float best = -INFINITY; int arg = 0;
        for (int i = 0; i < S; i++) { float v = p[(t - 1) & 1][i] + logA[i * S + j]; if (v > best) { best = v; arg = i; } }
        p[t & 1][j] = best + logB[j * M + obs[g * T + t]];
        back[(g * T + t) * S + j] = arg;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g * S + j] = p[(T - 1) & 1][j];
}
"""
    T, M, g = 40, 10, 20
    return src, [("viterbi", ("a", "b", "o", "out", "bk", I(T), I(M)), (48 * g,), (48,))], dict(a=np.log(ru(r, 48, 48) + .01), b=np.log(ru(r, 48, M) + .01), o=r.integers(0, M, (g, T)).astype(I), out=np.zeros((g, 48), F), bk=np.zeros((g, T, 48), np.uint8)), ("out",)

@sci("CRC32 and Adler of packets, byte tables", tol=0)
def _(r):
    src = """
__kernel void crc(__global const uchar *d, __global const int *off, __constant uint *tab, __global uint2 *o, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    uint c = 0xffffffffu, a = 1, b = 0;
    for (int k = off[i]; k < off[i + 1]; k++) {
        uchar v = d[k];
        c = tab[(c ^ v) & 0xff] ^ (c >> 8);
        a = (a + v) % 65521; b = (b + a) % 65521;
    }
    o[i] = (uint2)(~c, (b << 16) | a);
}
"""
    n = 600; ln = r.integers(20, 200, n); off = np.concatenate([[0], np.cumsum(ln)]).astype(I)
    tab = []
    for i in range(256):
        c = i
        for _ in range(8): c = (c >> 1) ^ (0xEDB88320 if c & 1 else 0)
        tab.append(c)
    return src, [("crc", ("d", "f", "t", "o", I(n)), (640,), (64,))], dict(d=r.integers(0, 256, off[-1]).astype(np.uint8), f=off, t=np.array(tab, U), o=np.zeros((n, 2), U)), ("o",)

@sci("JPEG blocks: DCT 8x8 in private memory, zigzag", tol=0, differ=.001)
def _(r):
    src = """
__constant uchar zz[64] = {0,1,8,16,9,2,3,10,17,24,32,25,18,11,4,5,12,19,26,33,40,48,41,34,27,20,13,6,7,14,21,28,35,42,49,56,57,50,43,36,29,22,15,23,30,37,44,51,58,59,52,45,38,31,39,46,53,60,61,54,47,55,62,63};
void dct8(float *v, int s) {
    float t[8];
    for (int k = 0; k < 8; k++) {
        float a = 0;
        for (int n = 0; n < 8; n++) a += v[n * s] * cos(M_PI_F / 8 * (n + 0.5f) * k);
        t[k] = a * (k ? 0.5f : 0.35355339f);
    }
    for (int k = 0; k < 8; k++) v[k * s] = t[k];
}
__kernel void jpeg(__global const uchar *im, __global short *o, __constant float *q, int w, int bw, int nb)
{
    int b = get_global_id(0);
    if (b >= nb) return;
    int x = (b % bw) * 8, y = (b / bw) * 8;
    float v[64];
    for (int j = 0; j < 8; j++) for (int i = 0; i < 8; i++) v[j * 8 + i] = im[(y + j) * w + x + i] - 128.0f;
    for (int j = 0; j < 8; j++) dct8(v + j * 8, 1);
    for (int i = 0; i < 8; i++) dct8(v + i, 8);
    for (int k = 0; k < 64; k++) o[b * 64 + k] = convert_short_rte(v[zz[k]] / q[zz[k]]);
}
"""
    w, h = 160, 120
    return src, [("jpeg", ("a", "o", "q", I(w), I(20), I(300)), (320,), (64,))], dict(a=r.integers(0, 256, (h, w)).astype(np.uint8), o=np.zeros((300, 64), np.int16), q=ru(r, 64, lo=3, hi=40)), ("o",)

@sci("k-means assignment and local partial sums", tol=1e-3)
def _(r):
    src = """
#define K 10
#define D 3
__kernel void assign(__global const float *p, __global const float *c, __global int *who, __global float *part, int n)
{
    __local float lc[K * D];
    int l = get_local_id(0), g = get_global_id(0);
    if (l < K * D) lc[l] = c[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g >= n) return;
    float best = FLT_MAX; int w = 0;
    for (int k = 0; k < K; k++) {
        float s = 0;
        for (int d = 0; d < D; d++) { float t = p[g * D + d] - lc[k * D + d]; s += t * t; }
        if (s < best) { best = s; w = k; }
    }
    who[g] = w;
    part[g] = best;
}
"""
    n = 20011
    return src, [("assign", ("p", "c", "w", "q", I(n)), (up(n, 96),), (96,))], dict(p=ru(r, n, 3), c=ru(r, 10, 3), w=np.zeros(n, I), q=np.zeros(n, F)), ("q",)

@sci("Euler flux, Roe, structure of arrays, double", tol=1e-7)
def _(r):
    src = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void roe(__global const double *rho, __global const double *mu, __global const double *en, __global double *f0, __global double *f1, __global double *f2, int n)
{
    const double g = 1.4;
    int i = get_global_id(0);
    if (i >= n - 1) return;
    double rl = rho[i], rr = rho[i + 1], ul = mu[i] / rl, ur = mu[i + 1] / rr;
    double pl = (g - 1) * (en[i] - 0.5 * rl * ul * ul), pr = (g - 1) * (en[i + 1] - 0.5 * rr * ur * ur);
    double hl = (en[i] + pl) / rl, hr = (en[i + 1] + pr) / rr;
    double sl = sqrt(rl), sr = sqrt(rr), u = (sl * ul + sr * ur) / (sl + sr), h = (sl * hl + sr * hr) / (sl + sr);
    double c = sqrt((g - 1) * (h - 0.5 * u * u)), dr = rr - rl, du = ur - ul, dp = pr - pl, rm = sl * sr;
    double a1 = (dp - rm * c * du) / (2 * c * c), a2 = dr - dp / (c * c), a3 = (dp + rm * c * du) / (2 * c * c);
    double l1 = fabs(u - c), l2 = fabs(u), l3 = fabs(u + c);
    if (l1 < 0.1 * c) l1 = 0.5 * (l1 * l1 / (0.1 * c) + 0.1 * c);
    if (l3 < 0.1 * c) l3 = 0.5 * (l3 * l3 / (0.1 * c) + 0.1 * c);
    f0[i] = 0.5 * (rl * ul + rr * ur - (l1 * a1 + l2 * a2 + l3 * a3));
    f1[i] = 0.5 * (rl * ul * ul + pl + rr * ur * ur + pr - (l1 * a1 * (u - c) + l2 * a2 * u + l3 * a3 * (u + c)));
    f2[i] = 0.5 * (ul * (en[i] + pl) + ur * (en[i + 1] + pr) - (l1 * a1 * (h - u * c) + l2 * a2 * 0.5 * u * u + l3 * a3 * (h + u * c)));
}
"""
    n = 10001; z = np.zeros(n)
    return src, [("roe", ("r", "m", "e", "a", "b", "c", I(n)), (n,))], dict(r=1 + r.random(n), m=r.random(n), e=3 + r.random(n), a=z, b=z.copy(), c=z.copy()), ("a", "b", "c")

@sci("unstructured finite volume, faces gathered per cell", tol=1e-4)
def _(r):
    src = """
typedef struct { int nb[4]; float nx[4]; float ny[4]; float len[4]; } Faces;
__kernel void cells(__global const Faces *fc, __global const float4 *q, __global float4 *res, const int n)
{
    const int c = get_global_id(0);
    if (c >= n) return;
    float4 me = q[c], sum = (float4)(0);
    for (int f = 0; f < 4; f++) {
        int o = fc[c].nb[f];
        float4 r = o < 0 ? (float4)(me.x, -me.y, -me.z, me.w) : q[o];
        float nx = fc[c].nx[f], ny = fc[c].ny[f];
        float ul = (me.y * nx + me.z * ny) / me.x, ur = (r.y * nx + r.z * ny) / r.x;
        float4 fl = ul * me, fr = ur * r;
        float a = fmax(fabs(ul), fabs(ur)) + 1.0f;
        sum += (0.5f * (fl + fr) - 0.5f * a * (r - me)) * fc[c].len[f];
    }
    res[c] = sum;
}
"""
    n = 5000; fc = np.zeros(n, np.dtype([("nb", I, 4), ("nx", F, 4), ("ny", F, 4), ("l", F, 4)]))
    nb = (np.arange(n)[:, None] + r.integers(-80, 80, (n, 4))); nb[(nb < 0) | (nb >= n)] = -1
    fc["nb"] = nb; fc["nx"] = ru(r, n, 4); fc["ny"] = ru(r, n, 4); fc["l"] = ru(r, n, 4)
    return src, [("cells", ("f", "q", "o", I(n)), (up(n, 64),), (64,))], dict(f=fc, q=ru(r, n, 4, lo=1, hi=2), o=np.zeros((n, 4), F)), ("o",)

@sci("particle in cell: weights gathered, bilinear, push", tol=1e-3)
def _(r):
    src = """
__kernel void push(__global float *px, __global float *py, __global float *vx, __global float *vy, __global const float2 *E, float dt, int nx, int ny, int n, __global float4 *o)
{
    int i = get_global_id(0);
    if (i >= n) return;
    float x = px[i], y = py[i];
    int ix = (int)x, iy = (int)y;
    float fx = x - ix, fy = y - iy;
    int ip = ix + 1 == nx ? 0 : ix + 1, jp = iy + 1 == ny ? 0 : iy + 1;
    float2 e = (1 - fx) * (1 - fy) * E[iy * nx + ix] + fx * (1 - fy) * E[iy * nx + ip] + (1 - fx) * fy * E[jp * nx + ix] + fx * fy * E[jp * nx + ip];
    float ux = vx[i] + dt * e.x, uy = vy[i] + dt * e.y;
    x = fmod(x + dt * ux + nx, (float)nx); y = fmod(y + dt * uy + ny, (float)ny);
    o[i] = (float4)(x, y, ux, uy);
}
"""
    n, nx, ny = 10000, 64, 48
    return src, [("push", ("x", "y", "u", "v", "E", F(.1), I(nx), I(ny), I(n), "o"), (n,))], dict(x=ru(r, n, hi=63.9), y=ru(r, n, hi=47.9), u=ru(r, n, lo=-1), v=ru(r, n, lo=-1), E=ru(r, ny, nx, 2, lo=-1), o=np.zeros((n, 4), F)), ("o",)

def _sweep(S):
    @sci(f"zz viterbi {S}")
    def _(r):
        src = VIT.replace("48", str(S))
        T, M, g = 40, 10, max(2, 8000 // S // S)
        return src, [("viterbi", ("a", "b", "o", "out", "bk", I(T), I(M)), (S * g,), (S,))], dict(a=np.log(ru(r, S, S) + .01), b=np.log(ru(r, S, M) + .01), o=r.integers(0, M, (g, T)).astype(I), out=np.zeros((g, S), F), bk=np.zeros((g, T, S), np.uint8)), ("out",)
    @sci(f"zz forward {S}", tol=1e-3)
    def _(r):
        src = """
kernel void forward(global const float *A, global const float *B, global float *out, int S, int T, local float *p)
{
    int j = get_local_id(0), g = get_group_id(0);
    p[j] = 1.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 0; t < T; t++) {
        float s = 0;
        for (int i = 0; i < S; i++) s += p[i] * A[i * S + j];
        s *= B[(g * T + t) * S + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        p[j] = s;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g * S + j] = p[j];
}
"""
        T, g = 40, max(2, 8000 // S // S)
        return src, [("forward", ("a", "b", "out", I(S), I(T), Local(4 * S)), (S * g,), (S,))], dict(a=ru(r, S, S) * F(2 / S), b=ru(r, g, T, S), out=np.zeros((g, S), F)), ("out",)
    @sci(f"zz distances {S}", tol=1e-3)
    def _(r):
        src = """
// nearest prototype with a group's own query in local memory; prototypes column-wise
kernel void nearest(global const float *P, global const float *q, global float *d, int n, int dim, local float *t)
{
    int l = get_local_id(0), s = get_local_size(0), g = get_group_id(0);
    for (int k = l; k < dim; k += s) t[k] = q[g * dim + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0, big = 0;
    for (int k = 0; k < dim; k++) { float e = fabs(P[k * n + l] - t[k]); sum += e * e; big = fmax(big, e); }
    d[g * n + l] = sqrt(sum) + big;
}
"""
        g, dim = max(4, 20000 // S), 60
        return src, [("nearest", ("p", "q", "d", I(S), I(dim), Local(4 * dim)), (S * g,), (S,))], dict(p=ru(r, dim, S), q=ru(r, g, dim), d=np.zeros((g, S), F)), ("d",)

VIT = """
kernel void viterbi(global const float *logA, global const float *logB, global const int *obs, global float *out, global uchar *back, int T, int M)
{
    local float p[2][48];
    int j = get_local_id(0), g = get_group_id(0);
    p[0][j] = logB[j * M + obs[g * T]];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 1; t < T; t++) {
        float best = -INFINITY; int arg = 0;
        for (int i = 0; i < 48; i++) { float v = p[(t - 1) & 1][i] + logA[i * 48 + j]; if (v > best) { best = v; arg = i; } }
        p[t & 1][j] = best + logB[j * M + obs[g * T + t]];
        back[(g * T + t) * 48 + j] = arg;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g * 48 + j] = p[(T - 1) & 1][j];
}
"""
for S_ in (32, 64, 128, 256): _sweep(S_)
