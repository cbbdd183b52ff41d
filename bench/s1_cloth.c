// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s1_cloth.h"
#include "base/memory.h"

#include <math.h>
#include <pliant/generate.h>
#include <stdio.h>

static const double TIME_STEP = 1.0 / 60.0;

static bool make_mesh(s1_cloth* c) {
    pl_generate_options options;
    if (pl_generate_defaults("cloth", &options, &c->error) != PL_OK) return false;
    options.count_x = c->columns, options.count_y = c->rows;
    options.size_x = 0.02 * (c->columns - 1), options.size_y = 0.02 * (c->rows - 1);
    if (pl_generate("cloth", &options, &c->mesh, &c->error) != PL_OK) return false;
    for (int v = 0; v < c->mesh->vertex_count; v++) c->mesh->positions[3 * (size_t)v + 1] *= -1.0;
    return true;
}

bool s1_cloth_create(int columns, int rows, pl_pool* pool, s1_cloth* out) {
    *out = (s1_cloth){.columns = columns, .rows = rows, .pool = pool, .body = pl_default_body()};
    out->body.method = PL_METHOD_PBD;
    out->body.name = "cloth";
    out->body.pbd.bend = 0.0;
    out->body.pbd.model = PL_PBD_STIFFNESS;
    bool ok = make_mesh(out);
    if (ok) {
        out->force = PL_ALLOC(double, 3 * (size_t)out->mesh->vertex_count);
        out->pins = PL_ALLOC(pl_pin, columns);
        ok = out->force && out->pins;
    }
    for (int k = 0; ok && k < columns; k++) {
        pl_vec3 at = pl_vec3_load(out->mesh->positions + 3 * (size_t)k);
        out->pins[k] = (pl_pin){.vertex = k, .hard = true, .from = at, .target = at};
    }
    if (!ok) fprintf(stderr, "pliant-bench: the cloth: %s\n", out->error.text);
    return ok;
}

bool s1_cloth_start(s1_cloth* c) {
    pl_pbd_system_destroy(c->system);
    c->system = NULL;
    pl_element_material* materials = PL_ALLOC(pl_element_material, c->mesh->triangle_count);
    if (!materials) return false;
    for (int t = 0; t < c->mesh->triangle_count; t++)
        materials[t] = (pl_element_material){.law = PL_LAW_SPRINGS, .density = 0.2};
    pl_method_body body = {
        .body = &c->body, .mesh = c->mesh, .is_cloth = true, .materials = materials};
    pl_status status =
        pl_pbd_system_create(&body, 1, c->mesh->vertex_count, c->pool, &c->system, NULL, &c->error);
    PL_FREE(materials, pl_element_material, c->mesh->triangle_count);
    if (status != PL_OK) {
        fprintf(stderr, "pliant-bench: the cloth: %s\n", c->error.text);
        return false;
    }
    for (int v = 0; v < c->mesh->vertex_count; v++)
        c->force[3 * (size_t)v + 1] = -9.81 * c->system->mass[v];
    return true;
}

bool s1_cloth_step(s1_cloth* c, int count) {
    pl_method_step step = {
        .time_step = TIME_STEP, .force = c->force, .pins = c->pins, .pin_count = c->columns};
    for (int k = 0; k < count; k++) {
        pl_method_info info;
        if (pl_pbd_system_step(c->system, &step, &info, &c->error) == PL_OK) continue;
        fprintf(stderr, "pliant-bench: the cloth: %s\n", c->error.text);
        return false;
    }
    return true;
}

void s1_cloth_free(s1_cloth* c) {
    pl_pbd_system_destroy(c->system);
    if (c->mesh) PL_FREE(c->force, double, 3 * (size_t)c->mesh->vertex_count);
    PL_FREE(c->pins, pl_pin, c->columns);
    pl_mesh_destroy(c->mesh);
    *c = (s1_cloth){0};
}

double s1_cloth_stretch(const s1_cloth* c) {
    double longest = 0.0, rest = 0.02 * (c->rows - 1);
    for (int i = 0; i < c->columns; i++) {
        double length = 0.0;
        for (int j = 0; j + 1 < c->rows; j++) {
            const double* a = c->system->positions + 3 * (size_t)(i + j * c->columns);
            length += pl_distance(pl_vec3_load(a), pl_vec3_load(a + 3 * (size_t)c->columns));
        }
        longest = fmax(longest, length);
    }
    return longest / rest - 1.0;
}

double s1_stretch_after(s1_cloth* c, int hierarchy, int iterations) {
    c->body.pbd.hierarchy = hierarchy;
    c->body.solver.iterations = iterations;
    if (!s1_cloth_start(c) || !s1_cloth_step(c, 240)) return -1.0;
    double sum = 0.0;
    for (int k = 0; k < 60; k++) {
        if (!s1_cloth_step(c, 1)) return -1.0;
        sum += s1_cloth_stretch(c);
    }
    return sum / 60.0;
}
