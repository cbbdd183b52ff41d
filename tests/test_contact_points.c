// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Contact points against weights, the forces of colliders, and Newton's third law.
#include "base/memory.h"
#include "contact_samples.h"
#include "mesh/mesh_source.h"
#include "pbd_samples.h"
#include "record/contact_table.h"
#include "record/export.h"
#include "record/marks.h"
#include "record/run_folder.h"
#include "record/show.h"
#include "run_samples.h"
#include "test.h"
#include "world/world_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOX                                                                                        \
    "\"generate\": {\"shape\": \"box\", \"size_x\": 0.1, \"size_y\": 0.1, \"size_z\": 0.1, "       \
    "\"edge\": 0.1}, \"material\": {\"young\": 1e5}, \"damping\": {\"mass\": 20}, "                \
    "\"contact\": {\"thickness\": 0.0005}"

// Two boxes of 1 kg on the ground, the one on the other.
static const char boxes[] =
    "{\"pliant\": 1, \"threads\": 1, \"bodies\": [{\"name\": \"low\", " BOX "},\n"
    " {\"name\": \"high\", " BOX ", \"transform\": {\"translate\": [0, 0.1, 0]}}],\n"
    " \"colliders\": [{\"name\": \"ground\", \"plane\": {}}]}";

static double mass_of(const pl_world* world, int b) {
    const pl_world_body* body = &world->bodies[b];
    const pl_world_system* system = &world->systems[body->system];
    double sum = 0.0;
    for (int v = 0; v < body->mesh->vertex_count; v++)
        sum += system->method->masses(system->data)[body->first_vertex + v];
    return sum;
}

// The force on a body: of all contacts, with one collider, or with others.
static pl_vec3 force_on(const pl_world* world, int body, int collider) {
    const pl_contact_point* contacts;
    const int count = pl_world_contacts(world, &contacts);
    pl_vec3 sum = {0, 0, 0};
    for (int k = 0; k < count; k++) {
        const pl_contact_point* c = &contacts[k];
        double force[3];
        pl_contact_force(c, force);
        if (collider >= 0 && c->collider != collider) continue;
        if (body < 0 || c->body == body) sum = pl_add(sum, pl_vec3_load(force));
        if (body >= 0 && c->other_body == body) sum = pl_sub(sum, pl_vec3_load(force));
    }
    return sum;
}

static void check_contacts(const pl_world* world) {
    const pl_contact_point* contacts;
    const int count = pl_world_contacts(world, &contacts);
    CHECK(count > 0);
    for (int k = 0; k < count; k++) {
        const pl_contact_point* c = &contacts[k];
        CHECK((c->collider >= 0) != (c->other_body >= 0));
        CHECK(c->body >= 0 && c->body < 2 && c->other_body < 2);
        CHECK_NEAR(pl_norm(pl_vec3_load(c->normal)), 1.0, 1e-6);
        CHECK_NEAR(pl_dot(pl_vec3_load(c->normal), pl_vec3_load(c->friction)), 0.0, 1e-6);
        CHECK(c->vertices[0] >= 0 || c->collider >= 0);
        CHECK(fabs(c->distance) < 0.02);
        CHECK(c->point[1] > -0.01 && c->point[1] < 0.12);
        if (c->other_body >= 0) CHECK(c->point[1] > 0.08 && c->other_vertices[1] >= 0);
    }
}

// What carries the boxes after a while is their weight.
static void check_weights(const char* first, const char* second, double tolerance) {
    char methods[2][64];
    snprintf(methods[0], sizeof methods[0], "bodies[0].method=%s", first);
    snprintf(methods[1], sizeof methods[1], "bodies[1].method=%s", second);
    const char* settings[] = {methods[0], methods[1]};
    pl_world* world = pbd_world(boxes, settings, 2);
    pl_error error;
    const pl_contact_point* none;
    sample_step(world, 1, NULL);
    CHECK_INT(pl_world_contacts(world, &none), 0); // nobody asked
    pl_world_tell_contacts(world, true);
    sample_step(world, 60, NULL);
    check_contacts(world);
    const double low = 9.81 * mass_of(world, 0), high = 9.81 * mass_of(world, 1);
    CHECK_NEAR(force_on(world, 1, -1).y, high, tolerance * high);
    CHECK_NEAR(force_on(world, 0, -1).y, low, tolerance * low);
    CHECK_NEAR(force_on(world, -1, 0).y, low + high, tolerance * (low + high));
    double ground[3];
    CHECK_OK(pl_world_collider_force(world, 0, ground, &error), &error);
    CHECK_NEAR(pl_distance(pl_vec3_load(ground), force_on(world, -1, 0)), 0.0, 1e-9 * (low + high));
    pl_world_tell_contacts(world, false);
    sample_step(world, 1, NULL);
    CHECK_INT(pl_world_contacts(world, &none), 0);
    pl_world_destroy(world);
}

TEST(contact_points_carry_weight_fem)
{ check_weights("fem", "fem", 0.02); }
TEST(contact_points_carry_weight_mixed)
{ check_weights("mixed", "mixed", 0.02); }
LONG_TEST(contact_points_carry_weight_pbd)
{ check_weights("pbd", "pbd", 0.05); }
LONG_TEST(contact_points_carry_weight_between_methods)
{ check_weights("pbd", "fem", 0.05); }

LONG_TEST(contact_points_carry_weight_grid)
{
    const char* settings[] = {"bodies[0].method=grid", "bodies[1].contact.bodies=false",
                              "bodies[1].transform.translate=[1, 0, 0]"};
    pl_world* world = pbd_world(boxes, settings, 3);
    pl_world_tell_contacts(world, true);
    sample_step(world, 20, NULL);
    double ground[3];
    pl_error error;
    CHECK_OK(pl_world_collider_force(world, 0, ground, &error), &error);
    const double weight = 9.81 * (mass_of(world, 0) + mass_of(world, 1));
    CHECK_NEAR(force_on(world, -1, 0).y, weight, 0.1 * weight);
    CHECK_NEAR(pl_distance(pl_vec3_load(ground), force_on(world, -1, 0)), 0.0, 1e-9 * weight);
    pl_world_destroy(world);
}

// Asking changes nothing, and what is told is the same on three threads.
TEST(contact_points_same_bits)
{
    const char* settings[] = {"threads=3", "bodies[1].method=pbd"};
    pl_world* worlds[3];
    for (int k = 0; k < 3; k++) {
        worlds[k] = pbd_world(boxes, k == 1 ? settings : settings + 1, k == 1 ? 2 : 1);
        if (k < 2) pl_world_tell_contacts(worlds[k], true);
        sample_step(worlds[k], 5, NULL);
    }
    CHECK(sample_world_hash(worlds[0]) == sample_world_hash(worlds[2]));
    const pl_contact_point *a, *b;
    const int count = pl_world_contacts(worlds[0], &a);
    CHECK(count > 0);
    CHECK_INT(pl_world_contacts(worlds[1], &b), count);
    CHECK(memcmp(a, b, (size_t)count * sizeof *a) == 0);
    // warm frames do not allocate
    pl_inject_failure(0);
    sample_step(worlds[0], 1, NULL);
    CHECK_INT(pl_inject_failure(0), 0);
    for (int k = 0; k < 3; k++) pl_world_destroy(worlds[k]);
}

TEST(contact_points_survive_lack_of_memory)
{
    pl_world* world = sample_start(boxes);
    pl_world_tell_contacts(world, true);
    pl_error error;
    pl_status status = PL_ERROR_MEMORY;
    for (int64_t nth = 1; status != PL_OK; nth++) {
        pl_inject_failure(nth);
        status = pl_world_step(world, NULL, &error);
        pl_inject_failure(0);
        CHECK(status == PL_OK || status == PL_ERROR_MEMORY);
    }
    const pl_contact_point* contacts;
    CHECK(pl_world_contacts(world, &contacts) > 0);
    pl_world_destroy(world);
}

static char* load_text(const char* folder, const char* name) {
    char path[1200];
    pl_source source;
    pl_error error;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_OK(pl_source_load(path, 0, &source, &error), &error);
    char* text = malloc(source.size + 1);
    memcpy(text, source.data, source.size + 1);
    pl_source_free(&source);
    return text;
}

static void run_frames(pl_run* run, int count) {
    pl_error error;
    pl_frame_info info;
    for (int k = 0; k < count; k++) CHECK_OK(pl_run_frame(run, &info, &error), &error);
}

// The table of a run that was stopped and went on is that of one that was not; its rows are read,
// drawn and exported.
TEST(contact_points_of_a_run)
{
    const char* settings[] = {"output.contacts=true", "frames=6", "output.checkpoint_every=1"};
    pl_scene* scene = pbd_scene(boxes, settings, 3);
    char folders[2][1024];
    pl_error error;
    pl_run* run;
    for (int k = 0; k < 2; k++) {
        snprintf(folders[k], sizeof folders[k], "%s/run%d", pl_test_folder(), k);
        CHECK_OK(pl_run_start(scene, folders[k], false, &run, NULL, &error), &error);
        run_frames(run, k ? 3 : 6);
        CHECK_OK(pl_run_close(run, &error), &error);
    }
    // rows of a frame that no checkpoint knows of, and one that was cut
    char path[1200];
    snprintf(path, sizeof path, "%s/contacts.csv", folders[1]);
    FILE* file = fopen(path, "ab");
    fprintf(file, "4,0.1,0,0,0,0,1,0,1,0,0,0,0,0,-1,0,1,-1,-1,-1,-1,-1\n4,0.1,0");
    fclose(file);
    CHECK_OK(pl_run_resume(folders[1], &run, NULL, &error), &error);
    run_frames(run, 3);
    CHECK_OK(pl_run_close(run, &error), &error);
    char *whole = load_text(folders[0], "contacts.csv"),
         *parts = load_text(folders[1], "contacts.csv");
    CHECK(strcmp(whole, parts) == 0);
    free(whole);
    free(parts);
    pl_array rows = pl_array_of(sizeof(pl_contact_row));
    CHECK_OK(pl_contact_table_read(path, &rows, &error), &error);
    int first;
    CHECK_INT(pl_contact_table_find(&rows, 0.0, &first), 0);
    CHECK(pl_contact_table_find(&rows, 6.0 * scene->time_step, &first) > 0);
    CHECK_INT(((const pl_contact_row*)rows.data)[first].frame, 6);
    pl_array_free(&rows);
    pl_show* show;
    const pl_render_scene* drawn;
    CHECK_OK(pl_show_open_run(folders[1], &show, NULL, &error), &error);
    CHECK_OK(pl_show_add_contacts(show, folders[1], &error), &error);
    CHECK_OK(pl_show_load(show, 0, &drawn, &error), &error);
    CHECK_INT(drawn->mark_count, 0);
    CHECK_OK(pl_show_load(show, 6, &drawn, &error), &error);
    const int mark_count = drawn->mark_count;
    CHECK(mark_count > 0);
    char out[1200];
    snprintf(out, sizeof out, "%s/vtu", folders[1]);
    const pl_export_options options = {.every = 1, .contacts = path};
    CHECK_OK(pl_export(pl_show_recording(show), PL_EXPORT_VTU, out, &options, NULL, &error),
             &error);
    pl_show_close(show);
    char* index = load_text(out, "run.pvd");
    CHECK(strstr(index, "contact_points.00006.vtu") != NULL);
    free(index);
    char *points = load_text(out, "contact_points.00006.vtu"), count[64];
    snprintf(count, sizeof count, "NumberOfPoints=\"%d\"", mark_count);
    CHECK(strstr(points, count) != NULL);
    free(points);
    pl_scene_destroy(scene);
}

// A point in the middle of the picture and a line to the right; one behind the camera is left out.
TEST(contact_points_are_drawn)
{
    pl_render_options options = pl_default_render_options();
    options.width = options.height = 101;
    options.radius = 1.0;
    options.camera = (pl_camera){.eye = {0, 0, 2},
                                 .right = {1, 0, 0},
                                 .up = {0, 1, 0},
                                 .back = {0, 0, 1},
                                 .tan_x = 0.5,
                                 .tan_y = 0.5};
    const pl_render_mark marks[] = {{{0, 0, 0}, {1, 0, 0}}, {{0, 0.5, 3}, {1, 0, 0}}};
    const uint8_t grey[3] = {128, 128, 128};
    pl_image image;
    pl_error error;
    CHECK_OK(pl_image_create(101, 101, &image, &error), &error);
    pl_image_fill(&image, grey);
    pl_marks_draw(&image, &options, marks, 2);
    CHECK(pl_image_at(&image, 50, 50)[0] < 64);
    CHECK(pl_image_at(&image, 60, 50)[0] < 100); // the line is 15 pixels long
    CHECK_INT(pl_image_at(&image, 75, 50)[0], 128);
    CHECK_INT(pl_image_at(&image, 40, 50)[0], 128);
    CHECK_INT(pl_image_at(&image, 50, 25)[0], 128);
    CHECK_INT(pl_image_at(&image, 50, 75)[0], 128);
    pl_image_free(&image);
}
