// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/surface_notes.h"
#include "base/notes.h"
#include "mesh/check.h"

// Limit of the pairs of triangles with overlapping boxes that are tested: enough for every
// reasonable surface.
static const int64_t PAIR_LIMIT = 20000000;

void pl_note_surface_edges(const pl_surface_edges* e, pl_notes* notes) {
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

pl_status pl_note_surface_intersections(const pl_mesh* surface, pl_pool* pool, bool* found,
                                        pl_notes* notes, pl_error* error) {
    pl_mesh_report report = {0};
    pl_status status =
        pl_check_intersections(surface->positions, surface->triangles, surface->triangle_count,
                               PAIR_LIMIT, pool, &report, error);
    const pl_defect* d = &report.defects[PL_DEFECT_INTERSECTIONS];
    *found = d->count > 0 || !report.intersections_complete;
    if (status == PL_OK && d->count)
        pl_note(
            notes, PL_NOTE_MENDED,
            "%s%lld pairs of surface triangles intersect, first %d and %d; inside was judged by "
            "winding numbers",
            report.intersections_complete ? "" : "over ", (long long)d->count, d->first, d->other);
    return status;
}
