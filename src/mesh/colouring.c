// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Greedy colouring in the order of the items: each takes the first colour that no neighbour has.
// Then items of large groups move to the smallest group where possible, so that no group is too
// small to share among threads.
#include "mesh/colouring.h"
#include "base/memory.h"

// which items conflict: neighbours in a graph, or elements with a common vertex
typedef struct conflicts {
    const pl_adjacency* lists;
    const int* elements; // NULL for a graph
    int corners;
    int item_count;
} conflicts;

typedef struct palette {
    int* colours; // of the items, -1 for none yet
    int* marks;   // of the colours: the last item that found it taken, + 1
    int* sizes;   // of the colours
    int count;    // colours used
    int capacity; // of marks and sizes
} palette;

void pl_colouring_free(pl_colouring* colouring) {
    PL_FREE(colouring->colours, int, colouring->item_count);
    pl_adjacency_free(&colouring->groups);
    *colouring = (pl_colouring){0};
}

static void mark_list(const pl_adjacency* lists, int list, int item, palette* p) {
    for (int k = lists->offsets[list]; k < lists->offsets[list + 1]; k++) {
        int other = lists->items[k];
        if (other != item && p->colours[other] >= 0) p->marks[p->colours[other]] = item + 1;
    }
}

// afterwards marks[colour] == item + 1 for the colours that the item may not have
static void mark_taken(const conflicts* c, int item, palette* p) {
    if (!c->elements) {
        mark_list(c->lists, item, item, p);
        return;
    }
    const int* element = c->elements + (size_t)c->corners * (size_t)item;
    for (int i = 0; i < c->corners; i++) mark_list(c->lists, element[i], item, p);
}

static void colour_greedily(const conflicts* c, palette* p) {
    for (int item = 0; item < c->item_count; item++) {
        mark_taken(c, item, p);
        int colour = 0;
        while (p->marks[colour] == item + 1) colour++;
        p->colours[item] = colour;
        p->sizes[colour]++;
        if (colour == p->count) p->count++;
    }
}

static void balance(const conflicts* c, palette* p) {
    for (int i = 0; i < p->count; i++) p->marks[i] = 0;
    int mean = c->item_count / p->count;
    for (int item = 0; item < c->item_count; item++) {
        int old = p->colours[item], best = old;
        if (p->sizes[old] <= mean) continue;
        mark_taken(c, item, p);
        for (int colour = 0; colour < p->count; colour++)
            if (p->marks[colour] != item + 1 && p->sizes[colour] < p->sizes[best]) best = colour;
        if (p->sizes[best] + 1 >= p->sizes[old]) continue;
        p->colours[item] = best;
        p->sizes[old]--;
        p->sizes[best]++;
    }
}

static bool group_items(const palette* p, pl_colouring* out) {
    pl_adjacency* groups = &out->groups;
    groups->offsets = PL_ALLOC(int, p->count + 1);
    if (!groups->offsets) return false;
    groups->count = p->count;
    for (int i = 0; i < p->count; i++) groups->offsets[i + 1] = groups->offsets[i] + p->sizes[i];
    groups->items = PL_ALLOC(int, out->item_count);
    if (out->item_count && !groups->items) return false;
    // sizes count down as places are filled
    for (int item = out->item_count - 1; item >= 0; item--) {
        int colour = out->colours[item];
        groups->items[groups->offsets[colour] + --p->sizes[colour]] = item;
    }
    return true;
}

static int longest_list(const pl_adjacency* lists) {
    int longest = 0;
    for (int i = 0; i < lists->count; i++) {
        int length = lists->offsets[i + 1] - lists->offsets[i];
        if (length > longest) longest = length;
    }
    return longest;
}

// an item has at most `corners` times the longest list of neighbours; one more colour is enough
static pl_status colour_items(const conflicts* c, pl_colouring* out, pl_error* error) {
    *out = (pl_colouring){.item_count = c->item_count};
    palette p = {0};
    int64_t most = (int64_t)longest_list(c->lists) * (c->elements ? c->corners : 1) + 2;
    p.capacity = most < (int64_t)c->item_count + 2 ? (int)most : c->item_count + 2;
    p.colours = out->colours = PL_ALLOC(int, c->item_count);
    p.marks = PL_ALLOC(int, p.capacity);
    p.sizes = PL_ALLOC(int, p.capacity);
    bool done = p.marks && p.sizes && (p.colours || c->item_count == 0);
    if (done) {
        for (int i = 0; i < c->item_count; i++) p.colours[i] = -1;
        colour_greedily(c, &p);
        if (p.count > 1) balance(c, &p);
        done = group_items(&p, out);
    }
    PL_FREE(p.marks, int, p.capacity);
    PL_FREE(p.sizes, int, p.capacity);
    if (done) return PL_OK;
    pl_colouring_free(out);
    return pl_fail_memory(error, "a colouring");
}

pl_status pl_colour_graph(const pl_adjacency* graph, pl_colouring* out, pl_error* error) {
    conflicts c = {.lists = graph, .item_count = graph->count};
    return colour_items(&c, out, error);
}

pl_status pl_colour_elements(const int* elements, int element_count, int corners, int vertex_count,
                             pl_colouring* out, pl_error* error) {
    *out = (pl_colouring){0};
    pl_adjacency around;
    pl_status status =
        pl_vertex_elements(elements, element_count, corners, vertex_count, &around, error);
    if (status != PL_OK) return status;
    conflicts c = {&around, elements, corners, element_count};
    status = colour_items(&c, out, error);
    pl_adjacency_free(&around);
    return status;
}
