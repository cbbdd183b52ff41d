// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The table of generators: names, and parameters with defaults and ranges; and functions that look
// them up, check and set them.
#include "mesh/generator.h"
#include "mesh/text_scan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELD_NUMBER(kind, key, unit, choices, help) FIELD_##key,
enum { PL_GENERATE_FIELD_LIST(FIELD_NUMBER) FIELD_COUNT };

#define FIELD_ENTRY(kind, key, unit, choices, help)                                                \
    {#key, PL_PARAMETER_##kind, offsetof(pl_generate_options, key), unit, choices, help},
static const pl_generator_field fields[FIELD_COUNT] = {PL_GENERATE_FIELD_LIST(FIELD_ENTRY)};

// key, default and range; all lengths have one range, and all counts
#define RANGED(key, preset, low, high)                                                             \
    { &fields[FIELD_##key], preset, low, high, false }
#define LENGTH(key, preset) RANGED(key, preset, 1e-9, 1e9)
// creatures: the edge is in proportion to the height
#define CREATURE(edge_preset, height_preset)                                                       \
    {&fields[FIELD_edge], edge_preset, 0, 1e9, true}, LENGTH(height, height_preset)
#define COUNT(key) RANGED(key, 0, 0, 1e8)
#define SEED RANGED(seed, 1, 0, 2147483647)
#define CELLS                                                                                      \
    COUNT(count_x), COUNT(count_y), COUNT(count_z), RANGED(pattern, PL_PATTERN_BCC, 0, 2),         \
        RANGED(jitter, 0, 0, 0.2), SEED
#define SIDES "triangles x_min x_max y_min y_max z_min z_max"

typedef pl_status (*generate_function)(const pl_generate_options* options, pl_mesh** out,
                                       pl_error* error);
typedef struct entry {
    pl_generator generator;
    generate_function function;
} entry;

// name, what it is, regions, parameters
#define GENERATOR_LIST(X)                                                                          \
    X(box, "block from the origin to (size_x, size_y, size_z)", SIDES, LENGTH(edge, 0.1),          \
      LENGTH(size_x, 1), LENGTH(size_y, 1), LENGTH(size_z, 1), CELLS)                              \
    X(bar, "long block whose ends are named", SIDES "; vertices left right", LENGTH(edge, 0.1),    \
      LENGTH(size_x, 4), LENGTH(size_y, 1), LENGTH(size_z, 1), RANGED(end_length, 0, 0, 1e9),      \
      CELLS)                                                                                       \
    X(cylinder, "round bar along z from z = 0", "triangles side bottom top", LENGTH(edge, 0.1),    \
      LENGTH(radius, 0.5), LENGTH(height, 1))                                                      \
    X(tube, "hollow cylinder along z from z = 0", "triangles inner outer bottom top ends",         \
      LENGTH(edge, 0.1), LENGTH(inner_radius, 0.5), LENGTH(outer_radius, 1), LENGTH(height, 1))    \
    X(sphere, "ball around the origin", "triangles surface", LENGTH(edge, 0.1),                    \
      LENGTH(radius, 0.5))                                                                         \
    X(shell, "hollow ball around the origin", "triangles inner outer", LENGTH(edge, 0.1),          \
      LENGTH(inner_radius, 0.5), LENGTH(outer_radius, 1))                                          \
    X(panel, "tapered panel, Cook's membrane", SIDES, LENGTH(edge, 1), LENGTH(size_x, 48),         \
      LENGTH(left_height, 44), RANGED(right_low, 44, -1e9, 1e9),                                   \
      RANGED(right_high, 60, -1e9, 1e9), LENGTH(thickness, 1), COUNT(count_x), COUNT(count_y),     \
      COUNT(count_z), RANGED(pattern, PL_PATTERN_BCC, 0, 2))                                       \
    X(torus, "ring around the z axis", "triangles surface", LENGTH(edge, 0.1),                     \
      LENGTH(radius, 0.25), LENGTH(ring_radius, 1))                                                \
    X(cloth, "grid of triangles in the plane z = 0", "vertices x_min x_max y_min y_max corners",   \
      LENGTH(edge, 0.02), LENGTH(size_x, 1), LENGTH(size_y, 1), COUNT(count_x), COUNT(count_y),    \
      RANGED(diagonals, PL_DIAGONALS_ALTERNATING, 0, 1))                                           \
    X(cloth_irregular, "triangles in the plane z = 0 that favour no direction",                    \
      "vertices x_min x_max y_min y_max corners", LENGTH(edge, 0.02), LENGTH(size_x, 1),           \
      LENGTH(size_y, 1), SEED)                                                                     \
    X(gummy_bear, "gummy bear that stands on y = 0 and looks along z",                             \
      "triangles surface soles; parts "                                                            \
      "body belly chest head muzzle ear_left ear_right leg_left leg_right foot_left "              \
      "foot_right arm_left arm_right paw_left paw_right tail nose eye_left eye_right",             \
      CREATURE(0.004, 0.1))                                                                        \
    X(bunny, "rabbit that sits on y = 0 and looks along z",                                        \
      "triangles surface soles; parts "                                                            \
      "body chest head muzzle muzzle_left muzzle_right nose eye_left eye_right ear_left "          \
      "ear_right haunch_left haunch_right foot_left foot_right arm_left arm_right paw_left "       \
      "paw_right tail",                                                                            \
      CREATURE(0.003, 0.1))                                                                        \
    X(octopus, "octopus that stands on y = 0 and looks along z",                                   \
      "triangles surface soles; parts "                                                            \
      "head skirt eye_left eye_right arm_1 arm_2 arm_3 arm_4 arm_5 arm_6 arm_7 arm_8",             \
      CREATURE(0.003, 0.1))                                                                        \
    X(dragon, "dragon that stands on y = 0 and looks along z",                                     \
      "triangles surface soles; parts "                                                            \
      "body chest belly hip neck head snout jaw snout_left snout_right eye_left eye_right "        \
      "head_left head_right horn_left horn_right ear_left ear_right wing_left wing_right "         \
      "arm_left arm_right hand_left hand_right leg_left leg_right foot_left foot_right tail "      \
      "tail_tip scales",                                                                           \
      CREATURE(0.0025, 0.1))                                                                       \
    X(armadillo, "figure like an armadillo that stands on y = 0",                                  \
      "triangles surface soles; parts "                                                            \
      "body shell belly hip neck head snout nose ear_left ear_right eye_left eye_right "           \
      "arm_left arm_right forearm_left forearm_right hand_left hand_right thigh_left "             \
      "thigh_right shin_left shin_right foot_left foot_right tail",                                \
      CREATURE(0.0022, 0.1))                                                                       \
    X(human, "human-like figure that stands on y = 0",                                             \
      "triangles surface soles; parts "                                                            \
      "chest shoulder_left shoulder_right belly hip neck head nose ear_left ear_right "            \
      "arm_left arm_right forearm_left forearm_right hand_left hand_right thigh_left "             \
      "thigh_right shin_left shin_right foot_left foot_right",                                     \
      CREATURE(0.03, 1.7))                                                                         \
    X(hand, "right hand that stands on its wrist on y = 0, with the palm along z",                 \
      "triangles surface soles; parts palm wrist thumb index middle ring little",                  \
      CREATURE(0.0035, 0.19))                                                                      \
    X(dress, "cloth around the human of that height, from the chest to the knees",                 \
      "vertices top waist hem", CREATURE(0.02, 1.7))                                               \
    X(car, "car that stands on y = 0 and drives along z",                                          \
      "triangles surface; parts "                                                                  \
      "body cabin hood light_left light_right bumper_left bumper_right axle "                      \
      "wheel_front_left wheel_front_right wheel_back_left wheel_back_right",                       \
      CREATURE(0.08, 1.4))                                                                         \
    X(letter, "letter that stands on y = 0",                                                       \
      "triangles surface; parts "                                                                  \
      "letter",                                                                                    \
      CREATURE(0.005, 0.1), RANGED(letter, 0, 0, 25))                                              \
    X(icosphere, "triangles on a sphere around the origin", "none", LENGTH(edge, 0.1),             \
      LENGTH(radius, 0.5), COUNT(frequency))

#define ENTRY(name, summary, regions, ...)                                                         \
    {{#name, summary, regions, {__VA_ARGS__}}, pl_generate_##name},
static const entry entries[] = {GENERATOR_LIST(ENTRY)};
enum { ENTRY_COUNT = sizeof(entries) / sizeof(entries[0]) };

int pl_generator_count(void) { return ENTRY_COUNT; }

const pl_generator* pl_generator_at(int index) {
    return index >= 0 && index < ENTRY_COUNT ? &entries[index].generator : NULL;
}

// appends to a text of fixed size, truncating it
static void append(char* text, size_t size, const char* part) {
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length ? ", " : "", part);
}

pl_status pl_generator_find(const char* name, const pl_generator** out, pl_error* error) {
    *out = NULL;
    char names[512] = "";
    for (int i = 0; i < ENTRY_COUNT && !*out; i++) {
        if (name && strcmp(entries[i].generator.name, name) == 0) *out = &entries[i].generator;
        append(names, sizeof(names), entries[i].generator.name);
    }
    if (*out) return PL_OK;
    return pl_fail(error, PL_ERROR_ARGUMENT, "there is no generator \"%s\"; there are: %s",
                   name ? name : "", names);
}

// ---- values

static double get_value(const pl_generate_options* options, const pl_generator_field* field) {
    const char* at = (const char*)options + field->offset;
    return field->kind == PL_PARAMETER_DOUBLE ? *(const double*)at : *(const int*)at;
}

static void set_value(pl_generate_options* options, const pl_generator_field* field, double value) {
    char* at = (char*)options + field->offset;
    if (field->kind == PL_PARAMETER_DOUBLE) *(double*)at = value;
    else *(int*)at = (int)value;
}

static pl_status check_value(const pl_generator* generator, const pl_generator_parameter* p,
                             double value, pl_error* error) {
    const pl_generator_field* f = p->field;
    const char* gap = *f->unit ? " " : "";
    if (!(value >= p->low && value <= p->high)) // also NaN
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%s: %s is %g%s%s; it must lie between %.10g and %.10g%s%s", generator->name,
                       f->key, value, gap, f->unit, p->low, p->high, gap, f->unit);
    if (f->kind != PL_PARAMETER_DOUBLE && value != floor(value))
        return pl_fail(error, PL_ERROR_ARGUMENT, "%s: %s is %g; it must be a whole number",
                       generator->name, f->key, value);
    return PL_OK;
}

pl_status pl_generate_defaults(const char* name, pl_generate_options* out, pl_error* error) {
    *out = (pl_generate_options){0};
    const pl_generator* generator;
    pl_status status = pl_generator_find(name, &generator, error);
    if (status != PL_OK) return status;
    for (const pl_generator_parameter* p = generator->parameters; p->field; p++)
        if (!p->with_height) set_value(out, p->field, p->preset);
    return PL_OK;
}

static pl_status find_parameter(const pl_generator* generator, const char* key,
                                const pl_generator_parameter** out, pl_error* error) {
    char keys[512] = "";
    for (*out = generator->parameters; (*out)->field; (*out)++) {
        if (strcmp((*out)->field->key, key) == 0) return PL_OK;
        append(keys, sizeof(keys), (*out)->field->key);
    }
    return pl_fail(error, PL_ERROR_ARGUMENT, "%s has no parameter \"%s\"; it takes: %s",
                   generator->name, key, keys);
}

pl_status pl_generate_set_number(const char* name, pl_generate_options* options, const char* key,
                                 double value, pl_error* error) {
    const pl_generator* generator;
    const pl_generator_parameter* parameter;
    pl_status status = pl_generator_find(name, &generator, error);
    if (status == PL_OK) status = find_parameter(generator, key, &parameter, error);
    if (status == PL_OK) status = check_value(generator, parameter, value, error);
    if (status == PL_OK) set_value(options, parameter->field, value);
    return status;
}

// the index of a word in a list separated by blanks, or -1
static int find_choice(const char* choices, const char* word) {
    size_t length = strlen(word);
    for (int number = 0; length > 0; number++) {
        size_t width = strcspn(choices, " ");
        if (width == length && strncmp(choices, word, length) == 0) return number;
        if (!choices[width]) break;
        choices += width + 1;
    }
    return -1;
}

// parses a text that is nothing but a number
static bool parse_number(const char* text, double* value) {
    char buffer[64 + PL_SOURCE_SLACK] = {0};
    size_t length = strlen(text);
    if (length >= 64) return false;
    memcpy(buffer, text, length);
    pl_source source = {.path = "", .data = buffer, .size = length};
    pl_scan scan = pl_scan_begin(&source);
    return pl_scan_double(&scan, value) && pl_scan_at_end(&scan);
}

pl_status pl_generate_set_text(const char* name, pl_generate_options* options, const char* key,
                               const char* value, pl_error* error) {
    const pl_generator* generator;
    const pl_generator_parameter* parameter;
    pl_status status = pl_generator_find(name, &generator, error);
    if (status == PL_OK) status = find_parameter(generator, key, &parameter, error);
    if (status != PL_OK) return status;
    double number;
    const char* choices = parameter->field->choices;
    if (choices) {
        number = find_choice(choices, value);
        if (number < 0)
            return pl_fail(error, PL_ERROR_ARGUMENT, "%s: %s is \"%.60s\"; it must be one of: %s",
                           name, key, value, choices);
    } else if (!parse_number(value, &number)) {
        return pl_fail(error, PL_ERROR_ARGUMENT, "%s: %s is \"%.60s\", which is not a number", name,
                       key, value);
    }
    return pl_generate_set_number(name, options, key, number, error);
}

// ---- generate

// sets lengths that are not given, in proportion to the height
static void settle(const pl_generator* generator, pl_generate_options* options) {
    double usual = 0.0;
    for (const pl_generator_parameter* p = generator->parameters; p->field; p++)
        if (strcmp(p->field->key, "height") == 0) usual = p->preset;
    for (const pl_generator_parameter* p = generator->parameters; p->field; p++)
        if (p->with_height && get_value(options, p->field) == 0.0)
            set_value(options, p->field, p->preset * options->height / usual);
}

pl_status pl_generate(const char* name, const pl_generate_options* options, pl_mesh** out,
                      pl_error* error) {
    *out = NULL;
    const pl_generator* generator;
    pl_generate_options own;
    pl_status status = pl_generator_find(name, &generator, error);
    if (status == PL_OK && options) own = *options;
    else if (status == PL_OK) status = pl_generate_defaults(name, &own, error);
    if (status != PL_OK) return status;
    for (const pl_generator_parameter* p = generator->parameters; p->field; p++) {
        status = check_value(generator, p, get_value(&own, p->field), error);
        if (status != PL_OK) return status;
    }
    settle(generator, &own);
    const entry* found = entries;
    while (&found->generator != generator) found++;
    status = found->function(&own, out, error);
    if (status != PL_OK) *out = NULL;
    return status;
}
