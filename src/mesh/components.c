// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Components across sides by a breadth-first walk that carries the orientation along; components
// through vertices by a union of vertices.
#include "mesh/components.h"
#include "base/memory.h"
#include "mesh/disjoint_sets.h"

// 1 if the side's vertices, in the element's own order, are an odd permutation of ascending order.
static int side_parity(const int* elements, int corners, int side) {
    const int* element = elements + (size_t)(side / corners) * (size_t)corners;
    if (corners == 3) {
        int edge[2];
        pl_triangle_edge(element, side % 3, edge);
        return edge[0] > edge[1];
    }
    int face[3];
    pl_tet_face(element, side % 4, face);
    return (face[0] > face[1]) ^ (face[0] > face[2]) ^ (face[1] > face[2]);
}

bool pl_sides_agree(const int* elements, int corners, int side, int neighbour_side) {
    return side_parity(elements, corners, side) != side_parity(elements, corners, neighbour_side);
}

// Everything reachable from the first element gets its component and orientation.
static void walk(const int* elements, int corners, const int* neighbours, int first,
                 pl_components* out, int* queue) {
    int head = 0, tail = 0;
    queue[tail++] = first;
    out->component[first] = out->count;
    out->orientation[first] = 1;
    while (head < tail) {
        int e = queue[head++];
        for (int side = e * corners; side < (e + 1) * corners; side++) {
            int across = neighbours[side];
            if (across < 0) continue;
            int other = across / corners;
            bool agree = pl_sides_agree(elements, corners, side, across);
            signed char wanted = agree ? out->orientation[e] : (signed char)-out->orientation[e];
            if (out->component[other] < 0) {
                out->component[other] = out->count;
                out->orientation[other] = wanted;
                queue[tail++] = other;
            } else if (out->orientation[other] != wanted && out->twisted_side < 0)
                out->twisted_side = side;
        }
    }
}

pl_status pl_components_create(const int* elements, int element_count, int corners,
                               const int* neighbours, pl_components* out, pl_error* error) {
    *out = (pl_components){.element_count = element_count, .twisted_side = -1};
    out->component = PL_ALLOC(int, element_count);
    out->orientation = PL_ALLOC(signed char, element_count);
    int* queue = PL_ALLOC(int, element_count);
    bool ready = element_count == 0 || (out->component && out->orientation && queue);
    if (ready) {
        for (int e = 0; e < element_count; e++) out->component[e] = -1;
        for (int e = 0; e < element_count; e++)
            if (out->component[e] < 0) {
                walk(elements, corners, neighbours, e, out, queue);
                out->count++;
            }
    } else pl_components_free(out);
    PL_FREE(queue, int, element_count);
    return ready ? PL_OK : pl_fail_memory(error, "the components of a mesh");
}

void pl_components_free(pl_components* components) {
    PL_FREE(components->component, int, components->element_count);
    PL_FREE(components->orientation, signed char, components->element_count);
    *components = (pl_components){.twisted_side = -1};
}

pl_status pl_vertex_components(const int* elements, int element_count, int corners,
                               int vertex_count, int* component, int* count, pl_error* error) {
    *count = 0;
    int* parent = PL_ALLOC(int, vertex_count);
    int* number = PL_ALLOC(int, vertex_count);
    bool ready = vertex_count == 0 || (parent && number);
    if (ready) {
        for (int v = 0; v < vertex_count; v++) parent[v] = v, number[v] = -1;
        for (int e = 0; e < element_count; e++)
            for (int k = 1; k < corners; k++) {
                const int* element = elements + (size_t)e * (size_t)corners;
                pl_set_join(parent, element[0], element[k]);
            }
        for (int e = 0; e < element_count; e++) {
            int root = pl_set_root(parent, elements[(size_t)e * (size_t)corners]);
            if (number[root] < 0) number[root] = (*count)++;
            if (component) component[e] = number[root];
        }
    }
    PL_FREE(parent, int, vertex_count);
    PL_FREE(number, int, vertex_count);
    return ready ? PL_OK : pl_fail_memory(error, "the components of a mesh");
}
