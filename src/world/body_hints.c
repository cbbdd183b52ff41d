// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/body_hints.h"
#include "base/memory.h"
#include "geometry/box.h"
#include "mesh/close_vertices.h"
#include "mesh/components.h"

// Bodies beyond these sizes are more often in the wrong units than meant [m].
static const double LARGEST_USUAL = 80.0, LARGEST_USUAL_CLOTH = 20.0, SMALLEST_USUAL = 0.002;
// Large bodies up to this size are more likely in centimetres than in millimetres [m].
static const double LARGEST_OF_CENTIMETRES = 500.0;

static void hint_at_units(const pl_body* body, const pl_mesh* mesh, bool is_cloth,
                          pl_notes* notes) {
    pl_box box = pl_box_of_points(mesh->positions, mesh->vertex_count);
    if (!pl_box_is_finite(box)) return;
    pl_vec3 size = pl_box_size(box);
    double longest = fmax(size.x, fmax(size.y, size.z));
    bool large = longest >= (is_cloth ? LARGEST_USUAL_CLOTH : LARGEST_USUAL);
    bool centimetres = large && longest <= LARGEST_OF_CENTIMETRES;
    if (!large && longest > SMALLEST_USUAL) return;
    pl_note(notes, PL_NOTE_INFO,
            "body \"%s\": is %.3g x %.3g x %.3g m; lengths are metres. If it is meant to be %s, "
            "because its file is in %s, set \"transform\": {\"scale\": %s}",
            body->name, size.x, size.y, size.z, large ? "smaller" : "larger",
            centimetres ? "centimetres"
            : large     ? "millimetres"
                        : "other units",
            centimetres ? "0.01"
            : large     ? "0.001"
                        : "1000");
}

// Counts the vertices at the position of an earlier vertex, and the pieces that the mesh would have
// if these were merged.
static pl_status count_after_joining(const pl_mesh* mesh, int* duplicates, int* pieces,
                                     pl_error* error) {
    int corners = mesh->tet_count ? 4 : 3;
    int count = mesh->tet_count ? mesh->tet_count : mesh->triangle_count;
    const int* elements = mesh->tet_count ? mesh->tets : mesh->triangles;
    size_t corner_count = (size_t)count * (size_t)corners;
    int* first = PL_ALLOC(int, mesh->vertex_count);
    int* joined = PL_ALLOC(int, corner_count);
    pl_status status =
        first && joined
            ? pl_first_of_close_vertices(mesh->positions, mesh->vertex_count, 0.0, first, error)
            : pl_fail_memory(error, "the pieces of a body");
    if (status == PL_OK) {
        for (int v = 0; v < mesh->vertex_count; v++) *duplicates += first[v] != v;
        for (size_t i = 0; i < corner_count; i++) joined[i] = first[elements[i]];
        status =
            pl_vertex_components(joined, count, corners, mesh->vertex_count, NULL, pieces, error);
    }
    PL_FREE(first, int, mesh->vertex_count);
    PL_FREE(joined, int, corner_count);
    return status;
}

static pl_status hint_at_pieces(const pl_body* body, const pl_mesh* mesh, bool is_cloth,
                                pl_notes* notes, pl_error* error) {
    int pieces = 0, joined_pieces = 0, duplicates = 0;
    pl_status status = mesh->tet_count
                           ? pl_vertex_components(mesh->tets, mesh->tet_count, 4,
                                                  mesh->vertex_count, NULL, &pieces, error)
                           : pl_vertex_components(mesh->triangles, mesh->triangle_count, 3,
                                                  mesh->vertex_count, NULL, &pieces, error);
    if (status != PL_OK || pieces < 2) return status;
    status = count_after_joining(mesh, &duplicates, &joined_pieces, error);
    if (status != PL_OK) return status;
    const char* item = is_cloth ? "triangles" : "tets";
    if (joined_pieces < pieces)
        pl_note(notes, PL_NOTE_INFO,
                "body \"%s\": consists of %d unconnected pieces, because its %s touch without "
                "sharing vertices (%d vertices have the position of another); `pliant mesh IN -o "
                "OUT.%s --repair` "
                "joins them to %d",
                body->name, pieces, item, duplicates, is_cloth ? "obj" : "msh", joined_pieces);
    else
        pl_note(notes, PL_NOTE_INFO, "body \"%s\": consists of %d unconnected pieces", body->name,
                pieces);
    return PL_OK;
}

pl_status pl_body_hints(const pl_body* body, const pl_mesh* mesh, bool is_cloth, pl_notes* notes,
                        pl_error* error) {
    if (!notes) return PL_OK;
    hint_at_units(body, mesh, is_cloth, notes);
    // only the simulated mesh can fall apart, not a surface that is filled with a lattice or tets
    if (!is_cloth && mesh->tet_count == 0) return PL_OK;
    return hint_at_pieces(body, mesh, is_cloth, notes, error);
}
