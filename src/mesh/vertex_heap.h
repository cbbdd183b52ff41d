// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A heap of vertices by key: the least key on top, of equal keys the lowest vertex. It knows where
// each vertex is, so keys can change, and it never holds a vertex twice, so it never grows.
#ifndef PL_MESH_VERTEX_HEAP_H
#define PL_MESH_VERTEX_HEAP_H

#include <stdbool.h>

typedef struct pl_heap_entry {
    double key;
    int vertex;
} pl_heap_entry;

typedef struct pl_vertex_heap {
    int capacity;           // number of vertices
    int count;              // vertices in it
    pl_heap_entry* entries; // the top first
    int* places;            // of each vertex in entries, -1: not in the heap
} pl_vertex_heap;

bool pl_vertex_heap_alloc(pl_vertex_heap* heap, int capacity);
void pl_vertex_heap_free(pl_vertex_heap* heap);

// Puts a vertex in, or changes its key.
void pl_vertex_heap_set(pl_vertex_heap* heap, int vertex, double key);
// Removes and returns the top. The heap must not be empty.
pl_heap_entry pl_vertex_heap_pop(pl_vertex_heap* heap);

#endif
