// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What a picture looks like: shadows on bodies, crevices, both sides of cloth, textures, lines.
#include "base/memory.h"
#include "record/render.h"
#include "sample_meshes.h"
#include "sample_pictures.h"
#include "test.h"

#include <stdlib.h>

enum { WIDTH = SAMPLE_WIDTH, HEIGHT = SAMPLE_HEIGHT };

// a rod along x of 48 sides, cut into pieces along its length
static pl_mesh* make_rod(int pieces) {
    enum { AROUND = 48 };
    double positions[3 * AROUND * 33];
    int triangles[6 * AROUND * 32], count = 0;
    for (int i = 0; i <= pieces; i++)
        for (int k = 0; k < AROUND; k++) {
            double angle = 2.0 * 3.141592653589793 * k / AROUND;
            double* p = positions + 3 * (i * AROUND + k);
            p[0] = 4.0 * i / pieces - 2.0;
            p[1] = 0.1 * cos(angle), p[2] = 0.1 * sin(angle);
        }
    for (int i = 0; i < pieces; i++)
        for (int k = 0; k < AROUND; k++) {
            int a = i * AROUND + k, b = i * AROUND + (k + 1) % AROUND;
            const int corners[6] = {a, b, b + AROUND, a, b + AROUND, a + AROUND};
            for (int c = 0; c < 6; c++) triangles[count++] = corners[c];
        }
    return sample_mesh(positions, (pieces + 1) * AROUND, NULL, 0, triangles, count / 3);
}

TEST(render_shadows_on_slivers_are_those_on_small_triangles)
{
    // a ball above a rod: the rod of slivers must look like the one that is cut into 32 pieces
    pl_image images[2];
    for (int k = 0; k < 2; k++) {
        sample_shown rod = sample_show(make_rod(k ? 32 : 1));
        sample_shown ball = sample_show(sample_sphere(3));
        for (int i = 0; i < ball.mesh->vertex_count; i++) {
            for (int c = 0; c < 3; c++) ball.positions[3 * i + c] *= 0.4f;
            ball.positions[3 * i + 1] += 1.0f;
        }
        pl_render_body bodies[2] = {rod.body, ball.body};
        pl_render_scene scene = {2, bodies};
        pl_view view = pl_default_view();
        pl_render_options options = sample_framed(&view, &scene);
        images[k] = sample_drawn(&scene, &options, NULL);
        sample_unshow(&rod);
        sample_unshow(&ball);
    }
    int different = 0;
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++)
        different += abs(images[0].pixels[i] - images[1].pixels[i]) > 12;
    CHECK(different < 20);
    pl_image_free(&images[0]);
    pl_image_free(&images[1]);
}
