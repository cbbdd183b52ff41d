// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// PC2, the point cache that Blender's Mesh Cache modifier and others read: "POINTCACHE2" and a zero
// byte, then as little-endian numbers of 4 bytes: version 1, number of points, start frame, frames
// per sample (both floats), number of samples; then the positions of all points of each sample. The
// rest shape is written next to it as OBJ, with the points in the same order. The format has no
// times, so times.json gives the samples per second and the time of each.
#include "base/memory.h"
#include "mesh/mesh_sink.h"
#include "record/export.h"
#include "record/plr_format.h"
#include "record/record_mesh.h"

#include <stdio.h>
#include <string.h>

static void put_header(pl_sink* sink, int32_t points, int32_t samples) {
    pl_sink_bytes(sink, "POINTCACHE2", 12);
    const float start = 0.0f, rate = 1.0f;
    uint32_t words[5] = {1, (uint32_t)points, 0, 0, (uint32_t)samples};
    memcpy(&words[2], &start, 4);
    memcpy(&words[3], &rate, 4);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) pl_sink_char(sink, (char)(words[i] >> 8 * k));
}

static pl_status write_cache(const pl_export_job* job, int body, const char* path,
                             pl_error* error) {
    pl_sink* sink;
    pl_status status = pl_sink_create(path, &sink, error);
    if (status != PL_OK) return status;
    size_t numbers = 3 * (size_t)job->head->bodies[body].vertex_count;
    float* sample = PL_ALLOC(float, numbers);
    if (numbers > 0 && !sample) status = pl_fail_memory(error, path);
    put_header(sink, job->head->bodies[body].vertex_count, job->frame_count);
    for (int i = 0; status == PL_OK && i < job->frame_count; i++) {
        status = pl_export_load(job, i, error);
        if (status != PL_OK || numbers == 0) continue;
        memcpy(sample, pl_recording_positions(job->recording, body), 4 * numbers);
        pl_plr_swap_floats(sample, numbers);
        pl_sink_bytes(sink, sample, 4 * numbers);
    }
    PL_FREE(sample, float, numbers);
    pl_status closed = pl_sink_close(sink, status == PL_OK, status == PL_OK ? error : NULL);
    return status == PL_OK ? closed : status;
}

// the shape at rest; for a body with tets, its surface with all vertices
static pl_status write_rest(const pl_export_job* job, int body, const char* path, pl_error* error) {
    pl_record_body surface = job->head->bodies[body];
    surface.tet_count = 0;
    surface.field_count = 0;
    pl_mesh* mesh;
    pl_status status = pl_record_mesh_create(&surface, &mesh, error);
    pl_mesh_write_options options = {.format = PL_MESH_OBJ};
    if (status == PL_OK) status = pl_mesh_write(mesh, path, &options, job->notes, error);
    pl_mesh_destroy(mesh);
    return status;
}

// {"samples_per_second": 60, "times": [0, ...]}; the rate is 0 if steps vary in length
static pl_status write_times(const pl_export_job* job, pl_error* error) {
    char path[4200];
    if (snprintf(path, sizeof path, "%s/times.json", job->path) >= (int)sizeof path)
        return pl_fail(error, PL_ERROR_ARGUMENT, "%s: the path is too long", job->path);
    pl_sink* sink;
    pl_status status = pl_sink_create(path, &sink, error);
    if (status != PL_OK) return status;
    double step = job->head->frame_step * job->options->every;
    pl_sink_text(sink, "{\"samples_per_second\": ");
    pl_sink_double(sink, step > 0.0 ? 1.0 / step : 0.0);
    pl_sink_text(sink, ", \"times\": [");
    for (int i = 0; i < job->frame_count; i++) {
        if (i) pl_sink_text(sink, ", ");
        pl_sink_double(sink, pl_export_time(job, i));
    }
    pl_sink_text(sink, "]}\n");
    return pl_sink_close(sink, true, error);
}

pl_status pl_export_pc2(const pl_export_job* job, pl_error* error) {
    pl_status status = PL_OK;
    for (int b = 0; status == PL_OK && b < job->head->body_count; b++) {
        char path[4200];
        if (snprintf(path, sizeof path, "%s/%s.obj", job->path, job->names[b]) >= (int)sizeof path)
            return pl_fail(error, PL_ERROR_ARGUMENT, "%s: the path is too long", job->path);
        status = write_rest(job, b, path, error);
        snprintf(path, sizeof path, "%s/%s.pc2", job->path, job->names[b]);
        if (status == PL_OK) status = write_cache(job, b, path, error);
    }
    return status == PL_OK ? write_times(job, error) : status;
}
