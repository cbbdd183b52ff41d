// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The reference part of docs/scene.md, from the tables.
#include "scene/combinations.h"
#include "scene/key_uses.h"
#include "scene/scene_text.h"
#include "scene/scene_type.h"

#include <math.h>
#include <pliant/generate.h>
#include <string.h>

static void add_link(pl_text* text, const char* name) {
    pl_text_format(text, "[%s](#%s)", name, name);
}

static void add_kind(pl_text* text, const pl_field_info* field) {
    const char* number = field->flags & PL_ANIMATED ? "number ~" : "number";
    switch (field->kind) {
    case PL_FIELD_BOOL: pl_text_add(text, "true or false"); break;
    case PL_FIELD_FLAG: pl_text_add(text, "true"); break;
    case PL_FIELD_INT: pl_text_add(text, "whole number"); break;
    case PL_FIELD_NUMBER: pl_text_add(text, number); break;
    case PL_FIELD_VECTOR:
        pl_text_format(text, "%s%d numbers%s", field->flags & PL_UNIFORM ? "1 or " : "",
                       field->width, field->flags & PL_ANIMATED ? " ~" : "");
        break;
    case PL_FIELD_CHOICE:
    case PL_FIELD_CHOICES:
        if (field->kind == PL_FIELD_CHOICES) pl_text_add(text, "list of: ");
        for (int i = 0; i < field->choices->count; i++)
            pl_text_format(text, "%s`%s`", i ? ", " : "", field->choices->items[i].name);
        break;
    case PL_FIELD_TEXT: pl_text_add(text, "text"); break;
    case PL_FIELD_FILE: pl_text_add(text, "file name"); break;
    case PL_FIELD_INTS: pl_text_add(text, "list of whole numbers"); break;
    case PL_FIELD_NUMBERS:
        if (field->width == 1) pl_text_add(text, "list of numbers");
        else pl_text_format(text, "list of lists of %d numbers", field->width);
        break;
    case PL_FIELD_TEXTS: pl_text_add(text, "list of texts"); break;
    case PL_FIELD_LIST:
        if (!(field->flags & PL_SINGLE)) pl_text_add(text, "list of ");
        add_link(text, field->type->name);
        break;
    case PL_FIELD_OBJECT:
    case PL_FIELD_OPTIONAL: add_link(text, field->type->name); break;
    }
}

static void add_range(pl_text* text, const pl_field_info* field) {
    bool numbers = field->kind == PL_FIELD_INT || field->kind == PL_FIELD_NUMBER ||
                   field->kind == PL_FIELD_VECTOR || field->kind == PL_FIELD_INTS ||
                   field->kind == PL_FIELD_NUMBERS;
    if (!numbers) return;
    pl_text_number(text, field->low);
    pl_text_add(text, " to ");
    pl_text_number(text, field->high);
}

static void add_default(pl_text* text, const pl_field_info* field) {
    bool number = field->kind == PL_FIELD_NUMBER || field->kind == PL_FIELD_VECTOR;
    bool missing = number && isnan(field->preset[0]);
    if (field->preset_text) pl_text_add(text, field->preset_text);
    else if (missing || (field->flags & PL_REQUIRED) || strcmp(field->key, "pliant") == 0)
        pl_text_add(text, "**required**");
    else if (field->flags & PL_VARIANT) return;
    else if (field->kind == PL_FIELD_BOOL)
        pl_text_add(text, field->preset[0] != 0.0 ? "true" : "false");
    else if (field->kind == PL_FIELD_CHOICE)
        pl_text_format(text, "`%s`", field->choices->items[(int)field->preset[0]].name);
    else if (field->kind == PL_FIELD_INT || number)
        for (int i = 0; i < (number ? field->width : 1); i++) {
            if (i > 0) pl_text_add(text, ", ");
            pl_text_number(text, field->preset[i]);
        }
}

static void add_row(pl_text* text, const pl_field_info* field) {
    pl_text_format(text, "| `%s`%s | ", field->key, field->flags & PL_VARIANT ? " *" : "");
    add_kind(text, field);
    pl_text_format(text, " | %s | ", field->unit);
    add_range(text, field);
    pl_text_add(text, " | ");
    add_default(text, field);
    pl_text_format(text, " | %s |\n", field->help);
}

static void add_type(pl_text* text, const pl_type* type) {
    pl_text_format(text, "\n### %s\n\n%s", type->name, type->help);
    if (type->shorthand)
        pl_text_format(text, " The value of `%s` may replace the whole object.", type->shorthand);
    if (type->variants)
        pl_text_format(text, " %s one of the keys marked with \\*.",
                       type->variant_required ? "It has exactly" : "It has at most");
    pl_text_add(text, "\n\n| key | value | unit | range | default | meaning |\n"
                      "|---|---|---|---|---|---|\n");
    for (int i = 0; i < type->field_count; i++)
        if (!(type->fields[i].flags & PL_HIDDEN)) add_row(text, &type->fields[i]);
}

// ---------------------------------------------------------------- choices

static bool has_help(const pl_choices* choices) {
    for (int i = 0; i < choices->count; i++)
        if (choices->items[i].help[0]) return true;
    return false;
}

static bool was_listed(int type_index, int field_index, const pl_choices* choices) {
    for (int t = 0; t <= type_index; t++) {
        const pl_type* type = pl_type_at(t);
        for (int f = 0; f < (t == type_index ? field_index : type->field_count); f++)
            if (type->fields[f].choices == choices) return true;
    }
    return false;
}

static bool is_missing(const pl_choices* choices, int value) {
    return choices == &pl_choices_of_pl_method && !pl_method_is_available((pl_method)value);
}

static void add_choices(pl_text* text) {
    pl_text_add(text, "\n## Choices\n");
    for (int t = 0; t < pl_type_count(); t++) {
        const pl_type* type = pl_type_at(t);
        for (int f = 0; f < type->field_count; f++) {
            const pl_choices* choices = type->fields[f].choices;
            if (!choices || !has_help(choices) || was_listed(t, f, choices)) continue;
            pl_text_format(text, "\n`%s` of [%s](#%s):\n\n", type->fields[f].key, type->name,
                           type->name);
            for (int i = 0; i < choices->count; i++)
                pl_text_format(text, "- `%s`%s%s%s\n", choices->items[i].name,
                               choices->items[i].help[0] ? ": " : "", choices->items[i].help,
                               is_missing(choices, i) ? " (not in this version)" : "");
        }
    }
}

// ---------------------------------------------------------------- shapes, combinations

static void add_shape(pl_text* text, const pl_generator* generator) {
    pl_text_format(text, "\n`%s`: %s. Regions: %s.\n\n", generator->name, generator->summary,
                   generator->regions && generator->regions[0] ? generator->regions : "none");
    pl_text_add(text, "| key | unit | range | default | meaning |\n|---|---|---|---|---|\n");
    for (const pl_generator_parameter* p = generator->parameters; p->field; p++) {
        pl_text_format(text, "| `%s` | %s | ", p->field->key, p->field->unit);
        if (p->field->choices) {
            const char* word = p->field->choices;
            for (int skip = (int)p->preset; skip > 0; skip--) word += strcspn(word, " ") + 1;
            pl_text_format(text, "%s | %.*s", p->field->choices, (int)strcspn(word, " "), word);
        } else {
            pl_text_number(text, p->low);
            pl_text_add(text, " to ");
            pl_text_number(text, p->high);
            pl_text_add(text, " | ");
            pl_text_number(text, p->preset);
        }
        pl_text_format(text, " | %s |\n", p->field->help);
    }
}

static void add_mask(pl_text* text, unsigned mask, const pl_choices* choices) {
    for (int v = 0, count = 0; v < choices->count; v++)
        if (mask >> v & 1u)
            pl_text_format(text, "%s%s", count++ ? ", " : "", choices->items[v].name);
    pl_text_add(text, " | ");
}

static void add_combinations(pl_text* text) {
    const pl_choices* choices[PL_COMBINE_COUNT] = {
        &pl_choices_of_pl_method,    &pl_choices_of_pl_body_kind,  &pl_choices_of_pl_law,
        &pl_choices_of_pl_nonlinear, &pl_choices_of_pl_integrator, &pl_choices_of_pl_linear};
    pl_text_add(text, "\n## What goes together\n\nAll choices of a row can be combined; a "
                      "combination that is in no row is refused. `auto` picks the first of these "
                      "that the row has: law stable_neohookean, corotated or springs; newton or "
                      "projective; euler; multigrid or gauss-seidel.\n\n| method | kind | law | "
                      "nonlinear | integrator | linear |\n|---|---|---|---|---|---|\n");
    for (int r = 0; r < pl_combination_count(); r++) {
        pl_text_add(text, "| ");
        for (int k = 0; k < PL_COMBINE_COUNT; k++)
            add_mask(text, pl_combination_at(r)->masks[k], choices[k]);
        pl_text_add(text, "\n");
    }
    pl_text_add(text, "\n`eigenfit` works with solids in motion, method fem and nonlinear newton "
                      "or linearised.\n");
    pl_text_add(text, "\nOnly method mixed supports a Poisson's ratio of 0.5.\n");
}

enum { DOCS_COLUMNS = 120 };

// The last blank at which a line may be broken, or 0. The rest must not start a list or a table.
static size_t find_break(const char* line) {
    for (size_t k = DOCS_COLUMNS; k > 0; k--)
        if (line[k] == ' ' && !strchr("-+*#|>", line[k + 1])) return k;
    return 0;
}

// Breaks lines of prose that are too long; rows of tables stay whole.
static void wrap_lines(char* line) {
    while (*line) {
        size_t length = strcspn(line, "\n");
        size_t end = length > DOCS_COLUMNS && *line != '|' ? find_break(line) : 0;
        if (end) line[end] = '\n', length = end;
        line += length;
        line += *line == '\n';
    }
}

pl_status pl_scene_docs(pl_text* text, pl_error* error) {
    pl_text_add(text, "## Keys\n\nUnits are SI, angles are degrees. A number marked with ~ may be "
                      "replaced by a [curve](#curve), which makes it change with time. Every "
                      "object may have a key `comment`, which is ignored.\n");
    for (int i = 0; i < pl_type_count(); i++) {
        const pl_type* type = pl_type_at(i);
        if (type != &pl_type_maker_value && type != &pl_type_animation) add_type(text, type);
    }
    add_choices(text);
    pl_text_add(text, "\n## Generated shapes\n");
    for (int i = 0; i < pl_generator_count(); i++) add_shape(text, pl_generator_at(i));
    add_combinations(text);
    pl_key_uses_docs(text);
    if (!pl_text_get(text)) return pl_fail_memory(error, "the reference");
    text->bytes.count--; // the zero at the end is not part of the text
    wrap_lines(text->bytes.data);
    return PL_OK;
}
