// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Gmsh .msh 4.1, binary or text. In Gmsh an element belongs to one entity, and entities to any
// number of physical groups, so elements that are in the same regions form an entity. Elements keep
// their order: a block ends where the entity changes, and an entity may have many blocks. Vertex
// sets become groups of points. Nodes are numbered from 1; all of them lie on the first entity of
// the highest dimension.
#include "base/array.h"
#include "base/memory.h"
#include "mesh/mesh_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A class of elements: those in exactly the same regions. Each is an older class plus one more
// region; class 0 is in none.
typedef struct element_class {
    int parent;
    int region;
    int depth; // regions it is in
    int used;  // elements
} element_class;

typedef struct classes {
    int* of; // per element
    int element_count;
    element_class* list;
    int count, capacity;
} classes;

typedef struct writer {
    const pl_mesh* mesh;
    pl_sink* sink;
    pl_notes* notes;
    bool ascii;
    classes kinds[3]; // by pl_element_kind
    int* tags;        // physical tag of each region
    double low[3], high[3];
} writer;

static const int dimension_of[] = {0, 2, 3};
static const int gmsh_type_of[] = {15, 2, 4};

static const int* corners_of(const pl_mesh* mesh, pl_element_kind kind) {
    return kind == PL_ELEMENT_TET        ? mesh->tets
           : kind == PL_ELEMENT_TRIANGLE ? mesh->triangles
                                         : NULL;
}

// each of these writes a number in its binary width, or as text with its separator
static void put_int(writer* w, int value) {
    if (!w->ascii) {
        pl_sink_bytes(w->sink, &value, sizeof value);
        return;
    }
    pl_sink_int(w->sink, value);
    pl_sink_char(w->sink, ' ');
}

static void put_size(writer* w, int64_t value) {
    if (!w->ascii) {
        pl_sink_bytes(w->sink, &value, sizeof value);
        return;
    }
    pl_sink_int(w->sink, value);
    pl_sink_char(w->sink, ' ');
}

static void put_double(writer* w, double value) {
    if (!w->ascii) {
        pl_sink_bytes(w->sink, &value, sizeof value);
        return;
    }
    pl_sink_double(w->sink, value);
    pl_sink_char(w->sink, ' ');
}

static void put_line_end(writer* w) {
    if (w->ascii) pl_sink_char(w->sink, '\n');
}

static bool grow_classes(classes* c) {
    if (c->count < c->capacity) return true;
    int capacity = 2 * c->capacity + 8;
    element_class* list =
        pl_realloc(c->list, (size_t)c->capacity * sizeof *list, (size_t)capacity * sizeof *list);
    if (!list) return false;
    c->list = list;
    c->capacity = capacity;
    return true;
}

// splits classes by one more region: of every class met in it, the part inside becomes a new one
static bool split_by_region(classes* c, const pl_region* region, int region_index) {
    int old_count = c->count;
    int* inside = PL_ALLOC(int, old_count); // new class of each old one, 0 for not yet
    if (!inside) return false;
    bool done = true;
    for (int i = 0; done && i < region->count; i++) {
        int* class_of = &c->of[region->items[i]];
        if (!inside[*class_of]) {
            done = grow_classes(c);
            if (!done) break;
            inside[*class_of] = c->count;
            c->list[c->count++] = (element_class){
                .parent = *class_of, .region = region_index, .depth = c->list[*class_of].depth + 1};
        }
        *class_of = inside[*class_of];
    }
    PL_FREE(inside, int, old_count);
    return done;
}

static bool classify(writer* w, pl_element_kind kind) {
    classes* c = &w->kinds[kind];
    c->element_count = pl_mesh_element_count(w->mesh, kind);
    c->of = PL_ALLOC(int, c->element_count);
    if ((c->element_count && !c->of) || !grow_classes(c)) return false;
    c->list[c->count++] = (element_class){.region = -1};
    for (int r = 0; r < w->mesh->region_count; r++)
        if (w->mesh->regions[r].kind == kind && !split_by_region(c, &w->mesh->regions[r], r))
            return false;
    for (int i = 0; i < c->element_count; i++) c->list[c->of[i]].used++;
    if (kind == PL_ELEMENT_VERTEX) c->list[0].used = 0; // a vertex in no set is not a point element
    return true;
}

// regions keep their own tag if they have one; others get tags above all these
static bool number_regions(writer* w) {
    int count = w->mesh->region_count;
    int* sorted = PL_ALLOC(int, count);
    w->tags = PL_ALLOC(int, count);
    bool done = count == 0 || (sorted && w->tags);
    for (pl_element_kind kind = PL_ELEMENT_VERTEX; done && kind <= PL_ELEMENT_TET; kind++) {
        int n = 0;
        for (int r = 0; r < count; r++)
            if (w->mesh->regions[r].kind == kind) sorted[n++] = w->mesh->regions[r].tag;
        if (n > 0) qsort(sorted, (size_t)n, sizeof(int), pl_compare_ints);
        bool unique = n == 0 || (sorted[0] > 0);
        for (int i = 1; i < n; i++) unique = unique && sorted[i] != sorted[i - 1];
        int next = 1;
        for (int r = 0; r < count; r++)
            if (w->mesh->regions[r].kind == kind)
                w->tags[r] = unique ? w->mesh->regions[r].tag : next++;
    }
    PL_FREE(sorted, int, count);
    return done;
}

static void put_name(writer* w, const char* name) {
    pl_sink_char(w->sink, '"');
    for (const char* p = name; *p; p++) {
        char c = *p;
        pl_sink_char(w->sink, c == '"' || (c >= 0 && c < ' ') ? '_' : c);
    }
    pl_sink_char(w->sink, '"');
}

static void write_names(writer* w) {
    if (w->mesh->region_count == 0) return;
    pl_sink_text(w->sink, "$PhysicalNames\n");
    pl_sink_int(w->sink, w->mesh->region_count);
    pl_sink_char(w->sink, '\n');
    for (int r = 0; r < w->mesh->region_count; r++) {
        pl_sink_int(w->sink, dimension_of[w->mesh->regions[r].kind]);
        pl_sink_char(w->sink, ' ');
        pl_sink_int(w->sink, w->tags[r]);
        pl_sink_char(w->sink, ' ');
        put_name(w, w->mesh->regions[r].name);
        pl_sink_char(w->sink, '\n');
    }
    pl_sink_text(w->sink, "$EndPhysicalNames\n");
}

static int used_count(const classes* c) {
    int count = 0;
    for (int i = 0; i < c->count; i++) count += c->list[i].used > 0;
    return count;
}

static void write_entity(writer* w, pl_element_kind kind, int class) {
    const classes* c = &w->kinds[kind];
    put_int(w, class + 1);
    for (int k = 0; k < 3; k++) put_double(w, w->low[k]);
    for (int k = 0; kind != PL_ELEMENT_VERTEX && k < 3; k++) put_double(w, w->high[k]);
    put_size(w, c->list[class].depth);
    for (int i = class; c->list[i].region >= 0; i = c->list[i].parent)
        put_int(w, w->tags[c->list[i].region]);
    if (kind != PL_ELEMENT_VERTEX) put_size(w, 0);
    put_line_end(w);
}

static void write_entities(writer* w) {
    pl_sink_text(w->sink, "$Entities\n");
    put_size(w, used_count(&w->kinds[PL_ELEMENT_VERTEX]));
    put_size(w, 0);
    put_size(w, used_count(&w->kinds[PL_ELEMENT_TRIANGLE]));
    put_size(w, used_count(&w->kinds[PL_ELEMENT_TET]));
    put_line_end(w);
    for (pl_element_kind kind = PL_ELEMENT_VERTEX; kind <= PL_ELEMENT_TET; kind++)
        for (int i = 0; i < w->kinds[kind].count; i++)
            if (w->kinds[kind].list[i].used) write_entity(w, kind, i);
    pl_sink_text(w->sink, w->ascii ? "$EndEntities\n" : "\n$EndEntities\n");
}

static void write_nodes(writer* w) {
    const pl_mesh* mesh = w->mesh;
    pl_element_kind kind = mesh->tet_count ? PL_ELEMENT_TET : PL_ELEMENT_TRIANGLE;
    int first = 0;
    while (first + 1 < w->kinds[kind].count && !w->kinds[kind].list[first].used) first++;
    pl_sink_text(w->sink, "$Nodes\n");
    put_size(w, 1);
    put_size(w, mesh->vertex_count);
    put_size(w, 1);
    put_size(w, mesh->vertex_count);
    put_line_end(w);
    put_int(w, dimension_of[kind]);
    put_int(w, first + 1);
    put_int(w, 0);
    put_size(w, mesh->vertex_count);
    put_line_end(w);
    for (int i = 0; i < mesh->vertex_count; i++) {
        put_size(w, i + 1);
        put_line_end(w);
    }
    for (int i = 0; i < mesh->vertex_count; i++) {
        for (int k = 0; k < 3; k++) put_double(w, mesh->positions[3 * (size_t)i + (size_t)k]);
        put_line_end(w);
    }
    pl_sink_text(w->sink, w->ascii ? "$EndNodes\n" : "\n$EndNodes\n");
}

// the end of the block that starts at element i: where the class changes
static int block_end(const classes* c, int i) {
    int end = i + 1;
    while (end < c->element_count && c->of[end] == c->of[i]) end++;
    return end;
}

static int64_t count_blocks(const classes* c) {
    int64_t count = 0;
    for (int i = 0; i < c->element_count; i = block_end(c, i)) count += c->list[c->of[i]].used > 0;
    return count;
}

static void write_block(writer* w, pl_element_kind kind, int begin, int end, int64_t first_tag) {
    put_int(w, dimension_of[kind]);
    put_int(w, w->kinds[kind].of[begin] + 1);
    put_int(w, gmsh_type_of[kind]);
    put_size(w, end - begin);
    put_line_end(w);
    size_t corner_count = (size_t)dimension_of[kind] + 1;
    const int* corners = corners_of(w->mesh, kind);
    for (int i = begin; i < end; i++) {
        put_size(w, first_tag + i - begin);
        for (size_t k = 0; k < corner_count; k++)
            put_size(w, 1 + (corners ? corners[corner_count * (size_t)i + k] : i));
        put_line_end(w);
    }
}

// Element tags are counted from 1: triangles, tets, then points, so that fields can find them.
static int64_t first_tag_of(const pl_mesh* mesh, pl_element_kind kind) {
    return kind == PL_ELEMENT_TRIANGLE ? 1
           : kind == PL_ELEMENT_TET    ? 1 + (int64_t)mesh->triangle_count
                                       : 1 + (int64_t)mesh->triangle_count + mesh->tet_count;
}

static void write_elements(writer* w) {
    static const pl_element_kind order[] = {PL_ELEMENT_TRIANGLE, PL_ELEMENT_TET, PL_ELEMENT_VERTEX};
    int64_t blocks = 0, total = 0;
    for (int k = 0; k < 3; k++) {
        const classes* c = &w->kinds[order[k]];
        blocks += count_blocks(c);
        for (int i = 0; i < c->count; i++) total += c->list[i].used;
    }
    pl_sink_text(w->sink, "$Elements\n");
    put_size(w, blocks);
    put_size(w, total);
    put_size(w, 1);
    put_size(w, total);
    put_line_end(w);
    for (int k = 0; k < 3; k++) {
        const classes* c = &w->kinds[order[k]];
        int64_t tag = first_tag_of(w->mesh, order[k]);
        for (int i = 0, end; i < c->element_count; i = end) {
            end = block_end(c, i);
            if (!c->list[c->of[i]].used) continue;
            write_block(w, order[k], i, end, tag);
            tag += end - i;
        }
    }
    pl_sink_text(w->sink, w->ascii ? "$EndElements\n" : "\n$EndElements\n");
}

static bool has_value(const pl_field* field, int i) {
    for (int k = 0; k < field->components; k++)
        if (!isnan(field->values[(size_t)i * (size_t)field->components + (size_t)k])) return true;
    return false;
}

static void write_field_header(writer* w, const pl_field* field, int components, int count) {
    pl_sink_text(w->sink, field->kind == PL_ELEMENT_VERTEX ? "$NodeData\n" : "$ElementData\n");
    pl_sink_text(w->sink, "1\n");
    put_name(w, field->name);
    pl_sink_text(w->sink, "\n1\n0\n3\n0\n");
    pl_sink_int(w->sink, components);
    pl_sink_char(w->sink, '\n');
    pl_sink_int(w->sink, count);
    pl_sink_char(w->sink, '\n');
}

// Gmsh has scalars, vectors and tensors: other sizes are padded with zeros
static void write_field(writer* w, const pl_field* field) {
    int components = field->components == 1   ? 1
                     : field->components <= 3 ? 3
                     : field->components <= 9 ? 9
                                              : 0;
    if (components != field->components)
        pl_note(w->notes, PL_NOTE_INFO,
                "field \"%s\" of %d components is %s, since .msh has 1, 3 or 9", field->name,
                field->components, components ? "filled up with zeros" : "left out");
    if (components == 0) return;
    int element_count = pl_mesh_element_count(w->mesh, field->kind), count = 0;
    for (int i = 0; i < element_count; i++) count += has_value(field, i);
    write_field_header(w, field, components, count);
    int64_t first_tag = field->kind == PL_ELEMENT_VERTEX ? 1 : first_tag_of(w->mesh, field->kind);
    for (int i = 0; i < element_count; i++) {
        if (!has_value(field, i)) continue;
        put_int(w, (int)(first_tag + i));
        for (int k = 0; k < components; k++)
            put_double(w, k < field->components
                              ? field->values[(size_t)i * (size_t)field->components + (size_t)k]
                              : 0.0);
        put_line_end(w);
    }
    pl_sink_text(w->sink, w->ascii ? "" : "\n");
    pl_sink_text(w->sink,
                 field->kind == PL_ELEMENT_VERTEX ? "$EndNodeData\n" : "$EndElementData\n");
}

static void write_header(writer* w) {
    pl_sink_text(w->sink, w->ascii ? "$MeshFormat\n4.1 0 8\n" : "$MeshFormat\n4.1 1 8\n");
    int one = 1;
    if (!w->ascii) {
        pl_sink_bytes(w->sink, &one, sizeof one);
        pl_sink_char(w->sink, '\n');
    }
    pl_sink_text(w->sink, "$EndMeshFormat\n");
}

static void find_bounds(writer* w) {
    for (int i = 0; i < w->mesh->vertex_count; i++)
        for (int k = 0; k < 3; k++) {
            double x = w->mesh->positions[3 * (size_t)i + (size_t)k];
            if (i == 0 || x < w->low[k]) w->low[k] = x;
            if (i == 0 || x > w->high[k]) w->high[k] = x;
        }
}

static void free_writer(writer* w) {
    for (int k = 0; k < 3; k++) {
        PL_FREE(w->kinds[k].of, int, w->kinds[k].element_count);
        PL_FREE(w->kinds[k].list, element_class, w->kinds[k].capacity);
    }
    PL_FREE(w->tags, int, w->mesh->region_count);
}

pl_status pl_write_gmsh(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                        pl_error* error) {
    writer w = {.mesh = mesh, .sink = sink, .notes = notes, .ascii = ascii};
    bool ready = number_regions(&w) && classify(&w, PL_ELEMENT_VERTEX) &&
                 classify(&w, PL_ELEMENT_TRIANGLE) && classify(&w, PL_ELEMENT_TET);
    if (!ready) {
        free_writer(&w);
        return pl_fail_memory(error, "a mesh to be written");
    }
    if (mesh->uv_count)
        pl_note(notes, PL_NOTE_INFO, "texture coordinates are left out, since .msh has none");
    find_bounds(&w);
    write_header(&w);
    write_names(&w);
    write_entities(&w);
    write_nodes(&w);
    write_elements(&w);
    for (int f = 0; f < mesh->field_count; f++) write_field(&w, &mesh->fields[f]);
    free_writer(&w);
    return PL_OK;
}
