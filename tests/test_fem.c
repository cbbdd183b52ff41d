// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "base/random.h"
#include "fem_samples.h"
#include "test.h"

static const pl_integrator dynamic_integrators[] = {PL_INTEGRATOR_EULER, PL_INTEGRATOR_MIDPOINT,
                                                    PL_INTEGRATOR_BDF2};

TEST(fem_free_fall_is_exact)
{
    for (int k = 0; k < 3; k++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.integrator = dynamic_integrators[k];
        settings.tolerance = 1e-12;
        fem_sample s = fem_sample_create(fem_box(1, 1, 1, 2, 2, 2), PL_MATERIAL_STVK, 1e5, 0.3,
                                         1000, &settings, NULL);
        double h = 0.01, y = 0.0, velocity = 0.0;
        double y_before = 0.0, velocity_before = 0.0;
        for (int n = 0; n < 20; n++) {
            fem_sample_step(&s, h, 9.81, NULL, 0);
            // what the integrator makes of y'' = -g
            double y_now = y, velocity_now = velocity;
            if (settings.integrator == PL_INTEGRATOR_BDF2 && n > 0) {
                velocity = (4.0 * velocity_now - velocity_before) / 3.0 - 2.0 / 3.0 * h * 9.81;
                y = (4.0 * y_now - y_before) / 3.0 + 2.0 / 3.0 * h * velocity;
            } else {
                velocity = velocity_now - h * 9.81;
                y = y_now + (settings.integrator == PL_INTEGRATOR_MIDPOINT
                                 ? 0.5 * h * (velocity + velocity_now)
                                 : h * velocity);
            }
            y_before = y_now, velocity_before = velocity_now;
        }
        const double* x = pl_step_positions(s.system);
        for (int v = 0; v < s.mesh->vertex_count; v++) {
            CHECK_NEAR(x[3 * v + 1] - s.mesh->positions[3 * v + 1], y, 1e-10);
            CHECK_NEAR(x[3 * v], s.mesh->positions[3 * v], 1e-10);
        }
        fem_sample_free(&s);
    }
}

static void deform(fem_sample* s, double amount, uint64_t seed) {
    pl_random random = {seed};
    double* v = pl_step_velocities(s->system);
    for (int i = 0; i < 3 * s->mesh->vertex_count; i++) v[i] = amount * pl_random_normal(&random);
}

static pl_vec3 momentum(const fem_sample* s) {
    pl_vec3 sum = {0, 0, 0};
    const double* v = pl_step_velocities(s->system);
    for (int i = 0; i < s->mesh->vertex_count; i++)
        sum = pl_madd(sum, s->mass[i], pl_vec3_load(v + 3 * i));
    return sum;
}

static pl_vec3 angular_momentum(const fem_sample* s) {
    pl_vec3 sum = {0, 0, 0};
    const double *x = pl_step_positions(s->system), *v = pl_step_velocities(s->system);
    for (int i = 0; i < s->mesh->vertex_count; i++)
        sum = pl_madd(sum, s->mass[i], pl_cross(pl_vec3_load(x + 3 * i), pl_vec3_load(v + 3 * i)));
    return sum;
}

TEST(fem_momentum_is_kept)
{
    for (int k = 0; k < 3; k++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.integrator = dynamic_integrators[k];
        settings.tolerance = 1e-11;
        settings.max_iterations = 50;
        fem_sample s = fem_sample_create(fem_box(1, 0.5, 0.5, 4, 2, 2), PL_MATERIAL_STVK, 1e5, 0.3,
                                         1000, &settings, NULL);
        deform(&s, 0.5, 3);
        pl_vec3 before = momentum(&s), angular_before = angular_momentum(&s);
        for (int n = 0; n < 20; n++) fem_sample_step(&s, 0.005, 0.0, NULL, 0);
        CHECK(pl_distance(momentum(&s), before) <= 1e-10 * pl_norm(before));
        if (settings.integrator == PL_INTEGRATOR_MIDPOINT)
            CHECK(pl_distance(angular_momentum(&s), angular_before) <=
                  1e-8 * pl_norm(angular_before));
        fem_sample_free(&s);
    }
}

TEST(fem_energy_of_linear_elasticity)
{
    for (int k = 0; k < 2; k++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.integrator = dynamic_integrators[k];
        settings.tolerance = 1e-12;
        fem_sample s = fem_sample_create(fem_box(1, 0.5, 0.5, 4, 2, 2), PL_MATERIAL_LINEAR, 1e5,
                                         0.3, 1000, &settings, NULL);
        deform(&s, 0.1, 3);
        pl_method_energies energies = pl_step_system_energies(s.system);
        double first = energies.kinetic + energies.elastic, last = first;
        for (int n = 0; n < (k == 0 ? 50 : 200); n++) {
            fem_sample_step(&s, 0.005, 0.0, NULL, 0);
            energies = pl_step_system_energies(s.system);
            double total = energies.kinetic + energies.elastic;
            if (k == 0) CHECK(total <= last * (1.0 + 1e-12)); // Euler: never grows
            else CHECK_NEAR(total, first, 1e-8 * first);      // midpoint: stays
            last = total;
        }
        fem_sample_free(&s);
    }
}

// pins of all vertices with x below a limit
static int pin_left(const fem_sample* s, double limit, bool hard, double stiffness, pl_pin* pins) {
    int count = 0;
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        const double* x = s->mesh->positions + 3 * v;
        if (x[0] > limit) continue;
        pl_vec3 at = pl_vec3_load(x);
        pins[count++] =
            (pl_pin){.vertex = v, .hard = hard, .stiffness = stiffness, .from = at, .target = at};
    }
    return count;
}

static double lowest(const fem_sample* s) {
    double y = HUGE_VAL;
    for (int v = 0; v < s->mesh->vertex_count; v++)
        y = fmin(y, pl_step_positions(s->system)[3 * v + 1]);
    return y;
}

// every linear solver and both nonlinear solvers end in the same equilibrium
LONG_TEST(fem_solvers_agree)
{
    static const pl_linear kinds[] = {PL_LINEAR_DIRECT, PL_LINEAR_PCG, PL_LINEAR_ICPCG,
                                      PL_LINEAR_GAUSS_SEIDEL, PL_LINEAR_CHEBYSHEV};
    double expected = 0.0;
    for (int k = 0; k < 6; k++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.linear = k < 5 ? kinds[k] : PL_LINEAR_DIRECT;
        settings.nonlinear = k < 5 ? PL_NONLINEAR_NEWTON : PL_NONLINEAR_PROJECTIVE;
        settings.tolerance = 1e-8;
        settings.max_iterations = k < 5 ? 50 : 3000;
        settings.linear_tolerance = 1e-8;
        settings.linear_max_iterations = 5000;
        settings.integrator = PL_INTEGRATOR_QUASISTATIC;
        fem_sample s = fem_sample_create(fem_box(1, 0.3, 0.3, 6, 2, 2), PL_MATERIAL_COROTATED, 1e6,
                                         0.3, 1000, &settings, NULL);
        pl_pin pins[100];
        int pin_count = pin_left(&s, 1e-9, true, 0.0, pins);
        CHECK(pin_count > 0 && pin_count < 100);
        pl_method_info info = fem_sample_step(&s, 1.0, 9.81, pins, pin_count);
        CHECK(info.converged);
        if (k == 0) expected = lowest(&s);
        CHECK(expected < -0.03);
        CHECK_NEAR(lowest(&s), expected, 1e-6);
        fem_sample_free(&s);
    }
}

// one linearised solve is the whole step of a linear law, and of others all but O(h^2) of it
TEST(fem_linearised_step)
{
    static const pl_material_kind laws[] = {PL_MATERIAL_LINEAR, PL_MATERIAL_STVK};
    for (int k = 0; k < 2; k++) {
        double difference[2];
        for (int fine = 0; fine < 2; fine++) {
            fem_sample s[2];
            for (int i = 0; i < 2; i++) {
                pl_step_settings settings = pl_default_step_settings();
                settings.tolerance = 1e-12;
                settings.nonlinear = i == 0 ? PL_NONLINEAR_NEWTON : PL_NONLINEAR_LINEARISED;
                s[i] = fem_sample_create(fem_box(1, 0.5, 0.5, 2, 1, 1), laws[k], 1e5, 0.3, 1000,
                                         &settings, NULL);
                deform(&s[i], 0.3, 3);
                pl_method_info info = fem_sample_step(&s[i], fine ? 5e-4 : 1e-3, 9.81, NULL, 0);
                if (i == 1) CHECK_INT(info.iterations, 1);
            }
            difference[fine] = 0.0;
            for (int i = 0; i < 3 * s[0].mesh->vertex_count; i++)
                difference[fine] = fmax(difference[fine], fabs(pl_step_positions(s[0].system)[i] -
                                                               pl_step_positions(s[1].system)[i]));
            fem_sample_free(&s[0]);
            fem_sample_free(&s[1]);
        }
        if (laws[k] == PL_MATERIAL_LINEAR) CHECK(difference[0] < 1e-12);
        else CHECK(difference[0] > 4.0 * difference[1] && difference[1] > 0.0);
    }
}

// the same bits for any number of threads
TEST(fem_threads_do_not_matter)
{
    static const pl_linear kinds[] = {PL_LINEAR_DIRECT, PL_LINEAR_PCG, PL_LINEAR_ICPCG,
                                      PL_LINEAR_GAUSS_SEIDEL, PL_LINEAR_CHEBYSHEV};
    pl_pool* pool;
    pl_error error;
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    for (int k = 0; k < 5; k++) {
        fem_sample s[2];
        for (int i = 0; i < 2; i++) {
            pl_step_settings settings = pl_default_step_settings();
            settings.linear = kinds[k];
            settings.damping_stiffness = 1e-3;
            s[i] = fem_sample_create(fem_box(1, 1, 1, 6, 6, 6), PL_MATERIAL_STABLE_NEOHOOKEAN, 1e4,
                                     0.3, 1000, &settings, i == 0 ? NULL : pool);
            deform(&s[i], 0.5, 3);
            for (int n = 0; n < 2; n++) fem_sample_step(&s[i], 0.01, 9.81, NULL, 0);
        }
        size_t size = 3 * (size_t)s[0].mesh->vertex_count * sizeof(double);
        CHECK(memcmp(pl_step_positions(s[0].system), pl_step_positions(s[1].system), size) == 0);
        CHECK(memcmp(pl_step_velocities(s[0].system), pl_step_velocities(s[1].system), size) == 0);
        fem_sample_free(&s[0]);
        fem_sample_free(&s[1]);
    }
    pl_pool_destroy(pool);
}

// a run goes on from a saved state with the same bits
TEST(fem_saved_state_goes_on)
{
    for (int k = 0; k < 3; k++) {
        pl_step_settings settings = pl_default_step_settings();
        settings.integrator = dynamic_integrators[k];
        fem_sample a = fem_sample_create(fem_box(1, 0.5, 0.5, 4, 2, 2), PL_MATERIAL_COROTATED, 1e5,
                                         0.3, 1000, &settings, NULL);
        fem_sample b = fem_sample_create(fem_box(1, 0.5, 0.5, 4, 2, 2), PL_MATERIAL_COROTATED, 1e5,
                                         0.3, 1000, &settings, NULL);
        deform(&a, 0.5, 3);
        for (int n = 0; n < 5; n++) fem_sample_step(&a, 0.01, 9.81, NULL, 0);
        size_t size = pl_step_state_size(a.system);
        char *state = PL_ALLOC(char, size), *other = PL_ALLOC(char, size);
        pl_step_state_save(a.system, state);
        pl_step_state_load(b.system, state);
        for (int n = 0; n < 3; n++) {
            fem_sample_step(&a, 0.01, 9.81, NULL, 0);
            fem_sample_step(&b, 0.01, 9.81, NULL, 0);
        }
        pl_step_state_save(a.system, state);
        pl_step_state_save(b.system, other);
        CHECK(memcmp(state, other, size) == 0);
        PL_FREE(state, char, size);
        PL_FREE(other, char, size);
        fem_sample_free(&a);
        fem_sample_free(&b);
    }
}

TEST(fem_projective_matrix_is_factored_once)
{
    pl_step_settings settings = pl_default_step_settings();
    settings.nonlinear = PL_NONLINEAR_PROJECTIVE;
    settings.linear = PL_LINEAR_DIRECT;
    fem_sample s = fem_sample_create(fem_box(1, 0.3, 0.3, 6, 2, 2), PL_MATERIAL_COROTATED, 1e5, 0.3,
                                     1000.0, &settings, NULL);
    pl_pin pin = {.vertex = 0, .stiffness = 1e4};
    pin.from = pin.target = pl_vec3_load(pl_step_positions(s.system));
    pl_method_info info = fem_sample_step(&s, 0.01, -9.81, &pin, 1);
    CHECK(info.iterations > 1);
    CHECK_INT(info.linear_updates, 1);
    CHECK_INT(fem_sample_step(&s, 0.01, -9.81, &pin, 1).linear_updates, 0);
    pin.stiffness = 2e4;
    CHECK_INT(fem_sample_step(&s, 0.01, -9.81, &pin, 1).linear_updates, 1);
    CHECK_INT(fem_sample_step(&s, 0.02, -9.81, &pin, 1).linear_updates, 1);
    fem_sample_free(&s);
}
