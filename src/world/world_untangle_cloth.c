// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cloth that starts partly inside a solid and cannot be separated by a translation: a tight dress,
// a sheet whose corners are attached. Vertices of the cloth that are inside, or that belong to
// crossing triangles and edges, are moved to the nearest point in front of the solid's surface.
// Only their initial positions change; rest lengths stay. If edges still cross, the next round
// moves vertices farther out. If not all crossings can be removed, nothing changes.
#include "base/memory.h"
#include "base/notes.h"
#include "world/contact_notes.h"
#include "world/world_host.h"
#include "world/world_surfaces.h"
#include "world/world_untangle.h"

#include <math.h>
#include <string.h>

enum { MAX_ROUNDS = 12 };
// Distance from the surface: in the first round a fraction of the thickness of both, in the last
// round a fraction of an edge of the cloth.
static const double FIRST_GAP = 0.5, LAST_GAP = 0.4;
// Largest displacement of a vertex, in edges of the cloth.
static const double MAX_EDGES = 0.5;

typedef struct fitting {
    pl_world* w;
    int cloth, solid; // bodies
    pl_surface_set* set;
    pl_solid inside;
    double* x;          // positions of both; the cloth comes first
    bool *held, *moves; // per vertex of the cloth
    pl_array crossings; // of pl_crossing
    int moved_count;
    double farthest; // [m]
} fitting;

static int cloth_vertices(const fitting* f) { return f->w->bodies[f->cloth].mesh->vertex_count; }

static void fitting_free(fitting* f) {
    if (f->set) PL_FREE(f->x, double, 3 * (size_t)f->set->vertex_count);
    pl_surface_set_destroy(f->set);
    pl_solid_free(&f->inside);
    PL_FREE(f->held, bool, cloth_vertices(f));
    PL_FREE(f->moves, bool, cloth_vertices(f));
    pl_array_free(&f->crossings);
}

static pl_status fitting_setup(fitting* f, pl_error* error) {
    const pl_world* w = f->w;
    const pl_world_body *cloth = &w->bodies[f->cloth], *solid = &w->bodies[f->solid];
    pl_surface_source sources[2] = {pl_world_surface_source(cloth), pl_world_surface_source(solid)};
    const int count = cloth->mesh->vertex_count + solid->mesh->vertex_count;
    sources[0].first = 0;
    sources[1].first = cloth->mesh->vertex_count;
    sources[0].meets_others = sources[1].meets_others = true;
    pl_status status = pl_surface_set_create(sources, 2, count, &f->set, error);
    if (status == PL_OK)
        status = pl_solid_build(sources[1].positions, sources[1].triangles,
                                sources[1].triangle_count, false, &f->inside, error);
    if (status != PL_OK) return status;
    f->x = PL_ALLOC(double, 3 * (size_t)count);
    f->held = PL_ALLOC(bool, cloth->mesh->vertex_count);
    f->moves = PL_ALLOC(bool, cloth->mesh->vertex_count);
    if (!f->x || !f->held || !f->moves) return pl_fail_memory(error, "cloth in a solid");
    memcpy(f->x, f->set->rest, 3 * (size_t)count * sizeof(double));
    for (int k = 0; k < w->attachment_count; k++)
        for (int i = 0; w->attachments[k].body == f->cloth && i < w->attachments[k].count; i++)
            f->held[w->attachments[k].vertices[i]] = true;
    pl_world_surface_update(cloth, &f->set->surfaces[0]);
    pl_world_surface_update(solid, &f->set->surfaces[1]);
    return PL_OK;
}

static pl_status cross(fitting* f, pl_error* error) {
    return pl_surface_set_cross(f->set, f->w->pool, f->x, &f->crossings, error);
}

static void mark_crossing(fitting* f) {
    const pl_crossing* crossings = f->crossings.data;
    const int count = cloth_vertices(f);
    for (size_t k = 0; k < f->crossings.count; k++) {
        for (int i = 0; i < 2; i++)
            if (crossings[k].edge[i] < count) f->moves[crossings[k].edge[i]] = true;
        for (int i = 0; i < 3; i++)
            if (crossings[k].triangle[i] < count) f->moves[crossings[k].triangle[i]] = true;
    }
}

// Moves marked vertices, and those inside, in front of the surface.
static void put_out(fitting* f, double gap) {
    const pl_mesh* surface = f->w->bodies[f->solid].surface->mesh;
    const pl_obstacle solid = {.kind = &pl_obstacle_surface,
                               .points = surface->positions,
                               .triangles = surface->triangles,
                               .solid = &f->inside};
    f->moved_count = 0;
    f->farthest = 0.0;
    for (int v = 0; v < cloth_vertices(f); v++) {
        const pl_vec3 rest = pl_vec3_load(f->set->rest + 3 * (size_t)v);
        pl_vec3 normal, x = pl_vec3_load(f->x + 3 * (size_t)v);
        if (f->held[v] || f->set->surface_of_vertex[v] < 0) continue;
        const double distance = pl_obstacle_distance(&solid, x, &normal);
        f->moves[v] = f->moves[v] || distance < 0.0;
        if (f->moves[v] && distance < gap) x = pl_madd(x, gap - distance, normal);
        pl_vec3_store(f->x + 3 * (size_t)v, x);
        f->moved_count += pl_distance(x, rest) > 0.0;
        f->farthest = fmax(f->farthest, pl_distance(x, rest));
    }
}

// *is_apart: no crossing remains.
static pl_status fit(fitting* f, bool* is_apart, pl_error* error) {
    const pl_contact_surface* surfaces = f->set->surfaces;
    const double first = FIRST_GAP * (surfaces[0].thickness + surfaces[1].thickness);
    const double last = fmax(LAST_GAP * surfaces[0].edge, first);
    pl_status status = cross(f, error);
    *is_apart = false;
    if (status != PL_OK || f->crossings.count == 0) return status;
    for (int k = 0; status == PL_OK && k < MAX_ROUNDS && f->crossings.count; k++) {
        mark_crossing(f);
        put_out(f, first + (last - first) * k / (MAX_ROUNDS - 1));
        status = cross(f, error);
    }
    *is_apart =
        status == PL_OK && f->crossings.count == 0 && f->farthest <= MAX_EDGES * surfaces[0].edge;
    return status;
}

// Accepts the new positions, unless the cloth then has more crossings with other bodies or itself.
static bool take_over(fitting* f) {
    pl_world* w = f->w;
    const size_t size = 3 * (size_t)cloth_vertices(f) * sizeof(double);
    const int before = pl_world_crossings(w);
    double* positions = pl_world_positions(w, f->cloth);
    memcpy(positions, f->x, size);
    const int after = pl_world_crossings(w);
    const bool is_better = after >= 0 && after < before;
    if (!is_better) memcpy(positions, w->bodies[f->cloth].mesh->positions, size);
    else pl_world_remember(&w->systems[w->bodies[f->cloth].system]);
    return is_better;
}

static pl_status untangle_pair(pl_world* w, int cloth, int solid, pl_notes* notes,
                               pl_error* error) {
    fitting f = {
        .w = w, .cloth = cloth, .solid = solid, .crossings = pl_array_of(sizeof(pl_crossing))};
    bool is_apart = false;
    pl_status status = fitting_setup(&f, error);
    if (status == PL_OK) status = fit(&f, &is_apart, error);
    if (status == PL_OK && is_apart && take_over(&f))
        pl_note(notes, PL_NOTE_MENDED,
                "contact: cloth \"%s\" starts inside \"%s\"; %d of its vertices were put in front "
                "of it, by up to %.3g m",
                w->bodies[cloth].def->name, w->bodies[solid].def->name, f.moved_count, f.farthest);
    fitting_free(&f);
    return status;
}

pl_status pl_world_untangle_cloth(pl_world* w, pl_notes* notes, pl_error* error) {
    pl_status status = PL_OK;
    for (int a = 0; a < w->body_count; a++)
        for (int b = 0; status == PL_OK && b < w->body_count; b++) {
            const pl_world_body *cloth = &w->bodies[a], *solid = &w->bodies[b];
            if (!cloth->is_cloth || solid->is_cloth || !pl_world_collide(w, a, b)) continue;
            const pl_box one = pl_box_of_points(cloth->mesh->positions, cloth->mesh->vertex_count);
            const pl_box two = pl_box_of_points(solid->mesh->positions, solid->mesh->vertex_count);
            if (pl_box_overlaps(one, two)) status = untangle_pair(w, a, b, notes, error);
        }
    return status;
}
