// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// MEDIT .mesh, as text. Regions become references. An element has only one reference: where regions
// overlap, the first one is written, and that is noted.
#include "base/memory.h"
#include "mesh/mesh_write.h"

// the reference of each element of a kind, 0 for none
static void find_references(const pl_mesh* mesh, pl_element_kind kind, int* references,
                            pl_notes* notes) {
    int overlapping = 0, lost_names = 0, next = 1;
    for (int r = 0; r < mesh->region_count; r++)
        if (mesh->regions[r].kind == kind && mesh->regions[r].tag >= next)
            next = mesh->regions[r].tag < 1 << 30 ? mesh->regions[r].tag + 1 : 1 << 30;
    for (int r = 0; r < mesh->region_count; r++) {
        const pl_region* region = &mesh->regions[r];
        if (region->kind != kind) continue;
        int reference = region->tag ? region->tag : next++;
        lost_names++;
        for (int i = 0; i < region->count; i++) {
            int* place = &references[region->items[i]];
            if (*place == 0) *place = reference;
            else overlapping++;
        }
    }
    if (lost_names)
        pl_note(notes, PL_NOTE_INFO,
                ".mesh has numbers for regions, no names: those of %d %s regions are lost",
                lost_names, pl_element_kind_name(kind));
    if (overlapping)
        pl_note(
            notes, PL_NOTE_INFO,
            ".mesh has one region per element: %d further memberships of %s regions are left out",
            overlapping, pl_element_kind_name(kind));
}

static void write_rows(pl_sink* sink, const char* keyword, int count, int corners,
                       const int* elements, const int* references) {
    if (count == 0) return;
    pl_sink_text(sink, keyword);
    pl_sink_char(sink, '\n');
    pl_sink_int(sink, count);
    pl_sink_char(sink, '\n');
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < corners; k++) {
            pl_sink_int(sink, 1 + (int64_t)elements[(size_t)i * (size_t)corners + (size_t)k]);
            pl_sink_char(sink, ' ');
        }
        pl_sink_int(sink, references[i]);
        pl_sink_char(sink, '\n');
    }
}

static void write_vertices(const pl_mesh* mesh, pl_sink* sink, const int* references) {
    pl_sink_text(sink, "Vertices\n");
    pl_sink_int(sink, mesh->vertex_count);
    pl_sink_char(sink, '\n');
    for (int i = 0; i < mesh->vertex_count; i++) {
        for (int k = 0; k < 3; k++) {
            pl_sink_double(sink, mesh->positions[3 * (size_t)i + (size_t)k]);
            pl_sink_char(sink, ' ');
        }
        pl_sink_int(sink, references[i]);
        pl_sink_char(sink, '\n');
    }
}

static void write_kind(const pl_mesh* mesh, pl_element_kind kind, pl_sink* sink,
                       const int* references) {
    if (kind == PL_ELEMENT_VERTEX) write_vertices(mesh, sink, references);
    else if (kind == PL_ELEMENT_TRIANGLE)
        write_rows(sink, "Triangles", mesh->triangle_count, 3, mesh->triangles, references);
    else write_rows(sink, "Tetrahedra", mesh->tet_count, 4, mesh->tets, references);
}

pl_status pl_write_medit(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                         pl_error* error) {
    (void)ascii; // there is only text
    pl_sink_text(sink, "MeshVersionFormatted 2\nDimension 3\n");
    for (pl_element_kind kind = PL_ELEMENT_VERTEX; kind <= PL_ELEMENT_TET; kind++) {
        int count = pl_mesh_element_count(mesh, kind);
        int* references = PL_ALLOC(int, count);
        if (count && !references) return pl_fail_memory(error, "a mesh to be written");
        find_references(mesh, kind, references, notes);
        write_kind(mesh, kind, sink, references);
        PL_FREE(references, int, count);
    }
    pl_sink_text(sink, "End\n");
    if (mesh->field_count)
        pl_note(notes, PL_NOTE_INFO, "%d fields are left out, since .mesh has none",
                mesh->field_count);
    if (mesh->uv_count)
        pl_note(notes, PL_NOTE_INFO, "texture coordinates are left out, since .mesh has none");
    return PL_OK;
}
