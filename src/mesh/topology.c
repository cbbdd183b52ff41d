// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Everything here uses one table: the edges, sides or whole elements of a mesh as sorted tuples of
// vertices, bucketed by the first vertex and sorted within the bucket, so that equal ones are
// adjacent.
#include "mesh/topology.h"
#include "base/memory.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

// Which corners make up the simplices of an element.
typedef struct pattern {
    int corners;      // of the element
    int simplices;    // per element
    int size;         // corners of a simplex
    bool proper_only; // leave out elements that name a vertex twice, not just such simplices
    signed char pick[6][4];
} pattern;

static const pattern triangle_edges = {3, 3, 2, false, {{0, 1}, {0, 2}, {1, 2}}};
static const pattern tet_edges = {4, 6, 2, false, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
static const pattern triangle_sides = {3, 3, 2, true, {{1, 2}, {2, 0}, {0, 1}}};
static const pattern tet_sides = {4, 4, 3, true, {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
static const pattern whole_triangle = {3, 1, 3, true, {{0, 1, 2}}};
static const pattern whole_tet = {4, 1, 4, true, {{0, 1, 2, 3}}};

// A simplex as two numbers to compare: its vertices after the first one, then its id.
typedef struct simplex {
    uint64_t high, low; // second and third vertex; fourth vertex and id
} simplex;

typedef struct table {
    int vertex_count;
    int simplex_count;
    int* offsets; // of the simplices by their first vertex
    simplex* simplices;
} table;

static void table_free(table* t) {
    PL_FREE(t->offsets, int, (size_t)t->vertex_count + 1);
    PL_FREE(t->simplices, simplex, t->simplex_count);
    *t = (table){0};
}

static int simplex_id(const simplex* s) { return (int)(s->low & UINT32_MAX); }
static int second_vertex(const simplex* s) { return (int)(s->high >> 32); }
static bool same_vertices(const simplex* a, const simplex* b) {
    return a->high == b->high && a->low >> 32 == b->low >> 32;
}
static bool is_before(simplex a, simplex b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

// The sorted vertices of one simplex, padded with zero; false if two are equal.
static bool pick_sorted(const int* element, const pattern* p, int which, int v[4]) {
    v[2] = v[3] = 0;
    for (int i = 0; i < p->size; i++) {
        int vertex = element[p->pick[which][i]], at = i;
        for (; at > 0 && v[at - 1] > vertex; at--) v[at] = v[at - 1];
        if (at > 0 && v[at - 1] == vertex) return false;
        v[at] = vertex;
    }
    return true;
}

// Visits every valid simplex in order; called once to count and once to place them.
static void scan_elements(const int* elements, int element_count, const pattern* p, table* t,
                          bool place) {
    for (int e = 0; e < element_count; e++) {
        const int* element = elements + (size_t)e * (size_t)p->corners;
        if (p->proper_only && pl_names_twice(element, p->corners)) continue;
        for (int k = 0; k < p->simplices; k++) {
            int v[4];
            if (!pick_sorted(element, p, k, v)) continue;
            if (place) {
                uint64_t id = (uint64_t)(e * p->simplices + k);
                t->simplices[t->offsets[v[0]]++] =
                    (simplex){(uint64_t)v[1] << 32 | (uint64_t)v[2], (uint64_t)v[3] << 32 | id};
            } else t->offsets[v[0] + 1]++;
        }
    }
}

static void sift_down(simplex* s, int root, int count) {
    simplex moving = s[root];
    for (int child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_before(s[child], s[child + 1])) child++;
        if (!is_before(moving, s[child])) break;
        s[root] = s[child];
    }
    s[root] = moving;
}

// Insertion sort for short buckets; heap sort for a vertex with very many neighbours.
static void sort_simplices(simplex* s, int count) {
    if (count <= 48) {
        for (int i = 1; i < count; i++) {
            simplex moving = s[i];
            int at = i;
            for (; at > 0 && is_before(moving, s[at - 1]); at--) s[at] = s[at - 1];
            s[at] = moving;
        }
        return;
    }
    for (int i = count / 2 - 1; i >= 0; i--) sift_down(s, i, count);
    for (int end = count - 1; end > 0; end--) {
        simplex top = s[0];
        s[0] = s[end];
        s[end] = top;
        sift_down(s, 0, end);
    }
}

static pl_status table_create(const int* elements, int element_count, const pattern* p,
                              int vertex_count, table* t, pl_error* error) {
    *t = (table){.vertex_count = vertex_count};
    if (element_count > INT_MAX / (p->simplices * p->size))
        return pl_fail(error, PL_ERROR_LIMIT,
                       "%d elements are more than the topology can number (at most %d)",
                       element_count, INT_MAX / (p->simplices * p->size));
    t->offsets = PL_ALLOC(int, (size_t)vertex_count + 1);
    if (!t->offsets) return pl_fail_memory(error, "the topology of a mesh");
    scan_elements(elements, element_count, p, t, false);
    for (int v = 0; v < vertex_count; v++) t->offsets[v + 1] += t->offsets[v];
    t->simplex_count = t->offsets[vertex_count];
    t->simplices = PL_ALLOC(simplex, t->simplex_count);
    if (t->simplex_count && !t->simplices) {
        t->simplex_count = 0;
        table_free(t);
        return pl_fail_memory(error, "the topology of a mesh");
    }
    scan_elements(elements, element_count, p, t, true);
    // placing has advanced each offset to the start of the next bucket
    memmove(t->offsets + 1, t->offsets, (size_t)vertex_count * sizeof(int));
    t->offsets[0] = 0;
    for (int v = 0; v < vertex_count; v++)
        sort_simplices(t->simplices + t->offsets[v], t->offsets[v + 1] - t->offsets[v]);
    return PL_OK;
}

// The end of the group of equal simplices that begins at i and may reach to `end`.
static int group_end(const table* t, int i, int end) {
    int next = i + 1;
    while (next < end && same_vertices(&t->simplices[i], &t->simplices[next])) next++;
    return next;
}

static int count_groups(const table* t) {
    int count = 0;
    for (int v = 0; v < t->vertex_count; v++)
        for (int i = t->offsets[v]; i < t->offsets[v + 1]; i = group_end(t, i, t->offsets[v + 1]))
            count++;
    return count;
}

bool pl_adjacency_alloc(pl_adjacency* adjacency, int count, int item_count) {
    *adjacency = (pl_adjacency){.count = count};
    adjacency->offsets = PL_ALLOC(int, (size_t)count + 1);
    if (!adjacency->offsets) return false;
    adjacency->items = PL_ALLOC(int, item_count);
    if (item_count && !adjacency->items) {
        pl_adjacency_free(adjacency);
        return false;
    }
    return true;
}

void pl_adjacency_free(pl_adjacency* adjacency) {
    int item_count = adjacency->items ? adjacency->offsets[adjacency->count] : 0;
    PL_FREE(adjacency->items, int, item_count);
    PL_FREE(adjacency->offsets, int, (size_t)adjacency->count + 1);
    *adjacency = (pl_adjacency){0};
}

static void fill_edges(const table* t, pl_edges* out) {
    int edge = 0;
    for (int i = 0; i < out->element_edge_count; i++) out->element_edges[i] = -1;
    for (int v = 0; v < t->vertex_count; v++)
        for (int i = t->offsets[v]; i < t->offsets[v + 1]; edge++) {
            int next = group_end(t, i, t->offsets[v + 1]);
            out->ends[2 * (size_t)edge] = v;
            out->ends[2 * (size_t)edge + 1] = second_vertex(&t->simplices[i]);
            for (; i < next; i++) out->element_edges[simplex_id(&t->simplices[i])] = edge;
        }
}

pl_status pl_edges_create(const int* elements, int element_count, int corners, int vertex_count,
                          pl_edges* out, pl_error* error) {
    *out = (pl_edges){0};
    const pattern* p = corners == 4 ? &tet_edges : &triangle_edges;
    table t;
    pl_status status = table_create(elements, element_count, p, vertex_count, &t, error);
    if (status != PL_OK) return status;
    int count = count_groups(&t), element_edge_count = element_count * p->simplices;
    out->ends = PL_ALLOC(int, 2 * (size_t)count);
    if (out->ends) out->count = count;
    out->element_edges = PL_ALLOC(int, element_edge_count);
    if (out->element_edges) out->element_edge_count = element_edge_count;
    if (out->count < count || out->element_edge_count < element_edge_count) {
        pl_edges_free(out);
        status = pl_fail_memory(error, "the edges of a mesh");
    } else fill_edges(&t, out);
    table_free(&t);
    return status;
}

void pl_edges_free(pl_edges* edges) {
    PL_FREE(edges->ends, int, 2 * (size_t)edges->count);
    PL_FREE(edges->element_edges, int, edges->element_edge_count);
    *edges = (pl_edges){0};
}

pl_status pl_vertex_neighbours(const pl_edges* edges, int vertex_count, pl_adjacency* out,
                               pl_error* error) {
    *out = (pl_adjacency){0};
    if (edges->count > INT_MAX / 2)
        return pl_fail(error, PL_ERROR_LIMIT, "%d edges are more than can be listed", edges->count);
    if (!pl_adjacency_alloc(out, vertex_count, 2 * edges->count))
        return pl_fail_memory(error, "the neighbours of vertices");
    for (int i = 0; i < 2 * edges->count; i++) out->offsets[edges->ends[i] + 1]++;
    for (int v = 0; v < vertex_count; v++) out->offsets[v + 1] += out->offsets[v];
    // edges are in ascending order, so each list becomes ascending if the smaller ends go first
    for (int i = 0; i < edges->count; i++) {
        int a = edges->ends[2 * i], b = edges->ends[2 * i + 1];
        out->items[out->offsets[a]++] = b;
        out->items[out->offsets[b]++] = a;
    }
    memmove(out->offsets + 1, out->offsets, (size_t)vertex_count * sizeof(int));
    out->offsets[0] = 0;
    return PL_OK;
}

static void fill_side_groups(const table* t, pl_side_groups* out) {
    int group = 0, placed = 0;
    for (int i = 0; i < out->side_count; i++) out->group_of_side[i] = -1;
    for (int v = 0; v < t->vertex_count; v++)
        for (int i = t->offsets[v]; i < t->offsets[v + 1]; group++) {
            int next = group_end(t, i, t->offsets[v + 1]);
            for (; i < next; i++) {
                int side = simplex_id(&t->simplices[i]);
                out->group_of_side[side] = group;
                out->groups.items[placed++] = side;
            }
            out->groups.offsets[group + 1] = placed;
        }
}

pl_status pl_side_groups_create(const int* elements, int element_count, int corners,
                                int vertex_count, pl_side_groups* out, pl_error* error) {
    *out = (pl_side_groups){0};
    const pattern* p = corners == 4 ? &tet_sides : &triangle_sides;
    table t;
    pl_status status = table_create(elements, element_count, p, vertex_count, &t, error);
    if (status != PL_OK) return status;
    int side_count = element_count * corners;
    out->group_of_side = PL_ALLOC(int, side_count);
    if (out->group_of_side) out->side_count = side_count;
    if (out->side_count < side_count ||
        !pl_adjacency_alloc(&out->groups, count_groups(&t), t.simplex_count)) {
        pl_side_groups_free(out);
        status = pl_fail_memory(error, "the sides of a mesh");
    } else fill_side_groups(&t, out);
    table_free(&t);
    return status;
}

void pl_side_groups_free(pl_side_groups* sides) {
    pl_adjacency_free(&sides->groups);
    PL_FREE(sides->group_of_side, int, sides->side_count);
    *sides = (pl_side_groups){0};
}

int pl_edge_pair_count(const pl_side_groups* sides) {
    int pair_count = 0;
    for (int g = 0; g < sides->groups.count; g++) {
        int n = sides->groups.offsets[g + 1] - sides->groups.offsets[g];
        pair_count += n * (n - 1) / 2;
    }
    return pair_count;
}

void pl_side_neighbours(const pl_side_groups* sides, int* neighbours) {
    const pl_adjacency* groups = &sides->groups;
    for (int side = 0; side < sides->side_count; side++) {
        int group = sides->group_of_side[side];
        int first = group < 0 ? 0 : groups->offsets[group];
        int size = group < 0 ? 0 : groups->offsets[group + 1] - first;
        neighbours[side] = size == 0   ? PL_SIDE_NONE
                           : size == 1 ? PL_SIDE_BOUNDARY
                           : size > 2  ? PL_SIDE_NON_MANIFOLD
                                       : groups->items[first] + groups->items[first + 1] - side;
    }
}

pl_status pl_first_of_equal_elements(const int* elements, int element_count, int corners,
                                     int vertex_count, int* first, pl_error* error) {
    const pattern* p = corners == 4 ? &whole_tet : &whole_triangle;
    table t;
    pl_status status = table_create(elements, element_count, p, vertex_count, &t, error);
    if (status != PL_OK) return status;
    for (int e = 0; e < element_count; e++) first[e] = e;
    for (int v = 0; v < vertex_count; v++)
        for (int i = t.offsets[v]; i < t.offsets[v + 1];) {
            int next = group_end(&t, i, t.offsets[v + 1]);
            int lowest = simplex_id(&t.simplices[i]);
            for (; i < next; i++) first[simplex_id(&t.simplices[i])] = lowest;
        }
    table_free(&t);
    return PL_OK;
}

// ---- sides that only one tet has

enum { VERTEX_BLOCK = 1024 };

typedef struct lone_job {
    const int* tets;
    const pl_adjacency* around; // tets of each vertex
    unsigned char* lone;
    atomic_bool out_of_memory;
} lone_job;

// lists the faces at v whose other vertices are above it; returns their number
static int list_faces(const lone_job* job, int v, simplex* faces) {
    int count = 0;
    for (int i = job->around->offsets[v]; i < job->around->offsets[v + 1]; i++) {
        int t = job->around->items[i];
        const int* tet = job->tets + 4 * (size_t)t;
        for (int k = 0; k < 4; k++) {
            int sorted[4];
            if (tet[k] == v || !pick_sorted(tet, &tet_sides, k, sorted) || sorted[0] != v) continue;
            faces[count++] = (simplex){(uint64_t)sorted[1] << 32 | (uint64_t)sorted[2],
                                       (uint64_t)t * 4 + (uint64_t)k};
        }
    }
    return count;
}

static void lone_task(int begin, int end, int worker, void* user) {
    (void)worker;
    lone_job* job = user;
    int most = 0;
    for (int v = begin; v < end; v++) {
        int count = job->around->offsets[v + 1] - job->around->offsets[v];
        most = count > most ? count : most;
    }
    if (most == 0) return;
    simplex* faces = PL_ALLOC(simplex, 3 * (size_t)most);
    if (!faces) {
        atomic_store(&job->out_of_memory, true);
        return;
    }
    for (int v = begin; v < end; v++) {
        int count = list_faces(job, v, faces);
        sort_simplices(faces, count);
        for (int i = 0; i < count;) {
            int next = i + 1;
            while (next < count && faces[next].high == faces[i].high) next++;
            if (next == i + 1) job->lone[faces[i].low] = 1;
            i = next;
        }
    }
    PL_FREE(faces, simplex, 3 * (size_t)most);
}

pl_status pl_lone_sides(pl_pool* pool, const int* tets, int tet_count, int vertex_count,
                        unsigned char* lone, pl_error* error) {
    pl_adjacency around;
    pl_status status =
        pl_vertex_elements_by(pool, tets, tet_count, 4, vertex_count, &around, error);
    if (status != PL_OK) return status;
    memset(lone, 0, 4 * (size_t)tet_count);
    lone_job job = {.tets = tets, .around = &around, .lone = lone};
    pl_parallel_for(pool, lone_task, vertex_count, VERTEX_BLOCK, &job);
    pl_adjacency_free(&around);
    return atomic_load(&job.out_of_memory) ? pl_fail_memory(error, "the sides of a mesh") : PL_OK;
}
