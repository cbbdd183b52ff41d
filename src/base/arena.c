// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The arena as a list of blocks, each at least twice as large as the one before.
#include "base/arena.h"
#include "base/memory.h"

enum { ALIGNMENT = 64, FIRST_SIZE = 1 << 16 };

struct pl_arena_block {
    pl_arena_block* before;
    size_t size; // of the data that follows
    size_t used;
    char padding[ALIGNMENT - sizeof(void*) - 2 * sizeof(size_t)];
};

static pl_arena_block* add_block(pl_arena* arena, size_t size) {
    size_t grown = arena->newest ? 2 * arena->newest->size : FIRST_SIZE;
    if (grown < size) grown = size;
    pl_arena_block* block = pl_alloc(sizeof(pl_arena_block) + grown);
    if (!block) return NULL;
    block->before = arena->newest;
    block->size = grown;
    block->used = 0;
    arena->newest = block;
    return block;
}

void* pl_arena_alloc(pl_arena* arena, size_t size) {
    if (size > SIZE_MAX / 4) return NULL;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    pl_arena_block* block = arena->newest;
    if (!block || block->size - block->used < size) block = add_block(arena, size);
    if (!block) return NULL;
    void* memory = (char*)(block + 1) + block->used;
    block->used += size;
    return memory;
}

void pl_arena_free(pl_arena* arena) {
    while (arena->newest) {
        pl_arena_block* before = arena->newest->before;
        pl_free(arena->newest, sizeof(pl_arena_block) + arena->newest->size);
        arena->newest = before;
    }
}
