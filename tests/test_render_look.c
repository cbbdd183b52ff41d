// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What a picture looks like: shadows on bodies, crevices, both sides of cloth, textures, lines.
#include "base/memory.h"
#include "record/png_read.h"
#include "record/png_write.h"
#include "record/render_mesh.h"
#include "sample_meshes.h"
#include "sample_pictures.h"
#include "test.h"

#include <png.h>
#include <stdlib.h>
#include <unistd.h>

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
        pl_render_scene scene = {.body_count = 2, .bodies = bodies};
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

static double luminance(const pl_image* image, int x, int y) {
    const uint8_t* p = pl_image_at(image, x, y);
    return 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2];
}

// a flat square of side 2 at a height, of n x n cells
static sample_shown level_square(double height, int n) {
    sample_shown s = sample_show(sample_sheet(n, n));
    for (int i = 0; i < s.mesh->vertex_count; i++) {
        float x = s.positions[3 * i] / (float)n, y = s.positions[3 * i + 1] / (float)n;
        s.positions[3 * i] = 2.0f * x - 1.0f;
        s.positions[3 * i + 1] = (float)height;
        s.positions[3 * i + 2] = 1.0f - 2.0f * y;
    }
    return s;
}

TEST(render_crevices_are_darker_than_open_places)
{
    // between two walls, the floor sees less of the sky than in the open; of small triangles, whose
    // corners are asked, and of two large ones, whose insides are
    for (int cells = 1; cells <= 40; cells += 39) {
        sample_shown floor = level_square(0.0, cells), wall = level_square(0.0, 20);
        for (int i = 0; i < wall.mesh->vertex_count; i++) {
            float* p = wall.positions + 3 * i;
            p[1] = 0.5f * (p[0] + 1.0f);
            p[0] = p[2] > 0.0f ? 0.0f : 0.3f;
            p[2] = p[2] > 0.0f ? 2.0f * p[2] - 1.0f : 2.0f * p[2] + 1.0f;
        }
        pl_render_body bodies[2] = {floor.body, wall.body};
        // the same colour everywhere, seen from straight above
        for (int k = 0; k < 2; k++) {
            bodies[k].has_color = true;
            for (int c = 0; c < 3; c++) bodies[k].color[c] = 0.5f;
        }
        pl_render_scene scene = {.body_count = 2, .bodies = bodies};
        pl_view view = pl_default_view();
        view.azimuth = 0.0, view.elevation = 90.0;
        pl_render_options options = sample_framed(&view, &scene);
        options.ground = false;
        double light[2][2];
        for (int flat = 0; flat < 2; flat++) {
            options.no_occlusion = flat;
            pl_image image = sample_drawn(&scene, &options, NULL);
            int half = HEIGHT / 2; // 0.92 of it is the floor's half side
            light[flat][0] = luminance(&image, WIDTH / 2 + (int)(0.15 * half), half);
            light[flat][1] = luminance(&image, WIDTH / 2 + (int)(0.75 * half), half);
            pl_image_free(&image);
        }
        CHECK(light[0][0] / light[1][0] < 0.93 * light[0][1] / light[1][1]);
        CHECK(light[0][1] > 0.93 * light[1][1]); // what is open stays as light as it was
        sample_unshow(&floor);
        sample_unshow(&wall);
    }
}

// how wide the edge of a ball's shadow on a square is, as the part of its pixels that are neither
// dark nor light
static double penumbra_of(double height) {
    sample_shown square = level_square(0.0, 1), ball = sample_show(sample_sphere(3));
    for (int i = 0; i < ball.mesh->vertex_count; i++) {
        for (int c = 0; c < 3; c++) ball.positions[3 * i + c] *= 0.12f;
        ball.positions[3 * i + 1] += (float)height;
    }
    pl_render_body bodies[2] = {square.body, ball.body};
    pl_render_scene scene = {.body_count = 2, .bodies = bodies};
    pl_view view = pl_default_view();
    view.azimuth = 0.0, view.elevation = 90.0;
    pl_render_options options = sample_framed(&view, &scene);
    options.ground = false;
    options.no_occlusion = true;
    options.width *= 4, options.height *= 4;
    pl_image image = sample_drawn(&scene, &options, NULL);
    scene.body_count = 1;
    pl_image bare = sample_drawn(&scene, &options, NULL);
    int between = 0, dark = 0;
    for (int y = 2 * HEIGHT - 168; y < 2 * HEIGHT + 168; y++)
        for (int x = 2 * WIDTH - 168; x < 2 * WIDTH + 168; x++) {
            const uint8_t* p = pl_image_at(&image, x, y);
            if (p[2] > p[0]) continue; // the ball, which is teal
            double part = luminance(&image, x, y) / luminance(&bare, x, y);
            between += part > 0.72 && part < 0.96;
            dark += part < 0.96;
        }
    pl_image_free(&bare);
    pl_image_free(&image);
    sample_unshow(&square);
    sample_unshow(&ball);
    CHECK(dark > 100);
    return (double)between / dark;
}

TEST(render_shadows_on_bodies_are_softer_far_away)
{ CHECK(penumbra_of(0.8) > 1.15 * penumbra_of(0.2)); }

TEST(render_sheets_have_two_sides)
{
    sample_shown s = level_square(0.0, 4);
    s.body.has_color = s.body.has_back_color = true;
    s.body.color[0] = 0.6f, s.body.back_color[2] = 0.6f;
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    for (int below = 0; below < 2; below++) {
        view.elevation = below ? -60.0 : 60.0;
        pl_render_options options = sample_framed(&view, &scene);
        options.ground = false;
        pl_image image = sample_drawn(&scene, &options, NULL);
        const uint8_t* p = pl_image_at(&image, WIDTH / 2, HEIGHT / 2);
        CHECK(below ? p[2] > p[0] + 60 : p[0] > p[2] + 60);
        pl_image_free(&image);
    }
    sample_unshow(&s);
}

TEST(render_textures_lie_as_their_coordinates_say)
{
    // four pixels: red and green above, blue and white below
    pl_image image;
    pl_error error;
    CHECK_OK(pl_image_create(2, 2, &image, &error), &error);
    const uint8_t colors[4][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}};
    memcpy(image.pixels, colors, sizeof colors);
    pl_texture texture;
    CHECK_OK(pl_texture_create(&image, &texture, &error), &error);
    CHECK_INT(texture.level_count, 2);
    float rgb[3];
    pl_texture_color(&texture, 0.25f, 0.75f, 0.0f, rgb); // v goes up
    CHECK(rgb[0] == 1.0f && rgb[1] == 0.0f && rgb[2] == 0.0f);
    pl_texture_color(&texture, 1.75f, -0.75f, 0.0f, rgb); // repeated
    CHECK(rgb[0] == 1.0f && rgb[1] == 1.0f && rgb[2] == 1.0f);
    pl_texture_color(&texture, 0.3f, 0.3f, 1.0f, rgb); // from far away, the mean
    CHECK_NEAR(rgb[0], 0.5, 1e-6);
    CHECK_NEAR(rgb[1], 0.5, 1e-6);
    // on a square that is seen from above: x to the right, -z up
    sample_shown s = level_square(0.0, 1);
    float uvs[8];
    for (int i = 0; i < 4; i++) {
        uvs[2 * i] = 0.5f + 0.5f * s.positions[3 * i];
        uvs[2 * i + 1] = 0.5f - 0.5f * s.positions[3 * i + 2];
    }
    s.body.texture = &texture;
    s.body.uvs = uvs;
    s.body.triangle_uvs = s.body.triangles;
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    view.azimuth = 0.0, view.elevation = 90.0;
    pl_render_options options = sample_framed(&view, &scene);
    options.ground = false;
    pl_image drawn = sample_drawn(&scene, &options, NULL);
    for (int k = 0; k < 4; k++) {
        const uint8_t* p =
            pl_image_at(&drawn, WIDTH / 2 + (k % 2 ? 32 : -32), HEIGHT / 2 + (k / 2 ? 32 : -32));
        for (int c = 0; c < 3; c++) CHECK(colors[k][c] ? p[c] > 140 : p[c] < 140);
    }
    pl_image_free(&drawn);
    pl_texture_free(&texture);
    pl_image_free(&image);
    sample_unshow(&s);
}

TEST(render_without_a_backdrop_has_alpha)
{
    sample_shown s = sample_show(sample_sphere(3));
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    view.margin = 0.4;
    pl_render_options options = sample_framed(&view, &scene);
    pl_image plain = sample_drawn(&scene, &options, NULL);
    options.transparent = true;
    pl_image clear = sample_drawn(&scene, &options, NULL);
    CHECK(clear.alpha && !plain.alpha);
    int at = HEIGHT / 2 * WIDTH + WIDTH / 2;
    CHECK_INT(clear.alpha[at], 255);
    CHECK(memcmp(clear.pixels + 3 * at, plain.pixels + 3 * at, 3) == 0);
    CHECK_INT(clear.alpha[0], 0);
    // the shadow is part of it, black and not opaque
    int shadow = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        shadow += clear.alpha[i] > 40 && clear.alpha[i] < 200 && clear.pixels[3 * i] == 0;
    CHECK(shadow > 50);
    // as a file, read by libpng: four numbers per pixel
    const char* path = pl_test_path("clear.png");
    pl_error error;
    CHECK_OK(pl_image_write_png(&clear, NULL, path, &error), &error);
    png_image png = {.version = PNG_IMAGE_VERSION};
    CHECK(png_image_begin_read_from_file(&png, path));
    CHECK(png.format & PNG_FORMAT_FLAG_ALPHA);
    png.format = PNG_FORMAT_RGBA;
    static uint8_t pixels[4 * WIDTH * HEIGHT];
    CHECK(png_image_finish_read(&png, NULL, pixels, 0, NULL));
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        CHECK_INT(pixels[4 * i + 3], clear.alpha[i]);
        CHECK(memcmp(pixels + 4 * i, clear.pixels + 3 * i, 3) == 0);
    }
    pl_image_free(&plain);
    pl_image_free(&clear);
    sample_unshow(&s);
}

TEST(render_reads_the_pngs_of_others)
{
    // written by libpng in all kinds that are read; grey has one number
    static const struct {
        png_uint_32 format;
        int channels;
    } kinds[] = {
        {PNG_FORMAT_RGB, 3}, {PNG_FORMAT_RGBA, 4}, {PNG_FORMAT_GRAY, 1}, {PNG_FORMAT_GA, 2}};
    const char* path = pl_test_path("other.png");
    pl_error error;
    pl_image image;
    for (int k = 0; k < 4; k++) {
        uint8_t pixels[4 * 19 * 23];
        for (int i = 0; i < 4 * 19 * 23; i++)
            pixels[i] = (uint8_t)(i % 7 == 0 ? 255 - i : 3 * i + i * i / 50);
        png_image png = {.version = PNG_IMAGE_VERSION, .width = 19, .height = 23};
        png.format = kinds[k].format;
        CHECK(png_image_write_to_file(&png, path, 0, pixels, 0, NULL));
        CHECK_OK(pl_image_read_png(path, &image, &error), &error);
        CHECK(image.width == 19 && image.height == 23);
        int n = kinds[k].channels;
        for (int i = 0; i < 19 * 23; i++)
            for (int c = 0; c < 3; c++)
                CHECK_INT(image.pixels[3 * i + c], pixels[n * i + (n < 3 ? 0 : c)]);
        pl_image_free(&image);
    }
    // what is cut off, is another file, or is not there
    CHECK(truncate(path, 60) == 0);
    CHECK_INT(pl_image_read_png(path, &image, &error), PL_ERROR_FORMAT);
    CHECK_TEXT(error.text, "incomplete or damaged");
    CHECK(truncate(path, 5) == 0);
    CHECK_INT(pl_image_read_png(path, &image, &error), PL_ERROR_FORMAT);
    CHECK_TEXT(error.text, "is not a PNG picture");
    CHECK_INT(pl_image_read_png(pl_test_path("none.png"), &image, &error), PL_ERROR_IO);
}

TEST(render_lines_of_fine_meshes_do_not_beat)
{
    // cells of 1.4 pixels: lines are a tint, with the same mean in every part of the picture
    sample_shown s = level_square(0.0, 80);
    s.body.has_color = true;
    for (int c = 0; c < 3; c++) s.body.color[c] = 0.5f;
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    view.azimuth = 0.0, view.elevation = 90.0;
    pl_render_options options = sample_framed(&view, &scene);
    options.ground = false;
    options.wireframe = true;
    pl_image image = sample_drawn(&scene, &options, NULL);
    double low = 255.0, high = 0.0;
    for (int y = HEIGHT / 2 - 40; y < HEIGHT / 2 + 40; y++)
        for (int x = WIDTH / 2 - 40; x < WIDTH / 2 + 40; x++) {
            double value = luminance(&image, x, y);
            low = fmin(low, value), high = fmax(high, value);
        }
    CHECK(high - low < 14.0);
    options.wireframe = false;
    pl_image bare = sample_drawn(&scene, &options, NULL);
    CHECK(high < luminance(&bare, WIDTH / 2, HEIGHT / 2) - 10.0);
    pl_image_free(&bare);
    pl_image_free(&image);
    sample_unshow(&s);
}

TEST(render_smooths_the_folds_of_cloth_only)
{
    // a sheet with a sharp fold along x = 0
    const double corners[18] = {-1, 0, 0, -1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1};
    const int triangles[12] = {0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4};
    for (int smooth = 0; smooth < 2; smooth++) {
        sample_shown s = sample_show(sample_mesh(corners, 6, NULL, 0, triangles, 4));
        s.body.has_no_creases = smooth;
        pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
        pl_view view = pl_default_view();
        pl_render_options options = sample_framed(&view, &scene);
        pl_render_mesh mesh;
        pl_error error;
        CHECK_OK(pl_render_mesh_create(&scene, &options, NULL, &mesh, &error), &error);
        // vertex 2 in the first triangle and in the third
        float dot = pl_dotf(mesh.normals[2], mesh.normals[6]);
        CHECK(smooth ? dot > 0.9999f : dot < 0.5f);
        pl_render_mesh_free(&mesh);
        sample_unshow(&s);
    }
}

TEST(render_joins_the_triangles_of_cloth_that_may_tear)
{
    // two triangles with corners of their own that share a side, and a third that was torn off
    const double corners[27] = {0, 0, 0, 1, 0, 0, 0,    1, 0.5, 0, 1, 0.5, 1,   0,
                                0, 1, 1, 0, 1, 0, 0.01, 2, 0,   0, 1, 1,   0.01};
    const int triangles[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    for (int cloth = 0; cloth < 2; cloth++) {
        sample_shown s = sample_show(sample_mesh(corners, 9, NULL, 0, triangles, 3));
        s.body.has_no_creases = cloth;
        pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
        pl_view view = pl_default_view();
        pl_render_options options = sample_framed(&view, &scene);
        pl_render_mesh mesh;
        pl_error error;
        CHECK_OK(pl_render_mesh_create(&scene, &options, NULL, &mesh, &error), &error);
        CHECK((mesh.triangles[4] == mesh.triangles[1]) == cloth);
        CHECK((mesh.triangles[3] == mesh.triangles[2]) == cloth);
        CHECK(mesh.triangles[6] == 6 && mesh.triangles[8] == 8);
        CHECK((pl_dotf(mesh.normals[1], mesh.normals[4]) > 0.9999f) == cloth);
        pl_render_mesh_free(&mesh);
        sample_unshow(&s);
    }
}
