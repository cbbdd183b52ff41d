// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Constraints and sweeps of method pbd on their own: each kind is solved, keeps momentum, and is
// swept once, whatever the slabs and colours.
#include "base/memory.h"
#include "base/random.h"
#include "material/bending.h"
#include "math/simd.h"
#include "pbd_samples.h"
#include "test.h"

#include <float.h>
#include <stdlib.h>

typedef struct loose {
    pl_constraint_set set;
    pl_sweeper sweeper;
    float* p;
} loose;

// particles that are joined by one constraint
static loose one_constraint(pl_constraint_kind kind, const float* values, const float* compliance,
                            const float* particles) {
    loose l;
    pl_error error;
    const int vertices[4] = {0, 1, 2, 3};
    int corners = pl_constraint_traits_of[kind].corners;
    CHECK_OK(pl_constraint_set_create(kind, 1, compliance != NULL, &l.set, &error), &error);
    pl_constraint_set_add(&l.set, vertices, values, compliance);
    CHECK_OK(pl_sweeper_setup(&l.set, 1, corners, &l.sweeper, &error), &error);
    l.p = PL_ALLOC(float, 4 * pl_sweeper_room(&l.sweeper));
    CHECK(l.p);
    pl_sweeper_fill_room(&l.sweeper, l.p);
    memcpy(l.p, particles, 4 * (size_t)corners * sizeof(float));
    pl_sweeper_weigh(&l.sweeper, l.p);
    return l;
}

static void loose_free(loose* l) {
    PL_FREE(l->p, float, 4 * pl_sweeper_room(&l->sweeper));
    pl_sweeper_free(&l->sweeper);
    pl_constraint_set_free(&l->set);
}

static double length_of(const float* p) {
    return sqrt(pow(p[4] - p[0], 2) + pow(p[5] - p[1], 2) + pow(p[6] - p[2], 2));
}

TEST(pbd_distance_is_solved_in_one_projection)
{
    const float particles[8] = {0.1f, 0.2f, -0.3f, 1.0f, 1.3f, 2.0f, 0.7f, 0.25f};
    float rest = 0.5f;
    loose l = one_constraint(PL_CONSTRAINT_DISTANCE, &rest, NULL, particles);
    pl_sweep(&l.sweeper, NULL, 1.0 / 60.0, false, l.p);
    CHECK_NEAR(length_of(l.p), 0.5, 1e-6);
    for (int i = 0; i < 3; i++) // masses 1 and 4
        CHECK_NEAR(l.p[i] + 4.0 * l.p[4 + i], particles[i] + 4.0 * particles[4 + i], 2e-6);
    loose_free(&l);
    rest = 3.0f; // pushes apart as well
    l = one_constraint(PL_CONSTRAINT_DISTANCE, &rest, NULL, particles);
    pl_sweep(&l.sweeper, NULL, 1.0 / 60.0, true, l.p);
    CHECK_NEAR(length_of(l.p), 3.0, 2e-6);
    loose_free(&l);
}

TEST(pbd_limit_only_pulls)
{
    const float particles[8] = {0, 0, 0, 1.0f, 0.6f, 0, 0.8f, 1.0f};
    float rest = 1.5f;
    loose l = one_constraint(PL_CONSTRAINT_LIMIT, &rest, NULL, particles);
    pl_sweep(&l.sweeper, NULL, 1.0 / 60.0, false, l.p);
    CHECK(memcmp(l.p, particles, sizeof particles) == 0);
    loose_free(&l);
    rest = 0.25f;
    l = one_constraint(PL_CONSTRAINT_LIMIT, &rest, NULL, particles);
    pl_sweep(&l.sweeper, NULL, 1.0 / 60.0, false, l.p);
    CHECK_NEAR(length_of(l.p), 0.25, 1e-6);
    loose_free(&l);
}

LONG_TEST(pbd_held_particles_stay)
{
    const float both[8] = {0, 0, 0, 0, 2, 0, 0, 0}, one[8] = {0, 0, 0, 0, 2, 0, 0, 5};
    const float same[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    float rest = 1.0f;
    loose l = one_constraint(PL_CONSTRAINT_DISTANCE, &rest, NULL, both);
    pl_sweep(&l.sweeper, NULL, 1.0 / 60.0, false, l.p);
    CHECK(memcmp(l.p, both, sizeof both) == 0);
    loose_free(&l);
    l = one_constraint(PL_CONSTRAINT_DISTANCE, &rest, NULL, one);
    pl_sweep(&l.sweeper, NULL, 1.0 / 60.0, false, l.p);
    CHECK(l.p[0] == 0.0f && fabsf(l.p[4] - 1.0f) < 1e-6f);
    loose_free(&l);
    l = one_constraint(PL_CONSTRAINT_DISTANCE, &rest, NULL, same); // no direction: nothing happens
    pl_sweep(&l.sweeper, NULL, 1.0 / 60.0, false, l.p);
    CHECK(memcmp(l.p, same, sizeof same) == 0);
    loose_free(&l);
}

static const float tet[16] = {0, 0, 0, 1, 1, 0, 0, 0.5f, 0.1f, 1, 0, 0.25f, 0.2f, 0.1f, 1, 2};

// the largest error of a constraint at the places of four particles
static double error_of(pl_constraint_kind kind, const float* values, const float* p) {
    pl_vec3 x[4];
    for (int i = 0; i < 4; i++) x[i] = (pl_vec3){p[4 * i], p[4 * i + 1], p[4 * i + 2]};
    if (kind == PL_CONSTRAINT_HINGE) {
        double angle;
        CHECK(pl_bending_angle(x, &angle, NULL));
        return fabs(angle - values[0]);
    }
    if (kind == PL_CONSTRAINT_VOLUME)
        return fabs(pl_det4(x[0], x[1], x[2], x[3]) * values[0] - 1.0);
    double worst = 0.0;
    pl_vec3 f[3];
    for (int i = 0; i < 3; i++) {
        f[i] = (pl_vec3){0, 0, 0};
        for (int k = 0; k < 3; k++) f[i] = pl_madd(f[i], values[3 * k + i], pl_sub(x[k + 1], x[0]));
        worst = fmax(worst, fabs(pl_norm(f[i]) - 1.0));
    }
    for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(pl_dot(f[i], f[(i + 1) % 3])));
    return worst;
}

static void values_of(pl_constraint_kind kind, float* values) {
    pl_vec3 x[4];
    for (int i = 0; i < 4; i++) x[i] = (pl_vec3){tet[4 * i], tet[4 * i + 1], tet[4 * i + 2]};
    if (kind == PL_CONSTRAINT_HINGE) {
        double angle;
        CHECK(pl_bending_angle(x, &angle, NULL));
        values[0] = (float)angle;
    } else if (kind == PL_CONSTRAINT_VOLUME) {
        values[0] = (float)(1.0 / pl_det4(x[0], x[1], x[2], x[3]));
    } else {
        pl_mat3 inverse, edges = pl_mat3_from_columns(pl_sub(x[1], x[0]), pl_sub(x[2], x[0]),
                                                      pl_sub(x[3], x[0]));
        CHECK(pl_mat3_inverse(edges, &inverse));
        for (int i = 0; i < 9; i++) values[i] = (float)inverse.m[i];
    }
}

static void shake_tet(int seed, double amount, float* out) {
    pl_random random = {(uint64_t)seed + 1};
    for (int i = 0; i < 16; i++)
        out[i] = tet[i] + (i % 4 == 3 ? 0.0f : (float)(amount * pl_random_normal(&random)));
}

static const pl_constraint_kind kinds_of_four[] = {PL_CONSTRAINT_HINGE, PL_CONSTRAINT_VOLUME,
                                                   PL_CONSTRAINT_STRAIN};

TEST(pbd_four_point_constraints_are_solved)
{
    for (int n = 0; n < 60; n++) {
        pl_constraint_kind kind = kinds_of_four[n % 3];
        float values[9], moved[16];
        values_of(kind, values);
        shake_tet(n, 0.1, moved);
        loose l = one_constraint(kind, values, NULL, moved);
        double before = error_of(kind, values, l.p);
        for (int k = 0; k < (kind == PL_CONSTRAINT_STRAIN ? 40 : 4); k++)
            pl_sweep(&l.sweeper, NULL, 1.0 / 60.0, k % 2 == 1, l.p);
        CHECK(error_of(kind, values, l.p) <= 1e-3 * before + 1e-5);
        loose_free(&l);
    }
}

// sum of m d and of m x cross d over particles that one projection moved by d
static void momenta_of(const float* before, const float* after, int count, double* linear,
                       double* angular) {
    pl_vec3 shift = {0, 0, 0}, turn = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        pl_vec3 x = {before[4 * i], before[4 * i + 1], before[4 * i + 2]};
        pl_vec3 d = pl_sub((pl_vec3){after[4 * i], after[4 * i + 1], after[4 * i + 2]}, x);
        shift = pl_madd(shift, 1.0 / before[4 * i + 3], d);
        turn = pl_madd(turn, 1.0 / before[4 * i + 3], pl_cross(x, d));
    }
    *linear = pl_norm(shift), *angular = pl_norm(turn);
}

// What rounding may leave of both sums. A place is rounded once when it is stored: in each of three
// coordinates half an epsilon of it. A correction is a product of rounded factors, and gradients
// are sums of products: ROUNDINGS of them from places to what is added, each half an epsilon of a
// term that is no larger than `terms` times the correction (where gradients come from cancelled
// terms).
enum { ROUNDINGS = 24 };
static void rounding_of(const float* before, const float* after, int count, double terms,
                        double* linear, double* angular) {
    *linear = *angular = 0.0;
    for (int i = 0; i < count; i++) {
        pl_vec3 x = {before[4 * i], before[4 * i + 1], before[4 * i + 2]};
        pl_vec3 y = {after[4 * i], after[4 * i + 1], after[4 * i + 2]};
        double mass = 1.0 / before[4 * i + 3], moved = pl_distance(x, y);
        double error =
            moved > 0.0 ? 0.5 * FLT_EPSILON * (sqrt(3.0) * pl_norm(y) + ROUNDINGS * terms * moved)
                        : 0.0;
        *linear += mass * error;
        *angular += mass * error * pl_norm(x);
    }
}

static void one_projection(pl_constraint_kind kind, int seed, double amount, double momenta[2],
                           double bounds[2]) {
    float values[9] = {0.7f}, moved[16];
    if (kind != PL_CONSTRAINT_DISTANCE) values_of(kind, values);
    shake_tet(seed, amount, moved);
    loose l = one_constraint(kind, values, NULL, moved);
    pl_sweep(&l.sweeper, NULL, 1.0 / 60.0, false, l.p);
    CHECK(memcmp(l.p, moved, 12) != 0);
    int corners = pl_constraint_traits_of[kind].corners;
    momenta_of(moved, l.p, corners, &momenta[0], &momenta[1]);
    rounding_of(moved, l.p, corners, 4.0, &bounds[0], &bounds[1]);
    loose_free(&l);
}

TEST(pbd_projections_keep_both_momenta)
{
    for (int n = 0; n < 60; n++) {
        static const pl_constraint_kind kinds[] = {PL_CONSTRAINT_DISTANCE, PL_CONSTRAINT_HINGE,
                                                   PL_CONSTRAINT_VOLUME};
        double momenta[2], bounds[2];
        one_projection(kinds[n % 3], n, 0.1, momenta, bounds);
        CHECK(momenta[0] <= bounds[0]);
        CHECK(momenta[1] <= bounds[1]);
    }
}

// The six strains of a tet are projected one after the other. Each keeps the angular momentum about
// the places that it finds, so that about the first ones a part of second order in the shake is
// left: a tenth of it leaves a hundredth, and never the tenth that an error of first order would.
TEST(pbd_strains_keep_both_momenta)
{
    double large = 0.0, small = 0.0;
    for (int n = 0; n < 20; n++) {
        double momenta[2], bounds[2];
        one_projection(PL_CONSTRAINT_STRAIN, n, 0.1, momenta, bounds);
        CHECK(momenta[0] <= 6.0 * bounds[0]); // six roundings of places
        large += momenta[1];
        one_projection(PL_CONSTRAINT_STRAIN, n, 0.01, momenta, bounds);
        CHECK(momenta[0] <= 6.0 * bounds[0]);
        small += momenta[1];
    }
    CHECK(small < 0.03 * large);
}

// Every projection of a sweep over whole bodies: blocks that run at once share no particle, so that
// each of them must keep both momenta by itself.
static void check_blocks(pl_pbd_level* l) {
    size_t size = 4 * (size_t)l->graph.particle_count * sizeof(float);
    float* before = malloc(size);
    int moving = 0;
    for (int k = 0; k < l->sweeper.list_count; k++) {
        const pl_block_list* list = &l->sweeper.lists[k];
        for (int b = 0; b < list->block_count; b++) {
            double momenta[2], bounds[2];
            memcpy(before, l->particles, size);
            pl_project_blocks(list, b, b + 1, false, &(pl_sweep_numbers){3600.0f, 0.0f, NULL},
                              l->particles);
            moving += memcmp(before, l->particles, size) != 0;
            momenta_of(before, l->particles, l->graph.particle_count, &momenta[0], &momenta[1]);
            rounding_of(before, l->particles, l->graph.particle_count, 4.0, &bounds[0], &bounds[1]);
            CHECK(momenta[0] <= bounds[0]);
            CHECK(momenta[1] <= bounds[1]);
        }
    }
    CHECK(moving > 20);
    free(before);
}

TEST(pbd_sweeps_keep_both_momenta_to_rounding)
{
    pl_body body = pbd_body();
    body.pbd.shear = 1.0;
    pl_mesh* meshes[] = {pbd_cloth(12, 15), pbd_irregular_cloth(12), pbd_box(3)};
    for (int m = 0; m < 3; m++) {
        pbd_sample s = pbd_sample_create(meshes[m], &body, NULL);
        pbd_sample_step(&s, 1.0 / 60.0, NULL, 0);
        pl_pbd_level* l = &s.system->bodies[0].hierarchy.levels[0];
        pl_random random = {(uint64_t)m + 1};
        for (int i = 0; i < 4 * l->graph.particle_count; i++)
            if (i % 4 != 3) l->particles[i] += (float)(0.005 * pl_random_normal(&random));
        check_blocks(l);
        pbd_sample_free(&s);
    }
}

TEST(pbd_compliance_gives_the_extension_of_a_spring)
{
    // a mass of 2 kg on a spring of 500 N/m: the same extension for any step and any iterations
    static const struct {
        double h;
        int sweeps;
    } cases[] = {{1.0 / 60.0, 1}, {1.0 / 60.0, 10}, {1.0 / 240.0, 3}};
    const float particles[8] = {0, 0, 0, 0, 0, -1, 0, 0.5f};
    float rest = 1.0f, compliance = 1.0f / 500.0f;
    for (int k = 0; k < 3; k++) {
        loose l = one_constraint(PL_CONSTRAINT_DISTANCE, &rest, &compliance, particles);
        double y = -1.0, v = 0.0, h = cases[k].h;
        for (int n = 0; n < (int)(6.0 / h); n++) {
            v = v / (1.0 + 4.0 * h) - 9.81 * h; // damped
            l.p[5] = (float)(y + h * v);
            pl_sweeper_start(&l.sweeper);
            for (int i = 0; i < cases[k].sweeps; i++) pl_sweep(&l.sweeper, NULL, h, false, l.p);
            v = (l.p[5] - y) / h;
            y = l.p[5];
        }
        CHECK_NEAR(-y - 1.0, 2.0 * 9.81 / 500.0, 4e-4);
        loose_free(&l);
    }
}

static int compare_ints(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void check_list(const pl_sweeper* s, const pl_block_list* list, int count, int* owner) {
    int corners = pl_constraint_traits_of[list->kind].corners, seen = 0;
    bool* found = calloc((size_t)count, sizeof(bool));
    for (int slab = 0; slab < s->slab_count; slab++)
        for (int b = list->slab_offsets[slab]; b < list->slab_offsets[slab + 1]; b++) {
            int used[PL_LANES * PL_MAX_CORNERS], used_count = 0;
            for (int lane = 0; lane < PL_LANES; lane++) {
                int c = list->source[b * PL_LANES + lane];
                if (c < 0) continue;
                CHECK(!found[c]);
                found[c] = true, seen++;
                for (int i = 0; i < corners; i++) {
                    int v = list->vertices[(b * corners + i) * PL_LANES + lane] / 4;
                    used[used_count++] = v;
                    // slabs that run together touch different particles
                    CHECK(owner[v] < 0 || owner[v] == slab || owner[v] % 2 != slab % 2);
                    if (slab % 2 == 0) owner[v] = slab;
                }
            }
            qsort(used, (size_t)used_count, sizeof(int), compare_ints);
            for (int i = 1; i < used_count; i++) CHECK(used[i] != used[i - 1]);
        }
    CHECK_INT(seen, count);
    free(found);
}

TEST(pbd_every_constraint_is_in_one_lane)
{
    pl_body body = pbd_body();
    body.pbd.bend = 0.5, body.pbd.shear = 0.5;
    pl_mesh* meshes[] = {pbd_cloth(40, 70), pbd_irregular_cloth(40), pbd_box(6), pbd_two_cloths(9)};
    for (int m = 0; m < 4; m++) {
        pbd_sample s = pbd_sample_create(meshes[m], &body, NULL);
        const pl_pbd_level* l = &s.system->bodies[0].hierarchy.levels[0];
        CHECK_INT(l->sweeper.list_count, l->set_count);
        if (m < 2) CHECK(l->sweeper.slab_count > 2);
        for (int k = 0; k < l->set_count; k++) {
            int* owner = malloc((size_t)l->graph.particle_count * sizeof(int));
            for (int i = 0; i < l->graph.particle_count; i++) owner[i] = -1;
            check_list(&l->sweeper, &l->sweeper.lists[k], l->sets[k].count, owner);
            free(owner);
        }
        pbd_sample_free(&s);
    }
}

TEST(pbd_stars_have_more_colours_than_bits)
{
    // one particle in 200 constraints: each in a block of its own
    pl_constraint_set set;
    pl_sweeper sweeper;
    pl_error error;
    CHECK_OK(pl_constraint_set_create(PL_CONSTRAINT_DISTANCE, 200, false, &set, &error), &error);
    for (int k = 1; k <= 200; k++) {
        int ends[2] = {0, k};
        float rest = 1.0f;
        pl_constraint_set_add(&set, ends, &rest, NULL);
    }
    CHECK_OK(pl_sweeper_setup(&set, 1, 201, &sweeper, &error), &error);
    CHECK_INT(sweeper.lists[0].block_count, 200);
    pl_sweeper_free(&sweeper);
    pl_constraint_set_free(&set);
}
