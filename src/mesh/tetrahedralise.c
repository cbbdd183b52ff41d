// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// From a triangle surface to tets: checks that it has an inside, stuffs the signed distance to it,
// compares pieces and volume with the surface's, and notes what it found. If no edge length is
// given, it starts at the measured thickness and is shortened until the result is sound.
#include "base/notes.h"
#include "mesh/check.h"
#include "mesh/fill_check.h"
#include "mesh/stuffing.h"
#include "mesh/surface_edges.h"
#include "mesh/surface_notes.h"
#include "mesh/tetgen_program.h"
#include "mesh/thickness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Distances are needed on edges that cross the surface, whose ends are at most a long edge away.
typedef struct sampled_solid {
    const pl_solid* solid;
    double band;
} sampled_solid;

static void sample_solid(const double* points, int count, double* values, void* user) {
    const sampled_solid* s = user;
    pl_solid_distances(s->solid, points, count, s->band, values);
}

static pl_status check_surface(const pl_mesh* surface, pl_error* error) {
    if (surface->triangle_count == 0)
        return pl_fail(error, PL_ERROR_MESH, "there are no triangles to put tets into%s",
                       surface->tet_count ? " (the mesh has tets already)" : "");
    for (size_t i = 0; i < 3 * (size_t)surface->triangle_count; i++) {
        const double* p = surface->positions + 3 * (size_t)surface->triangles[i];
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]))
            return pl_fail(
                error, PL_ERROR_MESH,
                "vertex %d of triangle %zu has a coordinate that is not finite (%g %g %g); "
                "repair the surface first",
                surface->triangles[i], i / 3, p[0], p[1], p[2]);
    }
    return PL_OK;
}

// PL_ERROR_MESH for a surface without an inside
static pl_status check_edges(const pl_surface_edges* e, pl_error* error) {
    if (!(e->area > 0.0))
        return pl_fail(error, PL_ERROR_MESH, "the surface has no area, so there is no inside");
    if (pl_surface_is_open(e))
        return pl_fail(
            error, PL_ERROR_MESH,
            "the surface is open, as cloth is, and has no inside to fill: %d boundary "
            "edges around %d openings of %.0f %% of its area (up to %.0f %% are bridged); "
            "close the openings first, or simulate it as cloth (\"kind\": \"cloth\" in a scene)",
            e->boundary_count, e->hole_count, 100.0 * e->hole_area / e->area,
            100.0 * PL_MAX_HOLE_SHARE);
    return PL_OK;
}

// A surface and what is known about it.
typedef struct filling {
    const pl_mesh* surface;
    const pl_tetrahedralise_options* options;
    pl_surface_edges edges;
    bool simple; // closed, and does not intersect itself
    pl_solid solid;
    pl_fill_target target;
    pl_thickness thickness;
} filling;

// notes defects of the surface before anything is done about them
static pl_status examine(filling* f, pl_notes* notes, pl_error* error) {
    const pl_mesh* surface = f->surface;
    int first_note = pl_notes_count(notes);
    bool intersects = false;
    pl_status status = check_surface(surface, error);
    if (status == PL_OK)
        status =
            pl_surface_edges_count(surface->positions, surface->vertex_count, surface->triangles,
                                   surface->triangle_count, &f->edges, error);
    if (status == PL_OK) status = check_edges(&f->edges, error);
    if (status != PL_OK || f->options->use_tetgen) return status;
    pl_note_surface_edges(&f->edges, notes);
    status = pl_note_surface_intersections(surface, f->options->pool, &intersects, notes, error);
    f->simple = !intersects && f->edges.manifold_count == f->edges.edge_count;
    const char* mended = f->options->strict ? pl_notes_first_mended(notes, first_note) : NULL;
    if (status == PL_OK && mended)
        return pl_fail(error, PL_ERROR_MESH, "%s (refused because strict was asked for)", mended);
    return status;
}

static pl_status measure(filling* f, pl_error* error) {
    const pl_mesh* surface = f->surface;
    pl_status status =
        pl_solid_build(surface->positions, surface->triangles, surface->triangle_count,
                       f->edges.manifold_count == f->edges.edge_count, &f->solid, error);
    if (status != PL_OK) return status;
    return pl_fill_target_measure(surface, &f->solid, f->edges.signed_volume, f->simple,
                                  f->options->crumb_share, &f->target, error);
}

// ---- one edge

static pl_status stuff_solid(const filling* f, double edge, pl_mesh** out, pl_notes* notes,
                             pl_error* error) {
    pl_box box = f->solid.tree.bvh.nodes[0].box;
    double low[3], high[3];
    pl_vec3_store(low, box.low);
    pl_vec3_store(high, box.high);
    sampled_solid sampled = {&f->solid, 1.5 * edge};
    pl_tetrahedralise_options options = *f->options;
    options.edge = edge;
    return pl_tetrahedralise_implicit(sample_solid, &sampled, low, high, &options, out, notes,
                                      error);
}

// The result for one edge length. A trial that failed has an error and no mesh.
typedef struct trial {
    double edge;
    pl_mesh* mesh;
    pl_notes* notes;
    pl_fill_result result;
    pl_error error;
} trial;

static void free_trial(trial* t) {
    pl_mesh_destroy(t->mesh);
    pl_notes_destroy(t->notes);
    *t = (trial){0};
}

// Fails only if memory runs out; any other problem makes the result unsound.
static pl_status try_edge(const filling* f, double edge, trial* out, pl_error* error) {
    free_trial(out);
    out->edge = edge;
    if (pl_notes_create(&out->notes) != PL_OK) return pl_fail_memory(error, "notes");
    pl_status status = stuff_solid(f, edge, &out->mesh, out->notes, &out->error);
    if (status == PL_OK) status = pl_fill_check(out->mesh, &f->target, &out->result, &out->error);
    if (status != PL_ERROR_MEMORY) return PL_OK;
    if (error) *error = out->error;
    return status;
}

static void pass_notes_on(const pl_notes* from, pl_notes* to) {
    for (int i = 0; i < pl_notes_count(from); i++) {
        pl_note_kind kind;
        const char* text = pl_notes_text(from, i, &kind);
        pl_note(to, kind, "%s", text);
    }
}

// ---- the choice of an edge

// the first edge that is tried, by the measured thickness, and how much shorter the next one is
static const double EDGE_BY_THICKNESS = 1.0, SHORTER = 0.8;
enum { DEFAULT_TET_LIMIT = 1000000 };
// how many cubes of the edge may fit into the bounding box per allowed tet
static const double MAX_CUBES_PER_TET = 8.0;

static int tet_limit(const filling* f) {
    return f->options->tet_limit > 0 ? f->options->tet_limit : DEFAULT_TET_LIMIT;
}

static double expected_tets(const filling* f, double edge) {
    return PL_TETS_PER_CUBE * f->target.volume / (edge * edge * edge);
}

// The shortest edge to try, which limits the number of tets and the size of the lattice.
static double shortest_edge(const filling* f) {
    pl_vec3 size = pl_box_size(f->solid.tree.bvh.nodes[0].box);
    double cubes =
        fmax(PL_TETS_PER_CUBE * f->target.volume, size.x * size.y * size.z / MAX_CUBES_PER_TET);
    return cbrt(cubes / tet_limit(f));
}

// Rounds down to two digits, so that messages name exactly the edge that was tried.
static double two_digits(double edge) {
    int exponent = (int)floor(log10(edge)) - 1;
    double unit = pow(10.0, abs(exponent));
    double digits = floor((exponent < 0 ? edge * unit : edge / unit) * (1.0 + 1e-9));
    return exponent < 0 ? digits / unit : digits * unit;
}

// the longest edge that is chosen
static double longest_edge(const filling* f) {
    if (f->options->coarsest_edge > 0.0) return f->options->coarsest_edge;
    return pl_box_diagonal(f->solid.tree.bvh.nodes[0].box) / 50.0;
}

// Shortens the edge until the tets are sound. At least one edge is tried. found->result.sound is
// false if no edge within the limit of tets is sound.
static pl_status search(filling* f, double start, trial* found, pl_error* error) {
    pl_status status =
        pl_surface_thickness(f->surface, &f->solid, f->options->pool, &f->thickness, error);
    if (status != PL_OK) return status;
    double edge = start, shortest = shortest_edge(f);
    if (!isnan(f->thickness.thin)) edge = fmin(edge, EDGE_BY_THICKNESS * f->thickness.thin);
    bool again = true;
    while (status == PL_OK && again) {
        edge = two_digits(fmax(edge, shortest));
        status = try_edge(f, edge, found, error);
        again = !found->result.sound && !f->options->allow_split && edge > shortest &&
                f->target.volume > 0.0;
        edge *= SHORTER;
    }
    return status;
}

// ---- the result

static void say_what_failed(const filling* f, const trial* t, char* text, size_t size) {
    if (!t->mesh) snprintf(text, size, "%.400s", t->error.text);
    else
        snprintf(text, size,
                 "with an edge of %.3g the surface of %d piece%s becomes tets in %d piece%s with "
                 "%+.1f %% of its volume, as it is thinner than that in places",
                 t->edge, f->target.part_count, f->target.part_count == 1 ? "" : "s",
                 t->result.piece_count, t->result.piece_count == 1 ? "" : "s",
                 100.0 * t->result.change);
}

// Refuses an unsound trial and names the edge that would do.
static pl_status refuse(filling* f, const trial* failed, pl_error* error) {
    char what[512];
    say_what_failed(f, failed, what, sizeof what);
    if (failed->error.status == PL_ERROR_LIMIT || failed->error.status == PL_ERROR_ARGUMENT)
        return pl_fail(error, failed->error.status, "%s", what);
    const char* others = "take the mesher tetgen, or allow_split to accept it as it is";
    trial better = {0};
    double shortest = failed->edge;
    if (f->options->edge > 0.0) {
        pl_status status = search(f, SHORTER * failed->edge, &better, error);
        if (status == PL_OK && better.result.sound)
            status = pl_fail(error, PL_ERROR_MESH, "%s; an edge of %.2g works (%d tets), or %s",
                             what, better.edge, better.mesh->tet_count, others);
        shortest = better.edge;
        free_trial(&better);
        if (status != PL_OK) return status;
    }
    return pl_fail(error, PL_ERROR_MESH,
                   "%s; no edge down to %.2g works, where tets reach the limit of %d for trying: "
                   "take a smaller edge, make the surface thicker, %s",
                   what, shortest, tet_limit(f), others);
}

static void note_result(const filling* f, const trial* t, pl_notes* notes) {
    pass_notes_on(t->notes, notes);
    char chosen[200] = "";
    if (!(f->options->edge > 0.0) && !f->options->use_tetgen) {
        snprintf(chosen, sizeof chosen, "; edge %.2g was chosen", t->edge);
        if (!isnan(f->thickness.thin))
            snprintf(chosen, sizeof chosen,
                     "; edge %.2g, chosen as a twentieth of the surface is thinner than %.2g",
                     t->edge, f->thickness.thin);
        size_t used = strlen(chosen);
        if (t->edge > EDGE_BY_THICKNESS * f->thickness.thin)
            snprintf(chosen + used, sizeof chosen - used,
                     "; a shorter one would pass the limit of %d tets", tet_limit(f));
    }
    if (f->target.volume > 0.0)
        pl_note(notes, PL_NOTE_INFO, "volume %.6g, %+.2f %% of the surface's %.6g%s",
                t->result.volume, 100.0 * t->result.change, f->target.volume, chosen);
    if (t->result.piece_count != f->target.part_count)
        pl_note(notes, PL_NOTE_INFO, "%d connected parts of the surface became %d of tets",
                f->target.part_count, t->result.piece_count);
}

// tries the requested edge, unless it would give absurdly many tets
static pl_status try_given_edge(const filling* f, trial* found, pl_error* error) {
    double edge = f->options->edge, count = expected_tets(f, edge);
    pl_status status = pl_check_tet_count(count, edge, error);
    if (status != PL_OK) return status;
    return try_edge(f, edge, found, error);
}

// runs TetGen and checks its tets like our own
static pl_status run_tetgen(const filling* f, trial* out, pl_error* error) {
    out->edge = f->options->edge;
    if (pl_notes_create(&out->notes) != PL_OK) return pl_fail_memory(error, "notes");
    pl_status status = pl_tetgen(f->surface, f->options->edge, &out->mesh, out->notes, error);
    if (status == PL_OK) status = pl_fill_check(out->mesh, &f->target, &out->result, error);
    if (status != PL_OK || out->result.sound || f->options->allow_split) return status;
    return pl_fail(error, PL_ERROR_MESH,
                   "tetgen made %d pieces with %+.1f %% of the volume of a surface of %d; it fills "
                   "hollows too. Take the mesher stuffing, or allow_split to accept it as it is",
                   out->result.piece_count, 100.0 * out->result.change, f->target.part_count);
}

static pl_status choose(filling* f, trial* found, pl_error* error) {
    if (f->options->use_tetgen) return run_tetgen(f, found, error);
    return f->options->edge > 0.0 ? try_given_edge(f, found, error)
                                  : search(f, longest_edge(f), found, error);
}

static pl_status fill(filling* f, pl_mesh** out, pl_notes* notes, pl_error* error) {
    trial t = {0};
    pl_status status = choose(f, &t, error);
    bool accepted = t.mesh && (t.result.sound || f->options->allow_split);
    if (status == PL_OK && !accepted) status = refuse(f, &t, error);
    if (status == PL_OK) {
        note_result(f, &t, notes);
        *out = t.mesh;
        t.mesh = NULL;
    }
    free_trial(&t);
    return status;
}

static pl_status check_options(const pl_tetrahedralise_options* options, pl_error* error) {
    if (options->edge >= 0.0 && isfinite(options->edge)) return PL_OK;
    return pl_fail(error, PL_ERROR_ARGUMENT,
                   "an edge of %g is asked for; give a positive length, or 0 for the default",
                   options->edge);
}

pl_status pl_tetrahedralise(const pl_mesh* surface, const pl_tetrahedralise_options* options,
                            pl_mesh** out, pl_notes* notes, pl_error* error) {
    *out = NULL;
    const pl_tetrahedralise_options defaults = pl_default_tetrahedralise_options();
    filling f = {.surface = surface, .options = options ? options : &defaults};
    // strictness depends on the notes, so they are needed
    pl_notes* own = NULL;
    if (!notes && pl_notes_create(&own) != PL_OK) return pl_fail_memory(error, "notes");
    pl_notes* heard = notes ? notes : own;
    pl_status status = check_options(f.options, error);
    if (status == PL_OK) status = examine(&f, heard, error);
    if (status == PL_OK) status = measure(&f, error);
    if (status == PL_OK) status = fill(&f, out, heard, error);
    pl_solid_free(&f.solid);
    pl_notes_destroy(own);
    return status;
}

pl_status pl_tetrahedralise_advise(const pl_mesh* surface, const pl_tetrahedralise_options* options,
                                   pl_fill_advice* out, pl_error* error) {
    *out = (pl_fill_advice){.thin = NAN, .median = NAN};
    const pl_tetrahedralise_options defaults = pl_default_tetrahedralise_options();
    filling f = {.surface = surface, .options = options ? options : &defaults};
    pl_notes* heard = NULL;
    trial t = {0};
    if (pl_notes_create(&heard) != PL_OK) return pl_fail_memory(error, "notes");
    pl_status status = examine(&f, heard, error);
    if (status == PL_OK) status = measure(&f, error);
    if (status == PL_OK) {
        status = search(&f, longest_edge(&f), &t, error);
        out->thin = f.thickness.thin;
        out->median = f.thickness.median;
    }
    if (status == PL_OK && t.result.sound) {
        out->edge = t.edge;
        out->tet_count = t.mesh->tet_count;
    }
    free_trial(&t);
    pl_solid_free(&f.solid);
    pl_notes_destroy(heard);
    return status;
}
