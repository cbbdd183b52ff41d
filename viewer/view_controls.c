// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "view_controls.h"
#include "scene/combinations.h"
#include "scene/key_uses.h"
#include "world/world_build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- numbers of bodies

// id, label, unit, key of a body, kind, range; a logarithmic range is relative to the value in the
// scene
static const struct {
    const char *id, *label, *unit, *key;
    pl_view_control_kind kind;
    double low, high;
} numbers[] = {
    {"young", "Young's modulus", "Pa", "material.young", PL_CONTROL_LOGARITHMIC, 1e-2, 1e2},
    {"poisson", "Poisson's ratio", "", "material.poisson", PL_CONTROL_NUMBER, 0.0, 0.49},
    {"stretch", "stretch stiffness", "N/m", "material.stretch", PL_CONTROL_LOGARITHMIC, 1e-2, 1e1},
    {"bend", "bending stiffness", "N m", "material.bend", PL_CONTROL_LOGARITHMIC, 1e-2, 1e3},
    {"pbd_stretch", "stretch (pbd)", "", "pbd.stretch", PL_CONTROL_NUMBER, 0.0, 1.0},
    {"pbd_volume", "volume (pbd)", "", "pbd.volume", PL_CONTROL_NUMBER, 0.0, 1.0},
};
enum { NUMBER_COUNT = sizeof numbers / sizeof numbers[0] };

static bool acts_on(const pl_body* body, int k) {
    bool is_modulus = strcmp(numbers[k].id, "young") == 0 || strcmp(numbers[k].id, "poisson") == 0;
    if (is_modulus && !isnan(body->material.mu)) return false;
    if (strcmp(numbers[k].id, "pbd_volume") == 0 && body->kind == PL_BODY_CLOTH) return false;
    return pl_key_is_read(body, numbers[k].key, false);
}

static double number_of(const pl_body* body, int k) {
    const char* id = numbers[k].id;
    return strcmp(id, "young") == 0         ? body->material.young
           : strcmp(id, "poisson") == 0     ? body->material.poisson
           : strcmp(id, "stretch") == 0     ? body->material.stretch
           : strcmp(id, "bend") == 0        ? body->material.bend
           : strcmp(id, "pbd_stretch") == 0 ? body->pbd.stretch
                                            : body->pbd.volume;
}

static void list_numbers(const pl_scene* scene, pl_view_control* out, int* count) {
    for (int k = 0; k < NUMBER_COUNT; k++)
        for (int b = 0; b < scene->body_count; b++) {
            const pl_body* body = &scene->bodies[b];
            if (!acts_on(body, k)) continue;
            double value = number_of(body, k);
            bool by_factors = numbers[k].kind == PL_CONTROL_LOGARITHMIC;
            if (by_factors && !(value > 0.0)) value = 1e-5;
            out[(*count)++] =
                (pl_view_control){.id = numbers[k].id,
                                  .label = numbers[k].label,
                                  .unit = numbers[k].unit,
                                  .kind = numbers[k].kind,
                                  .low = numbers[k].low * (by_factors ? value : 1.0),
                                  .high = numbers[k].high * (by_factors ? value : 1.0),
                                  .value = value};
            break; // shows the value of the first body that it applies to
        }
}

static pl_status set_number(pl_world* w, int k, double value, pl_error* error) {
    pl_status status = PL_OK;
    for (int b = 0; status == PL_OK && b < w->body_count; b++) {
        if (!acts_on(&w->scene->bodies[b], k)) continue;
        char path[96];
        snprintf(path, sizeof path, "bodies[%d].%s", b, numbers[k].key);
        status = pl_world_set(w, path, value, error);
    }
    return status;
}

// ---------------------------------------------------------------- gravity and friction

static pl_status set_friction(pl_world* w, double value, pl_error* error) {
    pl_status status = PL_OK;
    char path[96];
    for (int b = 0; status == PL_OK && b < w->body_count; b++) {
        snprintf(path, sizeof path, "bodies[%d].contact.friction", b);
        status = pl_world_set(w, path, value, error);
    }
    for (int c = 0; status == PL_OK && c < w->scene->collider_count; c++) {
        snprintf(path, sizeof path, "colliders[%d].friction", c);
        status = pl_world_set(w, path, value, error);
    }
    return status;
}

static pl_status set_gravity(pl_world* w, double value, pl_error* error) {
    char path[32];
    snprintf(path, sizeof path, "gravity[%d]", (int)w->scene->up);
    return pl_world_set(w, path, -value, error);
}

// ---------------------------------------------------------------- settings

// makes the same change to every body, and a second one for a lattice that is small enough to step
// live
static pl_status change_all(pl_world* w, const char* key, const char* value, pl_error* error) {
    enum { ROOM = 64, TEXT = 160 };
    char texts[3 * ROOM][TEXT];
    const char* changes[3 * ROOM];
    int count = 0;
    if (w->body_count > ROOM)
        return pl_fail(error, PL_ERROR_LIMIT, "more than %d bodies cannot change at once", ROOM);
    for (int b = 0; b < w->body_count; b++) {
        const pl_body* body = &w->scene->bodies[b];
        if (strcmp(key, "method") == 0 && strcmp(value, "grid") == 0 && isnan(body->grid.cell)) {
            const pl_mesh* mesh = w->bodies[b].mesh;
            double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL},
                   high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
            for (int i = 0; i < 3 * mesh->vertex_count; i++) {
                low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
                high[i % 3] = fmax(high[i % 3], mesh->positions[i]);
            }
            double size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
            snprintf(texts[count], TEXT, "bodies[%d].grid.cell=%.6g", b, size / 20.0);
            changes[count] = texts[count];
            count++;
        }
        if (strcmp(key, "method") == 0 && body->rigid) {
            snprintf(texts[count], TEXT, "bodies[%d].rigid=false", b);
            changes[count] = texts[count];
            count++;
        }
        snprintf(texts[count], TEXT, "bodies[%d].%s=%s", b, key, value);
        changes[count] = texts[count];
        count++;
    }
    return pl_world_change(w, changes, count, NULL, error);
}

// Node counts of the coarse levels of multigrid, coarsest first: from about 40 nodes up, by equal
// factors.
static void level_sizes(int vertex_count, int level_count, char* text, size_t size) {
    double fine = vertex_count, coarsest = fmin(40.0, fmax(4.0, fine / 8.0));
    size_t used = (size_t)snprintf(text, size, "[");
    int last = 0;
    for (int k = 0; k < level_count; k++) {
        int nodes = (int)(coarsest * pow(fine / coarsest, (double)k / level_count));
        if (nodes <= last || nodes >= vertex_count) break;
        used += (size_t)snprintf(text + used, size - used, "%s%d", k ? ", " : "", nodes);
        last = nodes;
    }
    snprintf(text + used, size - used, "]");
}

static bool uses_levels(const pl_body* body) {
    return body->method == PL_METHOD_FEM &&
           (body->linear == PL_LINEAR_MULTIGRID || body->linear == PL_LINEAR_MGPCG);
}

static pl_status set_levels(pl_world* w, int count, pl_error* error) {
    char value[128];
    if (w->scene->bodies[0].method == PL_METHOD_PBD) {
        snprintf(value, sizeof value, "%d", count);
        return change_all(w, "hierarchy", value, error);
    }
    if (!uses_levels(&w->scene->bodies[0]))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "levels go with linear solvers multigrid and mgpcg, and with pbd");
    int least = w->systems[0].vertex_count;
    for (int s = 1; s < w->system_count; s++)
        if (w->systems[s].vertex_count < least) least = w->systems[s].vertex_count;
    level_sizes(least, count, value, sizeof value);
    return change_all(w, "levels", value, error);
}

static void list_choices(const pl_world* w, pl_view_control* out, int* count) {
    const pl_body* body = &w->scene->bodies[0];
    pl_view_control* method = &out[(*count)++];
    *method = (pl_view_control){
        .id = "method", .label = "method", .unit = "", .kind = PL_CONTROL_CHOICE, .rebuilds = true};
    snprintf(method->choice, sizeof method->choice, "%s", pl_method_name((int)body->method));
    for (int m = 0; m < PL_METHOD_COUNT; m++) {
        bool fits = pl_method_is_available((pl_method)m) && pl_world_method((pl_method)m);
        bool is_of_solids = m == PL_METHOD_GRID || m == PL_METHOD_RIGID;
        if (fits && !(is_of_solids && w->bodies[0].is_cloth))
            method->choices[method->choice_count++] = pl_method_name(m);
    }
    if (body->method != PL_METHOD_FEM) return;
    pl_view_control* linear = &out[(*count)++];
    *linear = (pl_view_control){.id = "linear",
                                .label = "linear solver",
                                .unit = "",
                                .kind = PL_CONTROL_CHOICE,
                                .rebuilds = true};
    snprintf(linear->choice, sizeof linear->choice, "%s", pl_linear_name((int)body->linear));
    for (int l = 1; l < PL_LINEAR_COUNT && linear->choice_count < PL_VIEW_CHOICE_LIMIT; l++)
        linear->choices[linear->choice_count++] = pl_linear_name(l);
    pl_view_control* nonlinear = &out[(*count)++];
    *nonlinear = (pl_view_control){.id = "nonlinear",
                                   .label = "nonlinear solver",
                                   .unit = "",
                                   .kind = PL_CONTROL_CHOICE,
                                   .rebuilds = true};
    snprintf(nonlinear->choice, sizeof nonlinear->choice, "%s",
             pl_nonlinear_name((int)body->nonlinear));
    for (int n = 1; n < PL_NONLINEAR_COUNT; n++)
        nonlinear->choices[nonlinear->choice_count++] = pl_nonlinear_name(n);
}

static void list_counts(const pl_world* w, pl_view_control* out, int* count) {
    const pl_body* body = &w->scene->bodies[0];
    if (pl_key_is_read(body, "iterations", false))
        out[(*count)++] = (pl_view_control){.id = "iterations",
                                            .label = "iterations",
                                            .unit = "",
                                            .kind = PL_CONTROL_WHOLE,
                                            .rebuilds = true,
                                            .low = 1,
                                            .high = fmax(50.0, body->solver.iterations),
                                            .value = body->solver.iterations};
    bool is_pbd = body->method == PL_METHOD_PBD;
    if (is_pbd || uses_levels(body))
        out[(*count)++] = (pl_view_control){
            .id = "levels",
            .label = is_pbd ? "coarse levels (-1: auto)" : "coarse levels (0: auto)",
            .unit = "",
            .kind = PL_CONTROL_WHOLE,
            .rebuilds = true,
            .low = is_pbd ? -1 : 0,
            .high = 6,
            .value = is_pbd ? body->pbd.hierarchy : body->multigrid.level_count};
}

int pl_view_controls_list(const pl_world* w, pl_view_control out[PL_VIEW_CONTROL_LIMIT]) {
    int count = 0;
    list_numbers(w->scene, out, &count);
    out[count++] = (pl_view_control){.id = "gravity",
                                     .label = "gravity",
                                     .unit = "m/s\xc2\xb2",
                                     .low = -5.0,
                                     .high = 30.0,
                                     .value = -w->scene->gravity[w->scene->up]};
    out[count++] = (pl_view_control){.id = "friction",
                                     .label = "friction",
                                     .unit = "",
                                     .low = 0.0,
                                     .high = 2.0,
                                     .value = w->scene->bodies[0].contact.friction};
    list_choices(w, out, &count);
    list_counts(w, out, &count);
    return count;
}

pl_status pl_view_controls_set(pl_world* w, const char* id, double number, const char* choice,
                               pl_error* error) {
    pl_view_control known[PL_VIEW_CONTROL_LIMIT];
    int count = pl_view_controls_list(w, known);
    const pl_view_control* c = NULL;
    for (int k = 0; k < count; k++)
        if (strcmp(known[k].id, id) == 0) c = &known[k];
    if (!c) return pl_fail(error, PL_ERROR_ARGUMENT, "there is no control \"%s\" here", id);
    if (c->kind == PL_CONTROL_CHOICE) {
        for (int k = 0; k < c->choice_count; k++)
            if (strcmp(c->choices[k], choice) == 0) return change_all(w, id, choice, error);
        return pl_fail(error, PL_ERROR_ARGUMENT, "%s: \"%s\" is not a choice", id, choice);
    }
    for (int k = 0; k < NUMBER_COUNT; k++)
        if (strcmp(id, numbers[k].id) == 0) return set_number(w, k, number, error);
    if (strcmp(id, "gravity") == 0) return set_gravity(w, number, error);
    if (strcmp(id, "friction") == 0) return set_friction(w, number, error);
    if (!(number >= c->low && number <= c->high))
        return pl_fail(error, PL_ERROR_ARGUMENT, "%s: must be from %g to %g", id, c->low, c->high);
    if (strcmp(id, "levels") == 0) return set_levels(w, (int)number, error);
    char text[16];
    snprintf(text, sizeof text, "%d", (int)number);
    return change_all(w, id, text, error);
}
