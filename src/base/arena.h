// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Scratch memory that is marked and released like a stack. Blocks stay when released, so a loop
// that has grown its arena once allocates no more.
#ifndef PL_BASE_ARENA_H
#define PL_BASE_ARENA_H

#include <stddef.h>

typedef struct pl_arena_block pl_arena_block;

typedef struct pl_arena {
    pl_arena_block* first;
    pl_arena_block* current;
} pl_arena;

typedef struct pl_arena_mark {
    pl_arena_block* block;
    size_t used;
} pl_arena_mark;

// Aligned to 64 bytes, not zeroed; NULL when memory is out. An arena that is all zero is empty and
// ready.
void* pl_arena_alloc(pl_arena* arena, size_t size);
#define PL_ARENA_ALLOC(arena, type, count)                                                         \
    ((type*)pl_arena_alloc((arena), (size_t)(count) * sizeof(type)))

pl_arena_mark pl_arena_get_mark(const pl_arena* arena);
void pl_arena_release(pl_arena* arena, pl_arena_mark mark);
void pl_arena_free(pl_arena* arena);

#endif
