// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stiff lumps in something so soft that round-off leaves nothing of multigrid's cycles: the direct
// solver takes over.
#include "base/memory.h"
#include "fem/tet_elements.h"
#include "fem_samples.h"
#include "sample_meshes.h"
#include "test.h"

#include <math.h>

enum { LENGTH = 20, WIDTH = 6 };
static const double STIFF = 1e8;

// five lumps along the bar, none of which reaches the surface
static bool is_stiff(const pl_mesh* mesh, int tet) {
    double middle[3] = {0};
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++)
            middle[c] += 0.25 * mesh->positions[3 * mesh->tets[4 * tet + i] + c];
    double along = fmod(5.0 * middle[0] / LENGTH, 1.0);
    return fabs(along - 0.5) < 0.25 && fabs(middle[1] / WIDTH - 0.5) < 0.25 &&
           fabs(middle[2] / WIDTH - 0.5) < 0.25;
}

static pl_fem_system* create_bar(const pl_mesh* mesh, pl_linear linear, const double* mass) {
    pl_error error;
    pl_material* materials = PL_ALLOC(pl_material, mesh->tet_count);
    for (int e = 0; e < mesh->tet_count; e++)
        CHECK_OK(pl_material_from_young(PL_MATERIAL_LINEAR, is_stiff(mesh, e) ? STIFF * 1e4 : 1e4,
                                        0.3, &materials[e], &error),
                 &error);
    pl_element_set set;
    CHECK_OK(pl_tet_elements_setup(&set, mesh->positions, mesh->vertex_count, mesh->tets,
                                   mesh->tet_count, materials, &error),
             &error);
    PL_FREE(materials, pl_material, mesh->tet_count);
    pl_fem_settings settings = pl_default_fem_settings();
    settings.integrator = PL_INTEGRATOR_QUASISTATIC;
    settings.linear = linear;
    settings.tolerance = 1e-4;
    settings.linear_tolerance = 1e-3;
    settings.linear_max_iterations = 100;
    pl_adjacency graph = sample_graph(mesh);
    pl_fem_system* system;
    CHECK_OK(pl_fem_system_create(mesh->positions, mass, mesh->vertex_count, graph.offsets,
                                  graph.items, &set, 1, &settings, NULL, &system, &error),
             &error);
    pl_adjacency_free(&graph);
    return system;
}

// how far the free end sinks
static double sag(const pl_mesh* mesh, pl_linear linear, pl_method_info* info) {
    pl_error error;
    int n = mesh->vertex_count, pin_count;
    double *mass = PL_ALLOC(double, n), *force = PL_ALLOC(double, 3 * n), lowest = 1e30;
    pl_pin* pins = PL_ALLOC(pl_pin, n);
    pin_count = verify_pin_left(mesh, 0.5, pins);
    for (int v = 0; v < n; v++) mass[v] = 1.0, force[3 * v + 1] = -1.0;
    pl_fem_system* system = create_bar(mesh, linear, mass);
    pl_method_step step = {.time_step = 1.0, .force = force, .pins = pins, .pin_count = pin_count};
    CHECK_OK(pl_fem_system_step(system, &step, info, &error), &error);
    for (int v = 0; v < n; v++) lowest = fmin(lowest, pl_fem_positions(system)[3 * v + 1]);
    pl_fem_system_destroy(system);
    PL_FREE(mass, double, n);
    PL_FREE(force, double, 3 * n);
    PL_FREE(pins, pl_pin, n);
    return lowest;
}

TEST(multigrid_falls_back_to_direct)
{
    pl_method_info direct, ours;
    pl_mesh* mesh = sample_box(LENGTH, WIDTH, WIDTH);
    double expected = sag(mesh, PL_LINEAR_DIRECT, &direct);
    double found = sag(mesh, PL_LINEAR_MGPCG, &ours);
    CHECK(direct.converged && ours.converged);
    CHECK(ours.switch_count > 0);
    CHECK_NEAR(found, expected, 1e-4 * fabs(expected));
    pl_mesh_destroy(mesh);
}
