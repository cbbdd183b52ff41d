// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Wavefront OBJ: v, vt, vn, f, and o, g, usemtl as regions of triangles. Other statements are
// skipped.
#include "base/memory.h"
#include "mesh/mesh_write.h"
#include "mesh/polygons.h"
#include "mesh/text_scan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECT, GROUP, MATERIAL, NAMING_COUNT };

// the triangles from one naming statement to the next
typedef struct run {
    const char* name; // in the source
    size_t size;
    int64_t first, end; // triangles
    bool is_material;
} run;

typedef struct reader {
    pl_scan scan;
    pl_array positions; // double, 3 per vertex
    pl_array uvs;       // double, 2 per texture coordinate
    pl_array normals;   // double, 3 per normal
    pl_faces faces;
    pl_array face; // int: corners of the current face
    pl_array face_uvs;
    pl_array face_normals;
    pl_array runs;                   // run
    size_t open_runs[NAMING_COUNT];  // of each naming, the newest runs,
    size_t open_count[NAMING_COUNT]; // which are still open
    // the largest index seen, and where, to report those beyond the end of the lists
    int largest_vertex, largest_uv, largest_normal;
    const char *largest_vertex_at, *largest_uv_at;
    int64_t coloured_count, other_count;
    const char* other_at; // the first unknown statement
    pl_error* error;
} reader;

static pl_status no_memory(const reader* r) {
    return pl_fail_memory(r->error, r->scan.source->path);
}

// skips blanks, and line ends after a backslash
static void skip_blanks(pl_scan* scan) {
    for (;;) {
        pl_scan_skip_blanks(scan);
        const char* p = scan->at;
        if (*p != '\\') return;
        p++;
        if (*p == '\r') p++;
        if (*p != '\n') return;
        scan->at = p + 1;
    }
}

// skips to the next line, including continued lines
static void skip_statement(pl_scan* scan) {
    const char* begin;
    do {
        begin = scan->at;
        pl_scan_skip_line(scan);
        const char* p = scan->at - 1;
        if (p > begin && p[-1] == '\r') p--;
        if (p <= begin || p[-1] != '\\') return;
    } while (!pl_scan_at_end(scan));
}

// the next number of this statement
static bool next_double(pl_scan* scan, double* value) {
    skip_blanks(scan);
    return !pl_scan_at_line_end(scan) && pl_scan_double(scan, value);
}

static pl_status read_vertex(reader* r) {
    double* place = pl_array_add(&r->positions, 3);
    if (!place) return no_memory(r);
    for (int k = 0; k < 3; k++)
        if (!next_double(&r->scan, &place[k]))
            return pl_scan_expected(&r->scan, r->error, "three coordinates");
    skip_blanks(&r->scan);
    r->coloured_count += !pl_scan_at_line_end(&r->scan) && *r->scan.at != '#';
    return PL_OK;
}

static pl_status read_uv(reader* r) {
    double* place = pl_array_add(&r->uvs, 2);
    if (!place) return no_memory(r);
    place[1] = 0.0; // v is optional
    if (!next_double(&r->scan, &place[0]))
        return pl_scan_expected(&r->scan, r->error, "a texture coordinate");
    skip_blanks(&r->scan);
    if (!pl_scan_at_line_end(&r->scan) && !next_double(&r->scan, &place[1]))
        return pl_scan_expected(&r->scan, r->error, "a texture coordinate");
    return PL_OK;
}

static pl_status read_normal(reader* r) {
    double* place = pl_array_add(&r->normals, 3);
    if (!place) return no_memory(r);
    // normals that cannot be parsed are ignored
    for (int k = 0; k < 3; k++)
        if (!next_double(&r->scan, &place[k])) place[k] = 0.0;
    return PL_OK;
}

// Converts an index that counts from 1, or backwards from -1, to one from 0. An index that is too
// large may become valid later in the file.
static pl_status resolve(reader* r, int index, size_t count, const char* what, int* largest,
                         const char** largest_at, int* out) {
    if (index == 0)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_FORMAT, "%s 0: OBJ counts from 1", what);
    if (index < 0 && (int64_t)count + index < 0)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_MESH,
                            "%s %d, but only %zu stand before it", what, index, count);
    *out = index > 0 ? index - 1 : (int)((int64_t)count + index);
    if (*out >= *largest) {
        *largest = *out;
        *largest_at = r->scan.at;
    }
    return PL_OK;
}

// one of v, v/vt, v//vn, v/vt/vn
static pl_status read_corner(reader* r, int* vertex, int* uv, int* normal) {
    int index;
    *uv = *normal = -1;
    if (!pl_scan_int(&r->scan, &index))
        return pl_scan_expected(&r->scan, r->error, "a vertex of a face");
    pl_status status = resolve(r, index, r->positions.count / 3, "vertex", &r->largest_vertex,
                               &r->largest_vertex_at, vertex);
    if (status != PL_OK || *r->scan.at != '/') return status;
    r->scan.at++;
    if (*r->scan.at != '/') {
        if (pl_scan_at_line_end(&r->scan) || *r->scan.at == ' ' || !pl_scan_int(&r->scan, &index))
            return pl_scan_expected(&r->scan, r->error, "a texture coordinate's index");
        status = resolve(r, index, r->uvs.count / 2, "texture coordinate", &r->largest_uv,
                         &r->largest_uv_at, uv);
        if (status != PL_OK || *r->scan.at != '/') return status;
    }
    r->scan.at++;
    if (pl_scan_at_line_end(&r->scan) || !pl_scan_int(&r->scan, &index))
        return pl_scan_expected(&r->scan, r->error, "a normal's index");
    // normals are optional, so invalid indices count as missing
    int64_t from_start = index > 0 ? (int64_t)index - 1 : (int64_t)(r->normals.count / 3) + index;
    if (index == 0 || from_start < 0) return PL_OK;
    *normal = (int)from_start;
    if (*normal > r->largest_normal) r->largest_normal = *normal;
    return PL_OK;
}

static pl_status read_face(reader* r) {
    r->face.count = r->face_uvs.count = r->face_normals.count = 0;
    bool has_uvs = false, has_normals = false;
    for (;;) {
        skip_blanks(&r->scan);
        if (pl_scan_at_line_end(&r->scan) || *r->scan.at == '#') break;
        int* vertex = pl_array_add(&r->face, 1);
        int* uv = pl_array_add(&r->face_uvs, 1);
        int* normal = pl_array_add(&r->face_normals, 1);
        if (!vertex || !uv || !normal) return no_memory(r);
        pl_status status = read_corner(r, vertex, uv, normal);
        if (status != PL_OK) return status;
        has_uvs = has_uvs || *uv >= 0;
        has_normals = has_normals || *normal >= 0;
    }
    if (r->face.count > INT_MAX)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_LIMIT, "a face with too many corners");
    bool added = pl_faces_add(&r->faces, r->face.data, has_uvs ? r->face_uvs.data : NULL,
                              has_normals ? r->face_normals.data : NULL, (int)r->face.count);
    return added ? PL_OK : no_memory(r);
}

static void close_runs(reader* r, int naming) {
    run* runs = r->runs.data;
    for (size_t i = 0; i < r->open_count[naming]; i++)
        runs[r->open_runs[naming] + i].end = r->faces.triangle_count;
    r->open_count[naming] = 0;
}

// a group statement may name several groups, the others take the line as one name
static pl_status read_naming(reader* r, int naming) {
    close_runs(r, naming);
    r->open_runs[naming] = r->runs.count;
    for (;;) {
        skip_blanks(&r->scan);
        const char* begin = r->scan.at;
        while (!pl_scan_at_line_end(&r->scan) &&
               (naming != GROUP || (*r->scan.at != ' ' && *r->scan.at != '\t')))
            r->scan.at++;
        const char* end = r->scan.at;
        while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) end--;
        if (end == begin) return PL_OK;
        run named = {begin, (size_t)(end - begin), r->faces.triangle_count, INT64_MAX,
                     naming == MATERIAL};
        if (!pl_array_push(&r->runs, &named)) return no_memory(r);
        r->open_count[naming]++;
    }
}

static pl_status read_statement(reader* r) {
    static const struct {
        const char* word;
        pl_status (*read)(reader*);
    } shapes[] = {{"v", read_vertex},
                  {"vt", read_uv},
                  {"vn", read_normal},
                  {"f", read_face},
                  {"fo", read_face}};
    static const struct {
        const char* word;
        int naming;
    } names[] = {{"o", OBJECT}, {"g", GROUP}, {"usemtl", MATERIAL}};
    static const char known[] = " vp s mtllib usemap maplib l p cstype deg bmat step curv curv2 "
                                "surf parm trim hole scrv sp end con mg bevel c_interp d_interp "
                                "lod shadow_obj trace_obj ctech stech ";
    const char* begin = r->scan.at;
    while (!pl_scan_at_line_end(&r->scan) && *r->scan.at != ' ' && *r->scan.at != '\t')
        r->scan.at++;
    size_t size = (size_t)(r->scan.at - begin);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (strlen(shapes[i].word) == size && memcmp(shapes[i].word, begin, size) == 0)
            return shapes[i].read(r);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i].word) == size && memcmp(names[i].word, begin, size) == 0)
            return read_naming(r, names[i].naming);
    char word[16] = " ";
    if (size < sizeof word - 2) {
        memcpy(word + 1, begin, size);
        word[size + 1] = ' ';
    }
    if (size < sizeof word - 2 && strstr(known, word)) return PL_OK;
    if (!r->other_count++) r->other_at = begin;
    return PL_OK;
}

static pl_status read_statements(reader* r) {
    for (;;) {
        pl_scan_skip_space(&r->scan, '#');
        if (pl_scan_at_end(&r->scan)) break;
        pl_status status = read_statement(r);
        if (status != PL_OK) return status;
        skip_statement(&r->scan);
    }
    for (int naming = 0; naming < NAMING_COUNT; naming++) close_runs(r, naming);
    return PL_OK;
}

static pl_status check_largest(reader* r, int largest, const char* at, size_t count,
                               const char* what) {
    if (largest < 0 || (size_t)largest < count) return PL_OK;
    r->scan.at = at;
    return pl_scan_fail(&r->scan, r->error, PL_ERROR_MESH,
                        "a face refers to %s %lld, but the file has %zu", what,
                        (long long)largest + 1, count);
}

static int compare_runs(const void* a, const void* b) {
    const run *x = a, *y = b;
    int order = memcmp(x->name, y->name, x->size < y->size ? x->size : y->size);
    if (order) return order;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    if (x->is_material != y->is_material) return x->is_material ? 1 : -1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

// true for runs of one region; a group and a material of the same name are two regions
static bool same_name(const run* a, const run* b) {
    return a->size == b->size && a->is_material == b->is_material &&
           memcmp(a->name, b->name, a->size) == 0;
}

// lists the triangles of runs [begin, end) of one name, once each; items may be NULL to count only
static int64_t unite(const run* runs, size_t begin, size_t end, int* items) {
    int64_t count = 0, next = 0;
    for (size_t i = begin; i < end; i++) {
        for (int64_t t = runs[i].first > next ? runs[i].first : next; t < runs[i].end; t++) {
            if (items) items[count] = (int)t;
            count++;
        }
        if (runs[i].end > next) next = runs[i].end;
    }
    return count;
}

static pl_status fill_region(const reader* r, const run* runs, size_t begin, size_t end,
                             int64_t count, pl_region* region) {
    size_t size = runs[begin].size;
    region->kind = PL_ELEMENT_TRIANGLE;
    region->is_material = runs[begin].is_material;
    region->name = pl_alloc(size + 1);
    if (!region->name) return no_memory(r);
    memcpy(region->name, runs[begin].name, size);
    region->items = PL_ALLOC(int, count);
    if (!region->items) return no_memory(r);
    region->count = (int)count;
    unite(runs, begin, end, region->items);
    return PL_OK;
}

// Makes all regions at once, since adding them one by one would copy the list each time. Names
// without triangles give none.
static pl_status make_regions(reader* r, pl_mesh* mesh) {
    run* runs = r->runs.data;
    size_t kept = 0, count = 0;
    for (size_t i = 0; i < r->runs.count; i++)
        if (runs[i].end > runs[i].first && !memchr(runs[i].name, '\0', runs[i].size))
            runs[kept++] = runs[i];
    if (kept == 0) return PL_OK;
    qsort(runs, kept, sizeof(run), compare_runs);
    for (size_t i = 0; i < kept; i++) count += i == 0 || !same_name(&runs[i - 1], &runs[i]);
    mesh->regions = PL_ALLOC(pl_region, count);
    if (!mesh->regions) return no_memory(r);
    mesh->region_count = (int)count;
    size_t region = 0;
    // one statement can put all faces into any number of groups, so the total is limited by the
    // file's size
    int64_t items_left = 16 * (int64_t)r->scan.source->size;
    for (size_t begin = 0, end; begin < kept; begin = end) {
        for (end = begin + 1; end < kept && same_name(&runs[begin], &runs[end]);) end++;
        int64_t item_count = unite(runs, begin, end, NULL);
        if (item_count > items_left)
            return pl_fail(r->error, PL_ERROR_LIMIT,
                           "%s: its faces are in too many groups at the same time",
                           r->scan.source->path);
        items_left -= item_count;
        pl_status status = fill_region(r, runs, begin, end, item_count, &mesh->regions[region++]);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static void note_rest(reader* r, pl_notes* notes) {
    const char* path = r->scan.source->path;
    if (r->coloured_count)
        pl_note(notes, PL_NOTE_INFO,
                "%s: %lld vertices have colours or weights, which were skipped", path,
                (long long)r->coloured_count);
    if (!r->other_count) return;
    r->scan.at = r->other_at;
    pl_note(notes, PL_NOTE_INFO,
            "%s:%lld: unknown statements were skipped, this is the first of %lld", path,
            (long long)pl_scan_line(&r->scan), (long long)r->other_count);
}

static pl_status make_mesh(reader* r, pl_mesh* mesh, pl_notes* notes) {
    size_t vertex_count = r->positions.count / 3, uv_count = r->uvs.count / 2;
    if (vertex_count > INT_MAX / 3 || uv_count > INT_MAX / 2)
        return pl_fail(r->error, PL_ERROR_LIMIT, "%s: more vertices than pliant can handle",
                       r->scan.source->path);
    pl_status status =
        check_largest(r, r->largest_vertex, r->largest_vertex_at, vertex_count, "vertex");
    if (status == PL_OK)
        status = check_largest(r, r->largest_uv, r->largest_uv_at, uv_count, "texture coordinate");
    if (status != PL_OK) return status;
    void *positions, *uvs = NULL, *normals = NULL;
    if (!pl_array_take(&r->positions, &positions)) return no_memory(r);
    mesh->positions = positions;
    mesh->vertex_count = (int)vertex_count;
    // unused texture coordinates are dropped
    if (r->faces.uvs.count && !pl_array_take(&r->uvs, &uvs)) return no_memory(r);
    mesh->uvs = uvs;
    mesh->uv_count = uvs ? (int)uv_count : 0;
    size_t normal_count = r->normals.count / 3;
    if (normal_count > INT_MAX / 3 || r->largest_normal >= (int)normal_count)
        r->faces.normals.count = 0;
    if (r->faces.normals.count && !pl_array_take(&r->normals, &normals)) return no_memory(r);
    mesh->normals = normals;
    mesh->normal_count = normals ? (int)normal_count : 0;
    status = pl_faces_to_mesh(&r->faces, r->scan.source->path, mesh, notes, r->error);
    return status == PL_OK ? make_regions(r, mesh) : status;
}

static pl_status read_obj(const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                          pl_error* error) {
    reader r = {.scan = pl_scan_begin(source),
                .positions = pl_array_of(sizeof(double)),
                .uvs = pl_array_of(sizeof(double)),
                .normals = pl_array_of(sizeof(double)),
                .faces = pl_faces_of_none(),
                .face = pl_array_of(sizeof(int)),
                .face_uvs = pl_array_of(sizeof(int)),
                .face_normals = pl_array_of(sizeof(int)),
                .runs = pl_array_of(sizeof(run)),
                .largest_vertex = -1,
                .largest_uv = -1,
                .largest_normal = -1,
                .error = error};
    pl_status status = read_statements(&r);
    if (status == PL_OK) status = make_mesh(&r, mesh, notes);
    if (status == PL_OK) note_rest(&r, notes);
    pl_array_free(&r.positions);
    pl_array_free(&r.uvs);
    pl_array_free(&r.normals);
    pl_faces_free(&r.faces);
    pl_array_free(&r.face);
    pl_array_free(&r.face_uvs);
    pl_array_free(&r.face_normals);
    pl_array_free(&r.runs);
    return status;
}

const pl_mesh_format_kind pl_format_obj = {
    .read = read_obj, .write = pl_write_obj, .is_surface = true};
