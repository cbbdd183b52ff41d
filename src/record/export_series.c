// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A mesh file per frame and body, by the writers of the mesh folder; for VTU also the index that
// ParaView opens (.pvd), with the time of every file. The index is written last, as a whole;
// exporting again after a resumed run replaces it by a longer one.
#include "base/memory.h"
#include "mesh/mesh_sink.h"
#include "record/export.h"
#include "record/record_mesh.h"

#include <stdio.h>

static void file_name(const pl_export_job* job, int body, int i, const char* ending, char* text,
                      size_t size) {
    snprintf(text, size, "%s_%05d.%s", job->names[body], pl_export_number(job, i), ending);
}

static pl_status write_frame(const pl_export_job* job, pl_mesh** meshes, int i,
                             pl_mesh_format format, const char* ending, pl_error* error) {
    pl_mesh_write_options options = {.format = format, .ascii = job->options->ascii};
    pl_status status = PL_OK;
    for (int b = 0; status == PL_OK && b < job->head->body_count; b++) {
        char name[96], path[4200];
        file_name(job, b, i, ending, name, sizeof name);
        if (snprintf(path, sizeof path, "%s/%s", job->path, name) >= (int)sizeof path)
            return pl_fail(error, PL_ERROR_ARGUMENT, "%s: the path is too long", job->path);
        pl_record_mesh_update(job->recording, b, meshes[b]);
        // what a format cannot store is noted for the first frame only
        status = pl_mesh_write(meshes[b], path, &options, i == 0 ? job->notes : NULL, error);
    }
    return status;
}

// Unlike the ending that makes names of bodies unique, so the files cannot collide.
static void contacts_name(const pl_export_job* job, int i, char* text, size_t size) {
    snprintf(text, size, "contact_points.%05d.vtu", pl_export_number(job, i));
}

static pl_status write_contacts(const pl_export_job* job, pl_error* error) {
    pl_array rows = pl_array_of(sizeof(pl_contact_row));
    pl_status status = pl_contact_table_read(job->options->contacts, &rows, error);
    for (int i = 0; status == PL_OK && i < job->frame_count; i++) {
        char name[96], path[4200];
        contacts_name(job, i, name, sizeof name);
        snprintf(path, sizeof path, "%s/%s", job->path, name);
        status = pl_export_contacts(path, &rows, pl_export_time(job, i), error);
    }
    pl_array_free(&rows);
    return status;
}

static void put_index_line(pl_sink* sink, double time, int part, const char* name) {
    pl_sink_text(sink, "    <DataSet timestep=\"");
    pl_sink_double(sink, time);
    pl_sink_text(sink, "\" group=\"\" part=\"");
    pl_sink_int(sink, part);
    pl_sink_text(sink, "\" file=\"");
    pl_sink_text(sink, name);
    pl_sink_text(sink, "\"/>\n");
}

static pl_status write_index(const pl_export_job* job, pl_error* error) {
    char path[4200];
    snprintf(path, sizeof path, "%s/run.pvd", job->path);
    pl_sink* sink;
    pl_status status = pl_sink_create(path, &sink, error);
    if (status != PL_OK) return status;
    pl_sink_text(sink, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                       "byte_order=\"LittleEndian\">\n  <Collection>\n");
    for (int i = 0; i < job->frame_count; i++) {
        char name[96];
        for (int b = 0; b < job->head->body_count; b++) {
            file_name(job, b, i, "vtu", name, sizeof name);
            put_index_line(sink, pl_export_time(job, i), b, name);
        }
        if (!job->options->contacts) continue;
        contacts_name(job, i, name, sizeof name);
        put_index_line(sink, pl_export_time(job, i), job->head->body_count, name);
    }
    pl_sink_text(sink, "  </Collection>\n</VTKFile>\n");
    return pl_sink_close(sink, true, error);
}

pl_status pl_export_series(const pl_export_job* job, pl_mesh_format format, const char* ending,
                           pl_error* error) {
    int bodies = job->head->body_count;
    pl_mesh** meshes = PL_ALLOC(pl_mesh*, bodies);
    if (bodies > 0 && !meshes) return pl_fail_memory(error, job->path);
    pl_status status = PL_OK;
    for (int b = 0; status == PL_OK && b < bodies; b++)
        status = pl_record_mesh_create(&job->head->bodies[b], &meshes[b], error);
    for (int i = 0; status == PL_OK && i < job->frame_count; i++) {
        status = pl_export_load(job, i, error);
        if (status == PL_OK) status = write_frame(job, meshes, i, format, ending, error);
    }
    if (status == PL_OK && format == PL_MESH_VTU && job->options->contacts)
        status = write_contacts(job, error);
    if (status == PL_OK && format == PL_MESH_VTU) status = write_index(job, error);
    for (int b = 0; b < bodies; b++) pl_mesh_destroy(meshes[b]);
    PL_FREE(meshes, pl_mesh*, bodies);
    return status;
}
