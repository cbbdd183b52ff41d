// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/world_fields.h"
#include "base/memory.h"
#include "material/material.h"
#include "math/svd3.h"
#include "world/world_build.h"

#include <math.h>
#include <string.h>

pl_element_kind pl_world_field_kind(pl_output_field field) {
    return field == PL_OUTPUT_ELEMENT_STRESS ? PL_ELEMENT_TET : PL_ELEMENT_VERTEX;
}

int pl_world_field_components(pl_output_field field) {
    return field == PL_OUTPUT_VELOCITY || field == PL_OUTPUT_DISPLACEMENT ? 3 : 1;
}

static bool is_ratio(pl_output_field field) {
    return field == PL_OUTPUT_STRETCH || field == PL_OUTPUT_VOLUME;
}

static pl_mat3 edges_of(const int* v, const double* x) {
    pl_vec3 a = pl_vec3_load(x + 3 * (size_t)v[0]);
    return pl_mat3_from_columns(pl_sub(pl_vec3_load(x + 3 * (size_t)v[1]), a),
                                pl_sub(pl_vec3_load(x + 3 * (size_t)v[2]), a),
                                pl_sub(pl_vec3_load(x + 3 * (size_t)v[3]), a));
}

// the law of an element; false for springs, which have no stress
static bool material_of(const pl_element_material* from, pl_material* out) {
    *out = (pl_material){.mu = from->mu, .lambda = from->lambda};
    if (from->law == PL_LAW_MOONEY_RIVLIN) out->rivlin = pl_material_rivlin(from->mu, from->mu2);
    return pl_material_of_law(from->law, &out->kind);
}

// The state of an element: its material, and its pressure if that is an unknown of the method.
typedef struct element_state {
    const pl_element_material* material;
    bool has_pressure;
    double pressure;
} element_state;

static double energy_density(const element_state* e, const pl_material* m, pl_mat3 F) {
    if (!e->has_pressure) return pl_material_energy(m, F);
    double stored = 0.5 * e->pressure * e->pressure * pl_material_compliance(m);
    return pl_material_mixed_energy(m, F, e->pressure) - stored;
}

// Cauchy stress P F' / det F. For law linear it is P, the stress of small strains.
static pl_mat3 cauchy_stress(const element_state* e, const pl_material* material, pl_mat3 F,
                             double volume) {
    pl_mat3 P = e->has_pressure ? pl_material_mixed_stress(material, F, e->pressure)
                                : pl_material_stress(material, F);
    if (material->kind == PL_MATERIAL_LINEAR) return P;
    return pl_mat3_scale(1.0 / volume, pl_mat3_mul(P, pl_mat3_transpose(F)));
}

// pressure or von Mises stress
static double stress_value(pl_output_field field, const element_state* e,
                           const pl_material* material, pl_mat3 F) {
    double volume = pl_mat3_det(F);
    if (!(volume > 0.0)) return 0.0; // an inverted element has no Cauchy stress
    pl_mat3 stress = cauchy_stress(e, material, F, volume);
    double mean = (stress.m[0] + stress.m[4] + stress.m[8]) / 3.0, square = 0.0;
    if (field == PL_OUTPUT_PRESSURE) return -mean;
    for (int i = 0; i < 9; i++) {
        double deviation = stress.m[i] - (i % 4 == 0 ? mean : 0.0);
        square += deviation * deviation;
    }
    return sqrt(1.5 * square);
}

// the value of the field in a tet
static double tet_value(pl_output_field field, const element_state* element, const int* v,
                        const double* rest, const double* x) {
    pl_mat3 inverse;
    if (!pl_mat3_inverse(edges_of(v, rest), &inverse)) return is_ratio(field) ? 1.0 : 0.0;
    pl_mat3 F = pl_mat3_mul(edges_of(v, x), inverse), U, V;
    if (field == PL_OUTPUT_VOLUME) return pl_mat3_det(F);
    if (field == PL_OUTPUT_STRETCH) {
        double s[3];
        pl_svd3(F, &U, s, &V);
        return s[0];
    }
    pl_material material;
    if (!material_of(element->material, &material)) return 0.0;
    return field == PL_OUTPUT_ENERGY ? energy_density(element, &material, F)
                                     : stress_value(field, element, &material, F);
}

static element_state state_of(const pl_world_body* body, const double* pressures, int e) {
    element_state state = {.material = &body->materials[e], .has_pressure = pressures != NULL};
    const int* v = body->mesh->tets + 4 * (size_t)e;
    for (int i = 0; pressures && i < 4; i++) state.pressure += 0.25 * pressures[v[i]];
    return state;
}

// per vertex: the mean of its tets, weighted by rest volume; the value at rest if it has no tet
static void average_tets(pl_output_field field, const pl_world_body* body, const double* pressures,
                         const double* x, double* weight, double* out) {
    const pl_mesh* mesh = body->mesh;
    memset(out, 0, (size_t)mesh->vertex_count * sizeof(double));
    memset(weight, 0, (size_t)mesh->vertex_count * sizeof(double));
    for (int e = 0; !body->is_cloth && e < mesh->tet_count; e++) {
        const int* v = mesh->tets + 4 * (size_t)e;
        double volume = fabs(pl_mat3_det(edges_of(v, mesh->positions)));
        element_state state = state_of(body, pressures, e);
        double value = tet_value(field, &state, v, mesh->positions, x);
        for (int i = 0; i < 4; i++) {
            // the pressure of a vertex is its own, not the mean of its tets
            if (pressures && field == PL_OUTPUT_PRESSURE) {
                state.pressure = pressures[v[i]];
                value = tet_value(field, &state, v, mesh->positions, x);
            }
            out[v[i]] += volume * value, weight[v[i]] += volume;
        }
    }
    for (int i = 0; i < mesh->vertex_count; i++)
        out[i] = weight[i] > 0.0 ? out[i] / weight[i] : is_ratio(field) ? 1.0 : 0.0;
}

static void element_stresses(const pl_world_body* body, const double* pressures, const double* x,
                             double* out) {
    const pl_mesh* mesh = body->mesh;
    for (int e = 0; e < mesh->tet_count; e++) {
        element_state state = state_of(body, pressures, e);
        out[e] = body->is_cloth ? 0.0
                                : tet_value(PL_OUTPUT_STRESS, &state, mesh->tets + 4 * (size_t)e,
                                            mesh->positions, x);
    }
}

static bool needs_law(pl_output_field field) {
    return field == PL_OUTPUT_PRESSURE || field == PL_OUTPUT_STRESS || field == PL_OUTPUT_ENERGY ||
           field == PL_OUTPUT_ELEMENT_STRESS;
}

// pressures at the vertices of a body, if its method has them; otherwise NULL
static const double* pressures_of(const pl_world* world, int b, pl_output_field field) {
    const pl_world_body* body = &world->bodies[b];
    const pl_world_system* system = &world->systems[body->system];
    if (!system->method->pressures || !needs_law(field)) return NULL;
    return system->method->pressures(system->data) + body->first_vertex;
}

void pl_world_fill_field(const pl_world* world, int b, pl_output_field field, double* weight,
                         double* out) {
    const pl_mesh* mesh = pl_world_mesh(world, b);
    // const is cast away: nothing is written through this pointer
    const double* x = pl_world_positions((pl_world*)world, b);
    const double* velocity = pl_world_velocities((pl_world*)world, b);
    const double* pressures = pressures_of(world, b, field);
    switch (field) {
    case PL_OUTPUT_VELOCITY:
        memcpy(out, velocity, 3 * (size_t)mesh->vertex_count * sizeof(double));
        return;
    case PL_OUTPUT_DISPLACEMENT:
        for (int i = 0; i < 3 * mesh->vertex_count; i++) out[i] = x[i] - mesh->positions[i];
        return;
    case PL_OUTPUT_CONTACT: pl_world_contact_forces(world, b, out); return;
    case PL_OUTPUT_ELEMENT_STRESS: element_stresses(&world->bodies[b], pressures, x, out); return;
    default: average_tets(field, &world->bodies[b], pressures, x, weight, out); return;
    }
}

pl_status pl_world_field(const pl_world* world, int body, pl_output_field field, double* out,
                         pl_error* error) {
    if (body < 0 || body >= pl_world_body_count(world))
        return pl_fail(error, PL_ERROR_ARGUMENT, "there is no body %d; the world has %d", body,
                       pl_world_body_count(world));
    if ((unsigned)field >= PL_OUTPUT_COUNT)
        return pl_fail(error, PL_ERROR_ARGUMENT, "there is no field %d; see pl_output_field",
                       (int)field);
    int count = pl_world_mesh(world, body)->vertex_count;
    double* weight = PL_ALLOC(double, count);
    if (count && !weight) return pl_fail_memory(error, "a field");
    pl_world_fill_field(world, body, field, weight, out);
    PL_FREE(weight, double, count);
    return PL_OK;
}
