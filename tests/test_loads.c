// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Loads of a scene against theory: a force is spread by mass, a traction acts on the area at rest,
// a pressure on the area as it is.
#include "run_samples.h"
#include "test.h"
#include "verify.h"

// A free box of uneven mesh under a force on all of it accelerates as a rigid one.
TEST(loads_force_is_spread_by_mass)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.01, \"bodies\": [{\"name\": "
        "\"c\", \"generate\": {\"shape\": \"box\", \"edge\": 0.25}, \"material\": {\"young\": 1e4, "
        "\"poisson\": 0.3, \"density\": 1000}, \"tolerance\": 1e-9, \"integrator\": \"euler\"}],\n"
        "\"forces\": [{\"force\": [10000, 0, 0], \"body\": \"c\"}]}");
    pl_frame_info info;
    sample_step(world, 10, &info);
    // a = F / m = 10 m/s^2, implicit Euler: v = 1 m/s, x = a h^2 n (n + 1) / 2
    const pl_mesh* rest = pl_world_mesh(world, 0);
    const double *x = pl_world_positions(world, 0), *v = pl_world_velocities(world, 0);
    for (int i = 0; i < rest->vertex_count; i++) {
        CHECK_NEAR(v[3 * i], 1.0, 1e-6);
        CHECK_NEAR(x[3 * i] - rest->positions[3 * i], 10.0 * 1e-4 * 55.0, 1e-7);
        CHECK_NEAR(x[3 * i + 1] - rest->positions[3 * i + 1], 0.0, 1e-7);
    }
    CHECK(info.elastic_energy < 1e-6);
    pl_world_destroy(world);
}

// The mean height of a cloth without any stiffness that spreads in its plane, ten frames of 0.1 s.
static double mean_height(const char* load) {
    char text[700];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.1, \"bodies\": [{\"name\": "
             "\"c\", \"generate\": {\"shape\": \"cloth\", \"size_x\": 1, \"size_y\": 1, "
             "\"count_x\": 5, \"count_y\": 5}, \"angular_velocity\": [0, 0, 300],\n"
             "\"material\": {\"law\": \"springs\", \"area_density\": 1, \"stretch\": 0, \"shear\": "
             "0, \"bend\": 0}}], \"forces\": [{%s, \"body\": \"c\"}]}",
             load);
    pl_world* world = sample_start(text);
    sample_step(world, 10, NULL);
    const pl_mesh* rest = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    double sum = 0.0;
    for (int i = 0; i < rest->vertex_count; i++) sum += x[3 * i + 2] - rest->positions[3 * i + 2];
    double mean = sum / rest->vertex_count;
    pl_world_destroy(world);
    return mean;
}

// The area grows to the 28-fold; the force of a traction must not.
TEST(loads_traction_acts_on_the_area_at_rest)
{
    // a = 1 Pa / 1 kg/m^2, implicit Euler: a h^2 n (n + 1) / 2
    CHECK_NEAR(mean_height("\"traction\": [0, 0, 1]"), 0.55, 0.02);
}

// Vertices fly apart along the tangents, x0 + t w x x0, so that the area is 1 + (w t)^2 times that
// at rest; the force of step k acts on the area at its end.
TEST(loads_pressure_acts_on_the_present_area)
{
    double w = 300.0 * acos(-1.0) / 180.0, v = 0.0, z = 0.0;
    for (int k = 0; k < 10; k++) {
        double t = 0.1 * (k + 1);
        v += 0.1 * (1.0 + w * w * t * t);
        z += 0.1 * v;
    }
    CHECK_NEAR(fabs(mean_height("\"pressure\": 1")), z, 0.05 * z);
}

// A bar under dead tractions at both ends keeps the stretch of its first solution in every frame.
TEST(loads_traction_keeps_its_stretch)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"time_step\": 1, \"bodies\": [{\"name\": \"c\", "
        "\"generate\": {\"shape\": \"box\", \"edge\": 0.5}, \"integrator\": \"quasistatic\", "
        "\"tolerance\": 1e-9, \"iterations\": 100,\n"
        "\"material\": {\"law\": \"neohookean\", \"young\": 1e5, \"poisson\": 0.35}}],\n"
        "\"attachments\": [{\"body\": \"c\", \"where\": {\"nearest\": [0, 0, 0]}, \"point\": [0, "
        "0, 0]},\n"
        "{\"body\": \"c\", \"where\": {\"nearest\": [0, 1, 0]}, \"point\": [0, 0.841572747380887, "
        "0]},\n"
        "{\"body\": \"c\", \"where\": {\"nearest\": [0, 0, 1]}, \"point\": [0, 0, "
        "0.841572747380887]}],\n"
        "\"forces\": [{\"body\": \"c\", \"where\": {\"side\": \"-x\"}, \"traction\": "
        "[-42864.70627004133, 0, 0]},\n"
        "{\"body\": \"c\", \"where\": {\"side\": \"+x\"}, \"traction\": [42864.70627004133, 0, "
        "0]}]}");
    const pl_mesh* rest = pl_world_mesh(world, 0);
    for (int frame = 0; frame < 6; frame++) {
        sample_step(world, 1, NULL);
        const double* x = pl_world_positions(world, 0);
        for (int i = 0; i < rest->vertex_count; i++)
            CHECK_NEAR(x[3 * i], 1.6 * rest->positions[3 * i], 2e-4);
    }
    pl_world_destroy(world);
}

// Cook's membrane, dead traction on the right edge: within 1 % of the literature, from below.
LONG_TEST(loads_cook_has_the_displacement_of_the_literature)
{
    for (int k = 0; k < VERIFY_COOK_COUNT; k++) {
        verify_answer coarse, fine;
        pl_error error;
        CHECK_OK(verify_cook(k, 16, NULL, &coarse, &error), &error);
        CHECK_OK(verify_cook(k, 32, NULL, &fine, &error), &error);
        CHECK(verify_relative_error(fine) < 0.01);
        CHECK(coarse.value < fine.value && fine.value < 1.001 * fine.reference);
    }
}
