// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// `pliant info` from outside.
#include "sample_meshes.h"

#include <jansson.h>

static char output[200000];

// one JSON object per line; the caller releases it
static json_t* run_json(const char* arguments, int exit_code) {
    char command[4000];
    snprintf(command, sizeof command, "pliant info --json %s", arguments);
    CHECK_INT(pl_test_run(command, output, sizeof output), exit_code);
    json_error_t error;
    const char* first = strchr(output, '{'); // messages come before
    CHECK(first);
    json_t* o = json_loads(first, JSON_DISABLE_EOF_CHECK, &error);
    if (!o) pl_test_fail(__FILE__, __LINE__, "%s: %s", error.text, output);
    return o;
}

static const json_t* at(const json_t* o, const char* a, const char* b) {
    const json_t* value = json_object_get(o, a);
    return b ? json_object_get(value, b) : value;
}

static const char* write_mesh(const pl_mesh* mesh, const char* name) {
    const char* path = pl_test_path(name);
    pl_error error;
    CHECK_OK(pl_mesh_write(mesh, path, NULL, NULL, &error), &error);
    return path;
}

TEST(info_of_a_box)
{
    pl_mesh* box = sample_box(3, 2, 2);
    pl_error error;
    CHECK_OK(pl_mesh_add_region(box, PL_ELEMENT_TET, "left", 4, (int[]){0, 1, 2}, 3, &error),
             &error);
    const char* path = write_mesh(box, "box.msh");
    json_t* o = run_json(path, 0);
    CHECK_INT(json_integer_value(at(o, "vertices", NULL)), 36);
    CHECK_INT(json_integer_value(at(o, "tets", NULL)), 72);
    CHECK_NEAR(json_real_value(at(o, "volume", NULL)), 12.0, 1e-12);
    CHECK_INT(json_integer_value(at(o, "surface", "triangles")), 64);
    CHECK_INT(json_integer_value(at(o, "surface", "genus")), 0);
    CHECK_INT(json_object_size(at(o, "defects", NULL)), 0);
    CHECK_TEXT(json_string_value(at(o, "verdict", NULL)), "ready to simulate");
    CHECK(json_is_true(at(o, "usable", NULL)));
    const json_t* region = json_array_get(at(o, "regions", NULL), 0);
    CHECK_TEXT(json_string_value(at(region, "name", NULL)), "left");
    CHECK_INT(json_integer_value(at(region, "count", NULL)), 3);
    json_decref(o);
    char command[2000];
    snprintf(command, sizeof command, "pliant info %s", path);
    CHECK_INT(pl_test_run(command, output, sizeof output), 0);
    CHECK_TEXT(output, "tets         72\n");
    CHECK_TEXT(output, "defects      none");
    CHECK_TEXT(output, "verdict      ready to simulate");
    pl_mesh_destroy(box);
}

TEST(info_strict_refuses_what_cannot_be_simulated)
{
    pl_mesh* box = sample_box(1, 1, 1);
    int swapped = box->tets[8];
    box->tets[8] = box->tets[9];
    box->tets[9] = swapped;
    const char* path = write_mesh(box, "turned.msh");
    char strict[1200];
    snprintf(strict, sizeof strict, "--strict %s", path);
    json_t* o = run_json(path, 0);
    CHECK_INT(json_integer_value(at(at(o, "defects", "inverted_tets"), "count", NULL)), 1);
    CHECK_INT(json_integer_value(at(at(o, "defects", "inverted_tets"), "first", NULL)), 2);
    CHECK_TEXT(json_string_value(at(o, "verdict", NULL)), "--repair");
    json_decref(o);
    json_decref(run_json(strict, 2));
    pl_mesh_destroy(box);
}

TEST(info_goes_on_after_a_file_that_cannot_be_read)
{
    pl_mesh* sphere = sample_sphere(1);
    const char* good = write_mesh(sphere, "sphere.obj");
    char arguments[2000];
    snprintf(arguments, sizeof arguments, "%s/missing.obj %s", pl_test_folder(), good);
    json_t* o = run_json(arguments, 2);
    CHECK_TEXT(json_string_value(at(o, "error", NULL)), "missing.obj");
    json_decref(o);
    CHECK_TEXT(output, "\"verdict\":\"closed surface");
    pl_mesh_destroy(sphere);
}

TEST(info_usage)
{
    CHECK_INT(pl_test_run("pliant info", output, sizeof output), 2);
    CHECK_TEXT(output, "an argument is missing");
    CHECK_INT(pl_test_run("pliant info --help", output, sizeof output), 0);
    CHECK_TEXT(output, "--strict");
    CHECK_INT(pl_test_run("pliant info --nonsense x", output, sizeof output), 2);
    CHECK_INT(pl_test_run("pliant info /", output, sizeof output), 2);
}

// Figures that other programs measured.
typedef struct figures {
    const char* name;
    int vertices, tets, boundary_vertices, inverted, unused;
    double ratio_min, ratio_1_percent, ratio_median; // to the digits given
} figures;

static void compare(const figures* f) {
    json_t* o = run_json(pl_test_data(f->name), 0);
    CHECK_INT(json_integer_value(at(o, "vertices", NULL)), f->vertices);
    CHECK_INT(json_integer_value(at(o, "tets", NULL)), f->tets);
    CHECK_INT(json_integer_value(at(o, "surface", "vertices")), f->boundary_vertices);
    CHECK_INT(json_integer_value(at(at(o, "defects", "inverted_tets"), "count", NULL)),
              f->inverted);
    CHECK_INT(json_integer_value(at(at(o, "defects", "unreferenced_vertices"), "count", NULL)),
              f->unused);
    CHECK_NEAR(json_real_value(at(o, "quality", "radius_ratio_min")), f->ratio_min,
               0.051 * f->ratio_min);
    CHECK_NEAR(json_real_value(at(o, "quality", "radius_ratio_1_percent")), f->ratio_1_percent,
               0.0051);
    CHECK_NEAR(json_real_value(at(o, "quality", "radius_ratio_median")), f->ratio_median, 0.0051);
    json_decref(o);
}

REAL_MESH_TEST(info_agrees_with_measured_figures)
{
    static const figures known[] = {
        {"tets_generated/armadillo_1k.msh", 1017, 3916, 664, 0, 0, 0.16, 0.30, 0.82},
        {"tets_generated/bar_gmsh_coarse.msh", 1441, 5663, 959, 0, 0, 0.28, 0.40, 0.79},
        {"tets/eigenfit_armadillo_3.ele", 1475, 4902, 1105, 0, 0, 0.14, 0.38, 0.78},
        {"tets/ipc_bunny_5k_slivers.msh", 4670, 19379, 3135, 0, 0, 4.8e-5, 0.07, 0.66},
        {"tets/codimipc_armadillo_2.5k.vtk", 2542, 9199, 2002, 0, 0, 0.03, 0.12, 0.66},
        {"tets/libigl_octopus_low.mesh", 452, 1140, 451, 0, 0, 0.00042, 0.01, 0.26},
        {"tets/sofa_armadillo_4406.vtu", 1446, 4406, 1267, 0, 0, 0.0097, 0.13, 0.70},
        {"tets/polyfem_5tets_41_binary.msh", 8, 5, 8, 0, 0, 0.72, 0.72, 0.81},
        {"bad_input/sofa_6_tetra_bad.msh", 17, 6, 17, 1, 0, 0.058, 0.07, 0.47},
        {"bad_input/polyfem_microstructure_inverted.msh", 1585, 6414, 861, 8, 0, 5.8e-5, 0.01,
         0.27},
        {"bad_input/sofa_raptor_8418_nonmanifold.vtu", 2996, 8418, 2864, 0, 3, 0.08, 0.17, 0.55},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) compare(&known[i]);
}

REAL_MESH_TEST(info_of_the_raw_bunny)
{
    json_t* o = run_json(pl_test_data("surfaces/bunny_stanford_raw.obj.gz"), 0);
    CHECK_INT(json_integer_value(at(at(o, "defects", "open_edges"), "count", NULL)), 223);
    CHECK_INT(json_integer_value(at(at(o, "defects", "unreferenced_vertices"), "count", NULL)),
              1113);
    CHECK_INT(json_integer_value(at(o, "surface", "holes")), 5);
    CHECK(json_is_null(at(o, "volume", NULL)));
    json_decref(o);
}
