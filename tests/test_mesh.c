// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "mesh/mesh_read.h"
#include "test.h"

#include <pliant/mesh.h>

static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int one_tet[] = {0, 1, 2, 3};
static const int one_triangle[] = {0, 2, 1};

TEST(mesh_create_copies_and_checks)
{
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(pl_mesh_create(corners, 4, one_tet, 1, one_triangle, 1, &mesh, &error), &error);
    CHECK(mesh->vertex_count == 4 && mesh->tet_count == 1 && mesh->triangle_count == 1);
    CHECK(mesh->positions != corners && mesh->positions[3] == 1.0);
    pl_mesh_destroy(mesh);
    int bad[] = {0, 1, 2, 4};
    CHECK_INT(pl_mesh_create(corners, 4, bad, 1, NULL, 0, &mesh, &error), PL_ERROR_MESH);
    CHECK_TEXT(error.text, "tet 0 refers to vertex 4");
    CHECK(!mesh);
    CHECK_INT(pl_mesh_create(corners, -4, NULL, 0, NULL, 0, &mesh, &error), PL_ERROR_ARGUMENT);
    pl_mesh_destroy(NULL);
}

TEST(mesh_regions_and_fields)
{
    pl_mesh *mesh, *copy;
    pl_error error;
    CHECK_OK(pl_mesh_create(corners, 4, one_tet, 1, NULL, 0, &mesh, &error), &error);
    int items[] = {3, 1, 3, 0};
    double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, "foot", 7, items, 4, &error), &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_VERTEX, "heat", 2, values, &error), &error);
    CHECK_INT(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "all", 0, items, 4, &error),
              PL_ERROR_ARGUMENT);
    CHECK_OK(pl_mesh_copy(mesh, &copy, &error), &error);
    pl_mesh_destroy(mesh);
    const pl_region* foot = pl_mesh_region(copy, PL_ELEMENT_VERTEX, "foot");
    CHECK(foot && foot->tag == 7 && foot->count == 3);
    CHECK(foot->items[0] == 0 && foot->items[1] == 1 && foot->items[2] == 3);
    CHECK(!pl_mesh_region(copy, PL_ELEMENT_TET, "foot"));
    CHECK_NEAR(pl_mesh_field(copy, PL_ELEMENT_VERTEX, "heat")->values[7], 8.0, 0.0);
    pl_mesh_destroy(copy);
}

TEST(mesh_copy_survives_every_failing_allocation)
{
    pl_mesh *mesh, *copy;
    pl_error error;
    CHECK_OK(pl_mesh_create(corners, 4, one_tet, 1, one_triangle, 1, &mesh, &error), &error);
    CHECK_OK(pl_mesh_add_region(mesh, PL_ELEMENT_TET, "all", 1, (int[]){0}, 1, &error), &error);
    CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_TET, "young", 1, (double[]){5.0}, &error), &error);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status = pl_mesh_copy(mesh, &copy, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(!copy);
        CHECK_INT(pl_byte_count(), before);
    }
    pl_mesh_destroy(copy);
    pl_mesh_destroy(mesh);
}

TEST(mesh_format_by_ending)
{
    CHECK_INT(pl_mesh_format_of("a/b.obj"), PL_MESH_OBJ);
    CHECK_INT(pl_mesh_format_of("B.OBJ.GZ"), PL_MESH_OBJ);
    CHECK_INT(pl_mesh_format_of("x.ele"), PL_MESH_TETGEN);
    CHECK_INT(pl_mesh_format_of("x.mesh"), PL_MESH_MEDIT);
    CHECK_INT(pl_mesh_format_of("x.unknown"), PL_MESH_AUTO);
    CHECK_INT(pl_mesh_format_of("folder.obj/file"), PL_MESH_AUTO);
    CHECK_INT(pl_mesh_format_of(""), PL_MESH_AUTO);
}
