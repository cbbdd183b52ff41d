// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// OFF of Geomview, text only: [ST][C][N]OFF with texture coordinates, colours and normals at the
// vertices. Colours and normals are skipped.
#include "base/memory.h"
#include "mesh/mesh_format.h"
#include "mesh/polygons.h"
#include "mesh/text_scan.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

typedef struct reader {
    pl_scan scan;
    bool has_uvs, has_colours, has_normals;
    int vertex_count, face_count;
    pl_faces faces;
    pl_array corners; // int: of the current face
    pl_mesh* mesh;
    pl_error* error;
} reader;

static pl_status no_memory(const reader* r) {
    return pl_fail_memory(r->error, r->scan.source->path);
}

// the keyword may be missing; its prefix tells what the vertices have
static pl_status read_keyword(reader* r) {
    pl_scan_skip_space(&r->scan, '#');
    pl_scan before = r->scan;
    char word[16];
    if (!pl_scan_word(&r->scan, word, sizeof word))
        return pl_scan_expected(&r->scan, r->error, "OFF");
    const char* p = word;
    if (*p >= '0' && *p <= '9' && strcasecmp(p, "4OFF") != 0) {
        r->scan = before;
        return PL_OK;
    }
    if (strncmp(p, "ST", 2) == 0) r->has_uvs = true, p += 2;
    if (*p == 'C') r->has_colours = true, p++;
    if (*p == 'N') r->has_normals = true, p++;
    if (strcmp(p, "4OFF") == 0 || strcmp(p, "nOFF") == 0 || strcmp(p, "4nOFF") == 0)
        return pl_scan_fail(&before, r->error, PL_ERROR_UNSUPPORTED,
                            "%s has points that are not three-dimensional", word);
    if (strcmp(p, "OFF") != 0) return pl_scan_expected(&before, r->error, "OFF");
    pl_scan_skip_blanks(&r->scan);
    if (pl_scan_keyword(&r->scan, "BINARY"))
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_UNSUPPORTED,
                            "binary OFF is not read; write the file again as text");
    return PL_OK;
}

static pl_status read_counts(reader* r) {
    pl_scan_skip_space(&r->scan, '#');
    if (!pl_scan_int(&r->scan, &r->vertex_count) || r->vertex_count < 0)
        return pl_scan_expected(&r->scan, r->error, "the number of vertices");
    pl_scan_skip_space(&r->scan, '#');
    if (!pl_scan_int(&r->scan, &r->face_count) || r->face_count < 0)
        return pl_scan_expected(&r->scan, r->error, "the number of faces");
    // the number of edges is ignored, and may be missing
    pl_scan_skip_blanks(&r->scan);
    int edge_count;
    if (!pl_scan_at_line_end(&r->scan) && *r->scan.at != '#' && !pl_scan_int(&r->scan, &edge_count))
        return pl_scan_expected(&r->scan, r->error, "the number of edges");
    // a vertex takes six bytes of text, a face two
    uint64_t left = (uint64_t)(r->scan.end - r->scan.at);
    if (6 * (uint64_t)r->vertex_count + 2 * (uint64_t)r->face_count > left + 1)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT,
                            "%d vertices and %d faces are stated, for which the file is too short",
                            r->vertex_count, r->face_count);
    return PL_OK;
}

// the texture coordinates are the last two numbers of the line, after normals and colours
static pl_status read_vertex_rest(reader* r, double* uv) {
    double last[2] = {0, 0};
    int count = 0;
    for (;; count++) {
        pl_scan_skip_blanks(&r->scan);
        if (pl_scan_at_line_end(&r->scan) || *r->scan.at == '#') break;
        last[0] = last[1];
        if (!pl_scan_double(&r->scan, &last[1]))
            return pl_scan_expected(&r->scan, r->error, "a number or the line's end");
    }
    if (!r->has_uvs) return PL_OK;
    if (count < 2) return pl_scan_expected(&r->scan, r->error, "texture coordinates");
    uv[0] = last[0], uv[1] = last[1];
    return PL_OK;
}

static pl_status read_vertices(reader* r) {
    if (!pl_mesh_set_vertex_count(r->mesh, r->vertex_count)) return no_memory(r);
    if (r->has_uvs && r->vertex_count) {
        r->mesh->uvs = PL_ALLOC(double, 2 * (size_t)r->vertex_count);
        if (!r->mesh->uvs) return no_memory(r);
        r->mesh->uv_count = r->vertex_count;
    }
    bool is_plain = !r->has_uvs && !r->has_colours && !r->has_normals;
    for (size_t i = 0; i < (size_t)r->vertex_count; i++) {
        pl_scan_skip_space(&r->scan, '#');
        for (size_t k = 0; k < 3; k++)
            if (!pl_scan_double(&r->scan, &r->mesh->positions[3 * i + k]))
                return pl_scan_expected(&r->scan, r->error, "a coordinate of a vertex");
        pl_status status =
            is_plain ? PL_OK : read_vertex_rest(r, r->has_uvs ? r->mesh->uvs + 2 * i : NULL);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static pl_status read_face(reader* r, int face) {
    int count;
    pl_scan_skip_space(&r->scan, '#');
    if (!pl_scan_int(&r->scan, &count) || count < 0)
        return pl_scan_expected(&r->scan, r->error, "the number of corners of a face");
    if ((uint64_t)count > (uint64_t)(r->scan.end - r->scan.at) / 2)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT,
                            "face %d states %d corners, for which the file is too short", face,
                            count);
    r->corners.count = 0;
    int* corners = pl_array_add(&r->corners, (size_t)count);
    if (!corners && count) return no_memory(r);
    for (int i = 0; i < count; i++) {
        if (!pl_scan_int(&r->scan, &corners[i]))
            return pl_scan_expected(&r->scan, r->error, "a corner of a face");
        if (corners[i] < 0 || corners[i] >= r->vertex_count)
            return pl_scan_fail(&r->scan, r->error, PL_ERROR_MESH,
                                "face %d refers to vertex %d, but there are %d vertices", face,
                                corners[i], r->vertex_count);
    }
    pl_scan_skip_line(&r->scan); // colours
    const int* uvs = r->has_uvs ? corners : NULL;
    return pl_faces_add(&r->faces, corners, uvs, NULL, count) ? PL_OK : no_memory(r);
}

static pl_status read_all(reader* r, pl_notes* notes) {
    pl_status status = read_keyword(r);
    if (status == PL_OK) status = read_counts(r);
    if (status == PL_OK) status = read_vertices(r);
    for (int i = 0; status == PL_OK && i < r->face_count; i++) status = read_face(r, i);
    if (status != PL_OK) return status;
    if (!r->faces.uvs.count && r->mesh->uv_count) {
        PL_FREE(r->mesh->uvs, double, 2 * (size_t)r->mesh->uv_count);
        r->mesh->uvs = NULL;
        r->mesh->uv_count = 0;
    }
    if (r->has_colours || r->has_normals)
        pl_note(notes, PL_NOTE_INFO, "%s: colours and normals of the vertices were skipped",
                r->scan.source->path);
    return pl_faces_to_mesh(&r->faces, r->scan.source->path, r->mesh, notes, r->error);
}

static pl_status read_off(const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                          pl_error* error) {
    reader r = {.scan = pl_scan_begin(source),
                .faces = pl_faces_of_none(),
                .corners = pl_array_of(sizeof(int)),
                .mesh = mesh,
                .error = error};
    pl_status status = read_all(&r, notes);
    pl_faces_free(&r.faces);
    pl_array_free(&r.corners);
    return status;
}

const pl_mesh_format_kind pl_format_off = {.read = read_off, .is_surface = true};
