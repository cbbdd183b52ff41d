// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The contacts of a frame as points of a VTU file, for glyphs along `force` in ParaView.
#include "mesh/mesh_sink.h"
#include "record/export.h"

#include <stddef.h>

typedef enum column_kind { NUMBERS, INDEX, FORCE, PLACE, END, TYPE } column_kind;

typedef struct column {
    const char* section; // opens before it, or NULL
    const char* head;    // of its DataArray
    column_kind kind;
    size_t offset;   // in pl_contact_point, of numbers and indices
    int count;       // of numbers
    const char* end; // of the section, or NULL
} column;

#define REAL(name, count) "type=\"Float64\" Name=\"" name "\" NumberOfComponents=\"" #count "\""
#define WHOLE(name) "type=\"Int32\" Name=\"" name "\""
#define NUMBERS_OF(field, count)                                                                   \
    REAL(#field, count), NUMBERS, offsetof(pl_contact_point, field), count
#define INDEX_OF(field) WHOLE(#field), INDEX, offsetof(pl_contact_point, field), 1

static const column columns[] = {
    {"<Points>\n", NUMBERS_OF(point, 3), "</Points>\n"},
    {"<Cells>\n", WHOLE("connectivity"), PLACE, 0, 1, NULL},
    {NULL, WHOLE("offsets"), END, 0, 1, NULL},
    {NULL, "type=\"UInt8\" Name=\"types\"", TYPE, 0, 1, "</Cells>\n"},
    {"<PointData Vectors=\"force\">\n", REAL("force", 3), FORCE, 0, 3, NULL},
    {NULL, NUMBERS_OF(normal, 3), NULL},
    {NULL, NUMBERS_OF(friction, 3), NULL},
    {NULL, NUMBERS_OF(normal_force, 1), NULL},
    {NULL, NUMBERS_OF(distance, 1), NULL},
    {NULL, INDEX_OF(body), NULL},
    {NULL, INDEX_OF(other_body), NULL},
    {NULL, INDEX_OF(collider), "</PointData>\n"},
};

static void put_numbers(pl_sink* sink, const double* values, int count) {
    for (int i = 0; i < count; i++) {
        pl_sink_double(sink, values[i]);
        pl_sink_char(sink, i + 1 < count ? ' ' : '\n');
    }
}

static void put_index(pl_sink* sink, int value) {
    pl_sink_int(sink, value);
    pl_sink_char(sink, '\n');
}

// writes the value of contact i in a column
static void put(pl_sink* sink, const column* c, const pl_contact_point* contact, int i) {
    enum { VTK_VERTEX = 1 };
    const void* at = (const char*)contact + c->offset;
    double force[3];
    switch (c->kind) {
    case NUMBERS: put_numbers(sink, at, c->count); return;
    case INDEX: put_index(sink, *(const int*)at); return;
    case FORCE:
        pl_contact_force(contact, force);
        put_numbers(sink, force, 3);
        return;
    case PLACE: put_index(sink, i); return;
    case END: put_index(sink, i + 1); return;
    case TYPE: put_index(sink, VTK_VERTEX); return;
    }
}

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
        for (int i = 0; i < count; i++) put(sink, &columns[c], &all[first + i].contact, i);
        pl_sink_text(sink, "</DataArray>\n");
        if (columns[c].end) pl_sink_text(sink, columns[c].end);
    }
    pl_sink_text(sink, "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    return pl_sink_close(sink, true, error);
}
