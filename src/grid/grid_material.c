// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A cut cell is as stiff as it is full. Otherwise a body would be as stiff as if all its cells were
// full: a bar of 3.1 cells across would bend half as much, like one of 4.
//
// Each tet contributes its modulus to the cells that its sample points lie in. A cell takes the
// mean of its contributions; cells without any take that of their neighbours.
#include "grid/grid_material.h"
#include "base/memory.h"
#include "geometry/solid.h"

#include <math.h>
#include <string.h>

// Smallest fraction of a cell's modulus: below it, cells would have almost no stiffness.
static const float MIN_FRACTION = 0.1f;

typedef struct fraction_job {
    const pl_solid* solid;
    const pl_grid_level* level;
    const pl_grid_cells* cells;
    const pl_grid_frame* frame;
    float* fractions;
} fraction_job;

// Filled fraction of a cell: each of its eighths is cut by a plane at its distance from the
// surface. Negative if no eighth has its centre inside.
static double fraction_of(const fraction_job* job, const int at[3]) {
    double points[24], distance[8], middle[3], sum = 0.0, least = HUGE_VAL, h = job->frame->cell;
    for (int d = 0; d < 3; d++)
        middle[d] = job->frame->origin[d] + h * pl_grid_unfolded(job->frame, d, at[d] + 0.5);
    pl_solid_distances(job->solid, middle, 1, h, distance);
    if (distance[0] < -0.87 * h) return 1.0; // farther inside than its corners are away
    for (int n = 0; n < 8; n++)
        for (int d = 0; d < 3; d++) points[3 * n + d] = middle[d] + (n >> d & 1 ? 0.25 : -0.25) * h;
    pl_solid_distances(job->solid, points, 8, h, distance);
    for (int n = 0; n < 8; n++) {
        sum += fmin(fmax(0.5 - 2.0 * distance[n] / h, 0.0), 1.0);
        least = fmin(least, distance[n]);
    }
    // a side between two layers of cells cuts neither
    if (sum > 8.0 - 1e-5) return 1.0;
    return least < 0.0 ? sum / 8.0 : -sum / 8.0;
}

static void fraction_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const fraction_job* job = user;
    for (int s = begin; s < end; s++) {
        const pl_grid_segment* g = &job->level->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            const int at[3] = {g->x + i, g->y, g->z};
            if (pl_grid_cell(job->cells, at[0], at[1], at[2]) != PL_CELL_EXTERIOR)
                job->fractions[g->begin + i] = (float)fraction_of(job, at);
        }
    }
}

// sums the fractions and clamps them for use as moduli; true if all are 1
static bool finish_fractions(const pl_grid_level* level, const pl_grid_cells* cells,
                             float* fractions, pl_grid_filling* out) {
    bool full = true;
    for (int s = 0; s < level->segment_count; s++) {
        const pl_grid_segment* g = &level->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            float* own = &fractions[g->begin + i];
            if (pl_grid_cell(cells, g->x + i, g->y, g->z) == PL_CELL_EXTERIOR) continue;
            out->has_inside = out->has_inside || *own > 0.0f;
            out->cells += fabs(*own);
            *own = fmaxf(fabsf(*own), MIN_FRACTION);
            full = full && *own == 1.0f;
        }
    }
    return full;
}

pl_status pl_grid_fractions(const pl_mesh* surface, const pl_grid_level* level,
                            const pl_grid_cells* cells, const pl_grid_frame* frame, pl_pool* pool,
                            pl_grid_filling* out, pl_error* error) {
    int size = level->field_size;
    pl_solid solid;
    pl_status status = pl_solid_build(surface->positions, surface->triangles,
                                      surface->triangle_count, false, &solid, error);
    *out = (pl_grid_filling){0};
    if (status != PL_OK) return status;
    float* fractions = PL_ALLOC(float, size);
    if (fractions) {
        for (int i = 0; i < size; i++) fractions[i] = 1.0f;
        pl_parallel_for(pool, fraction_task, level->segment_count, 16,
                        &(fraction_job){&solid, level, cells, frame, fractions});
        if (finish_fractions(level, cells, fractions, out)) PL_FREE(fractions, float, size);
        else out->fractions = fractions;
    } else status = pl_fail_memory(error, "the cells of a lattice");
    pl_solid_free(&solid);
    return status;
}

// lambda / mu must be uniform: it is a constant of the cycles
static pl_status check(const pl_method_body* def, double mu, double lambda, bool* differs,
                       pl_error* error) {
    *differs = false;
    for (int e = 0; e < def->mesh->tet_count; e++) {
        const pl_element_material* m = &def->materials[e];
        if (fabs(m->lambda * mu - lambda * m->mu) > 1e-6 * (lambda * m->mu + mu * m->mu))
            return pl_fail(error, PL_ERROR_UNSUPPORTED,
                           "body \"%s\": with method grid regions may differ in young, not in "
                           "poisson; give all the same poisson",
                           def->body->name);
        *differs = *differs || m->mu != mu;
    }
    return PL_OK;
}

// adds the modulus of a tet to the cells of its points
static void add_tet(const pl_method_body* def, const pl_grid_level* level,
                    const pl_grid_frame* frame, int e, float* sum, float* count, double mu) {
    const int* v = def->mesh->tets + 4 * (size_t)e;
    const float value = (float)(def->materials[e].mu / mu);
    double at[3];
    for (int k = 0; pl_grid_tet_point(frame, def->mesh->positions, v, &k, at); k++) {
        int cell[3];
        for (int d = 0; d < 3; d++)
            cell[d] =
                (int)floor(pl_grid_folded(frame, d, (at[d] - frame->origin[d]) / frame->cell));
        int index = pl_grid_index(level, cell[0], cell[1], cell[2]);
        if (index >= 0) sum[index] += value, count[index] += 1.0f;
    }
}

// cells without a value take the mean of their neighbours that have one, layer by layer
static void fill_gaps(const pl_grid_level* level, const pl_grid_cells* cells, float* value,
                      float* known) {
    for (float pass = 2.0f; pass < 1000.0f; pass += 1.0f) {
        bool more = false;
        for (int s = 0; s < level->segment_count; s++) {
            const pl_grid_segment* g = &level->segments[s];
            for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
                if (known[g->begin + i] > 0.0f ||
                    pl_grid_cell(cells, g->x + i, g->y, g->z) == PL_CELL_EXTERIOR)
                    continue;
                float sum = 0.0f, count = 0.0f;
                for (int n = 0; n < 27; n++) {
                    int near = pl_grid_index(level, g->x + i + n % 3 - 1, g->y + n / 3 % 3 - 1,
                                             g->z + n / 9 - 1);
                    if (near >= 0 && known[near] > 0.0f && known[near] < pass)
                        sum += value[near], count += 1.0f;
                }
                if (count > 0.0f) value[g->begin + i] = sum / count, known[g->begin + i] = pass;
                more = more || count > 0.0f;
            }
        }
        if (!more) return;
    }
}

// moduli of cells from the tets of the body
static void set_moduli(const pl_method_body* def, const pl_grid_level* level,
                       const pl_grid_cells* cells, const pl_grid_frame* frame, double mu,
                       float* sum, float* count) {
    int size = level->field_size;
    for (int e = 0; e < def->mesh->tet_count; e++) add_tet(def, level, frame, e, sum, count, mu);
    for (int i = 0; i < size; i++)
        if (count[i] > 0.0f) sum[i] /= count[i], count[i] = 1.0f;
    fill_gaps(level, cells, sum, count);
    for (int i = 0; i < size; i++)
        if (count[i] == 0.0f) sum[i] = 1.0f;
}

pl_status pl_grid_moduli(const pl_method_body* def, const pl_grid_level* level,
                         const pl_grid_cells* cells, const pl_grid_frame* frame,
                         const float* fractions, double mu, float** out, pl_error* error) {
    *out = NULL;
    double own_mu, lambda;
    pl_material_def_lame(&def->body->material, &own_mu, &lambda);
    if (def->mesh->tet_count == 0 && (def->body->region_count || def->body->variation_count))
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "body \"%s\": regions and variations need a mesh of tets with method grid; "
                       "this one has only a surface",
                       def->body->name);
    bool differs;
    pl_status status = check(def, own_mu, lambda, &differs, error);
    if (status != PL_OK || (!differs && !fractions)) return status;
    int size = level->field_size;
    float *moduli = PL_ALLOC(float, size), *count = PL_ALLOC(float, size);
    if (!moduli || !count) {
        PL_FREE(moduli, float, size), PL_FREE(count, float, size);
        return pl_fail_memory(error, "the moduli of a lattice");
    }
    if (differs) set_moduli(def, level, cells, frame, mu, moduli, count);
    for (int i = 0; i < size; i++) {
        if (!differs) moduli[i] = 1.0f;
        if (fractions) moduli[i] *= fractions[i];
    }
    PL_FREE(count, float, size);
    *out = moduli;
    return PL_OK;
}
