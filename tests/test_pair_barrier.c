// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The barrier between a vertex and a triangle and between two edges, and the term that sums them up
// with friction, against finite differences.
#include "base/random.h"
#include "contact/pair_barrier.h"
#include "math/symmetric.h"
#include "step/step_meeting.h"
#include "test.h"

static pl_vec3 random_point(pl_random* random) {
    double x = pl_random_uniform(random, -1.0, 1.0), y = pl_random_uniform(random, -1.0, 1.0);
    return (pl_vec3){x, y, pl_random_uniform(random, -1.0, 1.0)};
}

// two that are nearer than their reach; every fourth pair of edges is nearly parallel
static pl_quad near_pair(pl_random* random, bool is_edges, int k) {
    pl_quad at;
    for (int i = 0; i < 4; i++) at.x[i] = random_point(random);
    if (is_edges && k % 4 == 0) {
        pl_vec3 u = pl_sub(at.x[1], at.x[0]);
        at.x[3] = pl_madd(pl_add(at.x[2], u), 0.01 + 0.02 * (k % 3), random_point(random));
    }
    double weights[4];
    const double distance = pl_quad_distance(&at, is_edges, weights);
    pl_vec3 delta = {0, 0, 0};
    for (int i = 0; i < 4; i++) delta = pl_madd(delta, weights[i], at.x[i]);
    const double wanted = pl_random_uniform(random, 0.02, 0.24);
    for (int i = 0; i < (is_edges ? 2 : 1); i++)
        at.x[i] = pl_madd(at.x[i], wanted / distance - 1.0, delta);
    return at;
}

static double* coordinate(pl_quad* at, int i) {
    pl_vec3* x = &at->x[i / 3];
    return i % 3 == 0 ? &x->x : i % 3 == 1 ? &x->y : &x->z;
}

static int support(const pl_quad* at, bool is_edges) {
    double weights[4];
    int bits = 0;
    pl_quad_distance(at, is_edges, weights);
    for (int i = 0; i < 4; i++) bits |= (fabs(weights[i]) > 1e-12) << i;
    return bits;
}

static double flat(const pl_vec3 g[4], int i) {
    return i % 3 == 0 ? g[i / 3].x : i % 3 == 1 ? g[i / 3].y : g[i / 3].z;
}

// the largest errors of gradient and Hessian, relative to their largest entries; false if the
// closest points change their kind within the differences
static bool compare(const pl_pair_barrier* b, const pl_quad* at, bool is_edges, double* gradient,
                    double* hessian) {
    const double step = 1e-6;
    pl_vec3 g[4], after[4], before[4];
    double H[144], largest = 0.0, largest_g = 0.0;
    const double energy = pl_pair_barrier_gradient(b, at, is_edges, g);
    CHECK_NEAR(energy, pl_pair_barrier_energy(b, at, is_edges), 1e-12 * energy);
    pl_pair_barrier_hessian(b, at, is_edges, H);
    for (int i = 0; i < 144; i++) largest = fmax(largest, fabs(H[i]));
    for (int i = 0; i < 12; i++) largest_g = fmax(largest_g, fabs(flat(g, i)));
    for (int i = 0; i < 12; i++) {
        pl_quad plus = *at, minus = *at;
        *coordinate(&plus, i) += step;
        *coordinate(&minus, i) -= step;
        if (support(&plus, is_edges) != support(&minus, is_edges)) return false;
        const double difference = pl_pair_barrier_gradient(b, &plus, is_edges, after) -
                                  pl_pair_barrier_gradient(b, &minus, is_edges, before);
        *gradient = fmax(*gradient, fabs(difference / (2.0 * step) - flat(g, i)) / largest_g);
        for (int j = 0; j < 12; j++) {
            const double slope = (flat(after, j) - flat(before, j)) / (2.0 * step);
            *hessian = fmax(*hessian, fabs(slope - H[12 * i + j]) / largest);
        }
    }
    return true;
}

TEST(barrier_derivatives_by_differences)
{
    pl_random random = {5};
    int compared[2] = {0, 0};
    double gradient = 0.0, hessian = 0.0;
    for (int k = 0; k < 2000; k++) {
        const bool is_edges = k % 2;
        const pl_quad at = near_pair(&random, is_edges, k / 2);
        const pl_pair_barrier b = pl_pair_barrier_of(&at, is_edges, 0.25, 3.0);
        if (compare(&b, &at, is_edges, &gradient, &hessian)) compared[is_edges]++;
    }
    CHECK(compared[0] > 900 && compared[1] > 900);
    CHECK(gradient < 1e-6);
    CHECK(hessian < 1e-5);
}

TEST(barrier_rows_are_the_projected_hessian)
{
    pl_random random = {6};
    double error = 0.0;
    for (int k = 0; k < 1000; k++) {
        const bool is_edges = k % 2;
        const pl_quad at = near_pair(&random, is_edges, k / 2);
        const pl_pair_barrier b = pl_pair_barrier_of(&at, is_edges, 0.25, 3.0);
        double H[144], rows[PL_BARRIER_ROWS][12], largest = 0.0;
        pl_pair_barrier_hessian(&b, &at, is_edges, H);
        CHECK(pl_symmetric_project(12, H));
        const int count = pl_pair_barrier_rows(&b, &at, is_edges, rows);
        CHECK(count > 0);
        for (int i = 0; i < 144; i++) largest = fmax(largest, fabs(H[i]));
        for (int i = 0; i < 144; i++) {
            double sum = 0.0;
            for (int r = 0; r < count; r++) sum += rows[r][i / 12] * rows[r][i % 12];
            error = fmax(error, fabs(sum - H[i]) / largest);
        }
    }
    CHECK(error < 1e-8);
}

TEST(barrier_ends_at_its_reach_and_has_no_end_at_zero)
{
    pl_quad at = {{{0.2, 0.2, 0.1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    const pl_pair_barrier b = pl_pair_barrier_of(&at, false, 0.1, 1.0);
    CHECK(pl_pair_barrier_energy(&b, &at, false) == 0.0);
    double before = 0.0;
    for (double d = 0.09; d > 1e-12; d *= 0.5) {
        at.x[0].z = d;
        const double energy = pl_pair_barrier_energy(&b, &at, false);
        CHECK(energy > before);
        before = energy;
    }
    at.x[0].z = 0.0;
    CHECK(pl_pair_barrier_energy(&b, &at, false) == INFINITY);
}

// ------------------------------------------------------------------ the term

enum { POINTS = 9, TRIANGLES = 3 };

// two triangles, one above the other, that slide, and one far away
typedef struct meeting_sample {
    pl_surface_set* surfaces;
    pl_step_meeting* meeting;
    double start[3 * POINTS], y[3 * POINTS], velocities[3 * POINTS], mass[POINTS];
    bool fixed[POINTS];
    int piece_of[POINTS];
    pl_step_pieces pieces;
    pl_step_objective f;
    pl_step_term term;
} meeting_sample;

static void meeting_sample_create(meeting_sample* s, bool midpoint) {
    static const double places[3 * POINTS] = {0,   0,   0,    1,   0,   0,    0.1, 1,   0,
                                              0.2, 0.1, 0.04, 1.1, 0.3, 0.06, 0.3, 0.9, 0.05,
                                              50,  0,   0,    51,  0,   0,    50,  1,   0};
    static const int vertices[3] = {0, 1, 2}, triangle[3] = {0, 1, 2};
    pl_error error;
    pl_random random = {3};
    pl_surface_source sources[TRIANGLES];
    for (int k = 0; k < TRIANGLES; k++)
        sources[k] =
            (pl_surface_source){places + 9 * k, vertices, 3 * k, 3, triangle, 1, true, false};
    *s = (meeting_sample){0};
    memcpy(s->start, places, sizeof places);
    for (int i = 0; i < 3 * POINTS; i++) {
        s->velocities[i] = pl_random_uniform(&random, -1.0, 1.0);
        s->y[i] = s->start[i] + 0.01 * s->velocities[i];
    }
    for (int v = 0; v < POINTS; v++) s->mass[v] = 0.1 + 0.01 * v;
    CHECK_OK(pl_surface_set_create(sources, TRIANGLES, POINTS, &s->surfaces, &error), &error);
    for (int k = 0; k < TRIANGLES; k++) {
        s->surfaces->surfaces[k].thickness = 0.05;
        s->surfaces->surfaces[k].friction = 0.4;
        s->surfaces->surfaces[k].stiffness = 3000.0;
    }
    for (int v = 0; v < POINTS; v++) s->piece_of[v] = v / 3;
    s->pieces = (pl_step_pieces){.count = 3, .vertex_count = POINTS, .piece_of = s->piece_of};
    CHECK_OK(pl_step_meeting_create(&s->pieces, &s->meeting, &error), &error);
    s->meeting->surfaces = s->surfaces;
    s->f = (pl_step_objective){.vertex_count = POINTS,
                               .mass = s->mass,
                               .inertia = 1e4,
                               .y = s->y,
                               .start = s->start,
                               .velocities = s->velocities,
                               .time_step = 0.01,
                               .solves_midpoint = midpoint,
                               .slip_length = 1e-3,
                               .fixed = s->fixed};
    s->term = pl_step_meeting_term(s->meeting);
    CHECK_OK(s->term.begin(s->term.user, &s->f, &error), &error);
}

static void meeting_sample_free(meeting_sample* s) {
    pl_step_meeting_destroy(s->meeting);
    pl_surface_set_destroy(s->surfaces);
}

static void check_term(bool midpoint) {
    enum { N = 3 * POINTS };
    const double step = 1e-7;
    meeting_sample s;
    pl_error error;
    meeting_sample_create(&s, midpoint);
    CHECK(s.meeting->frictions.count > 0);
    double x[N], g[N] = {0}, largest = 0.0, worst = 0.0, sum[3] = {0};
    for (int i = 0; i < N; i++) x[i] = s.start[i] + 0.2 * (s.y[i] - s.start[i]);
    s.term.gradient(s.term.user, x, g);
    for (int i = 0; i < N; i++) largest = fmax(largest, fabs(g[i])), sum[i % 3] += g[i];
    for (int i = 0; i < N; i++) {
        const double at = x[i];
        x[i] = at + step;
        const double after = s.term.energy(s.term.user, x);
        x[i] = at - step;
        const double before = s.term.energy(s.term.user, x);
        x[i] = at;
        worst = fmax(worst, fabs((after - before) / (2.0 * step) - g[i]));
    }
    CHECK(largest > 0.0);
    CHECK(worst < 1e-5 * largest);
    // what one side gets the other one gives
    for (int c = 0; c < 3; c++) CHECK_NEAR(sum[c], 0.0, 1e-12 * largest);
    CHECK_OK(pl_step_meeting_update(s.meeting, x, &error), &error);
    CHECK(s.meeting->rows.count > 2);
    // a way through the other triangle ends before it
    double away[N];
    memcpy(away, x, sizeof x);
    for (int v = 3; v < POINTS; v++) away[3 * v + 2] -= 30.0;
    double parts[TRIANGLES] = {1.0, 1.0, 1.0};
    s.term.free_parts(s.term.user, x, away, parts);
    CHECK(parts[1] > 0.0 && parts[1] < 0.01);
    CHECK(parts[0] == parts[1]); // the two are one
    CHECK(parts[2] == 1.0);      // and the third is not stopped by them
    for (int v = 3; v < POINTS; v++) away[3 * v + 2] += 36.0; // twice as far at midpoint's end
    for (int k = 0; k < TRIANGLES; k++) parts[k] = 1.0;
    s.term.free_parts(s.term.user, x, away, parts);
    for (int k = 0; k < TRIANGLES; k++) CHECK(parts[k] == 1.0);
    // each piece has its own part of the energy, with friction in it
    int roots[TRIANGLES] = {0, 1, 2};
    double energies[TRIANGLES] = {0};
    s.term.join(s.term.user, roots);
    CHECK(roots[0] == 0 && roots[1] == 0 && roots[2] == 2);
    s.term.energies(s.term.user, s.piece_of, NULL, x, energies);
    const double energy = s.term.energy(s.term.user, x);
    CHECK(energy > 0.0 && energies[2] == 0.0);
    CHECK_NEAR(energies[0] + energies[1], energy, 1e-12 * energy);
    meeting_sample_free(&s);
}

// However far a direction leads, nobody looks farther than 16 edges, in parts of one edge.
TEST(barrier_term_limits_ways_of_any_length)
{
    meeting_sample s;
    meeting_sample_create(&s, false);
    const double lengths[] = {1e12, 1e20, INFINITY};
    for (int k = 0; k < 3; k++) {
        double away[3 * POINTS], parts[TRIANGLES] = {1.0, 1.0, 1.0};
        memcpy(away, s.start, sizeof away);
        for (int v = 3; v < 6; v++) away[3 * v + 2] += lengths[k];
        s.term.free_parts(s.term.user, s.start, away, parts);
        if (isfinite(lengths[k])) CHECK(parts[1] > 0.0 && parts[1] * lengths[k] < 20.0);
        else CHECK(parts[1] == 0.0);
        CHECK(parts[2] == 1.0);
    }
    meeting_sample_free(&s);
}

TEST(barrier_term_is_the_gradient_of_its_energy)
{
    check_term(false);
    check_term(true);
}
