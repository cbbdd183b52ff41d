// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The contacts of a frame as points of a VTU file, for glyphs along `force` in ParaView.
#include "mesh/mesh_sink.h"
#include "record/export.h"

typedef void (*put_row)(pl_sink* sink, const pl_contact_row* row, int i);

static void put_vector(pl_sink* sink, const double v[3]) {
    for (int i = 0; i < 3; i++) {
        pl_sink_double(sink, v[i]);
        pl_sink_char(sink, i < 2 ? ' ' : '\n');
    }
}

static void put_int(pl_sink* sink, int value) {
    pl_sink_int(sink, value);
    pl_sink_char(sink, '\n');
}

static void put_number(pl_sink* sink, double value) {
    pl_sink_double(sink, value);
    pl_sink_char(sink, '\n');
}

static void put_point(pl_sink* sink, const pl_contact_row* row, int i) {
    (void)i;
    put_vector(sink, row->contact.point);
}
static void put_normal(pl_sink* sink, const pl_contact_row* row, int i) {
    (void)i;
    put_vector(sink, row->contact.normal);
}
static void put_force(pl_sink* sink, const pl_contact_row* row, int i) {
    (void)i;
    double force[3];
    pl_contact_force(&row->contact, force);
    put_vector(sink, force);
}
static void put_friction(pl_sink* sink, const pl_contact_row* row, int i) {
    (void)i;
    put_vector(sink, row->contact.friction);
}
static void put_normal_force(pl_sink* sink, const pl_contact_row* row, int i) {
    (void)i;
    put_number(sink, row->contact.normal_force);
}
static void put_distance(pl_sink* sink, const pl_contact_row* row, int i) {
    (void)i;
    put_number(sink, row->contact.distance);
}
static void put_body(pl_sink* sink, const pl_contact_row* row, int i) {
    (void)i;
    put_int(sink, row->contact.body);
}
static void put_other_body(pl_sink* sink, const pl_contact_row* row, int i) {
    (void)i;
    put_int(sink, row->contact.other_body);
}
static void put_collider(pl_sink* sink, const pl_contact_row* row, int i) {
    (void)i;
    put_int(sink, row->contact.collider);
}
static void put_place(pl_sink* sink, const pl_contact_row* row, int i) {
    (void)row;
    put_int(sink, i);
}
static void put_end(pl_sink* sink, const pl_contact_row* row, int i) {
    (void)row;
    put_int(sink, i + 1);
}
static void put_kind(pl_sink* sink, const pl_contact_row* row, int i) {
    (void)row, (void)i;
    put_int(sink, 1); // VTK_VERTEX
}

typedef struct column {
    const char* section; // opens before it, or NULL
    const char* head;    // of its DataArray
    put_row put;
    const char* end; // of the section, or NULL
} column;

#define REAL(name, components)                                                                     \
    "type=\"Float64\" Name=\"" name "\" NumberOfComponents=\"" components "\""
#define WHOLE(name) "type=\"Int32\" Name=\"" name "\""

static const column columns[] = {
    {"<Points>\n", REAL("Points", "3"), put_point, "</Points>\n"},
    {"<Cells>\n", WHOLE("connectivity"), put_place, NULL},
    {NULL, WHOLE("offsets"), put_end, NULL},
    {NULL, "type=\"UInt8\" Name=\"types\"", put_kind, "</Cells>\n"},
    {"<PointData Vectors=\"force\">\n", REAL("force", "3"), put_force, NULL},
    {NULL, REAL("normal", "3"), put_normal, NULL},
    {NULL, REAL("friction", "3"), put_friction, NULL},
    {NULL, REAL("normal_force", "1"), put_normal_force, NULL},
    {NULL, REAL("distance", "1"), put_distance, NULL},
    {NULL, WHOLE("body"), put_body, NULL},
    {NULL, WHOLE("other_body"), put_other_body, NULL},
    {NULL, WHOLE("collider"), put_collider, "</PointData>\n"},
};

pl_status pl_export_contacts(const char* path, const pl_array* rows, double time, pl_error* error) {
    int first;
    const int count = pl_contact_table_find(rows, time, &first);
    const pl_contact_row* all = rows->data;
    pl_sink* sink;
    pl_status status = pl_sink_create(path, &sink, error);
    if (status != PL_OK) return status;
    pl_sink_text(sink,
                 "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
                 "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"");
    pl_sink_int(sink, count);
    pl_sink_text(sink, "\" NumberOfCells=\"");
    pl_sink_int(sink, count);
    pl_sink_text(sink, "\">\n");
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        if (columns[c].section) pl_sink_text(sink, columns[c].section);
        pl_sink_text(sink, "<DataArray ");
        pl_sink_text(sink, columns[c].head);
        pl_sink_text(sink, " format=\"ascii\">\n");
        for (int i = 0; i < count; i++) columns[c].put(sink, &all[first + i], i);
        pl_sink_text(sink, "</DataArray>\n");
        if (columns[c].end) pl_sink_text(sink, columns[c].end);
    }
    pl_sink_text(sink, "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    return pl_sink_close(sink, true, error);
}
