// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// From a path to a mesh: chooses the format, loads the bytes, calls the format's reader and checks
// what it made.
#include "mesh/mesh_read.h"

#include <math.h>

// common formats that pliant does not read, for better messages
typedef struct foreign_format {
    const char* ending;
    const char* what;
} foreign_format;

static const foreign_format foreign_formats[] = {
    {"veg", "a Vega mesh, which is not read; copy its *VERTICES into NAME.node and its *ELEMENTS "
            "(without the line TET) into NAME.ele and give one of these"},
    {"tet", "not read, since .tet means different things to different programs; save it as .msh, "
            ".mesh or .node with .ele"},
    {"meshb", "a binary MEDIT file, which is not read; convert it to .mesh, for instance by gmsh "
              "-save -format mesh"},
    {"geo", "a Gmsh script, not a mesh; make one of it: gmsh -3 IN.geo -o OUT.msh"},
};

static pl_status unknown_format(const char* path, pl_error* error) {
    for (size_t i = 0; i < sizeof foreign_formats / sizeof foreign_formats[0]; i++)
        if (pl_path_has_ending(path, foreign_formats[i].ending))
            return pl_fail(error, PL_ERROR_UNSUPPORTED, "%s: %s", path, foreign_formats[i].what);
    char endings[PL_ENDINGS_SIZE];
    pl_mesh_format_endings(false, endings);
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "%s: unknown kind of file; known endings are %s, each also with .gz", path,
                   endings);
}

static pl_status check_not_empty(const pl_mesh* mesh, const char* path, pl_error* error) {
    if (mesh->tet_count > 0 || mesh->triangle_count > 0) return PL_OK;
    return pl_fail(error, PL_ERROR_MESH, "%s: holds %d vertices, but no tets and no triangles",
                   path, mesh->vertex_count);
}

// such a mesh is read so that it can be examined, but with a note
static void note_non_finite(const pl_mesh* mesh, const char* path, pl_notes* notes) {
    int count = 0, first = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double* p = &mesh->positions[3 * (size_t)i];
        if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2])) continue;
        if (count++ == 0) first = i;
    }
    if (count)
        pl_note(notes, PL_NOTE_INFO,
                "%s: %d vertices have coordinates that are not finite, the first is vertex %d",
                path, count, first);
}

static pl_status read_source(const pl_source* source, pl_mesh_format f, bool strict, pl_mesh** out,
                             pl_notes* notes, pl_error* error) {
    pl_mesh* mesh = pl_mesh_new();
    if (!mesh) return pl_fail_memory(error, "a mesh");
    int first_note = pl_notes_count(notes);
    pl_status status = pl_mesh_format_kind_of(f)->read(source, mesh, notes, error);
    if (status == PL_OK) status = check_not_empty(mesh, source->path, error);
    if (status == PL_OK) status = pl_mesh_check_indices(mesh, source->path, error);
    if (status == PL_OK) note_non_finite(mesh, source->path, notes);
    const char* mended =
        strict && status == PL_OK ? pl_notes_first_mended(notes, first_note) : NULL;
    if (mended)
        status = pl_fail(error, PL_ERROR_MESH, "%s (refused because strict was asked for)", mended);
    if (status == PL_OK) *out = mesh;
    else pl_mesh_destroy(mesh);
    return status;
}

// uses temporary notes if the caller gave none, since strictness depends on them
static pl_status read_with_notes(const pl_source* source, pl_mesh_format f, bool strict,
                                 pl_mesh** out, pl_notes* notes, pl_error* error) {
    if (notes || !strict) return read_source(source, f, strict, out, notes, error);
    pl_notes* own = NULL;
    if (pl_notes_create(&own) != PL_OK) return pl_fail_memory(error, "notes");
    pl_status status = read_source(source, f, strict, out, own, error);
    pl_notes_destroy(own);
    return status;
}

static pl_mesh_format chosen_format(const char* path, const pl_mesh_read_options* options) {
    pl_mesh_format f = options ? options->format : PL_MESH_AUTO;
    return f == PL_MESH_AUTO ? pl_mesh_format_of(path) : f;
}

pl_status pl_mesh_read(const char* path, const pl_mesh_read_options* options, pl_mesh** out,
                       pl_notes* notes, pl_error* error) {
    *out = NULL;
    pl_mesh_format f = chosen_format(path, options);
    pl_source source;
    pl_status status = pl_source_load(path, options ? options->byte_limit : 0, &source, error);
    if (status != PL_OK) return status;
    if (!pl_mesh_format_kind_of(f)) status = unknown_format(path, error);
    else status = read_with_notes(&source, f, options && options->strict, out, notes, error);
    pl_source_free(&source);
    return status;
}

pl_status pl_mesh_read_memory(const void* data, size_t size, const char* path,
                              const pl_mesh_read_options* options, pl_mesh** out, pl_notes* notes,
                              pl_error* error) {
    *out = NULL;
    pl_mesh_format f = chosen_format(path, options);
    if (!pl_mesh_format_kind_of(f)) return unknown_format(path, error);
    pl_source source;
    pl_status status =
        pl_source_from_memory(data, size, path, options ? options->byte_limit : 0, &source, error);
    if (status != PL_OK) return status;
    status = read_with_notes(&source, f, options && options->strict, out, notes, error);
    pl_source_free(&source);
    return status;
}
