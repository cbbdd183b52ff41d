// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Names, parameters and texts of the generators.
#include "test.h"
#include "tet_checks.h"

#include <pliant/generate.h>
#include <stdarg.h>

TEST(generate_refuses_absurd_parameters)
{
    static const struct {
        const char *name, *key, *value, *text;
        pl_status status;
    } cases[] = {
        {"box", "edge", "-1", "edge is -1 m", PL_ERROR_ARGUMENT},
        {"box", "edge", "0", "must lie between", PL_ERROR_ARGUMENT},
        {"box", "edge", "nan", "edge is", PL_ERROR_ARGUMENT},
        {"box", "edge", "inf", "edge is inf", PL_ERROR_ARGUMENT},
        {"box", "edge", "1,5", "not a number", PL_ERROR_ARGUMENT},
        {"box", "edge", "", "not a number", PL_ERROR_ARGUMENT},
        {"box", "edge", "3", "longer than the whole object", PL_ERROR_ARGUMENT},
        {"box", "edge", "1e-6", "more than the limit", PL_ERROR_LIMIT},
        {"box", "count_x", "100000000", "more than the limit", PL_ERROR_LIMIT},
        {"box", "count_x", "2.5", "whole number", PL_ERROR_ARGUMENT},
        {"box", "pattern", "hex", "must be one of: bcc five kuhn", PL_ERROR_ARGUMENT},
        {"box", "pattern", "", "must be one of", PL_ERROR_ARGUMENT},
        {"box", "radius", "1", "box has no parameter \"radius\"; it takes: edge, size_x",
         PL_ERROR_ARGUMENT},
        {"cube", "edge", "1", "there is no generator \"cube\"; there are: box, bar",
         PL_ERROR_ARGUMENT},
        {"bar", "end_length", "2", "ends of a bar", PL_ERROR_ARGUMENT},
        {"tube", "inner_radius", "1", "not below outer_radius", PL_ERROR_ARGUMENT},
        {"shell", "inner_radius", "2", "not below outer_radius", PL_ERROR_ARGUMENT},
        {"shell", "inner_radius", "0.9999999999", "more than the limit", PL_ERROR_LIMIT},
        {"torus", "radius", "1", "meet itself", PL_ERROR_ARGUMENT},
        {"torus", "edge", "1e-4", "more than the limit", PL_ERROR_LIMIT},
        {"panel", "right_low", "60", "not above right_low", PL_ERROR_ARGUMENT},
        {"sphere", "edge", "1.1", "longer than the whole object", PL_ERROR_ARGUMENT},
        {"sphere", "edge", "1e-9", "more than the limit", PL_ERROR_LIMIT},
        {"cloth", "count_x", "1", "no area", PL_ERROR_ARGUMENT},
        {"cloth", "count_x", "100000000", "more than the limit", PL_ERROR_LIMIT},
        {"cloth_irregular", "edge", "1e-8", "more than the limit", PL_ERROR_LIMIT},
        {"icosphere", "frequency", "100000000", "more than the limit", PL_ERROR_LIMIT},
        {"icosphere", "edge", "2", "longer than the whole object", PL_ERROR_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pl_generate_options options;
        pl_error error = {0};
        pl_mesh* mesh = NULL;
        pl_status status = pl_generate_defaults(cases[i].name, &options, &error);
        if (status == PL_OK)
            status =
                pl_generate_set_text(cases[i].name, &options, cases[i].key, cases[i].value, &error);
        if (status == PL_OK) status = pl_generate(cases[i].name, &options, &mesh, &error);
        CHECK_INT(status, cases[i].status);
        CHECK_TEXT(error.text, cases[i].text);
        CHECK(!mesh);
    }
}

// every tet is in one region of tets, and in one only
static void check_partition(const pl_mesh* mesh) {
    int total = 0;
    for (int i = 0; i < mesh->region_count; i++)
        if (mesh->regions[i].kind == PL_ELEMENT_TET) total += mesh->regions[i].count;
    CHECK_INT(total, mesh->tet_count);
}

LONG_TEST(generate_table_is_sound)
{
    pl_error error;
    for (int g = 0; g < pl_generator_count(); g++) {
        const pl_generator *generator = pl_generator_at(g), *found;
        CHECK_OK(pl_generator_find(generator->name, &found, &error), &error);
        CHECK(found == generator);
        pl_generate_options options;
        CHECK_OK(pl_generate_defaults(generator->name, &options, &error), &error);
        for (const pl_generator_parameter* p = generator->parameters; p->field; p++) {
            CHECK(p->low <= p->preset && p->preset <= p->high);
            CHECK(*p->field->help);
            CHECK_OK(
                pl_generate_set_number(generator->name, &options, p->field->key, p->preset, &error),
                &error);
        }
        // regions are what the text says, each word a name
        pl_mesh* mesh;
        CHECK_OK(pl_generate(generator->name, NULL, &mesh, &error), &error);
        char text[1024];
        int count = 0;
        bool parts = false; // regions of triangles and tets
        pl_element_kind kind = PL_ELEMENT_TRIANGLE;
        snprintf(text, sizeof(text), "%s", generator->regions);
        for (char* word = strtok(text, " ;"); word; word = strtok(NULL, " ;")) {
            if (strcmp(word, "none") == 0) continue;
            if (strcmp(word, "vertices") == 0) kind = PL_ELEMENT_VERTEX;
            else if (strcmp(word, "triangles") == 0) kind = PL_ELEMENT_TRIANGLE;
            else if (strcmp(word, "parts") == 0) parts = true;
            else if (pl_mesh_region(mesh, kind, word)) count++;
            else pl_test_fail(__FILE__, __LINE__, "%s lacks %s", generator->name, word);
            if (parts && pl_mesh_region(mesh, PL_ELEMENT_TET, word)) count++;
        }
        CHECK_INT(mesh->region_count, count);
        if (mesh->tet_count) CHECK_INT(check_tets(mesh).part_count, 1);
        if (parts) check_partition(mesh);
        pl_mesh_destroy(mesh);
    }
    CHECK(!pl_generator_at(-1) && !pl_generator_at(pl_generator_count()));
}

TEST(generate_set_text_reads_choices_and_numbers)
{
    pl_generate_options options;
    pl_error error;
    CHECK_OK(pl_generate_defaults("box", &options, &error), &error);
    CHECK_OK(pl_generate_set_text("box", &options, "pattern", "kuhn", &error), &error);
    CHECK_INT(options.pattern, PL_PATTERN_KUHN);
    CHECK_OK(pl_generate_set_text("box", &options, "size_y", "2.5e-1", &error), &error);
    CHECK_NEAR(options.size_y, 0.25, 0.0);
    CHECK_OK(pl_generate_set_text("box", &options, "count_z", "7", &error), &error);
    CHECK_INT(options.count_z, 7);
}

// ---- the document

static int put(char* text, size_t size, int length, const char* format, ...) PL_PRINTF(4, 5);
static int put(char* text, size_t size, int length, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    length += vsnprintf(text + length, size - (size_t)length, format, arguments);
    va_end(arguments);
    CHECK((size_t)length < size);
    return length;
}

static int put_default(char* text, size_t size, int length, const pl_generator_parameter* p) {
    const char* choices = p->field->choices;
    if (!choices)
        return put(text, size, length, "%g%s%s%s", p->preset, *p->field->unit ? " " : "",
                   p->field->unit, p->with_height ? ", in proportion to the height" : "");
    for (int skip = (int)p->preset; skip > 0; skip--) choices = strchr(choices, ' ') + 1;
    return put(text, size, length, "%.*s", (int)strcspn(choices, " "), choices);
}

// what docs/meshes.md says about a generator
static void describe(const pl_generator* generator, char* text, size_t size) {
    int length = put(text, size, 0, "### %s\n\n%s. Regions: %s.\n\n", generator->name,
                     generator->summary, generator->regions);
    length = put(text, size, length, "| parameter | default | meaning |\n|---|---|---|\n");
    for (const pl_generator_parameter* p = generator->parameters; p->field; p++) {
        length = put(text, size, length, "| %s | ", p->field->key);
        length = put_default(text, size, length, p);
        length = put(text, size, length, " | %s", p->field->help);
        if (p->field->choices) length = put(text, size, length, ": %s", p->field->choices);
        length = put(text, size, length, " |\n");
    }
}

TEST(generate_creatures_of_any_height_have_as_many_elements)
{
    const char* shapes[] = {"gummy_bear", "letter", "dress"};
    for (int i = 0; i < 3; i++) {
        pl_mesh* meshes[3];
        pl_error error;
        for (int k = 0; k < 3; k++) {
            pl_generate_options options;
            CHECK_OK(pl_generate_defaults(shapes[i], &options, &error), &error);
            const double usual = options.height;
            if (k == 1)
                CHECK_OK(pl_generate_set_number(shapes[i], &options, "height", 4.0 * usual, &error),
                         &error);
            if (k == 2) options.edge = 0.1 * usual; // given: it stays as it is
            CHECK_OK(pl_generate(shapes[i], &options, &meshes[k], &error), &error);
        }
        CHECK_INT(meshes[1]->tet_count, meshes[0]->tet_count);
        CHECK_INT(meshes[1]->vertex_count, meshes[0]->vertex_count);
        for (int v = 0; v < 3 * meshes[0]->vertex_count; v += 17)
            CHECK_NEAR(meshes[1]->positions[v], 4.0 * meshes[0]->positions[v], 1e-9);
        CHECK(meshes[2]->vertex_count < meshes[0]->vertex_count / 2);
        for (int k = 0; k < 3; k++) pl_mesh_destroy(meshes[k]);
    }
}

// lines may be broken anywhere
static void join_lines(char* text) {
    for (; *text; text++)
        if (*text == '\n') *text = ' ';
}

TEST(generate_document_tells_what_the_table_holds)
{
    static char document[65536];
    FILE* file = fopen(PL_TEST_SOURCE_DIR "/docs/meshes.md", "rb");
    CHECK(file);
    size_t size = fread(document, 1, sizeof(document) - 1, file);
    fclose(file);
    document[size] = 0;
    join_lines(document);
    for (int g = 0; g < pl_generator_count(); g++) {
        char text[4096];
        describe(pl_generator_at(g), text, sizeof(text));
        join_lines(text);
        if (!strstr(document, text))
            pl_test_fail(__FILE__, __LINE__, "docs/meshes.md lacks this, or has it otherwise:\n%s",
                         text);
    }
}
