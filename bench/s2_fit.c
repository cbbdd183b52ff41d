// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s2_fit.h"
#include "bench_meshes.h"
#include "scene/scene_read.h"

#include <math.h>
#include <pliant/embed.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 6000 };
// Of all cases [s].
static const double TIME_STEP = 0.01;

// Boxes are the same places of both meshes, so that these are held alike.
typedef struct stand {
    double low[3], high[3]; // box of what is held
    double middle;          // x between the feet
    int axis;               // along which it is shaken
} stand;

static const struct creature {
    const char* shape;
    double coarse, quick, fine; // edges [m]
    const char* files[2];
    stand own, real;
} CREATURES[] = {
    [S2_ARMADILLO] = {"\"shape\": \"armadillo\", \"height\": 1",
                      0.0505,
                      0.03,
                      0.0225,
                      {"tets/eigenfit_armadillo_3.node", "tets/eigenfit_armadillo_0.node.gz"},
                      {{-1, -1, -0.2}, {1, 0.06, 1}, 0.0, 0}, // not the tail
                      {{-1, -1, -1}, {2, 0.12, 2}, 0.36, 0}},
    [S2_SKATER] = {"\"shape\": \"human\", \"height\": 1",
                   0.029,
                   0.021,
                   0.0175,
                   {"tets/eigenfit_skater_3.node", "tets/eigenfit_skater_0.node.gz"},
                   {{-1, -1, -1}, {1, 0.06, 1}, 0.0, 0},
                   {{-1, -1, -1}, {1, -0.49, 1}, 0.0, 0}},
    [S2_HAND] = {"\"shape\": \"hand\", \"height\": 1",
                 0.037,
                 0.026,
                 0.019,
                 {"tets/eigenfit_hand_5.node", "tets/eigenfit_hand_0.node.gz"},
                 {{-1, -1, -1}, {1, 0.1, 1}, 0.0, 0},
                 {{-2, -2, -2}, {-0.8, 2, 2}, 0.0, 1}},
};

// An attachment of the box between x = low and high, until `until`, if that is positive.
static int add_shaken(char* text, size_t size, const stand* s, double low, double high,
                      double until) {
    double way[3] = {0.0, 0.0, 0.0};
    char end[32] = "";
    way[s->axis] = 0.05;
    if (until > 0.0) snprintf(end, sizeof end, "\"until\": %g, ", until);
    return snprintf(text, size,
                    "{\"body\": \"body\", \"where\": {\"box\": {\"min\": [%g, %g, %g], "
                    "\"max\": [%g, %g, %g]}}, %s\"motion\": {\"interpolation\": \"smooth\", "
                    "\"keyframes\": [{\"time\": 0}, {\"time\": 0.1, \"translate\": [%g, %g, %g]}, "
                    "{\"time\": 0.2, \"translate\": [%g, %g, %g]}, {\"time\": 0.3}]}}",
                    low, s->low[1], s->low[2], high, s->high[1], s->high[2], end, way[0], way[1],
                    way[2], -way[0], -way[1], -way[2]);
}

static void set_body(s2_case* c, const char* law, double young) {
    if (young > 0.0)
        snprintf(c->own_body, sizeof c->own_body,
                 "\"material\": {\"law\": \"%s\", \"young\": %g, \"poisson\": 0.3, "
                 "\"density\": 1000}, " S2_SOLVER,
                 law, young);
}

static const stand* stand_of(s2_creature creature) {
    return bench_has_data() ? &CREATURES[creature].real : &CREATURES[creature].own;
}

s2_case s2_shaken(s2_creature creature, double young, const char* law, bool quick) {
    const struct creature* from = &CREATURES[creature];
    const stand* s = stand_of(creature);
    s2_case c = {.shape = from->shape,
                 .coarse = from->coarse,
                 .fine = quick ? from->quick : from->fine,
                 .files = {from->files[0], from->files[1]},
                 .gravity = "0, 0, 0",
                 .frames = quick ? 100 : 200};
    add_shaken(c.attachments, sizeof c.attachments, s, s->low[0], s->high[0], 0.0);
    set_body(&c, law, young);
    return c;
}

s2_case s2_released(s2_creature creature, double young, const char* law, bool quick) {
    s2_case c = s2_shaken(creature, young, law, quick);
    const stand* s = stand_of(creature);
    char* to = c.attachments;
    size_t size = sizeof c.attachments;
    int used = add_shaken(to, size, s, s->low[0], s->middle, 0.0);
    used += snprintf(to + used, size - (size_t)used, ", ");
    add_shaken(to + used, size - (size_t)used, s, s->middle, s->high[0], 0.5);
    return c;
}

s2_case s2_swung_bar(double young, const char* law, bool quick) {
    s2_case c = {.shape = "\"shape\": \"box\", \"size_x\": 0.2, \"size_y\": 1, \"size_z\": 0.2",
                 .coarse = quick ? 0.1 : 0.043,
                 .fine = quick ? 0.05 : 0.018,
                 .attachments = "{\"body\": \"body\", \"where\": {\"side\": \"-y\"}}",
                 .gravity = "3, 0, 1",
                 .frames = quick ? 100 : 200};
    set_body(&c, law, young);
    return c;
}

void s2_result(bench* b, const char* what, const char* name, double value, const char* unit,
               double paper) {
    char text[96];
    snprintf(text, sizeof text, "%s_%s", what, name);
    bench_result(b, text, value, unit, paper);
}

void s2_report(bench* b, const char* name, const s2_errors* fine, const s2_errors* coarse,
               const s2_errors* fit) {
    s2_result(b, "vertices_fine", name, fine->vertex_count, "", NAN);
    s2_result(b, "vertices_coarse", name, coarse->vertex_count, "", NAN);
    s2_result(b, "position_coarse", name, coarse->position, "m", NAN);
    s2_result(b, "position_ratio", name, fit->position / coarse->position, "x", NAN);
    s2_result(b, "velocity_ratio", name, fit->velocity / coarse->velocity, "x", NAN);
    if (fit->first_unfit) s2_result(b, "frame_of_warning", name, fit->first_unfit, "frame", NAN);
}

static bool failed(const pl_error* error) {
    fprintf(stderr, "pliant-bench s2: %s\n", error->text);
    return false;
}

// What makes the body: a generated shape, or a mesh of PLIANT_DATA.
static void write_source(const s2_case* c, bool is_fine, char* text, size_t size) {
    char path[1024];
    if (c->files[is_fine] && bench_data_path(c->files[is_fine], path, sizeof path))
        snprintf(text, size, "\"mesh\": \"%s\"", path);
    else
        snprintf(text, size, "\"generate\": {%s, \"edge\": %.9g}", c->shape,
                 is_fine ? c->fine : c->coarse);
}

static void write_fit(const s2_case* c, bool dac, char* text, size_t size) {
    char path[1024], fine[1100];
    if (c->files[1] && bench_data_path(c->files[1], path, sizeof path))
        snprintf(fine, sizeof fine, "\"fine\": \"%s\"", path);
    else snprintf(fine, sizeof fine, "\"edge\": %.9g", c->fine);
    snprintf(text, size, ", \"eigenfit\": {\"modes\": 10, %s, \"dac\": %s}", fine,
             dac ? "true" : "false");
}

pl_world* s2_make_world(const s2_case* c, s2_kind kind, pl_error* error) {
    char text[TEXT_SIZE], source[1100], fit[1200] = "";
    write_source(c, kind == S2_FINE, source, sizeof source);
    if (kind == S2_FIT || kind == S2_DAC) write_fit(c, kind == S2_DAC, fit, sizeof fit);
    int size = snprintf(text, sizeof text,
                        "{\"pliant\": 1, \"time_step\": 0.01, \"threads\": 1, \"gravity\": [%s], "
                        "\"bodies\": [{\"name\": \"body\", %s, %s%s}], \"attachments\": [%s]}",
                        c->gravity, source, c->body ? c->body : c->own_body, fit, c->attachments);
    pl_scene* scene = NULL;
    pl_world* world = NULL;
    if (pl_scene_read_memory(text, (size_t)size, "s2", NULL, 0, &scene, NULL, error) == PL_OK)
        pl_world_create(scene, &world, NULL, error);
    pl_scene_destroy(scene);
    return world;
}

bool s2_run_fine(const s2_case* c, s2_truth* out, s2_errors* errors) {
    pl_error error = {0};
    *out = (s2_truth){
        .world = s2_make_world(c, S2_FINE, &error), .frames = c->frames, .first = c->first};
    if (!out->world) return failed(&error);
    size_t count = 3 * (size_t)pl_world_mesh(out->world, 0)->vertex_count;
    *errors = (s2_errors){.vertex_count = (int)(count / 3)};
    out->x = malloc(count * (size_t)c->frames * sizeof(float));
    out->v = malloc(count * (size_t)c->frames * sizeof(float));
    if (!out->x || !out->v) return false;
    for (size_t k = 0; k < (size_t)c->frames; k++) {
        if (pl_world_step(out->world, NULL, &error) != PL_OK) return failed(&error);
        const double *x = pl_world_positions(out->world, 0),
                     *v = pl_world_velocities(out->world, 0);
        for (size_t i = 0; i < count; i++) out->x[k * count + i] = (float)x[i];
        for (size_t i = 0; i < count; i++) out->v[k * count + i] = (float)v[i];
    }
    return true;
}

void s2_truth_free(s2_truth* t) {
    pl_world_destroy(t->world);
    free(t->x);
    free(t->v);
}

static double farthest(const double* values, const float* truth, size_t count) {
    double most = 0.0;
    for (size_t i = 0; i < count; i += 3) {
        double sum = 0.0;
        for (size_t k = i; k < i + 3; k++)
            sum += (values[k] - (double)truth[k]) * (values[k] - (double)truth[k]);
        most = fmax(most, sum);
    }
    return sqrt(most);
}

static void take_velocities(const double* now, double* before, size_t count, double* velocities) {
    for (size_t i = 0; i < count; i++) {
        velocities[i] = (now[i] - before[i]) / TIME_STEP;
        before[i] = now[i];
    }
}

// Vertices of the fine mesh are carried by the coarse one, as those of a render surface: what lies
// outside its tets turns with them. Velocities are differences of frames, which those of Euler's
// method are. work: three times the numbers of the fine vertices.
static bool compare(pl_world* world, const pl_embedding* map, const s2_truth* truth,
                    s2_errors* errors, double* work) {
    const pl_mesh* fine = pl_world_mesh(truth->world, 0);
    size_t count = 3 * (size_t)fine->vertex_count;
    double *now = work, *before = now + count, *velocities = before + count, squares = 0.0;
    pl_error error = {0};
    pl_frame_info info;
    memcpy(before, fine->positions, count * sizeof *before);
    for (size_t k = 0; k < (size_t)truth->frames; k++) {
        if (pl_world_step(world, &info, &error) != PL_OK) return failed(&error);
        if (info.unfit_count && !errors->first_unfit) errors->first_unfit = info.frame;
        pl_embedding_deform(map, pl_world_positions(world, 0), NULL, now, NULL);
        take_velocities(now, before, count, velocities);
        if (k < (size_t)truth->first) continue;
        double position = farthest(now, truth->x + k * count, count),
               velocity = farthest(velocities, truth->v + k * count, count);
        errors->velocity = fmax(errors->velocity, velocity);
        errors->position = fmax(errors->position, position);
        squares += position * position / (truth->frames - truth->first);
    }
    errors->rms = sqrt(squares);
    return true;
}

bool s2_run_coarse(const s2_case* c, s2_kind kind, const s2_truth* truth, s2_errors* errors) {
    pl_error error = {0};
    pl_embedding* map = NULL;
    pl_world* world = s2_make_world(c, kind, &error);
    if (!world) return failed(&error);
    const pl_mesh *coarse = pl_world_mesh(world, 0), *fine = pl_world_mesh(truth->world, 0);
    *errors = (s2_errors){.vertex_count = coarse->vertex_count};
    bool done = pl_embedding_create(coarse, fine, NULL, &map, &error) == PL_OK || failed(&error);
    double* work = malloc(9 * (size_t)fine->vertex_count * sizeof *work);
    done = done && work && compare(world, map, truth, errors, work);
    free(work);
    pl_embedding_destroy(map);
    pl_world_destroy(world);
    return done;
}

bool s2_run_three(const s2_case* c, s2_errors* fine, s2_errors* coarse, s2_errors* fit) {
    s2_truth truth;
    bool done = s2_run_fine(c, &truth, fine) && s2_run_coarse(c, S2_COARSE, &truth, coarse) &&
                s2_run_coarse(c, S2_FIT, &truth, fit);
    s2_truth_free(&truth);
    return done;
}
