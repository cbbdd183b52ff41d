// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The arena as a list of blocks, each at least twice as large as the one before.
#include "base/arena.h"
#include "base/memory.h"

enum { ALIGNMENT = 64, FIRST_SIZE = 1 << 16 };

struct pl_arena_block {
    pl_arena_block* next;
    size_t size; // of the data that follows
    size_t used;
    char padding[ALIGNMENT - sizeof(void*) - 2 * sizeof(size_t)];
};

static char* data_of(pl_arena_block* block) { return (char*)(block + 1); }

static pl_arena_block* add_block(pl_arena* arena, size_t size) {
    pl_arena_block* last = arena->current;
    size_t grown = last ? 2 * last->size : FIRST_SIZE;
    if (grown < size) grown = size;
    pl_arena_block* block = pl_alloc(sizeof(pl_arena_block) + grown);
    if (!block) return NULL;
    block->size = grown;
    // a following block that was too small stays in the list behind the new one
    block->next = last ? last->next : NULL;
    if (last) last->next = block;
    else arena->first = block;
    return block;
}

void* pl_arena_alloc(pl_arena* arena, size_t size) {
    if (size > SIZE_MAX / 4) return NULL;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    pl_arena_block* block = arena->current;
    if (!block || block->size - block->used < size) {
        pl_arena_block* next = block ? block->next : arena->first;
        block = next && next->size >= size ? next : add_block(arena, size);
        if (!block) return NULL;
        block->used = 0;
        arena->current = block;
    }
    void* memory = data_of(block) + block->used;
    block->used += size;
    return memory;
}

pl_arena_mark pl_arena_get_mark(const pl_arena* arena) {
    return (pl_arena_mark){arena->current, arena->current ? arena->current->used : 0};
}

void pl_arena_release(pl_arena* arena, pl_arena_mark mark) {
    arena->current = mark.block;
    if (mark.block) mark.block->used = mark.used;
}

void pl_arena_free(pl_arena* arena) {
    while (arena->first) {
        pl_arena_block* next = arena->first->next;
        pl_free(arena->first, sizeof(pl_arena_block) + arena->first->size);
        arena->first = next;
    }
    arena->current = NULL;
}
