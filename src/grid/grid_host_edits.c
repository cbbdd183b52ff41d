// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "grid/grid_body.h"

#include <math.h>
#include <pliant/embed.h>

// A change counts as affine if its deviation, relative to the largest change, is below this.
#define AFFINE_TOLERANCE 1e-6

typedef struct affine {
    pl_vec3 linear;
    pl_mat3 gradient;
} affine;

static pl_vec3 change_of(const double* now, const double* before, size_t v) {
    return pl_sub(pl_vec3_load(now + 3 * v), pl_vec3_load(before + 3 * v));
}

// affine field of rest positions that best fits the change
static affine fit(const pl_grid_body* b, const double* now, const double* before) {
    pl_vec3 middle = {0, 0, 0}, mean = {0, 0, 0};
    pl_mat3 moment = {{0}}, spread = {{0}}, inverse;
    double share = 1.0 / b->vertex_count;
    for (size_t v = 0; v < (size_t)b->vertex_count; v++) {
        middle = pl_madd(middle, share, pl_vec3_load(b->rest + 3 * v));
        mean = pl_madd(mean, share, change_of(now, before, v));
    }
    for (size_t v = 0; v < (size_t)b->vertex_count; v++) {
        pl_vec3 x = pl_sub(pl_vec3_load(b->rest + 3 * v), middle);
        moment = pl_mat3_add(moment, pl_outer(pl_sub(change_of(now, before, v), mean), x));
        spread = pl_mat3_add(spread, pl_outer(x, x));
    }
    affine f = {.gradient = {{0}}};
    if (pl_mat3_inverse(spread, &inverse)) f.gradient = pl_mat3_mul(moment, inverse);
    f.linear = pl_sub(mean, pl_mat3_apply(&f.gradient, middle));
    return f;
}

static bool fits(const pl_grid_body* b, const affine* f, const double* now, const double* before) {
    double most = 0.0, size = 0.0;
    for (size_t v = 0; v < (size_t)b->vertex_count; v++) {
        pl_vec3 change = change_of(now, before, v);
        pl_vec3 rest = pl_vec3_load(b->rest + 3 * v);
        pl_vec3 expected = pl_add(f->linear, pl_mat3_apply(&f->gradient, rest));
        most = fmax(most, pl_distance(change, expected));
        size = fmax(size, pl_norm(change));
    }
    return most <= AFFINE_TOLERANCE * size;
}

// ------------------------------------------------------------------ through the tets

// Rest positions of the faces of one axis, 3 numbers each, in segment order.
static pl_status face_places(const pl_grid_body* b, int axis, pl_mesh** out, pl_error* error) {
    const pl_grid_level* l = &b->lattice.levels[0];
    int count = 0;
    for (int s = 0; s < l->segment_count; s++) count += l->segments[s].count * PL_GRID_CHUNK;
    double* places = PL_ALLOC(double, 3 * (size_t)count);
    if (!places) return pl_fail_memory(error, "the faces of a lattice");
    double* at = places;
    for (int s = 0; s < l->segment_count; s++)
        for (int i = 0; i < l->segments[s].count * PL_GRID_CHUNK; i++, at += 3)
            pl_grid_face_rest(b, &l->segments[s], axis, i, at);
    pl_status status = pl_mesh_create(places, count, NULL, 0, NULL, 0, out, error);
    PL_FREE(places, double, 3 * (size_t)count);
    return status;
}

// Adds one component of values to the faces; optionally subtracts others.
static void add_values(const pl_grid_body* b, int axis, const double* values, const double* less,
                       double* field) {
    const pl_grid_level* l = &b->lattice.levels[0];
    size_t at = (size_t)axis;
    for (int s = 0; s < l->segment_count; s++)
        for (int i = 0; i < l->segments[s].count * PL_GRID_CHUNK; i++, at += 3)
            field[l->segments[s].begin + i] += values[at] - (less ? less[at] : 0.0);
}

typedef struct change {
    const double *now, *before;
    bool turns; // edits of positions: faces outside the tets rotate with them; false: plain values
} change;

static pl_status add_axis(pl_grid_body* b, const pl_mesh* solid, const change* c, int axis,
                          double* field, pl_error* error) {
    pl_mesh* faces = NULL;
    pl_embedding* tie = NULL;
    pl_status status = face_places(b, axis, &faces, error);
    if (status == PL_OK) status = pl_embedding_create(solid, faces, b->pool, &tie, error);
    size_t size = faces ? 3 * (size_t)faces->vertex_count : 0;
    double* now = PL_ALLOC(double, size);
    double* before = PL_ALLOC(double, size);
    if (status == PL_OK && !(now && before)) status = pl_fail_memory(error, "a bent lattice");
    if (status == PL_OK && c->turns) {
        pl_embedding_deform(tie, c->now, b->pool, now, NULL);
        pl_embedding_deform(tie, c->before, b->pool, before, NULL);
    } else if (status == PL_OK) {
        pl_embedding_interpolate(tie, c->now, 3, now);
        pl_embedding_interpolate(tie, c->before, 3, before);
    }
    if (status == PL_OK) add_values(b, axis, now, before, field);
    PL_FREE(now, double, size);
    PL_FREE(before, double, size);
    pl_embedding_destroy(tie);
    pl_mesh_destroy(faces);
    return status;
}

static pl_status take_over(pl_grid_body* b, double* const field[3], const change* c,
                           pl_error* error) {
    affine f = fit(b, c->now, c->before);
    if (b->tet_count == 0 || fits(b, &f, c->now, c->before)) {
        pl_grid_body_add_field(b, field, f.linear, &f.gradient);
        return PL_OK;
    }
    pl_mesh* solid = NULL;
    pl_status status =
        pl_mesh_create(b->rest, b->vertex_count, b->tets, b->tet_count, NULL, 0, &solid, error);
    for (int a = 0; status == PL_OK && a < 3; a++)
        status = add_axis(b, solid, c, a, field[a], error);
    pl_mesh_destroy(solid);
    // as a step sees it, or momentum would differ
    pl_grid_extend(&b->map, field);
    return status;
}

pl_status pl_grid_apply_position_edits(pl_grid_body* b, const double* now, const double* before,
                                       pl_error* error) {
    return take_over(b, b->state.u, &(change){now, before, true}, error);
}

pl_status pl_grid_apply_velocity_edits(pl_grid_body* b, const double* now, const double* before,
                                       pl_error* error) {
    return take_over(b, b->velocity, &(change){now, before, false}, error);
}
