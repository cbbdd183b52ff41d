// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The JSON Schema (draft 7, which editors know best) of scene files, from the tables.
#include "scene/key_uses.h"
#include "scene/scene_text.h"
#include "scene/scene_type.h"

#include <math.h>
#include <pliant/generate.h>
#include <stdio.h>
#include <string.h>

static void add_range(pl_text* text, double low, double high) {
    pl_text_add(text, ", \"minimum\": ");
    pl_text_number(text, low);
    pl_text_add(text, ", \"maximum\": ");
    pl_text_number(text, high);
}

static void add_reference(pl_text* text, const pl_type* type) {
    pl_text_format(text, "{\"$ref\": \"#/definitions/%s\"}", type->name);
}

static void add_number(pl_text* text, const pl_field_info* field) {
    bool animated = (field->flags & PL_ANIMATED) != 0;
    pl_text_add(text, animated ? "{\"anyOf\": [{\"type\": \"number\"" : "{\"type\": \"number\"");
    add_range(text, field->low, field->high);
    pl_text_add(text, "}");
    if (!animated) return;
    pl_text_add(text, ", ");
    add_reference(text, &pl_type_curve);
    pl_text_add(text, "]}");
}

static void add_array(pl_text* text, int count) {
    pl_text_add(text, "{\"type\": \"array\"");
    if (count > 0) pl_text_format(text, ", \"minItems\": %d, \"maxItems\": %d", count, count);
    pl_text_add(text, ", \"items\": ");
}

static void add_vector(pl_text* text, const pl_field_info* field) {
    bool uniform = (field->flags & PL_UNIFORM) != 0;
    if (uniform) pl_text_add(text, "{\"anyOf\": [");
    if (uniform) add_number(text, field);
    if (uniform) pl_text_add(text, ", ");
    add_array(text, field->width);
    add_number(text, field);
    pl_text_add(text, uniform ? "}]}" : "}");
}

static void add_choice(pl_text* text, const pl_choices* choices) {
    pl_text_add(text, "{\"enum\": [");
    for (int i = 0; i < choices->count; i++) {
        if (i > 0) pl_text_add(text, ", ");
        pl_choice_write(text, choices, i);
    }
    pl_text_add(text, "]}");
}

static void add_int(pl_text* text, const pl_field_info* field) {
    pl_text_add(text, "{\"type\": \"integer\"");
    add_range(text, field->low, field->high);
    pl_text_add(text, "}");
}

static void add_item(pl_text* text, const pl_field_info* field) {
    pl_field_info group = {.width = field->width, .low = field->low, .high = field->high};
    switch (field->kind) {
    case PL_FIELD_INTS: add_int(text, field); break;
    case PL_FIELD_CHOICES: add_choice(text, field->choices); break;
    case PL_FIELD_NUMBERS:
        if (field->width == 1) add_number(text, &group);
        else add_vector(text, &group);
        break;
    case PL_FIELD_TEXTS: pl_text_add(text, "{\"type\": \"string\"}"); break;
    default: add_reference(text, field->type); break;
    }
}

// lists of plain values may be written as one value
static void add_list(pl_text* text, const pl_field_info* field) {
    if (field->flags & PL_SINGLE) {
        add_reference(text, field->type);
        return;
    }
    bool single = field->kind != PL_FIELD_LIST && field->width <= 1;
    if (single) pl_text_add(text, "{\"anyOf\": [");
    if (single) add_item(text, field);
    if (single) pl_text_add(text, ", ");
    add_array(text, 0);
    add_item(text, field);
    pl_text_add(text, single ? "}]}" : "}");
}

static void add_value(pl_text* text, const pl_field_info* field) {
    switch (field->kind) {
    case PL_FIELD_BOOL: pl_text_add(text, "{\"type\": \"boolean\"}"); break;
    case PL_FIELD_FLAG: pl_text_add(text, "{\"const\": true}"); break;
    case PL_FIELD_INT: add_int(text, field); break;
    case PL_FIELD_NUMBER: add_number(text, field); break;
    case PL_FIELD_VECTOR: add_vector(text, field); break;
    case PL_FIELD_CHOICE: add_choice(text, field->choices); break;
    case PL_FIELD_TEXT:
    case PL_FIELD_FILE: pl_text_add(text, "{\"type\": \"string\"}"); break;
    case PL_FIELD_OBJECT:
    case PL_FIELD_OPTIONAL: add_reference(text, field->type); break;
    default: add_list(text, field); break;
    }
}

static void add_default(pl_text* text, const pl_field_info* field) {
    if (isnan(field->preset[0]) || (field->flags & PL_VARIANT)) return;
    const char* begin = ", \"default\": ";
    switch (field->kind) {
    case PL_FIELD_BOOL:
        pl_text_format(text, "%s%s", begin, field->preset[0] ? "true" : "false");
        break;
    case PL_FIELD_INT: pl_text_format(text, "%s%.0f", begin, field->preset[0]); break;
    case PL_FIELD_NUMBER:
        pl_text_add(text, begin);
        pl_text_number(text, field->preset[0]);
        break;
    case PL_FIELD_VECTOR:
        for (int i = 0; i < field->width; i++) {
            pl_text_add(text, i == 0 ? begin : ", ");
            if (i == 0) pl_text_add(text, "[");
            pl_text_number(text, field->preset[i]);
        }
        pl_text_add(text, "]");
        break;
    case PL_FIELD_CHOICE:
        pl_text_add(text, begin);
        pl_choice_write(text, field->choices, (int)field->preset[0]);
        break;
    default: break;
    }
}

// methods that read a key of a body, or of an object in it; "" for all
static void find_readers(const pl_type* type, const char* key, char* text, size_t size) {
    text[0] = '\0';
    if (type == &pl_type_body) pl_key_readers(key, text, size);
    for (int i = 0; i < pl_type_body.field_count; i++) {
        const pl_field_info* object = &pl_type_body.fields[i];
        char path[128];
        if (object->kind != PL_FIELD_OBJECT || object->type != type) continue;
        snprintf(path, sizeof path, "%s.%s", object->key, key);
        pl_key_readers(path, text, size);
    }
}

// description and default accompany the constraints of the value
static void add_property(pl_text* text, const pl_type* type, const pl_field_info* field) {
    char help[1024], readers[400];
    bool unit = field->unit[0] != '\0', preset = field->preset_text != NULL;
    find_readers(type, field->key, readers, sizeof readers);
    snprintf(help, sizeof help, "%s%s%s%s%s%s%s%s", field->help, unit ? " [" : "", field->unit,
             unit ? "]" : "", preset ? "; default: " : "", preset ? field->preset_text : "",
             readers[0] ? "; read by " : "", readers);
    pl_text_line(text, 4);
    pl_text_format(text, "\"%s\": {\"description\": ", field->key);
    pl_text_quote(text, help);
    add_default(text, field);
    pl_text_add(text, ", \"allOf\": [");
    add_value(text, field);
    pl_text_add(text, "]}");
}

static void add_required(pl_text* text, const pl_type* type) {
    int count = 0;
    for (int i = 0; i < type->field_count; i++) {
        const pl_field_info* field = &type->fields[i];
        bool number = field->kind == PL_FIELD_NUMBER || field->kind == PL_FIELD_VECTOR;
        bool missing = number && isnan(field->preset[0]) && !(field->flags & PL_AUTO);
        bool version = strcmp(field->key, "pliant") == 0;
        if (!missing && !version && !(field->flags & PL_REQUIRED)) continue;
        pl_text_add(text, count++ == 0 ? ", \"required\": [" : ", ");
        pl_text_quote(text, field->key);
    }
    if (count > 0) pl_text_add(text, "]");
}

static void add_variants(pl_text* text, const pl_type* type) {
    if (!type->variants) return;
    char any[1024] = "";
    pl_text_add(text, ",");
    pl_text_line(text, 3);
    pl_text_add(text, "\"oneOf\": [");
    for (int i = 0, count = 0; i < type->field_count; i++) {
        if (!(type->fields[i].flags & PL_VARIANT)) continue;
        char one[128];
        snprintf(one, sizeof one, "%s{\"required\": [\"%s\"]}", count++ ? ", " : "",
                 type->fields[i].key);
        pl_text_add(text, one);
        strncat(any, one, sizeof any - strlen(any) - 1);
    }
    if (!type->variant_required) pl_text_format(text, ", {\"not\": {\"anyOf\": [%s]}}", any);
    pl_text_add(text, "]");
}

static void add_parameter(pl_text* text, const pl_generator_parameter* p) {
    pl_text_format(text, ", \"%s\": {\"description\": \"%s%s%s%s\"", p->field->key, p->field->help,
                   p->field->unit[0] ? " [" : "", p->field->unit, p->field->unit[0] ? "]" : "");
    if (p->field->choices) {
        pl_text_add(text, ", \"enum\": [");
        const char* word = p->field->choices;
        for (int i = 0; *word; i++) {
            size_t size = strcspn(word, " ");
            pl_text_format(text, "%s\"%.*s\"", i ? ", " : "", (int)size, word);
            word += size + (word[size] == ' ');
        }
        pl_text_add(text, "]}");
        return;
    }
    pl_text_format(text, ", \"type\": \"%s\"",
                   p->field->kind == PL_PARAMETER_INT ? "integer" : "number");
    add_range(text, p->low, p->high);
    pl_text_add(text, ", \"default\": ");
    pl_text_number(text, p->preset);
    pl_text_add(text, "}");
}

// each shape allows its own parameters
static void add_shapes(pl_text* text) {
    pl_text_add(text, ",");
    pl_text_line(text, 3);
    pl_text_add(text, "\"oneOf\": [");
    for (int i = 0; i < pl_generator_count(); i++) {
        const pl_generator* generator = pl_generator_at(i);
        if (i > 0) pl_text_add(text, ",");
        pl_text_line(text, 4);
        pl_text_format(text,
                       "{\"description\": \"%s\", \"additionalProperties\": false, "
                       "\"properties\": {\"comment\": true, \"shape\": {\"const\": \"%s\"}",
                       generator->summary, generator->name);
        for (const pl_generator_parameter* p = generator->parameters; p->field; p++)
            add_parameter(text, p);
        pl_text_add(text, "}}");
    }
    pl_text_add(text, "]");
}

// constraints of an object of the type, without the opening bracket
static void add_body(pl_text* text, const pl_type* type) {
    pl_text_add(text, "\"type\": \"object\"");
    add_required(text, type);
    if (!type->open) pl_text_add(text, ", \"additionalProperties\": false");
    add_variants(text, type);
    if (type->open) add_shapes(text);
    pl_text_add(text, ",");
    pl_text_line(text, 3);
    pl_text_add(text, "\"properties\": {");
    pl_text_line(text, 4);
    pl_text_add(text, "\"comment\": {\"description\": \"for people; ignored\"}");
    for (int i = 0; i < type->field_count; i++) {
        if (type->fields[i].flags & PL_HIDDEN) continue;
        pl_text_add(text, ",");
        add_property(text, type, &type->fields[i]);
    }
    if (type == &pl_type_scene) {
        pl_text_add(text, ",");
        pl_text_line(text, 4);
        pl_text_add(text, "\"$schema\": {\"type\": \"string\"},");
        pl_text_line(text, 4);
        pl_text_add(text, "\"include\": {\"description\": \"files to include; this one overrides "
                          "them\", \"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", "
                          "\"items\": {\"type\": \"string\"}}]}");
    }
    pl_text_add(text, "}}");
}

static void add_type(pl_text* text, const pl_type* type) {
    pl_text_line(text, 2);
    pl_text_format(text, "\"%s\": {\"description\": ", type->name);
    pl_text_quote(text, type->help);
    if (!type->shorthand) {
        pl_text_add(text, ", ");
        add_body(text, type);
        return;
    }
    pl_text_add(text, ", \"anyOf\": [{");
    add_body(text, type);
    pl_text_add(text, ", ");
    add_value(text, pl_type_field(type, type->shorthand));
    pl_text_add(text, "]}");
}

pl_status pl_scene_schema(pl_text* text, pl_error* error) {
    pl_text_add(text, "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
                      "  \"title\": \"pliant scene\",\n"
                      "  \"allOf\": [{\"$ref\": \"#/definitions/scene\"}],\n"
                      "  \"definitions\": {");
    bool first = true;
    for (int i = 0; i < pl_type_count(); i++) {
        const pl_type* type = pl_type_at(i);
        if (type == &pl_type_maker_value || type == &pl_type_animation) continue;
        if (!first) pl_text_add(text, ",");
        first = false;
        add_type(text, type);
    }
    pl_text_add(text, "\n  }\n}\n");
    return text->failed ? pl_fail_memory(error, "the schema") : PL_OK;
}
