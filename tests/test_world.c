// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The world from C and from JSON: views, the hand of a host, states, the same bits whatever the
// threads.
#include "base/memory.h"
#include "fem/fem_system.h"
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"

#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

static void step(pl_world* world, int count) {
    pl_error error;
    for (int k = 0; k < count; k++) CHECK_OK(pl_world_step(world, NULL, &error), &error);
}

// the falling box once more, with structs
static pl_scene* falling_box_in_c(void) {
    pl_error error;
    pl_scene* scene;
    CHECK_OK(pl_scene_create(&scene, &error), &error);
    scene->frames = 14, scene->substeps = 2, scene->threads = 2;
    pl_body body = pl_default_body();
    body.name = "box";
    body.shape = PL_SHAPE_GENERATE;
    const pl_shape_value values[] = {
        {"size_x", 0.1, NULL}, {"size_y", 0.1, NULL}, {"size_z", 0.1, NULL}, {"edge", 0.05, NULL}};
    body.generate = (pl_shape_maker){"box", 4, values};
    const double rotate[3] = {25, 0, 40}, translate[3] = {0, 0.15, 0}, turn[3] = {0, 90, 30};
    memcpy(body.transform.rotate, rotate, sizeof rotate);
    memcpy(body.transform.translate, translate, sizeof translate);
    memcpy(body.angular_velocity, turn, sizeof turn);
    body.integrator = PL_INTEGRATOR_BDF2;
    body.material.young = 2e4, body.material.poisson = 0.4;
    CHECK_OK(pl_scene_add_body(scene, &body, &error), &error);
    pl_collider ground = pl_default_collider();
    ground.name = "ground", ground.shape = PL_COLLIDER_PLANE, ground.friction = 0.4;
    ground.plane.normal[1] = 1.0;
    CHECK_OK(pl_scene_add_collider(scene, &ground, &error), &error);
    CHECK_OK(pl_scene_resolve(scene, &error), &error);
    return scene;
}

TEST(world_from_c_moves_as_from_json)
{
    pl_scene *in_c = falling_box_in_c(), *in_json = sample_scene(sample_falling_box);
    pl_world *a = sample_world(in_c), *b = sample_world(in_json);
    pl_scene_destroy(in_c); // the world has a copy
    pl_scene_destroy(in_json);
    CHECK(sample_world_hash(a) == sample_world_hash(b));
    step(a, 20), step(b, 20);
    CHECK(sample_world_hash(a) == sample_world_hash(b));
    CHECK_INT(pl_world_frame(a), 20);
    CHECK_NEAR(pl_world_time(a), 20.0 / 60.0, 1e-12);
    CHECK_INT(pl_world_body_count(a), 1);
    CHECK_INT(pl_world_find_body(a, "box"), 0);
    CHECK_INT(pl_world_find_body(a, "ball"), -1);
    CHECK(strcmp(pl_world_body_name(a, 0), "box") == 0);
    pl_world_destroy(a);
    pl_world_destroy(b);
}

TEST(world_views_stay_where_they_are)
{
    pl_scene* scene = sample_scene(sample_falling_box);
    pl_error error;
    CHECK_OK(pl_scene_set(scene, "bodies[0].integrator", "euler", &error), &error);
    pl_world* world = sample_world(scene);
    double *x = pl_world_positions(world, 0), *v = pl_world_velocities(world, 0),
           *f = pl_world_forces(world, 0);
    double first = x[1];
    step(world, 15);
    CHECK(x == pl_world_positions(world, 0) && v == pl_world_velocities(world, 0) &&
          f == pl_world_forces(world, 0));
    CHECK(x[1] < first);
    // what is written there counts: all lifted by a metre, all at rest
    int count = pl_world_mesh(world, 0)->vertex_count;
    for (int i = 0; i < count; i++) {
        x[3 * i + 1] += 1.0;
        v[3 * i] = v[3 * i + 1] = v[3 * i + 2] = 0.0;
    }
    double lifted = x[1];
    pl_frame_info info;
    CHECK_OK(pl_world_step(world, &info, &error), &error);
    CHECK_INT(info.contact_count, 0);
    CHECK_NEAR(x[1], lifted, 0.05);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

static double mean_of(const double* x, int count, int axis) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += x[3 * i + axis] / count;
    return sum;
}

TEST(world_forces_of_the_host_accelerate)
{
    pl_scene* scene = sample_scene(sample_falling_box);
    pl_error error;
    CHECK_OK(pl_scene_set(scene, "gravity", "[0, 0, 0]", &error), &error);
    CHECK_OK(pl_scene_set(scene, "bodies[0].angular_velocity", "[0, 0, 0]", &error), &error);
    CHECK_OK(pl_scene_set(scene, "bodies[0].integrator", "euler", &error), &error);
    pl_world* world = sample_world(scene);
    // 1 kg pushed by 2 N for 10 steps of 1/120 s: v = 2 t exactly, x by implicit Euler
    int count = pl_world_mesh(world, 0)->vertex_count;
    double* f = pl_world_forces(world, 0);
    for (int i = 0; i < count; i++) f[3 * i] = 2.0 / count;
    double before = 0.0, momentum = 0.0;
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    before = mean_of(mesh->positions, count, 0);
    pl_frame_info info;
    for (int k = 0; k < 5; k++) CHECK_OK(pl_world_step(world, &info, &error), &error);
    // 2 E = m v^2 as long as it moves as a whole; the body is soft, so only nearly
    momentum = sqrt(2.0 * info.kinetic_energy);
    CHECK_NEAR(momentum, 2.0 * 5.0 / 60.0, 0.02);
    CHECK(mean_of(pl_world_positions(world, 0), count, 0) > before);
    memset(f, 0, 3 * (size_t)count * sizeof(double));
    double energy = info.kinetic_energy;
    CHECK_OK(pl_world_step(world, &info, &error), &error);
    CHECK(info.kinetic_energy < 1.05 * energy);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

TEST(world_handles_hold_move_and_let_go)
{
    pl_scene* scene = sample_scene(sample_falling_box);
    pl_world* world = sample_world(scene);
    double* x = pl_world_positions(world, 0);
    CHECK_INT(pl_world_grab(world, 1, 0, 100.0), -1);
    CHECK_INT(pl_world_grab(world, 0, 1000, 100.0), -1);
    CHECK_INT(pl_world_grab(world, 0, -1, 100.0), -1);
    int handle = pl_world_grab(world, 0, 3, 1e4);
    CHECK(handle >= 0);
    double held[3] = {x[9], x[10], x[11]};
    step(world, 30);
    CHECK_NEAR(x[10], held[1], 0.01); // it hangs there
    for (int k = 1; k <= 30; k++) {
        pl_world_move(world, handle, held[0] + 0.01 * k, held[1], held[2]);
        step(world, 1);
    }
    CHECK_NEAR(x[9], held[0] + 0.3, 0.02);
    int second = pl_world_grab(world, 0, 4, 1e4);
    CHECK(second != handle);
    pl_world_release(world, handle);
    CHECK_INT(pl_world_grab(world, 0, 3, 1.0), handle); // its place is free again
    pl_world_release(world, handle);
    pl_world_release(world, second);
    pl_world_release(world, 77); // nothing
    pl_world_move(world, -1, 0, 0, 0);
    step(world, 12);
    CHECK(x[10] < held[1] - 0.02);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

TEST(world_state_goes_back_to_the_same_bits)
{
    pl_scene* scene = sample_scene(sample_falling_box);
    pl_world *world = sample_world(scene), *other = sample_world(scene);
    pl_error error;
    step(world, 9);
    size_t size = pl_world_state_size(world);
    void* state = malloc(size);
    CHECK(state != NULL);
    pl_world_state_save(world, state);
    step(world, 9);
    uint64_t end = sample_world_hash(world);
    CHECK_OK(pl_world_state_load(other, state, size, &error), &error); // in another world
    CHECK_INT(pl_world_frame(other), 9);
    step(other, 9);
    CHECK(sample_world_hash(other) == end);
    CHECK_OK(pl_world_state_load(world, state, size, &error), &error); // and back in time
    step(world, 9);
    CHECK(sample_world_hash(world) == end);
    CHECK(pl_world_state_load(world, state, size - 1, &error) == PL_ERROR_FORMAT);
    CHECK_TEXT(error.text, "another scene");
    ((char*)state)[1] ^= 1;
    CHECK(pl_world_state_load(world, state, size, &error) == PL_ERROR_FORMAT);
    CHECK(sample_world_hash(world) == end);
    free(state);
    pl_world_destroy(world);
    pl_world_destroy(other);
    pl_scene_destroy(scene);
}

TEST(world_same_bits_for_any_threads)
{
    static const char* const solvers[] = {"direct", "pcg", "icpcg"};
    static const char* const threads[] = {"1", "2", "4"};
    char fine[2048];
    const char* edge = strstr(sample_falling_box, "0.05");
    snprintf(fine, sizeof fine, "%.*s0.02%s", (int)(edge - sample_falling_box), sample_falling_box,
             edge + 4);
    for (int s = 0; s < 3; s++) {
        uint64_t hash[3];
        for (int t = 0; t < 3; t++) {
            pl_scene* scene = sample_scene(fine);
            pl_error error;
            CHECK_OK(pl_scene_set(scene, "threads", threads[t], &error), &error);
            CHECK_OK(pl_scene_set(scene, "bodies[0].linear", solvers[s], &error), &error);
            pl_world* world = sample_world(scene);
            step(world, 3);
            hash[t] = sample_world_hash(world);
            pl_world_destroy(world);
            pl_scene_destroy(scene);
        }
        CHECK(hash[0] == hash[1] && hash[1] == hash[2]);
    }
}

TEST(world_step_allocates_nothing)
{
    pl_scene* scene = sample_scene(sample_falling_box);
    pl_error error;
    CHECK_OK(pl_scene_set(scene, "bodies[0].linear", "pcg", &error), &error);
    CHECK_OK(pl_scene_set(scene, "bodies[0].transform.translate", "[0, 0.08, 0]", &error), &error);
    pl_curve curve = pl_default_curve();
    curve.value = -9.81, curve.amplitude = 1.0, curve.frequency = 2.0;
    CHECK_OK(pl_scene_animate(scene, "gravity[1]", &curve, &error), &error);
    pl_world* world = sample_world(scene);
    CHECK(pl_world_grab(world, 0, 0, 1.0) >= 0);
    step(world, 12); // until it lies on the ground
    pl_inject_failure(0);
    step(world, 12);
    CHECK_INT(pl_inject_failure(0), 0);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

TEST(world_create_survives_every_failing_allocation)
{
    pl_scene* scene = sample_scene(sample_falling_box);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_world* world;
        pl_error error;
        pl_inject_failure(nth);
        pl_status status = pl_world_create(scene, &world, NULL, &error);
        pl_inject_failure(0);
        if (status == PL_OK) {
            CHECK(nth > 50);
            pl_world_destroy(world);
            break;
        }
        if (status != PL_ERROR_MEMORY || pl_byte_count() != before)
            pl_test_fail(__FILE__, __LINE__, "allocation %d: %s: %s, %d bytes are left", (int)nth,
                         pl_status_text(status), error.text, (int)(pl_byte_count() - before));
        CHECK(world == NULL);
    }
    pl_scene_destroy(scene);
}

// the systems that went well are taken back when a later one fails
TEST(world_failed_frame_leaves_the_one_before)
{
    pl_scene* scene = sample_scene(sample_falling_box);
    pl_error error;
    pl_body second = scene->bodies[0];
    second.name = "second";
    second.integrator = PL_INTEGRATOR_EULER;
    CHECK_OK(pl_scene_add_body(scene, &second, &error), &error);
    pl_world* world = sample_world(scene);
    step(world, 3);
    uint64_t before = sample_world_hash(world);
    double* force = pl_world_forces(world, 1);
    force[0] = NAN;
    CHECK(pl_world_step(world, NULL, &error) == PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "\"second\": the force on vertex 0 is not finite");
    CHECK(sample_world_hash(world) == before && pl_world_frame(world) == 3);
    CHECK_NEAR(pl_world_time(world), 3.0 / 60.0, 1e-12);
    force[0] = 0.0; // and it goes on
    step(world, 1);
    CHECK_INT(pl_world_frame(world), 4);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

TEST(world_refuses_by_name_what_it_cannot_do)
{
    static const struct {
        const char *path, *value, *message;
    } cases[] = {
        {"bodies[0].contact.self", "true", "bodies[0].contact.self"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        pl_scene* scene = sample_scene(sample_falling_box);
        pl_error error;
        pl_world* world;
        CHECK_OK(pl_scene_set(scene, "bodies[0].nonlinear", "\"linearised\"", &error), &error);
        CHECK_OK(pl_scene_set(scene, "bodies[0].integrator", "\"quasistatic\"", &error), &error);
        CHECK_OK(pl_scene_set(scene, cases[k].path, cases[k].value, &error), &error);
        CHECK(pl_world_create(scene, &world, NULL, &error) == PL_ERROR_UNSUPPORTED);
        CHECK_TEXT(error.text, cases[k].message);
        pl_scene_destroy(scene);
    }
    pl_scene* empty;
    pl_error error;
    pl_world* world;
    CHECK_OK(pl_scene_create(&empty, &error), &error);
    CHECK(pl_world_create(empty, &world, NULL, &error) == PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "no bodies");
    pl_scene_destroy(empty);
}

// the linear solver that a world takes for a body by Projective Dynamics
static pl_linear projective_linear(const char* shape, double edge, bool fixed) {
    char text[256];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"body\", \"nonlinear\": \"projective\", "
             "\"generate\": {\"shape\": \"%s\", \"edge\": %g}, \"fixed\": %s}]}",
             shape, edge, fixed ? "true" : "false");
    pl_scene* scene = sample_scene(text);
    pl_error error;
    pl_world* world;
    CHECK_OK(pl_world_create(scene, &world, NULL, &error), &error);
    pl_linear linear = world->scene->bodies[0].linear;
    pl_world_destroy(world);
    pl_scene_destroy(scene);
    return linear;
}

LONG_TEST(world_chooses_linear_solver_of_projective)
{
    CHECK_INT(projective_linear("box", 1.0, false), PL_LINEAR_DIRECT);     // below 50 vertices
    CHECK_INT(projective_linear("box", 0.2, false), PL_LINEAR_MGPCG);      // 216
    CHECK_INT(projective_linear("box", 0.125, false), PL_LINEAR_MGPCG);    // 729
    CHECK_INT(projective_linear("box", 0.058, false), PL_LINEAR_MGPCG);    // 6859 and more
    CHECK_INT(projective_linear("cloth", 0.05, false), PL_LINEAR_MGPCG);   // 441
    CHECK_INT(projective_linear("cloth", 0.0125, true), PL_LINEAR_DIRECT); // 6561
}

// steps of one length are the same to the last bit, so that a constant matrix stays as it is
TEST(world_steps_of_one_length_need_one_matrix)
{
    pl_scene* scene =
        sample_scene("{\"pliant\": 1, \"bodies\": [{\"nonlinear\": \"projective\", \"linear\": "
                     "\"multigrid\", \"integrator\": \"euler\", \"generate\": {\"shape\": \"box\", "
                     "\"edge\": 0.25}}]}");
    pl_world* world = sample_world(scene);
    double inertia = 0.0;
    for (int frame = 0; frame < 8; frame++) {
        step(world, 1);
        const pl_projective_fast* p = pl_fem_projective_of(world->systems[0].data);
        if (frame == 0) inertia = p->inertia;
        CHECK(p->inertia == inertia);
    }
    CHECK_NEAR(inertia, 3600.0, 1e-9);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

TEST(world_says_which_keys_of_multigrid_are_not_used)
{
    pl_scene* scene = sample_scene(
        "{\"pliant\": 1, \"bodies\": [{\"name\": \"cube\", \"generate\": {\"shape\": \"box\",\n"
        " \"edge\": 0.5}, \"nonlinear\": \"projective\", \"multigrid\": {\"post_sweeps\": 3}}]}");
    pl_error error;
    pl_notes* notes;
    pl_world* world;
    CHECK(pl_notes_create(&notes) == PL_OK);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    CHECK_INT(pl_notes_count(notes), 1);
    CHECK_TEXT(pl_notes_text(notes, 0, NULL), "post_sweeps 3");
    pl_world_destroy(world);
    pl_notes_destroy(notes);
    pl_scene_destroy(scene);
}
