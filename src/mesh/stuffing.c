// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Isosurface stuffing from start to end: sample the function on a body-centred cubic lattice, find
// where lattice edges cross the surface, move lattice points near it onto it, fill the inside, drop
// what is attached by a point only. F. Labelle and J. Shewchuk, "Isosurface stuffing", 2007; the
// uniform variant, for which the paper proves dihedral angles from 10.78 to 164.83 degrees.
//
// Differs from the paper in the last step: where the shape is thinner than the lattice, the paper's
// meshes may touch themselves in points and edges. Here tets are dropped until the boundary is a
// manifold.
#include "mesh/stuffing.h"
#include "base/memory.h"
#include "mesh/generator.h"

// samples along each side of the box, to estimate how much of it is inside
enum { SAMPLES_ALONG = 24 };

pl_tetrahedralise_options pl_default_tetrahedralise_options(void) {
    return (pl_tetrahedralise_options){.crumb_share = 0.001};
}

static pl_status run_phases(pl_lattice* lattice, pl_implicit function, void* user, pl_pool* pool,
                            pl_mesh* mesh, unsigned char** on_surface, pl_error* error) {
    pl_status status = pl_lattice_sample(lattice, function, user, pool, error);
    if (status == PL_OK) status = pl_lattice_find_sites(lattice, pool, error);
    if (status != PL_OK) return status;
    pl_lattice_cut_edges(lattice, function, user, pool);
    pl_lattice_warp(lattice);
    return pl_lattice_fill(lattice, pool, mesh, on_surface, error);
}

static void note_cleaning(const pl_clean_report* report, pl_notes* notes) {
    if (report->pinched_tet_count)
        pl_note(notes, PL_NOTE_MENDED,
                "dropped %d tets that hung together with the rest in a point or an edge only: the "
                "shape is thinner than the edge length there",
                report->pinched_tet_count);
    if (report->crumb_count)
        pl_note(notes, PL_NOTE_MENDED,
                "dropped %d small unconnected parts (%d tets): features thinner than the edge "
                "length are lost",
                report->crumb_count, report->crumb_tet_count);
}

static pl_status stuff(pl_lattice* lattice, pl_implicit function, void* user,
                       const pl_tetrahedralise_options* options, pl_mesh* mesh, pl_notes* notes,
                       pl_error* error) {
    unsigned char* on_surface = NULL;
    pl_status status = run_phases(lattice, function, user, options->pool, mesh, &on_surface, error);
    if (status != PL_OK) return status;
    int vertex_count = mesh->vertex_count;
    pl_lattice_free(lattice); // makes its memory available to the next step
    pl_clean_report report;
    status =
        pl_stuffing_clean(mesh, on_surface, options->crumb_share, options->pool, &report, error);
    PL_FREE(on_surface, unsigned char, vertex_count);
    if (status == PL_OK && mesh->tet_count == 0)
        return pl_fail(error, PL_ERROR_MESH,
                       "nothing but crumbs is inside at this resolution; take a smaller edge");
    if (status == PL_OK) note_cleaning(&report, notes);
    return status;
}

static pl_status check_options(const double* low, const double* high,
                               const pl_tetrahedralise_options* options, pl_error* error) {
    for (int k = 0; k < 3; k++)
        if (!(high[k] >= low[k]) || !isfinite(high[k] - low[k]))
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "the box to fill goes from %g %g %g to %g %g %g, which is not a box",
                           low[0], low[1], low[2], high[0], high[1], high[2]);
    if (!(options->edge >= 0.0) || !isfinite(options->edge))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "an edge of %g is asked for; give a positive length, or 0 for the default",
                       options->edge);
    if (!(options->crumb_share >= 0.0 && options->crumb_share < 1.0))
        return pl_fail(error, PL_ERROR_ARGUMENT, "a share for crumbs of %g is not in 0 to 1",
                       options->crumb_share);
    return PL_OK;
}

// The edge length to use: the requested one, or the default if that is 0.
static double stuffing_edge(const double* low, const double* high, double edge) {
    if (edge > 0.0) return edge;
    return pl_distance(pl_vec3_load(low), pl_vec3_load(high)) / 50.0;
}

pl_status pl_check_tet_count(double count, double edge, pl_error* error) {
    if (count <= PL_GENERATE_ELEMENT_LIMIT) return PL_OK;
    return pl_fail(error, PL_ERROR_LIMIT,
                   "an edge of %g gives about %.3g tets (%.2g GB), more than the limit of %d "
                   "(%.2g GB); take an edge above %.3g",
                   edge, count, 1e-9 * PL_ELEMENT_BYTES * count, PL_GENERATE_ELEMENT_LIMIT,
                   1e-9 * PL_ELEMENT_BYTES * PL_GENERATE_ELEMENT_LIMIT,
                   1.01 * edge * cbrt(count / PL_GENERATE_ELEMENT_LIMIT));
}

// Checks the size before anything large is allocated. If a full box would be too much, a coarse
// lattice estimates how much of the box is inside.
static pl_status check_size(pl_implicit function, void* user, const double* low, const double* high,
                            double edge, pl_error* error) {
    double cubes = 1.0;
    for (int k = 0; k < 3; k++) cubes *= (high[k] - low[k]) / edge;
    if (PL_TETS_PER_CUBE * cubes <= PL_GENERATE_ELEMENT_LIMIT) return PL_OK;
    int inside = 0;
    double row[3 * SAMPLES_ALONG], values[SAMPLES_ALONG];
    for (int jk = 0; jk < SAMPLES_ALONG * SAMPLES_ALONG; jk++) {
        for (int i = 0; i < SAMPLES_ALONG; i++) {
            const int at[3] = {i, jk % SAMPLES_ALONG, jk / SAMPLES_ALONG};
            for (int k = 0; k < 3; k++)
                row[3 * i + k] = low[k] + (at[k] + 0.5) / SAMPLES_ALONG * (high[k] - low[k]);
        }
        function(row, SAMPLES_ALONG, values, user);
        for (int i = 0; i < SAMPLES_ALONG; i++) inside += values[i] < 0.0;
    }
    double share = (double)inside / (SAMPLES_ALONG * SAMPLES_ALONG * SAMPLES_ALONG);
    return pl_check_tet_count(PL_TETS_PER_CUBE * cubes * share, edge, error);
}

static pl_status stuff_box(pl_implicit function, void* user, const double* low, const double* high,
                           const pl_tetrahedralise_options* options, pl_mesh** out, pl_notes* notes,
                           pl_error* error) {
    pl_status status = check_options(low, high, options, error);
    if (status != PL_OK) return status;
    double edge = stuffing_edge(low, high, options->edge);
    if (!(edge > 0.0))
        return pl_fail(error, PL_ERROR_MESH, "a box without size has nothing inside");
    pl_lattice lattice = {0};
    status = check_size(function, user, low, high, edge, error);
    if (status == PL_OK) status = pl_lattice_setup(&lattice, low, high, edge, error);
    pl_mesh* mesh = status == PL_OK ? pl_mesh_new() : NULL;
    if (status == PL_OK && !mesh) status = pl_fail_memory(error, "a mesh");
    if (status == PL_OK) status = stuff(&lattice, function, user, options, mesh, notes, error);
    pl_lattice_free(&lattice);
    if (status == PL_OK) *out = mesh;
    else pl_mesh_destroy(mesh);
    return status;
}

pl_status pl_tetrahedralise_implicit(pl_implicit function, void* user, const double* low,
                                     const double* high, const pl_tetrahedralise_options* options,
                                     pl_mesh** out, pl_notes* notes, pl_error* error) {
    *out = NULL;
    const pl_tetrahedralise_options defaults = pl_default_tetrahedralise_options();
    if (!options) options = &defaults;
    if (!options->strict) return stuff_box(function, user, low, high, options, out, notes, error);
    // strictness depends on the notes, so they are needed
    pl_notes* own = NULL;
    if (!notes && pl_notes_create(&own) != PL_OK) return pl_fail_memory(error, "notes");
    pl_notes* heard = notes ? notes : own;
    int first_note = pl_notes_count(heard);
    pl_status status = stuff_box(function, user, low, high, options, out, heard, error);
    const char* mended = status == PL_OK ? pl_notes_first_mended(heard, first_note) : NULL;
    if (mended) {
        status = pl_fail(error, PL_ERROR_MESH, "%s (refused because strict was asked for)", mended);
        pl_mesh_destroy(*out);
        *out = NULL;
    }
    pl_notes_destroy(own);
    return status;
}
