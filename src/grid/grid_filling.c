// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The size of a body's cells, how much of each the body fills, and the stiffness that follows.
#include "base/memory.h"
#include "geometry/box.h"
#include "geometry/solid.h"
#include "grid/grid_body.h"
#include "mesh/thickness.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------ filled fractions and moduli

// The stiffness of a cut cell is proportional to its filled fraction. Otherwise a body would be as
// stiff as if all its cells were full: a bar of 3.1 cells across would bend half as much, like one
// of 4.
//
// Each tet contributes its modulus to the cells of its sample points. A cell takes the mean of its
// contributions; cells without any take the mean of their neighbours.

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
    if (distance[0] < -0.87 * h) return 1.0; // deeper inside than half of its diagonal
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

// ------------------------------------------------------------------ volume

enum { TRIANGLES_PER_TASK = 256 };
// Distance of the test points on both sides of a triangle, relative to the body's diagonal.
static const double SIDE_DISTANCE = 1e-7;

// The volume of a mesh's tets, of either orientation [m^3].
static double tet_volume(const pl_mesh* mesh) {
    double sum = 0.0;
    for (int t = 0; t < mesh->tet_count; t++) {
        const int* v = mesh->tets + 4 * (size_t)t;
        pl_vec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = pl_vec3_load(mesh->positions + 3 * (size_t)v[i]);
        sum += fabs(pl_det4(x[0], x[1], x[2], x[3])) / 6.0;
    }
    return sum;
}

typedef struct volume_job {
    const pl_mesh* surface;
    const pl_solid* solid;
    pl_vec3 middle;
    double side_distance;
} volume_job;

static double cones_of(int begin, int end, void* user) {
    const volume_job* job = user;
    double sum = 0.0;
    for (int t = begin; t < end; t++) {
        const int* v = job->surface->triangles + 3 * (size_t)t;
        pl_vec3 x[3];
        for (int i = 0; i < 3; i++)
            x[i] = pl_sub(pl_vec3_load(job->surface->positions + 3 * (size_t)v[i]), job->middle);
        pl_vec3 normal = pl_cross(pl_sub(x[1], x[0]), pl_sub(x[2], x[0]));
        double twice_area = pl_norm(normal);
        if (!(twice_area > 0.0)) continue;
        pl_vec3 center = pl_madd(job->middle, 1.0 / 3.0, pl_add(x[0], pl_add(x[1], x[2])));
        double step = job->side_distance / twice_area;
        int sign = (int)pl_solid_inside(job->solid, pl_madd(center, -step, normal)) -
                   (int)pl_solid_inside(job->solid, pl_madd(center, step, normal));
        sum += sign * pl_dot(x[0], pl_cross(x[1], x[2])) / 6.0;
    }
    return sum;
}

// The volume inside a closed surface without intersections [m^3]. Parts may face either way; a part
// inside another that faces the opposite way is a cavity.
//
// Divergence theorem: the volume is the sum of the cones over the triangles that bound the inside.
// A triangle is a boundary if exactly one of its sides is inside. Which side it is decides the sign
// of the cone, not the orientation of the triangle.
static pl_status enclosed_volume(const pl_mesh* surface, pl_pool* pool, double* out,
                                 pl_error* error) {
    pl_solid solid;
    pl_status status = pl_solid_build(surface->positions, surface->triangles,
                                      surface->triangle_count, true, &solid, error);
    *out = 0.0;
    if (status != PL_OK) return status;
    pl_box box = pl_box_empty();
    for (int v = 0; v < surface->vertex_count; v++)
        box = pl_box_add_point(box, pl_vec3_load(surface->positions + 3 * (size_t)v));
    volume_job job = {surface, &solid, pl_lerp(box.low, box.high, 0.5),
                      SIDE_DISTANCE * pl_box_diagonal(box)};
    *out = pl_parallel_sum(pool, cones_of, surface->triangle_count, TRIANGLES_PER_TASK, &job);
    pl_solid_free(&solid);
    return PL_OK;
}

// Default number of cells of a body, and the limit for thin bodies.
enum { DEFAULT_CELLS = 1200, MAX_DEFAULT_CELLS = 20000, CELLS_ACROSS_THIN = 2 };

pl_status pl_grid_choose_cell(pl_grid_body* b, const pl_method_body* def, const pl_mesh* surface,
                              const pl_surface_edges* edges, pl_error* error) {
    const pl_vec3 box = pl_box_size(pl_box_of_points(surface->positions, surface->vertex_count));
    const double longest = fmax(box.x, fmax(box.y, box.z));
    // A surface with holes has at least the volume of a sheet a hundredth as thick as it is long.
    double volume = def->mesh->tet_count ? tet_volume(def->mesh) : fabs(edges->signed_volume);
    if (b->surface_kind != PL_GRID_SURFACE_CLEAN || !(volume > 0.0))
        volume = fmax(0.5 * box.x * box.y * box.z, 0.01 * longest * longest * longest);
    pl_solid solid;
    pl_thickness thickness = {NAN, NAN};
    pl_status status = pl_solid_build(surface->positions, surface->triangles,
                                      surface->triangle_count, false, &solid, error);
    if (status != PL_OK) return status;
    status = pl_surface_thickness(surface, &solid, b->pool, &thickness, error);
    pl_solid_free(&solid);
    double cell = cbrt(volume / DEFAULT_CELLS);
    if (!isnan(thickness.thin)) cell = fmin(cell, thickness.thin / CELLS_ACROSS_THIN);
    b->frame.cell = fmax(cell, cbrt(volume / MAX_DEFAULT_CELLS));
    return status;
}

static float* make_field(float* field, int size, float value) {
    if (field) return field;
    field = PL_ALLOC(float, size);
    for (int i = 0; field && i < size; i++) field[i] = value;
    return field;
}

// Gives cells that were added to thin parts stiffness and mass from the cells beside them.
static pl_status share_with_added(pl_grid_body* b, pl_error* error) {
    const pl_grid_level* fine = &b->lattice.levels[0];
    const float cells = (float)fine->cell_count, before = cells - (float)b->thickening.added.count;
    b->fractions = make_field(b->fractions, fine->field_size, 1.0f);
    b->cell_mass = make_field(NULL, fine->field_size, cells / before);
    if (!b->fractions || !b->cell_mass) return pl_fail_memory(error, "the cells of a lattice");
    pl_status status = pl_grid_share_cells(&b->thickening, fine, &b->cells, b->fractions, error);
    if (status != PL_OK) return status;
    return pl_grid_share_cells(&b->thickening, fine, &b->cells, b->cell_mass, error);
}

// Computes the volume that the surface fills in the cells [m^3], and for the general lattice the
// stiffness of cells.
static pl_status fill_cells(pl_grid_body* b, const pl_mesh* surface, double* volume,
                            pl_error* error) {
    const pl_grid_level* fine = &b->lattice.levels[0];
    pl_grid_filling filling;
    pl_status status =
        pl_grid_fractions(surface, fine, &b->cells, &b->frame, b->pool, &filling, error);
    if (status != PL_OK) return status;
    if (b->uses_corot) b->fractions = filling.fractions;
    else PL_FREE(filling.fractions, float, fine->field_size);
    const bool encloses = filling.has_inside || b->surface_kind != PL_GRID_SURFACE_OPEN;
    *volume = encloses ? filling.cells * pow(b->frame.cell, 3.0) : 0.0;
    return b->thickening.added.count ? share_with_added(b, error) : PL_OK;
}

// Volume of the body. The signed volume of a surface is not reliable: for an open surface it
// depends on its position, and inside-out parts cancel others.
pl_status pl_grid_measure(pl_grid_body* b, const pl_method_body* def, const pl_mesh* surface,
                          const pl_surface_edges* edges, pl_error* error) {
    double volume = 0.0;
    const bool clean = b->surface_kind == PL_GRID_SURFACE_CLEAN;
    pl_status status = PL_OK;
    if (b->uses_corot || !clean) status = fill_cells(b, surface, &volume, error);
    if (status == PL_OK && def->mesh->tet_count) volume = tet_volume(def->mesh);
    else if (status == PL_OK && clean && edges->part_count == 1)
        volume = fabs(edges->signed_volume);
    else if (status == PL_OK && clean) status = enclosed_volume(surface, b->pool, &volume, error);
    if (status != PL_OK) return status;
    b->lattice_volume = b->lattice.levels[0].cell_count * pow(b->frame.cell, 3.0);
    b->filling = volume / b->lattice_volume;
    b->density = def->body->material.density * b->filling;
    if (volume > 0.0) return PL_OK;
    return pl_fail(error, PL_ERROR_MESH,
                   "body \"%s\": the surface encloses nothing that %g m cells could see; close "
                   "it, or use smaller cells (grid.cell)",
                   b->name, b->frame.cell);
}
