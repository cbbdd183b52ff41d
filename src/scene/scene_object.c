// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Making scenes in C: defaults, adding, curves.
#include "scene/scene_object.h"
#include "base/memory.h"
#include "scene/animation.h"
#include "scene/scene_path.h"

#include <math.h>
#include <string.h>

#define DEFAULT_OF(c_type, name, table)                                                            \
    c_type pl_default_##name(void) {                                                               \
        c_type object;                                                                             \
        pl_type_default(&pl_type_##table, &object);                                                \
        return object;                                                                             \
    }
DEFAULT_OF(pl_curve, curve, curve)
DEFAULT_OF(pl_motion, motion, motion)
DEFAULT_OF(pl_transform, transform, transform)
DEFAULT_OF(pl_selection, selection, selection)
DEFAULT_OF(pl_material_def, material_def, material)
DEFAULT_OF(pl_variation, variation, variation)
DEFAULT_OF(pl_eigenfit, eigenfit, eigenfit)
DEFAULT_OF(pl_body, body, body)
DEFAULT_OF(pl_attachment, attachment, attachment)
DEFAULT_OF(pl_collider, collider, collider)
DEFAULT_OF(pl_force, force, force)
DEFAULT_OF(pl_wind, wind, wind)
#undef DEFAULT_OF

pl_status pl_scene_create(pl_scene** out, pl_error* error) {
    *out = PL_ALLOC(pl_scene, 1);
    if (!*out) return pl_fail_memory(error, "a scene");
    pl_type_default(&pl_type_scene, *out);
    return PL_OK;
}

pl_status pl_scene_copy(const pl_scene* scene, pl_scene** out, pl_error* error) {
    *out = PL_ALLOC(pl_scene, 1);
    if (*out && pl_type_copy(&pl_type_scene, scene, *out)) return PL_OK;
    PL_FREE(*out, pl_scene, 1);
    *out = NULL;
    return pl_fail_memory(error, "a scene");
}

void pl_scene_destroy(pl_scene* scene) {
    if (!scene) return;
    pl_type_free(&pl_type_scene, scene);
    PL_FREE(scene, pl_scene, 1);
}

// ---------------------------------------------------------------- adding

static const pl_field_info* list_of(const char* key) {
    const pl_field_info* field = pl_type_scene.fields;
    while (strcmp(field->key, key) != 0) field++;
    return field;
}

static pl_status add_item(pl_scene* scene, const char* key, const void* item, pl_error* error) {
    const pl_field_info* field = list_of(key);
    size_t size = field->type->size;
    int count = pl_load_int(scene, field->count_offset);
    size_t used = (size_t)count * size;
    char* items = pl_load_pointer(scene, field->offset);
    char* grown = pl_alloc(used + size);
    if (!grown || !pl_type_copy(field->type, item, grown + used)) {
        pl_free(grown, used + size);
        return pl_fail_memory(error, "the scene");
    }
    if (count > 0) memcpy(grown, items, used);
    pl_free(items, used);
    pl_store_pointer(scene, field->offset, grown);
    pl_store_int(scene, field->count_offset, count + 1);
    return PL_OK;
}

pl_status pl_scene_add_body(pl_scene* scene, const pl_body* body, pl_error* error) {
    return add_item(scene, "bodies", body, error);
}

pl_status pl_scene_add_collider(pl_scene* scene, const pl_collider* collider, pl_error* error) {
    return add_item(scene, "colliders", collider, error);
}

pl_status pl_scene_add_attachment(pl_scene* scene, const pl_attachment* attachment,
                                  pl_error* error) {
    return add_item(scene, "attachments", attachment, error);
}

pl_status pl_scene_add_force(pl_scene* scene, const pl_force* force, pl_error* error) {
    return add_item(scene, "forces", force, error);
}

pl_status pl_scene_add_wind(pl_scene* scene, const pl_wind* wind, pl_error* error) {
    return add_item(scene, "wind", wind, error);
}

// ---------------------------------------------------------------- curves

static int find_animation(const pl_scene* scene, const char* path) {
    for (int i = 0; i < scene->animation_count; i++)
        if (strcmp(scene->animations[i].path, path) == 0) return i;
    return -1;
}

pl_status pl_scene_put_animation(pl_scene* scene, const char* path, const pl_curve* curve,
                                 pl_error* error) {
    pl_animation animation = {.path = path, .curve = *curve};
    int known = find_animation(scene, path);
    if (known < 0) return add_item(scene, "animations", &animation, error);
    pl_animation* old = (pl_animation*)&scene->animations[known];
    pl_animation fresh;
    if (!pl_type_copy(&pl_type_animation, &animation, &fresh))
        return pl_fail_memory(error, "the scene");
    pl_type_free(&pl_type_animation, old);
    *old = fresh;
    return PL_OK;
}

void pl_scene_drop_animation(pl_scene* scene, const char* path) {
    int known = find_animation(scene, path);
    if (known < 0) return;
    // the list has exactly `count` items; this is rare, so allocate a new one
    pl_animation* animations = (pl_animation*)scene->animations;
    int count = scene->animation_count;
    pl_animation* shorter = count > 1 ? PL_ALLOC(pl_animation, count - 1) : NULL;
    if (count > 1 && !shorter) return;
    pl_type_free(&pl_type_animation, &animations[known]);
    for (int i = 0, k = 0; i < count; i++)
        if (i != known) shorter[k++] = animations[i];
    PL_FREE(animations, pl_animation, count);
    scene->animations = shorter;
    scene->animation_count = count - 1;
}

pl_status pl_scene_animate(pl_scene* scene, const char* path, const pl_curve* curve,
                           pl_error* error) {
    pl_place place;
    pl_status status = pl_scene_locate(scene, path, &place, error);
    if (status != PL_OK) return status;
    double* number = pl_place_number(&place);
    if (!number || !(place.field->flags & PL_ANIMATED))
        return pl_fail(error, PL_ERROR_ARGUMENT, "%.300s: this cannot change during a run", path);
    status = pl_scene_put_animation(scene, place.path.text, curve, error);
    if (status == PL_OK) *number = pl_curve_value(curve, 0.0, NULL);
    return status;
}

void pl_scene_evaluate(pl_scene* scene, double time) {
    for (int i = 0; i < scene->animation_count; i++) {
        const pl_animation* animation = &scene->animations[i];
        pl_place place;
        if (pl_scene_locate(scene, animation->path, &place, NULL) != PL_OK) continue;
        double* number = pl_place_number(&place);
        if (number) *number = pl_curve_value(&animation->curve, time, NULL);
    }
}

// ---------------------------------------------------------------- materials

void pl_material_def_lame(const pl_material_def* material, double* mu, double* lambda) {
    double nu = material->poisson, own_mu = material->young / (2.0 * (1.0 + nu));
    double own_lambda = nu < 0.5 ? 2.0 * own_mu * nu / (1.0 - 2.0 * nu) : INFINITY;
    if (!isnan(material->mu)) {
        own_mu = material->mu;
        own_lambda =
            isnan(material->bulk) ? material->lambda : material->bulk - 2.0 / 3.0 * material->mu;
    }
    if (mu) *mu = own_mu;
    if (lambda) *lambda = own_lambda;
}
