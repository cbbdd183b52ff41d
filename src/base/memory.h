// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// All memory of pliant: aligned to 64 bytes, counted, sizes given to both sides, failures
// injectable.
#ifndef PL_BASE_MEMORY_H
#define PL_BASE_MEMORY_H

#include "base/fail.h"

// Zeroed memory, or NULL; size 0 gives NULL, which is not a failure to those who ask for count
// items.
void* pl_alloc(size_t size);
void pl_free(void* memory, size_t size);
// Like realloc; the old block stays valid when NULL is returned. New bytes are zero.
void* pl_realloc(void* memory, size_t old_size, size_t new_size);

// count items, NULL also when the size overflows.
void* pl_alloc_items(size_t count, size_t item_size);

#define PL_ALLOC(type, count) ((type*)pl_alloc_items((size_t)(count), sizeof(type)))
#define PL_FREE(memory, type, count) pl_free((memory), (size_t)(count) * sizeof(type))

// A copy of a text, freed by pl_free_text.
char* pl_copy_text(const char* text);
void pl_free_text(char* text);

// For tests: the nth allocation from now on fails, once; 0 switches it off. Returns how many
// allocations were counted since the last call.
int64_t pl_inject_failure(int64_t nth);

#endif
