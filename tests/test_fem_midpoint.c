// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The midpoint rule with contact: no energy is gained, momentum stays, states resume.
#include "base/memory.h"
#include "fem_samples.h"
#include "run_samples.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

static const char tumbling_box[] =
    "{\"pliant\": 1, \"bodies\": [{\"name\": \"box\", \"generate\": {\"shape\": \"box\",\n"
    "  \"size_x\": 0.8, \"size_y\": 0.8, \"size_z\": 0.8, \"edge\": 0.4},\n"
    "  \"transform\": {\"translate\": [0, 1, 0], \"rotate\": [25, 0, 40]},\n"
    "  \"integrator\": \"midpoint\", \"linear\": \"direct\", \"velocity\": [1, -3, 0],\n"
    "  \"material\": {\"law\": \"%s\", \"young\": %g, \"density\": 1000}}],\n"
    "  \"colliders\": [{\"plane\": {}}]}";

// kinetic, elastic and potential energy; the energy of contacts is left out, which is never below 0
static double total_energy(pl_world* world, const double* mass, const pl_frame_info* info) {
    const double* x = pl_world_positions(world, 0);
    double sum = info->kinetic_energy + info->elastic_energy;
    for (int v = 0; v < pl_world_mesh(world, 0)->vertex_count; v++)
        sum += 9.81 * mass[v] * x[3 * (size_t)v + 1];
    return sum;
}

static double* lumped_mass(const pl_mesh* mesh) {
    double* mass = PL_ALLOC(double, mesh->vertex_count);
    CHECK(mass != NULL);
    for (int e = 0; e < mesh->tet_count; e++) {
        const int* v = mesh->tets + 4 * (size_t)e;
        pl_vec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = pl_vec3_load(mesh->positions + 3 * (size_t)v[i]);
        for (int i = 0; i < 4; i++) mass[v[i]] += 1000.0 * pl_det4(x[0], x[1], x[2], x[3]) / 24.0;
    }
    return mass;
}

// the largest total energy in so many frames, over that of the first frame
static double energy_growth(const char* law, double young, int frames) {
    char text[1024];
    snprintf(text, sizeof text, tumbling_box, law, young);
    pl_world* world = sample_start(text);
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    double *mass = lumped_mass(mesh), first = 0.0, most = 0.0;
    for (int k = 0; k < frames; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        double total = total_energy(world, mass, &info);
        if (k == 0) first = total;
        most = fmax(most, total);
    }
    PL_FREE(mass, double, mesh->vertex_count);
    pl_world_destroy(world);
    return most / first;
}

LONG_TEST(fem_midpoint_gains_no_energy_from_bouncing)
{
    CHECK(energy_growth("stable_neohookean", 1e4, 90) < 1.01);
    CHECK(energy_growth("stable_neohookean", 1e5, 90) < 1.01);
    CHECK(energy_growth("stable_neohookean", 1e6, 90) < 1.01);
    CHECK(energy_growth("corotated", 1e5, 60) < 1.01);
}

LONG_TEST(fem_midpoint_state_holds_all_that_steps_depend_on)
{
    char text[1024];
    snprintf(text, sizeof text, tumbling_box, "stvk", 1e5);
    pl_world *through = sample_start(text), *resumed = sample_start(text);
    sample_step(through, 40, NULL);
    size_t size = pl_world_state_size(through);
    char* state = PL_ALLOC(char, size);
    pl_error error;
    pl_world_state_save(through, state);
    CHECK_OK(pl_world_state_load(resumed, state, size, &error), &error);
    sample_step(through, 20, NULL), sample_step(resumed, 20, NULL);
    CHECK(sample_world_hash(through) == sample_world_hash(resumed));
    PL_FREE(state, char, size);
    pl_world_destroy(through);
    pl_world_destroy(resumed);
}

typedef struct motion {
    pl_vec3 linear, angular;
    double energy;
} motion;

static motion motion_of(fem_sample* s) {
    motion sum = {{0, 0, 0}, {0, 0, 0}, 0.0};
    pl_method_energies energies = pl_step_system_energies(s->system);
    sum.energy = energies.kinetic + energies.elastic;
    const double *x = pl_step_positions(s->system), *v = pl_step_velocities(s->system);
    for (int i = 0; i < s->mesh->vertex_count; i++) {
        pl_vec3 p = pl_scale(pl_step_masses(s->system)[i], pl_vec3_load(v + 3 * (size_t)i));
        sum.linear = pl_add(sum.linear, p);
        sum.angular = pl_add(sum.angular, pl_cross(pl_vec3_load(x + 3 * (size_t)i), p));
    }
    return sum;
}

// A free body that turns and vibrates faster than the time step resolves.
TEST(fem_midpoint_keeps_momentum_where_it_takes_energy)
{
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = PL_INTEGRATOR_MIDPOINT;
    settings.tolerance = 1e-10;
    settings.max_iterations = 50;
    fem_sample s = fem_sample_create(fem_box(1, 0.4, 0.4, 4, 1, 1), PL_MATERIAL_STVK, 1e5, 0.3,
                                     1000, &settings, NULL);
    double *x = pl_step_positions(s.system), *v = pl_step_velocities(s.system);
    for (int i = 0; i < s.mesh->vertex_count; i++) {
        size_t k = 3 * (size_t)i;
        v[k] = 1.0 - 4.0 * x[k + 1] + 8.0 * sin(9.0 * x[k]);
        v[k + 1] = 4.0 * x[k];
    }
    motion first = motion_of(&s);
    for (int n = 0; n < 200; n++) {
        fem_sample_step(&s, 1.0 / 60.0, 0.0, NULL, 0);
        motion now = motion_of(&s);
        CHECK(now.energy <= 1.001 * first.energy);
        CHECK(pl_distance(now.linear, first.linear) <= 1e-6 * pl_norm(first.linear));
        CHECK(pl_distance(now.angular, first.angular) <= 1e-6 * pl_norm(first.angular));
    }
    fem_sample_free(&s);
}

TEST(fem_midpoint_survives_every_failing_allocation)
{
    for (int64_t n = 1; n <= 1000; n++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.integrator = PL_INTEGRATOR_MIDPOINT;
        verify_body body;
        pl_error error;
        pl_method_info info;
        pl_mesh* mesh = fem_box(1, 1, 1, 1, 1, 1);
        pl_inject_failure(n);
        pl_status status = verify_body_create(&body, mesh, PL_MATERIAL_COROTATED, 1e5, 0.3, 1000,
                                              &settings, NULL, &error);
        if (status == PL_OK) {
            status = verify_body_step(&body, 0.01, 9.81, NULL, 0, &info, &error);
            verify_body_free(&body);
        }
        pl_inject_failure(0);
        if (status == PL_OK) {
            CHECK(n > 10);
            return;
        }
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
    pl_test_fail(__FILE__, __LINE__, "no run went through");
}
