// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Reading, writing and making scenes.
#include "base/memory.h"
#include "base/platform.h"
#include "read_checks.h"
#include "scene/scene_path.h"
#include "scene/scene_read.h"
#include "scene/scene_text.h"
#include "test.h"

#include <dirent.h>

static pl_scene* read_text(const char* text) {
    pl_scene* scene;
    pl_error error;
    CHECK_OK(pl_scene_read_memory(text, strlen(text), "test.json", NULL, 0, &scene, NULL, &error),
             &error);
    return scene;
}

static pl_scene* read_file(const char* path) {
    pl_scene* scene;
    pl_error error;
    CHECK_OK(pl_scene_read(path, NULL, 0, &scene, NULL, &error), &error);
    return scene;
}

static const char* source_path(const char* name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", PL_TEST_SOURCE_DIR, name);
    return path;
}

// both scenes say the same
static void check_same(const pl_scene* a, const pl_scene* b) {
    pl_text texts[2] = {pl_text_begin(), pl_text_begin()};
    pl_error error;
    CHECK_OK(pl_scene_to_text(a, &texts[0], &error), &error);
    CHECK_OK(pl_scene_to_text(b, &texts[1], &error), &error);
    const char *x = pl_text_get(&texts[0]), *y = pl_text_get(&texts[1]);
    size_t at = 0;
    while (x[at] && x[at] == y[at]) at++;
    size_t from = at > 60 ? at - 60 : 0;
    if (x[at] != y[at])
        pl_test_fail(__FILE__, __LINE__, "\"%.120s\" is not \"%.120s\"", x + from, y + from);
    pl_text_free(&texts[0]);
    pl_text_free(&texts[1]);
}

// ---------------------------------------------------------------- tables

static void cover(char* bytes, size_t offset, size_t size) { memset(bytes + offset, 1, size); }

static void cover_type(const pl_type* type, size_t base, char* bytes) {
    if (type->variants) cover(bytes, base + type->variant_offset, sizeof(int));
    for (int i = 0; i < type->field_count; i++) {
        const pl_field_info* field = &type->fields[i];
        size_t at = base + field->offset;
        switch (field->kind) {
        case PL_FIELD_BOOL: cover(bytes, at, sizeof(bool)); break;
        case PL_FIELD_INT:
        case PL_FIELD_CHOICE: cover(bytes, at, sizeof(int)); break;
        case PL_FIELD_NUMBER:
        case PL_FIELD_VECTOR: cover(bytes, at, sizeof(double) * (size_t)field->width); break;
        case PL_FIELD_OBJECT: cover_type(field->type, at, bytes); break;
        case PL_FIELD_FLAG: break;
        default: cover(bytes, at, sizeof(void*)); break;
        }
        if (pl_field_is_counted(field)) cover(bytes, base + field->count_offset, sizeof(int));
    }
}

TEST(scene_tables_cover_their_structs)
{
    for (int t = 0; t < pl_type_count(); t++) {
        const pl_type* type = pl_type_at(t);
        // levels and hierarchy are keys of the body, which covers them
        if (type == &pl_type_multigrid || type == &pl_type_pbd) continue;
        char* bytes = PL_ALLOC(char, type->size);
        cover_type(type, 0, bytes);
        for (size_t at = 0; at < type->size;) {
            size_t end = at;
            while (end < type->size && !bytes[end]) end++;
            // holes are padding: shorter than what follows, which begins on its own boundary
            if (end - at >= 8 || (end - at >= 4 && end % 8 != 0))
                pl_test_fail(__FILE__, __LINE__, "%s: bytes %zu to %zu have no field", type->name,
                             at, end);
            at = end + 1;
        }
        PL_FREE(bytes, char, type->size);
    }
}

TEST(scene_tables_are_sound)
{
    for (int t = 0; t < pl_type_count(); t++) {
        const pl_type* type = pl_type_at(t);
        for (int k = 0; k < t; k++) CHECK(strcmp(type->name, pl_type_at(k)->name) != 0);
        CHECK(!type->shorthand || pl_type_field(type, type->shorthand));
        for (int i = 0; i < type->field_count; i++) {
            const pl_field_info* field = &type->fields[i];
            CHECK(field->help && field->help[0] && field->unit);
            for (int k = 0; k < i; k++) CHECK(strcmp(field->key, type->fields[k].key) != 0);
            if (field->kind == PL_FIELD_NUMBER || field->kind == PL_FIELD_VECTOR) {
                CHECK(field->low < field->high);
                for (int c = 0; c < field->width; c++)
                    CHECK(isnan(field->preset[c]) ||
                          (field->preset[c] >= field->low && field->preset[c] <= field->high));
                CHECK(!(field->flags & PL_AUTO) || (field->preset_text && isnan(field->preset[0])));
            }
            if (field->kind == PL_FIELD_INT)
                CHECK(field->preset[0] >= field->low && field->preset[0] <= field->high);
            if (field->flags & PL_VARIANT)
                CHECK(type->variants && pl_choice_find(type->variants, field->key) >= 0);
        }
        // every variant but the first of those that need no key is a field
        for (int v = type->variant_required ? 0 : 1; type->variants && v < type->variants->count;
             v++)
            CHECK(pl_type_field(type, type->variants->items[v].name));
    }
}

TEST(scene_nearest_names)
{
    static const char* const names[] = {"young", "poisson", "density", "linear_tolerance", "mu"};
    CHECK(strcmp(pl_nearest_name("youngs", names, 5), "young") == 0);
    CHECK(strcmp(pl_nearest_name("yonug", names, 5), "young") == 0);
    CHECK(strcmp(pl_nearest_name("Poison", names, 5), "poisson") == 0);
    CHECK(strcmp(pl_nearest_name("linear-tolerence", names, 5), "linear_tolerance") == 0);
    CHECK(!pl_nearest_name("elephant", names, 5));
    char giant[1000];
    memset(giant, 'x', sizeof giant - 1);
    giant[999] = '\0';
    CHECK(!pl_nearest_name(giant, names, 5));
}

// ---------------------------------------------------------------- reading

TEST(scene_defaults)
{
    pl_scene* scene = read_text("{\"pliant\": 1, \"bodies\": [{\"generate\": \"box\"}]}");
    CHECK(scene->gravity[1] == -9.81 && scene->gravity[0] == 0.0);
    CHECK_NEAR(scene->time_step, 1.0 / 60.0, 0.0);
    CHECK_INT(scene->body_count, 1);
    const pl_body* body = &scene->bodies[0];
    CHECK(strcmp(body->name, "body0") == 0);
    CHECK(body->kind == PL_BODY_SOLID && body->method == PL_METHOD_FEM);
    CHECK(body->material.law == PL_LAW_STABLE_NEOHOOKEAN && body->linear == PL_LINEAR_AUTO);
    CHECK(isnan(body->material.mu) && body->material.young == 1e5);
    pl_scene_destroy(scene);
}

LONG_TEST(scene_examples_are_right)
{
    DIR* directory = opendir(source_path("scenes"));
    CHECK(directory);
    int count = 0;
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        if (!strstr(entry->d_name, ".json")) continue;
        char name[300];
        snprintf(name, sizeof name, "scenes/%.200s", entry->d_name);
        pl_scene* scene;
        pl_error error;
        CHECK_OK(pl_scene_read_checked(source_path(name), NULL, 0, &scene, NULL, &error), &error);
        CHECK(scene->body_count > 0);
        pl_scene_destroy(scene);
        count++;
    }
    closedir(directory);
    CHECK(count >= 4);
}

TEST(scene_everything_reads_writes_and_copies)
{
    pl_scene* scene = read_file(source_path("tests/corpus/scene/good_everything.json"));
    pl_error error;
    const char* path = pl_test_path("resolved.json");
    CHECK_OK(pl_scene_write(scene, path, &error), &error);
    pl_scene* again = read_file(path);
    check_same(scene, again);
    pl_scene_destroy(again);
    CHECK_OK(pl_scene_copy(scene, &again, &error), &error);
    check_same(scene, again);
    pl_scene_destroy(scene);

    CHECK(again->up == PL_AXIS_Z && again->substeps == 2 && again->seed == 7);
    CHECK(strcmp(again->title, "Everything \"at once\" \xc3\xa9 \xf0\x9f\x90\xbb") == 0);
    const pl_body* bar = &again->bodies[0];
    CHECK(bar->multigrid.level_count == 2 && bar->multigrid.levels[1] == 100);
    CHECK(bar->eigenfit && bar->eigenfit->modes == 5);
    CHECK(strstr(bar->eigenfit->fine, "tests/corpus/scene/fine.msh"));
    // a region's material starts from the body's
    CHECK(bar->regions[0].material.density == 2000 && bar->regions[0].material.bulk == 1e6);
    CHECK(again->colliders[4].shape == PL_COLLIDER_CHAIN &&
          again->colliders[4].chain.point_count == 3);
    CHECK(again->colliders[5].chain.radius_count == 1);
    CHECK(again->attachments[3].where.kind == PL_SELECT_OR);
    CHECK_INT(again->attachments[3].where.part_count, 7);
    CHECK(again->attachments[3].where.parts[2].parts[1].kind == PL_SELECT_NOT);
    CHECK(again->output.field_count == 2 && again->output.fields[1] == PL_OUTPUT_STRESS);
    CHECK(strcmp(again->winds[0].bodies[0], "flag") == 0);
    pl_scene_destroy(again);
}

TEST(scene_everything_survives_every_failing_allocation)
{
    const char* path = source_path("tests/corpus/scene/good_everything.json");
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_scene *scene, *copy = NULL;
        pl_error error;
        pl_inject_failure(nth);
        pl_status status = pl_scene_read(path, NULL, 0, &scene, NULL, &error);
        if (status == PL_OK) status = pl_scene_copy(scene, &copy, &error);
        pl_text text = pl_text_begin();
        if (status == PL_OK) status = pl_scene_to_text(copy, &text, &error);
        pl_text_free(&text);
        pl_scene_destroy(scene);
        pl_scene_destroy(copy);
        CHECK_INT(pl_byte_count(), before);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(nth < 5000);
    }
    pl_inject_failure(0);
}

TEST(scene_reads_and_writes_the_same_in_every_locale)
{
    const char* text = "{\"pliant\": 1, \"time_step\": 0.5}";
    if (!pl_test_set_comma_locale()) {
        pl_test_reset_locale();
        SKIP("no locale with a decimal comma: localedef or its sources are not there");
    }
    pl_scene* scene = read_text(text);
    pl_text out = pl_text_begin();
    pl_text_number(&out, 0.5);
    pl_test_reset_locale();
    bool point = strcmp(pl_text_get(&out), "0.5") == 0;
    pl_text_free(&out);
    CHECK(point && scene->time_step == 0.5);
    pl_scene_destroy(scene);
}

TEST(scene_elastic_constants_replace_inherited_ones)
{
    pl_scene* scene =
        read_text("{\"pliant\": 1, \"bodies\": [{\"generate\": \"bar\", \"material\": {\"mu\": "
                  "500, \"bulk\": 1e5},"
                  "\"regions\": [{\"region\": \"a\", \"material\": {\"young\": 7}},"
                  "{\"region\": \"b\", \"material\": {\"lambda\": 0}}, {\"region\": \"c\"}]}]}");
    const pl_region_material* regions = scene->bodies[0].regions;
    double mu, lambda;
    pl_material_def_lame(&regions[0].material, &mu, &lambda);
    CHECK_NEAR(mu, 7 / 2.8, 1e-12);
    pl_material_def_lame(&regions[1].material, &mu, &lambda);
    CHECK(mu == 500 && lambda == 0);
    pl_material_def_lame(&regions[2].material, &mu, &lambda);
    CHECK(mu == 500 && lambda > 9e4);
    pl_scene_destroy(scene);
}

TEST(scene_takes_a_byte_order_mark_comments_and_nulls)
{
    pl_scene* scene =
        read_text("\xEF\xBB\xBF{\"pliant\": 1, \"comment\": [1, 2], \"frames\": null, "
                  "\"output\": {\"comment\": \"x\", \"every\": 3}}");
    CHECK(scene->frames == 120 && scene->output.every == 3);
    pl_scene_destroy(scene);
}

TEST(scene_numbers_are_written_short_and_exact)
{
    static const struct {
        double value;
        const char* text;
    } cases[] = {
        {0, "0"},           {40, "40"},     {-12345, "-12345"}, {1e5, "1e5"},
        {2.5e11, "2.5e11"}, {1e-6, "1e-6"}, {0.1, "0.1"},       {1.0 / 3.0, "0.3333333333333333"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pl_text text = pl_text_begin();
        pl_text_number(&text, cases[i].value);
        bool same = strcmp(pl_text_get(&text), cases[i].text) == 0;
        pl_text_free(&text);
        CHECK(same);
    }
}

// ---------------------------------------------------------------- including

static void write_text(const char* name, const char* text) {
    pl_test_write_file(pl_test_path(name), text, strlen(text));
}

TEST(scene_includes_are_merged)
{
    write_text(
        "material.json",
        "{\"pliant\": 1, \"frames\": 7, \"gravity\": [1, 2, 3], \"bodies\": ["
        "{\"name\": \"a\", \"generate\": \"box\", \"material\": {\"young\": 5, \"poisson\": 0.1}},"
        "{\"name\": \"b\", \"mesh\": \"b.obj\"}]}");
    write_text("ground.json", "{\"pliant\": 1, \"colliders\": [{\"plane\": {}}], \"frames\": 8}");
    write_text(
        "main.json",
        "{\"pliant\": 1, \"include\": [\"material.json\", \"ground.json\"], \"gravity\": [0, 0, 0],"
        "\"bodies\": [{\"name\": \"c\", \"generate\": \"box\"},"
        "{\"name\": \"a\", \"material\": {\"young\": 6}}], \"colliders\": [{\"sphere\": "
        "{\"radius\": 1}}]}");
    pl_scene* scene = read_file(pl_test_path("main.json"));
    CHECK(scene->frames == 8 && scene->gravity[2] == 0.0);
    CHECK_INT(scene->body_count, 3);
    CHECK(scene->bodies[0].material.young == 6 && scene->bodies[0].material.poisson == 0.1);
    CHECK(strcmp(scene->bodies[1].name, "b") == 0 && strcmp(scene->bodies[2].name, "c") == 0);
    CHECK(strcmp(scene->bodies[1].mesh, pl_test_path("b.obj")) == 0);
    CHECK_INT(scene->collider_count, 2);
    pl_scene_destroy(scene);
}

TEST(scene_file_names_are_relative_to_their_file)
{
    CHECK_INT(pl_folder_make(pl_test_path("parts")), 0);
    write_text("parts/bear.json", "{\"pliant\": 1, \"bodies\": [{\"mesh\": \"bear.obj\"}]}");
    write_text("whole.json", "{\"pliant\": 1, \"include\": \"parts/bear.json\"}");
    pl_scene* scene = read_file(pl_test_path("whole.json"));
    CHECK(strcmp(scene->bodies[0].mesh, pl_test_path("parts/bear.obj")) == 0);
    pl_scene_destroy(scene);
}

// ---------------------------------------------------------------- changing values

TEST(scene_overrides)
{
    const char* path = source_path("scenes/bar.json");
    static const char* const overrides[] = {"bodies[0].material.young=2e6",
                                            "bodies[bar].method=pbd",
                                            "gravity=[0,0,-1]",
                                            "gravity[1]=5",
                                            "frames=3",
                                            "title=two words",
                                            "colliders[0].sphere.radius=2",
                                            "colliders[0].name=\"ball\"",
                                            "output.fields=[\"velocity\"]"};
    pl_scene* scene;
    pl_error error;
    CHECK_OK(pl_scene_read(path, overrides, 9, &scene, NULL, &error), &error);
    CHECK(scene->bodies[0].material.young == 2e6 && scene->bodies[0].method == PL_METHOD_PBD);
    CHECK(scene->bodies[0].linear == PL_LINEAR_GAUSS_SEIDEL);
    CHECK(scene->gravity[1] == 5 && scene->gravity[2] == -1 && scene->frames == 3);
    CHECK(strcmp(scene->title, "two words") == 0 && strcmp(scene->colliders[0].name, "ball") == 0);
    CHECK(scene->colliders[0].sphere.radius == 2.0 && scene->output.field_count == 1);
    pl_scene_destroy(scene);
}

TEST(scene_overrides_take_items_away)
{
    const char* path = source_path("scenes/cloth_over_sphere.json");
    static const char* const overrides[] = {"colliders[0]=null", "bodies[cloth].render=null"};
    pl_scene* scene;
    pl_error error;
    CHECK_OK(pl_scene_read(path, overrides, 2, &scene, NULL, &error), &error);
    CHECK_INT(scene->collider_count, 1);
    CHECK(scene->colliders[0].shape == PL_COLLIDER_PLANE);
    pl_scene_destroy(scene);
    static const char* const by_name[] = {"colliders[ground]=null", "colliders[ball]=null"};
    CHECK_OK(pl_scene_read(path, by_name, 2, &scene, NULL, &error), &error);
    CHECK_INT(scene->collider_count, 0);
    pl_scene_destroy(scene);
}

TEST(scene_set_in_c)
{
    pl_scene* scene = read_file(source_path("tests/corpus/scene/good_everything.json"));
    pl_error error;
    CHECK_OK(pl_scene_set(scene, "bodies[bar].material.young", "123", &error), &error);
    CHECK_OK(pl_scene_set(scene, "bodies[0].transform.translate[2]", "4", &error), &error);
    CHECK_OK(pl_scene_set(scene, "bodies[0].eigenfit.modes", "9", &error), &error);
    CHECK_OK(
        pl_scene_set(scene, "colliders[ball].box", "{\"min\": [0,0,0], \"max\": [1,1,1]}", &error),
        &error);
    CHECK_OK(pl_scene_set(scene, "bodies[0].levels", "[3, 4, 5]", &error), &error);
    CHECK_OK(pl_scene_set(scene, "title", "new", &error), &error);
    CHECK(scene->bodies[0].material.young == 123 && scene->bodies[0].transform.translate[2] == 4);
    CHECK(scene->bodies[0].eigenfit->modes == 9 && scene->bodies[0].multigrid.level_count == 3);
    CHECK(scene->colliders[1].shape == PL_COLLIDER_BOX && scene->colliders[1].box.max[2] == 1);
    // young takes the place of mu and its curve, and of bulk
    int count = scene->animation_count;
    CHECK(isnan(scene->bodies[0].material.mu) && isnan(scene->bodies[0].material.bulk));
    // a number ends the curve that was there
    CHECK_OK(pl_scene_set(scene, "gravity[1]", "0", &error), &error);
    CHECK_INT(scene->animation_count, count - 1);
    CHECK(pl_scene_set(scene, "bodies[7].edge", "1", &error) != PL_OK);
    CHECK_TEXT(error.text, "there is no \"7\" in \"bodies\"");
    CHECK(pl_scene_set(scene, "bodies[0].materials.young", "1", &error) != PL_OK);
    CHECK_TEXT(error.text, "did you mean \"material\"?");
    CHECK(pl_scene_set(scene, "bodies[0].", "1", &error) != PL_OK);
    CHECK(pl_scene_set(scene, "", "1", &error) != PL_OK);
    CHECK(pl_scene_set(scene, "gravity[3]", "1", &error) != PL_OK);
    CHECK(pl_scene_set(scene, "frames", "many", &error) != PL_OK);
    CHECK_TEXT(error.text, "expected a whole number, found \"many\"");
    pl_scene_destroy(scene);
}

TEST(scene_curves_move_scalars)
{
    pl_scene* scene = read_text("{\"pliant\": 1, \"gravity\": [0, {\"keyframes\": [[0, 0], [2, "
                                "10]], \"interpolation\": \"linear\"}, 0],"
                                "\"bodies\": [{\"generate\": \"bar\", \"material\": {\"young\": "
                                "{\"value\": 1000, \"amplitude\": 500}},"
                                "\"regions\": [{\"region\": \"left\"}, {\"region\": \"right\", "
                                "\"material\": {\"young\": 70}}]}]}");
    CHECK_INT(scene->animation_count, 3);
    CHECK(scene->gravity[1] == 0.0 && scene->bodies[0].material.young == 1000);
    pl_scene_evaluate(scene, 0.25);
    CHECK_NEAR(scene->gravity[1], 1.25, 1e-15);
    CHECK_NEAR(scene->bodies[0].material.young, 1500, 1e-9);
    // a region follows the body's curve unless it says otherwise
    CHECK_NEAR(scene->bodies[0].regions[0].material.young, 1500, 1e-9);
    CHECK(scene->bodies[0].regions[1].material.young == 70);
    pl_curve curve = pl_default_curve();
    curve.value = 3;
    pl_error error;
    CHECK_OK(pl_scene_animate(scene, "bodies[body0].damping.mass", &curve, &error), &error);
    CHECK(strcmp(scene->animations[3].path, "bodies[0].damping.mass") == 0);
    CHECK(scene->bodies[0].damping.mass == 3);
    CHECK_OK(pl_scene_resolve(scene, &error), &error);
    CHECK(pl_scene_animate(scene, "bodies[0].transform.size", &curve, &error) != PL_OK);
    CHECK_TEXT(error.text, "cannot change during a run");
    CHECK(pl_scene_animate(scene, "bodies[0].material", &curve, &error) != PL_OK);
    curve.value = -3;
    CHECK_OK(pl_scene_animate(scene, "bodies[0].damping.mass", &curve, &error), &error);
    CHECK_INT(scene->animation_count, 4);
    CHECK(pl_scene_resolve(scene, &error) != PL_OK);
    CHECK_TEXT(error.text, "bodies[0].damping.mass: is -3; it must be from 0 to 1e+06 1/s");
    pl_scene_destroy(scene);
}

// ---------------------------------------------------------------- in C

TEST(scene_made_in_c_is_the_scene_of_the_file)
{
    pl_scene *scene, *file = read_file(source_path("scenes/bar.json"));
    pl_error error;
    CHECK_OK(pl_scene_create(&scene, &error), &error);
    pl_shape_value values[] = {{.key = "size_x", .number = 1},
                               {.key = "size_y", .number = 0.2},
                               {.key = "size_z", .number = 0.2},
                               {.key = "edge", .number = 0.06}};
    pl_body bar = pl_default_body();
    bar.name = "bar";
    bar.shape = PL_SHAPE_GENERATE;
    bar.generate = (pl_shape_maker){"bar", 4, values};
    bar.material.young = 1e5;
    bar.material.poisson = 0.4;
    pl_attachment grip = pl_default_attachment();
    grip.body = "bar";
    grip.where.kind = PL_SELECT_SIDE;
    grip.where.side.face = PL_SIDE_LOW_X;
    CHECK_OK(pl_scene_set(scene, "title", file->title, &error), &error);
    CHECK_OK(pl_scene_add_body(scene, &bar, &error), &error);
    CHECK_OK(pl_scene_add_attachment(scene, &grip, &error), &error);
    CHECK_OK(pl_scene_resolve(scene, &error), &error);
    CHECK_OK(pl_scene_check_files(scene, NULL, &error), &error);
    check_same(scene, file);
    pl_scene_destroy(scene);
    pl_scene_destroy(file);
}

TEST(scene_adding_survives_every_failing_allocation)
{
    size_t before = pl_byte_count();
    pl_body body = pl_default_body();
    body.name = "b";
    body.generate.shape = "box";
    body.shape = PL_SHAPE_GENERATE;
    pl_wind wind = pl_default_wind();
    const char* names[] = {"b", "b"};
    wind.bodies = names;
    wind.body_count = 2;
    for (int64_t nth = 1;; nth++) {
        pl_scene* scene = NULL;
        pl_error error;
        pl_curve curve = pl_default_curve();
        curve.value = 1;
        pl_inject_failure(nth);
        pl_status status = pl_scene_create(&scene, &error);
        if (status == PL_OK) status = pl_scene_add_body(scene, &body, &error);
        if (status == PL_OK) status = pl_scene_add_wind(scene, &wind, &error);
        if (status == PL_OK) status = pl_scene_add_wind(scene, &wind, &error);
        if (status == PL_OK) status = pl_scene_animate(scene, "wind[1].drag", &curve, &error);
        if (status == PL_OK) status = pl_scene_set(scene, "wind[1].drag", "2", &error);
        if (status == PL_OK) status = pl_scene_resolve(scene, &error);
        pl_scene_destroy(scene);
        CHECK_INT(pl_byte_count(), before);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(nth < 1000);
    }
    pl_inject_failure(0);
}

TEST(scene_transform_sets_a_mesh_into_the_world)
{
    double positions[6] = {0, 0, 0, 2, 1, 0};
    pl_transform transform = pl_default_transform();
    transform.size = 1.0;       // (1, 0.5, 0)
    transform.scale[0] = 3.0;   // (3, 0.5, 0)
    transform.rotate[2] = 90.0; // (-0.5, 3, 0)
    transform.translate[2] = 7.0;
    pl_transform_apply(&transform, positions, 2);
    const double expected[6] = {0, 0, 7, -0.5, 3, 7};
    for (int i = 0; i < 6; i++) CHECK_NEAR(positions[i], expected[i], 1e-15);
}

TEST(scene_material_constants)
{
    pl_material_def m = pl_default_material_def();
    double mu, lambda;
    m.young = 3000;
    m.poisson = 0.25;
    pl_material_def_lame(&m, &mu, &lambda);
    CHECK_NEAR(mu, 1200, 1e-9);
    CHECK_NEAR(lambda, 1200, 1e-9);
    m.mu = 500;
    m.lambda = 0;
    pl_material_def_lame(&m, &mu, &lambda);
    CHECK(mu == 500 && lambda == 0);
    m.lambda = NAN;
    m.bulk = 1000;
    pl_material_def_lame(&m, &mu, &lambda);
    CHECK_NEAR(lambda, 1000 - 2.0 / 3.0 * 500, 1e-9);
    m = pl_default_material_def();
    m.poisson = 0.5;
    pl_material_def_lame(&m, &mu, &lambda);
    CHECK(isinf(lambda));
}
