// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// `pliant-bench --json` prints JSON and nothing else on stdout, and says which meshes it used.
#include "test.h"

#include <jansson.h>
#include <pliant/generate.h>
#include <stdlib.h>
#include <sys/stat.h>

static char text[1 << 16];

// Runs s0-stiffness --quick with this setting of PLIANT_DATA, its stdout in text; the exit code.
static int run_stiffness(const char* data) {
    char command[2000];
    snprintf(command, sizeof command,
             "pliant-bench s0-stiffness --quick --json 2>%s/messages || exit 1; true",
             pl_test_folder());
    if (data) setenv("PLIANT_DATA", data, 1);
    else unsetenv("PLIANT_DATA");
    int code = pl_test_run(command, text, sizeof text);
    unsetenv("PLIANT_DATA");
    return code;
}

static void check_meshes(const char* from, int vertices) {
    json_t* document = json_loads(text, 0, NULL);
    if (!document) pl_test_fail(__FILE__, __LINE__, "not JSON: %s", text);
    const json_t* meshes = json_object_get(document, "meshes");
    const json_t* mesh = json_object_get(meshes, "tets_generated/armadillo_1k.msh");
    const char* source = json_string_value(json_object_get(mesh, "from"));
    bool right = json_array_size(json_object_get(document, "results")) == 3 && source &&
                 strcmp(source, from) == 0;
    int count = (int)json_integer_value(json_object_get(mesh, "vertices"));
    json_decref(document);
    CHECK(right);
    if (vertices) CHECK_INT(count, vertices);
    else CHECK(count > 800 && count < 1200);
}

LONG_TEST(bench_json_stands_alone_on_stdout)
{
    CHECK_INT(run_stiffness(NULL), 0);
    check_meshes("generated armadillo", 0);
}

TEST(bench_takes_meshes_of_the_data_folder)
{
    // nothing there: the message names the file
    CHECK_INT(run_stiffness(pl_test_folder()), 1);
    CHECK(text[0] == '\0');

    char path[1100];
    snprintf(path, sizeof path, "%s/tets_generated", pl_test_folder());
    CHECK_INT(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/tets_generated/armadillo_1k.msh", pl_test_folder());
    pl_generate_options options;
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_generate_defaults("box", &options, &error), &error);
    options.count_x = options.count_y = options.count_z = 4;
    CHECK_OK(pl_generate("box", &options, &mesh, &error), &error);
    CHECK_OK(pl_mesh_write(mesh, path, NULL, NULL, &error), &error);
    int vertices = mesh->vertex_count;
    pl_mesh_destroy(mesh);
    CHECK_INT(run_stiffness(pl_test_folder()), 0);
    check_meshes("PLIANT_DATA", vertices);
}

TEST(bench_refuses_wrong_usage)
{
    CHECK_INT(pl_test_run("pliant-bench", text, sizeof text), 2);
    CHECK_INT(pl_test_run("pliant-bench nonsense", text, sizeof text), 2);
    CHECK_INT(pl_test_run("pliant-bench math --nonsense", text, sizeof text), 2);
    CHECK_TEXT(text, "usage: pliant-bench NAME");
}
