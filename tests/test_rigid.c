// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Rigid bodies that touch nothing: mass, flight, tumbling, attachments, what a host does.
#include "base/notes.h"
#include "contact_samples.h"
#include "mesh/surface.h"
#include "rigid/rigid_mass.h"
#include "rigid/rigid_system.h"
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"

#include <stdlib.h>
#include <string.h>

static const pl_rigid_body* rigid_of(const pl_world* world, int k) {
    return &((const pl_rigid_system*)world->systems[0].data)->bodies[k];
}

static pl_world* start_box(const char* more, const char* scene) {
    char text[2048];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"box\", \"rigid\": true, "
             "\"generate\": {\"shape\": \"box\", \"size_x\": 0.3, \"size_y\": 0.2, \"size_z\": "
             "0.1, \"edge\": 0.1}, \"material\": {\"density\": 500}%s}]%s}",
             more, scene);
    return sample_start(text);
}

TEST(rigid_mass_and_inertia_of_a_box)
{
    pl_world* world = start_box(", \"transform\": {\"translate\": [10, 20, 30]}", "");
    const pl_rigid_body* b = rigid_of(world, 0);
    const double m = 500 * 0.3 * 0.2 * 0.1, x = 0.09, y = 0.04, z = 0.01;
    const double theory[9] = {m / 12 * (y + z), 0, 0, 0, m / 12 * (x + z), 0, 0, 0,
                              m / 12 * (x + y)};
    CHECK_NEAR(b->mass, m, 1e-12);
    CHECK_NEAR(pl_distance(b->state.centre, (pl_vec3){10.15, 20.1, 30.05}), 0.0, 1e-12);
    for (int k = 0; k < 9; k++) CHECK_NEAR(b->inertia.m[k], theory[k], 1e-12);
    pl_world_destroy(world);
}

TEST(rigid_mass_and_inertia_of_a_ball)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"bodies\": [{\"rigid\": true, \"generate\": {\"shape\": \"sphere\", "
        "\"radius\": 0.5, \"edge\": 0.06}, \"material\": {\"density\": 1000}}]}");
    const pl_rigid_body* b = rigid_of(world, 0);
    const double m = 1000 * 4.0 / 3.0 * PL_PI * 0.125;
    CHECK(fabs(b->mass / m - 1.0) < 0.02); // of a polyhedron
    CHECK(fabs(b->inertia.m[0] / (0.4 * m * 0.25) - 1.0) < 0.03);
    CHECK(fabs(b->inertia.m[1]) < 1e-3 * b->inertia.m[0]);
    pl_world_destroy(world);
}

// what the surface of tets encloses is what the tets fill; vertices have the body's centre
TEST(rigid_surface_has_the_mass_of_its_tets)
{
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"bodies\": [{\"rigid\": true, \"generate\": {\"shape\": \"gummy_bear\", "
        "\"edge\": 0.02}, \"material\": {\"density\": 700}}]}");
    const pl_world_body* body = &world->bodies[0];
    const pl_rigid_body* b = rigid_of(world, 0);
    pl_body def = *body->def;
    const pl_method_body surface = {.body = &def, .mesh = body->surface->mesh};
    double* shares = calloc((size_t)surface.mesh->vertex_count, sizeof(double));
    pl_rigid_mass mass;
    pl_error error;
    CHECK_OK(pl_rigid_mass_find(&surface, &mass, shares, &error), &error);
    CHECK_NEAR(mass.mass / b->mass, 1.0, 1e-12);
    CHECK_NEAR(pl_distance(mass.centre, b->state.centre), 0.0, 1e-12);
    CHECK_NEAR(pl_mat3_norm(pl_mat3_sub(mass.inertia, b->inertia)) / pl_mat3_norm(b->inertia), 0.0,
               1e-12);
    pl_vec3 centre = {0, 0, 0};
    double all = 0.0;
    for (int v = 0; v < surface.mesh->vertex_count; v++) {
        CHECK(shares[v] > 0.0);
        all += shares[v];
        centre =
            pl_madd(centre, shares[v] / mass.mass, pl_vec3_load(surface.mesh->positions + 3 * v));
    }
    CHECK_NEAR(all / mass.mass, 1.0, 1e-12);
    CHECK_NEAR(pl_distance(centre, mass.centre), 0.0, 1e-12);
    free(shares);
    pl_world_destroy(world);
}

TEST(rigid_falls_exactly)
{
    pl_world* world =
        start_box(", \"velocity\": [1, 2, 0], \"angular_velocity\": [50, 300, 20]", "");
    const pl_vec3 start = rigid_of(world, 0)->state.centre;
    sample_step(world, 60, NULL);
    const pl_vec3 end = rigid_of(world, 0)->state.centre;
    CHECK_NEAR(end.x - start.x, 1.0, 1e-12);
    CHECK_NEAR(end.y - start.y, 2.0 - 0.5 * 9.81, 1e-11);
    CHECK_NEAR(pl_rigid_velocity(rigid_of(world, 0)).y, 2.0 - 9.81, 1e-11);
    pl_world_destroy(world);
}

// Euler's equations by the classical Runge-Kutta method, in the frame of the body
static void derive(const double I[3], const double s[7], double out[7]) {
    const double *w = s, *q = s + 3; // q: x y z w
    out[0] = (I[1] - I[2]) / I[0] * w[1] * w[2];
    out[1] = (I[2] - I[0]) / I[1] * w[2] * w[0];
    out[2] = (I[0] - I[1]) / I[2] * w[0] * w[1];
    out[3] = 0.5 * (q[3] * w[0] + q[1] * w[2] - q[2] * w[1]);
    out[4] = 0.5 * (q[3] * w[1] + q[2] * w[0] - q[0] * w[2]);
    out[5] = 0.5 * (q[3] * w[2] + q[0] * w[1] - q[1] * w[0]);
    out[6] = -0.5 * (q[0] * w[0] + q[1] * w[1] + q[2] * w[2]);
}

static void tumble(const double I[3], double s[7], double time, int count) {
    const double h = time / count;
    for (int k = 0; k < count; k++) {
        double a[7], b[7], c[7], d[7], at[7];
        derive(I, s, a);
        for (int i = 0; i < 7; i++) at[i] = s[i] + 0.5 * h * a[i];
        derive(I, at, b);
        for (int i = 0; i < 7; i++) at[i] = s[i] + 0.5 * h * b[i];
        derive(I, at, c);
        for (int i = 0; i < 7; i++) at[i] = s[i] + h * c[i];
        derive(I, at, d);
        for (int i = 0; i < 7; i++) s[i] += h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]);
    }
}

// About its middle axis a box does not spin steadily: it turns over again and again.
TEST(rigid_tumbles_as_theory_says)
{
    pl_world* world = start_box(", \"angular_velocity\": [5, 500, 3]", ", \"gravity\": [0, 0, 0]");
    pl_rigid_body first = *rigid_of(world, 0);
    const double rad = PL_PI / 180.0;
    const double I[3] = {first.inertia.m[0], first.inertia.m[4], first.inertia.m[8]};
    double s[7] = {5 * rad, 500 * rad, 3 * rad, 0, 0, 0, 1}, energy = 0, low = 1e9, high = 0;
    const pl_vec3 L = {I[0] * s[0], I[1] * s[1], I[2] * s[2]};
    double lowest = 1.0;
    for (int k = 0; k < 600; k++) {
        pl_frame_info info;
        sample_step(world, 1, &info);
        if (k == 0) energy = info.kinetic_energy;
        low = fmin(low, info.kinetic_energy), high = fmax(high, info.kinetic_energy);
        const pl_rigid_body* b = rigid_of(world, 0);
        CHECK_NEAR(pl_distance(b->state.angular_momentum, L) / pl_norm(L), 0.0, 1e-10);
        const pl_mat3 R = pl_rigid_rotation(&b->state);
        lowest = fmin(lowest, R.m[4]); // where the middle axis points
        if (k != 89) continue;
        tumble(I, s, 1.5, 20000);
        const pl_mat3 exact = pl_quat_to_mat3((pl_quat){s[3], s[4], s[5], s[6]});
        CHECK_NEAR(pl_mat3_norm(pl_mat3_sub(R, exact)), 0.0, 0.05);
    }
    CHECK(lowest < -0.9); // it turned over
    CHECK(high - low < 1e-3 * energy);
    pl_world_destroy(world);
}

// ------------------------------------------------------------------ attachments

TEST(rigid_hangs_on_springs)
{
    pl_world* world = start_box(
        ", \"damping\": {\"mass\": 5}",
        ", \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"+y\"}, \"stiffness\": "
        "100}]");
    const double top = pl_world_positions(world, 0)[1];
    sample_step(world, 240, NULL);
    pl_reaction reaction;
    pl_error error;
    CHECK_OK(pl_world_attachment_reaction(world, 0, &reaction, &error), &error);
    const double weight = 3.0 * 9.81;
    CHECK_NEAR(fabs(reaction.force[1]), weight, 1e-3 * weight);
    const double sag = weight / (100.0 * world->attachments[0].count);
    CHECK_NEAR(pl_world_positions(world, 0)[1], top - sag, 1e-3 * sag);
    pl_world_destroy(world);
}

// A box on the hinge of its upper edge swings as a physical pendulum: a small swing takes
// 2 pi sqrt((I + m d^2) / (m g d)).
TEST(rigid_swings_on_a_hinge)
{
    pl_world* world = start_box(
        ", \"velocity\": [0, 0, 0.05]",
        ", \"time_step\": 0.005, \"attachments\": [{\"body\": \"box\", \"where\": {\"and\": "
        "[{\"side\": \"+y\"}, {\"side\": \"-z\"}]}}]");
    const pl_rigid_body* b = rigid_of(world, 0);
    const pl_vec3 axis = {0.15, 0.2, 0.0};
    const double d = pl_norm(pl_sub(b->state.centre, axis)), m = b->mass;
    const double period = 2.0 * PL_PI * sqrt((b->inertia.m[0] + m * d * d) / (m * 9.81 * d));
    const int vertex = world->attachments[0].vertices[0];
    const pl_vec3 held = pl_vec3_load(pl_world_positions(world, 0) + 3 * vertex);
    // it swings about where the centre is below the hinge: count passages there
    int passages = 0;
    double first = 0.0, last = 0.0, before = b->state.centre.z;
    for (int k = 0; k < 1000; k++) {
        sample_step(world, 1, NULL);
        const double z = b->state.centre.z, time = 0.005 * (k + 1);
        if ((before < 0.0) != (z < 0.0)) {
            last = time - 0.005 * z / (z - before);
            if (passages++ == 0) first = last;
        }
        before = z;
    }
    CHECK(passages > 6);
    const double swing = 2.0 * (last - first) / (passages - 1);
    // the swing begins at 27 degrees: 1 + a^2 / 16
    CHECK_NEAR(swing / period, 1.0, 0.03);
    const pl_vec3 now = pl_vec3_load(pl_world_positions(world, 0) + 3 * vertex);
    CHECK_NEAR(pl_distance(held, now), 0.0, 1e-5);
    pl_world_destroy(world);
}

// Three points that are not on a line hold it exactly, and carry its weight.
TEST(rigid_follows_what_holds_it)
{
    pl_world* world = start_box("", ", \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": "
                                    "\"-x\"}, \"motion\": {\"spin_axis\": [0, 0, 1], "
                                    "\"spin_rate\": 90}}]");
    sample_step(world, 60, NULL);
    const pl_rigid_body* b = rigid_of(world, 0);
    // turned by 90 degrees about the middle of that side
    CHECK_NEAR(pl_distance(b->state.centre, (pl_vec3){0.0, 0.1 + 0.15, 0.05}), 0.0, 1e-9);
    const double rate = pl_rigid_angular_velocity(b, &b->state).z;
    CHECK_NEAR(rate, PL_PI / 2.0, 1e-6);
    pl_reaction reaction;
    pl_error error;
    CHECK_OK(pl_world_attachment_reaction(world, 0, &reaction, &error), &error);
    const double pull = b->mass * 0.15 * rate * rate; // towards the axis
    CHECK_NEAR(reaction.force[1], b->mass * 9.81 - pull, 0.1 * pull);
    pl_world_destroy(world);
}

// ------------------------------------------------------------------ hosts

TEST(rigid_takes_over_what_a_host_writes)
{
    pl_world* world = start_box("", ", \"gravity\": [0, 0, 0]");
    const int count = pl_world_mesh(world, 0)->vertex_count;
    double *x = pl_world_positions(world, 0), *v = pl_world_velocities(world, 0);
    // turned by a quarter about z and moved, spinning about x
    for (int k = 0; k < count; k++) {
        const pl_vec3 at = pl_vec3_load(x + 3 * k);
        pl_vec3_store(x + 3 * k, (pl_vec3){-at.y + 1.0, at.x, at.z});
    }
    const pl_vec3 centre = {-0.1 + 1.0, 0.15, 0.05};
    for (int k = 0; k < count; k++) {
        const pl_vec3 arm = pl_sub(pl_vec3_load(x + 3 * k), centre);
        pl_vec3_store(v + 3 * k, pl_add((pl_vec3){1, 0, 0}, pl_cross((pl_vec3){2, 0, 0}, arm)));
    }
    sample_step(world, 60, NULL);
    const pl_rigid_body* b = rigid_of(world, 0);
    CHECK_NEAR(pl_distance(b->state.centre, pl_add(centre, (pl_vec3){1, 0, 0})), 0.0, 1e-10);
    CHECK_NEAR(pl_norm(pl_rigid_angular_velocity(b, &b->state)), 2.0, 0.05);
    // a push on one vertex keeps its momentum, and the body stays the box that it is
    const double mass = world->systems[0].method->masses(world->systems[0].data)[0];
    const pl_vec3 before = b->state.momentum;
    v[1] += 3.0;
    x[2] += 0.01;
    sample_step(world, 1, NULL);
    CHECK_NEAR(b->state.momentum.y - before.y, 3.0 * mass, 1e-12);
    double longest = 0.0;
    for (int k = 0; k < count; k++)
        longest =
            fmax(longest, fabs(pl_distance(pl_vec3_load(x + 3 * k), pl_vec3_load(x)) -
                               pl_distance(pl_vec3_load(b->arms + 3 * k), pl_vec3_load(b->arms))));
    CHECK(longest < 1e-12);
    pl_world_destroy(world);
}

// ------------------------------------------------------------------ refusals

static void check_refused(const char* body, const char* more, const char* said) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", \"rigid\": true, %s}]%s}", body, more);
    const char* path = pl_test_path("refused.json");
    pl_test_write_file(path, text, strlen(text));
    pl_scene* scene = NULL;
    pl_world* world = NULL;
    pl_error error = {0};
    pl_status status = pl_scene_read(path, NULL, 0, &scene, NULL, &error);
    if (status == PL_OK) status = pl_world_create(scene, &world, NULL, &error);
    CHECK(status != PL_OK);
    CHECK_TEXT(error.text, said);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}

#define BOX "\"generate\": {\"shape\": \"box\", \"edge\": 0.5}"
TEST(rigid_refuses_what_it_cannot_do)
{
    check_refused("\"generate\": {\"shape\": \"cloth\"}", "", "\"cloth\" does not work with");
    check_refused(BOX ", \"integrator\": \"quasistatic\"", "", "integrator");
    check_refused(BOX ", \"contact\": {\"self\": true}", "", "a rigid body cannot collide");
    check_refused(BOX ", \"eigenfit\": {}", "", "eigenfit");
    check_refused(BOX,
                  ", \"attachments\": [{\"body\": \"b\", \"where\": {\"side\": \"-x\"}, "
                  "\"hold\": [\"x\"]}]",
                  "does not work with method \"rigid\"");
}

TEST(rigid_refuses_surfaces_without_inside)
{
    static const double positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    pl_body def = pl_default_body();
    pl_rigid_mass mass;
    pl_error error;
    double shares[4];
    for (int count = 3; count <= 4; count++) {
        pl_mesh* mesh;
        CHECK_OK(pl_mesh_create(positions, 4, NULL, 0, triangles, count, &mesh, &error), &error);
        const pl_method_body body = {.body = &def, .mesh = mesh};
        const pl_status status = pl_rigid_mass_find(&body, &mass, shares, &error);
        CHECK_INT(status, count == 4 ? PL_OK : PL_ERROR_MESH);
        if (count == 3) CHECK_TEXT(error.text, "must be closed");
        pl_mesh_destroy(mesh);
    }
    CHECK_NEAR(mass.mass, def.material.density / 6.0, 1e-9);
}

TEST(rigid_notes_keys_without_effect)
{
    pl_scene* scene = sample_scene("{\"pliant\": 1, \"bodies\": [{\"rigid\": true, " BOX
                                   ", \"material\": {\"young\": 1e7}}]}");
    pl_notes* notes;
    pl_world* world;
    pl_error error;
    bool said = false;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    for (int k = 0; k < pl_notes_count(notes); k++)
        said |= strstr(pl_notes_text(notes, k, NULL),
                       "material.young has no effect with method rigid") != NULL;
    CHECK(said);
    pl_notes_destroy(notes);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
}
