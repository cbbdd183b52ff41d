// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/tag_map.h"
#include "base/memory.h"

#include <stdbool.h>

static pl_status fill_table(pl_tag_map* map, const int64_t* tags, int count, int* repeated) {
    map->kind = PL_TAGS_TABLE;
    map->table = PL_ALLOC(int, map->size);
    if (!map->table) return PL_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        int* entry = &map->table[(uint64_t)tags[i] - (uint64_t)map->base];
        if (*entry) return *repeated = i, PL_ERROR_FORMAT;
        *entry = i + 1;
    }
    return PL_OK;
}

static pl_status fill_hash(pl_tag_map* map, const int64_t* tags, int count, int* repeated) {
    map->kind = PL_TAGS_HASH;
    map->size = 16;
    while (map->size < 2 * (uint64_t)count) map->size *= 2;
    map->table = PL_ALLOC(int, map->size);
    map->keys = PL_ALLOC(int64_t, map->size);
    if (!map->table || !map->keys) return PL_ERROR_MEMORY;
    uint64_t mask = map->size - 1;
    for (int i = 0; i < count; i++) {
        uint64_t slot = pl_hash_mix((uint64_t)tags[i]) & mask;
        for (; map->table[slot]; slot = (slot + 1) & mask)
            if (map->keys[slot] == tags[i]) return *repeated = i, PL_ERROR_FORMAT;
        map->keys[slot] = tags[i];
        map->table[slot] = i + 1;
    }
    return PL_OK;
}

pl_status pl_tag_map_setup(pl_tag_map* map, const int64_t* tags, int count, int* repeated) {
    *map = (pl_tag_map){.kind = PL_TAGS_CONSECUTIVE};
    if (count == 0) return PL_OK;
    int64_t low = tags[0], high = tags[0];
    bool consecutive = true;
    for (int i = 1; i < count; i++) {
        consecutive = consecutive && (uint64_t)tags[i] == (uint64_t)tags[i - 1] + 1;
        if (tags[i] < low) low = tags[i];
        if (tags[i] > high) high = tags[i];
    }
    uint64_t range = (uint64_t)high - (uint64_t)low; // one less than the numbers from low to high
    map->base = low;
    map->size = range + 1;
    if (consecutive) return PL_OK;
    if (range < 4 * (uint64_t)count + 64) return fill_table(map, tags, count, repeated);
    return fill_hash(map, tags, count, repeated);
}

void pl_tag_map_free(pl_tag_map* map) {
    PL_FREE(map->table, int, map->size);
    PL_FREE(map->keys, int64_t, map->size);
    *map = (pl_tag_map){0};
}
