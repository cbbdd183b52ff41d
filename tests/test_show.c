// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/memory.h"
#include "record/png_write.h"
#include "record/sheet.h"
#include "sample_meshes.h"
#include "sample_recording.h"
#include "test.h"

#include <pliant/generate.h>
#include <pliant/mesh_surface.h>
#include <unistd.h>

enum { FRAMES = 4 };

static char path[1024];

static void begin(sample_recording* s, int levels) {
    sample_recording_begin(s, levels);
    snprintf(path, sizeof path, "%s", pl_test_path("frames.plr"));
    size_t size;
    uint8_t* bytes = sample_recording_bytes(s, path, true, FRAMES, &size);
    pl_free(bytes, size);
}

// the value of each vertex or triangle of the ball in a frame
static const float* values_of(pl_show* show, int frame) {
    const pl_render_scene* scene;
    pl_error error;
    CHECK_OK(pl_show_load(show, frame, &scene, &error), &error);
    const pl_render_body* b = &scene->bodies[0];
    return b->vertex_values ? b->vertex_values : b->triangle_values;
}

TEST(show_values_are_what_they_say)
{
    sample_recording s;
    begin(&s, 1);
    pl_show* show;
    pl_error error;
    CHECK_OK(pl_show_open(path, "displacement", NULL, &show, NULL, &error), &error);
    CHECK(pl_show_frame_count(show) == FRAMES && pl_show_up_axis(show) == 2);
    const float* values = values_of(show, 2);
    sample_recording_frame(&s, 2);
    for (int i = 0; i < s.ball->vertex_count; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            double d =
                (double)sample_recording_expected(&s, 0, i, k) - (double)s.ball_rest[3 * i + k];
            square += d * d;
        }
        CHECK_NEAR(values[i], sqrt(square), 1e-6);
    }
    pl_show_close(show);

    CHECK_OK(pl_show_open(path, "region", NULL, &show, NULL, &error), &error);
    values = values_of(show, 0);
    CHECK(isnan(values[0]) && values[1] == 0.0f && values[2] == 1.0f);
    pl_show_close(show);

    CHECK_OK(pl_show_open(path, "stress", NULL, &show, NULL, &error), &error);
    values = values_of(show, 1);
    CHECK_NEAR(values[4], sqrt(5.0 * 5.0 + 5.5 * 5.5), 1e-5);
    pl_show_close(show);

    CHECK_OK(pl_show_open(path, "error", path, &show, NULL, &error), &error);
    values = values_of(show, 1);
    for (int i = 0; i < s.ball->vertex_count; i++) CHECK(values[i] == 0.0f);
    pl_show_close(show);
    sample_recording_end(&s);
}

TEST(show_stretch_of_known_maps)
{
    // a sheet that is pulled to 1.5 along x, pressed to 0.8 along y, sheared and turned
    pl_mesh* sheet = sample_sheet(3, 2);
    float* rest = PL_ALLOC(float, 3 * sheet->vertex_count);
    double* moved = PL_ALLOC(double, 3 * sheet->vertex_count);
    for (int i = 0; i < sheet->vertex_count; i++) {
        const double* p = sheet->positions + 3 * i;
        for (int k = 0; k < 3; k++) rest[3 * i + k] = (float)p[k];
        double x = 1.5 * p[0] + 0.4 * p[1], y = 0.8 * p[1];
        moved[3 * i] = 0.6 * x, moved[3 * i + 1] = y, moved[3 * i + 2] = 0.8 * x;
    }
    pl_record_body body = {.name = "sheet",
                           .vertex_count = sheet->vertex_count,
                           .rest = rest,
                           .triangle_count = sheet->triangle_count,
                           .triangles = sheet->triangles};
    pl_record_head head = {.up_axis = 1, .body_count = 1, .bodies = &body};
    pl_recorder* recorder;
    pl_error error;
    snprintf(path, sizeof path, "%s", pl_test_path("s.plr"));
    CHECK_OK(pl_recorder_create(path, &head, false, &recorder, &error), &error);
    CHECK_OK(pl_recorder_append(recorder, 0.0, &(pl_record_values){moved, NULL}, &error), &error);
    CHECK_OK(pl_recorder_close(recorder, &error), &error);
    pl_show* show;
    CHECK_OK(pl_show_open(path, "stretch", NULL, &show, NULL, &error), &error);
    const float* values = values_of(show, 0);
    // singular values of [1.5 0.4; 0 0.8] from trace and determinant of its square
    double trace = 1.5 * 1.5 + 0.4 * 0.4 + 0.8 * 0.8, det = 1.2 * 1.2;
    double expected = sqrt(0.5 * trace + sqrt(0.25 * trace * trace - det));
    for (int t = 0; t < sheet->triangle_count; t++) CHECK_NEAR(values[t], expected, 1e-5);
    pl_show_close(show);
    PL_FREE(rest, float, 3 * sheet->vertex_count);
    PL_FREE(moved, double, 3 * sheet->vertex_count);
    pl_mesh_destroy(sheet);
}

TEST(show_values_of_tets_on_their_triangles)
{
    pl_mesh* box = sample_box(2, 2, 1);
    pl_surface* surface;
    pl_error error;
    CHECK_OK(pl_mesh_surface(box, &surface, &error), &error);
    // triangles of the surface with the numbers of the box's vertices
    int count = surface->mesh->triangle_count;
    int* triangles = PL_ALLOC(int, 3 * count);
    for (int i = 0; i < 3 * count; i++)
        triangles[i] = surface->vertices[surface->mesh->triangles[i]];
    float* rest = PL_ALLOC(float, 3 * box->vertex_count);
    for (int i = 0; i < 3 * box->vertex_count; i++) rest[i] = (float)box->positions[i];
    double* ratio = PL_ALLOC(double, box->tet_count);
    for (int i = 0; i < box->tet_count; i++) ratio[i] = 0.5 + i;
    const pl_record_field field = {"volume", PL_ELEMENT_TET, 1};
    pl_record_body body = {.name = "box",
                           .vertex_count = box->vertex_count,
                           .rest = rest,
                           .triangle_count = count,
                           .triangles = triangles,
                           .tet_count = box->tet_count,
                           .tets = box->tets,
                           .field_count = 1,
                           .fields = &field};
    pl_record_head head = {.up_axis = 1, .body_count = 1, .bodies = &body};
    pl_recorder* recorder;
    snprintf(path, sizeof path, "%s", pl_test_path("b.plr"));
    CHECK_OK(pl_recorder_create(path, &head, false, &recorder, &error), &error);
    const double* fields[1] = {ratio};
    pl_record_values values = {box->positions, fields};
    CHECK_OK(pl_recorder_append(recorder, 0.0, &values, &error), &error);
    CHECK_OK(pl_recorder_close(recorder, &error), &error);
    pl_show* show;
    CHECK_OK(pl_show_open(path, "volume", NULL, &show, NULL, &error), &error);
    const float* shown = values_of(show, 0);
    for (int t = 0; t < count; t++) CHECK_NEAR(shown[t], 0.5 + surface->elements[t], 0.0);
    pl_show_close(show);
    PL_FREE(ratio, double, box->tet_count);
    PL_FREE(rest, float, 3 * box->vertex_count);
    PL_FREE(triangles, int, 3 * count);
    pl_surface_destroy(surface);
    pl_mesh_destroy(box);
}

TEST(show_says_what_can_be_coloured_by)
{
    sample_recording s;
    begin(&s, 0);
    pl_show* show;
    pl_error error;
    CHECK_INT(pl_show_open(path, "presure", NULL, &show, NULL, &error), PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "there is displacement, stretch, error, region, speed, stress");
    CHECK_INT(pl_show_open(path, "error", NULL, &show, NULL, &error), PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "--against");
    CHECK(!show);
    pl_mesh* mesh = sample_sphere(1);
    char file[1024];
    snprintf(file, sizeof file, "%s", pl_test_path("s.obj"));
    CHECK_OK(pl_mesh_write(mesh, file, NULL, NULL, &error), &error);
    CHECK_INT(pl_show_open(file, "stretch", NULL, &show, NULL, &error), PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "need a recording");
    pl_mesh_destroy(mesh);
    sample_recording_end(&s);
}

// the darkest red of the first cell's lower left corner
static int darkest(const pl_image* image) {
    int least = 255;
    for (int y = 130; y < 148; y++)
        for (int x = 0; x < 70; x++)
            if (*pl_image_at(image, x, y) < least) least = *pl_image_at(image, x, y);
    return least;
}

TEST(show_frames_the_whole_run_once)
{
    sample_recording s;
    begin(&s, 2);
    pl_show* show;
    pl_error error;
    CHECK_OK(pl_show_open(path, "speed", NULL, &show, NULL, &error), &error);
    pl_view view = pl_default_view();
    view.up_axis = 2;
    pl_render_options options = pl_default_render_options();
    options.width = 200, options.height = 150;
    options.value_low = options.value_high = 0.0;
    CHECK_OK(pl_show_frame_all(show, &view, &options, &error), &error);
    CHECK_NEAR(options.value_high, 1.0, 0.02); // the largest |cos| of all frames
    CHECK(options.legend && strcmp(options.legend, "speed") == 0);
    CHECK(options.ground_height < 0.25 && options.ground_height > 0.0);
    for (int i = 0; i < FRAMES; i++) {
        const pl_render_scene* scene;
        CHECK_OK(pl_show_load(show, i, &scene, &error), &error);
        for (int b = 0; b < scene->body_count; b++)
            for (int v = 0; v < scene->bodies[b].vertex_count; v++) {
                const float* p = scene->bodies[b].positions + 3 * v;
                pl_vec3 d = pl_sub((pl_vec3){p[0], p[1], p[2]}, options.camera.eye);
                double depth = -pl_dot(d, options.camera.back);
                double x = pl_dot(d, options.camera.right) / (depth * options.camera.tan_x);
                CHECK(x > -1.0 && x < 0.75); // the right part is the legend's
                CHECK(fabs(pl_dot(d, options.camera.up)) < depth * options.camera.tan_y);
            }
    }
    pl_image sheet;
    CHECK_OK(pl_sheet_draw(show, &options, 3, 5, true, NULL, &sheet, &error), &error);
    CHECK(sheet.width == 3 * 204 - 4 && sheet.height == 2 * 154 - 4); // 4 frames need 2 rows
    // labels or not: the lower left corner of a cell
    pl_image plain;
    CHECK_OK(pl_sheet_draw(show, &options, 3, 5, false, NULL, &plain, &error), &error);
    CHECK(darkest(&plain) > darkest(&sheet) + 40);
    pl_image_free(&plain);
    pl_image_free(&sheet);
    CHECK_INT(pl_sheet_draw(show, &options, 0, 5, true, NULL, &sheet, &error), PL_ERROR_ARGUMENT);
    pl_show_close(show);
    sample_recording_end(&s);
}

TEST(show_survives_every_failing_allocation)
{
    sample_recording s;
    begin(&s, 0);
    pl_mesh* mesh = sample_box(1, 1, 1);
    pl_error error;
    char file[1024];
    snprintf(file, sizeof file, "%s", pl_test_path("box.vtu"));
    CHECK_OK(pl_mesh_write(mesh, file, NULL, NULL, &error), &error);
    pl_mesh_destroy(mesh);
    const char* files[] = {path, file};
    size_t before = pl_byte_count();
    for (int k = 0; k < 2; k++)
        for (int64_t nth = 1;; nth++) {
            pl_show* show;
            const pl_render_scene* scene;
            pl_inject_failure(nth);
            pl_status status = pl_show_open(files[k], "region", NULL, &show, NULL, &error);
            if (status == PL_OK) status = pl_show_load(show, 0, &scene, &error);
            pl_inject_failure(0);
            pl_show_close(show);
            CHECK_INT(pl_byte_count(), before);
            if (status == PL_OK) break;
            CHECK_INT(status, PL_ERROR_MEMORY);
        }
    sample_recording_end(&s);
}

TEST(render_command)
{
    sample_recording s;
    begin(&s, 1);
    char command[2048], text[4096];
    const char* folder = pl_test_folder();
    snprintf(command, sizeof command, "pliant render %s --size 96x64", folder);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    CHECK(access(pl_test_path("pictures/frame_00003.png"), R_OK) == 0);
    snprintf(command, sizeof command,
             "pliant render %s --sheet 2x2 --size 80x60 --color-by speed --range 0:2 -o %s/s.png",
             folder, folder);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    CHECK_TEXT(text, "s.png");
    snprintf(command, sizeof command, "pliant render %s --frame 9 -o %s/x.png", folder, folder);
    CHECK_INT(pl_test_run(command, text, sizeof text), 2);
    CHECK_TEXT(text, "there is no frame 9; it has 4 frames");
    snprintf(command, sizeof command, "pliant render %s --size 0x9", folder);
    CHECK_INT(pl_test_run(command, text, sizeof text), 2);
    CHECK_TEXT(text, "--size takes pixels like 1280x720");
    snprintf(command, sizeof command, "pliant render %s --range 2:1", folder);
    CHECK_INT(pl_test_run(command, text, sizeof text), 2);
    snprintf(command, sizeof command, "pliant render %s -o %s/frames.plr/x.png --frame 0", folder,
             folder);
    CHECK_INT(pl_test_run(command, text, sizeof text), 2);
    CHECK_TEXT(text, "cannot be written");
    // a damaged tail is cut and said
    CHECK(truncate(path, 3000) == 0);
    snprintf(command, sizeof command, "pliant render %s -o %s/t.png --size 32x32", folder, folder);
    CHECK_INT(pl_test_run(command, text, sizeof text), 0);
    CHECK_TEXT(text, "are not a complete frame and are ignored");
    CHECK(truncate(path, 100) == 0);
    CHECK_INT(pl_test_run(command, text, sizeof text), 2);
    CHECK_TEXT(text, "the head of the recording is incomplete or damaged");
    sample_recording_end(&s);
}

TEST(render_command_makes_a_movie_or_says_what_is_missing)
{
    sample_recording s;
    begin(&s, 1);
    char command[2048], text[4096];
    snprintf(command, sizeof command, "pliant render %s -o %s/m.gif --size 64x48", pl_test_folder(),
             pl_test_folder());
    int code = pl_test_run(command, text, sizeof text);
    if (code == 0) {
        FILE* file = fopen(pl_test_path("m.gif"), "rb");
        char start[6] = {0};
        CHECK(file && fread(start, 1, 6, file) == 6 && memcmp(start, "GIF89a", 6) == 0);
        fclose(file);
    } else {
        CHECK_INT(code, 2);
        CHECK_TEXT(text, "ffmpeg, which is not installed");
    }
    sample_recording_end(&s);
}

// a mesh file of a ball around (0, 1, 0)
static const char* write_ball(const char* name) {
    static char file[1024];
    pl_error error;
    pl_mesh* mesh = sample_sphere(3);
    for (int i = 0; i < mesh->vertex_count; i++) mesh->positions[3 * i + 1] += 1.0;
    snprintf(file, sizeof file, "%s", pl_test_path(name));
    CHECK_OK(pl_mesh_write(mesh, file, NULL, NULL, &error), &error);
    pl_mesh_destroy(mesh);
    return file;
}

static pl_render_options small_options(void) {
    pl_render_options options = pl_default_render_options();
    options.width = 200, options.height = 150;
    options.value_low = options.value_high = 0.0;
    return options;
}

// where a point is in the picture: -1 to 1 from the left to the right and from below to above
static void seen_at(const pl_camera* c, pl_vec3 p, double* x, double* y) {
    pl_vec3 d = pl_sub(p, c->eye);
    double depth = -pl_dot(d, c->back);
    *x = pl_dot(d, c->right) / (depth * c->tan_x);
    *y = pl_dot(d, c->up) / (depth * c->tan_y);
}

TEST(show_keeps_the_shadow_in_the_picture)
{
    pl_show* show;
    pl_error error;
    CHECK_OK(pl_show_open(write_ball("ball.obj"), NULL, NULL, &show, NULL, &error), &error);
    pl_view view = pl_default_view();
    pl_render_options options = small_options();
    options.width = 150; // where the shadow would be cut off
    CHECK_OK(pl_show_frame_all(show, &view, &options, &error), &error);
    CHECK(options.ground);
    // the highest point of the ball throws its shadow here; heights are from the mesh's middle
    pl_vec3 up = {0, 1, 0}, key = pl_key_direction(options.camera.right, up);
    pl_vec3 tip = pl_madd((pl_vec3){0, 1, 0}, -2.0 / key.y, key);
    CHECK_NEAR(tip.y, options.ground_height, 1e-6);
    double x, y, widest = 0.0;
    seen_at(&options.camera, tip, &x, &y);
    CHECK(fabs(x) < 1.0 && fabs(y) < 1.0);
    // and the picture is filled: something is at the border that is to stay free
    for (int i = 0; i < 360; i++) {
        double a = 3.14159265 * i / 180.0;
        pl_vec3 round =
            pl_add(pl_scale(cos(a), options.camera.right), pl_scale(sin(a), options.camera.up));
        seen_at(&options.camera, round, &x, &y);
        widest = fmax(widest, fmax(fabs(x), fabs(y)));
    }
    CHECK(widest > 0.85);
    pl_show_close(show);
}

TEST(show_invents_no_ground)
{
    sample_recording s;
    begin(&s, 1);
    pl_show* show;
    pl_error error;
    CHECK_OK(pl_show_open(path, NULL, NULL, &show, NULL, &error), &error);
    pl_view view = pl_default_view();
    pl_render_options options = small_options();
    CHECK_OK(pl_show_frame_all(show, &view, &options, &error), &error);
    CHECK(!options.ground);
    pl_show_close(show);
    sample_recording_end(&s);
}

TEST(show_turns_the_camera)
{
    pl_show* show;
    pl_error error;
    CHECK_OK(pl_show_open(write_ball("ball.obj"), NULL, NULL, &show, NULL, &error), &error);
    pl_view view = pl_default_view();
    view.turn = 360.0;
    pl_render_options options = small_options();
    CHECK_OK(pl_show_frame_all(show, &view, &options, &error), &error);
    const pl_render_scene* scene;
    CHECK_OK(pl_show_load(show, 0, &scene, &error), &error);
    pl_camera first = options.camera;
    for (int i = 0; i <= 8; i++) {
        pl_show_move_camera(show, i / 8.0, &options);
        double x, y, widest = 0.0;
        for (int v = 0; v < scene->bodies[0].vertex_count; v++) {
            const float* p = scene->bodies[0].positions + 3 * v;
            seen_at(&options.camera, (pl_vec3){p[0], p[1], p[2]}, &x, &y);
            widest = fmax(widest, fmax(fabs(x), fabs(y)));
        }
        CHECK_NEAR(widest, 1.0 - view.margin, 0.03); // a ball from all sides
        if (i == 0) first = options.camera;
        if (i == 4) CHECK_NEAR(pl_dot(options.camera.right, first.right), -1.0, 1e-9);
    }
    CHECK_NEAR(pl_distance(options.camera.eye, first.eye), 0.0, 1e-9); // once around
    pl_show_close(show);
}

TEST(show_follows_the_bodies)
{
    sample_recording s;
    begin(&s, 1);
    pl_show* show;
    pl_error error;
    CHECK_OK(pl_show_open(path, NULL, NULL, &show, NULL, &error), &error);
    pl_view view = pl_default_view();
    view.follow = true;
    pl_render_options options = small_options();
    CHECK_OK(pl_show_frame_all(show, &view, &options, &error), &error);
    for (int i = 0; i < FRAMES; i++) {
        const pl_render_scene* scene;
        CHECK_OK(pl_show_load(show, i, &scene, &error), &error);
        pl_show_move_camera(show, 0.0, &options);
        pl_vec3 mean = {0, 0, 0};
        int count = 0;
        for (int b = 0; b < scene->body_count; b++)
            for (int v = 0; v < scene->bodies[b].vertex_count; v++, count++) {
                const float* p = scene->bodies[b].positions + 3 * v;
                mean = pl_add(mean, (pl_vec3){p[0], p[1], p[2]});
            }
        double x, y;
        seen_at(&options.camera, pl_scale(1.0 / count, mean), &x, &y);
        CHECK(fabs(x) < 1e-5 && fabs(y) < 1e-5);
    }
    pl_show_close(show);
    sample_recording_end(&s);
}

TEST(show_ranges_leave_outliers_out)
{
    // values from 0 to 1 and one of a million
    pl_mesh* mesh = sample_sphere(3);
    pl_error error;
    double* values = PL_ALLOC(double, mesh->vertex_count);
    for (int i = 0; i < mesh->vertex_count; i++) values[i] = (double)i / (mesh->vertex_count - 1);
    char file[1024];
    snprintf(file, sizeof file, "%s", pl_test_path("v.vtu"));
    for (int outlier = 0; outlier < 2; outlier++) {
        if (outlier) values[77] = 1e6;
        CHECK_OK(pl_mesh_add_field(mesh, PL_ELEMENT_VERTEX, outlier ? "b" : "a", 1, values, &error),
                 &error);
    }
    CHECK_OK(pl_mesh_write(mesh, file, NULL, NULL, &error), &error);
    for (int outlier = 0; outlier < 2; outlier++) {
        pl_show* show;
        CHECK_OK(pl_show_open(file, outlier ? "b" : "a", NULL, &show, NULL, &error), &error);
        pl_view view = pl_default_view();
        pl_render_options options = small_options();
        CHECK_OK(pl_show_frame_all(show, &view, &options, &error), &error);
        CHECK_NEAR(options.value_low, 0.0, 1e-9);
        CHECK_NEAR(options.value_high, 1.0, outlier ? 0.01 : 1e-6);
        pl_show_close(show);
    }
    PL_FREE(values, double, mesh->vertex_count);
    pl_mesh_destroy(mesh);
}

TEST(show_colours_creatures_by_their_regions)
{
    pl_generate_options how;
    pl_error error;
    pl_mesh* mesh;
    CHECK_OK(pl_generate_defaults("bunny", &how, &error), &error);
    how.edge = 0.008;
    CHECK_OK(pl_generate("bunny", &how, &mesh, &error), &error);
    char file[1024];
    snprintf(file, sizeof file, "%s", pl_test_path("bunny.msh"));
    CHECK_OK(pl_mesh_write(mesh, file, NULL, NULL, &error), &error);
    pl_mesh_destroy(mesh);
    pl_show* show;
    CHECK_OK(pl_show_open(file, "region", NULL, &show, NULL, &error), &error);
    pl_view view = pl_default_view();
    pl_render_options options = small_options();
    CHECK_OK(pl_show_frame_all(show, &view, &options, &error), &error);
    int ears = 0, whole = 0;
    for (int i = 0; i < options.item_count; i++) {
        ears += strncmp(options.items[i].name, "ear_", 4) == 0;
        whole += strcmp(options.items[i].name, "surface") == 0;
    }
    CHECK(ears == 2 && whole == 0 && options.item_count > 8);
    pl_show_close(show);
}

TEST(show_draws_textures_on_coordinates_only)
{
    pl_image image;
    pl_error error;
    CHECK_OK(pl_image_create(4, 4, &image, &error), &error);
    char picture[1024];
    snprintf(picture, sizeof picture, "%s", pl_test_path("p.png"));
    CHECK_OK(pl_image_write_png(&image, NULL, picture, &error), &error);
    pl_image_free(&image);
    pl_show* show;
    CHECK_OK(pl_show_open(write_ball("ball.obj"), NULL, NULL, &show, NULL, &error), &error);
    CHECK_INT(pl_show_set_texture(show, picture, &error), PL_ERROR_ARGUMENT);
    CHECK_TEXT(error.text, "no body has texture coordinates");
    pl_show_close(show);
    // creatures have some; every allocation fails once
    pl_generate_options how;
    pl_mesh* mesh;
    CHECK_OK(pl_generate_defaults("bunny", &how, &error), &error);
    how.edge = 0.012;
    CHECK_OK(pl_generate("bunny", &how, &mesh, &error), &error);
    char file[1024];
    snprintf(file, sizeof file, "%s", pl_test_path("bunny.obj"));
    CHECK_OK(pl_mesh_write(mesh, file, NULL, NULL, &error), &error);
    pl_mesh_destroy(mesh);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        CHECK_OK(pl_show_open(file, NULL, NULL, &show, NULL, &error), &error);
        pl_inject_failure(nth);
        pl_status status = pl_show_set_texture(show, picture, &error);
        pl_inject_failure(0);
        const pl_render_scene* scene;
        CHECK_OK(pl_show_load(show, 0, &scene, &error), &error);
        CHECK(status != PL_OK || scene->bodies[0].texture);
        pl_show_close(show);
        CHECK_INT(pl_byte_count(), before);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
    }
}
