// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bad scenes: each is refused with a text that says where, what, and what to do.
#include "base/memory.h"
#include "base/random.h"
#include "read_checks.h"
#include "scene/scene_read.h"
#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static void refuse(const char* text, size_t size, const char* part, const char* other) {
    pl_scene* scene;
    pl_error error;
    pl_status status = pl_scene_read_memory(text, size, "bad.json", NULL, 0, &scene, NULL, &error);
    if (status == PL_OK) {
        pl_scene_destroy(scene);
        pl_test_fail(__FILE__, __LINE__, "accepted: %.200s", text);
    }
    CHECK(!scene);
    CHECK_TEXT(error.text, "bad.json:");
    CHECK_TEXT(error.text, part);
    if (other) CHECK_TEXT(error.text, other);
}

typedef struct bad_scene {
    const char* text; // after {"pliant": 1,\n
    const char* part;
    const char* other; // or NULL
} bad_scene;

static void refuse_all(const bad_scene* scenes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char text[2048];
        int size = snprintf(text, sizeof text, "{\"pliant\": 1,\n%s}", scenes[i].text);
        refuse(text, (size_t)size, scenes[i].part, scenes[i].other);
    }
}
#define REFUSE_ALL(scenes) refuse_all(scenes, sizeof scenes / sizeof scenes[0])

#define BODY(keys) "\"bodies\": [{\"name\": \"a\", \"generate\": \"box\", " keys "}]"

TEST(scene_refuses_unknown_keys)
{
    static const bad_scene scenes[] = {
        {BODY("\n  \"material\": {\"youngs\": 3}"),
         "bad.json:3:16: bodies[0].material: unknown key \"youngs\"", "did you mean \"young\"?"},
        {"\"bodys\": []", "bad.json:2:1: unknown key \"bodys\"; did you mean \"bodies\"?", NULL},
        {"\"zzzzzzzz\": 1", "unknown key \"zzzzzzzz\"; known here: pliant, title, up", NULL},
        {BODY("\"method\": \"fems\""),
         "bodies[0].method: there is no \"fems\"; did you mean \"fem\"?",
         "one of fem, mixed, grid, pbd"},
        {BODY("\"method\": \"quantum\""),
         "expected one of fem, mixed, grid, pbd, rigid, found \"quantum\"", NULL},
        {"\"bodies\": [{\"generate\": {\"shape\": \"box\", \"sizex\": 1}}]",
         "bodies[0].generate.sizex: ", "size_x"},
        {"\"bodies\": [{\"generate\": \"bear\"}]", "bodies[0].generate",
         "there is no generator \"bear\""},
        {BODY("\"values\": 1"), "unknown key \"values\"", NULL},
        {"\"animations\": []", "unknown key \"animations\"", NULL},
    };
    REFUSE_ALL(scenes);
}

TEST(scene_refuses_wrong_types)
{
    static const bad_scene scenes[] = {
        {"\"frames\": \"ten\"", "bad.json:2:1: frames: expected a whole number, found \"ten\"",
         NULL},
        {"\"frames\": 1.5", "frames: expected a whole number, found 1.5", NULL},
        {"\"frames\": 1e20", "frames: expected a whole number below 2147483648", NULL},
        {"\"gravity\": 9.81", "gravity: expected a list of 3 numbers, found 9.81", NULL},
        {"\"gravity\": [1, 2]", "gravity: expected a list of 3 numbers, found a list of 2", NULL},
        {"\"gravity\": [1, 2, \"x\"]", "gravity[2]: expected a number or a curve, found \"x\"",
         NULL},
        {"\"title\": 5", "title: expected a text, found 5", NULL},
        {"\"bodies\": {}", "bodies: expected a list, found an object", NULL},
        {"\"bodies\": [3]", "bodies[0]: expected an object, found 3", NULL},
        {BODY("\"fixed\": 1"), "bodies[0].fixed: expected true or false, found 1", NULL},
        {BODY("\"edge\": {\"value\": 1}"), "bodies[0].edge: expected a number, found an object",
         NULL},
        {BODY("\"levels\": [1, 2.5]"), "bodies[0].levels[1]: expected a whole number", NULL},
        {"\"bodies\": [{\"mesh\": 7}]", "bodies[0].mesh: expected the name of a file", NULL},
        {"\"bodies\": [{\"generate\": {\"shape\": \"box\", \"edge\": [1]}}]",
         "bodies[0].generate.edge: expected a number or a word, found a list of 1", NULL},
        {"\"time_step\": {\"amplitude\": 1}", "time_step: a curve needs \"keyframes\" or \"value\"",
         NULL},
        {"\"time_step\": {\"keyframes\": [[1, 2, 3]]}", "expected a list of 2 numbers", NULL},
        {"\"attachments\": [{\"body\": \"a\", \"where\": {\"everything\": false}}]",
         "expected true", NULL},
    };
    REFUSE_ALL(scenes);
}

TEST(scene_refuses_absurd_values)
{
    static const bad_scene scenes[] = {
        {"\"frames\": -1", "bad.json:2:1: frames: is -1; it must be from 0 to 1000000000", NULL},
        {"\"time_step\": 0", "time_step: is 0; it must be from 1e-09 to 1000 s", NULL},
        {BODY("\"material\": {\"young\": -5}"), "bodies[0].material.young: is -5", "Pa"},
        {BODY("\"material\": {\"density\": 1e30}"), "bodies[0].material.density: is 1e+30", NULL},
        {BODY("\"material\": {\"poisson\": 0.6}"), "bodies[0].material.poisson: is 0.6", NULL},
        {BODY("\"material\": {\"poisson\": 0.5}"), "only method \"mixed\" supports",
         "bodies[0].material.poisson"},
        {"\"bodies\": [{\"mesh\": \"a.obj\", \"render\": {\"edge\": 0.1}}]",
         "render.edge: works only with \"generate\"", NULL},
        {"\"bodies\": [{\"generate\": {\"shape\": \"sphere\"}, "
         "\"render\": {\"edge\": 0.1, \"surface\": \"a.obj\"}}]",
         "render.edge: and render.surface exclude one another", NULL},
        {BODY("\"material\": {\"mu\": 5}"), "mu: needs one of lambda and bulk", NULL},
        {BODY("\"material\": {\"mu\": 5, \"lambda\": 1, \"bulk\": 1}"),
         "has both \"lambda\" and \"bulk\"", NULL},
        {BODY("\"material\": {\"lambda\": 5}"), "lambda: needs mu", NULL},
        {BODY("\"material\": {\"young\": 5, \"mu\": 5}"), "has both \"young\" and \"mu\"", NULL},
        {BODY("\"material\": {\"mu\": 3, \"lambda\": -2}"), "bulk modulus", "must be above 0"},
        {BODY("\"transform\": {\"scale\": -1}"), "transform.scale: is -1", NULL},
        {BODY("\"levels\": [100, 25]"), "bodies[0].levels: 25 comes after 100",
         "coarsest comes first"},
        {"\"bodies\": [{\"generate\": {\"shape\": \"box\", \"size_x\": -1}}]",
         "bodies[0].generate.size_x", NULL},
        {"\"bodies\": [{}]", "bodies[0]: needs one of the keys mesh, generate", NULL},
        {"\"bodies\": [{\"mesh\": \"\"}]", "bodies[0].mesh: is missing", NULL},
        {BODY("\"mesh\": \"x.obj\""), "has both \"mesh\" and \"generate\"; keep one", NULL},
        {"\"colliders\": [{\"sphere\": {}}]", "colliders[0].sphere.radius: is missing", NULL},
        {"\"colliders\": [{\"plane\": {\"normal\": [0, 0, 0]}}]", "plane.normal: is zero", NULL},
        {"\"colliders\": [{\"box\": {\"min\": [0, 1, 0], \"max\": [1, 0, 1]}}]",
         "box.max: is below min along y", NULL},
        {"\"colliders\": [{\"chain\": {\"points\": [[0,0,0],[1,0,0],[2,0,0]], \"radii\": [1, 2]}}]",
         "2 radii for 3 points", NULL},
        {"\"colliders\": [{\"cylinder\": {\"from\": [1,1,1], \"to\": [1,1,1], \"radius\": 1}}]",
         "has no length", NULL},
        {"\"colliders\": [{\"plane\": {}, \"motion\": {\"keyframes\": [{\"time\": 1}, {\"time\": "
         "1}]}}]",
         "keyframes: key 1 is at 1 s, not after key 0", NULL},
        {"\"time_step\": {\"keyframes\": [[0, 1], [1, -1]]}", "time_step: varies from -1 to 1",
         NULL},
        {"\"time_step\": {\"keyframes\": [[1, 1], [0, 1]]}", "put them in order", NULL},
        {"\"gravity\": [0, {\"value\": 0, \"amplitude\": 1e9}, 0]",
         "gravity[1]: varies from -1e+09", NULL},
        {BODY("\"vary\": [{\"parameter\": \"poisson\", \"gradient\": {\"from\": 0, \"to\": 2}}]"),
         "bodies[0].vary[0].gradient: is 2", NULL},
        {BODY("\"vary\": [{\"gradient\": {\"from\": 0, \"to\": 2, \"spacing\": \"logarithmic\"}}]"),
         "needs both ends above 0", NULL},
    };
    REFUSE_ALL(scenes);
}

TEST(scene_refuses_wrong_names)
{
    static const bad_scene scenes[] = {
        {"\"bodies\": [{\"name\": \"a\", \"generate\": \"box\"},\n {\"name\": \"a\", \"generate\": "
         "\"box\"}]",
         "bad.json:3:3: bodies[1].name: \"a\" is the name of bodies[0] already", NULL},
        {BODY("\"kind\": \"solid\"") ", \"attachments\": [{\"body\": \"aa\"}]",
         "attachments[0].body: there is no body \"aa\"; did you mean \"a\"?", NULL},
        {BODY("\"kind\": \"solid\"") ", \"attachments\": [{\"where\": {\"side\": \"-x\"}}]",
         "attachments[0].body: is missing", NULL},
        {BODY("\"kind\": \"solid\"") ", \"attachments\": [{\"body\": \"a\", \"collider\": "
                                     "\"ball\"}]",
         "attachments[0].collider: there is no collider \"ball\"; the scene has none", NULL},
        {BODY("\"kind\": \"solid\"") ", \"colliders\": [{\"name\": \"bal\", \"plane\": {}}],"
                                     "\"attachments\": [{\"body\": \"a\", \"collider\": \"ball\"}]",
         "there is no collider \"ball\"; did you mean \"bal\"?", NULL},
        {BODY("\"kind\": \"solid\"") ", \"forces\": [{\"body\": \"q\", \"pressure\": 1}]",
         "forces[0].body: there is no body \"q\"; there is for instance \"a\"", NULL},
        {BODY("\"kind\": \"solid\"") ", \"wind\": [{\"bodies\": [\"x\"]}]",
         "wind[0].bodies: there is no body", NULL},
        {BODY("\"kind\": \"solid\"") ", \"forces\": [{\"body\": \"a\"}]",
         "forces[0]: needs one of the keys force", NULL},
        {BODY("\"kind\": \"solid\"") ", \"attachments\": [{\"body\": \"a\", \"where\": {\"and\": "
                                     "[]}}]",
         "\"and\" needs a selection", NULL},
        {BODY("\"kind\": \"solid\"") ", \"attachments\": [{\"body\": \"a\", \"from\": 2, "
                                     "\"until\": 1}]",
         "attachments[0].until: is 1 s, not after from", NULL},
    };
    REFUSE_ALL(scenes);
}

TEST(scene_refuses_what_does_not_go_together)
{
    static const bad_scene scenes[] = {
        {BODY("\"method\": \"grid\", \"linear\": \"direct\""),
         "bodies[0].linear: \"direct\" does not work with method \"grid\"",
         "use one of: multigrid"},
        {BODY("\"nonlinear\": \"projective\", \"material\": {\"law\": \"stvk\"}"),
         "bodies[0].nonlinear: \"projective\" does not work with method \"fem\" kind \"solid\" "
         "material.law \"stvk\"",
         NULL},
        {BODY("\"kind\": \"cloth\", \"method\": \"grid\""),
         "bodies[0].kind: \"cloth\" does not work with", NULL},
        {BODY("\"method\": \"mixed\", \"material\": {\"law\": \"arap\"}"),
         "bodies[0].material.law: \"arap\" does not work with method \"mixed\"",
         "use one of: linear corotated stvk neohookean stable_neohookean mooney_rivlin"},
        {BODY("\"eigenfit\": {\"ratios\": [1], \"edge\": 0.05}"),
         "bodies[0].eigenfit: give at most one of", NULL},
        {BODY("\"method\": \"pbd\", \"eigenfit\": {}"),
         "bodies[0].eigenfit: works only with solids in motion", NULL},
        {BODY("\"method\": \"grid\", \"regions\": [{\"region\": \"x\", \"material\": {\"law\": "
              "\"arap\"}}]"),
         "regions[0].material.law", "\"arap\" does not work with"},
    };
    REFUSE_ALL(scenes);
}

TEST(scene_refuses_what_is_not_json)
{
    static const struct {
        const char* text;
        const char* part;
    } scenes[] = {
        {"", "bad.json:"},
        {"{", "not valid JSON"},
        {"{\"pliant\": 1,\n \"frames\": 1,\n \"frames\": 2}", "bad.json:3:"},
        {"{\"pliant\": 1, \"time_step\": 1e999}", "numbers must be below 1e308"},
        {"{\"pliant\": 1, \"title\": \"\xff\xfe\"}", "save the file as UTF-8"},
        {"{\"pliant\": 1, \"title\": \"a\\u0000b\"}", "not valid JSON"},
        {"{\"pliant\": 1} x", "not valid JSON"},
        {"{'pliant': 1}", "bad.json:1:2: not valid JSON: strings and keys need double quotes"},
        {"{\"pliant\": 1, // a\n \"frames\": 1}",
         "bad.json:1:15: not valid JSON: JSON has no comm"},
        {"{\"pliant\": 1,\n /* a */ \"frames\": 1}", "bad.json:2:2: not valid JSON: JSON has no"},
        {"# a\n{\"pliant\": 1}", "bad.json:1:1: not valid JSON: JSON has no comments"},
        {"{\"pliant\": 1,\n \"frames\": 1,\n}",
         "bad.json:2:13: not valid JSON: a comma before a closing bracket"},
        {"{\"pliant\": 1, \"title\": \"a // b, ]\", \"gravity\": [0, 1, ] }",
         "bad.json:1:53: not va"},
        {"{\"pliant\": 1,, \"frames\": 1}", "bad.json:1:13: not valid JSON: two commas"},
        {"{\"pliant\": 1, \"time_step\": NaN}", "JSON has no NaN"},
        {"{\"pliant\": 1, \"time_step\": -Infinity}", "JSON has no Infinity"},
        // a mistake behind the one that the parser met is not its reason
        {"{\"pliant\" 1, \"frames\": 1,}", "':' expected"},
        {"[1]", "a scene is an object"},
        {"\"text\"", "a scene is an object"},
        {"{\"frames\": 1}", "begin with {\"pliant\": 1"},
        {"{\"pliant\": 2}", "bad.json:1:2: pliant: this pliant reads version 1"},
        {"{\"pliant\": \"1\"}", "this pliant reads version 1"},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        refuse(scenes[i].text, strlen(scenes[i].text), scenes[i].part, NULL);
}

TEST(scene_refuses_ten_megabytes_of_nesting)
{
    enum { SIZE = 10 << 20 };
    char* text = malloc(SIZE);
    CHECK(text);
    memset(text, '[', SIZE);
    memcpy(text, "{\"pliant\":", 10);
    refuse(text, SIZE, "some bracket is missing", NULL);
    // well formed, and far deeper than any scene
    size_t size = (size_t)snprintf(text, SIZE, "{\"pliant\": 1, \"title\": ");
    memset(text + size, '[', 1000);
    memset(text + size + 1000, ']', 1000);
    text[size + 2000] = '}';
    refuse(text, size + 2001, "nested more than 200 deep", "some bracket is missing");
    // selections nest for real
    size = (size_t)snprintf(text, SIZE,
                            "{\"pliant\": 1, \"bodies\": [{\"name\": \"a\", \"generate\": "
                            "\"box\"}], \"attachments\": [{\"body\": \"a\", \"where\": ");
    for (int i = 0; i < 150; i++) size += (size_t)snprintf(text + size, SIZE - size, "{\"not\": ");
    size += (size_t)snprintf(text + size, SIZE - size, "{\"everything\": true}");
    for (int i = 0; i < 150; i++) text[size++] = '}';
    size += (size_t)snprintf(text + size, SIZE - size, "}]}");
    pl_scene* scene;
    pl_error error;
    CHECK_OK(pl_scene_read_memory(text, size, "deep.json", NULL, 0, &scene, NULL, &error), &error);
    CHECK_OK(pl_scene_check_files(scene, NULL, &error), &error);
    pl_scene_destroy(scene);
    free(text);
}

TEST(scene_refuses_too_many_keys)
{
    enum { SIZE = 1 << 16 };
    char* text = malloc(SIZE);
    CHECK(text);
    size_t size = (size_t)snprintf(text, SIZE, "{\"pliant\": 1");
    for (int i = 0; i < 1200; i++)
        size += (size_t)snprintf(text + size, SIZE - size, ", \"k%d\": 1", i);
    text[size++] = '}';
    refuse(text, size, "an object with more than 1000 keys", NULL);
    free(text);
}

// ---------------------------------------------------------------- files

static void write_text(const char* name, const char* text) {
    pl_test_write_file(pl_test_path(name), text, strlen(text));
}

static void refuse_file(const char* name, const char* part, const char* other) {
    pl_scene* scene;
    pl_error error;
    CHECK(pl_scene_read(pl_test_path(name), NULL, 0, &scene, NULL, &error) != PL_OK);
    CHECK(!scene);
    CHECK_TEXT(error.text, part);
    if (other) CHECK_TEXT(error.text, other);
}

TEST(scene_refuses_circles_of_includes)
{
    write_text("a.json", "{\"pliant\": 1,\n \"include\": \"b.json\"}");
    write_text("b.json", "{\"pliant\": 1, \"include\": [\"c.json\"]}");
    write_text("c.json", "{\"pliant\": 1, \"include\": \"./a.json\"}");
    refuse_file("a.json", "in a circle: ", "a.json -> ");
    refuse_file("a.json", "c.json:1:15: include: ", "b.json -> ");
    write_text("self.json", "{\"pliant\": 1, \"include\": \"self.json\"}");
    refuse_file("self.json", "in a circle", NULL);
}

TEST(scene_refuses_includes_that_fail)
{
    write_text("a.json", "{\"pliant\": 1,\n \"include\": \"nothing.json\"}");
    refuse_file("a.json", "a.json:2:2: include: there is no file ", "nothing.json");
    write_text("b.json", "{\"pliant\": 1, \"include\": 5}");
    refuse_file("b.json", "expected the name of a file", NULL);
    write_text("c.json", "{\"pliant\": 1, \"include\": \"d.json\"}");
    write_text("d.json", "{\"frames\": 1}");
    refuse_file("c.json", "d.json:1:1: the key \"pliant\" is missing", NULL);
    write_text("e.json", "{\"pliant\": 1, \"include\": \"f.json\"}");
    write_text("f.json", "{\"pliant\": 1, \"frames\": -4}");
    refuse_file("e.json", "f.json:1:15: frames: is -4", NULL);
    // two files that each include another one twice, and so on: 2^n files
    for (int i = 0; i < 20; i++) {
        char name[32], text[128];
        snprintf(name, sizeof name, "t%d.json", i);
        snprintf(text, sizeof text, "{\"pliant\": 1, \"include\": [\"t%d.json\", \"t%d.json\"]}",
                 i + 1, i + 1);
        write_text(name, text);
    }
    write_text("t20.json", "{\"pliant\": 1}");
    refuse_file("t0.json", "more than 256 files are included", NULL);
    refuse_file("absent.json", "absent.json", NULL);
    refuse_file(".", "", NULL);
}

TEST(scene_says_what_is_wrong_with_meshes)
{
    static const struct {
        const char* text;
        const char* part;
    } scenes[] = {
        {"{\"mesh\": \"absent.obj\"}", "bodies[0].mesh: "},
        {"{\"mesh\": \"empty.msh\"}", "bodies[0].mesh: "},
        {"{\"generate\": {\"shape\": \"box\", \"edge\": 1e-5}}", "bodies[0].generate: "},
        {"{\"name\": \"a\", \"generate\": \"bar\", \"regions\": [{\"region\": \"lefft\"}]}",
         "bodies[0].regions: the mesh of body \"a\" has no region \"lefft\"; did you mean"},
        {"{\"generate\": \"bar\", \"vary\": [{\"field\": \"E\"}]}", "bodies[0].vary: the mesh"},
        {"{\"generate\": \"bar\", \"render\": {\"surface\": \"no.obj\"}}",
         "bodies[0].render.surface: "},
        {"{\"name\": \"a\", \"generate\": \"bar\"}], \"attachments\": [{\"body\": \"a\", "
         "\"where\": "
         "{\"sphere\": {\"center\": [50, 0, 0], \"radius\": 1}}}",
         "attachments[0].where: attachment \"attachment0\": nothing of body \"a\" is selected"},
        {"{\"name\": \"a\", \"generate\": \"bar\"}], \"forces\": [{\"body\": \"a\", \"pressure\": "
         "1, "
         "\"where\": {\"nearest\": [0, 0, 0]}}",
         "forces[0].where: nothing of body \"a\" is selected"},
        {"{\"name\": \"a\", \"generate\": \"bar\"}], \"colliders\": [{\"mesh\": \"no.stl\"}",
         "colliders[0].mesh: "},
    };
    write_text("empty.msh", "");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "{\"pliant\": 1, \"bodies\": [%s]}", scenes[i].text);
        write_text("scene.json", text);
        pl_scene* scene;
        pl_error error;
        CHECK_OK(pl_scene_read(pl_test_path("scene.json"), NULL, 0, &scene, NULL, &error), &error);
        CHECK(pl_scene_check_files(scene, NULL, &error) != PL_OK);
        CHECK_TEXT(error.text, scenes[i].part);
        pl_scene_destroy(scene);
        CHECK(pl_scene_read_checked(pl_test_path("scene.json"), NULL, 0, &scene, NULL, &error) !=
              PL_OK);
        CHECK_TEXT(error.text, "scene.json:1:");
        CHECK_TEXT(error.text, scenes[i].part);
        CHECK(!scene);
    }
}

// ---------------------------------------------------------------- the command line

TEST(scene_refuses_wrong_overrides)
{
    static const struct {
        const char* text;
        const char* part;
    } overrides[] = {
        {"frames", "--set frames: expected PATH=VALUE"},
        {"=5", "expected PATH=VALUE"},
        {"frames=-5", "--set frames=-5: frames: is -5"},
        {"bodies[3].edge=1", "index 3 is past the end of a list of 1"},
        {"bodies[bear].edge=1", "nothing there is named \"bear\""},
        {"bodies[0].method=fems", "did you mean \"fem\"?"},
        {"bodies.edge=1", "there is no key \"edge\""},
        {"frames[0]=1", "--set frames[0]=1: frames: expected a whole number, found a list of 1"},
        {"title.x=1", "there is no key \"x\""},
        {"bodies[0=1", "this is not a path"},
        {"bodies[0].levels=[1,2", "--set bodies[0].levels=[1,2: not valid JSON"},
        {"framse=1", "unknown key \"framse\"; did you mean \"frames\"?"},
        {"bodies[1].name=x", "bodies[1]: needs one of the keys"},
        {"bodies[1]=null", "index 1 is past the end of a list of 1"},
    };
    char path[1024];
    snprintf(path, sizeof path, "%s/scenes/bar.json", PL_TEST_SOURCE_DIR);
    for (size_t i = 0; i < sizeof overrides / sizeof overrides[0]; i++) {
        pl_scene* scene;
        pl_error error;
        const char* one[] = {overrides[i].text};
        CHECK(pl_scene_read(path, one, 1, &scene, NULL, &error) != PL_OK);
        CHECK_TEXT(error.text, overrides[i].part);
    }
}

// ---------------------------------------------------------------- damage

TEST(scene_survives_every_cut_and_random_damage)
{
    char path[1024];
    size_t size, before = pl_byte_count();
    snprintf(path, sizeof path, "%s/tests/corpus/scene/good_everything.json", PL_TEST_SOURCE_DIR);
    char* text = pl_test_load(path, &size);
    char* damaged = malloc(size);
    CHECK(text && damaged);
    pl_random random = {5};
    for (size_t i = 0; i < 3000; i++) {
        size_t length = i < 1000 ? size * i / 1000 : size;
        memcpy(damaged, text, size);
        for (int k = 0; i >= 1000 && k < 3; k++) {
            size_t at = (size_t)pl_random_int(&random, (int)size),
                   from = (size_t)pl_random_int(&random, (int)size);
            // a byte from elsewhere keeps more of the grammar than noise does
            damaged[at] = k == 2 ? (char)pl_random_bits(&random) : text[from];
        }
        pl_scene* scene;
        pl_error error = {0};
        pl_status status =
            pl_scene_read_memory(damaged, length, path, NULL, 0, &scene, NULL, &error);
        CHECK((status == PL_OK) == (scene != NULL));
        CHECK(status == PL_OK || error.text[0]);
        pl_scene_destroy(scene);
        CHECK_INT(pl_byte_count(), before);
    }
    free(text);
    free(damaged);
}

// the seeds of the fuzzer and what it found: "good_..." must be read, "bad_..." refused
TEST(scene_corpus_survives)
{
    char folder[600];
    snprintf(folder, sizeof folder, "%s/tests/corpus/scene", PL_TEST_SOURCE_DIR);
    DIR* directory = opendir(folder);
    CHECK(directory);
    int count = 0;
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        pl_scene* scene;
        pl_error error = {0};
        pl_status status = pl_scene_read(path, NULL, 0, &scene, NULL, &error);
        pl_scene_destroy(scene);
        CHECK(status == PL_OK || error.text[0]);
        if ((strncmp(entry->d_name, "good_", 5) == 0 && status != PL_OK) ||
            (strncmp(entry->d_name, "bad_", 4) == 0 && status == PL_OK))
            pl_test_fail(__FILE__, __LINE__, "%s: %s", path, error.text);
        count++;
    }
    closedir(directory);
    CHECK(count >= 8);
}
