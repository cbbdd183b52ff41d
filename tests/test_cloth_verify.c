// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cloth of `pliant-bench verify` in small.
#include "test.h"
#include "verify_cloth.h"

#include <pliant/pliant.h>

static pl_mesh* sheet_of(verify_sheet_kind kind, double size_x, double size_y, double edge) {
    pl_mesh* mesh;
    pl_error error;
    CHECK_OK(verify_sheet(kind, size_x, size_y, edge, &mesh, &error), &error);
    return mesh;
}

// Springs have the stretch modulus that was asked for, in all directions and whatever the
// triangles, on a sheet and on a strip of four cells.
TEST(cloth_of_springs_has_its_stretch_modulus)
{
    const pl_element_material material = {
        .law = PL_LAW_SPRINGS, .density = 1.0, .stretch = 400.0, .shear = 150.0};
    for (int kind = 0; kind < VERIFY_SHEET_COUNT; kind++)
        for (int strip = 0; strip < 2; strip++) {
            pl_mesh* mesh = sheet_of((verify_sheet_kind)kind, 1.0, strip ? 0.4 : 1.0, 0.1);
            for (int degrees = 0; degrees < 180; degrees += 45) {
                double modulus, poisson;
                pl_error error;
                CHECK_OK(verify_sheet_moduli(mesh, &material, degrees, &modulus, &poisson, &error),
                         &error);
                // springs cannot have it on oblong cells, but nearly
                CHECK_NEAR(modulus / 400.0, 1.0, kind == VERIFY_SHEET_OBLONG ? 0.25 : 0.05);
                if (kind != VERIFY_SHEET_OBLONG) CHECK_NEAR(poisson, 1.0 / 3.0, 0.05);
            }
            pl_mesh_destroy(mesh);
        }
}

// A sheet rolled to a cylinder has the energy 1/2 bend curvature^2 area. Its rim, half a row of
// triangles wide, does not bend across the rim's own direction: of a sheet as coarse as this, that
// counts.
LONG_TEST(cloth_rolled_to_a_cylinder_has_its_energy)
{
    const double width = 1.0, height = 0.8, edge = 0.05;
    for (int kind = 0; kind < VERIFY_SHEET_COUNT; kind++) {
        if (kind == VERIFY_SHEET_OBLONG) continue;
        pl_mesh* mesh = sheet_of((verify_sheet_kind)kind, width, height, edge);
        for (int degrees = 0; degrees < 180; degrees += 15) {
            verify_answer energy;
            pl_error error;
            CHECK_OK(verify_sheet_cylinder(mesh, degrees, 1.0, &energy, &error), &error);
            double c = cos(degrees * 0.017453292519943295), s = sin(degrees * 0.017453292519943295);
            double rim = edge / width * c * c * c * c + edge / height * s * s * s * s;
            CHECK_NEAR(energy.value / (energy.reference * (1.0 - rim)), 1.0, 0.03);
        }
        pl_mesh_destroy(mesh);
    }
}

// A strip that is clamped horizontally hangs like the heavy elastica.
LONG_TEST(cloth_strip_droops_like_the_elastica)
{
    static const double gammas[] = {1.0, 10.0};
    for (int kind = 0; kind < VERIFY_SHEET_COUNT; kind++)
        for (int k = 0; k < 2; k++) {
            verify_strip strip = {(verify_sheet_kind)kind, gammas[k], 20, 6};
            verify_answer droop;
            pl_error error;
            if (kind == VERIFY_SHEET_OBLONG) continue;
            CHECK_OK(verify_strip_droop(&strip, &droop, &error), &error);
            CHECK_NEAR(droop.value / droop.reference, 1.0, 0.03);
        }
}

// Elastic triangles have the moduli of a solid sheet in plane stress, through the scene's numbers.
TEST(cloth_of_triangles_is_in_plane_stress)
{
    static const double ratios[] = {0.0, 0.3, 0.45, 0.5};
    for (int k = 0; k < 4; k++)
        for (int kind = 0; kind < VERIFY_SHEET_COUNT; kind++) {
            pl_mesh* mesh = sheet_of((verify_sheet_kind)kind, 0.4, 0.3, 0.1);
            pl_element_material material;
            pl_error error;
            CHECK_OK(verify_membrane_material(2e5, ratios[k], 1e-3, &material, &error), &error);
            for (int degrees = 0; degrees < 180; degrees += 30) {
                double modulus, poisson;
                CHECK_OK(verify_sheet_moduli(mesh, &material, degrees, &modulus, &poisson, &error),
                         &error);
                CHECK_NEAR(modulus / 200.0, 1.0, 1e-6);
                CHECK_NEAR(poisson, ratios[k], 1e-6);
            }
            pl_mesh_destroy(mesh);
        }
}
