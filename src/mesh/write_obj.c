// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Wavefront OBJ: vertices, texture coordinates, normals, faces as they were read, and regions of
// triangles as groups, or as materials if they were read as such. If a face is in several groups,
// one statement names them all.
#include "base/array.h"
#include "mesh/mesh_write.h"
#include "mesh/polygons.h"

#include <stdlib.h>
#include <string.h>

// triangles [first, end) of a region
typedef struct run {
    int first, end;
    int region;
} run;

typedef struct writer {
    const pl_mesh* mesh;
    pl_sink* sink;
    pl_array runs;   // run, by their first triangle
    pl_array active; // run: those that the present triangle is in
    pl_array face;   // size_t: places of its corners in mesh->triangles
} writer;

static int compare_runs(const void* a, const void* b) {
    const run *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->region > y->region) - (x->region < y->region);
}

static bool find_runs(writer* w) {
    for (int i = 0; i < w->mesh->region_count; i++) {
        const pl_region* region = &w->mesh->regions[i];
        if (region->kind != PL_ELEMENT_TRIANGLE) continue;
        for (int k = 0; k < region->count;) {
            run next = {region->items[k], region->items[k] + 1, i};
            for (k++; k < region->count && region->items[k] == next.end; k++) next.end++;
            if (!pl_array_push(&w->runs, &next)) return false;
        }
    }
    if (w->runs.count > 1) qsort(w->runs.data, w->runs.count, sizeof(run), compare_runs);
    return true;
}

static void put_numbers(pl_sink* sink, const char* word, const double* numbers, int count) {
    pl_sink_text(sink, word);
    for (int k = 0; k < count; k++) {
        pl_sink_char(sink, ' ');
        pl_sink_double(sink, numbers[k]);
    }
    pl_sink_char(sink, '\n');
}

// blanks would split the name in two
static void put_name(pl_sink* sink, const char* name) {
    pl_sink_char(sink, ' ');
    for (const char* p = name; *p; p++) pl_sink_char(sink, (unsigned char)*p <= ' ' ? '_' : *p);
    if (!*name) pl_sink_text(sink, "unnamed");
}

// one statement with the names of the active groups, and one with the last of the active materials
static void put_names(writer* w, bool groups_changed, bool material_changed) {
    const run* active = w->active.data;
    const pl_region* material = NULL;
    if (groups_changed) pl_sink_text(w->sink, "g");
    for (size_t i = 0; i < w->active.count; i++) {
        const pl_region* region = &w->mesh->regions[active[i].region];
        if (region->is_material) material = region;
        else if (groups_changed) put_name(w->sink, region->name);
    }
    if (groups_changed) pl_sink_char(w->sink, '\n');
    if (!material_changed) return;
    pl_sink_text(w->sink, "usemtl");
    if (material) put_name(w->sink, material->name);
    pl_sink_char(w->sink, '\n');
}

// updates the active runs for a triangle; false if memory runs out
static bool update_names(writer* w, int triangle, size_t* next_run) {
    run* active = w->active.data;
    const run* runs = w->runs.data;
    size_t kept = 0, before = w->active.count;
    bool changed[2] = {false, false}; // groups, materials
    for (size_t i = 0; i < before; i++) {
        if (active[i].end > triangle) active[kept++] = active[i];
        else changed[w->mesh->regions[active[i].region].is_material] = true;
    }
    w->active.count = kept;
    for (; *next_run < w->runs.count && runs[*next_run].first == triangle; ++*next_run) {
        if (!pl_array_push(&w->active, &runs[*next_run])) return false;
        changed[w->mesh->regions[runs[*next_run].region].is_material] = true;
    }
    if (changed[0] || changed[1]) put_names(w, changed[0], changed[1]);
    return true;
}

// v, v/vt, v//vn or v/vt/vn
static void put_corner(const writer* w, size_t at) {
    const pl_mesh* mesh = w->mesh;
    int uv = mesh->triangle_uvs ? mesh->triangle_uvs[at] : -1;
    int normal = mesh->triangle_normals ? mesh->triangle_normals[at] : -1;
    pl_sink_char(w->sink, ' ');
    pl_sink_int(w->sink, (int64_t)mesh->triangles[at] + 1);
    if (uv < 0 && normal < 0) return;
    pl_sink_char(w->sink, '/');
    if (uv >= 0) pl_sink_int(w->sink, (int64_t)uv + 1);
    if (normal < 0) return;
    pl_sink_char(w->sink, '/');
    pl_sink_int(w->sink, (int64_t)normal + 1);
}

// true if all triangles [first, end) are in the same regions
static bool is_uniform(const writer* w, int end, size_t next_run) {
    const run *active = w->active.data, *runs = w->runs.data;
    for (size_t i = 0; i < w->active.count; i++)
        if (active[i].end < end) return false;
    return next_run >= w->runs.count || runs[next_run].first >= end;
}

// writes the face that begins at a triangle, as a polygon if it was one; returns where the next one
// begins, or -1
static int put_face(writer* w, int first, size_t next_run) {
    int end = pl_face_end(w->mesh, first);
    if (!is_uniform(w, end, next_run)) end = first + 1;
    w->face.count = 0;
    size_t count = (size_t)(end - first) + 2;
    size_t* corners = pl_array_add(&w->face, count);
    if (!corners) return -1;
    if (!pl_face_corners(w->mesh, first, end, corners)) {
        for (size_t k = 0; k < 3; k++) corners[k] = 3 * (size_t)first + k;
        count = 3;
        end = first + 1;
    }
    pl_sink_char(w->sink, 'f');
    for (size_t k = 0; k < count; k++) put_corner(w, corners[k]);
    pl_sink_char(w->sink, '\n');
    return end;
}

static bool put_mesh(writer* w) {
    const pl_mesh* mesh = w->mesh;
    pl_sink_text(w->sink, "# written by pliant\n");
    for (size_t i = 0; i < (size_t)mesh->vertex_count; i++)
        put_numbers(w->sink, "v", mesh->positions + 3 * i, 3);
    for (size_t i = 0; mesh->triangle_uvs && i < (size_t)mesh->uv_count; i++)
        put_numbers(w->sink, "vt", mesh->uvs + 2 * i, 2);
    for (size_t i = 0; mesh->triangle_normals && i < (size_t)mesh->normal_count; i++)
        put_numbers(w->sink, "vn", mesh->normals + 3 * i, 3);
    size_t next_run = 0;
    for (int i = 0; i < mesh->triangle_count;) {
        if (!update_names(w, i, &next_run)) return false;
        i = put_face(w, i, next_run);
        if (i < 0) return false;
    }
    return true;
}

pl_status pl_write_obj(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error) {
    (void)ascii; // there is no binary OBJ
    writer w = {.mesh = mesh,
                .sink = sink,
                .runs = pl_array_of(sizeof(run)),
                .active = pl_array_of(sizeof(run)),
                .face = pl_array_of(sizeof(size_t))};
    bool done = find_runs(&w) && put_mesh(&w);
    pl_array_free(&w.runs);
    pl_array_free(&w.active);
    pl_array_free(&w.face);
    if (mesh->field_count)
        pl_note(notes, PL_NOTE_INFO, "fields are left out: OBJ has no place for them");
    for (int i = 0; i < mesh->region_count; i++)
        if (mesh->regions[i].kind == PL_ELEMENT_VERTEX) {
            pl_note(notes, PL_NOTE_INFO, "regions of vertices are left out: OBJ groups faces only");
            break;
        }
    return done ? PL_OK : pl_fail_memory(error, "the groups of an OBJ file");
}
