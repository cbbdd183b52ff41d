// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The verb `mesh` of the command, from files to files.
#include "host.h"
#include "sample_meshes.h"
#include "test.h"
#include "tet_checks.h"

#include <stdlib.h>

static char text[16384];

// runs "pliant mesh ..." with paths of the test's folder in place of the %s
static int run(const char* format, const char* a, const char* b) {
    char command[2048], first[600] = "", second[600] = "";
    if (a) snprintf(first, sizeof first, "%s", pl_test_path(a));
    if (b) snprintf(second, sizeof second, "%s", pl_test_path(b));
    char with_first[1400] = "";
    const char* hole = strstr(format, "%s");
    if (hole) {
        snprintf(with_first, sizeof with_first, "%.*s%s", (int)(hole - format), format, first);
        const char* next = strstr(hole + 2, "%s");
        size_t used = strlen(with_first);
        if (next)
            snprintf(with_first + used, sizeof with_first - used, "%.*s%s%s",
                     (int)(next - hole - 2), hole + 2, second, next + 2);
        else snprintf(with_first + used, sizeof with_first - used, "%s", hole + 2);
    }
    snprintf(command, sizeof command, "pliant mesh %s", hole ? with_first : format);
    return pl_test_run(command, text, sizeof text);
}

static pl_mesh* read_back(const char* name) {
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_mesh_read(pl_test_path(name), NULL, &mesh, NULL, &error), &error);
    return mesh;
}

static void write_sample(pl_mesh* mesh, const char* name) {
    pl_error error;
    CHECK_OK(pl_mesh_write(mesh, pl_test_path(name), NULL, NULL, &error), &error);
    pl_mesh_destroy(mesh);
}

TEST(cmd_mesh_fills_and_converts)
{
    write_sample(sample_sphere(3), "ball.obj");
    CHECK_INT(run("%s -o %s --edge 0.2 --threads 2 --json", "ball.obj", "ball.msh"), 0);
    CHECK_TEXT(text, "\"filled\":true");
    pl_mesh* ball = read_back("ball.msh");
    tet_quality q = check_tets(ball);
    CHECK(q.min_angle > 10.78 && q.max_angle < 164.84);
    char counts[64];
    snprintf(counts, sizeof counts, "\"vertices\":%d,\"tets\":%d,", ball->vertex_count,
             ball->tet_count);
    CHECK_TEXT(text, counts);
    pl_mesh_destroy(ball);
    // a surface stays one if asked, or where there is no room for tets
    CHECK_INT(run("%s -o %s --surface", "ball.obj", "ball.vtu"), 0);
    CHECK_TEXT(text, "512 triangles");
    CHECK_INT(run("%s -o %s", "ball.obj", "ball.stl"), 0);
    ball = read_back("ball.vtu");
    CHECK(ball->tet_count == 0 && ball->triangle_count == 512);
    pl_mesh_destroy(ball);
    // tets to a surface: their boundary
    CHECK_INT(run("%s -o %s --ascii", "ball.msh", "skin.ply"), 0);
    ball = read_back("skin.ply");
    CHECK_INT(ball->triangle_count, q.boundary_triangle_count);
    // the report describes what the file holds
    snprintf(counts, sizeof counts, "skin.ply: %d vertices, 0 tets, %d triangles\n",
             ball->vertex_count, ball->triangle_count);
    CHECK_TEXT(text, counts);
    pl_mesh_destroy(ball);
}

TEST(cmd_mesh_generates)
{
    CHECK_INT(run("--generate gummy-bear --edge 0.006 -o %s", "bear.mesh", NULL), 0);
    CHECK_TEXT(text, "tets");
    pl_mesh* bear = read_back("bear.mesh");
    check_tets(bear);
    pl_mesh_destroy(bear);
    CHECK_INT(
        run("--generate box --size 2,1,1 --edge 0.5 --set pattern=five -o %s", "box.vtu", NULL), 0);
    pl_mesh* box = read_back("box.vtu");
    CHECK_NEAR(check_tets(box).volume, 2.0, 1e-12);
    pl_mesh_destroy(box);
    CHECK_INT(run("--generate list", NULL, NULL), 0);
    CHECK_TEXT(text, "gummy_bear");
    CHECK_TEXT(text, "cloth_irregular");
    // choices and regions by name
    CHECK_TEXT(text, "pattern        bcc        how cells become tets: bcc five kuhn\n");
    CHECK_TEXT(text, "ear_left");
    for (const char* line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        CHECK(strcspn(line, "\n") <= 110);
    }
}

TEST(cmd_mesh_refuses)
{
    write_sample(sample_sheet(6, 6), "sheet.obj");
    write_sample(sample_sphere(2), "ball.obj");
    CHECK_INT(run("", NULL, NULL), 2);
    CHECK_TEXT(text, "--generate");
    CHECK_INT(run("%s", "ball.obj", NULL), 2);
    CHECK_TEXT(text, "-o OUT");
    CHECK_INT(run("%s -o %s", "sheet.obj", "sheet.msh"), 2);
    CHECK_TEXT(text, "open, as cloth is");
    CHECK_TEXT(text, "--surface");
    CHECK_INT(run("%s -o %s", "none.obj", "none.msh"), 2);
    CHECK_INT(run("%s -o %s", "ball.obj", "ball.xyz"), 2);
    CHECK_TEXT(text, ".msh .mesh .vtu");
    CHECK_INT(run("%s -o %s --edge 1e-9", "ball.obj", "ball.msh"), 3);
    CHECK_TEXT(text, "take an edge above");
    CHECK_INT(run("%s -o %s --edge -1", "ball.obj", "ball.msh"), 2);
    CHECK_INT(run("%s -o %s --with magic", "ball.obj", "ball.msh"), 2);
    CHECK_TEXT(text, "stuffing and tetgen");
    CHECK_INT(run("--generate unicorn -o %s", "unicorn.msh", NULL), 2);
    CHECK_TEXT(text, "there is no generator");
    CHECK_INT(run("--generate sphere --size 1,2 -o %s", "ball.msh", NULL), 2);
    CHECK_TEXT(text, "radius");
    CHECK_INT(run("%s -o %s", "ball.obj", "no_folder/ball.msh"), 2);
}

TEST(cmd_mesh_repairs)
{
    // one triangle the wrong way round and one twice
    pl_mesh* ball = sample_sphere(2);
    int swap = ball->triangles[0];
    ball->triangles[0] = ball->triangles[1];
    ball->triangles[1] = swap;
    memcpy(ball->triangles + 3, ball->triangles + 6, 3 * sizeof(int));
    write_sample(ball, "bad.obj");
    CHECK_INT(run("%s -o %s --strict", "bad.obj", "bad.msh"), 2);
    CHECK_TEXT(text, "strict");
    CHECK_INT(run("%s -o %s --surface --repair", "bad.obj", "mended.obj"), 0);
    CHECK_TEXT(text, "warning");
    pl_mesh* mended = read_back("mended.obj");
    CHECK_INT(mended->triangle_count, 127);
    pl_mesh_destroy(mended);
}

TEST(cmd_mesh_with_tetgen)
{
    write_sample(sample_sphere(3), "ball.obj");
    int code = run("%s -o %s --edge 0.3 --with tetgen", "ball.obj", "ball.msh");
    if (code == 2 && strstr(text, "not installed")) SKIP("tetgen is not installed");
    CHECK_INT(code, 0);
    pl_mesh* ball = read_back("ball.msh");
    tet_quality q = check_tets(ball);
    CHECK_NEAR(q.volume, 4.0 / 3.0 * acos(-1.0), 0.15);
    pl_mesh_destroy(ball);
    // a surface that intersects itself is beyond it, and said so
    pl_mesh* sphere = sample_sphere(2);
    write_sample(sample_join(sphere, sphere, 0.5), "crossed.obj");
    pl_mesh_destroy(sphere);
    CHECK_INT(run("%s -o %s --with tetgen", "crossed.obj", "crossed.msh"), 2);
    CHECK_TEXT(text, "tetgen gave up");
}

TEST(cmd_mesh_without_tetgen)
{
    if (!getenv("PLIANT_BIN")) SKIP("the command is looked up by PATH");
    write_sample(sample_sphere(1), "ball.obj");
    char* path = strdup(getenv("PATH"));
    pl_test_set_environment("PATH", "/nonexistent");
    int code = run("%s -o %s --with tetgen", "ball.obj", "ball.msh");
    pl_test_set_environment("PATH", path);
    free(path);
    CHECK_INT(code, 2);
    CHECK_TEXT(text, "tetgen is not installed");
}
