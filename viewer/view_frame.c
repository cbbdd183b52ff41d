// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "view_frame.h"
#include "base/memory.h"
#include "base/timer.h"

#include <math.h>
#include <string.h>

pl_status pl_view_blob_fit(pl_view_blob* b, size_t size, pl_error* error) {
    if (b->room < size || b->room > 4 * size + 4096) {
        pl_free(b->data, b->room);
        b->room = 0;
        b->data = pl_alloc(size + size / 8);
        if (!b->data) return pl_fail_memory(error, "a frame");
        b->room = size + size / 8;
    }
    b->size = size;
    return PL_OK;
}

void pl_view_blob_free(pl_view_blob* b) {
    if (!b) return;
    pl_free(b->data, b->room);
    PL_FREE(b, pl_view_blob, 1);
}

// ---------------------------------------------------------------- little endian bytes

typedef struct writer {
    unsigned char* at;
} writer;

static void put(writer* w, const void* data, size_t size) {
    memcpy(w->at, data, size);
    w->at += size;
}
static void put_u32(writer* w, uint32_t value) { put(w, &value, sizeof value); }
static void put_f32(writer* w, double value) {
    float number = (float)value;
    put(w, &number, sizeof number);
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the bytes of frames are written as they lie in memory, which must be little endian"
#endif

// ---------------------------------------------------------------- mesh

// head: "PLM1", generation, bodies; per body: side, vertices, triangles, flags, colour; then the
// triangles of all
pl_status pl_view_encode_mesh(const pl_view_side* sides, int side_count, uint32_t generation,
                              pl_view_blob* out, pl_error* error) {
    size_t size = 12;
    uint32_t count = 0;
    for (int s = 0; s < side_count; s++)
        for (int b = 0; b < sides[s].drawn_count; b++, count++)
            size += 28 + 12 * (size_t)sides[s].drawn[b].triangle_count;
    pl_status status = pl_view_blob_fit(out, size, error);
    if (status != PL_OK) return status;
    writer w = {out->data};
    put(&w, "PLM1", 4);
    put_u32(&w, generation);
    put_u32(&w, count);
    for (int s = 0; s < side_count; s++)
        for (int b = 0; b < sides[s].drawn_count; b++) {
            const pl_render_body* body = &sides[s].drawn[b];
            put_u32(&w, (uint32_t)s);
            put_u32(&w, (uint32_t)body->vertex_count);
            put_u32(&w, (uint32_t)body->triangle_count);
            put_u32(&w, (b >= sides[s].body_count ? 1u : 0u) | (body->has_color ? 2u : 0u));
            for (int k = 0; k < 3; k++) put_f32(&w, body->color[k]);
        }
    for (int s = 0; s < side_count; s++)
        for (int b = 0; b < sides[s].drawn_count; b++)
            if (sides[s].drawn[b].triangle_count)
                put(&w, sides[s].drawn[b].triangles, 12 * (size_t)sides[s].drawn[b].triangle_count);
    return PL_OK;
}

// ---------------------------------------------------------------- frames

static size_t round_up(size_t size) { return (size + 3) / 4 * 4; }

static bool has_values(const pl_view_side* side) {
    for (int b = 0; b < side->body_count; b++)
        if (side->drawn[b].vertex_values || side->drawn[b].triangle_values) return true;
    return false;
}

// the box of all vertices, and the range of all values
static void measure(const pl_view_side* sides, int side_count, float low[3], float high[3],
                    float* least, float* most) {
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    *least = INFINITY, *most = -INFINITY;
    for (int s = 0; s < side_count; s++)
        for (int b = 0; b < sides[s].drawn_count; b++) {
            const pl_render_body* body = &sides[s].drawn[b];
            for (size_t i = 0; i < 3 * (size_t)body->vertex_count; i++) {
                float x = body->positions[i];
                if (x < low[i % 3]) low[i % 3] = x;
                if (x > high[i % 3]) high[i % 3] = x;
            }
            const float* v = body->vertex_values ? body->vertex_values : body->triangle_values;
            int count = body->vertex_values ? body->vertex_count : body->triangle_count;
            for (int i = 0; v && i < count; i++) {
                if (v[i] < *least) *least = v[i];
                if (v[i] > *most) *most = v[i];
            }
        }
    for (int k = 0; k < 3; k++)
        if (!(low[k] <= high[k])) low[k] = high[k] = 0.0f;
    if (!(*least <= *most)) *least = *most = 0.0f;
}

static void put_positions(writer* w, const pl_render_body* body, bool exact, const float low[3],
                          const float scale[3]) {
    size_t count = 3 * (size_t)body->vertex_count;
    if (exact) {
        put(w, body->positions, count * sizeof(float));
        return;
    }
    uint16_t* out = (uint16_t*)(void*)w->at;
    for (size_t i = 0; i < count; i += 3)
        for (size_t k = 0; k < 3; k++)
            out[i + k] = (uint16_t)((body->positions[i + k] - low[k]) * scale[k] + 0.5f);
    w->at += count * sizeof(uint16_t);
}

// 16 bits per value, from the smallest to the largest; 65535 means no value
static uint16_t coded(float value, float least, float scale) {
    return isfinite(value) ? (uint16_t)((value - least) * scale + 0.5f) : 65535;
}

// corners get the values of their triangles; where regions meet, the last triangle wins
static void put_values(writer* w, const pl_render_body* body, float least, float most) {
    uint16_t* out = (uint16_t*)(void*)w->at;
    float scale = most > least ? 65534.0f / (most - least) : 0.0f;
    for (int i = 0; i < body->vertex_count; i++)
        out[i] = body->vertex_values ? coded(body->vertex_values[i], least, scale) : 65535;
    for (int t = 0; body->triangle_values && t < body->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            out[body->triangles[3 * (size_t)t + (size_t)k]] =
                coded(body->triangle_values[t], least, scale);
    w->at += (size_t)body->vertex_count * sizeof(uint16_t);
}

// the residuals of the body that took the most cycles; returns their number
static int find_trace(const pl_view_side* side, const float** values) {
    int most = 0;
    for (int b = 0; side->world && b < pl_world_body_count(side->world); b++) {
        const float* own;
        int count = pl_world_residuals(side->world, b, &own);
        if (count > most) most = count, *values = own;
    }
    return most < PL_VIEW_TRACE_COUNT ? most : PL_VIEW_TRACE_COUNT;
}

static void put_trace(writer* w, const pl_view_side* side) {
    const float* values = NULL;
    int count = find_trace(side, &values);
    for (int k = 0; k < PL_VIEW_TRACE_COUNT; k++) put_f32(w, k < count ? (double)values[k] : 0.0);
}

static void put_stats(writer* w, const pl_view_side* side, double encode_seconds) {
    const pl_frame_info* i = &side->info;
    const float* trace;
    const double stats[PL_VIEW_STAT_COUNT] = {
        i->residual,      i->kinetic_energy, i->elastic_energy,       i->volume,
        i->seconds,       i->detect_seconds, i->assembly_seconds,     i->linear_seconds,
        i->contact_count, i->iterations,     i->linear_iterations,    i->unconverged_count,
        i->retry_count,   encode_seconds,    find_trace(side, &trace)};
    for (int k = 0; k < PL_VIEW_STAT_COUNT; k++) put_f32(w, stats[k]);
}

static void put_hand(writer* w, const pl_view_side* side) {
    put_u32(w, side->held_count > 0);
    put_f32(w, side->hand.x);
    put_f32(w, side->hand.y);
    put_f32(w, side->hand.z);
}

enum { HEAD_SIZE = 32 + 8 + 24, SIDE_SIZE = 4 * PL_VIEW_STAT_COUNT + 16 + 4 * PL_VIEW_TRACE_COUNT };

// "PLF1", generation, frame, flags, time, drag, side count, least, most, box; stats, hand and trace
// of each side; positions; values; contact points
pl_status pl_view_encode_frame(const pl_view_side* sides, int side_count,
                               const pl_view_frame_head* head, pl_view_blob* out, pl_error* error) {
    double start = pl_seconds();
    size_t vertex_count = 0;
    bool with_values = false;
    for (int s = 0; s < side_count; s++) {
        with_values |= has_values(&sides[s]);
        for (int b = 0; b < sides[s].drawn_count; b++)
            vertex_count += (size_t)sides[s].drawn[b].vertex_count;
    }
    bool exact = vertex_count <= PL_VIEW_EXACT_VERTICES;
    size_t position_size = round_up(vertex_count * (exact ? 12 : 6));
    size_t value_size = with_values ? round_up(2 * vertex_count) : 0;
    size_t limit = HEAD_SIZE + (size_t)side_count * SIDE_SIZE + position_size + value_size + 4 +
                   12 * (size_t)PL_VIEW_CONTACT_LIMIT;
    pl_status status = pl_view_blob_fit(out, limit, error);
    if (status != PL_OK) return status;
    float low[3], high[3], scale[3], least, most;
    measure(sides, side_count, low, high, &least, &most);
    for (int k = 0; k < 3; k++) scale[k] = high[k] > low[k] ? 65535.0f / (high[k] - low[k]) : 0.0f;
    writer w = {out->data};
    put(&w, "PLF1", 4);
    put_u32(&w, head->generation);
    put_u32(&w, (uint32_t)sides[0].frame);
    put_u32(&w, (exact ? 0u : 1u) | (with_values ? 2u : 0u) | (head->is_paused ? 4u : 0u));
    put(&w, &sides[0].time, sizeof(double));
    put_u32(&w, head->drag);
    put_u32(&w, (uint32_t)side_count);
    put_f32(&w, least);
    put_f32(&w, most);
    for (int k = 0; k < 3; k++) put_f32(&w, low[k]);
    for (int k = 0; k < 3; k++) put_f32(&w, high[k]);
    unsigned char* side_place = w.at;
    w.at += (size_t)side_count * SIDE_SIZE;
    unsigned char* begin = w.at;
    for (int s = 0; s < side_count; s++)
        for (int b = 0; b < sides[s].drawn_count; b++)
            put_positions(&w, &sides[s].drawn[b], exact, low, scale);
    w.at = begin + position_size;
    for (int s = 0; with_values && s < side_count; s++)
        for (int b = 0; b < sides[s].drawn_count; b++)
            put_values(&w, &sides[s].drawn[b], least, most);
    w.at = begin + position_size + value_size;
    int contacts =
        pl_view_side_contacts(&sides[0], (float*)(void*)(w.at + 4), PL_VIEW_CONTACT_LIMIT);
    put_u32(&w, (uint32_t)contacts);
    w.at += 12 * (size_t)contacts;
    out->size = (size_t)(w.at - out->data);
    writer side_writer = {side_place};
    double seconds = pl_seconds() - start + head->update_seconds;
    for (int s = 0; s < side_count; s++) {
        put_stats(&side_writer, &sides[s], seconds);
        put_hand(&side_writer, &sides[s]);
        put_trace(&side_writer, &sides[s]);
    }
    return PL_OK;
}
