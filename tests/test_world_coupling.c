// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies that are solved apart and push each other.
#include "base/memory.h"
#include "base/notes.h"
#include "contact/push_list.h"
#include "contact_samples.h"
#include "pbd_samples.h"
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"
#include "world/world_coupling.h"

#include <stdlib.h>
#include <string.h>

// Two balls that meet, one a little aside; what a step of Newton's method leaves unbalanced is lost
// or gained.
static pl_world* balls(const char* first, const char* second, int threads) {
    char text[2048];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"threads\": %d, \"bodies\": [\n"
             " {\"name\": \"left\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, "
             "\"edge\": 0.08}, \"transform\": {\"translate\": [-0.12, 0, 0]}, \"velocity\": "
             "[2, 0, 0], \"material\": {\"young\": 2e4}, %s},\n"
             " {\"name\": \"right\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, "
             "\"edge\": 0.08}, \"transform\": {\"translate\": [0.12, 0.02, 0.01]}, \"velocity\": "
             "[-1, 0, 0], \"material\": {\"young\": 2e4}, %s}]}",
             threads, first, second);
    return sample_start(text);
}

#define EXACT "\"tolerance\": 1e-10, \"iterations\": 200"
static const char fem[] = "\"method\": \"fem\", " EXACT;
static const char euler[] = "\"method\": \"fem\", \"integrator\": \"euler\", " EXACT;
static const char mixed[] = "\"method\": \"mixed\", " EXACT;
static const char pbd[] = "\"method\": \"pbd\"";
static const char grid[] = "\"method\": \"grid\", \"grid\": {\"cell\": 0.04}, \"tolerance\": 1e-8";

static void check_head_on(const char* first, const char* second, double tolerance) {
    contact_check_meeting(balls(first, second, 1), 10, 5, tolerance);
}

LONG_TEST(coupling_fem_and_pbd_keep_momentum_and_energy)
{ check_head_on(fem, pbd, 1e-9); }
LONG_TEST(coupling_fem_and_mixed_keep_momentum_and_energy)
{ check_head_on(fem, mixed, 1e-9); }
LONG_TEST(coupling_mixed_and_pbd_keep_momentum_and_energy)
{ check_head_on(mixed, pbd, 1e-9); }
LONG_TEST(coupling_two_integrators_keep_momentum_and_energy)
{ check_head_on(fem, euler, 1e-9); }
// The cells of a lattice have its momentum; the sum over the vertices of a bent one differs by
// 1e-3.
LONG_TEST(coupling_pbd_and_grid_keep_momentum_and_energy)
{ check_head_on(pbd, grid, 1e-9); }
LONG_TEST(coupling_two_lattices_keep_momentum_and_energy)
{ check_head_on(grid, grid, 1e-9); }

// A soft ball on a softer block, and a cloth that falls over both.
static const char pile[] =
    "{\"pliant\": 1, \"threads\": 1, \"bodies\": [\n"
    " {\"name\": \"block\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.2, \"size_y\": 0.1, "
    "\"size_z\": 0.2, \"edge\": 0.1}, \"material\": {\"young\": 1e5}},\n"
    " {\"name\": \"ball\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.05, \"edge\": "
    "0.04}, "
    "\"transform\": {\"translate\": [0.1, 0.155, 0.1]}, \"material\": {\"young\": 5e4}, "
    "\"method\": \"mixed\"},\n"
    " {\"name\": \"cloth\", \"generate\": {\"shape\": \"cloth\", \"size_x\": 0.3, \"size_y\": 0.3, "
    "\"count_x\": 11, \"count_y\": 11}, \"transform\": {\"rotate\": [-90, 0, 0], \"translate\": "
    "[-0.05, 0.23, 0.25]}, \"method\": \"pbd\", \"material\": {\"area_density\": 0.2, \"stretch\": "
    "500}}],\n"
    " \"attachments\": [{\"body\": \"block\", \"where\": {\"side\": \"-y\"}}]}";

LONG_TEST(coupling_cloth_stays_above_ball_and_block)
{
    pl_world* world = sample_start(pile);
    for (int k = 0; k < 25; k++) {
        sample_step(world, 1, NULL);
        CHECK_INT(pl_world_crossings(world), 0);
    }
    const pl_vec3 ball = contact_middle(world, 1), cloth = contact_middle(world, 2);
    CHECK(ball.y > 0.12 && ball.y < 0.155); // on the block
    CHECK(cloth.y > 0.1 && cloth.y < 0.21); // hangs over the ball
    pl_world_destroy(world);
}

// x = A^-1 q for the first coordinate of each vertex
static void solve_chain(const double A[3][3], const double q[9], double x[9]) {
    pl_mat3 m, inverse;
    for (int k = 0; k < 9; k++) m.m[k] = A[k / 3][k % 3];
    CHECK(pl_mat3_inverse(m, &inverse));
    const pl_vec3 out = pl_mat3_apply(&inverse, (pl_vec3){q[0], q[3], q[6]});
    memset(x, 0, 9 * sizeof(double));
    x[0] = out.x, x[3] = out.y, x[6] = out.z;
}

TEST(coupling_survives_lack_of_memory)
{
    pl_scene* scene = pbd_scene(pile, NULL, 0);
    bool done = false;
    int failures = 0;
    for (int64_t nth = 1; !done; nth += 1 + nth / 20)
        failures += pbd_fails_at(scene, nth, 5, &done);
    CHECK(failures > 20);
    pl_scene_destroy(scene);
}

// A stiff chain of three masses: the model repeats what the last push did.
TEST(coupling_learns_how_far_a_system_gives_way)
{
    static const double mass[3] = {1.0, 2.0, 4.0};
    // (M + K)^-1 for each coordinate, K of springs of 100, 1-2 and 2-3
    const double A[3][3] = {{101.0, -100.0, 0.0}, {-100.0, 202.0, -100.0}, {0.0, -100.0, 104.0}};
    double inverse_mass[3], q[9], x[9], guess[9];
    for (int v = 0; v < 3; v++) inverse_mass[v] = 1.0 / mass[v];
    pl_push_response r = {.vertex_count = 3};
    pl_push_response_begin(&r, inverse_mass);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 9; i++) q[i] = i % 3 == 0 ? (double)((5 * k + 3 * i) % 7) - 3.0 : 0.0;
        solve_chain(A, q, x);
        CHECK(pl_push_response_learn(&r, q, x));
        pl_push_response_apply(&r, q, guess); // exact for the last push
        for (int i = 0; i < 9; i++) CHECK_NEAR(guess[i], x[i], 1e-12);
    }
    pl_push_response_free(&r);
}

TEST(coupling_has_the_same_bits)
{ contact_check_bits(pile, 9); }

static const char lattices[] =
    "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"threads\": 1, \"bodies\": [\n"
    " {\"name\": \"left\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": 0.08}, "
    "\"transform\": {\"translate\": [-0.12, 0, 0]}, \"velocity\": [2, 0, 0], \"material\": "
    "{\"young\": 2e4}, \"method\": \"grid\", \"grid\": {\"cell\": 0.02}},\n"
    " {\"name\": \"right\", \"generate\": {\"shape\": \"sphere\", \"radius\": 0.1, \"edge\": "
    "0.08}, "
    "\"transform\": {\"translate\": [0.12, 0.02, 0.01]}, \"velocity\": [-1, 0, 0], \"material\": "
    "{\"young\": 2e4}, \"method\": \"grid\", \"grid\": {\"cell\": 0.02}}]}";

LONG_TEST(coupling_of_lattices_has_the_same_bits)
{ contact_check_bits(lattices, 4); }

// Lattices repeat a step from where it ended the last time: that takes 4.5 cycles on average, and 5.5
// from the start of the step.
LONG_TEST(coupling_of_lattices_starts_rounds_from_the_last)
{
    pl_world* world = sample_start(lattices);
    int steps = 0, cycles = 0;
    for (int k = 0; k < 8; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        CHECK_INT(info.unconverged_count, 0);
        steps += info.iterations, cycles += info.linear_iterations;
    }
    CHECK(steps > 20 && cycles < 5 * steps);
    pl_world_destroy(world);
}

// Forces of a state that is not of this world, or damaged, are refused, and the world goes on.
TEST(coupling_refuses_forces_of_another_world)
{
    pl_world* world = balls(pbd, "\"method\": \"fem\"", 1);
    pl_error error;
    sample_step(world, 4, NULL);
    pl_array* kept = pl_world_kept_pushes(world);
    CHECK(kept->count > 1);
    const size_t size = pl_world_state_size(world);
    void *good = malloc(size), *bad = malloc(size);
    pl_world_state_save(world, good);
    for (int k = 0; k < 3; k++) {
        CHECK_OK(pl_world_state_load(world, good, size, &error), &error);
        pl_kept_push* push = kept->data;
        if (k == 0) push[0].v[2] = 1 << 30;
        if (k == 1) push[0].push = NAN;
        if (k == 2) push[0] = push[1];
        pl_world_state_save(world, bad);
        CHECK(pl_world_state_load(world, bad, size, &error) == PL_ERROR_FORMAT);
        CHECK(kept->count == 0);
    }
    sample_step(world, 1, NULL);
    free(good);
    free(bad);
    pl_world_destroy(world);
}

// The vertex of a push as its body and its number there.
static void name_vertex(const pl_world* world, int v, int name[2]) {
    for (int b = 0; b < world->body_count; b++) {
        int first = world->bodies[b].first_vertex;
        for (int s = 0; s < world->bodies[b].system; s++) first += world->systems[s].vertex_count;
        if (v < first || v >= first + world->bodies[b].mesh->vertex_count) continue;
        name[0] = b;
        name[1] = v - first;
    }
}

static void name_push(const pl_world* world, const pl_kept_push* push, int names[4][2]) {
    for (int i = 0; i < 4; i++) name_vertex(world, push->v[i], names[i]);
}

// A state with a number that the host set comes back whole, pushes included.
LONG_TEST(coupling_loads_pushes_with_numbers)
{
    pl_world *world = balls(pbd, fem, 1), *other = balls(pbd, fem, 1);
    pl_error error;
    CHECK_OK(pl_world_set(world, "bodies[0].material.young", 3e4, &error), &error);
    sample_step(world, 4, NULL);
    const size_t count = pl_world_kept_pushes(world)->count, size = pl_world_state_size(world);
    CHECK(count > 1);
    void *state = malloc(size), *again = malloc(size);
    pl_world_state_save(world, state);
    CHECK_OK(pl_world_state_load(other, state, size, &error), &error);
    CHECK_INT(pl_world_state_size(other), size);
    pl_world_state_save(other, again);
    CHECK(memcmp(state, again, size) == 0);
    sample_step(world, 1, NULL);
    sample_step(other, 1, NULL);
    CHECK(sample_world_hash(world) == sample_world_hash(other));
    free(state);
    free(again);
    pl_world_destroy(world);
    pl_world_destroy(other);
}

// Three boxes in a row that meet. The first and the last are one system until one gets a damping of
// its own, so that vertices get other numbers.
TEST(coupling_keeps_pushes_when_systems_change)
{
#define BOX(name, x, v, method)                                                                    \
    " {\"name\": \"" name "\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": "   \
    "0.1, \"size_z\": 0.1, \"edge\": 0.1}, \"transform\": {\"translate\": [" x                     \
    ", 0, 0]}, \"velocity\": [" v ", 0, 0], \"method\": \"" method "\"}"
    pl_world* world =
        sample_start("{\"pliant\": 1, \"gravity\": [0, 0, 0], \"threads\": 1, "
                     "\"bodies\": [" BOX("a", "0", "1", "fem") "," BOX(
                         "b", "0.12", "0", "pbd") "," BOX("c", "0.24", "-1", "fem") "]}");
#undef BOX
    pl_error error;
    sample_step(world, 2, NULL);
    CHECK_INT(world->system_count, 2);
    const size_t count = pl_world_kept_pushes(world)->count;
    pl_kept_push* before = malloc((count + 1) * sizeof *before);
    int(*names)[4][2] = malloc((count + 1) * sizeof *names), met[3] = {0};
    for (size_t k = 0; k < count; k++) {
        before[k] = ((const pl_kept_push*)pl_world_kept_pushes(world)->data)[k];
        name_push(world, &before[k], names[k]);
        met[names[k][0][0]]++;
        met[names[k][3][0]]++;
    }
    CHECK(met[0] > 0 && met[2] > 0);
    pl_status status = PL_ERROR_MEMORY;
    for (int64_t nth = 1; status == PL_ERROR_MEMORY; nth++) { // what fails takes nothing away
        pl_inject_failure(nth);
        status = pl_world_set(world, "bodies[2].damping.mass", 0.1, &error);
        pl_inject_failure(0);
        CHECK_INT(pl_world_kept_pushes(world)->count, count);
    }
    CHECK_OK(status, &error);
    CHECK_INT(world->system_count, 3);
    const pl_array* kept = pl_world_kept_pushes(world);
    CHECK_INT(kept->count, count);
    CHECK(pl_world_check_pushes(world));
    for (size_t k = 0; k < kept->count; k++) {
        const pl_kept_push* push = (const pl_kept_push*)kept->data + k;
        int name[4][2], found = 0;
        name_push(world, push, name);
        for (size_t j = 0; j < count; j++)
            found += memcmp(name, names[j], sizeof name) == 0 &&
                     push->is_edges == before[j].is_edges && push->push == before[j].push;
        CHECK_INT(found, 1);
    }
    sample_step(world, 1, NULL);
    CHECK_INT(pl_world_crossings(world), 0);
    free(before);
    free(names);
    pl_world_destroy(world);
}

// Bodies of which a host drags one vertex into the other no longer push, whichever of the two has
// the vertex of a pair.
TEST(coupling_forgets_pushes_of_bodies_that_cross)
{
    pl_world* world = balls(pbd, fem, 1);
    sample_step(world, 4, NULL);
    CHECK(pl_world_kept_pushes(world)->count > 1);
    double* x = pl_world_positions(world, 1);
    int nearest = 0;
    for (int v = 0; v < pl_world_mesh(world, 1)->vertex_count; v++)
        if (x[3 * v] < x[3 * nearest]) nearest = v;
    x[3 * nearest] -= 0.15;
    CHECK(pl_world_crossings(world) > 0);
    sample_step(world, 1, NULL);
    CHECK_INT(pl_world_kept_pushes(world)->count, 0);
    pl_world_destroy(world);
}

// A box that two others stop before it comes to one without inertia, which feels nothing then.
static const char stopped[] =
    "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"threads\": 1, \"bodies\": [\n"
    " {\"name\": \"runner\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": 0.3, "
    "\"size_z\": 0.1, \"edge\": 0.1}, \"velocity\": [4, 0, 0], \"material\": {\"young\": 1e7}, "
    "\"integrator\": \"euler\"},\n"
    " {\"name\": \"low\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": 0.09, "
    "\"size_z\": 0.1, \"edge\": 0.1}, \"transform\": {\"translate\": [0.108, -0.1, 0]}, "
    "\"method\": "
    "\"pbd\"},\n"
    " {\"name\": \"high\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": 0.09, "
    "\"size_z\": 0.1, \"edge\": 0.1}, \"transform\": {\"translate\": [0.108, 0.1, 0]}, \"method\": "
    "\"pbd\"},\n"
    " {\"name\": \"still\", \"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": 0.05, "
    "\"size_z\": 0.1, \"edge\": 0.1}, \"transform\": {\"translate\": [0.135, 0, 0]}, "
    "\"integrator\": \"quasistatic\"}],\n"
    " \"attachments\": [{\"body\": \"low\", \"where\": {\"side\": \"+x\"}}, {\"body\": \"high\", "
    "\"where\": {\"side\": \"+x\"}}, {\"body\": \"still\", \"where\": {\"side\": \"+x\"}}]}";

TEST(coupling_ends_before_bodies_without_inertia_step)
{
    pl_world* world = sample_start(stopped);
    const double* x = pl_world_positions(world, 3);
    const size_t size = 3 * (size_t)pl_world_mesh(world, 3)->vertex_count * sizeof *x;
    CHECK(world->bodies[3].system > world->bodies[0].system);
    double* before = malloc(size);
    memcpy(before, x, size);
    sample_step(world, 1, NULL);
    CHECK(pl_world_kept_pushes(world)->count > 1);
    for (size_t i = 0; i < size / sizeof *x; i++) CHECK_NEAR(x[i], before[i], 1e-9);
    free(before);
    pl_world_destroy(world);
}

// Two boxes that are fast enough for cuts keep their momentum.
static void check_cut(const char* left, const char* right) {
    static const char box[] =
        "\"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": "
        "0.1, \"size_z\": 0.1, \"edge\": 0.1}, \"material\": {\"young\": 2e5}";
    char text[2048];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"threads\": 1, \"bodies\": [\n"
             " {\"name\": \"left\", %s, \"velocity\": [30, 0, 0], %s},\n"
             " {\"name\": \"right\", %s, \"transform\": {\"translate\": [0.12, 0.02, 0.01]}, "
             "\"velocity\": [-20, 0, 0], %s}]}",
             box, left, box, right);
    pl_world* world = sample_start(text);
    pl_vec3 before, after, turn;
    double size, unused;
    contact_momentum(world, &before, &turn, &size);
    pl_frame_info info;
    sample_step(world, 1, &info);
    CHECK(info.retry_count > 0);
    sample_step(world, 1, NULL);
    contact_momentum(world, &after, &turn, &unused);
    CHECK_NEAR(pl_distance(before, after) / size, 0.0, 1e-9);
    pl_world_destroy(world);
}
LONG_TEST(coupling_cuts_keep_momentum)
{
    check_cut(pbd, grid);
    check_cut(grid, grid);
}

// Two boxes that are fast enough for cuts, and one of the same system that is far away.
TEST(coupling_cuts_leave_other_bodies_alone)
{
    static const char box[] =
        "\"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": "
        "0.1, \"size_z\": 0.1, \"edge\": 0.1}, \"material\": {\"young\": 2e3}";
    char text[2048];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"threads\": 1, \"bodies\": [\n"
             " {\"name\": \"left\", %s, \"velocity\": [30, 0, 0], \"method\": \"pbd\"},\n"
             " {\"name\": \"right\", %s, \"transform\": {\"translate\": [0.12, 0.02, 0.01]}, "
             "\"velocity\": [-30, 0, 0], \"method\": \"fem\"},\n"
             " {\"name\": \"far\", %s, \"transform\": {\"translate\": [0, 100, 0]}, \"method\": "
             "\"pbd\"}]}",
             box, box, box);
    pl_world* world = sample_start(text);
    sample_step(world, 1, NULL);
    CHECK_INT(pl_world_crossings(world), 0);
    for (int v = 0; v < pl_world_mesh(world, 2)->vertex_count; v++)
        CHECK_NEAR(pl_norm(pl_vec3_load(pl_world_velocities(world, 2) + 3 * v)), 0.0, 1e-9);
    pl_world_destroy(world);
}

// ---------------------------------------------------------------- a body and itself

// A sheet hangs by a line across its middle, so that both halves swing together; with `settings`.
static pl_world* swing(const char* generate, const char* settings, bool self) {
    char text[2048];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"threads\": 1, \"bodies\": [\n"
             " {\"name\": \"sheet\", \"generate\": {%s}, %s, \"contact\": {\"self\": %s}}],\n"
             " \"attachments\": [{\"body\": \"sheet\", \"where\": {\"box\": {\"min\": [0.18, -1, "
             "-1], \"max\": [0.22, 1, 1]}}}]}",
             generate, settings, self ? "true" : "false");
    return sample_start(text);
}

// It meets itself and never crosses; without contact it does.
static void check_swing(const char* generate, const char* settings, int frames) {
    pl_world *world = swing(generate, settings, true), *through = swing(generate, settings, false);
    const pl_world_body* body = &world->bodies[0];
    CHECK(pl_world_is_coupled(world, body->system) && !world->systems[0].surfaces);
    CHECK_INT(pl_world_crossings(through), -1);
    int contacts = 0, crossed = 0;
    for (int k = 0; k < frames; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        contacts += info.contact_count;
        CHECK_INT(pl_world_crossings(world), 0);
    }
    const size_t size = 3 * (size_t)pl_world_mesh(world, 0)->vertex_count * sizeof(double);
    for (int k = 0; k < frames; k++) {
        sample_step(through, 1, NULL);
        memcpy(pl_world_positions(world, 0), pl_world_positions(through, 0), size);
        crossed += pl_world_crossings(world) > 0;
    }
    CHECK(contacts > 5);
    CHECK(crossed > 0);
    pl_world_destroy(world);
    pl_world_destroy(through);
}

#define CLOTH                                                                                      \
    "\"shape\": \"cloth\", \"size_x\": 0.4, \"size_y\": 0.1, \"count_x\": 13, \"count_y\": 4"
#define PLATE                                                                                      \
    "\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.02, \"size_z\": 0.04, \"edge\": 0.02"
#define LYING "\"transform\": {\"rotate\": [-90, 0, 0]}, "
#define SOFT ", \"material\": {\"young\": 3e3, \"poisson\": 0.3}"

LONG_TEST(coupling_cloth_of_projective_dynamics_does_not_pass_itself)
{ check_swing(CLOTH, LYING "\"nonlinear\": \"projective\"", 24); }
LONG_TEST(coupling_plate_of_projective_dynamics_does_not_pass_itself)
{ check_swing(PLATE, "\"nonlinear\": \"projective\"" SOFT, 40); }
LONG_TEST(coupling_linearised_plate_of_mixed_does_not_pass_itself)
{ check_swing(PLATE, "\"method\": \"mixed\", \"nonlinear\": \"linearised\"" SOFT, 40); }
LONG_TEST(coupling_plate_of_grid_does_not_pass_itself)
{ check_swing(PLATE, "\"method\": \"grid\", \"grid\": {\"cell\": 0.01}" SOFT, 40); }

static bool pushes_itself(const char* setting) {
    static const char text[] = "{\"pliant\": 1, \"bodies\": [{\"name\": \"a\", \"generate\": "
                               "{" CLOTH "}, \"nonlinear\": \"projective\"}]}";
    pl_world* world = pbd_world(text, &setting, setting ? 1 : 0);
    const bool pushes = pl_world_couples(world, 0, 0);
    pl_world_destroy(world);
    return pushes;
}

TEST(coupling_cloth_of_projective_dynamics_meets_itself_unless_told_otherwise)
{
    CHECK(pushes_itself(NULL));
    CHECK(pushes_itself("bodies[0].contact.self=true"));
    CHECK(!pushes_itself("bodies[0].contact.self=false"));
    CHECK(!pushes_itself("bodies[0].fixed=true"));
    CHECK(!pushes_itself("bodies[0].nonlinear=linearised"));
    CHECK(!pushes_itself("bodies[0].nonlinear=newton")); // the step keeps it from itself
    CHECK(!pushes_itself("bodies[0].integrator=quasistatic"));
}

// Pairs that push stay in the list, and those that are near; others go.
TEST(coupling_drops_pairs_that_are_far_apart)
{
    pl_push_list list = pl_push_list_empty();
    const double x[12] = {0, 0.1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0};
    const double distances[3] = {0.01, 0.06, 0.01}, pushes[3] = {1.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        pl_push push = {.row = {.v = {0, 1, 2, 3},
                                .weights = {1.0, 0.0, 0.0, -1.0},
                                .normal = {0, 1, 0},
                                .distance = distances[k],
                                .push = pushes[k]}};
        CHECK(pl_array_push(&list.pushes, &push));
    }
    pl_push_list_drop(&list, x);
    const pl_push* left = list.pushes.data;
    CHECK_INT(list.pushes.count, 2);
    CHECK(left[0].row.push == 1.0 && left[1].row.distance == 0.06);
    pl_push_list_free(&list);
}
