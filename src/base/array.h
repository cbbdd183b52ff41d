// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A growing array, for lists whose length is not known in advance.
#ifndef PL_BASE_ARRAY_H
#define PL_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct pl_array {
    void* data;
    size_t count;
    size_t capacity;
    size_t item_size;
} pl_array;

static inline pl_array pl_array_of(size_t item_size) { return (pl_array){.item_size = item_size}; }

// Appends n uninitialised items. Returns a pointer to the first of them, or NULL if memory runs out
// (or n is 0 and the array is empty). Earlier pointers into the array become invalid.
void* pl_array_add(pl_array* array, size_t n);
bool pl_array_push(pl_array* array, const void* item);
bool pl_array_reserve(pl_array* array, size_t capacity);
void pl_array_free(pl_array* array);

// Hands over the data, shrunk to exactly count items (NULL if there are none), and leaves the array
// empty. The new owner frees count * item_size bytes. False if memory runs out; the array then
// keeps its data.
bool pl_array_take(pl_array* array, void** out);

// Ascending numbers, for qsort.
int pl_compare_ints(const void* a, const void* b);
int pl_compare_doubles(const void* a, const void* b);

#endif
