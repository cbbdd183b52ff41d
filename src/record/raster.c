// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Coverage is exact: coordinates are integers and edge functions are computed in 64 bits, so
// triangles that share an edge leave no gap. For small triangles near a tile the same numbers fit
// 32 bits, and one register processes two pixels of four samples. Triangles are first sorted into
// the tiles that their boxes touch (blocks of triangles count, then fill, so the order within a
// tile is that of the triangles for any number of threads); then tiles are drawn one by one in a
// buffer that stays in the cache.
#include "record/raster.h"
#include "base/memory.h"

#include <float.h>
#include <stdbool.h>

typedef int64_t i64x4 __attribute__((vector_size(32)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x8 __attribute__((vector_size(32)));
typedef float f32x8 __attribute__((vector_size(32)));

enum { GROUPS = PL_RASTER_MAX_SAMPLES / 4, TILE_PIXELS = PL_RASTER_TILE * PL_RASTER_TILE };
// above this many entries tiles test all triangles instead of having lists
static const int64_t MAX_BIN_ENTRIES = INT64_C(1) << 26;

typedef struct tile_buffer {
    f32x4 depths[TILE_PIXELS * GROUPS];
    i32x4 ids[TILE_PIXELS * GROUPS];
} tile_buffer;

// pixels or tiles, inclusive; empty if x1 < x0
typedef struct box {
    int16_t x0, y0, x1, y1;
} box;

// the samples of two neighbouring pixels, from the corner of the first one
typedef struct near_places {
    i32x8 x, y;
} near_places;

typedef struct raster {
    const pl_raster_job* job;
    int tiles_x, tiles_y, tile_count;
    int block, block_count; // of triangles
    box* boxes;             // of pixels, per triangle
    int* counts;            // per block and tile; then where the block's entries of the tile begin
    int64_t* tile_begins;   // tile_count + 1
    int* entries;           // triangles by tile; NULL: every tile tests all
    int64_t entry_count;
    tile_buffer* buffers; // one per worker
    int worker_count;
    near_places places;
} raster;

const uint8_t pl_raster_grid_places[4][2] = {{64, 64}, {192, 64}, {64, 192}, {192, 192}};

const uint8_t (*pl_raster_places(int sample_count))[2] {
    static const uint8_t four[4][2] = {{96, 32}, {224, 96}, {32, 160}, {160, 224}};
    static const uint8_t eight[8][2] = {{144, 16},  {80, 48},   {208, 80}, {16, 112},
                                        {112, 144}, {240, 176}, {48, 208}, {176, 240}};
    static const uint8_t sixteen[16][2] = {{8, 72},   {24, 200},  {40, 8},    {56, 136},
                                           {72, 40},  {88, 232},  {104, 104}, {120, 168},
                                           {136, 24}, {152, 216}, {168, 88},  {184, 152},
                                           {200, 56}, {216, 248}, {232, 120}, {248, 184}};
    return sample_count >= 16 ? sixteen : sample_count >= 8 ? eight : four;
}

static inline int min3(int a, int b, int c) {
    int m = a < b ? a : b;
    return m < c ? m : c;
}
static inline int max3(int a, int b, int c) {
    int m = a > b ? a : b;
    return m > c ? m : c;
}

// the pixels that a triangle's box touches
static inline box pixel_box(const pl_raster_job* job, int triangle) {
    const int* t = job->triangles + 3 * (size_t)triangle;
    pl_raster_vertex a = job->vertices[t[0]], b = job->vertices[t[1]], c = job->vertices[t[2]];
    const box none = {0, 0, -1, -1};
    if (a.x == PL_RASTER_HIDDEN || b.x == PL_RASTER_HIDDEN || c.x == PL_RASTER_HIDDEN) return none;
    int x0 = min3(a.x, b.x, c.x) >> 8, x1 = max3(a.x, b.x, c.x) >> 8;
    int y0 = min3(a.y, b.y, c.y) >> 8, y1 = max3(a.y, b.y, c.y) >> 8;
    if (x1 < 0 || y1 < 0 || x0 >= job->width || y0 >= job->height) return none;
    return (box){(int16_t)(x0 < 0 ? 0 : x0), (int16_t)(y0 < 0 ? 0 : y0),
                 (int16_t)(x1 < job->width ? x1 : job->width - 1),
                 (int16_t)(y1 < job->height ? y1 : job->height - 1)};
}

static inline box tiles_of(box b) {
    if (b.x1 < b.x0) return b;
    return (box){(int16_t)(b.x0 / PL_RASTER_TILE), (int16_t)(b.y0 / PL_RASTER_TILE),
                 (int16_t)(b.x1 / PL_RASTER_TILE), (int16_t)(b.y1 / PL_RASTER_TILE)};
}

static void count_task(int begin, int end, int worker, void* user) {
    (void)worker;
    raster* r = user;
    int* counts = r->counts + (size_t)(begin / r->block) * (size_t)r->tile_count;
    for (int i = begin; i < end; i++) {
        r->boxes[i] = pixel_box(r->job, i);
        box range = tiles_of(r->boxes[i]);
        for (int y = range.y0; y <= range.y1; y++)
            for (int x = range.x0; x <= range.x1; x++) counts[y * r->tiles_x + x]++;
    }
}

static void fill_task(int begin, int end, int worker, void* user) {
    (void)worker;
    raster* r = user;
    int* places = r->counts + (size_t)(begin / r->block) * (size_t)r->tile_count;
    for (int i = begin; i < end; i++) {
        box range = tiles_of(r->boxes[i]);
        for (int y = range.y0; y <= range.y1; y++)
            for (int x = range.x0; x <= range.x1; x++) r->entries[places[y * r->tiles_x + x]++] = i;
    }
}

// turns counts into positions in the list of entries: by tile, and within a tile by block
static void place_blocks(raster* r) {
    int64_t next = 0;
    for (int tile = 0; tile < r->tile_count; tile++) {
        r->tile_begins[tile] = next;
        for (int block = 0; block < r->block_count; block++) {
            int* count = &r->counts[(size_t)block * (size_t)r->tile_count + (size_t)tile];
            int64_t begin = next;
            next += *count;
            *count = (int)(begin < MAX_BIN_ENTRIES ? begin : MAX_BIN_ENTRIES);
        }
    }
    r->tile_begins[r->tile_count] = next;
    r->entry_count = next;
}

static pl_status bin_triangles(raster* r, pl_pool* pool, pl_error* error) {
    enum { MIN_BLOCK = 2048, MAX_BLOCKS = 64 };
    int n = r->job->triangle_count;
    r->block = n / MAX_BLOCKS + 1 < MIN_BLOCK ? MIN_BLOCK : n / MAX_BLOCKS + 1;
    r->block_count = (n + r->block - 1) / r->block;
    if (n == 0) return PL_OK;
    size_t count_count = (size_t)r->block_count * (size_t)r->tile_count;
    r->boxes = PL_ALLOC(box, n);
    r->counts = PL_ALLOC(int, count_count);
    if (!r->boxes || !r->counts) return pl_fail_memory(error, "the tiles of a picture");
    pl_parallel_for(pool, count_task, n, r->block, r);
    place_blocks(r);
    if (r->entry_count > MAX_BIN_ENTRIES || r->entry_count == 0) return PL_OK;
    r->entries = PL_ALLOC(int, r->entry_count);
    if (!r->entries) return pl_fail_memory(error, "the tiles of a picture");
    pl_parallel_for(pool, fill_task, n, r->block, r);
    return PL_OK;
}

// one edge function: value at the centre of pixel (0, 0)'s corner, steps per pixel, and what each
// sample adds
typedef struct edge {
    int64_t origin, step_x, step_y;
    int64_t reach; // the largest amount that a sample adds
    i64x4 samples[GROUPS];
} edge;

static inline void make_edge(pl_raster_vertex a, pl_raster_vertex b, int64_t sign,
                             const pl_raster_job* job, edge* e) {
    int64_t dx = sign * ((int64_t)b.x - a.x), dy = sign * ((int64_t)b.y - a.y);
    e->origin = dy * a.x - dx * a.y;
    e->step_x = -dy * PL_RASTER_SUBPIXEL;
    e->step_y = dx * PL_RASTER_SUBPIXEL;
    e->reach = (dx > 0 ? e->step_y : 0) + (dy < 0 ? e->step_x : 0);
    for (int s = 0; s < job->sample_count; s++)
        e->samples[s / 4][s % 4] = dx * job->places[s][1] - dy * job->places[s][0];
}

// depth over the picture: value at pixel (0, 0), steps per pixel, and what each sample adds
typedef struct depth_plane {
    double origin, step_x, step_y;
    f32x4 samples[GROUPS];
} depth_plane;

static inline depth_plane make_depth(pl_raster_vertex a, pl_raster_vertex b, pl_raster_vertex c,
                                     const pl_raster_job* job) {
    double x1 = (double)b.x - a.x, y1 = (double)b.y - a.y;
    double x2 = (double)c.x - a.x, y2 = (double)c.y - a.y;
    double d1 = (double)b.depth - a.depth, d2 = (double)c.depth - a.depth;
    double area = x1 * y2 - x2 * y1;
    double gx = (d1 * y2 - d2 * y1) / area, gy = (d2 * x1 - d1 * x2) / area;
    depth_plane plane = {.origin = a.depth - gx * a.x - gy * a.y,
                         .step_x = gx * PL_RASTER_SUBPIXEL,
                         .step_y = gy * PL_RASTER_SUBPIXEL};
    for (int s = 0; s < job->sample_count; s++)
        plane.samples[s / 4][s % 4] = (float)(gx * job->places[s][0] + gy * job->places[s][1]);
    return plane;
}

static inline void draw_pixel(const edge e[3], const int64_t at[3], const depth_plane* plane,
                              float depth, int id, int group_count, f32x4* depths, i32x4* ids) {
    for (int g = 0; g < group_count; g++) {
        i64x4 outside =
            (e[0].samples[g] + at[0]) | (e[1].samples[g] + at[1]) | (e[2].samples[g] + at[2]);
        i32x4 covered = __builtin_convertvector(outside >= 0, i32x4);
        f32x4 z = plane->samples[g] + depth;
        i32x4 wins = covered & (z > depths[g]);
        depths[g] = (f32x4)(((i32x4)z & wins) | ((i32x4)depths[g] & ~wins));
        ids[g] = (id & wins) | (ids[g] & ~wins);
    }
}

// the pixels of a row where an edge function can be reached, as an inclusive range
static void clip_row(const edge* e, int64_t row_value, int* x0, int* x1) {
    // row_value + step x + reach >= 0
    int64_t value = row_value + e->reach;
    if (e->step_x > 0) {
        if (value >= 0) return;
        int64_t first = (-value + e->step_x - 1) / e->step_x;
        if (first > *x0) *x0 = first > INT32_MAX ? INT32_MAX : (int)first;
    } else if (value < 0) {
        *x1 = -1;
    } else if (e->step_x < 0) {
        int64_t last = value / -e->step_x;
        if (last < *x1) *x1 = (int)last;
    }
}

// the corners of a triangle, from the corner of the tile, and its box there
typedef struct near_triangle {
    int x[3], y[3];
    float depth[3];
    int x0, y0, x1, y1; // pixels, inclusive
    int id;
} near_triangle;

static near_places make_near_places(const pl_raster_job* job) {
    near_places p = {{0}, {0}};
    for (int s = 0; s < 4; s++) {
        p.x[s] = job->places[s][0];
        p.x[s + 4] = job->places[s][0] + PL_RASTER_SUBPIXEL;
        p.y[s] = p.y[s + 4] = job->places[s][1];
    }
    return p;
}

// an edge function at these samples
typedef struct near_edge {
    i32x8 row; // at the first pixels of a row
    i32x8 step_x, step_y;
} near_edge;

static inline near_edge make_near_edge(const near_triangle* t, int from, int to, int sign,
                                       const near_places* places) {
    int dx = sign * (t->x[to] - t->x[from]), dy = sign * (t->y[to] - t->y[from]);
    int first_x = t->x0 * PL_RASTER_SUBPIXEL, first_y = t->y0 * PL_RASTER_SUBPIXEL;
    int origin = dx * (first_y - t->y[from]) - dy * (first_x - t->x[from]);
    return (near_edge){.row = origin + dx * places->y - dy * places->x,
                       .step_x = (i32x8){0} - 2 * PL_RASTER_SUBPIXEL * dy,
                       .step_y = (i32x8){0} + dx * PL_RASTER_SUBPIXEL};
}

// depth at the same samples
typedef struct near_depth {
    f32x8 row, most; // depth is limited to that of the nearest corner, despite round-off
    float step_x, step_y;
} near_depth;

static inline near_depth make_near_depth(const near_triangle* t, float area,
                                         const near_places* places) {
    float x1 = (float)(t->x[1] - t->x[0]), y1 = (float)(t->y[1] - t->y[0]);
    float x2 = (float)(t->x[2] - t->x[0]), y2 = (float)(t->y[2] - t->y[0]);
    float d1 = t->depth[1] - t->depth[0], d2 = t->depth[2] - t->depth[0], scale = 1.0f / area;
    float gx = (d1 * y2 - d2 * y1) * scale, gy = (d2 * x1 - d1 * x2) * scale;
    float most = t->depth[0] > t->depth[1] ? t->depth[0] : t->depth[1];
    i32x8 at_x = places->x + (t->x0 * PL_RASTER_SUBPIXEL - t->x[0]);
    i32x8 at_y = places->y + (t->y0 * PL_RASTER_SUBPIXEL - t->y[0]);
    return (near_depth){.row = t->depth[0] + gx * __builtin_convertvector(at_x, f32x8) +
                               gy * __builtin_convertvector(at_y, f32x8),
                        .most = (f32x8){0} + (most > t->depth[2] ? most : t->depth[2]),
                        .step_x = gx * (2 * PL_RASTER_SUBPIXEL),
                        .step_y = gy * PL_RASTER_SUBPIXEL};
}

// Four samples per pixel; every corner within 64 pixels of the tile's, so that an edge function is
// below 2^31: 2 * 2^15 * 2^14 and small change.
static void draw_near(const near_places* places, const near_triangle* t, tile_buffer* buffer) {
    int64_t area = (int64_t)(t->x[1] - t->x[0]) * (t->y[2] - t->y[0]) -
                   (int64_t)(t->x[2] - t->x[0]) * (t->y[1] - t->y[0]);
    if (area == 0) return;
    int sign = area > 0 ? 1 : -1; // both sides are drawn
    near_edge a = make_near_edge(t, 1, 2, sign, places), b = make_near_edge(t, 2, 0, sign, places),
              c = make_near_edge(t, 0, 1, sign, places);
    near_depth d = make_near_depth(t, (float)area, places);
    for (int y = t->y0; y <= t->y1; y++) {
        i32x8 ea = a.row, eb = b.row, ec = c.row;
        f32x8 z = d.row;
        f32x8* depths = (f32x8*)(buffer->depths + y * PL_RASTER_TILE + t->x0);
        i32x8* ids = (i32x8*)(buffer->ids + y * PL_RASTER_TILE + t->x0);
        for (int x = t->x0; x <= t->x1; x += 2, depths++, ids++) {
            i32x8 beyond = z > d.most;
            f32x8 at = (f32x8)(((i32x8)d.most & beyond) | ((i32x8)z & ~beyond));
            i32x8 wins = ((ea | eb | ec) >= 0) & (at > *depths);
            *depths = (f32x8)(((i32x8)at & wins) | ((i32x8)*depths & ~wins));
            *ids = (t->id & wins) | (*ids & ~wins);
            ea += a.step_x, eb += b.step_x, ec += c.step_x;
            z += d.step_x;
        }
        a.row += a.step_y, b.row += b.step_y, c.row += c.step_y;
        d.row += d.step_y;
    }
}

static inline bool is_near(int a, int b, int c, int origin) {
    enum { LIMIT = 64 * PL_RASTER_SUBPIXEL };
    return max3(a, b, c) - origin < LIMIT && min3(a, b, c) - origin > -LIMIT;
}

// true if the triangle was drawn; x0 is even, for pixels go in pairs
static inline bool try_near(const pl_raster_job* job, const near_places* places, int id, box pixels,
                            const pl_raster_tile* tile, tile_buffer* buffer) {
    if (job->sample_count != 4) return false;
    const int* v = job->triangles + 3 * (size_t)id;
    pl_raster_vertex a = job->vertices[v[0]], b = job->vertices[v[1]], c = job->vertices[v[2]];
    int left = tile->x0 * PL_RASTER_SUBPIXEL, top = tile->y0 * PL_RASTER_SUBPIXEL;
    if (!is_near(a.x, b.x, c.x, left) || !is_near(a.y, b.y, c.y, top)) return false;
    near_triangle t = {.x = {a.x - left, b.x - left, c.x - left},
                       .y = {a.y - top, b.y - top, c.y - top},
                       .depth = {a.depth, b.depth, c.depth},
                       .x0 = (pixels.x0 > tile->x0 ? pixels.x0 - tile->x0 : 0) & ~1,
                       .y0 = pixels.y0 > tile->y0 ? pixels.y0 - tile->y0 : 0,
                       .x1 = (pixels.x1 < tile->x1 ? pixels.x1 : tile->x1 - 1) - tile->x0,
                       .y1 = (pixels.y1 < tile->y1 ? pixels.y1 : tile->y1 - 1) - tile->y0,
                       .id = id};
    draw_near(places, &t, buffer);
    return true;
}

static void draw_triangle(const pl_raster_job* job, const near_places* places, int id, box pixels,
                          const pl_raster_tile* tile, tile_buffer* buffer) {
    if (try_near(job, places, id, pixels, tile, buffer)) return;
    int box_x0 = pixels.x0 > tile->x0 ? pixels.x0 : tile->x0;
    int box_y0 = pixels.y0 > tile->y0 ? pixels.y0 : tile->y0;
    int box_x1 = pixels.x1 < tile->x1 ? pixels.x1 : tile->x1 - 1;
    int box_y1 = pixels.y1 < tile->y1 ? pixels.y1 : tile->y1 - 1;
    if (box_x1 < box_x0 || box_y1 < box_y0) return;
    const int* t = job->triangles + 3 * (size_t)id;
    pl_raster_vertex a = job->vertices[t[0]], b = job->vertices[t[1]], c = job->vertices[t[2]];
    int64_t area =
        ((int64_t)b.x - a.x) * ((int64_t)c.y - a.y) - ((int64_t)c.x - a.x) * ((int64_t)b.y - a.y);
    if (area == 0) return;
    int64_t sign = area > 0 ? 1 : -1; // both sides are drawn
    bool wide = box_x1 - box_x0 >= 8; // else trying every pixel is faster than dividing
    edge e[3];
    make_edge(b, c, sign, job, &e[0]);
    make_edge(c, a, sign, job, &e[1]);
    make_edge(a, b, sign, job, &e[2]);
    depth_plane plane = make_depth(a, b, c, job);
    int group_count = job->sample_count / 4;
    for (int y = box_y0; y <= box_y1; y++) {
        int x0 = box_x0, x1 = box_x1;
        int64_t at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = e[k].origin + e[k].step_y * y;
            if (wide) clip_row(&e[k], at[k], &x0, &x1);
        }
        if (x1 < x0) continue;
        for (int k = 0; k < 3; k++) at[k] += e[k].step_x * x0;
        double row_depth = plane.origin + plane.step_y * y;
        int place = ((y - tile->y0) * PL_RASTER_TILE + x0 - tile->x0) * group_count;
        for (int x = x0; x <= x1; x++, place += group_count) {
            bool outside = ((at[0] + e[0].reach) | (at[1] + e[1].reach) | (at[2] + e[2].reach)) < 0;
            if (!outside)
                draw_pixel(e, at, &plane, (float)(row_depth + plane.step_x * x), id, group_count,
                           buffer->depths + place, buffer->ids + place);
            for (int k = 0; k < 3; k++) at[k] += e[k].step_x;
        }
    }
}

static void clear_buffer(tile_buffer* buffer, int sample_count) {
    const f32x4 far = {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX};
    const i32x4 none = {-1, -1, -1, -1};
    for (int i = 0; i < TILE_PIXELS * sample_count / 4; i++) {
        buffer->depths[i] = far;
        buffer->ids[i] = none;
    }
}

static int smaller_int(int a, int b) { return a < b ? a : b; }

static void tile_task(int begin, int end, int worker, void* user) {
    raster* r = user;
    const pl_raster_job* job = r->job;
    tile_buffer* buffer = &r->buffers[worker];
    for (int i = begin; i < end; i++) {
        int x0 = i % r->tiles_x * PL_RASTER_TILE, y0 = i / r->tiles_x * PL_RASTER_TILE;
        int64_t first = r->entries ? r->tile_begins[i] : 0;
        int64_t last = r->entries       ? r->tile_begins[i + 1]
                       : r->entry_count ? job->triangle_count
                                        : 0;
        pl_raster_tile tile = {.x0 = x0,
                               .y0 = y0,
                               .x1 = smaller_int(x0 + PL_RASTER_TILE, job->width),
                               .y1 = smaller_int(y0 + PL_RASTER_TILE, job->height),
                               .sample_count = job->sample_count,
                               .triangle_count = (int)(last - first),
                               .ids = (const int*)buffer->ids,
                               .depths = (const float*)buffer->depths};
        clear_buffer(buffer, job->sample_count);
        for (int64_t k = first; k < last; k++) {
            int id = r->entries ? r->entries[k] : (int)k;
            draw_triangle(job, &r->places, id, r->boxes[id], &tile, buffer);
        }
        job->resolve(&tile, worker, job->user);
    }
}

static void raster_free(raster* r) {
    PL_FREE(r->boxes, box, r->job->triangle_count);
    PL_FREE(r->counts, int, (size_t)r->block_count*(size_t)r->tile_count);
    PL_FREE(r->tile_begins, int64_t, r->tile_count + 1);
    PL_FREE(r->entries, int, r->entry_count);
    PL_FREE(r->buffers, tile_buffer, r->worker_count);
}

pl_status pl_raster_run(const pl_raster_job* job, pl_pool* pool, pl_error* error) {
    PL_ASSERT(job->sample_count % 4 == 0 && job->sample_count <= PL_RASTER_MAX_SAMPLES);
    raster r = {.job = job,
                .tiles_x = (job->width + PL_RASTER_TILE - 1) / PL_RASTER_TILE,
                .tiles_y = (job->height + PL_RASTER_TILE - 1) / PL_RASTER_TILE,
                .worker_count = pl_pool_thread_count(pool),
                .places = make_near_places(job)};
    r.tile_count = r.tiles_x * r.tiles_y;
    r.tile_begins = PL_ALLOC(int64_t, r.tile_count + 1);
    r.buffers = PL_ALLOC(tile_buffer, r.worker_count);
    pl_status status = PL_OK;
    if (!r.tile_begins || !r.buffers) status = pl_fail_memory(error, "the tiles of a picture");
    if (status == PL_OK) status = bin_triangles(&r, pool, error);
    if (status == PL_OK) pl_parallel_for(pool, tile_task, r.tile_count, 4, &r);
    raster_free(&r);
    return status;
}
