// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "record/legend.h"
#include "record/png_write.h"
#include "record/text_draw.h"
#include "sample_meshes.h"
#include "sample_pictures.h"
#include "test.h"

#include <float.h>
#include <png.h>
#include <stdlib.h>

enum { WIDTH = SAMPLE_WIDTH, HEIGHT = SAMPLE_HEIGHT };

static uint64_t hash_of(const pl_image* image) {
    return pl_hash_bytes(image->pixels, 3 * (size_t)image->width * (size_t)image->height, 0);
}

// a pixel where red is far above blue belongs to the body, whose first colour is red
static bool is_body(const pl_image* image, int x, int y) {
    const uint8_t* p = pl_image_at(image, x, y);
    return p[0] > p[2] + 40;
}

TEST(render_camera_shows_all_points_and_no_more)
{
    // the outermost of many points touch the free border in one direction at least
    float points[300];
    uint64_t state = 7;
    for (int i = 0; i < 300; i++) {
        state = pl_hash_mix(state + 1);
        points[i] = (float)(state % 1000) / 100.0f - (i % 3 == 1 ? 3.0f : 50.0f);
    }
    for (int axis = 0; axis < 3; axis++)
        for (double azimuth = -170.0; azimuth < 180.0; azimuth += 50.0)
            for (double elevation = -80.0; elevation < 90.0; elevation += 40.0) {
                pl_view view = pl_default_view();
                view.up_axis = axis;
                view.azimuth = azimuth;
                view.elevation = elevation;
                pl_camera_fit fit = pl_camera_fit_begin(&view, 640, 360);
                pl_camera_fit_points(&fit, points, 100);
                pl_camera c = pl_camera_fit_end(&fit);
                CHECK_NEAR(pl_dot(pl_cross(c.right, c.up), c.back), 1.0, 1e-12);
                double widest = 0.0;
                for (int i = 0; i < 100; i++) {
                    pl_vec3 p = {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
                    pl_vec3 d = pl_sub(p, c.eye);
                    double depth = -pl_dot(d, c.back);
                    CHECK(depth > 0.0);
                    widest = fmax(widest, fabs(pl_dot(d, c.right)) / (depth * c.tan_x));
                    widest = fmax(widest, fabs(pl_dot(d, c.up)) / (depth * c.tan_y));
                }
                CHECK_NEAR(widest, 1.0 - view.margin, 1e-6);
            }
}

TEST(render_camera_sees_the_front)
{
    // up, the axis that points right, and the axis that points to the camera
    const int expected[3][3] = {{0, 1, -2}, {1, 0, 2}, {2, 0, -1}};
    float points[6] = {-1, -1, -1, 1, 1, 1};
    for (int axis = 0; axis < 3; axis++) {
        pl_view view = pl_default_view();
        view.up_axis = axis;
        view.azimuth = view.elevation = 0.0;
        pl_camera_fit fit = pl_camera_fit_begin(&view, 100, 100);
        pl_camera_fit_points(&fit, points, 2);
        pl_camera c = pl_camera_fit_end(&fit);
        double up[3], right[3], back[3];
        pl_vec3_store(up, c.up);
        pl_vec3_store(right, c.right);
        pl_vec3_store(back, c.back);
        CHECK_NEAR(up[axis], 1.0, 1e-12);
        CHECK_NEAR(right[expected[axis][1]], 1.0, 1e-12);
        CHECK_NEAR(back[abs(expected[axis][2])], expected[axis][2] < 0 ? -1.0 : 1.0, 1e-12);
    }
}

TEST(render_sphere_is_round_and_in_the_middle)
{
    sample_shown s = sample_show(sample_sphere(4));
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    pl_render_options options = sample_framed(&view, &scene);
    pl_image image = sample_drawn(&scene, &options, NULL);
    int count = 0, low_x = WIDTH, high_x = 0, low_y = HEIGHT, high_y = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            if (!is_body(&image, x, y)) continue;
            count++;
            low_x = x < low_x ? x : low_x, high_x = x > high_x ? x : high_x;
            low_y = y < low_y ? y : low_y, high_y = y > high_y ? y : high_y;
        }
    double width = high_x - low_x + 1, height = high_y - low_y + 1;
    CHECK_NEAR(height, HEIGHT * (1.0 - view.margin), 2.5);
    CHECK_NEAR(width, height, 2.5);
    CHECK_NEAR(0.5 * (low_x + high_x), 0.5 * (WIDTH - 1), 1.5);
    CHECK_NEAR(count, 3.14159 / 4.0 * width * height, 0.03 * count);
    // lit from the upper left
    int luminance[2] = {0};
    for (int k = 0; k < 2; k++) {
        int x = (int)(WIDTH / 2 + (k ? 0.25 : -0.25) * width);
        int y = (int)(HEIGHT / 2 + (k ? 0.25 : -0.25) * height);
        luminance[k] = pl_image_at(&image, x, y)[0];
    }
    CHECK(luminance[0] > luminance[1] + 20);
    pl_image_free(&image);
    sample_unshow(&s);
}

TEST(render_covers_every_sample_of_a_closed_patch)
{
    // a sheet that fills the picture: no pixel shows the backdrop through a shared edge
    sample_shown s = sample_show(sample_sheet(37, 29));
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    view.up_axis = 1;
    view.azimuth = 3.0, view.elevation = 2.0;
    pl_render_options options = sample_framed(&view, &scene);
    options.camera.tan_x *= 0.35, options.camera.tan_y *= 0.35;
    options.ground = false;
    pl_image image = sample_drawn(&scene, &options, NULL);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) CHECK(is_body(&image, x, y));
    pl_image_free(&image);
    sample_unshow(&s);
}

TEST(render_nearer_body_hides_the_other)
{
    sample_shown a = sample_show(sample_sphere(3)), b = sample_show(sample_sphere(3));
    for (int i = 0; i < b.mesh->vertex_count; i++) b.positions[3 * i + 2] += 4.0f;
    pl_render_body bodies[2] = {a.body, b.body};
    pl_render_scene scene = {.body_count = 2, .bodies = bodies};
    pl_view view = pl_default_view();
    view.azimuth = view.elevation = 0.0;
    pl_render_options options = sample_framed(&view, &scene);
    pl_image image = sample_drawn(&scene, &options, NULL);
    // from +z the second one, teal, is in front
    const uint8_t* p = pl_image_at(&image, WIDTH / 2, HEIGHT / 2);
    CHECK(p[2] > p[0] + 40);
    pl_image_free(&image);
    sample_unshow(&a);
    sample_unshow(&b);
}

TEST(render_shadow_falls_away_from_the_light)
{
    sample_shown s = sample_show(sample_sphere(3));
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    view.margin = 0.6;
    view.elevation = 35.0;
    pl_render_options options = sample_framed(&view, &scene);
    pl_image image = sample_drawn(&scene, &options, NULL);
    options.ground = false;
    pl_image bare = sample_drawn(&scene, &options, NULL);
    double dark[2] = {0};
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            if (!is_body(&image, x, y) && !is_body(&bare, x, y))
                dark[x >= WIDTH / 2] += pl_image_at(&bare, x, y)[1] - pl_image_at(&image, x, y)[1];
    CHECK(dark[1] > 1.5 * dark[0] && dark[0] >= 0.0 && dark[1] > 1000.0);
    pl_image_free(&image);
    pl_image_free(&bare);
    sample_unshow(&s);
}

static void check_same_bits(pl_render_options options, const pl_render_scene* scene) {
    pl_image serial = sample_drawn(scene, &options, NULL);
    for (int threads = 1; threads <= 5; threads += 2) {
        pl_pool* pool;
        pl_error error;
        CHECK_OK(pl_pool_create(threads, &pool, &error), &error);
        pl_image image = sample_drawn(scene, &options, pool);
        CHECK(hash_of(&image) == hash_of(&serial));
        pl_image_free(&image);
        pl_pool_destroy(pool);
    }
    pl_image_free(&serial);
}

TEST(render_same_bits_for_every_thread_count)
{
    sample_shown s = sample_show(sample_sphere(5));
    float* values = PL_ALLOC(float, s.mesh->vertex_count);
    for (int i = 0; i < s.mesh->vertex_count; i++) values[i] = s.positions[3 * i];
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    pl_render_options options = sample_framed(&view, &scene);
    check_same_bits(options, &scene);
    s.body.vertex_values = values;
    options.wireframe = true;
    options.samples = 8;
    options.legend = "x [m]";
    options.value_low = -1.0;
    check_same_bits(options, &scene);
    PL_FREE(values, float, s.mesh->vertex_count);
    sample_unshow(&s);
}

// how much of a picture that is `width` wide a legend darkens
static int legend_ink(int width) {
    static const uint8_t white[3] = {255, 255, 255};
    pl_image image;
    pl_error error;
    CHECK_OK(pl_image_create(width, 240, &image, &error), &error);
    pl_image_fill(&image, white);
    pl_render_options options = {.legend = "error [m]", .value_low = 0.0, .value_high = 0.03};
    pl_legend_draw(&image, &options);
    int ink = 0;
    for (int i = 0; i < 3 * width * 240; i++) ink += 255 - image.pixels[i];
    pl_image_free(&image);
    return ink;
}

// a narrow picture cuts no number off
TEST(render_legend_fits_into_a_narrow_picture)
{
    int wide = legend_ink(640), narrow = legend_ink(160);
    CHECK(abs(wide - narrow) < wide / 50); // letters fall between pixels elsewhere
}

TEST(render_same_picture_at_every_size_and_place)
{
    // scaled by powers of two and moved, a body gives the same pixels up to rounding
    sample_shown s = sample_show(sample_sphere(4));
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    pl_render_options options = sample_framed(&view, &scene);
    pl_image first = sample_drawn(&scene, &options, NULL);
    for (int round = 0; round < 2; round++) {
        float scale = round ? 1.0f / 1048576.0f : 1048576.0f;
        for (int i = 0; i < 3 * s.mesh->vertex_count; i++)
            s.positions[i] = scale * ((float)s.mesh->positions[i] + 2.0f);
        options = sample_framed(&view, &scene);
        pl_image image = sample_drawn(&scene, &options, NULL);
        int different = 0;
        for (int i = 0; i < 3 * WIDTH * HEIGHT; i++)
            different += abs(image.pixels[i] - first.pixels[i]) > 8;
        CHECK(different < 3 * WIDTH * HEIGHT / 200);
        pl_image_free(&image);
    }
    pl_image_free(&first);
    sample_unshow(&s);
}

TEST(render_survives_positions_that_are_not_finite)
{
    sample_shown s = sample_show(sample_sphere(3));
    float bad[] = {NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 1e30f};
    for (int i = 0; i < 6; i++) s.positions[17 * i] = bad[i];
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    pl_render_options options = sample_framed(&view, &scene);
    pl_image image = sample_drawn(&scene, &options, NULL);
    pl_image_free(&image);
    // all of it, and nothing at all
    for (int i = 0; i < 3 * s.mesh->vertex_count; i++) s.positions[i] = NAN;
    options = sample_framed(&view, &scene);
    image = sample_drawn(&scene, &options, NULL);
    pl_image_free(&image);
    scene.body_count = 0;
    options = sample_framed(&view, &scene);
    image = sample_drawn(&scene, &options, NULL);
    pl_image_free(&image);
    // a camera inside of the body
    for (int i = 0; i < 3 * s.mesh->vertex_count; i++) s.positions[i] = (float)s.mesh->positions[i];
    scene.body_count = 1;
    view.distance = 0.2;
    options = sample_framed(&view, &scene);
    image = sample_drawn(&scene, &options, NULL);
    pl_image_free(&image);
    sample_unshow(&s);
}

TEST(render_values_choose_colours_of_the_map)
{
    sample_shown s = sample_show(sample_sphere(3));
    float* values = PL_ALLOC(float, s.mesh->triangle_count);
    s.body.triangle_values = values;
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    pl_render_options options = sample_framed(&view, &scene);
    options.map = PL_COLORMAP_DIVERGING;
    options.value_low = -2.0;
    options.value_high = 2.0;
    const float steps[3] = {-5.0f, 0.0f, 2.0f};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < s.mesh->triangle_count; i++) values[i] = steps[k];
        pl_image image = sample_drawn(&scene, &options, NULL);
        const uint8_t* p = pl_image_at(&image, WIDTH / 2, HEIGHT / 2);
        if (k == 0) CHECK(p[2] > p[0] + 40);
        if (k == 1) CHECK(abs(p[0] - p[2]) < 25);
        if (k == 2) CHECK(p[0] > p[2] + 40);
        pl_image_free(&image);
    }
    PL_FREE(values, float, s.mesh->triangle_count);
    sample_unshow(&s);
}

TEST(render_survives_every_failing_allocation)
{
    sample_shown s = sample_show(sample_sphere(2));
    pl_render_scene scene = {.body_count = 1, .bodies = &s.body};
    pl_view view = pl_default_view();
    pl_render_options options = sample_framed(&view, &scene);
    pl_image image;
    pl_error error;
    CHECK_OK(pl_image_create(WIDTH, HEIGHT, &image, &error), &error);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status = pl_render_draw(&scene, &options, NULL, &image, &error);
        pl_inject_failure(0);
        CHECK_INT(pl_byte_count(), before);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
    pl_image_free(&image);
    sample_unshow(&s);
}

TEST(render_colour_maps_are_even)
{
    float table[PL_COLORMAP_SIZE][3];
    pl_colormap_fill(PL_COLORMAP_SEQUENTIAL, table);
    double last = -1.0;
    for (int i = 0; i < PL_COLORMAP_SIZE; i++) {
        double y = 0.2126 * table[i][0] + 0.7152 * table[i][1] + 0.0722 * table[i][2];
        CHECK(y > last); // brighter with every step, so it also reads in grey
        last = y;
        for (int k = 0; k < 3; k++) CHECK(table[i][k] >= 0.0f && table[i][k] <= 1.0f);
    }
    CHECK_INT(pl_srgb8(0.0f), 0);
    CHECK_INT(pl_srgb8(1.0f), 255);
    CHECK_INT(pl_srgb8(0.21404114f), 128); // the middle of the scale, by the definition of sRGB
    CHECK_INT(pl_srgb8(NAN), 0);
    CHECK_NEAR(pl_nice_step(1.0, 5), 0.2, 1e-12);
    CHECK_NEAR(pl_nice_step(470.0, 5), 100.0, 1e-9);
    CHECK(pl_nice_step(0.0, 5) == 0.0 && pl_nice_step(INFINITY, 5) == 0.0);
}

TEST(render_text_has_the_width_it_says)
{
    pl_image image;
    pl_error error;
    CHECK_OK(pl_image_create(400, 60, &image, &error), &error);
    const uint8_t ink[3] = {255, 255, 255};
    const char* text = "Volume ratio [%] -0.125e+7";
    pl_text_draw(&image, 10.0f, 40.0f, 18.0f, ink, text);
    int right = 0, count = 0;
    for (int y = 0; y < 60; y++)
        for (int x = 0; x < 400; x++)
            if (pl_image_at(&image, x, y)[0] > 100) right = x > right ? x : right, count++;
    CHECK_NEAR(right, 10.0 + pl_text_width(text, 18.0f), 3.0);
    CHECK(count > 500);
    // every byte can be drawn, and what lies outside is ignored
    char all[256];
    for (int i = 0; i < 255; i++) all[i] = (char)(i + 1);
    all[255] = '\0';
    pl_text_draw(&image, -20.0f, 5.0f, 30.0f, ink, all);
    pl_image_free(&image);
}

TEST(render_png_reads_back)
{
    pl_image image;
    pl_error error;
    CHECK_OK(pl_image_create(33, 17, &image, &error), &error);
    for (int i = 0; i < 3 * 33 * 17; i++) image.pixels[i] = (uint8_t)(i * 7);
    const char* path = pl_test_path("x.png");
    CHECK_OK(pl_image_write_png(&image, NULL, path, &error), &error);
    // read by libpng's own simple interface
    png_image png = {.version = PNG_IMAGE_VERSION};
    CHECK(png_image_begin_read_from_file(&png, path));
    CHECK(png.width == 33 && png.height == 17);
    png.format = PNG_FORMAT_RGB;
    uint8_t pixels[3 * 33 * 17];
    CHECK(png_image_finish_read(&png, NULL, pixels, 0, NULL));
    CHECK(memcmp(pixels, image.pixels, sizeof pixels) == 0);
    CHECK_INT(pl_image_write_png(&image, NULL, pl_test_path("none/x.png"), &error), PL_ERROR_IO);
    CHECK_TEXT(error.text, "none/x.png");
    for (int64_t nth = 1;; nth++) {
        pl_inject_failure(nth);
        pl_status status = pl_image_write_png(&image, NULL, pl_test_path("y.png"), &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
    pl_image_free(&image);
    // several stretches of rows, of noise and of runs, packed by one thread and by three
    CHECK_OK(pl_image_create(41, 200, &image, &error), &error);
    pl_random random = {5};
    for (int i = 0; i < 3 * 41 * 200; i++)
        image.pixels[i] = (uint8_t)(i < 9000 ? pl_random_uniform(&random, 0, 255.9) : 17);
    pl_array bytes[2] = {pl_array_of(1), pl_array_of(1)};
    pl_pool* pool;
    CHECK_OK(pl_pool_create(3, &pool, &error), &error);
    CHECK_OK(pl_image_encode_png(&image, NULL, &bytes[0], &error), &error);
    CHECK_OK(pl_image_encode_png(&image, pool, &bytes[1], &error), &error);
    CHECK(bytes[0].count == bytes[1].count &&
          memcmp(bytes[0].data, bytes[1].data, bytes[0].count) == 0);
    png_image many = {.version = PNG_IMAGE_VERSION};
    CHECK(png_image_begin_read_from_memory(&many, bytes[0].data, bytes[0].count));
    many.format = PNG_FORMAT_RGB;
    uint8_t read[3 * 41 * 200];
    CHECK(png_image_finish_read(&many, NULL, read, 0, NULL));
    CHECK(memcmp(read, image.pixels, sizeof read) == 0);
    pl_array_free(&bytes[0]);
    pl_array_free(&bytes[1]);
    pl_pool_destroy(pool);
    pl_image_free(&image);
    CHECK_INT(pl_image_create(0, 5, &image, &error), PL_ERROR_ARGUMENT);
    CHECK_INT(pl_image_create(5, 1 << 20, &image, &error), PL_ERROR_ARGUMENT);
}
