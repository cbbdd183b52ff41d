// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The parts of method mixed: forces, constraints and their derivatives against finite differences,
// the matrix of Eq. 6 against its Schur complement.
#include "base/random.h"
#include "mixed_samples.h"
#include "sparse/linear_solver.h"
#include "test.h"

static const pl_material_kind split_laws[] = {
    PL_MATERIAL_LINEAR,     PL_MATERIAL_COROTATED,         PL_MATERIAL_STVK,
    PL_MATERIAL_NEOHOOKEAN, PL_MATERIAL_STABLE_NEOHOOKEAN, PL_MATERIAL_MOONEY_RIVLIN};
enum { SPLIT_LAWS = sizeof split_laws / sizeof split_laws[0] };

// U_d + p.phi
static double value_of(const mixed_sample* s, const double* x) {
    double phi[MIXED_SAMPLE_VERTICES], sum = pl_element_set_energy(&s->set, NULL, x);
    pl_mixed_constraint(&s->set, NULL, x, phi);
    for (int v = 0; v < s->n; v++) sum += s->p[v] * phi[v];
    return sum;
}

static void gradient_of(const mixed_sample* s, const double* x, double* g) {
    memset(g, 0, 3 * (size_t)s->n * sizeof(double));
    pl_element_set_gradient(&s->set, NULL, x, g);
    pl_mixed_add_pressure(&s->set, NULL, x, s->p, g);
}

TEST(mixed_forces_are_derivatives)
{
    for (int law = 0; law < SPLIT_LAWS; law++) {
        mixed_sample s = mixed_sample_make(1, split_laws[law], 0.5, 1.0, false);
        mixed_sample_mix(&s, s.p);
        mixed_sample_disturb(&s, 0.08, 3);
        double g[3 * MIXED_SAMPLE_VERTICES], x[3 * MIXED_SAMPLE_VERTICES], h = 1e-5;
        gradient_of(&s, s.x, g);
        memcpy(x, s.x, sizeof x);
        for (int i = 0; i < 3 * s.n; i++) {
            x[i] = s.x[i] + h;
            double up = value_of(&s, x);
            x[i] = s.x[i] - h;
            CHECK_NEAR(g[i], (up - value_of(&s, x)) / (2.0 * h), 1e-3);
            x[i] = s.x[i];
        }
        mixed_sample_free(&s);
    }
}

// K and G of the matrix with 4 unknowns per vertex
TEST(mixed_matrix_is_the_derivative_of_forces)
{
    for (int law = 0; law < SPLIT_LAWS; law++) {
        mixed_sample s = mixed_sample_make(1, split_laws[law], 0.5, 1.0, false);
        mixed_sample_mix(&s, s.p);
        mixed_sample_disturb(&s, 0.08, 5);
        pl_block_matrix K, A;
        pl_error error;
        CHECK_OK(pl_block_matrix_setup(&K, s.n, 3, s.pattern.offsets, s.pattern.items, &error),
                 &error);
        CHECK_OK(pl_block_matrix_setup(&A, s.n, 4, s.pattern.offsets, s.pattern.items, &error),
                 &error);
        pl_element_set_hessian(&s.set, NULL, s.x, false, 1.0, &K);
        pl_mixed_add_couplings(&s.set, NULL, s.x, &A);
        double x[3 * MIXED_SAMPLE_VERTICES], up[3 * MIXED_SAMPLE_VERTICES],
            down[3 * MIXED_SAMPLE_VERTICES], h = 1e-5;
        double phi_up[MIXED_SAMPLE_VERTICES], phi_down[MIXED_SAMPLE_VERTICES];
        memcpy(x, s.x, sizeof x);
        for (int j = 0; j < 3 * s.n; j++) {
            x[j] = s.x[j] + h;
            gradient_of(&s, x, up);
            pl_mixed_constraint(&s.set, NULL, x, phi_up);
            x[j] = s.x[j] - h;
            gradient_of(&s, x, down);
            pl_mixed_constraint(&s.set, NULL, x, phi_down);
            x[j] = s.x[j];
            for (int e = K.offsets[j / 3]; e < K.offsets[j / 3 + 1]; e++) {
                int v = K.columns[e], mirror = pl_block_matrix_find(&K, v, j / 3);
                for (int c = 0; c < 3; c++)
                    CHECK_NEAR(K.values[9 * mirror + 3 * c + j % 3],
                               (up[3 * v + c] - down[3 * v + c]) / (2.0 * h), 0.05);
                double G = (phi_up[v] - phi_down[v]) / (2.0 * h);
                CHECK_NEAR(A.values[16 * mirror + 12 + j % 3], G, 1e-7);
                CHECK_NEAR(A.values[16 * e + 4 * (j % 3) + 3], G, 1e-7);
            }
        }
        pl_block_matrix_free(&K);
        pl_block_matrix_free(&A);
        mixed_sample_free(&s);
    }
}

// Several tets at a time, in float, add what one by one in double they add; a tet of another law
// among them goes alone.
TEST(mixed_lanes_are_the_elements)
{
    for (int law = 0; law < 4 * SPLIT_LAWS; law++) {
        const bool projected = law % 2, is_alone = law >= 2 * SPLIT_LAWS;
        mixed_sample s = mixed_sample_make(2, split_laws[law / 2 % SPLIT_LAWS], 0.5, 1.0, false);
        mixed_sample_mix(&s, s.p);
        mixed_sample_disturb(&s, 0.04, 9);
        if (is_alone)
            pl_mixed_materials(&s.set)[5] = pl_mixed_materials(&s.set)[0],
            pl_mixed_materials(&s.set)[5].kind = PL_MATERIAL_STVK;
        pl_block_matrix K[2];
        pl_error error;
        pl_element_functions alone = *s.set.kind;
        alone.hessians = NULL;
        const pl_element_functions* kinds[2] = {s.set.kind, &alone};
        double largest = 0.0;
        for (int k = 0; k < 2; k++) {
            CHECK_OK(
                pl_block_matrix_setup(&K[k], s.n, 3, s.pattern.offsets, s.pattern.items, &error),
                &error);
            s.set.kind = kinds[k];
            pl_element_set_hessian(&s.set, NULL, s.x, projected, 0.5, &K[k]);
        }
        s.set.kind = kinds[0];
        int count = 9 * pl_block_matrix_entry_count(&K[0]);
        for (int i = 0; i < count; i++) largest = fmax(largest, fabs(K[1].values[i]));
        for (int i = 0; i < count; i++) CHECK_NEAR(K[0].values[i], K[1].values[i], 3e-5 * largest);
        for (int k = 0; k < 2; k++) pl_block_matrix_free(&K[k]);
        mixed_sample_free(&s);
    }
}

// det of the edges / 6
static double volume_of(const mixed_sample* s, int tet, const double* x) {
    const int* v = s->mesh->tets + 4 * (size_t)tet;
    pl_vec3 a = pl_vec3_load(x + 3 * (size_t)v[0]);
    pl_vec3 b = pl_sub(pl_vec3_load(x + 3 * (size_t)v[1]), a),
            c = pl_sub(pl_vec3_load(x + 3 * (size_t)v[2]), a),
            d = pl_sub(pl_vec3_load(x + 3 * (size_t)v[3]), a);
    return pl_dot(b, pl_cross(c, d)) / 6.0;
}

// phi of stable Neo-Hookean tets: what their volumes have changed by.
static void volume_changes(const mixed_sample* s, const double* x, double* phi) {
    memset(phi, 0, (size_t)s->n * sizeof(double));
    for (int e = 0; e < s->mesh->tet_count; e++)
        for (int i = 0; i < 4; i++)
            phi[s->mesh->tets[4 * (size_t)e + (size_t)i]] +=
                0.25 * (volume_of(s, e, x) - volume_of(s, e, s->mesh->positions));
}

// Several tets at a time, in double, have the energies, forces, volumes and forces of pressures
// that each has for itself. is_mixed: every other group of tets has one of another law.
static void check_groups(bool is_mixed) {
    mixed_sample s = mixed_sample_make(2, PL_MATERIAL_STABLE_NEOHOOKEAN, 0.5, 1.0, false);
    mixed_sample_mix(&s, s.p);
    mixed_sample_disturb(&s, 0.06, 4);
    if (is_mixed)
        for (int e = 3; e < s.set.count; e += 19)
            pl_mixed_materials(&s.set)[e].kind = PL_MATERIAL_MOONEY_RIVLIN; // Phi = J - 1 too
    enum { N = MIXED_SAMPLE_VERTICES };
    pl_element_functions alone = *s.set.kind;
    alone.gradients = NULL, alone.energies = NULL;
    const pl_element_functions* both[2] = {s.set.kind, &alone};
    double energy[2], g[2][3 * N] = {{0}};
    for (int k = 0; k < 2; k++) {
        s.set.kind = both[k];
        energy[k] = pl_element_set_energy(&s.set, NULL, s.x);
        pl_element_set_gradient(&s.set, NULL, s.x, g[k]);
    }
    s.set.kind = both[0];
    CHECK(energy[1] > 0.0);
    CHECK_NEAR(energy[0], energy[1], 1e-12 * energy[1]);
    for (int i = 0; i < 3 * s.n; i++) CHECK_NEAR(g[0][i], g[1][i], 1e-9);

    double phi[N], exact[N], forces[3 * N] = {0}, x[3 * N];
    pl_mixed_constraint(&s.set, NULL, s.x, phi);
    volume_changes(&s, s.x, exact);
    for (int v = 0; v < s.n; v++) CHECK_NEAR(phi[v], exact[v], 1e-14);
    // volumes are linear in each coordinate
    pl_mixed_add_pressure(&s.set, NULL, s.x, s.p, forces);
    memcpy(x, s.x, sizeof x);
    for (int i = 0; i < 3 * s.n; i++) {
        double change = 0.0;
        x[i] = s.x[i] + 1.0;
        volume_changes(&s, x, phi);
        for (int v = 0; v < s.n; v++) change += s.p[v] * (phi[v] - exact[v]);
        CHECK_NEAR(forces[i], change, 1e-9);
        x[i] = s.x[i];
    }
    mixed_sample_free(&s);
}

TEST(mixed_groups_of_tets_are_the_elements)
{
    check_groups(false);
    check_groups(true);
}

// S of a tet is that of Eq. 11, and leaves constant pressures alone; C is the volume by kappa
TEST(mixed_flexibility_is_that_of_the_paper)
{
    mixed_sample s = mixed_sample_make(1, PL_MATERIAL_MOONEY_RIVLIN, 0.4, 1.0, false);
    mixed_sample_mix(&s, s.p);
    pl_block_matrix B, C;
    pl_error error;
    CHECK_OK(pl_block_matrix_setup(&B, s.n, 1, s.pattern.offsets, s.pattern.items, &error), &error);
    CHECK_OK(pl_block_matrix_setup(&C, s.n, 1, s.pattern.offsets, s.pattern.items, &error), &error);
    pl_mixed_flexibility(&s.set, 2.0, &B);
    pl_mixed_flexibility(&s.set, 0.0, &C);
    double kappa = 1e4 / (3.0 * (1.0 - 2.0 * 0.4)), mu = 1e4 / 2.8, sum = 0.0, trace = 0.0;
    double ones[MIXED_SAMPLE_VERTICES], out[MIXED_SAMPLE_VERTICES],
        stabilised[MIXED_SAMPLE_VERTICES];
    for (int v = 0; v < s.n; v++) ones[v] = 1.0;
    pl_block_matrix_apply(&B, NULL, 1, ones, out);
    for (int v = 0; v < s.n; v++) {
        sum += out[v];
        trace += B.values[B.diagonal[v]] - C.values[C.diagonal[v]];
        CHECK_NEAR(out[v], C.values[C.diagonal[v]], 1e-15);
    }
    CHECK_NEAR(sum, 1.0 / kappa, 1e-15);
    CHECK_NEAR(trace, 2.0 / (80.0 * mu) * 12.0, 1e-15);
    mixed_sample_disturb(&s, 0.1, 1);
    pl_block_matrix_apply(&B, NULL, 1, s.p, out);
    pl_mixed_stabilise(&s.set, NULL, 2.0, s.n, s.p, stabilised);
    for (int v = 0; v < s.n; v++)
        CHECK_NEAR(out[v], stabilised[v] + C.values[C.diagonal[v]] * s.p[v], 1e-12);
    pl_block_matrix_free(&B);
    pl_block_matrix_free(&C);
    mixed_sample_free(&s);
}

// The energy after the pressures are eliminated: its gradient, also where the stabilisation, or the
// slack of stiff material, is about other pressures than 0; and no net force or torque.
TEST(mixed_eliminated_energy_has_its_gradient)
{
    static const double poissons[] = {0.0, 0.3, 0.4999, 0.5};
    for (int k = 0; k < 8; k++) {
        mixed_sample s =
            mixed_sample_make(1, PL_MATERIAL_STABLE_NEOHOOKEAN, poissons[k % 4], 1.0, k >= 4);
        mixed_sample_mix(&s, pl_mixed_pressure_values(s.pressure));
        pl_error error;
        pl_mixed_options options = {1.0, k >= 4, NAN};
        CHECK_OK(pl_mixed_pressure_changed(s.pressure, &options, &error), &error);
        mixed_sample_disturb(&s, 0.05, 11);
        const pl_step_coupling* c = pl_mixed_coupling(s.pressure);
        bool iterates = false;
        CHECK(c->go_on(c->data, s.x, &iterates) == (k >= 4 || poissons[k % 4] > 0.49));
        CHECK(iterates == (poissons[k % 4] > 0.49)); // the centre of the slack is far off
        double g[3 * MIXED_SAMPLE_VERTICES] = {0.0}, x[3 * MIXED_SAMPLE_VERTICES], h = 1e-6,
                     largest = 0.0;
        c->gradient(c->data, s.x, g);
        memcpy(x, s.x, sizeof x);
        pl_vec3 force = {0, 0, 0}, torque = {0, 0, 0};
        for (int i = 0; i < 3 * s.n; i++) largest = fmax(largest, fabs(g[i]));
        for (int i = 0; i < 3 * s.n; i++) {
            x[i] = s.x[i] + h;
            double up = c->energy(c->data, x);
            x[i] = s.x[i] - h;
            CHECK_NEAR(g[i], (up - c->energy(c->data, x)) / (2.0 * h), 2e-6 * largest);
            x[i] = s.x[i];
        }
        for (int v = 0; v < s.n; v++) {
            pl_vec3 own = pl_vec3_load(g + 3 * v);
            force = pl_add(force, own);
            torque = pl_add(torque, pl_cross(pl_vec3_load(s.x + 3 * v), own));
        }
        CHECK(pl_norm(force) < 1e-11 * largest && pl_norm(torque) < 1e-11 * largest);
        mixed_sample_free(&s);
    }
}

// G' B^-1 G d of the linear law, whose phi is G times what vertices have moved: B is constant, and
// so is G. The energy itself would do as long as it has no slack.
static void add_eliminated_stiffness(const mixed_sample* s, const double* x, double* force) {
    pl_error error;
    pl_block_matrix B;
    pl_linear_solver* solver;
    pl_linear_info info;
    double phi[MIXED_SAMPLE_VERTICES], p[MIXED_SAMPLE_VERTICES] = {0.0};
    CHECK_OK(pl_block_matrix_setup(&B, s->n, 1, s->pattern.offsets, s->pattern.items, &error),
             &error);
    pl_mixed_flexibility(&s->set, 1.0, &B);
    CHECK_OK(pl_linear_setup(PL_LINEAR_DIRECT, &B, 1, NULL, &solver, &error), &error);
    CHECK_OK(pl_linear_update(solver, &error), &error);
    pl_mixed_constraint(&s->set, NULL, x, phi);
    pl_linear_solve(solver, &(pl_linear_options){.tolerance = 1e-12, .max_iterations = 1}, phi, p,
                    &info);
    pl_mixed_add_pressure(&s->set, NULL, x, p, force);
    pl_linear_destroy(solver);
    pl_block_matrix_free(&B);
}

// The direction solves the Schur complement (K + G' B^-1 G) d = b.
TEST(mixed_direction_solves_the_eliminated_system)
{
    static const double poissons[] = {0.0, 0.3, 0.49, 0.4999};
    for (int k = 0; k < 4; k++) {
        mixed_sample s = mixed_sample_make(1, PL_MATERIAL_LINEAR, poissons[k], 1.0, false);
        mixed_sample_mix(&s, pl_mixed_pressure_values(s.pressure));
        pl_error error;
        pl_mixed_options options = {1.0, false, NAN};
        CHECK_OK(pl_mixed_pressure_changed(s.pressure, &options, &error), &error);
        const pl_step_coupling* c = pl_mixed_coupling(s.pressure);
        memcpy(s.x, s.mesh->positions, 3 * (size_t)s.n * sizeof(double)); // p = 0 there
        bool fixed[MIXED_SAMPLE_VERTICES] = {false};
        double mass[MIXED_SAMPLE_VERTICES], y[3 * MIXED_SAMPLE_VERTICES] = {0.0};
        for (int v = 0; v < s.n; v++) mass[v] = 1e4;
        pl_step_objective f = {.vertex_count = s.n,
                               .set_count = 1,
                               .sets = &s.set,
                               .mass = mass,
                               .inertia = 1.0,
                               .y = y,
                               .fixed = fixed};
        pl_block_matrix K;
        CHECK_OK(pl_block_matrix_setup(&K, s.n, 3, s.pattern.offsets, s.pattern.items, &error),
                 &error);
        pl_step_settings settings = {.coupling = c, .linear = PL_LINEAR_DIRECT};
        pl_newton_solver newton;
        pl_method_info method = {0};
        CHECK_OK(
            pl_mixed_newton(&(pl_solver_input){.A = &K, .settings = &settings}, &newton, &error),
            &error);
        CHECK_OK(newton.functions->update(newton.data, &f, s.x, 0.0, &method, &error), &error);
        double b[3 * MIXED_SAMPLE_VERTICES], d[3 * MIXED_SAMPLE_VERTICES],
            x[3 * MIXED_SAMPLE_VERTICES], force[3 * MIXED_SAMPLE_VERTICES];
        pl_random random = {7};
        for (int i = 0; i < 3 * s.n; i++) b[i] = pl_random_normal(&random);
        pl_linear_info info;
        newton.functions->solve(newton.data,
                                &(pl_linear_options){.tolerance = 1e-12, .max_iterations = 1},
                                false, b, d, &info);
        CHECK(info.converged && !info.indefinite && info.tiny_pivot_count == 0);
        pl_block_matrix_apply(&K, NULL, 1, d, force);
        for (int i = 0; i < 3 * s.n; i++) x[i] = s.x[i] + d[i];
        add_eliminated_stiffness(&s, x, force);
        for (int i = 0; i < 3 * s.n; i++) CHECK_NEAR(force[i], b[i], 1e-7);
        pl_block_matrix_free(&K);
        mixed_sample_free(&s);
    }
}

// Where material is nearly incompressible, the centre of its slack goes with the direction, and the
// direction descends in the energy that is left. Full steps of it end in a volume that is kept: p
// is then what B alone makes of phi.
TEST(mixed_directions_descend_to_kept_volumes)
{
    mixed_sample s = mixed_sample_make(1, PL_MATERIAL_STABLE_NEOHOOKEAN, 0.5, 1.0, false);
    mixed_sample_mix(&s, pl_mixed_pressure_values(s.pressure));
    pl_error error;
    pl_mixed_options options = {1.0, false, NAN};
    CHECK_OK(pl_mixed_pressure_changed(s.pressure, &options, &error), &error);
    const pl_step_coupling* c = pl_mixed_coupling(s.pressure);
    mixed_sample_disturb(&s, 0.05, 17);
    bool fixed[MIXED_SAMPLE_VERTICES] = {false};
    double mass[MIXED_SAMPLE_VERTICES], y[3 * MIXED_SAMPLE_VERTICES],
        force[3 * MIXED_SAMPLE_VERTICES] = {0.0};
    for (int v = 0; v < s.n; v++) mass[v] = 1e4;
    memcpy(y, s.x, sizeof y);
    pl_step_objective f = {.vertex_count = s.n,
                           .set_count = 1,
                           .sets = &s.set,
                           .mass = mass,
                           .inertia = 1.0,
                           .y = y,
                           .force = force,
                           .coupling = c,
                           .fixed = fixed};
    pl_block_matrix K;
    CHECK_OK(pl_block_matrix_setup(&K, s.n, 3, s.pattern.offsets, s.pattern.items, &error), &error);
    pl_step_settings settings = {.coupling = c, .linear = PL_LINEAR_DIRECT};
    pl_newton_solver newton;
    pl_method_info method = {0};
    CHECK_OK(pl_mixed_newton(&(pl_solver_input){.A = &K, .settings = &settings}, &newton, &error),
             &error);
    double g[3 * MIXED_SAMPLE_VERTICES], d[3 * MIXED_SAMPLE_VERTICES],
        scratch[6 * MIXED_SAMPLE_VERTICES], phi[MIXED_SAMPLE_VERTICES];
    const double scale[1] = {0.25};
    for (int step = 0; step < 12; step++) {
        pl_linear_info info;
        CHECK_OK(newton.functions->update(newton.data, &f, s.x, 1.0, &method, &error), &error);
        pl_step_gradient(&f, s.x, g, scratch);
        for (int i = 0; i < 3 * s.n; i++) g[i] *= -scale[0];
        c->scale_next(c->data, scale);
        newton.functions->solve(newton.data,
                                &(pl_linear_options){.tolerance = 1e-12, .max_iterations = 1},
                                false, g, d, &info);
        CHECK(info.converged && c->lead(c->data));
        double slope = 0.0;
        pl_step_gradient(&f, s.x, g, scratch);
        for (int i = 0; i < 3 * s.n; i++) slope += g[i] * (d[i] /= scale[0]);
        CHECK(step > 8 || slope < 0.0);
        for (int i = 0; i < 3 * s.n; i++) s.x[i] += d[i];
    }
    bool iterates = false;
    CHECK(!c->go_on(c->data, s.x, &iterates) && !iterates);
    CHECK(fabs(pl_mixed_worst_change(s.pressure, s.x)) < 1e-5);
    pl_block_matrix B;
    double Bp[MIXED_SAMPLE_VERTICES], most = 0.0;
    CHECK_OK(pl_block_matrix_setup(&B, s.n, 1, s.pattern.offsets, s.pattern.items, &error), &error);
    pl_mixed_flexibility(&s.set, 1.0, &B);
    pl_block_matrix_apply(&B, NULL, 1, pl_mixed_pressures_at(s.pressure, s.x), Bp);
    pl_mixed_constraint(&s.set, NULL, s.x, phi);
    for (int v = 0; v < s.n; v++) most = fmax(most, fabs(phi[v]));
    for (int v = 0; v < s.n; v++) CHECK_NEAR(Bp[v], phi[v], 1e-6 * most);
    pl_block_matrix_free(&B);
    pl_block_matrix_free(&K);
    mixed_sample_free(&s);
}

// Pressures of one place are solved for once; they are anew where the place or the material change.
TEST(mixed_pressures_are_those_of_the_place_and_the_material)
{
    mixed_sample s = mixed_sample_make(1, PL_MATERIAL_STABLE_NEOHOOKEAN, 0.3, 1.0, false);
    mixed_sample_mix(&s, pl_mixed_pressure_values(s.pressure));
    pl_error error;
    pl_block_matrix B;
    CHECK_OK(pl_block_matrix_setup(&B, s.n, 1, s.pattern.offsets, s.pattern.items, &error), &error);
    double phi[MIXED_SAMPLE_VERTICES], Bp[MIXED_SAMPLE_VERTICES];
    for (int k = 0; k < 6; k++) {
        pl_mixed_options options = {k % 2 ? 8.0 : 1.0, false, NAN};
        CHECK_OK(pl_mixed_pressure_changed(s.pressure, &options, &error), &error);
        if (k % 3 == 0) mixed_sample_disturb(&s, 0.05, 17 + (unsigned)k);
        pl_block_matrix_zero(&B);
        pl_mixed_flexibility(&s.set, options.stabilisation, &B);
        pl_mixed_constraint(&s.set, NULL, s.x, phi);
        for (int again = 0; again < 2; again++) {
            double most = 0.0;
            pl_block_matrix_apply(&B, NULL, 1, pl_mixed_pressures_at(s.pressure, s.x), Bp);
            for (int v = 0; v < s.n; v++) most = fmax(most, fabs(phi[v]));
            for (int v = 0; v < s.n; v++) CHECK_NEAR(Bp[v], phi[v], 1e-9 * most);
        }
    }
    pl_block_matrix_free(&B);
    mixed_sample_free(&s);
}
