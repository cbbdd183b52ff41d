// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/contact_table.h"
#include "mesh/text_scan.h"

#include <math.h>

enum { NUMBERS = 11, INDICES = 9 };

void pl_contact_table_head(pl_text* text) {
    pl_text_add(text, "frame,time,x,y,z,normal_x,normal_y,normal_z,normal_force,friction_x,"
                      "friction_y,friction_z,distance,body,other_body,collider,vertex_0,vertex_1,"
                      "vertex_2,other_vertex_0,other_vertex_1,other_vertex_2\n");
}

// Pointers to the numbers of a row after its time, and to its indices, in the order of the columns.
static void list_numbers(pl_contact_point* c, double* out[NUMBERS]) {
    for (int i = 0; i < 3; i++) {
        out[i] = &c->point[i];
        out[3 + i] = &c->normal[i];
        out[7 + i] = &c->friction[i];
    }
    out[6] = &c->normal_force;
    out[10] = &c->distance;
}

static void list_indices(pl_contact_point* c, int* out[INDICES]) {
    out[0] = &c->body;
    out[1] = &c->other_body;
    out[2] = &c->collider;
    for (int i = 0; i < 3; i++) out[3 + i] = &c->vertices[i], out[6 + i] = &c->other_vertices[i];
}

void pl_contact_table_rows(const pl_world* world, pl_text* text) {
    const pl_contact_point* contacts;
    const int count = pl_world_contacts(world, &contacts);
    for (int k = 0; k < count; k++) {
        pl_contact_point contact = contacts[k];
        double* numbers[NUMBERS];
        int* indices[INDICES];
        list_numbers(&contact, numbers);
        list_indices(&contact, indices);
        pl_text_format(text, "%d,%.17g", pl_world_frame(world), pl_world_time(world));
        for (int i = 0; i < NUMBERS; i++) pl_text_format(text, ",%.9g", *numbers[i]);
        for (int i = 0; i < INDICES; i++) pl_text_format(text, ",%d", *indices[i]);
        pl_text_add(text, "\n");
    }
}

static bool scan_comma(pl_scan* scan) {
    if (*scan->at != ',') return false;
    scan->at++;
    return true;
}

static bool scan_row(pl_scan* scan, pl_contact_row* row) {
    double* numbers[NUMBERS];
    int* indices[INDICES];
    list_numbers(&row->contact, numbers);
    list_indices(&row->contact, indices);
    bool ok =
        pl_scan_int(scan, &row->frame) && scan_comma(scan) && pl_scan_double(scan, &row->time);
    for (int i = 0; ok && i < NUMBERS; i++)
        ok = scan_comma(scan) && pl_scan_double(scan, numbers[i]);
    for (int i = 0; ok && i < INDICES; i++) ok = scan_comma(scan) && pl_scan_int(scan, indices[i]);
    return ok && pl_scan_at_line_end(scan) && !pl_scan_at_end(scan);
}

pl_status pl_contact_table_read(const char* path, pl_array* rows, pl_error* error) {
    pl_source source;
    pl_status status = pl_source_load(path, 0, &source, error);
    if (status != PL_OK) return status;
    pl_scan scan = pl_scan_begin(&source);
    pl_scan_skip_line(&scan);
    rows->count = 0;
    while (status == PL_OK && !pl_scan_at_end(&scan)) {
        pl_contact_row row;
        const char* line = scan.at;
        if (!scan_row(&scan, &row)) {
            scan.at = line;
            pl_scan_skip_line(&scan);
            if (!pl_scan_at_end(&scan))
                status = pl_scan_fail(&scan, error, PL_ERROR_FORMAT, "is not a table of contacts");
            break;
        }
        if (!pl_array_push(rows, &row)) status = pl_fail_memory(error, path);
        pl_scan_skip_line(&scan);
    }
    pl_source_free(&source);
    return status;
}

int pl_contact_table_find(const pl_array* rows, double time, int* first) {
    const pl_contact_row* all = rows->data;
    const double tolerance = 1e-9 * fmax(fabs(time), 1e-3);
    int low = 0, high = (int)rows->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (all[middle].time < time - tolerance) low = middle + 1;
        else high = middle;
    }
    *first = low;
    int count = 0;
    while (low + count < (int)rows->count && all[low + count].time <= time + tolerance) count++;
    return count;
}

int64_t pl_contact_table_size(const char* path, int frame) {
    pl_source source;
    if (pl_source_load(path, 0, &source, NULL) != PL_OK) return 0;
    pl_scan scan = pl_scan_begin(&source);
    pl_scan_skip_line(&scan);
    int64_t size = scan.at - source.data;
    pl_contact_row row;
    while (scan_row(&scan, &row) && row.frame <= frame) {
        pl_scan_skip_line(&scan);
        size = scan.at - source.data;
    }
    pl_source_free(&source);
    return size;
}
