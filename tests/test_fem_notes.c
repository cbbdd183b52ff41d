// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the multigrid of fem does otherwise than a scene says is told.
#include "read_checks.h"
#include "run_samples.h"
#include "test.h"

static const char cube[] =
    "{\"pliant\": 1, \"bodies\": [{\"name\": \"cube\", \"generate\": {\"shape\": \"box\",\n"
    "  \"size_x\": 0.2, \"size_y\": 0.2, \"size_z\": 0.2, \"edge\": 0.1},\n"
    "  \"material\": {\"law\": \"arap\", \"young\": 1e5},\n"
    "  \"linear\": \"multigrid\"}]}";

// notes of a world in which one key has another value; the count
static int notes_of(const char* nonlinear, const char* key, const char* value, const char* part) {
    pl_error error;
    pl_notes* notes;
    pl_world* world;
    pl_scene* scene = sample_scene(cube);
    CHECK(pl_notes_create(&notes) == PL_OK);
    CHECK_OK(pl_scene_set(scene, "bodies[0].nonlinear", nonlinear, &error), &error);
    if (key) CHECK_OK(pl_scene_set(scene, key, value, &error), &error);
    CHECK_OK(pl_world_create(scene, &world, notes, &error), &error);
    int count = pl_notes_count(notes);
    if (part) CHECK(pl_test_noted(notes, part));
    pl_world_destroy(world);
    pl_notes_destroy(notes);
    pl_scene_destroy(scene);
    return count;
}

TEST(fem_notes_unused_multigrid_keys)
{
    static const struct {
        const char *key, *value, *part;
    } rows[] = {
        {"bodies[0].multigrid.post_sweeps", "3", "post_sweeps 3"},
        {"bodies[0].multigrid.pre_sweeps", "0", "takes 1 on each side"},
    };
    CHECK_INT(notes_of("projective", NULL, NULL, NULL), 0);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        CHECK_INT(notes_of("projective", rows[k].key, rows[k].value, rows[k].part), 1);
        CHECK_INT(notes_of("newton", rows[k].key, rows[k].value, NULL), 0);
    }
}
