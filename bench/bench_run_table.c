// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What `pliant run` reaches: scenes with recording and checkpoints on, in a folder that is removed
// afterwards. fps_run: frames over the seconds from the first frame on until everything is on the
// disk. fps_solve: over the seconds of the simulation alone. setup: from the scene to the first
// frame.
#include "base/timer.h"
#include "bench.h"
#include "bench_meshes.h"
#include "record/run_folder.h"

#include <math.h>
#include <pliant/world.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct run_row {
    const char* name;
    const char* mesh;  // below PLIANT_DATA, or NULL
    const char* scene; // %s: where the mesh comes from; NULL: scenes/NAME.json as it is
    const char* quick; // changes for a quick bench
    int frames;
} run_row;

static const run_row rows[] = {
    {"solid_projective", "tets_generated/dragon_200k.msh.gz",
     "{\"pliant\": 1, \"time_step\": 0.0333333333, \"bodies\": [{\"name\": \"b\", %s,"
     " \"transform\": {\"size\": 1}, \"material\": {\"law\": \"arap\", \"density\": 1,"
     " \"mu\": 250, \"lambda\": 0}, \"nonlinear\": \"projective\", \"linear\": \"multigrid\","
     " \"levels\": [50, 1000], \"multigrid\": {\"pre_sweeps\": 2, \"post_sweeps\": 2},"
     " \"iterations\": 1, \"fixed\": true, \"linear_iterations\": 1, \"line_search\": false}],"
     " \"attachments\": [{\"body\": \"b\", \"where\": {\"side\": \"+y\"},"
     " \"stiffness\": 1}]}",
     "\"generate\": {\"shape\": \"box\", \"edge\": 0.05}", 60},
    {"cloth_pbd_1m", NULL,
     "{\"pliant\": 1, \"bodies\": [{\"name\": \"c\", %s, \"transform\": {\"rotate\":"
     " [-90, 0, 0], \"translate\": [-0.5, 0.3, 0.5]}, \"method\": \"pbd\", \"hierarchy\": 6,"
     " \"iterations\": 4}], \"colliders\": [{\"sphere\": {\"center\": [0, 0.04, 0],"
     " \"radius\": 0.25}}, {\"plane\": {}}]}",
     "\"generate\": {\"shape\": \"cloth\", \"count_x\": 60, \"count_y\": 60}", 20},
    {.name = "demo", .frames = 60},
    {.name = "octopus", .frames = 60},
    {.name = "cloth_over_sphere", .frames = 60},
    {.name = "pbd_sheet", .frames = 120},
    {.name = "pbd_bears", .frames = 60},
    {.name = "grid_box", .frames = 60},
};

// the mesh of a row as keys of a body
static void write_source(bench* b, const run_row* row, char* out, size_t size) {
    char path[1024];
    if (bench_quick(b)) snprintf(out, size, "%s", row->quick);
    else if (!row->mesh)
        snprintf(out, size,
                 "\"generate\": {\"shape\": \"cloth\", \"count_x\": 708,"
                 " \"count_y\": 708}");
    else if (bench_data_path(row->mesh, path, sizeof path))
        snprintf(out, size, "\"mesh\": \"%s\"", path);
    else {
        double height, edge;
        const char* shape = bench_stand_in(row->mesh, 199937, &height, &edge);
        snprintf(out, size, "\"generate\": {\"shape\": \"%s\", \"height\": %.17g, \"edge\": %.17g}",
                 shape, height, edge);
    }
}

static bool write_scene(bench* b, const run_row* row, const char* path) {
    char source[1200];
    write_source(b, row, source, sizeof source);
    FILE* file = fopen(path, "w");
    if (!file) return false;
    fprintf(file, row->scene, source);
    return fclose(file) == 0;
}

static pl_status time_frames(pl_run* run, int frames, double* solve, double* whole,
                             pl_error* error) {
    double start = pl_seconds();
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < frames; k++) {
        pl_frame_info info;
        status = pl_run_frame(run, &info, error);
    }
    *solve = pl_run_get_summary(run)->seconds;
    pl_status closed = pl_run_close(run, status == PL_OK ? error : NULL);
    *whole = pl_seconds() - start;
    return status == PL_OK ? closed : status;
}

static pl_status measure(bench* b, const run_row* row, const char* folder, pl_error* error) {
    char path[1100], out[1100], name[64];
    if (row->scene) snprintf(path, sizeof path, "%s/scene.json", folder);
    else snprintf(path, sizeof path, PL_BENCH_SOURCE_DIR "/scenes/%s.json", row->name);
    snprintf(out, sizeof out, "%s/run", folder);
    if (row->scene && !write_scene(b, row, path))
        return pl_fail(error, PL_ERROR_IO, "%s: cannot be written", path);
    int frames = bench_quick(b) ? 3 : row->frames;
    pl_scene* scene = NULL;
    pl_run* run = NULL;
    double solve = NAN, whole = NAN, start = pl_seconds();
    pl_status status = pl_scene_read(path, NULL, 0, &scene, NULL, error);
    if (status == PL_OK) scene->frames = frames;
    if (status == PL_OK) status = pl_run_start(scene, out, true, &run, NULL, error);
    double setup = pl_seconds() - start;
    if (status == PL_OK && row->mesh)
        bench_mesh_used(b, row->mesh,
                        bench_quick(b)     ? "generated box"
                        : bench_has_data() ? "PLIANT_DATA"
                                           : "generated dragon",
                        pl_world_mesh(pl_run_world(run), 0)->vertex_count);
    if (status == PL_OK) {
        snprintf(name, sizeof name, "vertices_%s", row->name);
        bench_result(b, name, pl_world_mesh(pl_run_world(run), 0)->vertex_count, "", NAN);
    }
    pl_scene_destroy(scene);
    if (status == PL_OK) status = time_frames(run, frames, &solve, &whole, error);
    if (status != PL_OK) return status;
    snprintf(name, sizeof name, "fps_run_%s", row->name);
    bench_result(b, name, frames / whole, "1/s", NAN);
    snprintf(name, sizeof name, "fps_solve_%s", row->name);
    bench_result(b, name, frames / solve, "1/s", NAN);
    snprintf(name, sizeof name, "setup_%s", row->name);
    bench_result(b, name, setup, "s", NAN);
    return PL_OK;
}

static void remove_files(const char* folder) {
    static const char* const names[] = {"run/scene.json",  "run/frames.plr",
                                        "run/metrics.csv", "run/checkpoint.plc",
                                        "run/log.txt",     "run",
                                        "scene.json",      ""};
    char path[1100];
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        remove(path);
    }
}

bool bench_run_table(bench* b) {
    const char* place = getenv("TMPDIR");
    char folder[1000];
    pl_error error = {0};
    snprintf(folder, sizeof folder, "%s/pliant-bench-XXXXXX", place && place[0] ? place : "/tmp");
    if (!mkdtemp(folder)) {
        fprintf(stderr, "pliant-bench run-table: %s cannot be made\n", folder);
        return false;
    }
    pl_status status = PL_OK;
    for (size_t k = 0; status == PL_OK && k < sizeof rows / sizeof rows[0]; k++) {
        status = measure(b, &rows[k], folder, &error);
        remove_files(folder);
        if (status == PL_OK && k + 1 < sizeof rows / sizeof rows[0]) mkdir(folder, 0700);
    }
    if (status != PL_OK) fprintf(stderr, "pliant-bench run-table: %s\n", error.text);
    return status == PL_OK;
}
