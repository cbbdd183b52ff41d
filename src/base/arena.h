// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// An arena: memory for many small objects that are freed together.
#ifndef PL_BASE_ARENA_H
#define PL_BASE_ARENA_H

#include <stddef.h>

typedef struct pl_arena_block pl_arena_block;

typedef struct pl_arena {
    pl_arena_block* newest;
} pl_arena;

// Aligned to 64 bytes, not zeroed; NULL if memory runs out. A zeroed arena is empty and ready for
// use.
void* pl_arena_alloc(pl_arena* arena, size_t size);
#define PL_ARENA_ALLOC(arena, type, count)                                                         \
    ((type*)pl_arena_alloc((arena), (size_t)(count) * sizeof(type)))

void pl_arena_free(pl_arena* arena);

#endif
