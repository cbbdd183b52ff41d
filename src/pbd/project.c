// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Projection of constraints, PL_LANES at a time (S1 section 5).
//
//   paper             here
//   p_i, w_i          particles: x y z, fourth
//   C, grad C         error, gradient
//   s (Eq. 5)         C / sum of w |gradient|^2
//   k                 stiffness of the list
//
// With compliance a (XPBD, Macklin 2016), each constraint stores the multiplier m of this step, of
// length h:
//
//   dm = (-C - a/h^2 m) / (sum w |grad C|^2 + a/h^2),   dp_i = w_i grad_i C dm.
//
// With a = 0 this is Eq. 4. Damping b/a, where b [s] is the stiffness factor of Rayleigh damping,
// subtracts g grad C . (p - start) from the numerator and adds g times the sum to the denominator,
// with g = b/h (Eq. 26 of Macklin).
//
// The strains of a tet are those of Green along and between the material axes, F'F, but the
// diagonal is expressed by lengths, |F e_i| - 1: the same to first order, and solved exactly by one
// projection. The six strains are projected one after the other while the corners are in registers.
#include "material/bending.h"
#include "pbd/sweeper.h"

#include <stddef.h>

// A sum of weights below this fraction of its largest possible value counts as zero: nothing can
// move.
static const float NOTHING = 1e-30f;
// Smallest sum of weights relative to that with all corners as free as the freest.
static const float MIN_WEIGHT = 0.01f;
// Squared length [m^2] that counts as zero.
static const float SHORTEST2 = 1e-18f;

typedef struct block_view {
    const int32_t* vertices;
    const float* values;
    const float* compliance;
    float* multipliers;
    pl_fw stiffness;
    const pl_sweep_numbers* numbers;
} block_view;

// Step along the gradient: -k C / weight, or with compliance also the change of the multiplier.
// change: linearised change of C since the start of the step, for damping; otherwise 0.
PL_WIDE pl_fw step_length(const block_view* b, int k, pl_fw error, pl_fw change, pl_fw weight) {
    pl_fw zero = {0};
    if (b->compliance) {
        float g = b->numbers->damping;
        pl_fw a = b->numbers->inverse_h2 * pl_load_w(b->compliance + k * PL_LANES);
        pl_fw m = pl_load_w(b->multipliers + k * PL_LANES);
        pl_fw total = pl_fma_w(pl_splat_w(g), weight, weight + a);
        pl_fw rest = pl_fma_w(pl_splat_w(g), change, error + a * m);
        pl_fw step = pl_select_w(total > NOTHING, -rest / total, zero);
        pl_store_w(b->multipliers + k * PL_LANES, m + step);
        return step;
    }
    return pl_select_w(weight > NOTHING, -b->stiffness * error / weight, zero);
}

PL_WIDE pl_vec3w xyz(pl_float4w a) { return (pl_vec3w){a.x, a.y, a.z}; }

PL_WIDE void move(pl_float4w* p, pl_fw step, pl_vec3w gradient) {
    pl_fw s = step * p->w;
    p->x = pl_fma_w(s, gradient.x, p->x);
    p->y = pl_fma_w(s, gradient.y, p->y);
    p->z = pl_fma_w(s, gradient.z, p->z);
}

// C = |a - b| - rest; a limit is projected only if C > 0
PL_WIDE void project_distance(const block_view* b, bool is_limit, float* p) {
    pl_float4w a = pl_load4_at_w(p, b->vertices), c = pl_load4_at_w(p, b->vertices + PL_LANES);
    pl_vec3w d = pl_sub_w(xyz(a), xyz(c));
    pl_fw rest = pl_load_w(b->values), length2 = pl_dot_w(d, d), zero = {0};
    pl_iw apart = length2 > NOTHING;
    pl_fw inverse = pl_select_w(apart, pl_rsqrt_w(length2), zero);
    pl_fw error = length2 * inverse - rest, weight = a.w + c.w;
    if (is_limit) error = pl_max_w(error, zero);
    pl_fw change = {0};
    if (b->numbers->damping > 0.0f) {
        const float* start = b->numbers->start;
        pl_vec3w before = pl_sub_w(xyz(pl_load4_at_w(start, b->vertices)),
                                   xyz(pl_load4_at_w(start, b->vertices + PL_LANES)));
        change = inverse * pl_dot_w(d, pl_sub_w(d, before));
        if (is_limit) change = pl_select_w(error > 0.0f, change, zero);
    }
    pl_fw step = inverse * step_length(b, 0, error, change, weight);
    move(&a, step, d);
    move(&c, -step, d);
    pl_store4_at_w(p, b->vertices, a);
    pl_store4_at_w(p, b->vertices + PL_LANES, c);
}

// The common case, distances without compliance. The ends are subtracted in memory order, a float4
// each, and only x y z of the difference are transposed to lanes. This needs a third of the
// shuffles of transposing both ends and back. The share of a correction for each end is precomputed
// (pl_sweeper_weigh), so inverse masses need not be transposed.
//
// Row k of two ends holds the float4 of lanes k, k + 4, ...
enum { ROWS = 4 };

typedef struct stiff_edges {
    pl_fw a[ROWS], c[ROWS], d[ROWS]; // d = a - c
} stiff_edges;

#if PL_LANES == 1
PL_WIDE void load_rows(const float* p, const int32_t* offset, pl_fw rows[ROWS]) {
    for (int k = 0; k < ROWS; k++) rows[k] = pl_splat_w(p[offset[0] + k]);
}
PL_WIDE void store_rows(float* p, const int32_t* offset, const pl_fw rows[ROWS]) {
    for (int k = 0; k < ROWS; k++) p[offset[0] + k] = rows[k][0];
}
// transposes rows to x y z of each lane
PL_WIDE pl_vec3w turn_rows(const pl_fw rows[ROWS]) { return (pl_vec3w){rows[0], rows[1], rows[2]}; }
// rows += factor of their lane times d, except in the inverse masses
PL_WIDE void move_rows(pl_fw rows[ROWS], pl_fw factor, const pl_fw d[ROWS]) {
    for (int k = 0; k < 3; k++) rows[k] = pl_fma_w(factor, d[k], rows[k]);
}
PL_WIDE void without_fourth(pl_fw rows[ROWS]) { (void)rows; }
#else
PL_WIDE void load_rows(const float* p, const int32_t* offset, pl_fw rows[ROWS]) {
    for (int k = 0; k < ROWS; k++) rows[k] = pl_load_every4_w(p, offset, k, 1);
}
PL_WIDE void store_rows(float* p, const int32_t* offset, const pl_fw rows[ROWS]) {
    for (int k = 0; k < ROWS; k++) {
        pl_f4 parts[PL_LANES / 4];
        pl_split4_w(rows[k], parts);
        for (int i = 0; i < PL_LANES / 4; i++) *(pl_f4*)(p + offset[k + 4 * i]) = parts[i];
    }
}
PL_WIDE pl_vec3w turn_rows(const pl_fw rows[ROWS]) {
    pl_float4w t = pl_transpose4_w(rows[0], rows[1], rows[2], rows[3]);
    return (pl_vec3w){t.x, t.y, t.z};
}
PL_WIDE void move_rows(pl_fw rows[ROWS], pl_fw factor, const pl_fw d[ROWS]) {
    rows[0] = pl_fma_w(PL_SHUFFLE_W(factor, factor, 0, 0, 0, 0), d[0], rows[0]);
    rows[1] = pl_fma_w(PL_SHUFFLE_W(factor, factor, 1, 1, 1, 1), d[1], rows[1]);
    rows[2] = pl_fma_w(PL_SHUFFLE_W(factor, factor, 2, 2, 2, 2), d[2], rows[2]);
    rows[3] = pl_fma_w(PL_SHUFFLE_W(factor, factor, 3, 3, 3, 3), d[3], rows[3]);
}
PL_WIDE void without_fourth(pl_fw rows[ROWS]) {
    pl_iw xyz_only;
    for (int i = 0; i < PL_LANES; i++) xyz_only[i] = i % 4 == 3 ? 0 : -1;
    for (int k = 0; k < ROWS; k++) rows[k] = pl_from_bits_w(pl_bits_w(rows[k]) & xyz_only);
}
#endif

PL_WIDE stiff_edges load_edges(const float* p, const int32_t* vertices) {
    stiff_edges e;
    load_rows(p, vertices, e.a);
    load_rows(p, vertices + PL_LANES, e.c);
    for (int k = 0; k < ROWS; k++) e.d[k] = e.a[k] - e.c[k];
    return e;
}

// Moves the ends by (1 - rest / length) times the vector from c to a, times the share of each end.
// The squared length is never zero, so the factor is finite even if the particles coincide.
PL_WIDE void project_edges(stiff_edges* e, const float* rest, const float* shares, bool is_limit) {
    pl_vec3w d = turn_rows(e->d);
    pl_fw length2 = pl_fma_w(d.z, d.z, pl_splat_w(SHORTEST2));
    length2 = pl_fma_w(d.x, d.x, pl_fma_w(d.y, d.y, length2));
    pl_fw part = pl_fnma_w(pl_load_w(rest), pl_rsqrt_w(length2), pl_splat_w(1.0f));
    if (is_limit) part = pl_max_w(part, pl_splat_w(0.0f));
    without_fourth(e->d);
    move_rows(e->a, part * pl_load_w(shares), e->d);
    move_rows(e->c, part * pl_load_w(shares + PL_LANES), e->d);
}

PL_WIDE void store_edges(const stiff_edges* e, const int32_t* vertices, float* p) {
    store_rows(p, vertices, e->a);
    store_rows(p, vertices + PL_LANES, e->c);
}

PL_WIDE void project_stiff_distances(const pl_block_list* list, int begin, int end, bool backward,
                                     bool is_limit, float* p) {
    ptrdiff_t step = backward ? -PL_LANES : PL_LANES;
    size_t first = (size_t)(backward ? end - 1 : begin) * PL_LANES;
    const int32_t* vertices = list->vertices + 2 * first;
    const float *rest = list->values + first, *shares = list->shares + 2 * first;
    for (int k = begin; k < end; k++, vertices += 2 * step, rest += step, shares += 2 * step) {
        stiff_edges e = load_edges(p, vertices);
        project_edges(&e, rest, shares, is_limit);
        store_edges(&e, vertices, p);
    }
}

typedef struct four_corners {
    pl_float4w x[4];
    pl_vec3w start[4]; // positions at the start of the step, with damping only
} four_corners;

PL_WIDE void load_corners(const block_view* b, const float* p, four_corners* c) {
    for (int i = 0; i < 4; i++) c->x[i] = pl_load4_at_w(p, b->vertices + i * PL_LANES);
    if (b->numbers->damping > 0.0f)
        for (int i = 0; i < 4; i++)
            c->start[i] = xyz(pl_load4_at_w(b->numbers->start, b->vertices + i * PL_LANES));
}

PL_WIDE void store_corners(const block_view* b, float* p, const four_corners* c) {
    for (int i = 0; i < 4; i++) pl_store4_at_w(p, b->vertices + i * PL_LANES, c->x[i]);
}

// Moves four corners along the gradient of one scalar constraint, the k-th of its block. least:
// lower bound of the squared gradient, for degenerate shapes.
//
// If held corners have nearly all of the gradient, the free ones cannot satisfy the constraint: the
// strains of a held face depend on the fourth corner only through rounding. Eq. 4 would divide by
// this and throw the free corner away. So the weight is at least a fraction of that with all
// corners free.
PL_WIDE void project_four(const block_view* b, int k, pl_fw error, const pl_vec3w gradient[4],
                          pl_fw least, four_corners* c) {
    pl_fw weight = {0}, square = {0}, lightest = {0}, change = {0};
    pl_float4w* x = c->x;
    for (int i = 0; i < 4; i++) {
        pl_fw own = pl_dot_w(gradient[i], gradient[i]);
        weight = pl_fma_w(x[i].w, own, weight);
        square += own;
        lightest = pl_max_w(lightest, x[i].w);
    }
    weight = pl_max_w(weight, MIN_WEIGHT * lightest * pl_max_w(square, least));
    if (b->numbers->damping > 0.0f)
        for (int i = 0; i < 4; i++)
            change += pl_dot_w(gradient[i], pl_sub_w(xyz(x[i]), c->start[i]));
    pl_fw step = step_length(b, k, error, change, weight);
    for (int i = 0; i < 4; i++) move(&x[i], step, gradient[i]);
}

// The linearisation is valid for small angles only, so a projection changes at most half a radian.
PL_WIDE void project_hinge(const block_view* b, float* p) {
    four_corners c;
    pl_vec3w at[4], gradient[4];
    load_corners(b, p, &c);
    for (int i = 0; i < 4; i++) at[i] = xyz(c.x[i]);
    pl_fw error = pl_bending_w(at, pl_load_w(b->values), pl_splat_w(1.0f), gradient);
    error = pl_min_w(pl_max_w(error, pl_splat_w(-0.5f)), pl_splat_w(0.5f));
    project_four(b, 0, error, gradient, (pl_fw){0}, &c);
    store_corners(b, p, &c);
}

// C = det(edges) / (6 V) - 1
PL_WIDE void project_volume(const block_view* b, float* p) {
    four_corners c;
    load_corners(b, p, &c);
    const pl_float4w* x = c.x;
    pl_vec3w e1 = pl_sub_w(xyz(x[1]), xyz(x[0])), e2 = pl_sub_w(xyz(x[2]), xyz(x[0])),
             e3 = pl_sub_w(xyz(x[3]), xyz(x[0]));
    pl_fw inverse = pl_load_w(b->values);
    pl_vec3w gradient[4];
    gradient[1] = pl_scale_w(inverse, pl_cross_w(e2, e3));
    gradient[2] = pl_scale_w(inverse, pl_cross_w(e3, e1));
    gradient[3] = pl_scale_w(inverse, pl_cross_w(e1, e2));
    pl_vec3w sum = pl_add_w(gradient[1], pl_add_w(gradient[2], gradient[3]));
    gradient[0] = pl_sub_w((pl_vec3w){{0}, {0}, {0}}, sum);
    // the squared gradient at rest is about V^(-2/3); without this lower bound, a tet that
    // collapsed to a line would blow up
    pl_fw six = 6.0f * inverse, at_rest = six * pl_rcbrt_w(six);
    project_four(b, 0, pl_dot_w(e1, gradient[1]) - 1.0f, gradient, at_rest, &c);
    store_corners(b, p, &c);
}

// F e_i = sum over corners k of (x_k - x_0) B_ki
PL_WIDE pl_vec3w strain_axis(const pl_float4w x[4], const pl_fw B[9], int i) {
    pl_vec3w f = pl_scale_w(B[i], pl_sub_w(xyz(x[1]), xyz(x[0])));
    f = pl_madd_w(f, B[3 + i], pl_sub_w(xyz(x[2]), xyz(x[0])));
    return pl_madd_w(f, B[6 + i], pl_sub_w(xyz(x[3]), xyz(x[0])));
}

// gradient of u . F e_i + v . F e_j with respect to the corners
PL_WIDE void strain_gradient(const pl_fw B[9], pl_vec3w u, int i, pl_vec3w v, int j,
                             pl_vec3w gradient[4]) {
    gradient[0] = (pl_vec3w){{0}, {0}, {0}};
    for (int k = 0; k < 3; k++) {
        gradient[k + 1] = pl_madd_w(pl_scale_w(B[3 * k + i], u), B[3 * k + j], v);
        gradient[0] = pl_sub_w(gradient[0], gradient[k + 1]);
    }
}

PL_WIDE void project_strain(const block_view* b, float* p) {
    four_corners corners = {0}, *c = &corners; // the start is loaded with damping only
    load_corners(b, p, c);
    pl_fw B[9], zero = {0};
    for (int k = 0; k < 9; k++) B[k] = pl_load_w(b->values + k * PL_LANES);
    pl_vec3w nothing = {zero, zero, zero}, gradient[4];
    for (int i = 0; i < 3; i++) {
        pl_vec3w f = strain_axis(c->x, B, i);
        pl_fw length2 = pl_dot_w(f, f);
        pl_iw usable = length2 > 1e-12f;
        pl_fw inverse = pl_select_w(usable, pl_rsqrt_w(length2), zero);
        strain_gradient(B, pl_scale_w(inverse, f), i, nothing, i, gradient);
        pl_fw error = pl_select_w(usable, length2 * inverse - 1.0f, zero);
        project_four(b, i, error, gradient, zero, c);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        pl_vec3w f = strain_axis(c->x, B, i), g = strain_axis(c->x, B, j);
        strain_gradient(B, g, i, f, j, gradient);
        project_four(b, 3 + i, pl_dot_w(f, g), gradient, zero, c);
    }
    store_corners(b, p, c);
}

static inline block_view view_of(const pl_block_list* list, int block,
                                 const pl_sweep_numbers* numbers) {
    const pl_constraint_traits* t = &pl_constraint_traits_of[list->kind];
    size_t at = (size_t)block * PL_LANES, m = at * (size_t)t->multipliers;
    return (block_view){list->vertices + at * (size_t)t->corners,
                        list->values + at * (size_t)t->values,
                        list->compliance ? list->compliance + m : NULL,
                        list->compliance ? list->multipliers + m : NULL,
                        pl_splat_w(list->stiffness),
                        numbers};
}

#define FOR_BLOCKS(call)                                                                           \
    for (int k = 0; k < end - begin; k++) {                                                        \
        block_view view = view_of(list, backward ? end - 1 - k : begin + k, numbers);              \
        call;                                                                                      \
    }                                                                                              \
    break

void pl_project_blocks(const pl_block_list* list, int begin, int end, bool backward,
                       const pl_sweep_numbers* numbers, float* p) {
    switch (list->kind) {
    case PL_CONSTRAINT_DISTANCE:
        if (!list->compliance) {
            project_stiff_distances(list, begin, end, backward, false, p);
            break;
        }
        FOR_BLOCKS(project_distance(&view, false, p));
    case PL_CONSTRAINT_LIMIT:
        if (!list->compliance) {
            project_stiff_distances(list, begin, end, backward, true, p);
            break;
        }
        FOR_BLOCKS(project_distance(&view, true, p));
    case PL_CONSTRAINT_HINGE: FOR_BLOCKS(project_hinge(&view, p));
    case PL_CONSTRAINT_VOLUME: FOR_BLOCKS(project_volume(&view, p));
    case PL_CONSTRAINT_STRAIN: FOR_BLOCKS(project_strain(&view, p));
    case PL_CONSTRAINT_TET: pl_project_tets(list, begin, end, backward, numbers, p); break;
    default: break;
    }
}
