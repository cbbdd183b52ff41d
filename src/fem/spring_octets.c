// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/spring_octets.h"
#include "base/memory.h"
#include "material/spring.h"
#include "math/double4.h"

void pl_spring_octets_free(pl_spring_octets* o) {
    PL_FREE(o->octets, pl_octet, o->octet_count);
    PL_FREE(o->links, pl_octet_link, o->link_count);
    PL_FREE(o->springs, pl_octet_spring, o->spring_count);
    PL_FREE(o->entries, int, PL_OCTET*(size_t)o->link_count);
    *o = (pl_spring_octets){0};
}

// Springs of a vertex come first in its groups; what is left of the last one leads to itself.
static int spring_count(const pl_spring_gather* g, int v) {
    int count = 0;
    for (int k = 4 * g->offsets[v]; k < 4 * g->offsets[v + 1]; k++)
        if (g->groups[k / 4].others[k % 4] != v) count = k + 1 - 4 * g->offsets[v];
    return count;
}

static int other_end(const pl_spring_gather* g, int v, int spring) {
    int k = 4 * g->offsets[v] + spring;
    return g->groups[k / 4].others[k % 4];
}

static bool has_spring_to(const pl_spring_gather* g, int v, int springs, int other) {
    for (int k = 0; k < springs; k++)
        if (other_end(g, v, k) == other) return true;
    return false;
}

// neighbours that a vertex has besides those at its springs
static int count_others(const pl_spring_gather* g, const pl_block_matrix* Q, int v) {
    int springs = spring_count(g, v), count = 0;
    for (int e = Q->offsets[v]; e < Q->offsets[v + 1]; e++)
        count += Q->columns[e] != v && !has_spring_to(g, v, springs, Q->columns[e]);
    return count;
}

static void count_links(pl_spring_octets* o, pl_octet* q, const pl_block_matrix* Q) {
    int most_springs = 0, most_others = 0;
    for (int lane = 0; lane < q->count; lane++) {
        int springs = spring_count(o->gather, q->vertices[lane]);
        int others = count_others(o->gather, Q, q->vertices[lane]);
        most_springs = springs > most_springs ? springs : most_springs;
        most_others = others > most_others ? others : most_others;
    }
    q->spring_begin = o->spring_count;
    q->spring_end = o->spring_count += most_springs;
    q->link_begin = o->link_count;
    q->link_end = o->link_count += most_springs + most_others;
}

// The springs of a vertex, then its other neighbours. Of two springs to one neighbour, the first
// has its entry of the linear system.
static void link_lane(pl_spring_octets* o, const pl_octet* q, const pl_block_matrix* Q, int lane) {
    const pl_spring_gather* g = o->gather;
    int v = q->vertices[lane], springs = lane < q->count ? spring_count(g, v) : 0;
    int at = q->link_begin + q->spring_end - q->spring_begin;
    for (int k = q->link_begin; k < q->link_end; k++) {
        int spring = k - q->link_begin, *entry = &o->entries[PL_OCTET * (size_t)k + (size_t)lane];
        o->links[k].others[lane] = spring < springs ? other_end(g, v, spring) : v;
        *entry = -1;
        if (spring >= springs || has_spring_to(g, v, spring, o->links[k].others[lane])) continue;
        *entry = pl_block_matrix_find(Q, v, o->links[k].others[lane]);
    }
    for (int e = Q->offsets[v]; lane < q->count && e < Q->offsets[v + 1]; e++) {
        if (Q->columns[e] == v || has_spring_to(g, v, springs, Q->columns[e])) continue;
        o->links[at].others[lane] = Q->columns[e];
        o->entries[PL_OCTET * (size_t)at++ + (size_t)lane] = e;
    }
}

pl_status pl_spring_octets_setup(pl_spring_octets* o, const pl_spring_gather* gather,
                                 const pl_block_matrix* Q, const int32_t* vertices,
                                 const int* counts, int octet_count, pl_error* error) {
    *o = (pl_spring_octets){.gather = gather, .octet_count = octet_count};
    o->octets = PL_ALLOC(pl_octet, octet_count);
    if (!o->octets && octet_count) return pl_fail_memory(error, "springs");
    for (int k = 0; k < octet_count; k++) {
        pl_octet* q = &o->octets[k];
        const int32_t* from = vertices + PL_OCTET * (size_t)k;
        q->count = counts[k];
        for (int lane = 0; lane < PL_OCTET; lane++)
            q->vertices[lane] = from[lane < q->count ? lane : 0];
        count_links(o, q, Q);
    }
    o->links = PL_ALLOC(pl_octet_link, o->link_count);
    o->springs = PL_ALLOC(pl_octet_spring, o->spring_count);
    o->entries = PL_ALLOC(int, PL_OCTET*(size_t)o->link_count);
    if ((o->link_count && (!o->links || !o->entries)) || (o->spring_count && !o->springs))
        return pl_fail_memory(error, "springs");
    for (int k = 0; k < octet_count; k++)
        for (int lane = 0; lane < PL_OCTET; lane++) link_lane(o, &o->octets[k], Q, lane);
    return PL_OK;
}

static void refresh_springs(pl_spring_octets* o, const pl_octet* q, int lane) {
    const pl_spring_gather* g = o->gather;
    int v = q->vertices[lane], first = 4 * g->offsets[v], end = 4 * g->offsets[v + 1];
    for (int k = q->spring_begin; k < q->spring_end; k++) {
        int from = first + k - q->spring_begin;
        bool exists = lane < q->count && from < end;
        o->springs[k].rest[lane] = exists ? (float)g->groups[from / 4].rest[from % 4] : 0.0f;
        o->springs[k].stiffness[lane] =
            exists ? (float)g->groups[from / 4].stiffness[from % 4] : 0.0f;
    }
}

void pl_spring_octets_refresh(pl_spring_octets* o, const pl_block_matrix* Q) {
    for (int k = 0; k < o->octet_count; k++) {
        pl_octet* q = &o->octets[k];
        for (int lane = 0; lane < PL_OCTET; lane++) {
            refresh_springs(o, q, lane);
            q->diagonal[lane] = (float)Q->values[Q->diagonal[q->vertices[lane]]];
        }
    }
    for (int k = 0; k < o->link_count; k++)
        for (int lane = 0; lane < PL_OCTET; lane++) {
            int entry = o->entries[PL_OCTET * (size_t)k + (size_t)lane];
            o->links[k].weights[lane] = entry < 0 ? 0.0f : (float)Q->values[entry];
        }
}

// four lanes of a spring, from `first` on
PL_WIDE void start_four(const pl_spring_octets* o, pl_octet_spring* s, const int32_t* others,
                        const pl_d4 own[3], int first, const double* x) {
    pl_d4 d[3], excess = {0};
    pl_load_points_d4(x, others + first, o->gather->vertex_count - 1, d);
    for (int c = 0; c < 3; c++) {
        d[c] -= own[c];
        excess += d[c] * d[c];
    }
    for (int lane = 0; lane < 4; lane++) {
        double rest = (double)s->rest[first + lane];
        for (int c = 0; c < 3; c++) s->way[c][first + lane] = (float)d[c][lane];
        s->excess[first + lane] = (float)(excess[lane] - rest * rest);
    }
}

void pl_spring_octet_start(pl_spring_octets* o, const pl_octet* q, const double* x) {
    pl_d4 own[2][3];
    for (int half = 0; half < 2; half++)
        pl_load_points_d4(x, q->vertices + 4 * half, o->gather->vertex_count - 1, own[half]);
    for (int k = q->spring_begin; k < q->spring_end; k++) {
        const int32_t* others = o->links[q->link_begin + k - q->spring_begin].others;
        for (int half = 0; half < 2; half++)
            start_four(o, &o->springs[k], others, own[half], 4 * half, x);
    }
}

PL_WIDE pl_o8 pair(const float* moved, int low, int high) {
    return __builtin_shufflevector(pl_load4(moved + 4 * (size_t)low),
                                   pl_load4(moved + 4 * (size_t)high), 0, 1, 2, 3, 4, 5, 6, 7);
}

// the first three values of eight vertices, each of all eight together
PL_WIDE void load_eight(const float* moved, const int32_t v[PL_OCTET], pl_o8 out[3]) {
    const pl_o8 a = pair(moved, v[0], v[4]), b = pair(moved, v[1], v[5]);
    const pl_o8 c = pair(moved, v[2], v[6]), d = pair(moved, v[3], v[7]);
    const pl_o8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    const pl_o8 cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    const pl_o8 ab_last = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const pl_o8 cd_last = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    out[2] = __builtin_shufflevector(ab_last, cd_last, 0, 1, 8, 9, 4, 5, 12, 13);
}

void pl_spring_octet_load(const pl_octet* q, const float* moved, pl_o8 out[3]) {
    load_eight(moved, q->vertices, out);
}

void pl_spring_octet_store(const pl_octet* q, const pl_o8 from[3], float* moved) {
    for (int lane = 0; lane < q->count; lane++)
        if (q->free[lane])
            pl_store4(moved + 4 * (size_t)q->vertices[lane],
                      (pl_f4){from[0][lane], from[1][lane], from[2][lane]});
}

// a b + c, rounded once where the machine can
PL_WIDE pl_o8 fused(pl_o8 a, pl_o8 b, pl_o8 c) {
#if defined(__FMA__)
    return (pl_o8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

PL_WIDE pl_o8 root(pl_o8 a) {
#if defined(__AVX__)
    return (pl_o8)_mm256_sqrt_ps((__m256)a);
#else
    for (int lane = 0; lane < PL_OCTET; lane++) a[lane] = sqrtf(a[lane]);
    return a;
#endif
}

PL_WIDE pl_o8 where(pl_o8i mask, pl_o8 a) { return (pl_o8)((pl_o8i)a & mask); }

// pull: the force of a spring over its length; side: what resists across it; along: what resists
// along it besides, over the square of its length.
PL_WIDE void spring_law(const pl_octet_spring* s, pl_o8 square, pl_o8 excess, pl_o8* pull,
                        pl_o8* side, pl_o8* along) {
    const pl_o8 length = root(square), sum = length + s->rest;
    const pl_o8 inverse = 1.0f / (length * sum), per_length = inverse * sum;
    const pl_o8i usable = length > (float)PL_SPRING_MIN_LENGTH * s->rest;
    *pull = where(usable, s->stiffness * excess * inverse);
    *side = where(*pull > 0.0f, *pull) + where(~usable, s->stiffness);
    *along = where(usable, (s->stiffness - *side) * per_length * per_length);
}

void pl_spring_octet_forces(const pl_spring_octets* o, const pl_octet* q, const float* moved,
                            const pl_o8 own[3], pl_o8 gradient[3], pl_o8 hessian[6]) {
    pl_o8 g[3], H[6] = {{0}, {0}, {0}, {0}, {0}, {0}}, isotropic = q->diagonal, other[3], d[3];
    const pl_octet_link* link = o->links + q->link_begin;
    for (int c = 0; c < 3; c++) g[c] = q->diagonal * own[c];
    for (int k = q->spring_begin; k < q->spring_end; k++, link++) {
        const pl_octet_spring* s = &o->springs[k];
        pl_o8 square = {0}, excess = s->excess, pull, side, along;
        load_eight(moved, link->others, other);
        for (int c = 0; c < 3; c++) {
            const pl_o8 u = other[c] - own[c];
            d[c] = s->way[c] + u;
            square = fused(d[c], d[c], square);
            excess = fused(u, s->way[c] + d[c], excess);
            g[c] = fused(link->weights, other[c], g[c]);
        }
        spring_law(s, square, excess, &pull, &side, &along);
        isotropic += side;
        for (int c = 0; c < 3; c++) g[c] -= pull * d[c];
        for (int i = 0, at = 0; i < 3; i++) {
            const pl_o8 scaled = along * d[i];
            for (int j = i; j < 3; j++, at++) H[at] = fused(scaled, d[j], H[at]);
        }
    }
    for (const pl_octet_link* end = o->links + q->link_end; link < end; link++) {
        load_eight(moved, link->others, other);
        for (int c = 0; c < 3; c++) g[c] = fused(link->weights, other[c], g[c]);
    }
    H[0] += isotropic, H[3] += isotropic, H[5] += isotropic;
    for (int c = 0; c < 3; c++) gradient[c] = g[c];
    for (int k = 0; k < 6; k++) hessian[k] = H[k];
}
