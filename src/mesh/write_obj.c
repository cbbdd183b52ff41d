// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Wavefront OBJ: vertices, texture coordinates, triangles, and regions of triangles as groups. A
// triangle may be in several groups, which one statement then names together.
#include "base/array.h"
#include "mesh/mesh_write.h"

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

// blanks would make two names of one
static void put_name(pl_sink* sink, const char* name) {
    pl_sink_char(sink, ' ');
    for (const char* p = name; *p; p++) pl_sink_char(sink, (unsigned char)*p <= ' ' ? '_' : *p);
    if (!*name) pl_sink_text(sink, "unnamed");
}

// brings the active runs up to a triangle; false when memory is out
static bool update_groups(writer* w, int triangle, size_t* next_run) {
    run* active = w->active.data;
    const run* runs = w->runs.data;
    size_t kept = 0, before = w->active.count;
    for (size_t i = 0; i < before; i++)
        if (active[i].end > triangle) active[kept++] = active[i];
    w->active.count = kept;
    bool changed = kept != before;
    for (; *next_run < w->runs.count && runs[*next_run].first == triangle; ++*next_run) {
        if (!pl_array_push(&w->active, &runs[*next_run])) return false;
        changed = true;
    }
    if (!changed) return true;
    pl_sink_text(w->sink, "g");
    active = w->active.data;
    for (size_t i = 0; i < w->active.count; i++)
        put_name(w->sink, w->mesh->regions[active[i].region].name);
    pl_sink_char(w->sink, '\n');
    return true;
}

static void put_triangle(writer* w, int triangle) {
    pl_sink_char(w->sink, 'f');
    for (size_t k = 3 * (size_t)triangle; k < 3 * (size_t)triangle + 3; k++) {
        pl_sink_char(w->sink, ' ');
        pl_sink_int(w->sink, (int64_t)w->mesh->triangles[k] + 1);
        if (!w->mesh->triangle_uvs || w->mesh->triangle_uvs[k] < 0) continue;
        pl_sink_char(w->sink, '/');
        pl_sink_int(w->sink, (int64_t)w->mesh->triangle_uvs[k] + 1);
    }
    pl_sink_char(w->sink, '\n');
}

static bool put_mesh(writer* w) {
    const pl_mesh* mesh = w->mesh;
    pl_sink_text(w->sink, "# written by pliant\n");
    for (size_t i = 0; i < (size_t)mesh->vertex_count; i++)
        put_numbers(w->sink, "v", mesh->positions + 3 * i, 3);
    for (size_t i = 0; mesh->triangle_uvs && i < (size_t)mesh->uv_count; i++)
        put_numbers(w->sink, "vt", mesh->uvs + 2 * i, 2);
    size_t next_run = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        if (!update_groups(w, i, &next_run)) return false;
        put_triangle(w, i);
    }
    return true;
}

pl_status pl_write_obj(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error) {
    (void)ascii; // there is no binary OBJ
    writer w = {.mesh = mesh,
                .sink = sink,
                .runs = pl_array_of(sizeof(run)),
                .active = pl_array_of(sizeof(run))};
    bool done = find_runs(&w) && put_mesh(&w);
    pl_array_free(&w.runs);
    pl_array_free(&w.active);
    if (mesh->field_count)
        pl_note(notes, PL_NOTE_INFO, "fields are left out: OBJ has no place for them");
    for (int i = 0; i < mesh->region_count; i++)
        if (mesh->regions[i].kind == PL_ELEMENT_VERTEX) {
            pl_note(notes, PL_NOTE_INFO, "regions of vertices are left out: OBJ groups faces only");
            break;
        }
    return done ? PL_OK : pl_fail_memory(error, "the groups of an OBJ file");
}
