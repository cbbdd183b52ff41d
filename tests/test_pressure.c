// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pressure that follows the surface: its forces, energy and stiffness by finite differences, and
// bodies under it against theory.
#include "run_samples.h"
#include "step/step_pressure.h"
#include "test.h"
#include "verify.h"

#include <float.h>
#include <string.h>

enum { CORNERS = 6, TRIANGLES = 8, DOFS = 3 * CORNERS };

// A bent octahedron: closed, or without one of its triangles an open patch.
static const int octahedron[3 * TRIANGLES] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                              2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
static const double bent[DOFS] = {1.0,  0.1, -0.2, -1.2, 0.05, 0.1, 0.2, 1.1, 0.0,
                                  -0.1, -1,  0.15, 0.1,  0.2,  0.9, 0.0, 0.1, -1.3};

typedef struct pressure_case {
    pl_step_pressure p;
    pl_step_term term; // of p
    pl_pressure load;
    double force[DOFS];
} pressure_case;

static void begin_case(pressure_case* c, int count, const double* x) {
    pl_error error;
    c->load = (pl_pressure){3.0, count, octahedron};
    memset(c->force, 0, sizeof c->force);
    pl_step_pressure_setup(&c->p);
    c->term = pl_step_pressure_term(&c->p);
    pl_pressure_add(&c->load, x, 1.0, c->force);
    CHECK_OK(pl_step_pressure_begin(&c->p, &c->load, 1, CORNERS, x, c->force, &error), &error);
}

TEST(pressure_is_taken_out_of_the_dead_forces)
{
    pressure_case c;
    begin_case(&c, 5, bent);
    const double* dead = c.p.dead.data;
    for (int i = 0; i < DOFS; i++) CHECK_NEAR(dead[i], 0.0, 1e-15);
    pl_step_pressure_free(&c.p);
}

// At the place from which work is counted, forces are the gradient of the energy, closed or open;
// of a closed surface everywhere.
TEST(pressure_forces_are_the_gradient_of_its_energy)
{
    for (int open = 0; open < 2; open++) {
        pressure_case c;
        double x[DOFS], gradient[DOFS] = {0.0}, h = 1e-5;
        begin_case(&c, TRIANGLES - 2 * open, bent);
        memcpy(x, bent, sizeof x);
        for (int i = 0; i < DOFS; i++) x[i] += 0.1 * sin(5.0 * i);
        if (open) c.term.follow(&c.p, x, NULL, NULL);
        c.term.gradient(&c.p, x, gradient);
        for (int i = 0; i < DOFS; i++) {
            double here = x[i];
            x[i] = here + h;
            double up = c.term.energy(&c.p, x);
            x[i] = here - h;
            double down = c.term.energy(&c.p, x);
            x[i] = here;
            CHECK_NEAR((up - down) / (2.0 * h), gradient[i], 1e-8);
        }
        pl_step_pressure_free(&c.p);
    }
}

static double enclosed_volume(const double* x) {
    double sum = 0.0;
    for (int t = 0; t < TRIANGLES; t++) {
        pl_vec3 a = pl_vec3_load(x + 3 * octahedron[3 * t]);
        pl_vec3 b = pl_vec3_load(x + 3 * octahedron[3 * t + 1]);
        pl_vec3 c = pl_vec3_load(x + 3 * octahedron[3 * t + 2]);
        sum += pl_dot(a, pl_cross(b, c)) / 6.0;
    }
    return sum;
}

// Whatever the way, a closed surface has the energy p V.
TEST(pressure_energy_of_a_closed_surface_is_its_volume)
{
    pressure_case c;
    double x[DOFS];
    begin_case(&c, TRIANGLES, bent);
    memcpy(x, bent, sizeof x);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < DOFS; i++) x[i] += 0.2 * sin(7.0 * i + k);
        double energy = c.term.energy(&c.p, x);
        CHECK_NEAR(energy, 3.0 * (enclosed_volume(x) - enclosed_volume(bent)), 1e-13);
        c.term.follow(&c.p, x, NULL, NULL);
        CHECK_NEAR(c.term.energy(&c.p, x), energy, 1e-13);
    }
    pl_step_pressure_free(&c.p);
}

static void full_pattern(pl_block_matrix* A) {
    int offsets[CORNERS + 1], neighbours[CORNERS * (CORNERS - 1)], filled = 0;
    pl_error error;
    for (int v = 0; v < CORNERS; v++) {
        offsets[v] = filled;
        for (int w = 0; w < CORNERS; w++)
            if (w != v) neighbours[filled++] = w;
    }
    offsets[CORNERS] = filled;
    CHECK_OK(pl_block_matrix_setup(A, CORNERS, 3, offsets, neighbours, &error), &error);
}

static void add_block(void* to, int row, int column, const double block[9]) {
    pl_block_matrix* A = to;
    int entry = pl_block_matrix_find(A, row, column);
    for (int i = 0; i < 9; i++) A->values[9 * entry + i] += block[i];
}

// The matrix is the symmetric part of the derivative of the forces; of a closed surface all of it.
TEST(pressure_stiffness_is_the_derivative_of_its_forces)
{
    for (int open = 0; open < 2; open++) {
        pressure_case c;
        pl_block_matrix A;
        double J[DOFS][DOFS], x[DOFS], h = 1e-6;
        begin_case(&c, TRIANGLES - 3 * open, bent);
        full_pattern(&A);
        c.term.hessian(&c.p, bent, 1.0, add_block, &A);
        memcpy(x, bent, sizeof x);
        for (int i = 0; i < DOFS; i++) {
            double up[DOFS] = {0.0}, down[DOFS] = {0.0};
            x[i] = bent[i] + h;
            c.term.gradient(&c.p, x, up);
            x[i] = bent[i] - h;
            c.term.gradient(&c.p, x, down);
            x[i] = bent[i];
            for (int j = 0; j < DOFS; j++) J[j][i] = (up[j] - down[j]) / (2.0 * h);
        }
        double skew = 0.0;
        for (int i = 0; i < DOFS; i++)
            for (int j = 0; j < DOFS; j++) {
                int entry = pl_block_matrix_find(&A, i / 3, j / 3);
                double value = A.values[9 * entry + 3 * (i % 3) + j % 3];
                CHECK_NEAR(value, 0.5 * (J[i][j] + J[j][i]), 1e-8);
                skew = fmax(skew, fabs(J[i][j] - J[j][i]));
            }
        CHECK(open ? skew > 0.1 : skew < 1e-8);
        pl_block_matrix_free(&A);
        pl_step_pressure_free(&c.p);
    }
}

// A shell that nothing holds, inflated until its inner radius has grown by a third.
LONG_TEST(pressure_inflates_a_balloon_as_theory_says)
{
    verify_answer coarse, fine;
    double drift;
    pl_error error;
    CHECK_OK(verify_balloon(2.0, 0.7, 0.6, 2, NULL, &coarse, &drift, &error), &error);
    CHECK_OK(verify_balloon(2.0, 0.3, 0.6, 2, NULL, &fine, &drift, &error), &error);
    CHECK(fine.reference > 1.3);
    CHECK_NEAR(drift, 0.0, 1e-6);
    double errors[2] = {fabs(coarse.value - coarse.reference), fabs(fine.value - fine.reference)};
    CHECK(errors[1] < 0.04 * (fine.reference - 1.0));
    CHECK(errors[1] < errors[0] / 4.0); // second order: (7/3)^2
}

static pl_world* inflated_shell(const char* integrator, const char* nonlinear) {
    char text[700];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"time_step\": 0.02, \"bodies\": [{\"name\": "
             "\"s\", \"generate\": {\"shape\": \"shell\", \"inner_radius\": 1, \"outer_radius\": "
             "2, \"edge\": 0.7}, \"integrator\": \"%s\", \"nonlinear\": \"%s\", \"tolerance\": "
             "1e-8, \"iterations\": 500, \"linear\": \"mgpcg\",\n"
             "\"material\": {\"law\": \"corotated\", \"young\": 1e5, \"poisson\": 0.3}}],\n"
             "\"forces\": [{\"body\": \"s\", \"where\": {\"region\": \"inner\"}, \"pressure\": "
             "2e4}]}",
             integrator, nonlinear);
    return sample_start(text);
}

// The frames of a quasistatic run under one pressure are all the same: the first is in equilibrium
// with the pressure at its end.
TEST(pressure_is_in_equilibrium_in_every_frame)
{
    static const char* const nonlinears[] = {"newton", "projective"};
    double radius[2] = {0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        pl_world* world = inflated_shell("quasistatic", nonlinears[k]);
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK(info.unconverged_count == 0);
        int count = 3 * pl_world_mesh(world, 0)->vertex_count;
        double first[6000], largest = 0.0, *x = pl_world_positions(world, 0);
        CHECK(count <= 6000);
        memcpy(first, x, (size_t)count * sizeof(double));
        for (int i = 0; i < count; i += 3)
            radius[k] = fmax(radius[k], pl_norm(pl_vec3_load(x + i)));
        sample_step(world, 3, NULL);
        for (int i = 0; i < count; i++) largest = fmax(largest, fabs(x[i] - first[i]));
        CHECK_NEAR(largest, 0.0, 1e-6);
        pl_world_destroy(world);
    }
    CHECK(radius[0] > 2.05);
    CHECK_NEAR(radius[0], radius[1], 1e-6);
}

// The forces on a closed surface add up to zero: a free body stays where it is.
TEST(pressure_inside_a_free_body_does_not_move_it)
{
    static const char* const integrators[] = {"euler", "midpoint", "bdf2", "quasistatic"};
    for (int k = 0; k < 4; k++) {
        pl_world* world = inflated_shell(integrators[k], "newton");
        sample_step(world, 4, NULL);
        const double *x = pl_world_positions(world, 0), *rest = pl_world_mesh(world, 0)->positions;
        int count = pl_world_mesh(world, 0)->vertex_count;
        pl_vec3 mean = {0.0, 0.0, 0.0}, before = {0.0, 0.0, 0.0};
        for (int v = 0; v < count; v++) {
            mean = pl_madd(mean, 1.0 / count, pl_vec3_load(x + 3 * (size_t)v));
            before = pl_madd(before, 1.0 / count, pl_vec3_load(rest + 3 * (size_t)v));
        }
        CHECK_NEAR(pl_distance(mean, before), 0.0, 1e-6);
        pl_world_destroy(world);
    }
}
