// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// All of pliant's memory: aligned to 64 bytes and counted. Sizes are passed when allocating and
// when freeing, and tests can make an allocation fail.
#ifndef PL_BASE_MEMORY_H
#define PL_BASE_MEMORY_H

#include "base/fail.h"

// Zeroed memory, or NULL. Size 0 gives NULL too; callers that allow it must not take that for a
// failure.
void* pl_alloc(size_t size);
void pl_free(void* memory, size_t size);
// Like realloc; the old block stays valid when NULL is returned. New bytes are zero.
void* pl_realloc(void* memory, size_t old_size, size_t new_size);

// Memory for count items; NULL also if the size overflows.
void* pl_alloc_items(size_t count, size_t item_size);

#define PL_ALLOC(type, count) ((type*)pl_alloc_items((size_t)(count), sizeof(type)))
#define PL_FREE(memory, type, count) pl_free((memory), (size_t)(count) * sizeof(type))

// A copy of a text, freed by pl_free_text.
char* pl_copy_text(const char* text);
void pl_free_text(char* text);

// For tests: makes the nth allocation from now fail, once; 0 switches this off. Returns the number
// of allocations since the last call.
int64_t pl_inject_failure(int64_t nth);

#endif
