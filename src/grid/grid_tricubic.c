// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The paper uses values, slopes and mixed derivatives at the eight corners of a cell (Lekien and
// Marsden 2005), with derivatives by central differences. The cubic is then the product of
// Catmull-Rom splines along the three axes, which needs no matrix: 64 faces and four weights per
// axis. It reproduces linear fields exactly.
//
// Vertices between the same faces share a stencil. Near the surface the stencil reaches two cells
// beyond the body, one more than the lattice stores; such faces are ghosts. Each ghost has a single
// value, extrapolated linearly from inside, for all stencils that use it; otherwise slopes would
// differ between neighbours.
#include "base/array.h"
#include "base/memory.h"
#include "grid/grid_embedding.h"

#include <stdlib.h>
#include <string.h>

typedef struct face {
    int axis, at[3];
} face;

typedef struct builder {
    const pl_grid_level* level;
    pl_array bases;   // of type face: low corner of each stencil's centre
    pl_array missing; // of type face: the ghosts, sorted
    uint8_t* passes;  // per ghost: pass in which it became known; 0: not yet
    pl_grid_extender ghosts;
    bool lost;
} builder;

void pl_grid_tricubic_free(pl_grid_tricubic* t) {
    pl_free(t->places, (size_t)t->vertex_count * sizeof *t->places);
    pl_free(t->stencils, (size_t)t->stencil_count * sizeof *t->stencils);
    PL_FREE(t->values, double, t->ghosts.count);
    pl_grid_extensions_free(&t->ghosts);
    *t = (pl_grid_tricubic){0};
}

// ------------------------------------------------------------------ stencils

// positions of vertices in stencils, and the base of each stencil that they need
static pl_status place_vertices(builder* b, const pl_grid_cells* cells, const pl_grid_frame* frame,
                                const double* positions, pl_grid_tricubic* out, pl_error* error) {
    size_t size = (size_t)b->level->field_size;
    int* numbers = PL_ALLOC(int, 3 * size); // number of the stencil with this base, from 1
    if (!numbers) return pl_fail_memory(error, "a tricubic embedding");
    for (int v = 0; v < out->vertex_count && !b->lost; v++) {
        int base[3][3];
        float fraction[3][3];
        pl_grid_place(cells, frame, positions + 3 * (size_t)v, base, fraction);
        for (int a = 0; a < 3; a++) {
            int index = pl_grid_index(b->level, base[a][0], base[a][1], base[a][2]);
            int* number = &numbers[(size_t)a * size + (size_t)index];
            if (*number == 0) {
                const face at = {a, {base[a][0], base[a][1], base[a][2]}};
                if (!pl_array_push(&b->bases, &at)) b->lost = true;
                *number = (int)b->bases.count;
            }
            out->places[v][a].stencil = *number - 1;
            memcpy(out->places[v][a].fraction, fraction[a], sizeof fraction[a]);
        }
    }
    PL_FREE(numbers, int, 3 * size);
    return b->lost ? pl_fail_memory(error, "a tricubic embedding") : PL_OK;
}

static face stencil_face(const face* base, int n) {
    return (face){base->axis,
                  {base->at[0] + n % 4 - 1, base->at[1] + n / 4 % 4 - 1, base->at[2] + n / 16 - 1}};
}

static int compare_faces(const void* one, const void* two) {
    const face *p = one, *q = two;
    if (p->axis != q->axis) return p->axis < q->axis ? -1 : 1;
    for (int d = 2; d >= 0; d--)
        if (p->at[d] != q->at[d]) return p->at[d] < q->at[d] ? -1 : 1;
    return 0;
}

// index of a face in the fields, or -1 - ghost, or NOWHERE
enum { NOWHERE = -2147483647 };
static int find_face(const builder* b, const face* f) {
    int index = pl_grid_index(b->level, f->at[0], f->at[1], f->at[2]);
    if (index >= 0) return index;
    const face* all = b->missing.data;
    const face* found =
        b->missing.count ? bsearch(f, all, b->missing.count, sizeof *f, compare_faces) : NULL;
    return found ? -1 - (int)(found - all) : NOWHERE;
}

static void list_missing(builder* b) {
    const face* bases = b->bases.data;
    for (size_t s = 0; s < b->bases.count; s++)
        for (int n = 0; n < PL_GRID_STENCIL; n++) {
            face f = stencil_face(&bases[s], n);
            if (pl_grid_index(b->level, f.at[0], f.at[1], f.at[2]) < 0 &&
                !pl_array_push(&b->missing, &f))
                b->lost = true;
        }
    face* all = b->missing.data;
    size_t count = b->missing.count, kept = 0;
    if (count) qsort(all, count, sizeof *all, compare_faces);
    for (size_t k = 0; k < count; k++)
        if (kept == 0 || compare_faces(&all[kept - 1], &all[k]) != 0) all[kept++] = all[k];
    b->missing.count = kept;
}

// ------------------------------------------------------------------ ghosts

static bool is_known(const builder* b, int found, int pass) {
    if (found >= 0) return true;
    return found != NOWHERE && b->passes[-1 - found] && b->passes[-1 - found] < pass;
}

// extrapolates a ghost from known faces; false if there are no two in a row
static bool make_ghost(builder* b, int ghost, int pass) {
    const face* f = (const face*)b->missing.data + ghost;
    int near[6], far[6], count = 0;
    for (int n = 0; n < 6; n++) {
        face p = *f, q = *f;
        p.at[n / 2] += n % 2 ? 1 : -1;
        q.at[n / 2] += n % 2 ? 2 : -2;
        near[count] = find_face(b, &p), far[count] = find_face(b, &q);
        count += is_known(b, near[count], pass) && is_known(b, far[count], pass);
    }
    if (count == 0) return false;
    pl_grid_extender_add(&b->ghosts, f->axis, ghost, count, near, far);
    b->passes[ghost] = (uint8_t)pass;
    return true;
}

// The centre of a stencil is stored, so faces beyond one of its sides follow from it, those beyond
// an edge from these, and so on: three passes reach all.
static pl_status make_ghosts(builder* b, pl_error* error) {
    size_t count = b->missing.count;
    b->passes = PL_ALLOC(uint8_t, count);
    if (!b->passes && count) return pl_fail_memory(error, "a tricubic embedding");
    for (int pass = 1; pass <= 3; pass++)
        for (size_t g = 0; g < count && !b->ghosts.lost; g++)
            if (!b->passes[g]) make_ghost(b, (int)g, pass);
    PL_FREE(b->passes, uint8_t, count);
    return b->ghosts.lost ? pl_fail_memory(error, "a tricubic embedding") : PL_OK;
}

// ------------------------------------------------------------------ creation

static pl_status build(builder* b, pl_grid_tricubic* out, pl_error* error) {
    list_missing(b);
    pl_status status = b->lost ? pl_fail_memory(error, "a tricubic embedding") : PL_OK;
    if (status == PL_OK) status = make_ghosts(b, error);
    if (status != PL_OK) return status;
    out->stencils = pl_alloc_items(b->bases.count, sizeof *out->stencils);
    if (!out->stencils && b->bases.count) return pl_fail_memory(error, "a tricubic embedding");
    out->stencil_count = (int)b->bases.count;
    for (int s = 0; s < out->stencil_count; s++)
        for (int n = 0; n < PL_GRID_STENCIL; n++) {
            face f = stencil_face((const face*)b->bases.data + s, n);
            out->stencils[s][n] = find_face(b, &f);
        }
    const bool ok = pl_grid_extender_take(&b->ghosts, &out->ghosts);
    if (ok) out->values = PL_ALLOC(double, out->ghosts.count);
    return ok && (out->values || !out->ghosts.count)
               ? PL_OK
               : pl_fail_memory(error, "a tricubic embedding");
}

pl_status pl_grid_tricubic_create(const pl_grid_level* level, const pl_grid_cells* cells,
                                  const pl_grid_frame* frame, const double* positions,
                                  int vertex_count, pl_grid_tricubic* out, pl_error* error) {
    *out = (pl_grid_tricubic){.vertex_count = vertex_count};
    out->places = pl_alloc_items((size_t)vertex_count, sizeof *out->places);
    if (!out->places && vertex_count) {
        out->vertex_count = 0;
        return pl_fail_memory(error, "a tricubic embedding");
    }
    builder b = {.level = level,
                 .bases = pl_array_of(sizeof(face)),
                 .missing = pl_array_of(sizeof(face)),
                 .ghosts = pl_grid_extender_start()};
    pl_status status = place_vertices(&b, cells, frame, positions, out, error);
    if (status == PL_OK) status = build(&b, out, error);
    pl_array_free(&b.bases), pl_array_free(&b.missing);
    pl_grid_extender_free(&b.ghosts);
    if (status != PL_OK) pl_grid_tricubic_free(out);
    return status;
}

// ------------------------------------------------------------------ interpolation

// Catmull-Rom: the cubic through the two middle values, with the slopes of central differences
static void cubic_weights(double t, double w[4]) {
    w[0] = 0.5 * t * (-1.0 + t * (2.0 - t));
    w[1] = 0.5 * (2.0 + t * t * (3.0 * t - 5.0));
    w[2] = 0.5 * t * (1.0 + t * (4.0 - 3.0 * t));
    w[3] = 0.5 * t * t * (t - 1.0);
}

// along z, then y, then x, so that most of the work runs along contiguous memory
static double blend(const double* value, const pl_grid_cubic_place* place) {
    double w[3][4], plane[16], row[4];
    for (int d = 0; d < 3; d++) cubic_weights(place->fraction[d], w[d]);
    for (int n = 0; n < 16; n++)
        plane[n] = w[2][0] * value[n] + w[2][1] * value[16 + n] + w[2][2] * value[32 + n] +
                   w[2][3] * value[48 + n];
    for (int n = 0; n < 4; n++)
        row[n] = w[1][0] * plane[n] + w[1][1] * plane[4 + n] + w[1][2] * plane[8 + n] +
                 w[1][3] * plane[12 + n];
    return w[0][0] * row[0] + w[0][1] * row[1] + w[0][2] * row[2] + w[0][3] * row[3];
}

typedef struct cubic_job {
    const pl_grid_tricubic* map;
    double* const* u;
    double* out;
} cubic_job;

static double value_of(const pl_grid_tricubic* t, const double* u, int source) {
    return source >= 0 ? u[source] : t->values[-1 - source];
}

static void cubic_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const cubic_job* job = user;
    const pl_grid_tricubic* t = job->map;
    double values[PL_GRID_STENCIL];
    for (int a = 0; a < 3; a++) {
        int gathered = -1; // consecutive vertices often share a cell
        for (int v = begin; v < end; v++) {
            const pl_grid_cubic_place* place = &t->places[v][a];
            if (place->stencil != gathered) {
                gathered = place->stencil;
                const int* sources = t->stencils[gathered];
                for (int n = 0; n < PL_GRID_STENCIL; n++)
                    values[n] = value_of(t, job->u[a], sources[n]);
            }
            job->out[3 * (size_t)v + (size_t)a] = blend(values, place);
        }
    }
}

void pl_grid_tricubic_interpolate(pl_grid_tricubic* t, double* const u[3], double* out,
                                  pl_pool* pool) {
    for (int k = 0; k < t->ghosts.count; k++) {
        const pl_grid_extension* x = &t->ghosts.items[k];
        double sum = 0.0;
        for (int n = x->first; n < x->first + x->count; n++)
            sum += t->ghosts.weights[n] * value_of(t, u[x->axis], t->ghosts.sources[n]);
        t->values[x->index] = sum;
    }
    pl_parallel_for(pool, cubic_task, t->vertex_count, 1024, &(cubic_job){t, u, out});
}
