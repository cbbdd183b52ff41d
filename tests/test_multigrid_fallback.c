// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stiff lumps in something so soft that round-off leaves nothing of multigrid's cycles: the direct
// solver takes over.
#include "base/memory.h"
#include "elements/tet_elements.h"
#include "fem/fem_system.h"
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

static pl_step_system* create_bar(const pl_mesh* mesh, const pl_step_settings* settings,
                                  const double* mass) {
    pl_error error;
    pl_material_kind law =
        settings->nonlinear == PL_NONLINEAR_PROJECTIVE ? PL_MATERIAL_COROTATED : PL_MATERIAL_LINEAR;
    pl_material* materials = PL_ALLOC(pl_material, mesh->tet_count);
    for (int e = 0; e < mesh->tet_count; e++)
        CHECK_OK(pl_material_from_young(law, is_stiff(mesh, e) ? STIFF * 1e4 : 1e4, 0.3,
                                        &materials[e], &error),
                 &error);
    pl_element_set set;
    CHECK_OK(pl_tet_elements_setup(&set, mesh->positions, mesh->vertex_count, mesh->tets,
                                   mesh->tet_count, materials, &error),
             &error);
    PL_FREE(materials, pl_material, mesh->tet_count);
    pl_adjacency graph = sample_graph(mesh);
    pl_step_system* system;
    CHECK_OK(pl_fem_system_create(mesh->positions, mass, mesh->vertex_count, graph.offsets,
                                  graph.items, &set, 1, settings, NULL, &system, &error),
             &error);
    pl_adjacency_free(&graph);
    return system;
}

static pl_step_settings settings_of(pl_integrator integrator, pl_nonlinear nonlinear,
                                    pl_linear linear) {
    pl_step_settings settings = pl_default_step_settings();
    bool moves = integrator != PL_INTEGRATOR_QUASISTATIC;
    settings.integrator = integrator;
    settings.nonlinear = nonlinear;
    settings.linear = linear;
    settings.tolerance = 1e-4;
    settings.max_iterations = moves ? 10 : 20;
    settings.linear_tolerance = 1e-3;
    settings.linear_max_iterations = moves ? 1 : 100;
    return settings;
}

// how far the free end sinks
static double sag(const pl_mesh* mesh, const pl_step_settings* settings, int steps,
                  pl_method_info* info) {
    pl_error error;
    int n = mesh->vertex_count, pin_count;
    double *mass = PL_ALLOC(double, n), *force = PL_ALLOC(double, 3 * n), lowest = 1e30;
    pl_pin* pins = PL_ALLOC(pl_pin, n);
    pin_count = verify_pin_left(mesh, 0.5, pins);
    for (int k = 0; k < pin_count; k++) pins[k].from = pins[k].target;
    for (int v = 0; v < n; v++) mass[v] = 1.0, force[3 * v + 1] = -1.0;
    pl_step_system* system = create_bar(mesh, settings, mass);
    pl_method_step step = {.time_step = 1.0, .force = force, .pins = pins, .pin_count = pin_count};
    for (int k = 0; k < steps; k++)
        CHECK_OK(pl_step_system_step(system, &step, info, &error), &error);
    for (int v = 0; v < n; v++) lowest = fmin(lowest, pl_step_positions(system)[3 * v + 1]);
    pl_step_system_destroy(system);
    PL_FREE(mass, double, n);
    PL_FREE(force, double, 3 * n);
    PL_FREE(pins, pl_pin, n);
    return lowest;
}

TEST(multigrid_falls_back_to_direct)
{
    pl_method_info direct, ours;
    pl_mesh* mesh = sample_box(LENGTH, WIDTH, WIDTH);
    pl_step_settings settings =
        settings_of(PL_INTEGRATOR_QUASISTATIC, PL_NONLINEAR_NEWTON, PL_LINEAR_DIRECT);
    double expected = sag(mesh, &settings, 1, &direct);
    settings.linear = PL_LINEAR_MGPCG;
    double found = sag(mesh, &settings, 1, &ours);
    CHECK(direct.converged && ours.converged);
    CHECK(ours.switch_count > 0);
    CHECK_NEAR(found, expected, 1e-4 * fabs(expected));
    pl_mesh_destroy(mesh);
}

TEST(projective_falls_back_to_direct)
{
    pl_method_info info;
    pl_mesh* mesh = sample_box(LENGTH, WIDTH, WIDTH);
    pl_step_settings settings =
        settings_of(PL_INTEGRATOR_EULER, PL_NONLINEAR_PROJECTIVE, PL_LINEAR_DIRECT);
    double expected = sag(mesh, &settings, 3, &info);
    settings.linear = PL_LINEAR_MULTIGRID;
    double found = sag(mesh, &settings, 3, &info);
    CHECK_INT(info.switch_count, 1);
    CHECK_NEAR(found, expected, 1e-9);
    pl_mesh_destroy(mesh);
}

// Nothing is tried out before a step without inertia: cycles and conjugate gradients that lead
// nowhere must tell by themselves.
LONG_TEST(projective_statics_fall_back_to_direct)
{
    pl_method_info info;
    pl_mesh* mesh = sample_box(LENGTH, WIDTH, WIDTH);
    pl_step_settings settings =
        settings_of(PL_INTEGRATOR_QUASISTATIC, PL_NONLINEAR_PROJECTIVE, PL_LINEAR_DIRECT);
    double expected = sag(mesh, &settings, 1, &info);
    settings.linear = PL_LINEAR_MGPCG;
    for (int iterations = 1; iterations <= 100; iterations += 99) {
        settings.linear_max_iterations = iterations;
        settings.multigrid.fallback = true;
        settings.max_iterations = 20;
        double found = sag(mesh, &settings, 1, &info);
        CHECK(info.switch_count > 0 && info.switch_count == info.iterations);
        CHECK_NEAR(found, expected, 1e-3 * fabs(expected));
        // and without the fallback four iterations do not get far
        settings.multigrid.fallback = false;
        settings.max_iterations = 4;
        double alone = sag(mesh, &settings, 1, &info);
        CHECK_INT(info.switch_count, 0);
        CHECK(fabs(alone) < 0.25 * fabs(expected));
    }
    pl_mesh_destroy(mesh);
}
