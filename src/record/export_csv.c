// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Tables. Without selected vertices: a line per frame and body with the mean of its vertices, its
// box, how far it has moved, and the largest value or length of each field. With selected vertices:
// a line per frame, with three columns for each vertex.
#include "mesh/mesh_sink.h"
#include "record/export.h"
#include "record/plr_format.h"

#include <math.h>
#include <string.h>

static void put_numbers(pl_sink* sink, const double* values, int count) {
    for (int k = 0; k < count; k++) {
        pl_sink_char(sink, ',');
        pl_sink_double(sink, values[k]);
    }
}

static void put_body(pl_sink* sink, const pl_record_body* b, const float* positions) {
    double middle[3] = {0}, low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY}, moved[2] = {0}; // mean, largest
    for (int i = 0; i < b->vertex_count; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            double x = (double)positions[3 * i + k], d = x - (double)b->rest[3 * i + k];
            middle[k] += x / b->vertex_count;
            low[k] = fmin(low[k], x);
            high[k] = fmax(high[k], x);
            square += d * d;
        }
        moved[0] += sqrt(square) / b->vertex_count;
        moved[1] = fmax(moved[1], sqrt(square));
    }
    put_numbers(sink, middle, 3);
    put_numbers(sink, low, 3);
    put_numbers(sink, high, 3);
    put_numbers(sink, moved, 2);
}

// the largest value of a field, or length of a vector; NAN without elements
static double largest(const pl_export_job* job, int body, int field) {
    const pl_record_body* b = &job->head->bodies[body];
    const float* values = pl_recording_field(job->recording, body, field);
    int components = b->fields[field].components;
    int count = pl_plr_element_count(b, b->fields[field].kind);
    double most = NAN;
    for (int i = 0; i < count; i++, values += components) {
        double square = 0.0;
        for (int k = 0; k < components; k++) square += (double)values[k] * (double)values[k];
        most = fmax(most, components == 1 ? (double)values[0] : sqrt(square));
    }
    return most;
}

// columns are the fields of the first body; in a run all bodies have the same fields
static void put_fields(const pl_export_job* job, pl_sink* sink, int body) {
    const pl_record_body *first = &job->head->bodies[0], *b = &job->head->bodies[body];
    for (int c = 0; c < first->field_count; c++) {
        int f = 0;
        while (f < b->field_count && strcmp(b->fields[f].name, first->fields[c].name) != 0) f++;
        double most = f < b->field_count ? largest(job, body, f) : NAN;
        put_numbers(sink, &most, 1);
    }
}

static void put_start(const pl_export_job* job, pl_sink* sink, int i) {
    pl_sink_int(sink, pl_export_number(job, i));
    pl_sink_char(sink, ',');
    pl_sink_double(sink, pl_export_time(job, i));
}

static void put_lines(const pl_export_job* job, pl_sink* sink, int i) {
    for (int b = 0; b < job->head->body_count; b++) {
        put_start(job, sink, i);
        pl_sink_char(sink, ',');
        pl_sink_text(sink, job->names[b]);
        put_body(sink, &job->head->bodies[b], pl_recording_positions(job->recording, b));
        put_fields(job, sink, b);
        pl_sink_char(sink, '\n');
    }
}

static void put_tracks(const pl_export_job* job, pl_sink* sink, int i) {
    put_start(job, sink, i);
    for (int b = 0; b < job->head->body_count; b++) {
        const float* positions = pl_recording_positions(job->recording, b);
        for (int k = 0; k < job->options->vertex_count; k++) {
            int v = job->options->vertices[k];
            if (v >= job->head->bodies[b].vertex_count) continue;
            const float* p = positions + 3 * (size_t)v;
            put_numbers(sink, (const double[3]){p[0], p[1], p[2]}, 3);
        }
    }
    pl_sink_char(sink, '\n');
}

static void put_titles(const pl_export_job* job, pl_sink* sink) {
    if (job->options->vertex_count == 0) {
        pl_sink_text(sink, "frame,time,body,middle_x,middle_y,middle_z,low_x,low_y,low_z,high_x,"
                           "high_y,high_z,moved_mean,moved_most");
        for (int f = 0; job->head->body_count > 0 && f < job->head->bodies[0].field_count; f++) {
            pl_sink_char(sink, ',');
            pl_sink_text(sink, job->head->bodies[0].fields[f].name);
            pl_sink_text(sink, "_most");
        }
        pl_sink_char(sink, '\n');
        return;
    }
    pl_sink_text(sink, "frame,time");
    for (int b = 0; b < job->head->body_count; b++)
        for (int k = 0; k < job->options->vertex_count; k++)
            for (char axis = 'x'; axis <= 'z'; axis++) {
                if (job->options->vertices[k] >= job->head->bodies[b].vertex_count) continue;
                pl_sink_char(sink, ',');
                pl_sink_text(sink, job->names[b]);
                pl_sink_char(sink, '.');
                pl_sink_int(sink, job->options->vertices[k]);
                pl_sink_char(sink, '.');
                pl_sink_char(sink, axis);
            }
    pl_sink_char(sink, '\n');
}

// every selected vertex must exist in at least one body
static pl_status check_vertices(const pl_export_job* job, pl_error* error) {
    int most = 0;
    for (int b = 0; b < job->head->body_count; b++)
        if (job->head->bodies[b].vertex_count > most) most = job->head->bodies[b].vertex_count;
    for (int k = 0; k < job->options->vertex_count; k++)
        if (job->options->vertices[k] < 0 || job->options->vertices[k] >= most)
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "vertex %d is not recorded; the largest body has %d, from 0",
                           job->options->vertices[k], most);
    return PL_OK;
}

pl_status pl_export_csv(const pl_export_job* job, pl_error* error) {
    pl_status status = check_vertices(job, error);
    pl_sink* sink;
    if (status == PL_OK) status = pl_sink_create(job->path, &sink, error);
    if (status != PL_OK) return status;
    put_titles(job, sink);
    for (int i = 0; status == PL_OK && i < job->frame_count; i++) {
        status = pl_export_load(job, i, error);
        if (status != PL_OK) break;
        if (job->options->vertex_count > 0) put_tracks(job, sink, i);
        else put_lines(job, sink, i);
    }
    pl_status closed = pl_sink_close(sink, status == PL_OK, status == PL_OK ? error : NULL);
    return status == PL_OK ? closed : status;
}
