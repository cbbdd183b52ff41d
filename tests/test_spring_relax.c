// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Vertices of a cloth of springs, relaxed one after the other.
#include "base/memory.h"
#include "fem/cloth_elements.h"
#include "fem/relax_batches.h"
#include "fem/spring_relax.h"
#include "test.h"

#include <math.h>
#include <string.h>

// several chunks of vertices
enum { SIDE = 20, VERTICES = SIDE * SIDE, MAX_SPRINGS = 4 * VERTICES, HINGES = SIDE };

typedef struct cloth {
    double rest[3 * VERTICES], x[3 * VERTICES], y[3 * VERTICES], force[3 * VERTICES];
    double mass[VERTICES], friction_dual[3 * VERTICES];
    bool fixed[VERTICES];
    int ends[2 * MAX_SPRINGS], spring_count;
    double stiffness[MAX_SPRINGS];
    int neighbour_offsets[VERTICES + 1], neighbours[8 * VERTICES];
    double gradient[3 * VERTICES], scratch[6 * VERTICES];
    pl_element_set sets[2];
    pl_block_matrix A;
    pl_contact contacts[2];
    pl_pin pin;
    pl_step_objective f;
    pl_spring_relax* relax;
} cloth;

// to the eight vertices around each, which are the neighbours of the system as well
static void add_springs(cloth* c, int v) {
    int i = v % SIDE, j = v / SIDE;
    c->neighbour_offsets[v + 1] = c->neighbour_offsets[v];
    for (int l = j - 1; l <= j + 1; l++)
        for (int k = i - 1; k <= i + 1; k++) {
            int w = l * SIDE + k;
            if (k < 0 || l < 0 || k >= SIDE || l >= SIDE || w == v) continue;
            c->neighbours[c->neighbour_offsets[v + 1]++] = w;
            if (w < v) continue;
            // every seventh vertex has two springs to the next one
            for (int copy = 0; copy <= (v % 7 == 0 && w == v + 1); copy++) {
                c->ends[2 * c->spring_count] = v, c->ends[2 * c->spring_count + 1] = w;
                c->stiffness[c->spring_count++] = 900.0 + (i + j) % 3;
            }
        }
}

static void add_sets(cloth* c) {
    pl_error error;
    int hinges[4 * HINGES];
    double bend[HINGES];
    for (int k = 0; k < HINGES; k++) {
        int v = (k % (SIDE - 1)) * (SIDE + 1);
        int corners[4] = {v, v + SIDE + 1, v + 1, v + SIDE};
        memcpy(hinges + 4 * k, corners, sizeof corners);
        bend[k] = 1e-3;
    }
    CHECK_OK(pl_spring_elements_setup(&c->sets[0], c->rest, VERTICES, c->ends, c->spring_count,
                                      c->stiffness, &error),
             &error);
    CHECK_OK(pl_element_set_gather(&c->sets[0], VERTICES, &error), &error);
    CHECK_OK(pl_hinge_elements_setup(&c->sets[1], c->rest, VERTICES, hinges, HINGES, bend, &error),
             &error);
    CHECK_OK(pl_block_matrix_setup(&c->A, VERTICES, 3, c->neighbour_offsets, c->neighbours, &error),
             &error);
    for (int k = 0; k < 2; k++) CHECK_OK(pl_element_set_locate(&c->sets[k], &c->A, &error), &error);
}

// A cloth at rest in the air, heavy enough for springs not to be all that counts.
static cloth* create_cloth(void) {
    cloth* c = PL_ALLOC(cloth, 1);
    for (int v = 0; v < VERTICES; v++) {
        c->rest[3 * v] = (double)(v % SIDE) / SIDE;
        c->rest[3 * v + 2] = (double)(v / SIDE) / SIDE;
        c->mass[v] = 1e-3;
        add_springs(c, v);
    }
    memcpy(c->x, c->rest, sizeof c->x);
    memcpy(c->y, c->rest, sizeof c->y);
    add_sets(c);
    c->fixed[7] = true;
    c->pin = (pl_pin){.vertex = 3, .stiffness = 50.0, .target = pl_vec3_load(c->rest + 9)};
    c->f = (pl_step_objective){.vertex_count = VERTICES,
                               .set_count = 2,
                               .sets = c->sets,
                               .mass = c->mass,
                               .inertia = 3600.0,
                               .y = c->y,
                               .velocity_time = 1.0 / 60.0,
                               .reference = c->rest,
                               .damping_mass = 0.5,
                               .force = c->force,
                               .pins = &c->pin,
                               .pin_count = 1,
                               .contacts = c->contacts,
                               .friction_dual = c->friction_dual,
                               .start = c->rest,
                               .slip_length = 1e-5,
                               .fixed = c->fixed};
    pl_error error;
    CHECK_OK(pl_spring_relax_create(&c->A, c->sets, 2, &c->relax, &error), &error);
    return c;
}

static void free_cloth(cloth* c) {
    pl_spring_relax_destroy(c->relax);
    for (int k = 0; k < 2; k++) pl_element_set_free(&c->sets[k]);
    pl_block_matrix_free(&c->A);
    PL_FREE(c, cloth, 1);
}

// a wrinkle that turned too far, and two vertices below a plane
static void disturb(cloth* c) {
    for (int k = 0; k < 40; k++) c->x[3 * (150 + k) + 1] += 0.02 * sin(1.3 * k);
    for (int k = 0; k < 2; k++) {
        int v = 300 + 5 * k;
        c->contacts[k] = (pl_contact){.vertex = v,
                                      .point = {0, 1e-3, 0},
                                      .normal = {0, 1, 0},
                                      .stiffness = 100.0,
                                      .friction = 0.3,
                                      .normal_force = 0.1};
    }
    c->f.contact_count = 2;
}

// Phi after a call
static double relax(cloth* c) {
    pl_error error;
    pl_spring_relax_begin(c->relax, &c->f);
    CHECK_OK(pl_spring_relax_contacts(c->relax, &c->f, &error), &error);
    pl_step_gradient(&c->f, c->x, c->gradient, c->scratch);
    pl_spring_relax_sweep(c->relax, &c->f, c->gradient, NULL, NULL, NULL, c->x);
    return pl_step_energy(&c->f, c->x, c->scratch);
}

TEST(spring_relax_has_the_forces_and_the_projected_hessian_of_each)
{
    cloth* c = create_cloth();
    disturb(c);
    memcpy(c->x + 3 * 41, c->x + 3 * 40, 3 * sizeof(double)); // a spring of no length
    pl_element_set_gradient(&c->sets[0], NULL, c->x, c->gradient);
    pl_element_set_hessian(&c->sets[0], NULL, c->x, true, 1.0, &c->A);
    const int upper[6] = {0, 1, 2, 4, 5, 8};
    // the vertices backwards, one at first and as many as there are lanes together after that;
    // moved from elsewhere
    int32_t vertices[VERTICES + 2 * PL_LANES] = {0};
    int counts[VERTICES + 1], batch_count = 0;
    for (int k = 0; k < VERTICES; batch_count++) {
        int left = VERTICES - k, room = batch_count == 0 ? 1 : PL_LANES;
        counts[batch_count] = left < room ? left : room;
        for (int lane = 0; lane < counts[batch_count]; lane++)
            vertices[PL_LANES * batch_count + lane] = VERTICES - 1 - k++;
    }
    pl_block_matrix Q = c->A;
    double weights[9 * VERTICES], before[3 * VERTICES];
    float moved[4 * VERTICES] = {0};
    Q.block = 1;
    Q.values = weights;
    for (int e = 0; e < pl_block_matrix_entry_count(&Q); e++) weights[e] = 0.01 * (e % 7);
    for (int v = 0; v < VERTICES; v++)
        for (int k = 0; k < 3; k++) {
            moved[4 * v + k] = 1e-3f * (float)sin(v + 2.0 * k);
            before[3 * v + k] = c->x[3 * v + k] - (double)moved[4 * v + k];
        }
    pl_relax_batches batches;
    pl_error error;
    CHECK_OK(pl_relax_batches_setup(&batches, c->sets[0].gather, &Q, vertices, counts, batch_count,
                                    &error),
             &error);
    pl_relax_batches_refresh(&batches, &Q);
    for (int n = 0; n < VERTICES; n++) {
        const int at = n == 0 ? 0 : n + PL_LANES - 1, lane = at % PL_LANES, v = vertices[at];
        const pl_relax_batch* q = &batches.batches[at / PL_LANES];
        const double* block = c->A.values + 9 * (size_t)c->A.diagonal[v];
        pl_fw own[3], g[3], H[6];
        CHECK(q->spring_end - q->spring_begin <= 8); // two to the same vertex are one
        pl_relax_batch_start(&batches, q, before);
        pl_relax_batch_load(q, moved, own);
        pl_relax_batch_forces(&batches, q, moved, own, g, H);
        for (int k = 0; k < 3; k++) {
            double exact = c->gradient[3 * v + k];
            for (int e = Q.offsets[v]; e < Q.offsets[v + 1]; e++)
                exact += weights[e] * (double)moved[4 * Q.columns[e] + k];
            CHECK_NEAR((double)g[k][lane], exact, 2e-5);
        }
        for (int k = 0; k < 6; k++) {
            bool isotropic = upper[k] % 4 == 0;
            double exact = block[upper[k]] + (isotropic ? weights[Q.diagonal[v]] : 0.0);
            CHECK_NEAR((double)H[k][lane], exact, 2e-3);
        }
    }
    pl_relax_batches_free(&batches);
    free_cloth(c);
}

TEST(spring_relax_leaves_a_minimum_alone)
{
    cloth* c = create_cloth();
    relax(c);
    for (int i = 0; i < 3 * VERTICES; i++) CHECK_NEAR(c->x[i], c->rest[i], 1e-15);
    // of hinges and pins too: with a load that holds a shape they bend to
    c->x[3 * 3 + 1] += 1e-3;
    c->x[3 * (2 * (SIDE + 1)) + 1] += 1e-3;
    pl_step_gradient(&c->f, c->x, c->gradient, c->scratch);
    memcpy(c->force, c->gradient, sizeof c->force);
    memcpy(c->y, c->x, sizeof c->y);
    pl_step_gradient(&c->f, c->x, c->gradient, c->scratch);
    for (int i = 0; i < 3 * VERTICES; i++) c->force[i] += c->gradient[i];
    double before[3 * VERTICES];
    memcpy(before, c->x, sizeof before);
    relax(c);
    for (int i = 0; i < 3 * VERTICES; i++) CHECK_NEAR(c->x[i], before[i], 1e-12);
    free_cloth(c);
}

TEST(spring_relax_takes_out_what_is_local)
{
    for (int damped = 0; damped < 2; damped++) {
        cloth* c = create_cloth();
        pl_block_matrix K;
        pl_error error;
        CHECK_OK(
            pl_block_matrix_setup(&K, VERTICES, 3, c->neighbour_offsets, c->neighbours, &error),
            &error);
        for (int k = 0; k < 2; k++)
            pl_element_set_hessian(&c->sets[k], NULL, c->rest, true, 1.0, &K);
        disturb(c);
        c->f.damping_matrix = &K;
        c->f.damping_stiffness = damped ? 0.01 : 0.0;
        double before = pl_step_energy(&c->f, c->x, c->scratch);
        double after = relax(c), again = relax(c);
        // damping is bounded in all directions alike, so that vertices keep to where they are
        CHECK(after < (damped ? 0.6 : 1e-2) * before);
        CHECK(again < after);
        // contacts, which sweeps take to be linear in between, are in balance with the springs
        for (int k = 0; k < 20; k++) relax(c);
        pl_step_gradient(&c->f, c->x, c->gradient, c->scratch);
        for (int k = 0; k < 2 && !damped; k++) {
            const pl_contact* contact = &c->contacts[k];
            CHECK(pl_step_contact_depth(&c->f, contact, c->x) > 0.0);
            double left = pl_norm(pl_vec3_load(c->gradient + 3 * (size_t)contact->vertex));
            CHECK_NEAR(left, 0.0, 1e-4 * pl_step_normal_force(&c->f, k, c->x));
        }
        for (int k = 0; k < 3; k++) CHECK(c->x[3 * 7 + k] == c->rest[3 * 7 + k]); // fixed
        pl_block_matrix_free(&K);
        free_cloth(c);
    }
}

TEST(spring_relax_has_the_same_bits_on_any_threads)
{
    cloth *one = create_cloth(), *three = create_cloth();
    pl_pool* pool;
    pl_error error;
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    disturb(one);
    disturb(three);
    three->f.pool = pool;
    relax(one);
    relax(three);
    CHECK(memcmp(one->x, three->x, sizeof one->x) == 0);
    CHECK(memcmp(one->x, one->rest, sizeof one->x) != 0);
    free_cloth(one);
    free_cloth(three);
    pl_pool_destroy(pool);
}

TEST(spring_relax_survives_every_failing_allocation)
{
    cloth* c = create_cloth();
    size_t before = pl_byte_count();
    int64_t failed = 0;
    for (int64_t nth = 1;; nth++, failed++) {
        pl_error error;
        pl_spring_relax* relax;
        pl_inject_failure(nth);
        pl_status status = pl_spring_relax_create(&c->A, c->sets, 2, &relax, &error);
        pl_inject_failure(0);
        if (status == PL_OK) {
            pl_spring_relax_destroy(relax);
            break;
        }
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK_INT(pl_byte_count(), before);
    }
    CHECK(failed > 5);
    // sets that are not gathered have nothing to relax
    pl_error error;
    pl_spring_relax* none;
    CHECK_OK(pl_spring_relax_create(&c->A, c->sets + 1, 1, &none, &error), &error);
    CHECK(none == NULL);
    free_cloth(c);
}
