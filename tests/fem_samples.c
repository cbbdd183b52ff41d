// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem_samples.h"
#include "base/memory.h"
#include "fem/tet_elements.h"
#include "mesh/topology.h"
#include "test.h"

#include <pliant/generate.h>

pl_mesh* fem_box(double x, double y, double z, int nx, int ny, int nz) {
    pl_generate_options options;
    pl_error error;
    CHECK_OK(pl_generate_defaults("box", &options, &error), &error);
    options.size_x = x, options.size_y = y, options.size_z = z;
    options.count_x = nx, options.count_y = ny, options.count_z = nz;
    options.pattern = PL_PATTERN_KUHN;
    pl_mesh* mesh;
    CHECK_OK(pl_generate("box", &options, &mesh, &error), &error);
    return mesh;
}

fem_sample fem_sample_create(pl_mesh* mesh, pl_material_kind law, double young, double poisson,
                             double density, const pl_fem_settings* settings, pl_pool* pool) {
    fem_sample s = {.mesh = mesh, .density = density};
    pl_error error;
    CHECK_OK(pl_material_from_young(law, young, poisson, &s.material, &error), &error);
    pl_material* materials = PL_ALLOC(pl_material, mesh->tet_count);
    for (int e = 0; e < mesh->tet_count; e++) materials[e] = s.material;
    pl_element_set set;
    CHECK_OK(pl_tet_elements_setup(&set, mesh->positions, mesh->vertex_count, mesh->tets,
                                   mesh->tet_count, materials, &error),
             &error);
    PL_FREE(materials, pl_material, mesh->tet_count);
    s.mass = PL_ALLOC(double, mesh->vertex_count);
    s.force = PL_ALLOC(double, 3 * mesh->vertex_count);
    for (int e = 0; e < mesh->tet_count; e++)
        for (int i = 0; i < 4; i++)
            s.mass[mesh->tets[4 * e + i]] += 0.25 * density * pl_tet_element_volume(&set, e);
    pl_edges edges;
    pl_adjacency neighbours;
    CHECK_OK(pl_edges_create(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, &edges, &error),
             &error);
    CHECK_OK(pl_vertex_neighbours(&edges, mesh->vertex_count, &neighbours, &error), &error);
    CHECK_OK(pl_fem_system_create(mesh->positions, s.mass, mesh->vertex_count, neighbours.offsets,
                                  neighbours.items, &set, 1, settings, pool, &s.system, &error),
             &error);
    pl_edges_free(&edges);
    pl_adjacency_free(&neighbours);
    return s;
}

void fem_sample_free(fem_sample* s) {
    PL_FREE(s->mass, double, s->mesh->vertex_count);
    PL_FREE(s->force, double, 3 * s->mesh->vertex_count);
    pl_fem_system_destroy(s->system);
    pl_mesh_destroy(s->mesh);
}

pl_method_info fem_sample_step(fem_sample* s, double time_step, double gravity,
                                 const pl_pin* pins, int pin_count) {
    for (int v = 0; v < s->mesh->vertex_count; v++) s->force[3 * v + 1] = -gravity * s->mass[v];
    pl_method_step step = {
        .time_step = time_step, .force = s->force, .pins = pins, .pin_count = pin_count};
    pl_method_info info;
    pl_error error;
    CHECK_OK(pl_fem_system_step(s->system, &step, &info, &error), &error);
    return info;
}
