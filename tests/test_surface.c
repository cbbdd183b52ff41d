// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/mesh_object.h"
#include "mesh/surface.h"
#include "sample_meshes.h"

#include <pliant/generate.h>
#include <pliant/mesh_surface.h>

static double enclosed_volume(const pl_mesh* mesh) {
    double volume = 0.0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        pl_vec3 p[3];
        for (int k = 0; k < 3; k++)
            p[k] = pl_vec3_load(mesh->positions + 3 * mesh->triangles[3 * i + k]);
        volume += pl_dot(p[0], pl_cross(p[1], p[2])) / 6.0;
    }
    return volume;
}

static pl_surface* surface_of(const pl_mesh* mesh) {
    pl_surface* surface;
    pl_error error;
    CHECK_OK(pl_mesh_surface(mesh, &surface, &error), &error);
    return surface;
}

static void turn_tet(pl_mesh* mesh, int t) {
    int swapped = mesh->tets[4 * t];
    mesh->tets[4 * t] = mesh->tets[4 * t + 1];
    mesh->tets[4 * t + 1] = swapped;
}

TEST(surface_of_a_box)
{
    pl_mesh* box = sample_box(3, 2, 2);
    pl_surface* surface = surface_of(box);
    CHECK_INT(surface->mesh->triangle_count, 2 * 2 * (6 + 6 + 4));
    CHECK_INT(surface->mesh->vertex_count, 4 * 3 * 3 - 2 * 1 * 1);
    CHECK_NEAR(enclosed_volume(surface->mesh), 12.0, 1e-12);
    for (int v = 0; v < surface->mesh->vertex_count; v++)
        CHECK(memcmp(surface->mesh->positions + 3 * v, box->positions + 3 * surface->vertices[v],
                     3 * sizeof(double)) == 0);
    // each triangle belongs to the tet it names
    for (int i = 0; i < surface->mesh->triangle_count; i++) {
        const int* tet = box->tets + 4 * surface->elements[i];
        for (int k = 0; k < 3; k++) {
            int v = surface->vertices[surface->mesh->triangles[3 * i + k]];
            CHECK(v == tet[0] || v == tet[1] || v == tet[2] || v == tet[3]);
        }
    }
    pl_surface_destroy(surface);
    pl_mesh_destroy(box);
}

TEST(surface_is_outward_whatever_the_winding)
{
    pl_mesh* box = sample_box(2, 2, 2);
    for (int t = 0; t < box->tet_count; t += 5) turn_tet(box, t); // some
    pl_surface* surface = surface_of(box);
    CHECK_NEAR(enclosed_volume(surface->mesh), 8.0, 1e-12);
    pl_surface_destroy(surface);
    for (int t = 0; t < box->tet_count; t++)
        if (t % 5) turn_tet(box, t); // now all
    surface = surface_of(box);
    CHECK_NEAR(enclosed_volume(surface->mesh), 8.0, 1e-12);
    pl_surface_destroy(surface);
    pl_mesh_destroy(box);
}

TEST(surface_of_a_folded_tet_keeps_its_orientation)
{
    // a corner pushed through the box turns its tets inside out; the faces must still agree
    pl_mesh* box = sample_box(2, 2, 2);
    for (int i = 0; i < 3; i++) box->positions[i] = 1.2;
    pl_surface* surface = surface_of(box);
    const pl_mesh* m = surface->mesh;
    for (int i = 0; i < 3 * m->triangle_count; i++) {
        int from = m->triangles[i], to = m->triangles[i / 3 * 3 + (i + 1) % 3], back = 0;
        for (int j = 0; j < 3 * m->triangle_count; j++)
            back += m->triangles[j] == to && m->triangles[j / 3 * 3 + (j + 1) % 3] == from;
        CHECK_INT(back, 1);
    }
    pl_surface_destroy(surface);
    pl_mesh_destroy(box);
}

TEST(surface_carries_regions_fields_and_uvs)
{
    pl_mesh* box = sample_box(1, 1, 1);
    pl_error error;
    pl_mesh* mesh;
    // one triangle on the boundary, named the wrong way round, and one inside
    int triangles[] = {0, 1, 3, 0, 1, 7};
    CHECK_OK(pl_mesh_create(box->positions, 8, box->tets, 6, triangles, 2, &mesh, &error), &error);
    mesh->uvs = PL_ALLOC(double, 2 * 3);
    mesh->triangle_uvs = PL_ALLOC(int, 2 * 3);
    mesh->uv_count = 3;
    for (int i = 0; i < 6; i++) mesh->uvs[i] = i, mesh->triangle_uvs[i] = i % 3;
    double heat[8], young[6], mark[2] = {4.0, 5.0};
    for (int i = 0; i < 8; i++) heat[i] = i;
    for (int i = 0; i < 6; i++) young[i] = 10.0 * i;
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TRIANGLE, "foot", 3, (int[]){0, 1}, 2, &error),
             &error);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "flesh", 1, (int[]){2, 4}, 2, &error),
             &error);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, "pin", 2, (int[]){7}, 1, &error), &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_VERTEX, "heat", 1, heat, &error), &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_TET, "young", 1, young, &error), &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_TRIANGLE, "mark", 1, mark, &error), &error);
    pl_surface* surface = surface_of(mesh);
    const pl_mesh* m = surface->mesh;
    CHECK_INT(m->triangle_count, 12);

    const pl_region* foot = pl_mesh_region(m, PL_ELEMENT_TRIANGLE, "foot");
    CHECK(foot && foot->count == 1 && foot->tag == 3);
    const int* face = m->triangles + 3 * foot->items[0];
    CHECK_INT(face[0] + face[1] + face[2], 0 + 1 + 3);
    for (int k = 0; k < 3; k++) { // uv i belongs to corner i of (0, 1, 3)
        int uv = m->triangle_uvs[3 * foot->items[0] + k];
        CHECK_INT(face[k], uv == 2 ? 3 : uv);
    }
    const pl_region* flesh = pl_mesh_region(m, PL_ELEMENT_TRIANGLE, "flesh");
    CHECK(flesh && flesh->count == 4); // each tet of the cube has two outer faces
    const pl_field *young_of = pl_mesh_field(m, PL_ELEMENT_TRIANGLE, "young"),
                   *mark_of = pl_mesh_field(m, PL_ELEMENT_TRIANGLE, "mark");
    for (int i = 0; i < 12; i++) {
        CHECK_NEAR(young_of->values[i], 10.0 * surface->elements[i], 0.0);
        CHECK(i == foot->items[0] ? mark_of->values[i] == 4.0 : isnan(mark_of->values[i]));
    }
    CHECK_INT(pl_mesh_region(m, PL_ELEMENT_VERTEX, "pin")->items[0], 7);
    CHECK_NEAR(pl_mesh_field(m, PL_ELEMENT_VERTEX, "heat")->values[5], 5.0, 0.0);
    pl_surface_destroy(surface);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(box);
}

TEST(surface_of_triangles_drops_unused_vertices)
{
    double positions[] = {9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    int triangle[] = {1, 2, 3};
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_mesh_create(positions, 4, NULL, 0, triangle, 1, &mesh, &error), &error);
    pl_surface* surface = surface_of(mesh);
    CHECK(surface->mesh->vertex_count == 3 && surface->vertices[0] == 1);
    CHECK(surface->mesh->triangles[0] == 0 && surface->elements[0] == 0);
    pl_surface_destroy(surface);
    pl_mesh_destroy(mesh);
    pl_mesh empty = {0};
    surface = surface_of(&empty);
    CHECK_INT(surface->mesh->vertex_count, 0);
    pl_surface_destroy(surface);
    pl_surface_destroy(NULL);
}

TEST(surface_survives_every_failing_allocation)
{
    pl_mesh *box = sample_box(1, 1, 1), *mesh;
    pl_error error;
    int triangle[] = {0, 1, 3};
    CHECK_OK(pl_mesh_create(box->positions, 8, box->tets, 6, triangle, 1, &mesh, &error), &error);
    mesh->uvs = PL_ALLOC(double, 2);
    mesh->triangle_uvs = PL_ALLOC(int, 3);
    mesh->uv_count = 1;
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "all", 1, (int[]){0}, 1, &error), &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_TRIANGLE, "f", 1, (double[]){1}, &error), &error);
    size_t before = pl_byte_count();
    int64_t nth = 1;
    pl_surface* surface;
    for (;; nth++) {
        pl_inject_failure(nth);
        pl_status status = pl_mesh_surface(mesh, &surface, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(!surface);
        CHECK_INT(pl_byte_count(), before);
    }
    CHECK(nth > 20);
    pl_surface_destroy(surface);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(box);
}

// Of tets with positive volume the threads find what groups of sides tell.
TEST(surface_by_threads_is_that_of_sides)
{
    pl_generate_options options;
    pl_error error;
    pl_mesh* mesh;
    pl_pool* pool;
    CHECK_OK(pl_generate_defaults("box", &options, &error), &error);
    options.edge = 1.0 / 21; // more tets than one share of the lists
    CHECK_OK(pl_generate("box", &options, &mesh, &error), &error);
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    pl_side_groups sides;
    pl_boundary expected;
    pl_surface* surface;
    CHECK_OK(
        pl_side_groups_create(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, &sides, &error),
        &error);
    CHECK_OK(pl_boundary_from_sides(mesh, &sides, &expected, &error), &error);
    CHECK_OK(pl_mesh_surface_by(pool, mesh, &surface, &error), &error);
    CHECK_INT(surface->mesh->triangle_count, expected.count);
    for (int i = 0; i < expected.count; i++) {
        CHECK_INT(surface->elements[i], expected.sides[i] / 4);
        for (int k = 0; k < 3; k++)
            CHECK_INT(surface->vertices[surface->mesh->triangles[3 * i + k]],
                      expected.triangles[3 * i + k]);
    }
    pl_surface_destroy(surface);
    pl_boundary_free(&expected);
    pl_side_groups_free(&sides);
    pl_pool_destroy(pool);
    pl_mesh_destroy(mesh);
}
