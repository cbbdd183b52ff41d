// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "grid/grid_body.h"
#include "base/memory.h"
#include "base/notes.h"
#include "grid/grid_material.h"

#include <math.h>
#include <pliant/mesh_surface.h>
#include <string.h>

enum { DEFAULT_CELLS = 64 }; // along the longest side of a body
// lambda / mu where pressures are substituted in the residual: nu = 0.4998
static const double MOST_LAMBDA = 2499.0;

static pl_status allocate(pl_grid_body* b, pl_error* error) {
    int size = b->multigrid.levels[0].field_size;
    b->rest = PL_ALLOC(double, 3 * (size_t)b->vertex_count);
    b->reaction = PL_ALLOC(double, 9 * (size_t)b->vertex_count);
    b->gain = PL_ALLOC(double, 3 * (size_t)b->vertex_count);
    bool ok = (b->rest && b->reaction && b->gain) || b->vertex_count == 0;
    for (int a = 0; a < 3; a++) {
        b->velocity[a] = PL_ALLOC(double, size);
        b->before[a] = PL_ALLOC(double, size);
        b->applied[a] = PL_ALLOC(double, size);
        ok = ok && b->velocity[a] && b->before[a] && b->applied[a];
    }
    b->pressure_before = PL_ALLOC(double, size);
    b->turn = b->general ? PL_ALLOC(pl_quat, size) : NULL;
    b->turn_before = b->general ? PL_ALLOC(pl_quat, size) : NULL;
    ok = ok && b->pressure_before && (!b->general || (b->turn && b->turn_before));
    for (int i = 0; ok && b->general && i < size; i++) b->turn[i] = (pl_quat){0.0, 0.0, 0.0, 1.0};
    b->pinned = PL_ALLOC(uint8_t, b->vertex_count);
    b->triangles = PL_ALLOC(int, 3 * (size_t)b->triangle_count);
    ok = ok && (b->pinned || !b->vertex_count) && (b->triangles || !b->triangle_count);
    b->tets = PL_ALLOC(int, 4 * (size_t)b->tet_count);
    b->fits = PL_ALLOC(pl_grid_fit, PL_GRID_PARTS);
    ok = ok && (b->tets || !b->tet_count) && b->fits;
    b->held = PL_ALLOC(uint8_t, pl_grid_cells_count(&b->cells));
    b->next_held = PL_ALLOC(uint8_t, pl_grid_cells_count(&b->cells));
    ok = ok && b->held && b->next_held;
    return ok ? PL_OK : pl_fail_memory(error, "a body in a lattice");
}

// the volume inside a surface
static double volume_of(const pl_mesh* surface) {
    double sum = 0.0;
    for (int t = 0; t < surface->triangle_count; t++) {
        const int* v = surface->triangles + 3 * (size_t)t;
        pl_vec3 a = pl_vec3_load(surface->positions + 3 * (size_t)v[0]);
        sum += pl_dot(a, pl_cross(pl_vec3_load(surface->positions + 3 * (size_t)v[1]),
                                  pl_vec3_load(surface->positions + 3 * (size_t)v[2]))) /
               6.0;
    }
    return fabs(sum);
}

static double longest_side(const pl_mesh* mesh) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    double longest = 0.0;
    for (int i = 0; i < 3 * mesh->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
        high[i % 3] = fmax(high[i % 3], mesh->positions[i]);
    }
    for (int a = 0; a < 3; a++) longest = fmax(longest, high[a] - low[a]);
    return longest;
}

// cells with nothing on both sides along an axis
static int count_thin(const pl_grid_cells* c) {
    int count = 0;
    for (int k = c->low[2]; k < c->low[2] + c->size[2]; k++)
        for (int j = c->low[1]; j < c->low[1] + c->size[1]; j++)
            for (int i = c->low[0]; i < c->low[0] + c->size[0]; i++)
                if (pl_grid_cell(c, i, j, k) != PL_CELL_EXTERIOR)
                    count += (!pl_grid_cell(c, i - 1, j, k) && !pl_grid_cell(c, i + 1, j, k)) ||
                             (!pl_grid_cell(c, i, j - 1, k) && !pl_grid_cell(c, i, j + 1, k)) ||
                             (!pl_grid_cell(c, i, j, k - 1) && !pl_grid_cell(c, i, j, k + 1));
    return count;
}

static pl_status make_general(pl_grid_body* b, const pl_method_body* def, const pl_mesh* surface,
                              pl_error* error) {
    const pl_grid_level* fine = &b->multigrid.levels[0];
    pl_status status =
        pl_grid_fractions(surface, fine, &b->cells, &b->frame, b->pool, &b->fractions, error);
    if (status == PL_OK)
        status =
            pl_grid_moduli(def, fine, &b->cells, &b->frame, b->fractions, b->mu, &b->moduli, error);
    if (status != PL_OK) return status;
    return pl_grid_corot_create(&b->multigrid, b->moduli, b->rotates, b->turn, b->pool, &b->corot,
                                error);
}

static pl_status make_lattice(pl_grid_body* b, const pl_method_body* def, const pl_surface* shell,
                              pl_notes* notes, pl_error* error) {
    const pl_grid* settings = &def->body->grid;
    const pl_mesh* surface = shell->mesh;
    b->triangle_count = surface->triangle_count;
    b->tet_count = def->mesh->tet_count;
    double size = longest_side(surface);
    if (surface->triangle_count == 0 || !(size > 0.0))
        return pl_fail(error, PL_ERROR_MESH,
                       "body \"%s\": a lattice needs a surface that encloses something", b->name);
    b->frame.cell = isnan(settings->cell) ? size / DEFAULT_CELLS : settings->cell;
    pl_status status =
        pl_grid_voxelise(surface, settings->padding, b->pool, &b->frame, &b->cells, error);
    if (status != PL_OK) return status;
    status = b->general ? pl_grid_multigrid_create_layout(&b->cells, b->pool, &b->multigrid, error)
                        : pl_grid_multigrid_create(&b->cells, b->pool, &b->multigrid, error);
    if (status != PL_OK) return status;
    const pl_grid_level* fine = &b->multigrid.levels[0];
    if (fine->face_count == 0)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "body \"%s\": its lattice of %g m cells has nothing that could deform; use "
                       "smaller cells (grid.cell)",
                       b->name, b->frame.cell);
    status = pl_grid_state_create(fine, &b->state, error);
    if (status == PL_OK) status = allocate(b, error);
    if (status == PL_OK)
        status = pl_grid_embed(fine, &b->cells, &b->frame, def->mesh->positions, b->vertex_count,
                               &b->map, error);
    if (status == PL_OK && b->is_smooth)
        status = pl_grid_tricubic_create(fine, &b->cells, &b->frame, def->mesh->positions,
                                         b->vertex_count, &b->tricubic, error);
    if (status != PL_OK) return status;
    pl_grid_gains(&b->map, fine->field_size, b->applied, b->gain);
    for (int i = 0; i < 3 * b->triangle_count; i++)
        b->triangles[i] = shell->vertices[surface->triangles[i]];
    if (b->tet_count) memcpy(b->tets, def->mesh->tets, 4 * (size_t)b->tet_count * sizeof(int));
    if (b->general) status = make_general(b, def, surface, error);
    if (status != PL_OK) return status;
    b->crowding = pl_grid_mean_face_mass(fine);
    b->lattice_volume = fine->cell_count * pow(b->frame.cell, 3.0);
    double volume = volume_of(surface);
    b->filling = volume > 0.0 ? volume / b->lattice_volume : 1.0;
    b->density = def->body->material.density * b->filling;
    pl_note(notes, PL_NOTE_INFO, "body \"%s\": a lattice of %d cells of %g m, %d levels", b->name,
            fine->cell_count, b->frame.cell, b->multigrid.level_count);
    int thin = count_thin(&b->cells);
    if (thin)
        pl_note(
            notes, PL_NOTE_INFO,
            "body \"%s\": %d cells are in parts one cell thin, which hardly resist bending; use "
            "smaller cells (grid.cell) or grid.padding",
            b->name, thin);
    if (!isnan(def->body->contact.stiffness))
        pl_note(
            notes, PL_NOTE_INFO,
            "body \"%s\": contact.stiffness is an upper limit with method grid; contacts are no "
            "stiffer than the lattice at their faces",
            b->name);
    return PL_OK;
}

// true if the ratio is more than the lattice can have
static bool set_moduli(pl_grid_body* b, const pl_material_def* material) {
    pl_material_def_lame(material, &b->mu, &b->lambda);
    if (!b->general || b->lambda <= MOST_LAMBDA * b->mu) return false;
    b->lambda = MOST_LAMBDA * b->mu;
    return true;
}

pl_status pl_grid_body_create(const pl_method_body* def, pl_pool* pool, pl_grid_body* out,
                              pl_notes* notes, pl_error* error) {
    const pl_body* body = def->body;
    *out = (pl_grid_body){.name = body->name,
                          .first_vertex = def->first_vertex,
                          .vertex_count = def->mesh->vertex_count,
                          .damping_mass = body->damping.mass,
                          .damping_stiffness = body->damping.stiffness,
                          .dynamic = body->integrator != PL_INTEGRATOR_QUASISTATIC,
                          .tolerance = body->solver.linear_tolerance,
                          .max_cycles = body->solver.linear_iterations,
                          .rotates = body->material.law != PL_LAW_LINEAR,
                          .update_every = body->grid.update_every,
                          .is_smooth = body->grid.embedding == PL_GRID_EMBEDDING_TRICUBIC,
                          .pool = pool};
    out->general = out->rotates || body->region_count || body->variation_count;
    if (set_moduli(out, &body->material))
        pl_note(notes, PL_NOTE_INFO,
                "body \"%s\": a Poisson's ratio above 0.4998 is taken as 0.4998 with this law",
                out->name);
    pl_status status = PL_OK;
    pl_surface* surface = NULL;
    if (status == PL_OK) status = pl_mesh_surface(def->mesh, &surface, error);
    if (status == PL_OK) status = make_lattice(out, def, surface, notes, error);
    pl_surface_destroy(surface);
    if (status == PL_OK)
        memcpy(out->rest, def->mesh->positions, 3 * (size_t)out->vertex_count * sizeof(double));
    else pl_grid_body_free(out);
    return status;
}

// levels for other moduli of cells, which are taken over
static pl_status change_moduli(pl_grid_body* b, float* moduli, pl_error* error) {
    size_t size = (size_t)b->multigrid.levels[0].field_size;
    bool same = moduli && b->moduli ? memcmp(moduli, b->moduli, size * sizeof(float)) == 0
                                    : !moduli && !b->moduli;
    pl_grid_corot corot;
    pl_status status = PL_OK;
    if (!same)
        status = pl_grid_corot_create(&b->multigrid, moduli, b->rotates, b->turn, b->pool, &corot,
                                      error);
    if (same || status != PL_OK) {
        PL_FREE(moduli, float, size);
        return status;
    }
    pl_grid_corot_free(&b->corot);
    b->corot = corot;
    PL_FREE(b->moduli, float, size);
    b->moduli = moduli;
    return PL_OK;
}

pl_status pl_grid_body_update(pl_grid_body* b, const pl_method_body* def, pl_error* error) {
    const pl_body* body = def->body;
    pl_status status = PL_OK;
    if (b->general) {
        float* moduli;
        double mu, lambda;
        pl_material_def_lame(&body->material, &mu, &lambda);
        status = pl_grid_moduli(def, &b->multigrid.levels[0], &b->cells, &b->frame, b->fractions,
                                mu, &moduli, error);
        if (status == PL_OK) status = change_moduli(b, moduli, error);
    }
    if (status != PL_OK) return status;
    set_moduli(b, &body->material);
    b->density = body->material.density * b->filling;
    b->damping_mass = body->damping.mass;
    b->damping_stiffness = body->damping.stiffness;
    b->has_coefficients = false;
    return PL_OK;
}

void pl_grid_body_free(pl_grid_body* b) {
    int size = b->multigrid.levels[0].field_size;
    for (int a = 0; a < 3; a++) {
        PL_FREE(b->velocity[a], double, size);
        PL_FREE(b->before[a], double, size);
        PL_FREE(b->applied[a], double, size);
    }
    PL_FREE(b->pressure_before, double, size);
    PL_FREE(b->turn, pl_quat, size), PL_FREE(b->turn_before, pl_quat, size);
    PL_FREE(b->moduli, float, size), PL_FREE(b->fractions, float, size);
    pl_grid_corot_free(&b->corot);
    PL_FREE(b->reaction, double, 9 * (size_t)b->vertex_count);
    PL_FREE(b->gain, double, 3 * (size_t)b->vertex_count);
    PL_FREE(b->triangles, int, 3 * (size_t)b->triangle_count);
    PL_FREE(b->tets, int, 4 * (size_t)b->tet_count);
    PL_FREE(b->fits, pl_grid_fit, PL_GRID_PARTS);
    PL_FREE(b->pinned, uint8_t, b->vertex_count);
    PL_FREE(b->rest, double, 3 * (size_t)b->vertex_count);
    PL_FREE(b->held, uint8_t, pl_grid_cells_count(&b->cells));
    PL_FREE(b->next_held, uint8_t, pl_grid_cells_count(&b->cells));
    pl_grid_embedding_free(&b->map);
    pl_grid_tricubic_free(&b->tricubic);
    pl_grid_state_free(&b->multigrid.levels[0], &b->state);
    pl_grid_recombine_free(&b->history);
    pl_grid_multigrid_free(&b->multigrid);
    pl_grid_cells_free(&b->cells);
    *b = (pl_grid_body){0};
}

double pl_grid_face_mass(const pl_grid_level* l, const pl_grid_segment* g, int a, int i) {
    int cells[2] = {g->begin + i,
                    i + (a == 0 ? g->begin - 1 : g->rows[a == 1 ? PL_ROW_Y_LOW : PL_ROW_Z_LOW])};
    double mass = 1.0;
    for (int side = 0; side < 2; side++)
        if (!pl_grid_bit(l->masks[cells[side] / PL_GRID_CHUNK].stress[a], cells[side])) mass += 0.5;
    return mass;
}

double pl_grid_mean_face_mass(const pl_grid_level* l) {
    double sum = 0.0, count = 0.0;
    for (int s = 0; s < l->segment_count; s++)
        for (int i = 0; i < l->segments[s].count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                int at = l->segments[s].begin + i;
                if (!pl_grid_bit(l->masks[at / PL_GRID_CHUNK].face[a], at)) continue;
                sum += pl_grid_face_mass(l, &l->segments[s], a, i);
                count += 1.0;
            }
    return count > 0.0 ? sum / count : 1.0;
}

void pl_grid_body_masses(const pl_grid_body* b, const pl_method_body* def, double* out) {
    const pl_mesh* mesh = def->mesh;
    int corners = mesh->tet_count ? 4 : 3,
        count = mesh->tet_count ? mesh->tet_count : mesh->triangle_count;
    const int* items = mesh->tet_count ? mesh->tets : mesh->triangles;
    double total = 0.0;
    memset(out, 0, (size_t)b->vertex_count * sizeof(double));
    // shares by volume, or by area where there is only a surface
    for (int e = 0; e < count; e++) {
        const int* v = items + (size_t)e * (size_t)corners;
        pl_vec3 x = pl_vec3_load(b->rest + 3 * (size_t)v[0]);
        pl_vec3 p = pl_sub(pl_vec3_load(b->rest + 3 * (size_t)v[1]), x);
        pl_vec3 q = pl_sub(pl_vec3_load(b->rest + 3 * (size_t)v[2]), x);
        double share =
            corners == 3
                ? pl_norm(pl_cross(p, q))
                : fabs(pl_dot(pl_cross(p, q), pl_sub(pl_vec3_load(b->rest + 3 * (size_t)v[3]), x)));
        for (int i = 0; i < corners; i++) out[v[i]] += share;
        total += share * corners;
    }
    double mass = b->density * b->lattice_volume;
    for (int v = 0; v < b->vertex_count; v++)
        out[v] = total > 0.0 ? mass * out[v] / total : mass / b->vertex_count;
}

static void interpolate(pl_grid_body* b, bool shown, double* const field[3], double* out) {
    if (shown) pl_grid_extend(&b->map, field);
    else pl_grid_extend_near(&b->map, field);
    if (shown && b->is_smooth) pl_grid_tricubic_interpolate(&b->tricubic, field, out, b->pool);
    else pl_grid_interpolate(&b->map, field, out, b->pool);
}

void pl_grid_body_positions(pl_grid_body* b, bool shown, double* out) {
    interpolate(b, shown, b->state.u, out);
    for (int i = 0; i < 3 * b->vertex_count; i++) out[i] += b->rest[i];
}

void pl_grid_body_vertices(pl_grid_body* b, bool shown, double* positions, double* velocities) {
    pl_grid_body_positions(b, shown, positions);
    interpolate(b, shown, b->velocity, velocities);
}

void pl_grid_body_add_field(const pl_grid_body* b, double* const field[3], pl_vec3 linear,
                            const pl_mat3* gradient) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                double at[3] = {g->x + i + 0.5, g->y + 0.5, g->z + 0.5};
                at[a] -= 0.5;
                for (int d = 0; d < 3; d++) at[d] = b->frame.origin[d] + b->frame.cell * at[d];
                pl_vec3 v = pl_add(linear, pl_mat3_apply(gradient, pl_vec3_load(at)));
                field[a][g->begin + i] += a == 0 ? v.x : a == 1 ? v.y : v.z;
            }
    }
}

pl_method_energies pl_grid_body_energies(const pl_grid_body* b) {
    const pl_grid_level* l = &b->multigrid.levels[0];
    double sum = 0.0, h = b->frame.cell;
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i))
                sum += b->velocity[a][i] * b->velocity[a][i];
    double elastic =
        b->general ? pl_grid_corot_energy(&b->corot, &b->state, h) : pl_grid_energy(l, &b->state);
    return (pl_method_energies){0.5 * b->density * b->crowding * h * h * h * sum,
                                b->mu * h * elastic};
}
