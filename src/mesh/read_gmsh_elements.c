// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// $Elements of a Gmsh file. Points and lines are kept for their groups, triangles and tets for the
// mesh. Files with other elements are refused: leaving out a prism would leave a hole. All types
// are counted, so that the message can list what the file contains.
#include "base/memory.h"
#include "mesh/read_gmsh.h"

#include <limits.h>
#include <stdio.h>

static const pl_gmsh_type types[] = {
    {1, 2, 1, "lines"},
    {2, 3, 2, "triangles"},
    {3, 4, 2, "quadrangles"},
    {4, 4, 3, "tetrahedra"},
    {5, 8, 3, "hexahedra"},
    {6, 6, 3, "prisms"},
    {7, 5, 3, "pyramids"},
    {8, 3, 1, "lines of order 2"},
    {9, 6, 2, "triangles of order 2"},
    {10, 9, 2, "quadrangles of order 2"},
    {11, 10, 3, "tetrahedra of order 2"},
    {12, 27, 3, "hexahedra of order 2"},
    {13, 18, 3, "prisms of order 2"},
    {14, 14, 3, "pyramids of order 2"},
    {15, 1, 0, "points"},
    {16, 8, 2, "quadrangles of order 2 (8 nodes)"},
    {17, 20, 3, "hexahedra of order 2 (20 nodes)"},
    {18, 15, 3, "prisms of order 2 (15 nodes)"},
    {19, 13, 3, "pyramids of order 2 (13 nodes)"},
    {20, 9, 2, "triangles of order 3 (9 nodes)"},
    {21, 10, 2, "triangles of order 3"},
    {22, 12, 2, "triangles of order 4 (12 nodes)"},
    {23, 15, 2, "triangles of order 4"},
    {24, 15, 2, "triangles of order 5 (15 nodes)"},
    {25, 21, 2, "triangles of order 5"},
    {26, 4, 1, "lines of order 3"},
    {27, 5, 1, "lines of order 4"},
    {28, 6, 1, "lines of order 5"},
    {29, 20, 3, "tetrahedra of order 3"},
    {30, 35, 3, "tetrahedra of order 4"},
    {31, 56, 3, "tetrahedra of order 5"},
    {36, 16, 2, "quadrangles of order 3"},
    {37, 25, 2, "quadrangles of order 4"},
    {92, 64, 3, "hexahedra of order 3"},
    {93, 125, 3, "hexahedra of order 4"},
};
enum { TYPE_COUNT = sizeof types / sizeof types[0], MAX_TAGS = 1 << 20 };

// consecutive elements of one type with the same tags
typedef struct block {
    const pl_gmsh_type* type;
    int64_t count;
    int tag_count;        // version 2: tags before the nodes
    int physical, entity; // version 2, of the element at hand
} block;

typedef struct tally {
    int64_t refused[TYPE_COUNT];
    bool any_refused;
} tally;

static const pl_gmsh_type* find_type(int64_t number) {
    for (int i = 0; i < TYPE_COUNT; i++)
        if (types[i].type == number) return &types[i];
    return NULL;
}

static bool is_simplex(const pl_gmsh_type* type) { return type->nodes == type->dimension + 1; }

static pl_status refuse_type(pl_gmsh* g, int64_t number) {
    return pl_gmsh_fail(g, PL_ERROR_UNSUPPORTED,
                        "elements of Gmsh type %lld; pliant reads points, lines, triangles and "
                        "tetrahedra of order 1",
                        (long long)number);
}

static pl_status refuse_node(pl_gmsh* g, int dimension, size_t index, int64_t tag) {
    static const char* names[] = {"point", "line", "triangle", "tet"};
    return pl_gmsh_fail(g, PL_ERROR_FORMAT,
                        "%s %zu refers to node %lld, but there is no node of this tag",
                        names[dimension], index, (long long)tag);
}

// the nodes of one element; corners is NULL for elements that are only counted
static pl_status read_corners(pl_gmsh* g, const pl_gmsh_type* type, int* corners, size_t index) {
    pl_scan scan = g->scan; // a local copy stays in registers; this is the innermost loop
    for (int k = 0; k < type->nodes; k++) {
        int64_t tag;
        bool found = g->binary ? pl_gmsh_get_tag(g, &tag) : pl_scan_int64(&scan, &tag);
        if (!g->binary) g->scan.at = scan.at;
        if (!found) return pl_gmsh_expected(g, "a node of an element");
        if (!corners) continue;
        corners[k] = pl_tag_map_find(&g->nodes, tag);
        if (corners[k] < 0) return refuse_node(g, type->dimension, index, tag);
    }
    return PL_OK;
}

// room for the elements of a block; NULL with PL_OK if the type is only counted
static pl_status make_room(pl_gmsh* g, const pl_gmsh_type* type, int64_t count, tally* t,
                           int** out) {
    *out = NULL;
    if (!is_simplex(type)) {
        t->refused[type - types] += count;
        t->any_refused = true;
        return PL_OK;
    }
    pl_array* corners = &g->corners[type->dimension];
    if (corners->count + (uint64_t)count > INT_MAX)
        return pl_gmsh_fail(g, PL_ERROR_LIMIT, "more than %d %s", INT_MAX, type->name);
    *out = count ? pl_array_add(corners, (size_t)count) : NULL;
    return count && !*out ? pl_gmsh_fail_memory(g) : PL_OK;
}

static bool keep_tag(pl_gmsh* g, int dimension, int64_t tag) {
    return !g->wants_element_tags || pl_array_push(&g->element_tags[dimension], &tag);
}

static int magnitude(int64_t tag) {
    int64_t value = tag < 0 ? -tag : tag;
    return value > INT_MAX ? INT_MAX : (int)value;
}

static pl_status read_tags_2(pl_gmsh* g, block* b) {
    int64_t tags[2] = {0, 0}, tag;
    for (int k = 0; k < b->tag_count; k++) {
        if (!pl_gmsh_get_tag(g, &tag)) return pl_gmsh_expected(g, "a tag of an element");
        if (k < 2) tags[k] = tag;
    }
    b->physical = magnitude(tags[0]);
    b->entity = magnitude(tags[1]);
    return PL_OK;
}

// Version 2 repeats an element for each of its physical groups, consecutively. An element is a
// repetition if only its group differs from that of the last element of its dimension.
static bool is_repetition(const pl_gmsh* g, const block* b, size_t index) {
    const pl_array* corners = &g->corners[b->type->dimension];
    const pl_region_runs* entities = &g->entities[b->type->dimension];
    const pl_region_runs* physicals = &g->physicals[b->type->dimension];
    if (index == 0 || !b->physical || entities->runs.count == 0 || physicals->runs.count == 0)
        return false;
    const pl_region_run* entity = (pl_region_run*)entities->runs.data + entities->runs.count - 1;
    const pl_region_run* physical =
        (pl_region_run*)physicals->runs.data + physicals->runs.count - 1;
    const char* last = (char*)corners->data + index * corners->item_size;
    return entity->tag == b->entity && physical->tag != b->physical &&
           physical->first + physical->count == (int)index &&
           memcmp(last, last - corners->item_size, corners->item_size) == 0;
}

// the rest of an element of version 2, after its number and header: groups, then nodes
static pl_status read_element_2(pl_gmsh* g, block* b, int64_t number, tally* t) {
    pl_status status = read_tags_2(g, b);
    int* corners;
    if (status == PL_OK) status = make_room(g, b->type, 1, t, &corners);
    int d = b->type->dimension;
    size_t index = g->corners[d].count - 1;
    if (status == PL_OK) status = read_corners(g, b->type, corners, index);
    if (status != PL_OK || !corners) return status;
    if (is_repetition(g, b, index)) {
        g->corners[d].count--;
        pl_region_runs_add(&g->physicals[d], b->physical, (int)index - 1, 1);
        return PL_OK;
    }
    if (!keep_tag(g, d, number)) return pl_gmsh_fail_memory(g);
    if (b->physical) pl_region_runs_add(&g->physicals[d], b->physical, (int)index, 1);
    if (b->tag_count > 1) pl_region_runs_add(&g->entities[d], b->entity, (int)index, 1);
    return PL_OK;
}

static pl_status read_header_2(pl_gmsh* g, block* b, int64_t left, int64_t* number) {
    int64_t type, count = 1, tag_count;
    bool found = g->binary ? pl_gmsh_get_int32(g, &type) && pl_gmsh_get_int32(g, &count)
                           : pl_gmsh_get_tag(g, number) && pl_scan_int64(&g->scan, &type);
    if (!found || !pl_gmsh_get_tag(g, &tag_count)) return pl_gmsh_expected(g, "an element");
    b->type = find_type(type);
    if (!b->type) return refuse_type(g, type);
    if (count < 0 || count > left)
        return pl_gmsh_fail(g, PL_ERROR_FORMAT, "a block of %lld elements, but %lld are left",
                            (long long)count, (long long)left);
    if (tag_count < 0 || tag_count > MAX_TAGS)
        return pl_gmsh_fail(g, PL_ERROR_FORMAT, "an element with %lld tags", (long long)tag_count);
    b->count = count;
    b->tag_count = (int)tag_count;
    return PL_OK;
}

static pl_status read_elements_2(pl_gmsh* g, tally* t) {
    int64_t total, number = 0;
    if (!pl_scan_int64(&g->scan, &total) || total < 0)
        return pl_gmsh_expected(g, "the number of elements");
    if (g->binary) pl_scan_skip_line(&g->scan);
    for (int64_t done = 0; done < total;) {
        block b = {0};
        pl_status status = read_header_2(g, &b, total - done, &number);
        if (status == PL_OK && b.count == 0)
            status = pl_gmsh_fail(g, PL_ERROR_FORMAT, "a block without elements");
        for (int64_t i = 0; status == PL_OK && i < b.count; i++) {
            if (g->binary && !pl_gmsh_get_tag(g, &number))
                return pl_gmsh_expected(g, "an element's number");
            status = read_element_2(g, &b, number, t);
        }
        if (status != PL_OK) return status;
        done += b.count;
    }
    return PL_OK;
}

static size_t first_membership(const pl_gmsh* g, int dimension, int entity) {
    const pl_gmsh_membership* m = g->memberships.data;
    size_t low = 0, high = g->memberships.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool before = m[middle].dimension != dimension ? m[middle].dimension < dimension
                                                       : m[middle].entity < entity;
        if (before) low = middle + 1;
        else high = middle;
    }
    return low;
}

static pl_status add_groups_4(pl_gmsh* g, int entity_dimension, int entity, int dimension,
                              int first, int count) {
    pl_region_runs_add(&g->entities[dimension], entity, first, count);
    const pl_gmsh_membership* m = g->memberships.data;
    size_t i = first_membership(g, entity_dimension, entity);
    for (; i < g->memberships.count; i++) {
        if (m[i].dimension != entity_dimension || m[i].entity != entity) break;
        pl_region_runs_add(&g->physicals[dimension], m[i].physical, first, count);
    }
    // many groups times many blocks could be far more than the size of the file
    if (g->physicals[dimension].runs.count > g->scan.source->size)
        return pl_gmsh_fail(g, PL_ERROR_LIMIT, "the elements are in too many physical groups");
    return PL_OK;
}

static pl_status read_header_4(pl_gmsh* g, block* b, int* dimension, int* entity) {
    int type;
    int* first = g->version == 40 ? entity : dimension;
    int* second = g->version == 40 ? dimension : entity;
    if (!pl_gmsh_get_int(g, first) || !pl_gmsh_get_int(g, second) || !pl_gmsh_get_int(g, &type) ||
        !pl_gmsh_get_size(g, &b->count))
        return pl_gmsh_expected(g, "a block of elements");
    b->type = find_type(type);
    if (!b->type) return refuse_type(g, type);
    size_t numbers = 1 + (size_t)b->type->nodes;
    if (!pl_gmsh_fits(g, b->count, numbers, numbers * (g->version == 41 ? 8 : 4)))
        return pl_gmsh_fail(
            g, PL_ERROR_FORMAT,
            "a block of %lld elements, but the rest of the file is too short for it",
            (long long)b->count);
    return PL_OK;
}

static pl_status read_block_4(pl_gmsh* g, tally* t, int64_t* done) {
    block b = {0};
    int entity_dimension, entity, *corners;
    pl_status status = read_header_4(g, &b, &entity_dimension, &entity);
    if (status == PL_OK) status = make_room(g, b.type, b.count, t, &corners);
    if (status != PL_OK) return status;
    int d = b.type->dimension;
    size_t first = g->corners[d].count - (corners ? (size_t)b.count : 0);
    for (int64_t i = 0; i < b.count; i++) {
        int64_t tag;
        if (!pl_gmsh_get_tag(g, &tag)) return pl_gmsh_expected(g, "an element's tag");
        status = read_corners(g, b.type, corners, first + (size_t)i);
        if (status != PL_OK) return status;
        if (corners) corners += b.type->nodes;
        if (corners && !keep_tag(g, d, tag)) return pl_gmsh_fail_memory(g);
    }
    *done += b.count;
    if (!corners) return PL_OK;
    return add_groups_4(g, entity_dimension, entity, d, (int)first, (int)b.count);
}

static pl_status read_elements_4(pl_gmsh* g, tally* t) {
    int64_t block_count, total, lowest, highest, done = 0;
    bool found =
        pl_gmsh_get_size(g, &block_count) && pl_gmsh_get_size(g, &total) &&
        (g->version == 40 || (pl_gmsh_get_size(g, &lowest) && pl_gmsh_get_size(g, &highest)));
    if (!found) return pl_gmsh_expected(g, "the number of elements");
    for (int64_t i = 0; i < block_count; i++) {
        pl_status status = read_block_4(g, t, &done);
        if (status != PL_OK) return status;
    }
    if (done == total) return PL_OK;
    return pl_gmsh_fail(g, PL_ERROR_FORMAT, "%lld elements are stated, but the blocks hold %lld",
                        (long long)total, (long long)done);
}

static pl_status refuse_elements(pl_gmsh* g, const tally* t) {
    char list[400] = "";
    size_t used = 0;
    bool curved = false, solid = false;
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (!t->refused[i]) continue;
        int size = snprintf(list + used, sizeof list - used, "%s%lld %s", used ? ", " : "",
                            (long long)t->refused[i], types[i].name);
        if (size > 0 && used + (size_t)size < sizeof list) used += (size_t)size;
        bool linear = types[i].type >= 3 && types[i].type <= 7;
        curved = curved || !linear;
        solid = solid || linear;
    }
    const char* advice =
        curved && !solid
            ? "convert it by a Gmsh script: Merge \"IN.msh\"; SetOrder 1; Save \"OUT.msh\";"
            : "mesh the shape again with tetrahedra (in Gmsh without recombination)";
    return pl_fail(g->error, PL_ERROR_UNSUPPORTED,
                   "%s: holds %s; pliant reads triangles and tetrahedra of order 1: %s",
                   g->scan.source->path, list, advice);
}

static pl_status take_elements(pl_gmsh* g) {
    void *tets, *triangles;
    int tet_count = (int)g->corners[3].count, triangle_count = (int)g->corners[2].count;
    if (!pl_array_take(&g->corners[3], &tets)) return pl_gmsh_fail_memory(g);
    g->mesh->tets = tets;
    g->mesh->tet_count = tet_count;
    if (!pl_array_take(&g->corners[2], &triangles)) return pl_gmsh_fail_memory(g);
    g->mesh->triangles = triangles;
    g->mesh->triangle_count = triangle_count;
    return PL_OK;
}

pl_status pl_gmsh_read_elements(pl_gmsh* g) {
    if (!g->has_nodes) return pl_gmsh_fail(g, PL_ERROR_FORMAT, "$Elements comes before $Nodes");
    if (g->has_elements) return pl_gmsh_fail(g, PL_ERROR_UNSUPPORTED, "a second $Elements section");
    tally t = {0};
    pl_status status = g->version == 22 ? read_elements_2(g, &t) : read_elements_4(g, &t);
    if (status == PL_OK && t.any_refused) status = refuse_elements(g, &t);
    if (status == PL_OK) status = take_elements(g);
    g->has_elements = true;
    return status;
}
