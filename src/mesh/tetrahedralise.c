// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// From a triangle surface to tets: look whether it has an inside, stuff the signed distance to it,
// and tell what was found on the way.
#include "base/notes.h"
#include "geometry/solid.h"
#include "mesh/check.h"
#include "mesh/components.h"
#include "mesh/stuffing.h"
#include "mesh/surface_edges.h"

// Open surfaces: winding numbers bridge holes, but a surface that is mostly opening has no inside.
// The holes of scans sum up to a few hundredths of their area (the raw Stanford bunny: 0.037), the
// openings of garments start at three twentieths.
static const double largest_hole_share = 0.08;

// Pairs of triangles whose boxes overlap that are looked at: enough for every surface that is not
// one heap.
static const int64_t intersection_limit = 20000000;

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
    if (e->hole_area > largest_hole_share * e->area)
        return pl_fail(
            error, PL_ERROR_MESH,
            "the surface is open, as cloth is, and has no inside to fill: %d boundary "
            "edges around %d openings of %.0f %% of its area (up to %.0f %% are bridged); "
            "close the openings first",
            e->boundary_count, e->hole_count, 100.0 * e->hole_area / e->area,
            100.0 * largest_hole_share);
    return PL_OK;
}

static void note_edges(const pl_surface_edges* e, pl_notes* notes) {
    if (e->boundary_count)
        pl_note(notes, PL_NOTE_MENDED,
                "the surface has %d holes with %d boundary edges (%.2g %% of its area); they were "
                "bridged by winding numbers",
                e->hole_count, e->boundary_count, 100.0 * e->hole_area / e->area);
    if (e->crowded_count)
        pl_note(notes, PL_NOTE_MENDED, "%d edges of the surface have more than two triangles",
                e->crowded_count);
    if (e->turned_count)
        pl_note(notes, PL_NOTE_MENDED,
                "across %d edges of the surface the triangles face opposite sides; inside was "
                "judged by winding numbers",
                e->turned_count);
    if (e->signed_volume < 0.0)
        pl_note(notes, PL_NOTE_MENDED, "the surface is inside out; it was taken the other way");
}

static pl_status note_intersections(const pl_mesh* surface, pl_pool* pool, pl_notes* notes,
                                    pl_error* error) {
    pl_mesh_report report = {0};
    pl_status status =
        pl_check_intersections(surface->positions, surface->triangles, surface->triangle_count,
                               intersection_limit, pool, &report, error);
    const pl_defect* d = &report.defects[PL_DEFECT_INTERSECTIONS];
    if (status == PL_OK && d->count)
        pl_note(
            notes, PL_NOTE_MENDED,
            "%s%lld pairs of surface triangles intersect, first %d and %d; inside was judged by "
            "winding numbers",
            report.intersections_complete ? "" : "over ", (long long)d->count, d->first, d->other);
    return status;
}

static double mesh_volume(const pl_mesh* mesh) {
    double sum = 0.0;
    for (int t = 0; t < mesh->tet_count; t++) {
        pl_vec3 v[4];
        for (int k = 0; k < 4; k++)
            v[k] =
                pl_vec3_load(mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)t + (size_t)k]);
        sum += pl_det4(v[0], v[1], v[2], v[3]) / 6.0;
    }
    return sum;
}

static pl_status note_result(const pl_surface_edges* edges, const pl_mesh* mesh, pl_notes* notes,
                             pl_error* error) {
    int part_count = 0;
    pl_status status = pl_vertex_components(mesh->tets, mesh->tet_count, 4, mesh->vertex_count,
                                            NULL, &part_count, error);
    if (status != PL_OK) return status;
    double before = fabs(edges->signed_volume), after = mesh_volume(mesh);
    if (before > 0.0)
        pl_note(notes, PL_NOTE_INFO, "volume %.6g, %+.2f %% of the surface's %.6g", after,
                100.0 * (after - before) / before, before);
    if (part_count != edges->part_count)
        pl_note(notes, PL_NOTE_INFO, "%d connected parts of the surface became %d of tets",
                edges->part_count, part_count);
    return PL_OK;
}

static pl_status stuff_solid(const pl_solid* solid, const pl_tetrahedralise_options* options,
                             pl_mesh** out, pl_notes* notes, pl_error* error) {
    pl_box box = solid->tree.bvh.nodes[0].box;
    double low[3], high[3];
    pl_vec3_store(low, box.low);
    pl_vec3_store(high, box.high);
    sampled_solid sampled = {solid, 1.5 * pl_stuffing_edge(low, high, options->edge)};
    return pl_tetrahedralise_implicit(sample_solid, &sampled, low, high, options, out, notes,
                                      error);
}

// what is wrong with the surface is told before anything is done about it
static pl_status examine(const pl_mesh* surface, const pl_tetrahedralise_options* options,
                         pl_surface_edges* edges, pl_notes* notes, pl_error* error) {
    int first_note = pl_notes_count(notes);
    pl_status status = check_surface(surface, error);
    if (status == PL_OK)
        status = pl_surface_edges_count(surface->positions, surface->vertex_count,
                                        surface->triangles, surface->triangle_count, edges, error);
    if (status == PL_OK) status = check_edges(edges, error);
    if (status != PL_OK) return status;
    note_edges(edges, notes);
    status = note_intersections(surface, options->pool, notes, error);
    const char* mended = options->strict ? pl_notes_first_mended(notes, first_note) : NULL;
    if (status == PL_OK && mended)
        return pl_fail(error, PL_ERROR_MESH, "%s (refused because strict was asked for)", mended);
    return status;
}

static pl_status tetrahedralise(const pl_mesh* surface, const pl_tetrahedralise_options* options,
                                pl_mesh** out, pl_notes* notes, pl_error* error) {
    pl_surface_edges edges;
    pl_solid solid;
    pl_status status = examine(surface, options, &edges, notes, error);
    if (status != PL_OK) return status;
    status = pl_solid_build(surface->positions, surface->triangles, surface->triangle_count,
                            edges.manifold_count == edges.edge_count, &solid, error);
    if (status != PL_OK) return status;
    status = stuff_solid(&solid, options, out, notes, error);
    pl_solid_free(&solid);
    if (status == PL_OK) status = note_result(&edges, *out, notes, error);
    if (status != PL_OK) {
        pl_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

pl_status pl_tetrahedralise(const pl_mesh* surface, const pl_tetrahedralise_options* options,
                            pl_mesh** out, pl_notes* notes, pl_error* error) {
    *out = NULL;
    const pl_tetrahedralise_options defaults = pl_default_tetrahedralise_options();
    if (!options) options = &defaults;
    // strictness looks at the notes, so there must be some
    pl_notes* own = NULL;
    if (!notes && pl_notes_create(&own) != PL_OK) return pl_fail_memory(error, "notes");
    pl_status status = tetrahedralise(surface, options, out, notes ? notes : own, error);
    pl_notes_destroy(own);
    return status;
}
