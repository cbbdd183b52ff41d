// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/vertex_heap.h"
#include "base/memory.h"

enum { ARITY = 4 }; // children of an entry: half the depth of two, for one line of cache each

bool pl_vertex_heap_alloc(pl_vertex_heap* heap, int capacity) {
    *heap = (pl_vertex_heap){.capacity = capacity};
    heap->entries = PL_ALLOC(pl_heap_entry, capacity);
    heap->places = PL_ALLOC(int, capacity);
    if (capacity && (!heap->entries || !heap->places)) {
        pl_vertex_heap_free(heap);
        return false;
    }
    for (int v = 0; v < capacity; v++) heap->places[v] = -1;
    return true;
}

void pl_vertex_heap_free(pl_vertex_heap* heap) {
    PL_FREE(heap->entries, pl_heap_entry, heap->capacity);
    PL_FREE(heap->places, int, heap->capacity);
    *heap = (pl_vertex_heap){0};
}

static inline bool is_before(pl_heap_entry a, pl_heap_entry b) {
    return a.key < b.key || (a.key == b.key && a.vertex < b.vertex);
}

static inline void put(pl_vertex_heap* heap, int place, pl_heap_entry entry) {
    heap->entries[place] = entry;
    heap->places[entry.vertex] = place;
}

static void move_up(pl_vertex_heap* heap, int place, pl_heap_entry entry) {
    while (place > 0) {
        int parent = (place - 1) / ARITY;
        if (!is_before(entry, heap->entries[parent])) break;
        put(heap, place, heap->entries[parent]);
        place = parent;
    }
    put(heap, place, entry);
}

static void move_down(pl_vertex_heap* heap, int place, pl_heap_entry entry) {
    for (;;) {
        int first = ARITY * place + 1, end = first + ARITY;
        if (first >= heap->count) break;
        if (end > heap->count) end = heap->count;
        int child = first;
        for (int i = first + 1; i < end; i++)
            if (is_before(heap->entries[i], heap->entries[child])) child = i;
        if (!is_before(heap->entries[child], entry)) break;
        put(heap, place, heap->entries[child]);
        place = child;
    }
    put(heap, place, entry);
}

void pl_vertex_heap_set(pl_vertex_heap* heap, int vertex, double key) {
    int place = heap->places[vertex];
    pl_heap_entry entry = {key, vertex};
    if (place < 0) {
        move_up(heap, heap->count++, entry);
        return;
    }
    if (is_before(entry, heap->entries[place])) move_up(heap, place, entry);
    else move_down(heap, place, entry);
}

pl_heap_entry pl_vertex_heap_pop(pl_vertex_heap* heap) {
    pl_heap_entry top = heap->entries[0];
    heap->places[top.vertex] = -1;
    pl_heap_entry last = heap->entries[--heap->count];
    if (heap->count > 0) move_down(heap, 0, last);
    return top;
}
