// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Reverse Cuthill-McKee (Cuthill and McKee 1969; reversed: George 1971) from a pseudo-peripheral
// vertex (George and Liu 1979), one component after the other in the order of their lowest
// vertices.
#include "mesh/reorder.h"
#include "base/memory.h"

#include <string.h>

void pl_ordering_free(pl_ordering* ordering) {
    PL_FREE(ordering->new_of_old, int, ordering->count);
    PL_FREE(ordering->old_of_new, int, ordering->count);
    *ordering = (pl_ordering){0};
}

static bool alloc_ordering(int count, pl_ordering* out) {
    *out = (pl_ordering){.count = count};
    out->new_of_old = PL_ALLOC(int, count);
    out->old_of_new = PL_ALLOC(int, count);
    if (count == 0 || (out->new_of_old && out->old_of_new)) return true;
    pl_ordering_free(out);
    return false;
}

static void invert(pl_ordering* ordering) {
    for (int i = 0; i < ordering->count; i++) ordering->new_of_old[ordering->old_of_new[i]] = i;
}

// ---- reverse Cuthill-McKee

enum { MAX_ROUNDS = 8 }; // three or four are usual

typedef struct search {
    const pl_adjacency* graph;
    int* queue; // of one component
    int* marks; // the number of the last search that met a vertex
    int number; // of this search
} search;

static int degree(const pl_adjacency* graph, int v) {
    return graph->offsets[v + 1] - graph->offsets[v];
}

// breadth-first search from start into queue; returns the count, the number of levels and where the
// last one begins
static int search_levels(search* s, int start, int* level_count, int* last_level) {
    const pl_adjacency* g = s->graph;
    int count = 1, begin = 0;
    s->number++;
    s->queue[0] = start;
    s->marks[start] = s->number;
    for (*level_count = 0; begin < count; ++*level_count) {
        int end = count;
        *last_level = begin;
        for (int i = begin; i < end; i++)
            for (int k = g->offsets[s->queue[i]]; k < g->offsets[s->queue[i] + 1]; k++) {
                int w = g->items[k];
                if (s->marks[w] == s->number) continue;
                s->marks[w] = s->number;
                s->queue[count++] = w;
            }
        begin = end;
    }
    return count;
}

static int least_degree(const pl_adjacency* graph, const int* vertices, int count) {
    int best = vertices[0];
    for (int i = 1; i < count; i++)
        if (degree(graph, vertices[i]) < degree(graph, best)) best = vertices[i];
    return best;
}

// a vertex from which the component is about as deep as possible
static int peripheral_vertex(search* s, int start) {
    int level_count, last_level, deepest = 0;
    int count = search_levels(s, start, &level_count, &last_level);
    int candidate = start;
    for (int round = 0; round < MAX_ROUNDS && level_count > deepest; round++) {
        deepest = level_count;
        start = candidate;
        candidate = least_degree(s->graph, s->queue + last_level, count - last_level);
        search_levels(s, candidate, &level_count, &last_level);
    }
    return start;
}

static bool comes_before(const pl_adjacency* graph, int a, int b) {
    int degree_a = degree(graph, a), degree_b = degree(graph, b);
    return degree_a < degree_b || (degree_a == degree_b && a < b);
}

// Shell sort: as fast as insertion for the usual dozen, and still fast for a vertex with many
// neighbours
static void sort_by_degree(const pl_adjacency* graph, int* vertices, int count) {
    int gap = 1;
    while (gap < count / 9) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int i = gap; i < count; i++) {
            int v = vertices[i], j = i;
            for (; j >= gap && comes_before(graph, v, vertices[j - gap]); j -= gap)
                vertices[j] = vertices[j - gap];
            vertices[j] = v;
        }
}

// Cuthill-McKee: breadth-first, with the neighbours of each vertex by increasing degree. Numbers
// start at `done`; new_of_old is -1 for vertices without one.
static int number_component(const pl_adjacency* g, int start, int done, pl_ordering* o) {
    int end = done + 1;
    o->old_of_new[done] = start;
    o->new_of_old[start] = done;
    for (int i = done; i < end; i++) {
        int v = o->old_of_new[i], first = end;
        for (int k = g->offsets[v]; k < g->offsets[v + 1]; k++) {
            int w = g->items[k];
            if (o->new_of_old[w] >= 0) continue;
            o->new_of_old[w] = end;
            o->old_of_new[end++] = w;
        }
        sort_by_degree(g, o->old_of_new + first, end - first);
    }
    return end;
}

pl_status pl_order_rcm(const pl_adjacency* graph, pl_ordering* out, pl_error* error) {
    int count = graph->count;
    search s = {.graph = graph};
    s.queue = PL_ALLOC(int, count);
    s.marks = PL_ALLOC(int, count);
    bool done = alloc_ordering(count, out) && (count == 0 || (s.queue && s.marks));
    if (done) {
        for (int v = 0; v < count; v++) out->new_of_old[v] = -1;
        int numbered = 0;
        for (int v = 0; v < count; v++)
            if (out->new_of_old[v] < 0)
                numbered = number_component(graph, peripheral_vertex(&s, v), numbered, out);
        for (int i = 0, j = count - 1; i < j; i++, j--) {
            int keep = out->old_of_new[i];
            out->old_of_new[i] = out->old_of_new[j];
            out->old_of_new[j] = keep;
        }
        invert(out);
    } else {
        pl_ordering_free(out);
    }
    PL_FREE(s.queue, int, count);
    PL_FREE(s.marks, int, count);
    return done ? PL_OK : pl_fail_memory(error, "an ordering");
}

int pl_bandwidth(const pl_adjacency* graph, const pl_ordering* ordering) {
    int width = 0;
    for (int v = 0; v < graph->count; v++)
        for (int k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
            int a = v, b = graph->items[k];
            if (ordering) a = ordering->new_of_old[a], b = ordering->new_of_old[b];
            int difference = a > b ? a - b : b - a;
            if (difference > width) width = difference;
        }
    return width;
}

// ---- elements and data

static int lowest_corner(const int* elements, int corners, int e, const pl_ordering* vertices) {
    const int* element = elements + (size_t)corners * (size_t)e;
    int lowest = vertices->new_of_old[element[0]];
    for (int c = 1; c < corners; c++) {
        int v = vertices->new_of_old[element[c]];
        if (v < lowest) lowest = v;
    }
    return lowest;
}

pl_status pl_order_elements(const int* elements, int element_count, int corners,
                            const pl_ordering* vertices, pl_ordering* out, pl_error* error) {
    // a counting sort: starts[v] is where the elements of lowest vertex v begin
    size_t start_count = (size_t)vertices->count + 1;
    int* starts = PL_ALLOC(int, start_count);
    if (!starts || !alloc_ordering(element_count, out)) {
        PL_FREE(starts, int, start_count);
        *out = (pl_ordering){0};
        return pl_fail_memory(error, "an ordering");
    }
    for (int e = 0; e < element_count; e++)
        starts[lowest_corner(elements, corners, e, vertices) + 1]++;
    for (int v = 0; v < vertices->count; v++) starts[v + 1] += starts[v];
    for (int e = 0; e < element_count; e++)
        out->old_of_new[starts[lowest_corner(elements, corners, e, vertices)]++] = e;
    invert(out);
    PL_FREE(starts, int, start_count);
    return PL_OK;
}

static void gather(const int* from, int count, const void* items, size_t size, void* out) {
    const char* source = items;
    char* target = out;
    for (int i = 0; i < count; i++)
        memcpy(target + (size_t)i * size, source + (size_t)from[i] * size, size);
}

void pl_ordering_in(const pl_ordering* o, const void* user_items, size_t item_size,
                    void* inner_items) {
    gather(o->old_of_new, o->count, user_items, item_size, inner_items);
}

void pl_ordering_out(const pl_ordering* o, const void* inner_items, size_t item_size,
                     void* user_items) {
    gather(o->new_of_old, o->count, inner_items, item_size, user_items);
}
