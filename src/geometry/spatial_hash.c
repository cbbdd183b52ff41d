// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "geometry/spatial_hash.h"
#include "base/hash.h"
#include "base/memory.h"

typedef struct cell {
    int64_t x, y, z;
} cell;

// coordinates beyond what an integer holds share the outermost cells
static int64_t cell_coordinate(double x, double size) {
    double c = floor(x / size);
    return c < -1e15 ? -1000000000000000 : c > 1e15 ? 1000000000000000 : (int64_t)c;
}

static cell cell_of(const pl_spatial_hash* hash, pl_vec3 p) {
    return (cell){cell_coordinate(p.x, hash->cell), cell_coordinate(p.y, hash->cell),
                  cell_coordinate(p.z, hash->cell)};
}

static int bucket_of(const pl_spatial_hash* hash, cell c) {
    uint64_t mixed = pl_hash_mix((uint64_t)c.x + UINT64_C(0x9e3779b97f4a7c15));
    mixed = pl_hash_mix(mixed ^ (uint64_t)c.y);
    mixed = pl_hash_mix(mixed ^ (uint64_t)c.z);
    return (int)(mixed & (uint64_t)(hash->bucket_count - 1));
}

static bool is_finite(pl_vec3 p) { return isfinite(p.x) && isfinite(p.y) && isfinite(p.z); }

static pl_vec3 point_at(const pl_spatial_hash* hash, int i) {
    return pl_vec3_load(hash->points + 3 * (size_t)i);
}

static void fill_buckets(pl_spatial_hash* hash) {
    int* offsets = hash->offsets;
    for (int i = 0; i < hash->point_count; i++)
        if (is_finite(point_at(hash, i)))
            offsets[bucket_of(hash, cell_of(hash, point_at(hash, i)))]++;
    int sum = 0;
    for (int b = 0; b < hash->bucket_count; b++) sum += offsets[b], offsets[b] = sum;
    offsets[hash->bucket_count] = sum;
    // from the back, so that each bucket ends up ascending and its offset at its start
    for (int i = hash->point_count - 1; i >= 0; i--)
        if (is_finite(point_at(hash, i)))
            hash->items[--offsets[bucket_of(hash, cell_of(hash, point_at(hash, i)))]] = i;
}

static int bucket_count_for(int point_count) {
    int count = 1;
    while (count < point_count && count < (1 << 29)) count *= 2;
    return count;
}

pl_status pl_spatial_hash_build(const double* points, int point_count, double cell_size,
                                pl_spatial_hash* out, pl_error* error) {
    *out = (pl_spatial_hash){.points = points, .point_count = point_count, .cell = cell_size};
    if (!(cell_size > 0.0) || !isfinite(cell_size))
        return pl_fail(error, PL_ERROR_ARGUMENT, "%g is no size for the cells of a hash",
                       cell_size);
    out->bucket_count = bucket_count_for(point_count);
    out->offsets = PL_ALLOC(int, out->bucket_count + 1);
    out->items = PL_ALLOC(int, point_count);
    if (!out->offsets || (point_count && !out->items)) {
        pl_spatial_hash_free(out);
        return pl_fail_memory(error, "a spatial hash");
    }
    fill_buckets(out);
    return PL_OK;
}

void pl_spatial_hash_free(pl_spatial_hash* hash) {
    PL_FREE(hash->offsets, int, hash->bucket_count + 1);
    PL_FREE(hash->items, int, hash->point_count);
    *hash = (pl_spatial_hash){0};
}

// the points of one cell; others that share its bucket are passed over
static bool visit_cell(const pl_spatial_hash* hash, cell c, pl_vec3 p, double radius,
                       pl_point_visit visit, void* user) {
    int bucket = bucket_of(hash, c);
    for (int k = hash->offsets[bucket]; k < hash->offsets[bucket + 1]; k++) {
        pl_vec3 q = point_at(hash, hash->items[k]);
        cell of_q = cell_of(hash, q);
        if (of_q.x != c.x || of_q.y != c.y || of_q.z != c.z) continue;
        if (pl_norm2(pl_sub(q, p)) <= radius * radius && !visit(hash->items[k], user)) return false;
    }
    return true;
}

bool pl_spatial_hash_near(const pl_spatial_hash* hash, pl_vec3 p, double radius,
                          pl_point_visit visit, void* user) {
    if (!is_finite(p)) return true;
    pl_vec3 reach = {radius, radius, radius};
    cell low = cell_of(hash, pl_sub(p, reach)), high = cell_of(hash, pl_add(p, reach));
    for (int64_t z = low.z; z <= high.z; z++)
        for (int64_t y = low.y; y <= high.y; y++)
            for (int64_t x = low.x; x <= high.x; x++)
                if (!visit_cell(hash, (cell){x, y, z}, p, radius, visit, user)) return false;
    return true;
}
