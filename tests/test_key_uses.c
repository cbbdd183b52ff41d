// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Which method reads which key: the table has every key, what it says is what the methods do, keys
// that do nothing are noted, and bodies whose settings differ are solved apart.
#include "read_checks.h"
#include "run_samples.h"
#include "scene/key_uses.h"
#include "scene/scene_type.h"
#include "test.h"
#include "world/world_build.h"

#include <pliant/world.h>

// ---------------------------------------------------------------- the table

static void check_fields(const pl_type* type, const char* prefix) {
    for (int i = 0; i < type->field_count; i++) {
        const pl_field_info* field = &type->fields[i];
        char key[128], below[130];
        int count;
        if (field->flags & PL_HIDDEN) continue;
        snprintf(key, sizeof key, "%s%s", prefix, field->key);
        const pl_key_use* use = pl_key_uses(key, &count);
        if (!use && field->kind == PL_FIELD_OBJECT) {
            snprintf(below, sizeof below, "%s.", key);
            check_fields(field->type, below);
            continue;
        }
        if (!use) pl_test_fail(__FILE__, __LINE__, "key_uses.c has no row for %s", key);
        for (int r = 0; r < count; r++)
            CHECK(use[r].owner == PL_KEY_OF_BODY || use[r].owner == PL_KEY_OF_SYSTEM);
    }
}

TEST(key_uses_have_every_key_of_a_body)
{ check_fields(&pl_type_body, ""); }

// ---------------------------------------------------------------- what methods do

// bodies of each kind and method, small, held at one side and in motion
static const char* const bodies[] = {
    "\"generate\": {\"shape\": \"box\", \"edge\": 0.4}, \"linear\": \"mgpcg\", \"levels\": [8]",
    "\"generate\": {\"shape\": \"box\", \"edge\": 0.5}, \"linear\": \"direct\"",
    "\"generate\": {\"shape\": \"box\", \"edge\": 0.4}, \"method\": \"mixed\", \"linear\": "
    "\"mgpcg\", \"levels\": [8]",
    "\"generate\": {\"shape\": \"cloth\", \"edge\": 0.2}, \"linear\": \"mgpcg\", \"levels\": [8]",
    "\"generate\": {\"shape\": \"box\", \"edge\": 0.5}, \"method\": \"grid\", \"grid\": "
    "{\"cell\": 0.25}",
    "\"generate\": {\"shape\": \"box\", \"edge\": 0.5}, \"method\": \"pbd\"",
    "\"generate\": {\"shape\": \"cloth_irregular\", \"edge\": 0.2}, \"method\": \"pbd\", "
    "\"hierarchy\": 1",
    "\"generate\": {\"shape\": \"box\", \"edge\": 0.5}, \"method\": \"pbd\", \"pbd\": {\"model\": "
    "\"stiffness\"}, \"material\": {\"law\": \"springs\"}",
    "\"generate\": {\"shape\": \"cloth_irregular\", \"edge\": 0.2}, \"method\": \"pbd\", "
    "\"hierarchy\": 1, \"pbd\": {\"model\": \"stiffness\"}",
};

// other values than the defaults
static const char* const values[][2] = {
    {"velocity", "[0.1, 0, 0.2]"},
    {"angular_velocity", "[0, 20, 0]"},
    {"material.density", "700"},
    {"material.area_density", "0.3"},
    {"material.young", "3e4"},
    {"material.poisson", "0.3"},
    {"material.mu2", "1e4"},
    {"material.thickness", "0.002"},
    {"material.stretch", "800"},
    {"material.shear", "50"},
    {"material.bend", "0.01"},
    {"levels", "[13]"},
    {"hierarchy", "2"},
    {"tolerance", "0.5"},
    {"iterations", "1"},
    {"fixed", "true"},
    {"linear_tolerance", "0.5"},
    {"linear_iterations", "1"},
    {"damping.mass", "3"},
    {"damping.stiffness", "0.05"},
    {"multigrid.post_sweeps", "3"},
    {"multigrid.sweeps", "[3, 2]"},
    {"multigrid.smoother", "jacobi"},
    {"grid.padding", "1"},
    {"grid.embedding", "tricubic"},
    {"pbd.stretch", "0.3"},
    {"pbd.shear", "0.5"},
    {"pbd.bend", "0.9"},
    {"pbd.volume", "0.1"},
    {"pbd.compliance", "1e-3"},
    {"pbd.parents", "3"},
    {"pbd.coarse_sweeps", "4"},
    {"pbd.rest_length", "path"},
    {"contact.stiffness", "50"},
    {"contact.friction", "0.01"},
};

// the hash of a few frames with one value changed; noted: whether a note says that it does nothing
static uint64_t hash_with(const char* body, const char* key, const char* value, bool* noted) {
    char text[1024], path[128];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"threads\": 1, \"time_step\": 0.02, \"bodies\": [{\"name\": \"b\", "
             "%s}], \"attachments\": [{\"body\": \"b\", \"where\": {\"side\": \"-x\"}}], "
             "\"colliders\": [{\"plane\": {\"point\": [0, -1e-4, 0], \"normal\": [0, 1, 0.2]}}]}",
             body);
    pl_scene* scene = sample_scene(text);
    pl_notes* notes;
    pl_error error;
    pl_world* world;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    snprintf(path, sizeof path, "bodies[0].%s", key);
    if (value) CHECK_OK(pl_scene_set(scene, path, value, &error), &error);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    sample_step(world, 3, NULL);
    uint64_t hash = sample_world_hash(world);
    char said[200];
    snprintf(said, sizeof said, "bodies[0].%s has no effect with method ", key);
    *noted = false;
    for (int k = 0; k < pl_notes_count(notes); k++)
        *noted = *noted || strstr(pl_notes_text(notes, k, NULL), said);
    pl_world_destroy(world);
    pl_notes_destroy(notes);
    pl_scene_destroy(scene);
    return hash;
}

// A key that is noted changes no bit of the run, and one that changes none here is noted.
LONG_TEST(key_uses_are_what_the_methods_do)
{
    for (size_t b = 0; b < sizeof bodies / sizeof bodies[0]; b++) {
        bool noted;
        uint64_t plain = hash_with(bodies[b], "name", NULL, &noted);
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            uint64_t hash = hash_with(bodies[b], values[k][0], values[k][1], &noted);
            if ((hash == plain) != noted)
                pl_test_fail(__FILE__, __LINE__, "{%s} with %s: %s, but %s", bodies[b],
                             values[k][0], noted ? "noted" : "not noted",
                             hash == plain ? "the run is the same" : "the run is another");
        }
    }
}

// ---------------------------------------------------------------- notes

static pl_notes* notes_of(const char* body) {
    char text[1024];
    pl_notes* notes;
    pl_error error;
    pl_world* world;
    snprintf(text, sizeof text, "{\"pliant\": 1, \"bodies\": [{\"name\": \"b\", %s}]}", body);
    pl_scene* scene = sample_scene(text);
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    pl_world_destroy(world);
    pl_scene_destroy(scene);
    return notes;
}

static void check_notes(const char* body, const char* const parts[], int count) {
    pl_notes* notes = notes_of(body);
    int found = 0;
    for (int k = 0; k < pl_notes_count(notes); k++)
        found += strstr(pl_notes_text(notes, k, NULL), "has no effect") != NULL;
    for (int k = 0; k < count; k++)
        if (!pl_test_noted(notes, parts[k]))
            pl_test_fail(__FILE__, __LINE__, "{%s} does not note: %s", body, parts[k]);
    CHECK_INT(found, count);
    pl_notes_destroy(notes);
}

#define CHECK_NOTES(body, ...)                                                                     \
    do {                                                                                           \
        static const char* const parts_[] = {__VA_ARGS__};                                         \
        check_notes(body, parts_, (int)(sizeof parts_ / sizeof parts_[0]));                        \
    } while (0)

#define SOLID "\"generate\": {\"shape\": \"box\", \"edge\": 0.5}"

TEST(key_uses_note_what_does_nothing)
{
    CHECK_NOTES(SOLID ", \"hierarchy\": 3",
                "bodies[0].hierarchy has no effect with method fem as set; methods that read "
                "it: pbd");
    CHECK_NOTES(SOLID ", \"method\": \"grid\", \"grid\": {\"cell\": 0.25}, \"levels\": [9], "
                      "\"tolerance\": 1e-3, \"iterations\": 5",
                "bodies[0].levels has no effect with method grid",
                "bodies[0].tolerance has no effect with method grid",
                "bodies[0].iterations has no effect with method grid");
    CHECK_NOTES(SOLID ", \"method\": \"pbd\", \"pbd\": {\"model\": \"stiffness\"}, \"material\": "
                      "{\"young\": 5e4}",
                "bodies[0].material.young has no effect with method pbd as set; it is read "
                "with law corotated or arap or stvk or stable_neohookean, pbd.model compliance");
    CHECK_NOTES(SOLID ", \"method\": \"pbd\", \"iterations\": 5",
                "bodies[0].iterations has no effect with method pbd as set; it is read with "
                "pbd.model stiffness; pbd.substeps");
    // pliant chooses the direct solver for so few vertices
    CHECK_NOTES(SOLID ", \"levels\": [4]", "bodies[0].levels has no effect with method fem as "
                                           "set; it is read with linear multigrid or mgpcg");
    CHECK_NOTES(SOLID ", \"linear_tolerance\": 1e-5", "it is read with linear not direct");
    // a curve counts as a value, even if it starts with the default
    CHECK_NOTES(SOLID ", \"material\": {\"mu2\": {\"keyframes\": [[0, 0], [1, 1e5]]}}",
                "bodies[0].material.mu2 has no effect with method fem");
    CHECK_NOTES(SOLID ", \"method\": \"grid\", \"grid\": {\"cell\": 0.25}, \"vary\": "
                      "[{\"parameter\": \"density\", \"gradient\": {\"from\": 900, \"to\": 1100}}]",
                "bodies[0].vary[0] has no effect with method grid");
    CHECK_NOTES(SOLID ", \"rigid\": true, \"material\": {\"law\": \"corotated\", \"young\": 5e4, "
                      "\"poisson\": 0.3, \"density\": 700}",
                "bodies[0].material.law has no effect with method rigid as set; methods that read "
                "it: fem, mixed, grid, pbd",
                "bodies[0].material.young has no effect with method rigid",
                "bodies[0].material.poisson has no effect with method rigid");
}

TEST(key_uses_note_nothing_of_scenes_that_are_right)
{
    check_notes(SOLID ", \"material\": {\"young\": 5e4}, \"tolerance\": 1e-3", NULL, 0);
    check_notes(SOLID ", \"method\": \"pbd\", \"iterations\": 5, \"hierarchy\": 1, \"pbd\": "
                      "{\"parents\": 3, \"model\": \"stiffness\"}",
                NULL, 0);
    check_notes(SOLID ", \"method\": \"pbd\", \"material\": {\"young\": 5e4}, \"damping\": "
                      "{\"stiffness\": 0.01}",
                NULL, 0);
    check_notes(SOLID ", \"rigid\": true, \"material\": {\"density\": 700}", NULL, 0);
    check_notes(SOLID ", \"linear\": \"multigrid\", \"levels\": [4], \"multigrid\": "
                      "{\"fallback\": false}",
                NULL, 0);
}

// ---------------------------------------------------------------- systems

static int systems_with(const char* body, const char* key, const char* value) {
    char text[1024], path[128];
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"a\", %s}, {\"name\": \"b\", %s}]}", body,
             body);
    pl_scene* scene = sample_scene(text);
    pl_error error;
    snprintf(path, sizeof path, "bodies[1].%s", key);
    CHECK_OK(pl_scene_set(scene, path, value, &error), &error);
    pl_world* world = sample_world(scene);
    int count = world->system_count;
    pl_world_destroy(world);
    pl_scene_destroy(scene);
    return count;
}

// The settings of the second body were those of the first where they are of the whole system.
LONG_TEST(key_uses_of_systems_keep_bodies_apart)
{
    static const char* const apart[][2] = {{"integrator", "euler"},
                                           {"nonlinear", "linearised"},
                                           {"linear", "multigrid"},
                                           {"levels", "[4]"},
                                           {"tolerance", "1e-3"},
                                           {"iterations", "7"},
                                           {"fixed", "true"},
                                           {"linear_tolerance", "1e-5"},
                                           {"linear_iterations", "7"},
                                           {"line_search", "false"},
                                           {"damping.mass", "1"},
                                           {"damping.stiffness", "0.1"},
                                           {"multigrid.smoother", "jacobi"},
                                           {"multigrid.pre_sweeps", "2"},
                                           {"multigrid.post_sweeps", "2"},
                                           {"multigrid.sweeps", "[1, 2]"},
                                           {"multigrid.stiffness_aware", "false"},
                                           {"multigrid.fallback", "false"},
                                           {"damping.mass", "{\"keyframes\": [[0, 0], [1, 1]]}"}};
    static const char* const together[][2] = {{"name", "c"},
                                              {"material.young", "1e4"},
                                              {"mass", "consistent"},
                                              {"velocity", "[1, 0, 0]"}};
    const char* fem = SOLID ", \"linear\": \"mgpcg\"";
    for (size_t k = 0; k < sizeof apart / sizeof apart[0]; k++)
        CHECK_INT(systems_with(fem, apart[k][0], apart[k][1]), 2);
    for (size_t k = 0; k < sizeof together / sizeof together[0]; k++)
        CHECK_INT(systems_with(fem, together[k][0], together[k][1]), 1);
    const char* grid = SOLID ", \"method\": \"grid\", \"grid\": {\"cell\": 0.25}";
    CHECK_INT(systems_with(grid, "linear_iterations", "7"), 2);
    CHECK_INT(systems_with(grid, "grid.padding", "1"), 1);
    const char* pbd = SOLID ", \"method\": \"pbd\"";
    CHECK_INT(systems_with(pbd, "iterations", "7"), 2);
    CHECK_INT(systems_with(pbd, "pbd.stretch", "0.5"), 1);
    CHECK_INT(systems_with(pbd, "pbd.model", "stiffness"), 2);
    CHECK_INT(systems_with(pbd, "pbd.substeps", "3"), 2);
}

// the second of two bodies moves as it does alone
TEST(key_uses_second_body_has_its_own_levels)
{
    static const char second[] =
        "{\"name\": \"b\", " SOLID ", \"transform\": {\"translate\": [3, 0, "
        "0]}, \"linear\": \"multigrid\", \"levels\": [4], \"multigrid\": "
        "{\"smoother\": \"jacobi\", \"post_sweeps\": 2}, \"angular_velocity\": "
        "[0, 90, 0], \"linear_iterations\": 2, \"iterations\": 2}";
    char text[1024];
    snprintf(text, sizeof text, "{\"pliant\": 1, \"bodies\": [%s]}", second);
    pl_world* alone = sample_start(text);
    snprintf(text, sizeof text,
             "{\"pliant\": 1, \"bodies\": [{\"name\": \"a\", " SOLID
             ", \"linear\": \"multigrid\", \"linear_iterations\": 2, \"iterations\": 2}, %s]}",
             second);
    pl_world* both = sample_start(text);
    sample_step(alone, 3, NULL);
    sample_step(both, 3, NULL);
    const double *x = pl_world_positions(alone, 0), *y = pl_world_positions(both, 1);
    for (int i = 0; i < 3 * pl_world_mesh(alone, 0)->vertex_count; i++) CHECK(x[i] == y[i]);
    pl_world_destroy(alone);
    pl_world_destroy(both);
}
