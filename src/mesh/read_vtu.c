// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// VTK's XML unstructured grids. The tags are read first, into a list of arrays per piece, since
// appended data come after all tags. Then the numbers are read, piece by piece, into one mesh.
#include "base/memory.h"
#include "mesh/mesh_write.h"
#include "mesh/vtk_data.h"
#include "mesh/vtu_array.h"
#include "mesh/xml_scan.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

typedef enum section { NO_SECTION, POINTS, CELLS, POINT_DATA, CELL_DATA } section;

typedef struct listed_array {
    section section;
    pl_vtu_array array;
} listed_array;

typedef struct piece {
    int point_count;
    int cell_count;
    size_t array_end; // in the list of arrays
} piece;

typedef struct reader {
    pl_xml xml;
    pl_vtu_file file;
    pl_array pieces; // piece
    pl_array arrays; // listed_array
    section section;
    bool in_grid;
    char compressor[64]; // empty for none
    pl_notes* notes;
    pl_error* error;
} reader;

static const pl_number_name number_names[] = {
    {"Int8", PL_NUMBER_INT8},       {"UInt8", PL_NUMBER_UINT8},   {"Int16", PL_NUMBER_INT16},
    {"UInt16", PL_NUMBER_UINT16},   {"Int32", PL_NUMBER_INT32},   {"UInt32", PL_NUMBER_UINT32},
    {"Int64", PL_NUMBER_INT64},     {"UInt64", PL_NUMBER_UINT64}, {"Float32", PL_NUMBER_FLOAT32},
    {"Float64", PL_NUMBER_FLOAT64}, {NULL, PL_NUMBER_NONE},
};

static pl_status no_memory(const reader* r) {
    return pl_fail_memory(r->error, r->file.source->path);
}

// an integer attribute, its default if absent
static pl_status int_attribute(reader* r, const char* name, int64_t largest, int64_t* value) {
    char text[32];
    if (!pl_xml_attribute(&r->xml, name, text, sizeof text)) return PL_OK;
    int64_t number = 0;
    const char* p = text;
    while (*p == ' ') p++;
    const char* digits = p;
    for (; *p >= '0' && *p <= '9' && number <= largest; p++) number = 10 * number + (*p - '0');
    while (*p == ' ') p++;
    if (p == digits || *p || number > largest)
        return pl_scan_fail(&r->xml.scan, r->error, PL_ERROR_FORMAT,
                            "%s=\"%s\" is not a number from 0 to %lld", name, text,
                            (long long)largest);
    *value = number;
    return PL_OK;
}

static pl_status refuse(reader* r, const char* what, const char* value, const char* known) {
    return pl_scan_fail(&r->xml.scan, r->error, PL_ERROR_UNSUPPORTED,
                        "%s \"%.60s\" is not read; pliant reads %s", what, value, known);
}

static pl_status open_file(reader* r) {
    char type[64], order[32], header[32];
    pl_xml_attribute(&r->xml, "type", type, sizeof type);
    if (strcmp(type, "UnstructuredGrid") != 0)
        return refuse(r, "VTKFile of type", type, "UnstructuredGrid");
    pl_xml_attribute(&r->xml, "byte_order", order, sizeof order);
    bool big = strcasecmp(order, "BigEndian") == 0;
    if (order[0] && !big && strcasecmp(order, "LittleEndian") != 0)
        return refuse(r, "byte_order", order, "LittleEndian and BigEndian");
    r->file.swap = order[0] && big != pl_is_big_endian();
    pl_xml_attribute(&r->xml, "header_type", header, sizeof header);
    r->file.wide_header = strcasecmp(header, "UInt64") == 0;
    if (header[0] && !r->file.wide_header && strcasecmp(header, "UInt32") != 0)
        return refuse(r, "header_type", header, "UInt32 and UInt64");
    pl_xml_attribute(&r->xml, "compressor", r->compressor, sizeof r->compressor);
    r->file.zlib = strcmp(r->compressor, "vtkZLibDataCompressor") == 0;
    return PL_OK;
}

static pl_status open_piece(reader* r) {
    int64_t points = -1, cells = -1;
    pl_status status = int_attribute(r, "NumberOfPoints", INT_MAX, &points);
    if (status == PL_OK) status = int_attribute(r, "NumberOfCells", INT_MAX, &cells);
    if (status == PL_OK && (points < 0 || cells < 0))
        status = pl_scan_fail(&r->xml.scan, r->error, PL_ERROR_FORMAT,
                              "<Piece> without NumberOfPoints or NumberOfCells");
    if (status != PL_OK) return status;
    piece p = {.point_count = (int)points, .cell_count = (int)cells, .array_end = r->arrays.count};
    return pl_array_push(&r->pieces, &p) ? PL_OK : no_memory(r);
}

static pl_status open_array(reader* r) {
    listed_array listed = {.section = r->section};
    pl_vtu_array* a = &listed.array;
    char type[32], format[32];
    int64_t components = 1, offset = 0;
    if (!pl_xml_attribute(&r->xml, "Name", a->name, sizeof a->name))
        strcpy(a->name, r->section == POINTS ? "Points" : "unnamed");
    pl_xml_attribute(&r->xml, "type", type, sizeof type);
    pl_xml_attribute(&r->xml, "format", format, sizeof format);
    pl_status status = int_attribute(r, "NumberOfComponents", INT_MAX, &components);
    if (status == PL_OK) status = int_attribute(r, "offset", INT64_MAX / 16, &offset);
    if (status != PL_OK) return status;
    a->type = pl_number_by_name(number_names, type);
    a->components = components > 0 ? (int)components : 1;
    a->offset = (uint64_t)offset;
    a->text = a->place = r->xml.scan.at;
    if (strcasecmp(format, "appended") == 0) a->encoding = PL_VTU_APPENDED;
    else if (strcasecmp(format, "binary") == 0) a->encoding = PL_VTU_INLINE;
    else if (!format[0] || strcasecmp(format, "ascii") == 0) a->encoding = PL_VTU_TEXT;
    else return refuse(r, "format", format, "ascii, binary and appended");
    if (a->encoding != PL_VTU_TEXT && r->compressor[0] && !r->file.zlib)
        return refuse(r, "compressor", r->compressor,
                      "vtkZLibDataCompressor and uncompressed data: write the file again with one "
                      "of these");
    if (a->type == PL_NUMBER_NONE && r->section >= POINT_DATA) {
        pl_note(r->notes, PL_NOTE_INFO, "%s: array \"%s\" of type \"%s\" was skipped",
                r->file.source->path, a->name, type);
        return PL_OK;
    }
    if (a->type == PL_NUMBER_NONE)
        return refuse(r, "DataArray type", type, "Int8 to UInt64, Float32 and Float64");
    piece* p = (piece*)r->pieces.data + r->pieces.count - 1;
    if (!pl_array_push(&r->arrays, &listed)) return no_memory(r);
    p->array_end = r->arrays.count;
    return PL_OK;
}

// raw bytes follow, so there are no more tags; the end of the file is still checked
static pl_status open_appended(reader* r) {
    char encoding[32];
    pl_xml_attribute(&r->xml, "encoding", encoding, sizeof encoding);
    r->file.appended_base64 = strcasecmp(encoding, "base64") == 0;
    if (!r->file.appended_base64 && strcasecmp(encoding, "raw") != 0)
        return refuse(r, "AppendedData encoding", encoding, "raw and base64");
    pl_scan* scan = &r->xml.scan;
    pl_scan_skip_space(scan, '\0');
    if (*scan->at != '_') return pl_scan_expected(scan, r->error, "\"_\" before appended data");
    r->file.appended = ++scan->at;
    static const char tail[] = "</VTKFile>";
    const char* end = scan->end;
    while (end > scan->at && strchr(" \t\r\n", end[-1])) end--;
    size_t size = sizeof tail - 1;
    if ((size_t)(end - scan->at) < size || memcmp(end - size, tail, size) != 0)
        return pl_fail(r->error, PL_ERROR_FORMAT,
                       "%s: the file does not end with </VTKFile>: it was cut off",
                       scan->source->path);
    return PL_OK;
}

static section section_by_name(const pl_xml* xml) {
    return pl_xml_is(xml, "Points")      ? POINTS
           : pl_xml_is(xml, "Cells")     ? CELLS
           : pl_xml_is(xml, "PointData") ? POINT_DATA
           : pl_xml_is(xml, "CellData")  ? CELL_DATA
                                         : NO_SECTION;
}

// tags are also distinguished by their depth: VTKFile, grid, Piece, section, DataArray
static pl_status open_tag(reader* r) {
    const pl_xml* xml = &r->xml;
    bool in_piece = r->in_grid && r->pieces.count && xml->depth > 3;
    if (xml->depth == 1)
        return pl_xml_is(xml, "VTKFile") ? open_file(r)
                                         : pl_scan_fail(&xml->scan, r->error, PL_ERROR_FORMAT,
                                                        "XML, but not a <VTKFile>");
    if (xml->depth == 2) r->in_grid = pl_xml_is(xml, "UnstructuredGrid");
    if (xml->depth == 3 && r->in_grid && pl_xml_is(xml, "Piece")) return open_piece(r);
    if (xml->depth == 3) r->section = NO_SECTION;
    if (xml->depth == 4) r->section = in_piece ? section_by_name(xml) : NO_SECTION;
    if (xml->depth == 5 && in_piece && r->section && pl_xml_is(xml, "DataArray"))
        return open_array(r);
    return PL_OK;
}

static pl_status read_tags(reader* r) {
    bool any = false;
    for (;;) {
        pl_xml_event event = pl_xml_next(&r->xml);
        if (event == PL_XML_FAILED) return PL_ERROR_FORMAT;
        if (event == PL_XML_END && !any)
            return pl_scan_expected(&r->xml.scan, r->error, "<VTKFile>");
        if (event == PL_XML_END) return PL_OK;
        any = true;
        if (event != PL_XML_OPEN) continue;
        if (r->xml.depth == 2 && pl_xml_is(&r->xml, "AppendedData")) return open_appended(r);
        pl_status status = open_tag(r);
        if (status != PL_OK) return status;
    }
}

static const pl_vtu_array* find_array(const reader* r, size_t begin, size_t end, section s,
                                      const char* name) {
    const listed_array* list = r->arrays.data;
    for (size_t i = begin; i < end; i++)
        if (list[i].section == s && (!name || strcmp(list[i].array.name, name) == 0))
            return &list[i].array;
    return NULL;
}

static pl_status missing(const reader* r, const char* what) {
    return pl_fail(r->error, PL_ERROR_FORMAT, "%s: a <Piece> has no %s", r->file.source->path,
                   what);
}

static pl_status read_points(reader* r, const pl_vtu_array* a, int count, pl_vtk_data* data) {
    if (count == 0) return PL_OK;
    if (!a) return missing(r, "<Points>");
    if (a->components != 3)
        return pl_fail(r->error, PL_ERROR_FORMAT, "%s: points with %d coordinates instead of 3",
                       r->file.source->path, a->components);
    return pl_vtu_read_doubles(&r->file, a, 3 * (size_t)count, &data->points, r->error);
}

// corners of one piece count from its own points; ends from its own corners
static pl_status shift_cells(reader* r, pl_vtk_data* data, size_t first_cell, size_t first_corner,
                             size_t first_point, int point_count) {
    int* ends = data->ends.data;
    int* corners = data->corners.data;
    size_t corner_count = data->corners.count - first_corner;
    int previous = 0;
    for (size_t i = first_cell; i < data->ends.count; i++) {
        if (ends[i] < previous || (size_t)ends[i] > corner_count)
            return pl_fail(r->error, PL_ERROR_FORMAT,
                           "%s: offset %zu is %d, which does not fit the %zu numbers of "
                           "connectivity",
                           r->file.source->path, i - first_cell, ends[i], corner_count);
        previous = ends[i];
        ends[i] += (int)first_corner;
    }
    if ((size_t)previous != corner_count)
        return pl_fail(r->error, PL_ERROR_FORMAT,
                       "%s: connectivity has %zu numbers, but the offsets end at %d",
                       r->file.source->path, corner_count, previous);
    for (size_t i = first_corner; i < data->corners.count; i++) {
        if (corners[i] < 0 || corners[i] >= point_count)
            return pl_fail(r->error, PL_ERROR_MESH,
                           "%s: number %zu of connectivity is point %d, but the piece has %d "
                           "points",
                           r->file.source->path, i - first_corner, corners[i], point_count);
        corners[i] += (int)first_point;
    }
    return PL_OK;
}

static pl_status read_cells(reader* r, size_t begin, const piece* p, size_t first_point,
                            pl_vtk_data* data) {
    if (p->cell_count == 0) return PL_OK;
    const pl_vtu_array* corners = find_array(r, begin, p->array_end, CELLS, "connectivity");
    const pl_vtu_array* ends = find_array(r, begin, p->array_end, CELLS, "offsets");
    const pl_vtu_array* types = find_array(r, begin, p->array_end, CELLS, "types");
    if (!corners || !ends || !types) return missing(r, "connectivity, offsets or types");
    size_t cells = (size_t)p->cell_count, first_cell = data->ends.count;
    size_t first_corner = data->corners.count;
    pl_status status = pl_vtu_read_ints(&r->file, ends, cells, &data->ends, r->error);
    if (status == PL_OK) status = pl_vtu_read_ints(&r->file, types, cells, &data->types, r->error);
    if (status == PL_OK)
        status = pl_vtu_read_ints(&r->file, corners, SIZE_MAX, &data->corners, r->error);
    if (status == PL_OK && (data->corners.count > INT_MAX || data->types.count > INT_MAX / 4))
        return pl_fail(r->error, PL_ERROR_LIMIT, "%s: more cells than pliant can handle",
                       r->file.source->path);
    return status == PL_OK
               ? shift_cells(r, data, first_cell, first_corner, first_point, p->point_count)
               : status;
}

static pl_status read_values(reader* r, const listed_array* listed, size_t first, size_t count,
                             pl_vtk_data* data) {
    const pl_vtu_array* a = &listed->array;
    double* place;
    pl_array numbers = pl_array_of(sizeof(double));
    size_t expected = count * (size_t)a->components;
    pl_status status = pl_vtu_read_doubles(&r->file, a, expected, &numbers, r->error);
    if (status == PL_OK)
        status = pl_vtk_add_values(data, r->file.source->path, listed->section == CELL_DATA,
                                   a->name, a->components, first, count, &place, r->error);
    if (status == PL_OK && place) memcpy(place, numbers.data, expected * sizeof(double));
    pl_array_free(&numbers);
    return status;
}

static pl_status read_piece(reader* r, size_t begin, const piece* p, pl_vtk_data* data) {
    size_t first_point = pl_vtk_point_count(data), first_cell = data->types.count;
    if (first_point + (size_t)p->point_count > INT_MAX / 3)
        return pl_fail(r->error, PL_ERROR_LIMIT, "%s: more points than pliant can handle",
                       r->file.source->path);
    pl_status status =
        read_points(r, find_array(r, begin, p->array_end, POINTS, NULL), p->point_count, data);
    if (status == PL_OK) status = read_cells(r, begin, p, first_point, data);
    const listed_array* list = r->arrays.data;
    for (size_t i = begin; status == PL_OK && i < p->array_end; i++) {
        if (list[i].section == POINT_DATA)
            status = read_values(r, &list[i], first_point, (size_t)p->point_count, data);
        else if (list[i].section == CELL_DATA)
            status = read_values(r, &list[i], first_cell, (size_t)p->cell_count, data);
    }
    return status;
}

static pl_status read_pieces(reader* r, pl_mesh* mesh) {
    pl_vtk_data data = pl_vtk_data_of_none();
    const piece* pieces = r->pieces.data;
    pl_status status = PL_OK;
    for (size_t i = 0, begin = 0; status == PL_OK && i < r->pieces.count; i++) {
        status = read_piece(r, begin, &pieces[i], &data);
        begin = pieces[i].array_end;
    }
    if (status == PL_OK) status = pl_vtk_to_mesh(&data, r->file.source, mesh, r->notes, r->error);
    pl_vtk_data_free(&data);
    return status;
}

static pl_status read_vtu(const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                          pl_error* error) {
    reader r = {.xml = pl_xml_begin(source, error),
                .file = {.source = source},
                .pieces = pl_array_of(sizeof(piece)),
                .arrays = pl_array_of(sizeof(listed_array)),
                .notes = notes,
                .error = error};
    pl_vtu_file_limit(&r.file);
    pl_status status = read_tags(&r);
    if (status == PL_OK) status = read_pieces(&r, mesh);
    pl_array_free(&r.pieces);
    pl_array_free(&r.arrays);
    return status;
}

const pl_mesh_format_kind pl_format_vtu = {.read = read_vtu, .write = pl_write_vtu};
