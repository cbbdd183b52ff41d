// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "elements/tet_elements.h"
#include "fem/fem_system.h"
#include "mesh/topology.h"
#include "step/mass_matrix.h"
#include "step/step_objective.h"
#include "verify.h"

#include <math.h>

double verify_relative_error(verify_answer answer) {
    return fabs(answer.value - answer.reference) / fabs(answer.reference);
}

pl_status verify_box(double x, double y, double z, int nx, int ny, int nz, pl_tet_pattern pattern,
                     pl_mesh** out, pl_error* error) {
    pl_generate_options options;
    pl_status status = pl_generate_defaults("box", &options, error);
    if (status != PL_OK) return status;
    options.size_x = x, options.size_y = y, options.size_z = z;
    options.count_x = nx, options.count_y = ny, options.count_z = nz;
    options.pattern = pattern;
    return pl_generate("box", &options, out, error);
}

// contrast: what multiplies the moduli of each tet; NULL: 1
static pl_status fill_set(const pl_mesh* mesh, const pl_material* material, const double* contrast,
                          pl_element_set* set, pl_error* error) {
    pl_material* materials = PL_ALLOC(pl_material, mesh->tet_count);
    if (!materials) return pl_fail_memory(error, "materials");
    for (int e = 0; e < mesh->tet_count; e++) {
        materials[e] = *material;
        if (!contrast) continue;
        materials[e].mu *= contrast[e];
        materials[e].lambda *= contrast[e];
    }
    pl_status status = pl_tet_elements_setup(set, mesh->positions, mesh->vertex_count, mesh->tets,
                                             mesh->tet_count, materials, error);
    PL_FREE(materials, pl_material, mesh->tet_count);
    return status;
}

static double* lumped_mass(const pl_mesh* mesh, const pl_element_set* set, double density) {
    double* mass = PL_ALLOC(double, mesh->vertex_count);
    for (int e = 0; mass && e < mesh->tet_count; e++)
        for (int i = 0; i < 4; i++)
            mass[mesh->tets[4 * e + i]] += 0.25 * density * pl_tet_element_volume(set, e);
    return mass;
}

static pl_status neighbours_of(const pl_mesh* mesh, pl_adjacency* out, pl_error* error) {
    pl_edges edges;
    pl_status status =
        pl_edges_create(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, &edges, error);
    if (status != PL_OK) return status;
    status = pl_vertex_neighbours(&edges, mesh->vertex_count, out, error);
    pl_edges_free(&edges);
    return status;
}

static pl_status build_system(verify_body* body, const double* contrast,
                              const pl_step_settings* settings, pl_pool* pool, pl_error* error) {
    pl_element_set set;
    pl_adjacency neighbours;
    pl_status status = fill_set(body->mesh, &body->material, contrast, &set, error);
    if (status != PL_OK) return status;
    body->mass = lumped_mass(body->mesh, &set, body->density);
    body->force = PL_ALLOC(double, 3 * body->mesh->vertex_count);
    status = body->mass && body->force ? neighbours_of(body->mesh, &neighbours, error)
                                       : pl_fail_memory(error, "a body");
    if (status != PL_OK) {
        pl_element_set_free(&set);
        return status;
    }
    status = pl_fem_system_create(body->mesh->positions, body->mass, body->mesh->vertex_count,
                                  neighbours.offsets, neighbours.items, &set, 1, settings, pool,
                                  &body->system, error);
    pl_adjacency_free(&neighbours);
    return status;
}

pl_status verify_body_create_mixed(verify_body* body, pl_mesh* mesh, pl_material_kind law,
                                   double young, double poisson, double density,
                                   const double* contrast, const pl_step_settings* settings,
                                   pl_pool* pool, pl_error* error) {
    *body = (verify_body){.mesh = mesh, .density = density};
    pl_status status = pl_material_from_young(law, young, poisson, &body->material, error);
    if (status == PL_OK) status = build_system(body, contrast, settings, pool, error);
    if (status != PL_OK) verify_body_free(body);
    return status;
}

pl_status verify_body_create(verify_body* body, pl_mesh* mesh, pl_material_kind law, double young,
                             double poisson, double density, const pl_step_settings* settings,
                             pl_pool* pool, pl_error* error) {
    return verify_body_create_mixed(body, mesh, law, young, poisson, density, NULL, settings, pool,
                                    error);
}

static double tet_volume(const pl_mesh* mesh, int e) {
    pl_vec3 p[4];
    for (int i = 0; i < 4; i++) p[i] = pl_vec3_load(mesh->positions + 3 * mesh->tets[4 * e + i]);
    return pl_det4(p[0], p[1], p[2], p[3]) / 6.0;
}

static pl_status consistent_mass(const pl_mesh* mesh, double density, pl_block_matrix* M,
                                 pl_error* error) {
    pl_adjacency neighbours;
    pl_status status = neighbours_of(mesh, &neighbours, error);
    if (status != PL_OK) return status;
    status = pl_block_matrix_setup(M, mesh->vertex_count, 1, neighbours.offsets, neighbours.items,
                                   error);
    for (int e = 0; status == PL_OK && e < mesh->tet_count; e++)
        pl_mass_matrix_add(M, mesh->tets + 4 * e, 4, density * tet_volume(mesh, e));
    pl_adjacency_free(&neighbours);
    return status;
}

pl_status verify_body_use_consistent_mass(verify_body* body, pl_error* error) {
    pl_block_matrix M;
    pl_status status = consistent_mass(body->mesh, body->density, &M, error);
    if (status == PL_OK) pl_step_use_mass_matrix(body->system, &M);
    return status;
}

void verify_body_free(verify_body* body) {
    if (body->mesh) {
        PL_FREE(body->mass, double, body->mesh->vertex_count);
        PL_FREE(body->force, double, 3 * body->mesh->vertex_count);
    }
    pl_step_system_destroy(body->system);
    pl_mesh_destroy(body->mesh);
    *body = (verify_body){0};
}

pl_status verify_body_step(verify_body* body, double time_step, double gravity, const pl_pin* pins,
                           int pin_count, pl_method_info* info, pl_error* error) {
    for (int v = 0; v < body->mesh->vertex_count; v++)
        body->force[3 * v + 1] = -gravity * body->mass[v];
    pl_method_step step = {
        .time_step = time_step, .force = body->force, .pins = pins, .pin_count = pin_count};
    return pl_step_system_step(body->system, &step, info, error);
}

int verify_pin_left(const pl_mesh* mesh, double limit, pl_pin* pins) {
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        pl_vec3 place = pl_vec3_load(mesh->positions + 3 * v);
        if (place.x <= limit)
            pins[count++] = (pl_pin){.vertex = v, .hard = true, .from = place, .target = place};
    }
    return count;
}

static pl_status assemble(const pl_mesh* mesh, pl_element_set* set, const double* mass,
                          const bool* fixed, pl_block_matrix* K, pl_error* error) {
    pl_adjacency neighbours;
    pl_status status = neighbours_of(mesh, &neighbours, error);
    if (status != PL_OK) return status;
    status = pl_block_matrix_setup(K, mesh->vertex_count, 3, neighbours.offsets, neighbours.items,
                                   error);
    pl_adjacency_free(&neighbours);
    if (status != PL_OK) return status;
    status = pl_element_set_locate(set, K, error);
    bool* none = PL_ALLOC(bool, mesh->vertex_count);
    if (status == PL_OK && !none) status = pl_fail_memory(error, "a stiffness matrix");
    if (status == PL_OK) {
        pl_step_objective f = {.vertex_count = mesh->vertex_count,
                               .set_count = 1,
                               .sets = set,
                               .mass = mass,
                               .fixed = fixed ? fixed : none};
        pl_step_hessian(&f, mesh->positions, false, K);
    } else {
        pl_block_matrix_free(K);
    }
    PL_FREE(none, bool, mesh->vertex_count);
    return status;
}

static void zero_fixed(pl_block_matrix* M, const bool* fixed) {
    for (int v = 0; fixed && v < M->row_count; v++)
        for (int e = M->offsets[v]; e < M->offsets[v + 1]; e++)
            if (fixed[v] || fixed[M->columns[e]]) M->values[e] = 0.0;
}

pl_status verify_stiffness(const pl_mesh* mesh, const pl_material* material, double density,
                           const bool* fixed, pl_block_matrix* K, pl_block_matrix* M, double** mass,
                           pl_error* error) {
    pl_element_set set;
    pl_status status = fill_set(mesh, material, NULL, &set, error);
    if (status != PL_OK) return status;
    *mass = lumped_mass(mesh, &set, density);
    status = *mass ? assemble(mesh, &set, *mass, fixed, K, error) : pl_fail_memory(error, "masses");
    if (status != PL_OK) {
        PL_FREE(*mass, double, mesh->vertex_count);
        *mass = NULL;
    }
    pl_element_set_free(&set);
    if (status != PL_OK || !M) return status;
    status = consistent_mass(mesh, density, M, error);
    if (status == PL_OK) zero_fixed(M, fixed);
    return status;
}
