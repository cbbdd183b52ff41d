// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "scene/scene_rules.h"

#include <math.h>
#include <pliant/generate.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// records the problem at the current path, followed by a key if there is one
PL_PRINTF(3, 4)
pl_status pl_check_fail(pl_checker* c, const char* key, const char* format, ...) {
    size_t before = key ? pl_path_push_key(&c->path, key) : c->path.size;
    memcpy(c->problem->path, c->path.text, sizeof c->problem->path);
    pl_path_pop(&c->path, before);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->problem->text, sizeof c->problem->text, format, arguments);
    va_end(arguments);
    return PL_ERROR_FORMAT;
}

static pl_status check_number(pl_checker* c, const pl_field_info* field, double value) {
    const char* blank = field->unit[0] ? " " : "";
    if (isnan(value) && (field->flags & PL_AUTO)) return PL_OK;
    if (isnan(value)) return pl_check_fail(c, NULL, "is missing: %s", field->help);
    if (value < field->low || value > field->high)
        return pl_check_fail(c, NULL, "is %g; it must be from %g to %g%s%s", value, field->low,
                             field->high, blank, field->unit);
    return PL_OK;
}

pl_status pl_check_numbers(pl_checker* c, const pl_field_info* field, const double* values,
                           size_t count) {
    for (size_t i = 0; i < count; i++) {
        pl_status status = check_number(c, field, values[i]);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static bool is_zero(const double v[3]) { return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0; }

pl_status pl_check_direction(pl_checker* c, const char* key, const double v[3]) {
    return is_zero(v) ? pl_check_fail(c, key, "is zero; a direction must not be zero") : PL_OK;
}

pl_status pl_check_gradient(pl_checker* c, const void* object) {
    const pl_gradient* gradient = object;
    if (gradient->spacing == PL_SPACING_LOGARITHMIC && (gradient->from <= 0 || gradient->to <= 0))
        return pl_check_fail(c, "spacing",
                             "logarithmic needs both ends above 0, they are %g and %g",
                             gradient->from, gradient->to);
    return pl_check_direction(c, "direction", gradient->direction);
}

pl_status pl_check_variation(pl_checker* c, const void* object) {
    const pl_variation* variation = object;
    const pl_field_info* field =
        pl_type_field(&pl_type_material, pl_material_key_name(variation->parameter));
    if (variation->kind != PL_VARIATION_GRADIENT) return PL_OK;
    size_t before = pl_path_push_key(&c->path, "gradient");
    const double ends[2] = {variation->gradient.from, variation->gradient.to};
    pl_status status = pl_check_numbers(c, field, ends, 2);
    pl_path_pop(&c->path, before);
    return status;
}

pl_status pl_check_material(pl_checker* c, const void* object) {
    const pl_material_def* m = object;
    bool has_lambda = !isnan(m->lambda), has_bulk = !isnan(m->bulk);
    if (!isnan(m->mu) && has_lambda == has_bulk)
        return pl_check_fail(c, "mu", "needs one of lambda and bulk");
    if (isnan(m->mu) && (has_lambda || has_bulk))
        return pl_check_fail(c, has_lambda ? "lambda" : "bulk",
                             "needs mu; give that too, or young and poisson instead of both");
    double mu, lambda;
    pl_material_def_lame(m, &mu, &lambda);
    if (!(3.0 * lambda + 2.0 * mu > 0.0))
        return pl_check_fail(c,
                             has_bulk     ? "bulk"
                             : has_lambda ? "lambda"
                                          : "poisson",
                             "makes the bulk modulus %g Pa; it must be above 0",
                             lambda + 2.0 / 3.0 * mu);
    return PL_OK;
}

static pl_status check_keys(pl_checker* c, const double* times, size_t stride, int count) {
    for (int k = 1; k < count; k++)
        if (!(times[(size_t)k * stride] > times[(size_t)(k - 1) * stride]))
            return pl_check_fail(
                c, "keyframes", "key %d is at %g s, not after key %d at %g s; put them in order", k,
                times[(size_t)k * stride], k - 1, times[(size_t)(k - 1) * stride]);
    return PL_OK;
}

pl_status pl_check_motion(pl_checker* c, const void* object) {
    const pl_motion* motion = object;
    if (motion->spin_rate != 0.0 && is_zero(motion->spin_axis))
        return pl_check_fail(c, "spin_axis", "is zero; a direction must not be zero");
    if (motion->key_count == 0) return PL_OK;
    return check_keys(c, &motion->keys[0].time, sizeof(pl_pose_key) / sizeof(double),
                      motion->key_count);
}

pl_status pl_check_curve(pl_checker* c, const void* object) {
    const pl_curve* curve = object;
    return check_keys(c, curve->keys, 2, curve->key_count);
}

pl_status pl_check_selection(pl_checker* c, const void* object) {
    const pl_selection* s = object;
    bool combines = s->kind == PL_SELECT_AND || s->kind == PL_SELECT_OR || s->kind == PL_SELECT_NOT;
    if (combines && s->part_count == 0)
        return pl_check_fail(c, NULL, "\"%s\" needs a selection in it",
                             pl_selection_kind_name(s->kind));
    if (s->kind == PL_SELECT_NOT && s->part_count != 1)
        return pl_check_fail(c, NULL, "\"not\" takes one selection, it has %d", s->part_count);
    if (s->kind == PL_SELECT_VERTICES && s->vertex_count == 0)
        return pl_check_fail(c, "vertices", "is empty; name at least one vertex");
    return PL_OK;
}

static pl_status check_times(pl_checker* c, double from, double until) {
    if (isnan(until) || until > from) return PL_OK;
    return pl_check_fail(c, "until", "is %g s, not after from (%g s)", until, from);
}

static pl_status check_hold(pl_checker* c, const pl_attachment* a) {
    for (int i = 0; i < a->hold_count; i++)
        for (int k = 0; k < i; k++)
            if (a->hold[i] == a->hold[k])
                return pl_check_fail(c, "hold", "has %s twice; name each axis once",
                                     pl_axis_name((int)a->hold[i]));
    if (isnan(a->normal[0])) return PL_OK;
    if (a->hold_count) return pl_check_fail(c, "normal", "replaces hold; give one of the two");
    return pl_check_direction(c, "normal", a->normal);
}

pl_status pl_check_attachment(pl_checker* c, const void* object) {
    const pl_attachment* a = object;
    pl_status status = check_times(c, a->from, a->until);
    return status == PL_OK ? check_hold(c, a) : status;
}

pl_status pl_check_force(pl_checker* c, const void* object) {
    const pl_force* force = object;
    return check_times(c, force->from, force->until);
}

static pl_status check_levels(pl_checker* c, const pl_body* body) {
    const pl_multigrid* m = &body->multigrid;
    for (int i = 1; i < m->level_count; i++)
        if (m->levels[i] <= m->levels[i - 1])
            return pl_check_fail(c, "levels",
                                 "%d comes after %d; the coarsest comes first and each is finer",
                                 m->levels[i], m->levels[i - 1]);
    return PL_OK;
}

// fem and mixed use the same step
bool pl_has_fem_step(const pl_body* body) {
    return body->method == PL_METHOD_FEM || body->method == PL_METHOD_MIXED;
}

static pl_status check_mass(pl_checker* c, const pl_body* body) {
    if (body->mass == PL_MASS_LUMPED || pl_has_fem_step(body)) return PL_OK;
    return pl_check_fail(c, "mass", "\"%s\" does not work with method \"%s\"; use \"lumped\"",
                         pl_mass_name((int)body->mass), pl_method_name((int)body->method));
}

static pl_status check_render(pl_checker* c, const pl_body* body) {
    if (!(body->render.edge > 0.0)) return PL_OK;
    if (body->shape != PL_SHAPE_GENERATE)
        return pl_check_fail(
            c, "render.edge",
            "works only with \"generate\"; for other bodies, name a mesh in render.surface");
    if (body->render.surface && body->render.surface[0])
        return pl_check_fail(c, "render.edge", "and render.surface exclude one another");
    return PL_OK;
}

pl_status pl_check_body(pl_checker* c, const void* object) {
    const pl_body* body = object;
    pl_status status = check_mass(c, body);
    if (status == PL_OK) status = check_render(c, body);
    return status == PL_OK ? check_levels(c, body) : status;
}

pl_status pl_check_maker(pl_checker* c, const void* object) {
    const pl_shape_maker* maker = object;
    pl_generate_options options;
    pl_error error;
    if (pl_generate_defaults(maker->shape, &options, &error) != PL_OK)
        return pl_check_fail(c, "shape", "%s", error.text);
    for (int i = 0; i < maker->value_count; i++) {
        const pl_shape_value* v = &maker->values[i];
        pl_status status =
            v->word ? pl_generate_set_text(maker->shape, &options, v->key, v->word, &error)
                    : pl_generate_set_number(maker->shape, &options, v->key, v->number, &error);
        if (status != PL_OK) return pl_check_fail(c, v->key, "%s", error.text);
    }
    return PL_OK;
}

// checks that the recording includes the elements of its fields
pl_status pl_check_output(pl_checker* c, const void* object) {
    const pl_output* output = object;
    for (int i = 0; i < output->field_count; i++)
        if (output->fields[i] == PL_OUTPUT_ELEMENT_STRESS && output->record != PL_RECORD_ALL)
            return pl_check_fail(
                c, "fields",
                "element_stress belongs to tets, but only the surface is recorded; add "
                "\"record\": \"all\", or use stress, which is at vertices");
    return PL_OK;
}
