// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Gmsh .msh 2.x and 4.1, text and binary of either byte order, and 4.0 as text (Gmsh reference
// manual, "File formats"; Gmsh itself writes 4.0 as text only). This file reads the sections in
// their order, the header and the names of physical groups, and makes regions of the groups.
// Physical groups become regions of tets (dimension 3), triangles (2) or vertices (1, 0). Where a
// dimension has no physical groups but several geometric entities, these become its regions.
// Unknown sections are skipped.
#include "mesh/read_gmsh.h"
#include "base/memory.h"
#include "base/platform.h"
#include "mesh/mesh_write.h"

#include <stdarg.h>
#include <stdio.h>

pl_status pl_gmsh_fail(pl_gmsh* g, pl_status status, const char* format, ...) {
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!g->binary) return pl_scan_fail(&g->scan, g->error, status, "%s", text);
    return pl_fail(g->error, status, "%s: byte %zu: %s", g->scan.source->path,
                   (size_t)(g->scan.at - g->scan.source->data), text);
}

pl_status pl_gmsh_expected(pl_gmsh* g, const char* what) {
    if (!g->binary) return pl_scan_expected(&g->scan, g->error, what);
    return pl_gmsh_fail(g, PL_ERROR_FORMAT, "expected %s, but the file ends", what);
}

pl_status pl_gmsh_fail_memory(pl_gmsh* g) { return pl_fail_memory(g->error, g->scan.source->path); }

static pl_status read_byte_order(pl_gmsh* g) {
    pl_scan_skip_line(&g->scan);
    g->binary = true;
    int one;
    if (!pl_gmsh_get_int(g, &one)) return pl_gmsh_expected(g, "the byte order");
    g->swap = one == 0x01000000;
    if (one == 1 || g->swap) return PL_OK;
    return pl_gmsh_fail(g, PL_ERROR_FORMAT,
                        "the number that tells the byte order is %d, not 1; the file is damaged",
                        one);
}

static pl_status read_format(pl_gmsh* g) {
    double version;
    int kind, data_size;
    if (!pl_scan_double(&g->scan, &version) || !pl_scan_int(&g->scan, &kind) ||
        !pl_scan_int(&g->scan, &data_size))
        return pl_gmsh_expected(g, "version, file type and data size");
    if (version >= 2.0 && version < 3.0) g->version = 22;
    else if (version == 4.0) g->version = 40;
    else if (version == 4.1) g->version = 41;
    else
        return pl_gmsh_fail(g, PL_ERROR_UNSUPPORTED,
                            "Gmsh format %g is not read; convert it: gmsh -save -format msh41",
                            version);
    if (kind != 0 && kind != 1)
        return pl_gmsh_fail(g, PL_ERROR_FORMAT, "the file type is %d, not 0 (text) or 1 (binary)",
                            kind);
    if (kind == 1 && data_size != 8)
        return pl_gmsh_fail(g, PL_ERROR_UNSUPPORTED,
                            "numbers of %d bytes are not read, only of 8; convert it: gmsh -save "
                            "-format msh41",
                            data_size);
    if (kind == 1 && g->version == 40)
        return pl_gmsh_fail(g, PL_ERROR_UNSUPPORTED,
                            "binary files of format 4.0 are not read; convert it: gmsh -save "
                            "-format msh41");
    return kind == 1 ? read_byte_order(g) : PL_OK;
}

// the text between quotes
static bool read_quoted(pl_scan* scan, char* text, size_t size) {
    pl_scan_skip_blanks(scan);
    if (*scan->at != '"') return false;
    const char* start = ++scan->at;
    while (scan->at < scan->end && *scan->at != '"' && *scan->at != '\n') scan->at++;
    if (*scan->at != '"') return false;
    size_t length = (size_t)(scan->at++ - start);
    if (length >= size) length = size - 1;
    memcpy(text, start, length);
    text[length] = '\0';
    return true;
}

static pl_status read_names(pl_gmsh* g) {
    int64_t count;
    if (!pl_scan_int64(&g->scan, &count) || count < 0)
        return pl_gmsh_expected(g, "the number of physical names");
    for (int64_t i = 0; i < count; i++) {
        pl_gmsh_name name = {.dimension = -1};
        if (!pl_scan_int(&g->scan, &name.tag)) return pl_gmsh_expected(g, "a physical group");
        pl_scan_skip_blanks(&g->scan);
        if (*g->scan.at != '"') {
            name.dimension = name.tag;
            if (!pl_scan_int(&g->scan, &name.tag)) return pl_gmsh_expected(g, "a physical group");
        }
        if (!read_quoted(&g->scan, name.text, sizeof name.text))
            return pl_gmsh_expected(g, "a name in quotes");
        if (!pl_array_push(&g->names, &name)) return pl_gmsh_fail_memory(g);
    }
    return PL_OK;
}

// skips a section, which may be binary, to the end of its "$EndName"
static pl_status skip_section(pl_gmsh* g, const char* name) {
    char mark[96];
    int size = snprintf(mark, sizeof mark, "$End%s", name);
    const char* found =
        pl_find_bytes(g->scan.at, (size_t)(g->scan.end - g->scan.at), mark, (size_t)size);
    if (!found)
        return pl_gmsh_fail(g, PL_ERROR_FORMAT, "%s is missing; the file seems to be incomplete",
                            mark);
    g->scan.at = found;
    if (strcmp(name, "Comments") != 0)
        pl_note(g->notes, PL_NOTE_INFO, "%s: section $%s is skipped", g->scan.source->path, name);
    return PL_OK;
}

static pl_status read_section(pl_gmsh* g, const char* name) {
    bool is_data = strcmp(name, "NodeData") == 0 || strcmp(name, "ElementData") == 0;
    bool needs_format = is_data || strcmp(name, "Nodes") == 0 || strcmp(name, "Elements") == 0 ||
                        strcmp(name, "Entities") == 0;
    if (needs_format && g->version == 0)
        return pl_gmsh_fail(g, PL_ERROR_FORMAT, "$%s comes before $MeshFormat", name);
    if (strcmp(name, "MeshFormat") == 0) return read_format(g);
    if (strcmp(name, "PhysicalNames") == 0) return read_names(g);
    if (strcmp(name, "Entities") == 0 && g->version >= 40) return pl_gmsh_read_entities(g, false);
    if (strcmp(name, "PartitionedEntities") == 0 && g->version == 41)
        return pl_gmsh_read_entities(g, true);
    if (strcmp(name, "Nodes") == 0) return pl_gmsh_read_nodes(g);
    if (strcmp(name, "Elements") == 0) return pl_gmsh_read_elements(g);
    if (is_data) return pl_gmsh_read_data(g, name[0] == 'N');
    return skip_section(g, name);
}

static pl_status expect_end(pl_gmsh* g, const char* name) {
    char mark[96];
    snprintf(mark, sizeof mark, "$End%s", name);
    if (pl_scan_keyword(&g->scan, mark)) return PL_OK;
    return pl_scan_expected(&g->scan, g->error, mark);
}

static pl_status read_sections(pl_gmsh* g) {
    for (;;) {
        pl_scan_skip_space(&g->scan, 0);
        if (pl_scan_at_end(&g->scan)) return PL_OK;
        char word[80];
        pl_scan before = g->scan;
        pl_scan_word(&g->scan, word, sizeof word);
        if (strcmp(word, "$NOD") == 0)
            return pl_scan_fail(&before, g->error, PL_ERROR_UNSUPPORTED,
                                "Gmsh format 1 is not read; convert it: gmsh -save -format msh41");
        if (word[0] != '$' || strncmp(word, "$End", 4) == 0)
            return pl_scan_expected(&before, g->error,
                                    g->version ? "a section such as $Elements"
                                               : "$MeshFormat, as a Gmsh file begins");
        pl_scan_skip_line(&g->scan);
        pl_status status = read_section(g, word + 1);
        if (status == PL_OK) status = expect_end(g, word + 1);
        if (status != PL_OK) return status;
    }
}

static pl_status check_complete(pl_gmsh* g) {
    const char* missing = !g->version ? "$MeshFormat" : !g->has_nodes ? "$Nodes" : "$Elements";
    if (g->has_elements) return PL_OK;
    return pl_fail(g->error, PL_ERROR_FORMAT, "%s: has no %s; the file seems to be cut off",
                   g->scan.source->path, missing);
}

typedef struct name_query {
    const pl_gmsh* g;
    int dimension;
} name_query;

static const char* name_of(int tag, void* user) {
    const name_query* query = user;
    pl_gmsh_name* names = query->g->names.data;
    for (size_t i = 0; i < query->g->names.count; i++) {
        bool fits = names[i].dimension == -1 || names[i].dimension == query->dimension;
        if (!fits || names[i].tag != tag) continue;
        names[i].used = true;
        return names[i].text;
    }
    return NULL;
}

static pl_status make_dimension(pl_gmsh* g, int dimension) {
    static const char* prefixes[] = {"point", "curve", "surface", "volume"};
    static const pl_element_kind kinds[] = {PL_ELEMENT_VERTEX, PL_ELEMENT_VERTEX,
                                            PL_ELEMENT_TRIANGLE, PL_ELEMENT_TET};
    name_query query = {g, dimension};
    pl_region_making making = {.path = g->scan.source->path,
                               .prefix = prefixes[dimension],
                               .kind = kinds[dimension],
                               .name_of = name_of,
                               .user = &query};
    if (dimension < 2) {
        making.corners = g->corners[dimension].data;
        making.corner_count = dimension + 1;
    }
    pl_region_runs* physicals = &g->physicals[dimension];
    if (physicals->runs.count > 0 || physicals->lost)
        return pl_region_runs_make(physicals, &making, g->mesh, g->notes, g->error);
    // a single entity is not worth a region, and the curves of a geometry are not meant as vertex
    // sets
    if (dimension < 2 || pl_region_runs_tag_count(&g->entities[dimension]) < 2) return PL_OK;
    making.name_of = NULL;
    return pl_region_runs_make(&g->entities[dimension], &making, g->mesh, g->notes, g->error);
}

// Makes regions from the groups, once everything is read.
static pl_status make_regions(pl_gmsh* g) {
    for (int dimension = 3; dimension >= 0; dimension--) {
        pl_status status = make_dimension(g, dimension);
        if (status != PL_OK) return status;
    }
    const pl_gmsh_name* names = g->names.data;
    int unused = 0;
    const char* first = NULL;
    for (size_t i = 0; i < g->names.count; i++)
        if (!names[i].used && unused++ == 0) first = names[i].text;
    if (unused)
        pl_note(g->notes, PL_NOTE_INFO,
                "%s: %d physical groups have no elements, the first is \"%s\"",
                g->scan.source->path, unused, first);
    return PL_OK;
}

// "$" is rare in text and binary, so this is faster than searching for the word
static bool has_element_data(const pl_scan* scan) {
    const char* p = scan->at;
    while ((p = memchr(p, '$', (size_t)(scan->end - p))) != NULL)
        if (strncmp(p++, "$ElementData", 12) == 0) return true;
    return false;
}

static void begin(pl_gmsh* g) {
    g->names = pl_array_of(sizeof(pl_gmsh_name));
    g->memberships = pl_array_of(sizeof(pl_gmsh_membership));
    for (int d = 0; d < 4; d++) {
        g->corners[d] = pl_array_of((size_t)(d + 1) * sizeof(int));
        g->element_tags[d] = pl_array_of(sizeof(int64_t));
        g->physicals[d] = pl_region_runs_begin();
        g->entities[d] = pl_region_runs_begin();
    }
    g->wants_element_tags = has_element_data(&g->scan);
}

static void end(pl_gmsh* g) {
    pl_array_free(&g->names);
    pl_array_free(&g->memberships);
    pl_tag_map_free(&g->nodes);
    for (int d = 0; d < 4; d++) {
        pl_array_free(&g->corners[d]);
        pl_array_free(&g->element_tags[d]);
        pl_region_runs_free(&g->physicals[d]);
        pl_region_runs_free(&g->entities[d]);
        pl_tag_map_free(&g->elements[d]);
    }
}

static pl_status read_gmsh(const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                           pl_error* error) {
    pl_gmsh g = {.scan = pl_scan_begin(source), .mesh = mesh, .notes = notes, .error = error};
    begin(&g);
    pl_status status = read_sections(&g);
    if (status == PL_OK) status = check_complete(&g);
    if (status == PL_OK) status = make_regions(&g);
    end(&g);
    return status;
}

const pl_mesh_format_kind pl_format_gmsh = {.read = read_gmsh, .write = pl_write_gmsh};
