// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method "fem" of the world: bodies become element sets, masses and the pattern of one system.
#include "fem/fem_method.h"
#include "base/memory.h"
#include "fem/fem_system.h"
#include "fem/tet_elements.h"
#include "mesh/topology.h"

#include <string.h>

typedef struct fem_build {
    const pl_method_body* bodies;
    int body_count;
    int vertex_count;
    double* positions;
    double* mass;
    int tet_count;
    int* tets;
    pl_material* materials;
    pl_element_set sets[1];
    int set_count;
    pl_edges edges;
    pl_adjacency neighbours;
} fem_build;

static void build_free(fem_build* b) {
    PL_FREE(b->positions, double, 3 * (size_t)b->vertex_count);
    PL_FREE(b->mass, double, b->vertex_count);
    PL_FREE(b->tets, int, 4 * (size_t)b->tet_count);
    PL_FREE(b->materials, pl_material, b->tet_count);
    for (int k = 0; k < b->set_count; k++) pl_element_set_free(&b->sets[k]);
    pl_edges_free(&b->edges);
    pl_adjacency_free(&b->neighbours);
}

static pl_status material_of(const pl_element_material* from, pl_material* out, pl_error* error) {
    static const struct {
        pl_law law;
        pl_material_kind kind;
    } table[] = {{PL_LAW_LINEAR, PL_MATERIAL_LINEAR},
                 {PL_LAW_COROTATED, PL_MATERIAL_COROTATED},
                 {PL_LAW_ARAP, PL_MATERIAL_ARAP},
                 {PL_LAW_STVK, PL_MATERIAL_STVK},
                 {PL_LAW_NEOHOOKEAN, PL_MATERIAL_NEOHOOKEAN},
                 {PL_LAW_STABLE_NEOHOOKEAN, PL_MATERIAL_STABLE_NEOHOOKEAN},
                 {PL_LAW_MOONEY_RIVLIN, PL_MATERIAL_MOONEY_RIVLIN}};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        if (table[k].law != from->law) continue;
        *out = (pl_material){.kind = table[k].kind, .mu = from->mu, .lambda = from->lambda};
        return PL_OK;
    }
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "law \"%s\" is not one of solids",
                   pl_law_name((int)from->law));
}

// copies a body's vertices and tets behind those of the bodies before it
static pl_status add_body(fem_build* b, const pl_method_body* body, pl_error* error) {
    const pl_mesh* mesh = body->mesh;
    memcpy(b->positions + 3 * (size_t)body->first_vertex, mesh->positions,
           3 * (size_t)mesh->vertex_count * sizeof(double));
    if (body->is_cloth)
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "body \"%s\" is a cloth; method fem takes solids only", body->body->name);
    for (int e = 0; e < mesh->tet_count; e++) {
        pl_status status = material_of(&body->materials[e], &b->materials[b->tet_count], error);
        if (status != PL_OK) return status;
        for (int i = 0; i < 4; i++)
            b->tets[4 * (size_t)b->tet_count + (size_t)i] =
                mesh->tets[4 * (size_t)e + (size_t)i] + body->first_vertex;
        b->tet_count++;
    }
    return PL_OK;
}

// a quarter of each tet's mass to each of its corners
static void lump_masses(fem_build* b) {
    int tet = 0;
    for (int k = 0; k < b->body_count; k++)
        for (int e = 0; e < b->bodies[k].mesh->tet_count; e++, tet++) {
            double mass =
                b->bodies[k].materials[e].density * pl_tet_element_volume(&b->sets[0], tet);
            for (int i = 0; i < 4; i++)
                b->mass[b->tets[4 * (size_t)tet + (size_t)i]] += 0.25 * mass;
        }
}

static pl_status build(fem_build* b, pl_error* error) {
    size_t tet_count = 0;
    for (int k = 0; k < b->body_count; k++) tet_count += (size_t)b->bodies[k].mesh->tet_count;
    b->positions = PL_ALLOC(double, 3 * (size_t)b->vertex_count);
    b->mass = PL_ALLOC(double, b->vertex_count);
    b->tets = PL_ALLOC(int, 4 * tet_count);
    b->materials = PL_ALLOC(pl_material, tet_count);
    if (!b->positions || !b->mass || !b->tets || !b->materials) {
        b->tet_count = (int)tet_count;
        return pl_fail_memory(error, "a fem system");
    }
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < b->body_count; k++)
        status = add_body(b, &b->bodies[k], error);
    b->tet_count = (int)tet_count;
    if (status != PL_OK) return status;
    status = pl_tet_elements_setup(&b->sets[0], b->positions, b->vertex_count, b->tets,
                                   b->tet_count, b->materials, error);
    if (status != PL_OK) return status;
    b->set_count = 1;
    lump_masses(b);
    status = pl_edges_create(b->tets, b->tet_count, 4, b->vertex_count, &b->edges, error);
    if (status != PL_OK) return status;
    return pl_vertex_neighbours(&b->edges, b->vertex_count, &b->neighbours, error);
}

static pl_fem_settings settings_of(const pl_body* body) {
    return (pl_fem_settings){.integrator = body->integrator,
                             .nonlinear = body->nonlinear,
                             .linear = body->linear,
                             .tolerance = body->solver.tolerance,
                             .max_iterations = body->solver.iterations,
                             .all_iterations = body->solver.fixed,
                             .line_search = body->solver.line_search,
                             .linear_tolerance = body->solver.linear_tolerance,
                             .linear_max_iterations = body->solver.linear_iterations,
                             .damping_mass = body->damping.mass,
                             .damping_stiffness = body->damping.stiffness};
}

static pl_status create(const pl_method_body* bodies, int body_count, int vertex_count,
                        pl_pool* pool, void** out, pl_notes* notes, pl_error* error) {
    (void)notes;
    *out = NULL;
    fem_build b = {.bodies = bodies, .body_count = body_count, .vertex_count = vertex_count};
    pl_fem_settings settings = settings_of(bodies[0].body);
    pl_fem_system* system = NULL;
    pl_status status = build(&b, error);
    if (status == PL_OK)
        status = pl_fem_system_create(b.positions, b.mass, vertex_count, b.neighbours.offsets,
                                      b.neighbours.items, b.sets, b.set_count, &settings, pool,
                                      &system, error);
    build_free(&b);
    *out = system;
    return status;
}

static void destroy(void* system) { pl_fem_system_destroy(system); }
static pl_status step(void* system, const pl_method_step* s, pl_method_info* info,
                      pl_error* error) {
    return pl_fem_system_step(system, s, info, error);
}
static double* positions(void* system) { return pl_fem_positions(system); }
static double* velocities(void* system) { return pl_fem_velocities(system); }
static const double* masses(void* system) { return pl_fem_masses(system); }
static pl_method_energies energies(void* system) { return pl_fem_system_energies(system); }
static size_t state_size(const void* system) { return pl_fem_state_size(system); }
static void state_save(const void* system, void* out) { pl_fem_state_save(system, out); }
static void state_load(void* system, const void* in) { pl_fem_state_load(system, in); }

const pl_method_functions pl_fem_method = {"fem",      create,     destroy,   step,
                                           positions,  velocities, masses,    energies,
                                           state_size, state_save, state_load};
