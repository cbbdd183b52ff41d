// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/modes_record.h"
#include "base/memory.h"
#include "geometry/box.h"
#include "math/vec3.h"
#include "record/run_values.h"

#include <math.h>
#include <string.h>

static const double MAX_MOVE = 0.1; // of the body's size

static double largest_move(const double* shape, int vertex_count) {
    double most = 0.0;
    for (size_t v = 0; v < (size_t)vertex_count; v++)
        most = fmax(most, pl_norm(pl_vec3_load(shape + 3 * v)));
    return most;
}

static double size_of(const double* positions, int vertex_count) {
    return pl_box_diagonal(pl_box_of_points(positions, vertex_count));
}

static pl_status append_modes(pl_run_values* values, pl_world* world, int body,
                              const pl_modes* modes, const double* start, pl_recorder* recorder,
                              pl_error* error) {
    size_t count = 3 * (size_t)modes->vertex_count;
    double* x = pl_world_positions(world, body);
    double size = size_of(start, modes->vertex_count);
    pl_run_values_update(values, world);
    pl_status status = pl_recorder_append(recorder, 0.0, values->values, error);
    for (int k = modes->rigid_count; status == PL_OK && k < modes->count; k++) {
        const double* shape = modes->shapes + (size_t)k * count;
        double move = MAX_MOVE * size / largest_move(shape, modes->vertex_count);
        for (size_t i = 0; i < count; i++) x[i] = start[i] + move * shape[i];
        pl_run_values_update(values, world);
        status = pl_recorder_append(recorder, k - modes->rigid_count + 1, values->values, error);
    }
    memcpy(x, start, count * sizeof(double));
    return status;
}

pl_status pl_modes_record(pl_world* world, const pl_scene* scene, int body, const pl_modes* modes,
                          const char* path, pl_error* error) {
    size_t count = 3 * (size_t)modes->vertex_count;
    pl_run_values values;
    pl_status status = pl_run_values_setup(&values, world, scene, error);
    if (status != PL_OK) return status;
    pl_recorder* recorder = NULL;
    double* start = PL_ALLOC(double, count);
    if (!start) status = pl_fail_memory(error, "modes");
    else memcpy(start, pl_world_positions(world, body), count * sizeof(double));
    if (status == PL_OK) {
        values.head.frame_step = 1.0;
        status = pl_recorder_create(path, &values.head, true, &recorder, error);
    }
    if (status == PL_OK) status = append_modes(&values, world, body, modes, start, recorder, error);
    pl_status closed = pl_recorder_close(recorder, status == PL_OK ? error : NULL);
    PL_FREE(start, double, count);
    pl_run_values_free(&values);
    return status == PL_OK ? closed : status;
}
