// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cloth that is no plain sheet: three triangles at an edge, a hundred at a vertex.
#include "run_samples.h"
#include "test.h"

#include <pliant/world.h>

enum { ACROSS = 4, UP = 4 };

// A floor of 2 x ACROSS strips of squares along z, and a fin that stands on its middle line: the
// edges of that line have three triangles. Without the left half of the floor they have two.
static void write_fin(const char* name, bool both_sides) {
    char obj[32768];
    int used = 0, columns = both_sides ? 2 : 1, rows = ACROSS + 1;
    const double h = 0.05;
    for (int c = 0; c <= 2; c++)
        for (int r = 0; r < rows; r++)
            used +=
                snprintf(obj + used, sizeof obj - (size_t)used, "v %g 0 %g\n", h * (c - 1), h * r);
    for (int u = 1; u <= UP; u++)
        for (int r = 0; r < rows; r++)
            used += snprintf(obj + used, sizeof obj - (size_t)used, "v 0 %g %g\n", h * u, h * r);
    for (int c = 2 - columns; c < 2; c++)
        for (int r = 0; r + 1 < rows; r++) {
            int a = c * rows + r + 1, b = a + rows;
            used += snprintf(obj + used, sizeof obj - (size_t)used, "f %d %d %d\nf %d %d %d\n", a,
                             a + 1, b, b, a + 1, b + 1);
        }
    for (int u = 0; u < UP; u++)
        for (int r = 0; r + 1 < rows; r++) {
            int a = (u == 0 ? rows : (2 + u) * rows) + r + 1, b = (3 + u) * rows + r + 1;
            used += snprintf(obj + used, sizeof obj - (size_t)used, "f %d %d %d\nf %d %d %d\n", a,
                             b, a + 1, a + 1, b, b + 1);
        }
    pl_test_write_file(pl_test_path(name), obj, (size_t)used);
}

// Where the top of the fin is, as a part of its height, after a second in a side wind of gravity.
// The floor is held.
static double fin_height(const char* mesh, const char* keys) {
    char scene[2048];
    snprintf(scene, sizeof scene,
             "{\"pliant\": 1, \"gravity\": [3, -9.81, 0], \"bodies\": [{\"name\": \"c\", \"mesh\": "
             "\"%s\", "
             "\"kind\": \"cloth\", %s}], \"attachments\": [{\"body\": \"c\", \"where\": {\"box\": "
             "{\"min\": [-1, -0.001, -1], \"max\": [1, 0.001, 1]}}}], \"colliders\": []}",
             mesh, keys);
    pl_world* world = sample_start(scene);
    sample_step(world, 60, NULL);
    int last = pl_world_mesh(world, 0)->vertex_count - 1;
    double height = pl_world_positions(world, 0)[3 * last + 1] / (0.05 * UP);
    pl_world_destroy(world);
    return height;
}

TEST(cloth_seam_of_three_triangles_bends)
{
    static const char* const keys[] = {
        "\"method\": \"pbd\", \"material\": {\"bend\": 0.5}",
        ("\"method\": \"pbd\", \"iterations\": 40, \"pbd\": {\"model\": \"stiffness\", "
         "\"bend\": 1, \"shear\": 1}"),
        "\"method\": \"fem\", \"material\": {\"law\": \"springs\", \"bend\": 0.5}",
        "\"method\": \"fem\", \"material\": {\"law\": \"membrane\", \"bend\": 0.5}",
    };
    write_fin("corner.obj", false);
    write_fin("seam.obj", true);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        double corner = fin_height("corner.obj", keys[k]), seam = fin_height("seam.obj", keys[k]);
        CHECK(corner > 0.7);
        CHECK(seam > 0.7); // it fell over
    }
}

// a round cloth whose hub has more triangles than any list of fixed length would hold
TEST(cloth_tears_at_a_hub_of_many_triangles)
{
    enum { SPOKES = 100 };
    char obj[16384];
    int used = snprintf(obj, sizeof obj, "v 0 0 0\n");
    for (int k = 0; k < SPOKES; k++)
        used += snprintf(obj + used, sizeof obj - (size_t)used, "v %.9g 0 %.9g\n",
                         cos(2.0 * 3.141592653589793 * k / SPOKES),
                         sin(2.0 * 3.141592653589793 * k / SPOKES));
    for (int k = 0; k < SPOKES; k++)
        used += snprintf(obj + used, sizeof obj - (size_t)used, "f 1 %d %d\n", (k + 1) % SPOKES + 2,
                         k + 2);
    pl_test_write_file(pl_test_path("fan.obj"), obj, (size_t)used);
    pl_world* world = sample_start(
        "{\"pliant\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"c\", \"mesh\": "
        "\"fan.obj\", \"kind\": "
        "\"cloth\", \"method\": \"pbd\", \"iterations\": 20, \"pbd\": {\"tear\": 1.3}}], "
        "\"attachments\": [{\"body\": \"c\", \"where\": {\"box\": {\"min\": [0.5, -1, -2], "
        "\"max\": [2, 1, 2]}}}, {\"body\": \"c\", \"where\": {\"box\": {\"min\": [-2, -1, -2], "
        "\"max\": [-0.5, 1, 2]}}, \"motion\": {\"keyframes\": [{\"time\": 0}, {\"time\": 1, "
        "\"translate\": [-1.5, 0, 0]}], \"interpolation\": \"linear\"}}], \"colliders\": []}");
    sample_step(world, 60, NULL);
    // corners that were the hub are in more than one place: it was split
    const pl_mesh* mesh = pl_world_mesh(world, 0);
    const double* x = pl_world_positions(world, 0);
    double low = 1e9, high = -1e9;
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double* rest = mesh->positions + 3 * v;
        if (fabs(rest[0]) > 1e-9 || fabs(rest[2]) > 1e-9) continue;
        low = fmin(low, x[3 * v]), high = fmax(high, x[3 * v]);
    }
    CHECK(high - low > 0.5);
    pl_world_destroy(world);
}
