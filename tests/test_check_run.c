// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// `pliant check` and `pliant run` refuse the same scenes with the same words, and every combination
// that the table allows runs.
#include "run_samples.h"
#include "scene/combinations.h"
#include "scene/scene_type.h"
#include "test.h"
#include "world/world_build.h"

#include <stdlib.h>

// ---------------------------------------------------------------- the commands

static void write_scene(const char* bodies_and_more) {
    char text[2048];
    int size = snprintf(text, sizeof text, "{\"pliant\": 1, \"frames\": 1,\n \"bodies\": [%s}",
                        bodies_and_more);
    pl_test_write_file(pl_test_path("scene.json"), text, (size_t)size);
}

// runs a verb on scene.json; the text behind "pliant VERB: " of its last line, and its exit code
static int run_verb(const char* verb, const char* options, char* text, size_t size) {
    char command[2048], begin[32], output[1 << 16];
    snprintf(command, sizeof command, "pliant %s %s %s", verb, pl_test_path("scene.json"), options);
    int code = pl_test_run(command, output, sizeof output);
    snprintf(begin, sizeof begin, "pliant %s: ", verb);
    const char* last = output;
    for (const char* at = output; (at = strstr(at, begin)) != NULL; at++) last = at;
    CHECK(strncmp(last, begin, strlen(begin)) == 0);
    snprintf(text, size, "%s", last + strlen(begin));
    return code;
}

static void check_both_refuse(const char* scene, const char* part, const char* place) {
    char checked[2048], run[2048], options[1024];
    write_scene(scene);
    snprintf(options, sizeof options, "-o %s", pl_test_path("out"));
    CHECK_INT(run_verb("check", "", checked, sizeof checked), 2);
    CHECK_INT(run_verb("run", options, run, sizeof run), 2);
    CHECK_TEXT(checked, part);
    CHECK_TEXT(checked, place);
    if (strcmp(checked, run) != 0)
        pl_test_fail(__FILE__, __LINE__, "check says \"%s\", run says \"%s\"", checked, run);
}

#define BOX "{\"name\": \"box\", \"generate\": {\"shape\": \"box\", \"edge\": 1}"
#define BALL "{\"name\": \"ball\", \"generate\": {\"shape\": \"icosphere\", \"edge\": 0.4}"

LONG_TEST(check_refuses_what_run_refuses)
{
    static const char* const scenes[][2] = {
        {BOX ", \"method\": \"mixed\", \"linear\": \"pcg\"}]",
         "use one of: multigrid mgpcg direct"},
        {BOX ", \"material\": {\"poisson\": 0.5}}]", "only method \"mixed\" supports"},
        {BOX ", \"method\": \"pbd\", \"eigenfit\": {}}]",
         "bodies[0].eigenfit: works only with solids"},
        {BOX ", \"method\": \"grid\", \"contact\": {\"self\": true}}]",
         "bodies[0].contact.self: works only with methods"},
        {BOX ", \"material\": {\"law\": \"springs\"}}]",
         "\"springs\" does not work with method \"fem\" kind \"solid\""},
        {BOX ", \"material\": {\"law\": \"springs\"}}]", "or set \"kind\": \"cloth\""},
        {BOX ", \"method\": \"pbd\", \"pbd\": {\"tear\": 2}}]", "pbd.tear: only cloth can tear"},
        {BOX ", \"method\": \"grid\", \"linear\": \"mgpcg\"}]", "use one of: multigrid"},
        {BOX ", \"method\": \"grid\", \"linear\": \"pcg\"}]", "use one of: multigrid"},
        {BOX ", \"method\": \"grid\", \"grid\": {\"smoother\": \"box\"}}]", "grid.smoother"},
        {BALL ", \"method\": \"grid\", \"vary\": [{\"gradient\": {\"from\": 1, \"to\": 2}}]}]",
         "bodies[0]: regions and variations need a mesh of tets"},
        {BALL ", \"vary\": [{\"field\": \"E\"}]}]", "bodies[0].vary: the mesh of body \"ball\""},
        {BOX ", \"regions\": [{\"region\": \"x_mim\"}]}]", "did you mean \"x_min\"?"},
        {BOX "}], \"attachments\": [{\"name\": \"peg\", \"body\": \"box\", \"where\":"
             " {\"nearest\": [0, 0, 0]}}, {\"name\": \"hook\", \"body\": \"box\", \"where\":"
             " {\"sphere\": {\"center\": [9, 0, 0], \"radius\": 1}}}]",
         "attachments[1].where: attachment \"hook\": nothing of body \"box\" is selected"},
        {BOX "}], \"forces\": [{\"pressure\": 1, \"where\": {\"nearest\": [0, 0, 0]}}]",
         "forces[0].where: nothing of body \"box\" is selected"},
        {BOX ", \"integrator\": \"quasistatic\"}]", "nothing holds body \"box\" at the start"},
        {BOX
         ", \"method\": \"grid\", \"grid\": {\"cell\": 0.25}, \"integrator\": \"quasistatic\"}],"
         " \"attachments\": [{\"body\": \"box\", \"from\": 0.5}]",
         "bodies[0].integrator: is \"quasistatic\""},
        {"{\"name\": \"lost\", \"mesh\": \"nowhere.msh\"}]", "bodies[0].mesh: "},
        {BOX "}], \"colliders\": [{\"mesh\": \"nowhere.obj\"}]", "colliders[0].mesh: "},
        {BOX ", \"render\": {\"surface\": \"nowhere.obj\"}}]", "bodies[0].render.surface: "},
    };
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++)
        check_both_refuse(scenes[k][0], scenes[k][1], "scene.json:2:");
}

static int add_box(char* text, int size, int room, double x, int first) {
    static const char* const faces[] = {"1 3 4 2", "5 6 8 7", "1 2 6 5",
                                        "3 7 8 4", "1 5 7 3", "2 4 8 6"};
    for (int v = 0; v < 8; v++)
        size += snprintf(text + size, (size_t)(room - size), "v %g %d %d\n", x + (v & 1),
                         v >> 1 & 1, v >> 2);
    for (int f = 0; f < 6; f++) {
        int c[4];
        CHECK_INT(sscanf(faces[f], "%d %d %d %d", c, c + 1, c + 2, c + 3), 4);
        size += snprintf(text + size, (size_t)(room - size), "f %d %d %d %d\n", c[0] + first,
                         c[1] + first, c[2] + first, c[3] + first);
    }
    return size;
}

// What only the first step finds out: a part that floats beside the one that is held, and a load
// across rollers.
TEST(check_refuses_what_the_first_step_refuses)
{
    char boxes[2048];
    int size = add_box(boxes, 0, sizeof boxes, 0.0, 0);
    size = add_box(boxes, size, sizeof boxes, 3.0, 8);
    pl_test_write_file(pl_test_path("boxes.obj"), boxes, (size_t)size);
    check_both_refuse("{\"name\": \"b\", \"mesh\": \"boxes.obj\", \"method\": \"grid\", "
                      "\"integrator\": \"quasistatic\", \"grid\": {\"cell\": 0.25}}], "
                      "\"attachments\": [{\"body\": \"b\", \"where\": {\"side\": \"-x\"}}]",
                      "its lattice has 2 pieces", "scene.json:2:");
    check_both_refuse(BOX ", \"integrator\": \"quasistatic\"}], \"attachments\": [{\"body\": "
                          "\"box\", \"where\": {\"side\": \"-y\"}, \"hold\": \"x\"}]",
                      "nothing holds it in that direction", "2 rigid modes");
}

TEST(check_without_files_refuses_what_this_version_lacks)
{
    char text[2048];
    write_scene("{\"name\": \"lost\", \"mesh\": \"nowhere.msh\", \"method\": \"grid\", "
                "\"contact\": {\"self\": true}}]");
    CHECK_INT(run_verb("check", "--skip-files", text, sizeof text), 2);
    CHECK_TEXT(text, "scene.json:2:");
    CHECK_TEXT(text, "bodies[0].contact.self: works only with methods");
    write_scene("{\"name\": \"lost\", \"mesh\": \"nowhere.msh\"}]");
    char command[1024], output[1 << 16];
    snprintf(command, sizeof command, "pliant check --skip-files %s", pl_test_path("scene.json"));
    CHECK_INT(pl_test_run(command, output, sizeof output), 0);
}

// ---------------------------------------------------------------- every combination

static const int first_cell[PL_COMBINE_COUNT] = {0, 1, 1, 1, 1, 1};

// goes on to the next cell; false after the last
static bool next_cell(int v[PL_COMBINE_COUNT]) {
    static const int counts[PL_COMBINE_COUNT] = {PL_METHOD_COUNT,     PL_BODY_COUNT,
                                                 PL_LAW_COUNT,        PL_NONLINEAR_COUNT,
                                                 PL_INTEGRATOR_COUNT, PL_LINEAR_COUNT};
    for (int k = PL_COMBINE_COUNT - 1; k >= 0; k--) {
        if (++v[k] < counts[k]) return true;
        v[k] = first_cell[k];
    }
    return false;
}

// a bar or a cloth of a few vertices, held at one end
static pl_scene* scene_of(const int v[PL_COMBINE_COUNT]) {
    bool is_cloth = v[PL_COMBINE_KIND] == PL_BODY_CLOTH;
    const pl_shape_value sizes[] = {
        {"size_x", 0.2, NULL}, {"size_y", 0.1, NULL}, {"edge", 0.1, NULL}, {"size_z", 0.1, NULL}};
    pl_body body = pl_default_body();
    body.name = "b";
    body.shape = PL_SHAPE_GENERATE;
    body.generate =
        (pl_shape_maker){.shape = is_cloth ? "cloth" : "box", .values = sizes, .value_count = 4};
    if (is_cloth) body.generate.value_count = 3;
    body.method = (pl_method)v[PL_COMBINE_METHOD];
    body.kind = (pl_body_kind)v[PL_COMBINE_KIND];
    body.material.law = (pl_law)v[PL_COMBINE_LAW];
    body.nonlinear = (pl_nonlinear)v[PL_COMBINE_NONLINEAR];
    body.integrator = (pl_integrator)v[PL_COMBINE_INTEGRATOR];
    body.linear = (pl_linear)v[PL_COMBINE_LINEAR];
    body.grid.cell = 0.05;
    pl_attachment hold = pl_default_attachment();
    hold.body = "b";
    hold.where.kind = PL_SELECT_SIDE;
    hold.where.side.face = (pl_side)0;                          // -x
    if (body.method == PL_METHOD_RIGID) hold.stiffness = 100.0; // else nothing moves
    pl_scene* scene;
    pl_error error;
    CHECK_OK(pl_scene_create(&scene, &error), &error);
    scene->threads = 1;
    scene->time_step = 0.005;
    CHECK_OK(pl_scene_add_body(scene, &body, &error), &error);
    CHECK_OK(pl_scene_add_attachment(scene, &hold, &error), &error);
    return scene;
}

static void check_runs(const pl_scene* scene) {
    pl_world* world;
    pl_error error;
    CHECK_OK(pl_world_create(scene, &world, NULL, &error), &error);
    for (int frame = 0; frame < 2; frame++) CHECK_OK(pl_world_step(world, NULL, &error), &error);
    const double *x = pl_world_positions(world, 0), *rest = pl_world_mesh(world, 0)->positions;
    bool moved = false;
    for (int i = 0; i < 3 * pl_world_mesh(world, 0)->vertex_count; i++) {
        CHECK(isfinite(x[i]) && fabs(x[i]) < 1.0);
        moved = moved || x[i] != rest[i];
    }
    CHECK(moved);
    pl_world_destroy(world);
}

TEST(check_every_combination_runs_or_is_refused_by_all)
{
    int v[PL_COMBINE_COUNT], allowed = 0;
    memcpy(v, first_cell, sizeof v);
    do {
        pl_scene* scene = scene_of(v);
        pl_error checked = {0}, run = {0};
        pl_status status = pl_scene_resolve(scene, &checked);
        CHECK((status == PL_OK) == pl_combination_allowed(v));
        if (status == PL_OK) {
            check_runs(scene);
            allowed++;
        } else {
            pl_world* world;
            CHECK(pl_world_create(scene, &world, NULL, &run) == status);
            CHECK(strcmp(run.text, checked.text) == 0);
        }
        pl_scene_destroy(scene);
    } while (next_cell(v));
    CHECK(allowed > 500);
}

TEST(check_table_has_the_methods_that_the_world_has)
{
    for (int method = 0; method < PL_METHOD_COUNT; method++)
        CHECK(pl_method_is_available((pl_method)method) ==
              (pl_world_method((pl_method)method) != NULL));
}
