// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s2_fit.h"
#include "scene/scene_read.h"

#include <math.h>
#include <pliant/embed.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TEXT_SIZE = 4096 };

#define SHAKEN                                                                                     \
    "\"motion\": {\"interpolation\": \"smooth\", \"keyframes\": [{\"time\": 0}, {\"time\": 0.1, "  \
    "\"translate\": [0.05, 0, 0]}, {\"time\": 0.2, \"translate\": [-0.05, 0, 0]}, {\"time\": "     \
    "0.3}]}"
const char S2_SHAKEN_FEET[] = "{\"body\": \"body\", \"where\": {\"side\": {\"face\": \"-y\", "
                              "\"depth\": 0.06}}, " SHAKEN "}";
const char S2_RELEASED_FEET[] =
    "{\"body\": \"body\", \"where\": {\"and\": [{\"side\": {\"face\": \"-y\", \"depth\": 0.06}}, "
    "{\"side\": {\"face\": \"-z\", \"depth\": 0.5}}]}, " SHAKEN "}, "
    "{\"body\": \"body\", \"where\": {\"and\": [{\"side\": {\"face\": \"-y\", \"depth\": 0.06}}, "
    "{\"side\": {\"face\": \"+z\", \"depth\": 0.5}}]}, \"until\": 0.5, " SHAKEN "}";

static void set_body(s2_case* c, const char* law, double young) {
    if (young > 0.0)
        snprintf(c->own_body, sizeof c->own_body,
                 "\"material\": {\"law\": \"%s\", \"young\": %g, \"poisson\": 0.3, "
                 "\"density\": 1000}, " S2_SOLVER,
                 law, young);
}

s2_case s2_shaken(const char* shape, double young, bool quick) {
    s2_case c = {.shape = shape,
                 .coarse = 0.045,
                 .fine = quick ? 0.03 : 0.025,
                 .attachments = S2_SHAKEN_FEET,
                 .gravity = "0, 0, 0",
                 .frames = quick ? 100 : 200};
    set_body(&c, "arap", young);
    return c;
}

s2_case s2_swung_bar(double young, const char* law, bool quick) {
    s2_case c = {.shape = "\"shape\": \"box\", \"size_x\": 0.2, \"size_y\": 1, \"size_z\": 0.2",
                 .coarse = quick ? 0.1 : 0.06,
                 .fine = quick ? 0.05 : 0.025,
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

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

pl_world* s2_make_world(const s2_case* c, s2_kind kind, pl_error* error) {
    char text[TEXT_SIZE], fit[128] = "";
    if (kind == S2_FIT || kind == S2_DAC)
        snprintf(fit, sizeof fit, ", \"eigenfit\": {\"modes\": 10, \"edge\": %.9g, \"dac\": %s}",
                 c->fine, kind == S2_DAC ? "true" : "false");
    int size =
        snprintf(text, sizeof text,
                 "{\"pliant\": 1, \"time_step\": 0.01, \"threads\": 1, \"gravity\": [%s], "
                 "\"bodies\": [{\"name\": \"body\", \"generate\": {%s, \"edge\": %.9g}, %s%s}], "
                 "\"attachments\": [%s]}",
                 c->gravity, c->shape, kind == S2_FINE ? c->fine : c->coarse,
                 c->body ? c->body : c->own_body, fit, c->attachments);
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
    double start = processor_seconds();
    for (size_t k = 0; k < (size_t)c->frames; k++) {
        if (pl_world_step(out->world, NULL, &error) != PL_OK) return failed(&error);
        const double *x = pl_world_positions(out->world, 0),
                     *v = pl_world_velocities(out->world, 0);
        for (size_t i = 0; i < count; i++) out->x[k * count + i] = (float)x[i];
        for (size_t i = 0; i < count; i++) out->v[k * count + i] = (float)v[i];
    }
    errors->seconds = (processor_seconds() - start) / c->frames;
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

// values: where the vertices of the fine mesh are that moves as the coarse one does. Those outside
// the coarse mesh keep their distance from it.
static void carry(pl_world* world, const pl_embedding* map, const s2_truth* truth, double* values,
                  double* rest) {
    const pl_mesh* fine = pl_world_mesh(truth->world, 0);
    pl_embedding_interpolate(map, pl_world_mesh(world, 0)->positions, 3, rest);
    pl_embedding_interpolate(map, pl_world_positions(world, 0), 3, values);
    for (size_t i = 0; i < 3 * (size_t)fine->vertex_count; i++)
        values[i] += fine->positions[i] - rest[i];
}

static bool compare(pl_world* world, const pl_embedding* map, const s2_truth* truth,
                    s2_errors* errors, double* values) {
    size_t count = 3 * (size_t)pl_world_mesh(truth->world, 0)->vertex_count;
    pl_error error = {0};
    pl_frame_info info;
    double squares = 0.0;
    for (size_t k = 0; k < (size_t)truth->frames; k++) {
        double start = processor_seconds();
        if (pl_world_step(world, &info, &error) != PL_OK) return failed(&error);
        errors->seconds += (processor_seconds() - start) / truth->frames;
        if (info.unfit_count && !errors->first_unfit) errors->first_unfit = info.frame;
        if (k < (size_t)truth->first) continue;
        carry(world, map, truth, values, values + count);
        double position = farthest(values, truth->x + k * count, count);
        pl_embedding_interpolate(map, pl_world_velocities(world, 0), 3, values);
        errors->velocity = fmax(errors->velocity, farthest(values, truth->v + k * count, count));
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
    double* values = malloc(6 * (size_t)fine->vertex_count * sizeof *values);
    done = done && values && compare(world, map, truth, errors, values);
    free(values);
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
