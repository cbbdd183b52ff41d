// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shows data of the solver of a run. A recording does not contain them, so the world is created
// again from the scene in the run's folder, as if to resume the run.
#include "base/memory.h"
#include "math/vec3.h"
#include "record/run_checkpoint.h"
#include "record/run_values.h"
#include "record/show.h"
#include "record/show_object.h"
#include "world/world_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096 };

typedef struct run_again {
    pl_scene* scene;
    pl_world* world;
    pl_run_values values;
    bool has_values;
} run_again;

static void close_run(run_again* run) {
    if (run->has_values) pl_run_values_free(&run->values);
    pl_world_destroy(run->world);
    pl_scene_destroy(run->scene);
}

static pl_status file_in(const char* folder, const char* name, char path[PATH_SIZE],
                         pl_error* error) {
    struct stat info;
    int size = snprintf(path, PATH_SIZE, "%s/%s", folder, name);
    if (size < PATH_SIZE && stat(path, &info) == 0) return PL_OK;
    return pl_fail(error, PL_ERROR_ARGUMENT,
                   "%s: to show levels or cells, give the folder of a run, which has %s", folder,
                   name);
}

static pl_status open_run(const pl_show* s, const char* folder, run_again* run, pl_notes* notes,
                          pl_error* error) {
    char path[PATH_SIZE];
    pl_status status = file_in(folder, "scene.json", path, error);
    if (status == PL_OK) status = pl_scene_read(path, NULL, 0, &run->scene, notes, error);
    if (status == PL_OK) status = pl_world_create(run->scene, &run->world, notes, error);
    if (status == PL_OK) status = pl_run_values_setup(&run->values, run->world, run->scene, error);
    run->has_values = status == PL_OK;
    bool fits = status == PL_OK && run->values.body_count == s->body_count;
    for (int b = 0; fits && b < s->body_count; b++)
        fits = run->values.record_bodies[b].vertex_count == s->bodies[b].vertex_count;
    if (status == PL_OK && !fits)
        status = pl_fail(error, PL_ERROR_FORMAT,
                         "%s: scene.json does not give the bodies of the recording", folder);
    return status;
}

// ---------------------------------------------------------------- a level of multigrid

// the nodes of a body as colours, NAN where the level does not exist; false if memory runs out
static bool fill_nodes(pl_show* s, run_again* run, int b, int level, int* node_count) {
    int vertex_count = pl_world_mesh(run->world, b)->vertex_count;
    int* nodes = PL_ALLOC(int, vertex_count);
    int count = nodes ? pl_world_aggregates(run->world, b, level, nodes) : -1;
    for (int i = 0; count >= 0 && i < s->bodies[b].vertex_count; i++)
        s->values[b][i] =
            count > 0 ? (float)(nodes[pl_run_values_vertex(&run->values, b, i)] % PL_COLORMAP_SIZE)
                      : NAN;
    if (count > *node_count) *node_count = count;
    PL_FREE(nodes, int, vertex_count);
    return count >= 0;
}

static int count_levels(run_again* run) {
    int most = 0;
    for (int b = 0; b < run->values.body_count; b++) {
        int vertex_count = pl_world_mesh(run->world, b)->vertex_count, level = 1;
        int* nodes = PL_ALLOC(int, vertex_count);
        while (nodes && pl_world_aggregates(run->world, b, level, nodes) > 0) level++;
        PL_FREE(nodes, int, vertex_count);
        if (level - 1 > most) most = level - 1;
    }
    return most;
}

static pl_status show_level(pl_show* s, run_again* run, const char* path, int level,
                            pl_error* error) {
    int node_count = 0;
    for (int b = 0; b < s->body_count; b++) {
        size_t room = (size_t)s->bodies[b].vertex_count + (size_t)s->bodies[b].triangle_count;
        s->values[b] = PL_ALLOC(float, room);
        bool ready = room == 0 || s->values[b];
        if (!ready || !fill_nodes(s, run, b, level, &node_count))
            return pl_fail_memory(error, "the nodes of a level");
    }
    int level_count = node_count > 0 ? 0 : count_levels(run);
    if (node_count == 0 && level_count == 0)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%s: its bodies have no coarse levels to show; bodies of method fem have "
                       "them if linear is multigrid or mgpcg, bodies of method pbd by hierarchy; "
                       "--show cells draws the lattice of method grid",
                       path);
    if (node_count == 0)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%s: there is no level %d; its bodies have %d coarse level%s", path, level,
                       level_count, level_count == 1 ? "" : "s");
    s->quantity = (pl_show_quantity){.kind = PL_SHOW_NODES, .map = PL_COLORMAP_CATEGORIES};
    snprintf(s->quantity.title, sizeof s->quantity.title, "level %d: %d nodes", level, node_count);
    return PL_OK;
}

pl_status pl_show_set_level(pl_show* s, const char* path, int level, pl_notes* notes,
                            pl_error* error) {
    PL_ASSERT(s->quantity.kind == PL_SHOW_NONE);
    run_again run = {0};
    pl_status status = open_run(s, path, &run, notes, error);
    if (status == PL_OK) status = show_level(s, &run, path, level, error);
    close_run(&run);
    return status;
}

// ---------------------------------------------------------------- a lattice

typedef struct edge_bars {
    pl_array positions; // 3 floats per vertex
    pl_array triangles;
} edge_bars;

// a bar with a square section from corner to corner
static bool add_bar(edge_bars* bars, const double* from, const double* to, double half) {
    pl_vec3 a = pl_vec3_load(from), b = pl_vec3_load(to), along = pl_sub(b, a);
    pl_vec3 other = fabs(along.x) < 0.9 * pl_norm(along) ? (pl_vec3){1, 0, 0} : (pl_vec3){0, 1, 0};
    pl_vec3 side = pl_cross(along, other);
    double length = pl_norm(side);
    if (!(length > 0.0)) return true; // collapsed, or not a number
    side = pl_scale(half / length, side);
    pl_vec3 up = pl_cross(along, side);
    up = pl_scale(half / pl_norm(up), up);
    int first = (int)bars->positions.count;
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < 4; k++) {
            pl_vec3 p = pl_madd(end ? b : a, k == 0 || k == 3 ? -1.0 : 1.0, side);
            p = pl_madd(p, k < 2 ? -1.0 : 1.0, up);
            float place[3] = {(float)p.x, (float)p.y, (float)p.z};
            if (!pl_array_push(&bars->positions, place)) return false;
        }
    for (int k = 0; k < 4; k++) {
        int i = first + k, j = first + (k + 1) % 4;
        int sides[6] = {i, j, j + 4, i, j + 4, i + 4};
        if (!pl_array_push(&bars->triangles, sides) || !pl_array_push(&bars->triangles, sides + 3))
            return false;
    }
    return true;
}

static double mean_length(const pl_array* corners, const pl_array* edges) {
    const double* at = corners->data;
    const int* ends = edges->data;
    double sum = 0.0;
    for (size_t e = 0; e < edges->count; e++)
        sum += pl_distance(pl_vec3_load(at + 3 * (size_t)ends[2 * e]),
                           pl_vec3_load(at + 3 * (size_t)ends[2 * e + 1]));
    return edges->count > 0 ? sum / (double)edges->count : 0.0;
}

static pl_status add_outline(pl_world* world, int b, edge_bars* bars, pl_error* error) {
    const double THICKNESS = 0.06; // of a bar, per length of an edge
    pl_array corners = pl_array_of(3 * sizeof(double)), edges = pl_array_of(2 * sizeof(int));
    pl_status status = pl_world_outline(world, b, &corners, &edges, error);
    double half = 0.5 * THICKNESS * mean_length(&corners, &edges);
    const double* at = corners.data;
    const int* ends = edges.data;
    for (size_t e = 0; status == PL_OK && e < edges.count; e++)
        if (bars->positions.count > INT32_MAX - 8 ||
            !add_bar(bars, at + 3 * (size_t)ends[2 * e], at + 3 * (size_t)ends[2 * e + 1], half))
            status = pl_fail_memory(error, "the picture of a lattice");
    pl_array_free(&corners);
    pl_array_free(&edges);
    return status;
}

// the state after the last frame
static pl_status load_end(pl_show* s, const char* folder, run_again* run, pl_error* error) {
    char path[PATH_SIZE];
    uint64_t hash;
    pl_checkpoint_head head;
    pl_status status = file_in(folder, "scene.json", path, error);
    if (status == PL_OK) status = pl_checkpoint_scene_hash(path, &hash, error);
    if (status == PL_OK) status = file_in(folder, "checkpoint.plc", path, error);
    if (status == PL_OK) status = pl_checkpoint_load(path, hash, run->world, &head, error);
    if (status == PL_OK) s->cells_frame = pl_show_find(s, (int)head.frame_count - 1);
    if (status == PL_OK && s->cells_frame < 0)
        status = pl_fail(error, PL_ERROR_FORMAT, "%s: its frame is not in the recording", path);
    return status;
}

// adds a body to the show
static pl_status add_cage(pl_show* s, edge_bars* bars, pl_error* error) {
    int count = s->scene.body_count;
    pl_render_body* all = PL_ALLOC(pl_render_body, count + 1);
    if (!all) return pl_fail_memory(error, "the picture of a lattice");
    memcpy(all, s->scene.bodies, (size_t)count * sizeof *all);
    all[count] = (pl_render_body){.vertex_count = (int)bars->positions.count,
                                  .positions = bars->positions.data,
                                  .triangle_count = (int)bars->triangles.count,
                                  .triangles = bars->triangles.data,
                                  .has_color = true,
                                  .color = {0.035f, 0.04f, 0.05f}};
    PL_FREE(s->all, pl_render_body, s->all_room);
    s->all = all;
    s->all_room = count + 1;
    s->scene = (pl_render_scene){.body_count = count + 1, .bodies = all};
    s->cage_positions = bars->positions;
    s->cage_triangles = bars->triangles;
    *bars = (edge_bars){0};
    return PL_OK;
}

pl_status pl_show_add_cells(pl_show* s, const char* path, int* frame, pl_notes* notes,
                            pl_error* error) {
    PL_ASSERT(s->cage_positions.count == 0);
    edge_bars bars = {pl_array_of(3 * sizeof(float)), pl_array_of(3 * sizeof(int))};
    run_again run = {0};
    pl_status status = open_run(s, path, &run, notes, error);
    if (status == PL_OK) status = load_end(s, path, &run, error);
    for (int b = 0; status == PL_OK && b < s->body_count; b++)
        status = add_outline(run.world, b, &bars, error);
    if (status == PL_OK && bars.positions.count == 0)
        status = pl_fail(error, PL_ERROR_ARGUMENT,
                         "%s: none of its bodies is in a lattice; method grid has one", path);
    if (status == PL_OK) status = add_cage(s, &bars, error);
    if (status == PL_OK) *frame = s->cells_frame;
    pl_array_free(&bars.positions);
    pl_array_free(&bars.triangles);
    close_run(&run);
    return status;
}
