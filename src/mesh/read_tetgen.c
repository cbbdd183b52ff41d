// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// TetGen .node and .ele (TetGen manual, "File formats"). A header, then a line per vertex or tet;
// "#" starts a comment. Vertices are numbered from 0 or 1. In some published pairs the .ele file
// counts from the other number, which is corrected. Boundary markers become vertex sets, the region
// attribute regions of tets, vertex attributes a field.
#include "base/memory.h"
#include "base/platform.h"
#include "mesh/mesh_format.h"
#include "mesh/region_runs.h"
#include "mesh/tag_map.h"
#include "mesh/text_scan.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct tetgen {
    pl_mesh* mesh;
    pl_notes* notes;
    pl_error* error;
    const char* node_path;
    int64_t count; // vertices
    int64_t* tags; // number of each
    double* attributes;
    int attribute_count;
    pl_region_runs markers, regions;
    int odd_attributes; // attributes of tets that are not region numbers
    pl_tag_map map;
    int64_t lowest, highest; // vertex numbers in the .ele file
} tetgen;

static bool at_line_end(pl_scan* scan) {
    pl_scan_skip_blanks(scan);
    return pl_scan_at_line_end(scan) || *scan->at == '#';
}

// the next number on this line
static bool get_int64(pl_scan* scan, int64_t* value) {
    return !at_line_end(scan) && pl_scan_int64(scan, value);
}

static bool get_double(pl_scan* scan, double* value) {
    return !at_line_end(scan) && pl_scan_double(scan, value);
}

static pl_status line_expected(pl_scan* scan, const char* what, pl_error* error) {
    if (at_line_end(scan) && !pl_scan_at_end(scan))
        return pl_scan_fail(scan, error, PL_ERROR_FORMAT, "expected %s, but the line ends", what);
    return pl_scan_expected(scan, error, what);
}

// True if the rest of the file can hold `count` lines of at least `numbers` numbers. Checked before
// allocating.
static bool fits(const pl_scan* scan, int64_t count, int64_t numbers) {
    return count >= 0 && count < INT_MAX && numbers > 0 && numbers < (1 << 20) &&
           count <= ((scan->end - scan->at) + 1) / (2 * numbers);
}

static pl_status too_short(const pl_scan* scan, const char* what, int64_t count, pl_error* error) {
    return pl_scan_fail(scan, error, PL_ERROR_FORMAT,
                        "%lld %s are stated, but the rest of the file is too short for them",
                        (long long)count, what);
}

static pl_status expect_end(pl_scan* scan, const char* what, int64_t count, pl_error* error) {
    pl_scan_skip_space(scan, '#');
    if (pl_scan_at_end(scan)) return PL_OK;
    return pl_scan_fail(scan, error, PL_ERROR_FORMAT, "%lld %s are stated, but more lines follow",
                        (long long)count, what);
}

static pl_status read_vertex(tetgen* t, pl_scan* scan, int i) {
    pl_scan_skip_space(scan, '#');
    if (!get_int64(scan, &t->tags[i])) return line_expected(scan, "a vertex number", t->error);
    for (int k = 0; k < 3; k++)
        if (!get_double(scan, &t->mesh->positions[3 * (size_t)i + (size_t)k]))
            return line_expected(scan, "a coordinate", t->error);
    for (int k = 0; k < t->attribute_count; k++)
        if (!get_double(scan, &t->attributes[(size_t)i * (size_t)t->attribute_count + (size_t)k]))
            return line_expected(scan, "an attribute of a vertex", t->error);
    // the marker may be missing even if the header announces one
    int64_t marker;
    if (get_int64(scan, &marker) && marker != 0 && marker >= INT_MIN && marker <= INT_MAX)
        pl_region_runs_add(&t->markers, (int)marker, i, 1);
    pl_scan_skip_line(scan);
    return PL_OK;
}

static pl_status read_node_header(tetgen* t, pl_scan* scan, int64_t* count) {
    int64_t dimension = 3, attribute_count = 0;
    pl_scan_skip_space(scan, '#');
    if (!get_int64(scan, count)) return line_expected(scan, "the number of vertices", t->error);
    get_int64(scan, &dimension);
    get_int64(scan, &attribute_count);
    if (dimension != 3)
        return pl_scan_fail(scan, t->error, PL_ERROR_UNSUPPORTED,
                            "vertices of %lld dimensions; pliant reads .node files of 3",
                            (long long)dimension);
    pl_scan_skip_line(scan);
    if (attribute_count < 0 || !fits(scan, *count, 4 + attribute_count))
        return too_short(scan, "vertices", *count, t->error);
    t->attribute_count = (int)attribute_count;
    return PL_OK;
}

static pl_status map_vertices(tetgen* t, const pl_scan* scan) {
    int repeated;
    pl_status status = pl_tag_map_setup(&t->map, t->tags, t->mesh->vertex_count, &repeated);
    if (status == PL_ERROR_MEMORY) return pl_fail_memory(t->error, t->node_path);
    if (status != PL_OK)
        return pl_scan_fail(scan, t->error, PL_ERROR_FORMAT, "vertex number %lld is given twice",
                            (long long)t->tags[repeated]);
    return PL_OK;
}

static pl_status read_nodes(tetgen* t, const pl_source* source) {
    pl_scan scan = pl_scan_begin(source);
    int64_t count = 0;
    pl_status status = read_node_header(t, &scan, &count);
    if (status != PL_OK) return status;
    t->count = count;
    t->tags = PL_ALLOC(int64_t, count);
    if (!pl_mesh_set_vertex_count(t->mesh, (int)count) || (count && !t->tags))
        return pl_fail_memory(t->error, t->node_path);
    if (count && t->attribute_count) {
        t->attributes = PL_ALLOC(double, (size_t)count*(size_t)t->attribute_count);
        if (!t->attributes) return pl_fail_memory(t->error, t->node_path);
    }
    for (int i = 0; status == PL_OK && i < count; i++) status = read_vertex(t, &scan, i);
    if (status == PL_OK) status = expect_end(&scan, "vertices", count, t->error);
    return status == PL_OK ? map_vertices(t, &scan) : status;
}

static pl_status read_tet(tetgen* t, pl_scan* scan, int i, bool has_attribute) {
    int64_t number;
    pl_scan_skip_space(scan, '#');
    if (!get_int64(scan, &number)) return line_expected(scan, "a tet number", t->error);
    for (int k = 0; k < 4; k++) {
        if (!get_int64(scan, &number)) return line_expected(scan, "a vertex of a tet", t->error);
        if (number < INT_MIN || number > INT_MAX)
            return pl_scan_fail(scan, t->error, PL_ERROR_FORMAT, "tet %d refers to vertex %lld", i,
                                (long long)number);
        t->mesh->tets[4 * (size_t)i + (size_t)k] = (int)number;
        if (number < t->lowest) t->lowest = number;
        if (number > t->highest) t->highest = number;
    }
    double attribute;
    if (has_attribute && get_double(scan, &attribute) && attribute != 0.0) {
        bool whole = attribute == floor(attribute) && fabs(attribute) <= INT_MAX;
        if (whole) pl_region_runs_add(&t->regions, (int)attribute, i, 1);
        else t->odd_attributes++;
    }
    pl_scan_skip_line(scan);
    return PL_OK;
}

static pl_status read_tets(tetgen* t, const pl_source* source) {
    pl_scan scan = pl_scan_begin(source);
    int64_t count, corners = 4, attribute_count = 0;
    pl_scan_skip_space(&scan, '#');
    if (!get_int64(&scan, &count)) return line_expected(&scan, "the number of tets", t->error);
    get_int64(&scan, &corners);
    get_int64(&scan, &attribute_count);
    if (corners != 4)
        return pl_scan_fail(&scan, t->error, PL_ERROR_UNSUPPORTED,
                            "%lld tets of %lld nodes (order 2 has 10); pliant reads tets of 4: run "
                            "tetgen without -o2",
                            (long long)count, (long long)corners);
    pl_scan_skip_line(&scan);
    if (!fits(&scan, count, 5)) return too_short(&scan, "tets", count, t->error);
    if (!pl_mesh_set_tet_count(t->mesh, (int)count)) return pl_fail_memory(t->error, source->path);
    t->lowest = INT64_MAX;
    t->highest = INT64_MIN;
    pl_status status = PL_OK;
    for (int i = 0; status == PL_OK && i < count; i++)
        status = read_tet(t, &scan, i, attribute_count > 0);
    return status == PL_OK ? expect_end(&scan, "tets", count, t->error) : status;
}

// What to add to the numbers of the .ele file, which may count from 0 where the .node file counts
// from 1, or vice versa. Not 0 only if all numbers fit with the shift, and not without it.
static int64_t base_shift(const tetgen* t) {
    if (t->map.kind != PL_TAGS_CONSECUTIVE || t->mesh->tet_count == 0) return 0;
    int64_t first = t->map.base, last = first + (int64_t)t->map.size - 1;
    if (t->lowest == first - 1 && t->highest < last && first == 1) return 1;
    if (t->highest == last + 1 && t->lowest > first && first == 0) return -1;
    return 0;
}

static pl_status resolve_vertices(tetgen* t, const char* ele_path) {
    int64_t shift = base_shift(t);
    for (size_t i = 0; i < 4 * (size_t)t->mesh->tet_count; i++) {
        int64_t tag = t->mesh->tets[i];
        t->mesh->tets[i] = pl_tag_map_find(&t->map, tag + shift);
        if (t->mesh->tets[i] < 0)
            return pl_fail(t->error, PL_ERROR_FORMAT,
                           "%s: tet %zu of the list refers to vertex %lld, which %s does not have",
                           ele_path, i / 4 + 1, (long long)tag, t->node_path);
    }
    if (shift)
        pl_note(t->notes, PL_NOTE_MENDED,
                "%s: counts vertices from %d, but %s counts from %d; read as meant", ele_path,
                shift > 0 ? 0 : 1, t->node_path, shift > 0 ? 1 : 0);
    return PL_OK;
}

static pl_status add_groups(tetgen* t) {
    pl_region_making markers = {
        .path = t->node_path, .prefix = "marker", .kind = PL_ELEMENT_VERTEX};
    pl_region_making regions = {.path = t->node_path, .prefix = "region", .kind = PL_ELEMENT_TET};
    pl_status status = pl_region_runs_make(&t->regions, &regions, t->mesh, t->notes, t->error);
    if (status == PL_OK)
        status = pl_region_runs_make(&t->markers, &markers, t->mesh, t->notes, t->error);
    if (status == PL_OK && t->attributes)
        status = pl_mesh_add_field(t->mesh, PL_ELEMENT_VERTEX, "attributes", t->attribute_count,
                                   t->attributes, t->error);
    if (t->odd_attributes)
        pl_note(t->notes, PL_NOTE_MENDED,
                "%s: %d tets have attributes that are not whole numbers; they are in no region",
                t->node_path, t->odd_attributes);
    return status;
}

static pl_status read_pair(const pl_source* node, const pl_source* ele, pl_mesh* mesh,
                           pl_notes* notes, pl_error* error) {
    tetgen t = {.mesh = mesh,
                .notes = notes,
                .error = error,
                .node_path = node->path,
                .markers = pl_region_runs_begin(),
                .regions = pl_region_runs_begin()};
    pl_status status = read_nodes(&t, node);
    if (status == PL_OK) status = read_tets(&t, ele);
    if (status == PL_OK) status = resolve_vertices(&t, ele->path);
    if (status == PL_OK) status = add_groups(&t);
    PL_FREE(t.tags, int64_t, t.count);
    PL_FREE(t.attributes, double, (size_t)mesh->vertex_count*(size_t)t.attribute_count);
    pl_region_runs_free(&t.markers);
    pl_region_runs_free(&t.regions);
    pl_tag_map_free(&t.map);
    return status;
}

// In memory both files are one buffer: .node, then a line that begins with "#ele", then .ele.
static pl_status read_in_memory(const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                                pl_error* error) {
    static const char mark[] = "\n#ele";
    const char* found = pl_find_bytes(source->data, source->size, mark, sizeof mark - 1);
    if (!found)
        return pl_fail(error, PL_ERROR_FORMAT,
                       "%s: in memory, a line \"#ele\" must separate the .node from the .ele file",
                       source->path);
    pl_source ele = *source;
    ele.data = found + 1;
    ele.size = (size_t)(source->data + source->size - ele.data);
    // a copy, so that zeros follow the text of the first part, too
    pl_source node;
    pl_status status = pl_source_from_memory(source->data, (size_t)(found + 1 - source->data),
                                             source->path, source->byte_limit, &node, error);
    if (status != PL_OK) return status;
    status = read_pair(&node, &ele, mesh, notes, error);
    pl_source_free(&node);
    return status;
}

// loads the other file of the pair: the same name with the other ending, plain or gzipped
static pl_status load_partner(const pl_source* source, size_t stem, const char* ending, char* path,
                              size_t path_size, pl_source* partner, pl_error* error) {
    bool packed = strcasecmp(source->path + strlen(source->path) - 3, ".gz") == 0;
    pl_error first = {0};
    for (int attempt = 0; attempt < 2; attempt++) {
        snprintf(path, path_size, "%.*s%s%s", (int)stem, source->path, ending,
                 packed == (attempt == 0) ? ".gz" : "");
        pl_status status =
            pl_source_load(path, source->byte_limit, partner, attempt == 0 ? &first : error);
        if (status == PL_OK) return PL_OK;
        if (status != PL_ERROR_IO)
            return attempt == 0 ? pl_fail(error, status, "%s", first.text) : status;
    }
    return pl_fail(error, PL_ERROR_IO, "%s: needs the other file of the pair beside it: %s",
                   source->path, first.text);
}

static pl_status read_tetgen(const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                             pl_error* error) {
    if (source->in_memory) return read_in_memory(source, mesh, notes, error);
    size_t stem = strlen(source->path);
    if (stem > 3 && strcasecmp(source->path + stem - 3, ".gz") == 0) stem -= 3;
    size_t ending = stem;
    while (ending > 0 && source->path[ending - 1] != '.') ending--;
    bool is_ele = stem - ending == 3 && strncasecmp(source->path + ending, "ele", 3) == 0;
    bool is_node = stem - ending == 4 && strncasecmp(source->path + ending, "node", 4) == 0;
    if (!is_ele && !is_node)
        return pl_fail(
            error, PL_ERROR_ARGUMENT,
            "%s: the name of a TetGen file ends in .node or .ele, so that the other file "
            "of the pair can be found",
            source->path);
    bool upper = source->path[ending] == (is_ele ? 'E' : 'N');
    const char* partner_ending = is_ele ? (upper ? "NODE" : "node") : (upper ? "ELE" : "ele");
    size_t path_size = strlen(source->path) + 8;
    char* path = pl_alloc(path_size);
    if (!path) return pl_fail_memory(error, source->path);
    pl_source partner;
    pl_status status =
        load_partner(source, ending, partner_ending, path, path_size, &partner, error);
    if (status == PL_OK) {
        status = is_ele ? read_pair(&partner, source, mesh, notes, error)
                        : read_pair(source, &partner, mesh, notes, error);
        pl_source_free(&partner);
    }
    pl_free(path, path_size);
    return status;
}

const pl_mesh_format_kind pl_format_tetgen = {.read = read_tetgen};
