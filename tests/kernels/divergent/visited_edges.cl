// A step of a search in a graph: edges lead to nodes, of which those count that were not visited.
//! launch: 32 / 8
//! launch: 15 / 5
//! sizes: any
//! arg first: arange(G[0] + 1, dtype=int32) * 3
//! arg edges: small_ints(3 * G[0], int32, 0, 20)
//! arg visited: small_ints(20, int32, 0, 2)
//! arg cost: zeros(3 * G[0], int32)
//! arg found: zeros(G[0], int32)
//| for i in range(G[0]):
//|     for e in range(3 * i, 3 * i + 3):
//|         if not visited[edges[e]]:
//|             cost[e] = edges[e] + 1
//|             found[i] = e
kernel void visited_edges(global const int *first, global const int *edges, global const int *visited,
                          global int *cost, global int *found) {
    int i = get_global_id(0);
    for (int e = first[i]; e < first[i + 1]; e++) {
        int node = edges[e];
        if (!visited[node]) {
            cost[e] = node + 1;
            found[i] = e;
        }
    }
}
