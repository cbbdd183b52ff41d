// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The creatures of our own. That each is whole and has its regions is checked with all generators.
#include "base/random.h"
#include "geometry/solid.h"
#include "mesh/creature.h"
#include "tet_checks.h"

#include <pliant/pliant.h>

static pl_mesh* make(const char* name, double edge, const char* letter) {
    pl_generate_options options;
    pl_error error;
    pl_mesh* mesh;
    CHECK_OK(pl_generate_defaults(name, &options, &error), &error);
    if (edge > 0.0) options.edge = edge;
    if (letter) CHECK_OK(pl_generate_set_text(name, &options, "letter", letter, &error), &error);
    CHECK_OK(pl_generate(name, &options, &mesh, &error), &error);
    return mesh;
}

TEST(creatures_letters_are_whole)
{
    for (char c = 'A'; c <= 'Z'; c++) {
        const char name[2] = {c, '\0'};
        pl_mesh* mesh = make("letter", 0.0, name);
        CHECK_INT(check_tets(mesh).part_count, 1);
        double low = 1.0, high = -1.0;
        for (int v = 0; v < mesh->vertex_count; v++) {
            low = fmin(low, mesh->positions[3 * v + 1]);
            high = fmax(high, mesh->positions[3 * v + 1]);
        }
        // as tall as asked for, but for what the tets round off
        CHECK(low > -2e-4 && low < 0.004 && high < 0.1002 && high > 0.096);
        pl_mesh_destroy(mesh);
    }
}

// left of a creature that looks along +z is +x
TEST(creatures_sides_are_their_own)
{
    pl_mesh* mesh = make("bunny", 0.006, NULL);
    const pl_region* left = pl_mesh_region(mesh, PL_ELEMENT_TET, "ear_left");
    const pl_region* right = pl_mesh_region(mesh, PL_ELEMENT_TET, "ear_right");
    CHECK(left && right);
    for (int side = 0; side < 2; side++) {
        const pl_region* region = side ? right : left;
        double sum = 0.0;
        for (int k = 0; k < region->count; k++)
            sum += mesh->positions[3 * (size_t)mesh->tets[4 * (size_t)region->items[k]]];
        CHECK(side ? sum < 0.0 : sum > 0.0);
    }
    pl_mesh_destroy(mesh);
}

// a hand is one piece, also where its mesh is coarse; its thumb is on the side of +x, as a right
// hand's is that shows its palm along +z, and next to the index finger
TEST(creatures_hand_has_five_fingers_in_order)
{
    static const char* const fingers[] = {"thumb", "index", "middle", "ring", "little"};
    pl_mesh* mesh = make("hand", 0.007, NULL);
    CHECK_INT(check_tets(mesh).part_count, 1);
    double before = INFINITY;
    for (int f = 0; f < 5; f++) {
        const pl_region* region = pl_mesh_region(mesh, PL_ELEMENT_TET, fingers[f]);
        CHECK(region && region->count > 10);
        double mean = 0.0;
        for (int k = 0; k < region->count; k++)
            mean += mesh->positions[3 * (size_t)mesh->tets[4 * (size_t)region->items[k]]] /
                    region->count;
        CHECK(mean < before);
        before = mean;
    }
    pl_mesh_destroy(mesh);
}

// a limb's value is the distance to its surface: as far as the nearest of points that cover it
TEST(creatures_limbs_have_true_distances)
{
    const pl_part parts[] = {PL_LIMB("limb", 0.1, 0.2, 0.3, 0.25, 0.7, 0.9, 0.1, 0.1, 0.0)};
    const pl_creature one = {.name = "limb", .parts = parts, .part_count = 1};
    pl_random random = {.state = 5};
    for (int i = 0; i < 200; i++) {
        pl_vec3 x = {pl_random_uniform(&random, -1, 2), pl_random_uniform(&random, -1, 2),
                     pl_random_uniform(&random, -1, 2)};
        double value = pl_creature_value(&one, x, NULL), nearest = INFINITY;
        // the limb is the union of balls along its axis whose radii go from one to the other
        for (int k = 0; k <= 20000; k++) {
            double t = k / 20000.0;
            pl_vec3 c = pl_add(pl_scale(1.0 - t, parts[0].a), pl_scale(t, parts[0].b));
            nearest = fmin(nearest, pl_norm(pl_sub(x, c)) - (0.25 + t * (0.1 - 0.25)));
        }
        CHECK_NEAR(value, nearest, 1e-7);
    }
}

// a checker on a creature stays a checker: no triangle has its texture stretched beyond what a face
// seen under 55 degrees, the corner of a box, is
TEST(creatures_have_texture_coordinates)
{
    pl_mesh* mesh = make("bunny", 0.006, NULL);
    CHECK(mesh->uv_count > mesh->triangle_count / 2 && mesh->triangle_uvs);
    double low = INFINITY, high = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles + 3 * t, *w = mesh->triangle_uvs + 3 * t;
        pl_vec3 p[3], q[3];
        for (int k = 0; k < 3; k++) {
            const double* uv = mesh->uvs + 2 * w[k];
            CHECK(w[k] >= 0 && w[k] < mesh->uv_count);
            CHECK(uv[0] > 0.0 && uv[0] < 1.0 && uv[1] > 0.0 && uv[1] < 1.0);
            p[k] = pl_vec3_load(mesh->positions + 3 * (size_t)v[k]);
            q[k] = (pl_vec3){uv[0], uv[1], 0.0};
        }
        pl_vec3 drawn = pl_cross(pl_sub(q[1], q[0]), pl_sub(q[2], q[0]));
        double area = pl_norm(pl_cross(pl_sub(p[1], p[0]), pl_sub(p[2], p[0])));
        CHECK(drawn.z > 0.0); // not a mirror image
        low = fmin(low, drawn.z / area), high = fmax(high, drawn.z / area);
    }
    CHECK(high < 1.7321 * low * (1.0 + 1e-9)); // the cosine of that angle is 1 / sqrt(3)
    pl_mesh_destroy(mesh);
}

// the dress is around the human everywhere, close at the top, and its outer side is outside
TEST(creatures_dress_fits_the_human)
{
    pl_mesh *human = make("human", 0.05, NULL), *dress = make("dress", 0.04, NULL);
    pl_solid solid;
    pl_error error;
    CHECK_OK(pl_solid_build(human->positions, human->triangles, human->triangle_count, true, &solid,
                            &error),
             &error);
    for (int v = 0; v < dress->vertex_count; v++)
        CHECK(pl_solid_distance(&solid, pl_vec3_load(dress->positions + 3 * v), 1.0) > 0.004);
    const pl_region* top = pl_mesh_region(dress, PL_ELEMENT_VERTEX, "top");
    for (int k = 0; k < top->count; k++) {
        const double* p = dress->positions + 3 * top->items[k];
        CHECK(pl_solid_distance(&solid, pl_vec3_load(p), 1.0) < 0.035);
    }
    for (int t = 0; t < dress->triangle_count; t++) {
        pl_vec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = pl_vec3_load(dress->positions + 3 * dress->triangles[3 * t + k]);
        pl_vec3 normal = pl_cross(pl_sub(p[1], p[0]), pl_sub(p[2], p[0]));
        CHECK(normal.x * p[0].x + normal.z * p[0].z > 0.0);
    }
    pl_solid_free(&solid);
    pl_mesh_destroy(human);
    pl_mesh_destroy(dress);
}
