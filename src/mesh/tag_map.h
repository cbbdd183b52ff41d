// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Maps the numbers that a file gives its vertices or elements to our indices. Consecutive numbers
// need no memory, nearly consecutive ones a table, all others a hash table, so huge numbers do not
// need much memory.
#ifndef PL_TAG_MAP_H
#define PL_TAG_MAP_H

#include "base/fail.h"
#include "base/hash.h"

typedef enum pl_tag_map_kind { PL_TAGS_CONSECUTIVE, PL_TAGS_TABLE, PL_TAGS_HASH } pl_tag_map_kind;

typedef struct pl_tag_map {
    pl_tag_map_kind kind;
    int64_t base;  // smallest tag
    uint64_t size; // of the range, or slots of the hash table (a power of two)
    int* table;    // index + 1, 0 for none
    int64_t* keys; // hash: the tag of each slot
} pl_tag_map;

// Maps tags[i] to i. PL_ERROR_MEMORY, or PL_ERROR_FORMAT with *repeated the first i whose tag
// occurred before. Free the map in every case.
pl_status pl_tag_map_setup(pl_tag_map* map, const int64_t* tags, int count, int* repeated);
void pl_tag_map_free(pl_tag_map* map);

// The index of a tag, or -1.
static inline int pl_tag_map_find(const pl_tag_map* map, int64_t tag) {
    uint64_t place = (uint64_t)tag - (uint64_t)map->base;
    if (map->kind == PL_TAGS_CONSECUTIVE) return place < map->size ? (int)place : -1;
    if (map->kind == PL_TAGS_TABLE) return place < map->size ? map->table[place] - 1 : -1;
    uint64_t mask = map->size - 1;
    for (uint64_t slot = pl_hash_mix((uint64_t)tag) & mask; map->table[slot];
         slot = (slot + 1) & mask)
        if (map->keys[slot] == tag) return map->table[slot] - 1;
    return -1;
}

#endif
