// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/relax_batches.h"
#include "base/memory.h"
#include "material/spring.h"
#include "math/double4.h"

#include <string.h>

void pl_relax_batches_free(pl_relax_batches* b) {
    PL_FREE(b->batches, pl_relax_batch, b->batch_count);
    PL_FREE(b->links, pl_relax_link, b->link_count);
    PL_FREE(b->springs, pl_relax_spring, b->spring_count);
    PL_FREE(b->entries, int, PL_LANES*(size_t)b->link_count);
    PL_FREE(b->slots, int, b->slot_count);
    *b = (pl_relax_batches){0};
}

static const pl_gather_group* group_of(const pl_spring_gather* g, int place) {
    return &g->groups[place / 4];
}

// Numbers the springs of a vertex: springs between the same vertices with the same rest length
// share a number. Unused lanes have none (-1). Returns the count.
static int number_springs(const pl_spring_gather* g, int v, int* slots) {
    int count = 0;
    for (int k = 4 * g->offsets[v]; k < 4 * g->offsets[v + 1]; k++) {
        const pl_gather_group* own = group_of(g, k);
        slots[k] = -1;
        if (own->others[k % 4] == v) continue;
        for (int j = 4 * g->offsets[v]; j < k && slots[k] < 0; j++) {
            const pl_gather_group* other = group_of(g, j);
            if (other->others[j % 4] == own->others[k % 4] &&
                other->rest[j % 4] == own->rest[k % 4])
                slots[k] = slots[j];
        }
        if (slots[k] < 0) slots[k] = count++;
    }
    return count;
}

static bool has_spring_to(const pl_spring_gather* g, int v, int other) {
    for (int k = 4 * g->offsets[v]; k < 4 * g->offsets[v + 1]; k++)
        if (group_of(g, k)->others[k % 4] == other) return true;
    return false;
}

// neighbours of a vertex that no spring joins to it
static int count_others(const pl_spring_gather* g, const pl_block_matrix* Q, int v) {
    int count = 0;
    for (int e = Q->offsets[v]; e < Q->offsets[v + 1]; e++)
        count += Q->columns[e] != v && !has_spring_to(g, v, Q->columns[e]);
    return count;
}

static void count_links(pl_relax_batches* b, pl_relax_batch* q, const pl_block_matrix* Q) {
    int most_springs = 0, most_others = 0;
    for (int lane = 0; lane < q->count; lane++) {
        int springs = number_springs(b->gather, q->vertices[lane], b->slots);
        int others = count_others(b->gather, Q, q->vertices[lane]);
        most_springs = springs > most_springs ? springs : most_springs;
        most_others = others > most_others ? others : most_others;
    }
    q->spring_begin = b->spring_count;
    q->spring_end = b->spring_count += most_springs;
    q->link_begin = b->link_count;
    q->link_end = b->link_count += most_springs + most_others;
}

static int* entry_at(const pl_relax_batches* b, int link, int lane) {
    return &b->entries[PL_LANES * (size_t)link + (size_t)lane];
}

// Links to the neighbours along springs, then to the others. Of several springs to one neighbour,
// the first gets its entry of the linear system.
static void link_lane(pl_relax_batches* b, const pl_relax_batch* q, const pl_block_matrix* Q,
                      int lane) {
    const pl_spring_gather* g = b->gather;
    int v = q->vertices[lane], at = q->link_begin + q->spring_end - q->spring_begin;
    for (int k = q->link_begin; k < q->link_end; k++) {
        b->links[k].offsets[lane] = 4 * v;
        *entry_at(b, k, lane) = -1;
    }
    if (lane >= q->count) return;
    int linked = 0;
    for (int k = 4 * g->offsets[v]; k < 4 * g->offsets[v + 1]; k++) {
        if (b->slots[k] < linked) continue;
        int link = q->link_begin + linked++, other = group_of(g, k)->others[k % 4];
        bool is_first = true;
        for (int j = q->link_begin; j < link; j++)
            is_first = is_first && b->links[j].offsets[lane] != 4 * other;
        b->links[link].offsets[lane] = 4 * other;
        if (is_first) *entry_at(b, link, lane) = pl_block_matrix_find(Q, v, other);
    }
    for (int e = Q->offsets[v]; e < Q->offsets[v + 1]; e++) {
        if (Q->columns[e] == v || has_spring_to(g, v, Q->columns[e])) continue;
        b->links[at].offsets[lane] = 4 * Q->columns[e];
        *entry_at(b, at++, lane) = e;
    }
}

static void set_vertices(pl_relax_batch* q, const int32_t* vertices, int count) {
    q->count = count;
    for (int lane = 0; lane < PL_LANES; lane++) {
        q->vertices[lane] = vertices[lane < count ? lane : 0];
        q->offsets[lane] = 4 * q->vertices[lane];
    }
}

pl_status pl_relax_batches_setup(pl_relax_batches* b, const pl_spring_gather* gather,
                                 const pl_block_matrix* Q, const int32_t* vertices,
                                 const int* counts, int batch_count, pl_error* error) {
    *b = (pl_relax_batches){
        .gather = gather, .batch_count = batch_count, .slot_count = 4 * gather->group_count};
    b->batches = PL_ALLOC(pl_relax_batch, batch_count);
    b->slots = PL_ALLOC(int, b->slot_count);
    if ((!b->batches && batch_count) || (!b->slots && b->slot_count))
        return pl_fail_memory(error, "springs");
    for (int k = 0; k < batch_count; k++) {
        set_vertices(&b->batches[k], vertices + PL_LANES * (size_t)k, counts[k]);
        count_links(b, &b->batches[k], Q);
    }
    b->links = PL_ALLOC(pl_relax_link, b->link_count);
    b->springs = PL_ALLOC(pl_relax_spring, b->spring_count);
    b->entries = PL_ALLOC(int, PL_LANES*(size_t)b->link_count);
    if ((b->link_count && (!b->links || !b->entries)) || (b->spring_count && !b->springs))
        return pl_fail_memory(error, "springs");
    for (int k = 0; k < batch_count; k++)
        for (int lane = 0; lane < PL_LANES; lane++) link_lane(b, &b->batches[k], Q, lane);
    return PL_OK;
}

static void refresh_springs(pl_relax_batches* b, const pl_relax_batch* q, int lane) {
    const pl_spring_gather* g = b->gather;
    const int v = q->vertices[lane];
    for (int k = q->spring_begin; k < q->spring_end; k++)
        b->springs[k].rest[lane] = b->springs[k].stiffness[lane] = 0.0f;
    for (int k = 4 * g->offsets[v]; lane < q->count && k < 4 * g->offsets[v + 1]; k++) {
        if (b->slots[k] < 0) continue;
        pl_relax_spring* s = &b->springs[q->spring_begin + b->slots[k]];
        s->rest[lane] = (float)group_of(g, k)->rest[k % 4];
        s->stiffness[lane] += (float)group_of(g, k)->stiffness[k % 4];
    }
}

void pl_relax_batches_refresh(pl_relax_batches* b, const pl_block_matrix* Q) {
    for (int k = 0; k < b->batch_count; k++) {
        pl_relax_batch* q = &b->batches[k];
        for (int lane = 0; lane < PL_LANES; lane++) {
            refresh_springs(b, q, lane);
            q->diagonal[lane] = (float)Q->values[Q->diagonal[q->vertices[lane]]];
        }
    }
    for (int k = 0; k < b->link_count; k++)
        for (int lane = 0; lane < PL_LANES; lane++) {
            int entry = *entry_at(b, k, lane);
            b->links[k].weights[lane] = entry < 0 ? 0.0f : (float)Q->values[entry];
        }
}

// Vertices are loaded four lanes at a time; with fewer than four lanes they repeat.
enum { FOURS = (PL_LANES + 3) / 4 };

// coordinates of four vertices, starting at lane `first`
PL_WIDE void load_four(const pl_relax_batches* b, const double* x, const int32_t* offsets,
                       int first, pl_d4 out[3]) {
    int32_t vertices[4];
    for (int k = 0; k < 4; k++) vertices[k] = offsets[(first + k) % PL_LANES] / 4;
    pl_load_points_d4(x, vertices, b->gather->vertex_count - 1, out);
}

// a spring of four lanes, starting at `first`
PL_WIDE void start_four(const pl_relax_batches* b, pl_relax_spring* s, const int32_t* offsets,
                        const pl_d4 own[3], int first, const double* x) {
    pl_d4 d[3], excess = {0};
    load_four(b, x, offsets, first, d);
    for (int c = 0; c < 3; c++) {
        d[c] -= own[c];
        excess += d[c] * d[c];
    }
    for (int k = 0; k < 4 && first + k < PL_LANES; k++) {
        double rest = (double)s->rest[first + k];
        for (int c = 0; c < 3; c++) s->way[c][first + k] = (float)d[c][k];
        s->excess[first + k] = (float)(excess[k] - rest * rest);
    }
}

void pl_relax_batch_start(pl_relax_batches* b, const pl_relax_batch* q, const double* x) {
    pl_d4 own[FOURS][3];
    for (int k = 0; k < FOURS; k++) load_four(b, x, q->offsets, 4 * k, own[k]);
    for (int k = q->spring_begin; k < q->spring_end; k++) {
        const int32_t* offsets = b->links[q->link_begin + k - q->spring_begin].offsets;
        for (int i = 0; i < FOURS; i++) start_four(b, &b->springs[k], offsets, own[i], 4 * i, x);
    }
}

void pl_relax_batch_load(const pl_relax_batch* q, const float* moved, pl_fw out[3]) {
    pl_float4w at = pl_load4_at_w(moved, q->offsets);
    out[0] = at.x, out[1] = at.y, out[2] = at.z;
}

void pl_relax_batch_store(const pl_relax_batch* q, const pl_fw from[3], float* moved) {
    pl_f4 rows[PL_LANES];
    pl_rows4_w((pl_float4w){from[0], from[1], from[2], (pl_fw){0}}, rows);
    for (int lane = 0; lane < q->count; lane++)
        if (q->free[lane]) *(pl_f4*)(moved + q->offsets[lane]) = rows[lane];
}

PL_WIDE pl_fw where(pl_iw mask, pl_fw a) { return (pl_fw)((pl_iw)a & mask); }

// pull: the force of a spring over its length; side: its stiffness across its direction; along: the
// additional stiffness along it, over the square of its length.
PL_WIDE void spring_law(const pl_relax_spring* s, pl_fw square, pl_fw excess, pl_fw* pull,
                        pl_fw* side, pl_fw* along) {
    const pl_fw length = pl_sqrt_w(square), sum = length + s->rest;
    const pl_fw inverse = 1.0f / (length * sum), per_length = inverse * sum;
    const pl_iw usable = length > (float)PL_SPRING_MIN_LENGTH * s->rest;
    *pull = where(usable, s->stiffness * excess * inverse);
    *side = where(*pull > 0.0f, *pull) + where(~usable, s->stiffness);
    *along = where(usable, (s->stiffness - *side) * per_length * per_length);
}

void pl_relax_batch_forces(const pl_relax_batches* b, const pl_relax_batch* q, const float* moved,
                           const pl_fw own[3], pl_fw gradient[3], pl_fw hessian[6]) {
    pl_fw g[3], H[6] = {{0}, {0}, {0}, {0}, {0}, {0}}, isotropic = q->diagonal, d[3];
    const pl_relax_link* link = b->links + q->link_begin;
    for (int c = 0; c < 3; c++) g[c] = q->diagonal * own[c];
    for (int k = q->spring_begin; k < q->spring_end; k++, link++) {
        const pl_relax_spring* s = &b->springs[k];
        const pl_float4w at = pl_load4_at_w(moved, link->offsets);
        const pl_fw other[3] = {at.x, at.y, at.z};
        pl_fw square = {0}, excess = s->excess, pull, side, along;
        for (int c = 0; c < 3; c++) {
            const pl_fw u = other[c] - own[c];
            d[c] = s->way[c] + u;
            square = pl_fma_w(d[c], d[c], square);
            excess = pl_fma_w(u, s->way[c] + d[c], excess);
            g[c] = pl_fma_w(link->weights, other[c], g[c]);
        }
        spring_law(s, square, excess, &pull, &side, &along);
        isotropic += side;
        for (int c = 0; c < 3; c++) g[c] = pl_fnma_w(pull, d[c], g[c]);
        for (int i = 0, entry = 0; i < 3; i++) {
            const pl_fw scaled = along * d[i];
            for (int j = i; j < 3; j++, entry++) H[entry] = pl_fma_w(scaled, d[j], H[entry]);
        }
    }
    for (const pl_relax_link* end = b->links + q->link_end; link < end; link++) {
        const pl_float4w at = pl_load4_at_w(moved, link->offsets);
        g[0] = pl_fma_w(link->weights, at.x, g[0]);
        g[1] = pl_fma_w(link->weights, at.y, g[1]);
        g[2] = pl_fma_w(link->weights, at.z, g[2]);
    }
    H[0] += isotropic, H[3] += isotropic, H[5] += isotropic;
    for (int c = 0; c < 3; c++) gradient[c] = g[c];
    for (int k = 0; k < 6; k++) hessian[k] = H[k];
}
