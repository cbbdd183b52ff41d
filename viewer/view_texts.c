// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "view_texts.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pl_view_text_free(char* text) { free(text); }

static char* finish(json_t* root) {
    char* text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    return text;
}

// texts from files are left out if they are not UTF-8
static json_t* text_or_empty(const char* text) {
    json_t* value = json_string(text);
    return value ? value : json_string("");
}

static json_t* list_scenes(const pl_view_scenes* scenes) {
    json_t* list = json_array();
    for (int k = 0; k < pl_view_scenes_count(scenes); k++) {
        const pl_view_scene* scene = pl_view_scenes_at(scenes, k);
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:b}", "title", text_or_empty(scene->title), "name",
                            text_or_empty(scene->name), "recording", (int)scene->is_recording));
    }
    return list;
}

static const char* const kinds[] = {"number", "logarithmic", "whole", "choice"};

static json_t* list_controls(const pl_world* world) {
    pl_view_control controls[PL_VIEW_CONTROL_LIMIT];
    int count = pl_view_controls_list(world, controls);
    json_t* list = json_array();
    for (int k = 0; k < count; k++) {
        const pl_view_control* c = &controls[k];
        json_t* choices = json_array();
        for (int i = 0; i < c->choice_count; i++)
            json_array_append_new(choices, json_string(c->choices[i]));
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:b, s:f, s:f, s:f, s:s, s:o}",
                                              "id", c->id, "label", c->label, "unit", c->unit,
                                              "kind", kinds[c->kind], "rebuilds", (int)c->rebuilds,
                                              "low", c->low, "high", c->high, "value", c->value,
                                              "choice", c->choice, "choices", choices));
    }
    return list;
}

static json_t* list_bodies(const pl_view_side* sides, int side_count) {
    json_t* list = json_array();
    for (int s = 0; s < side_count; s++)
        for (int b = 0; b < sides[s].drawn_count; b++)
            json_array_append_new(list,
                                  json_pack("{s:o, s:i, s:i}", "name",
                                            text_or_empty(pl_view_side_body_name(&sides[s], b)),
                                            "side", s, "body", b));
    return list;
}

static json_t* list_colors(const pl_view_side* side) {
    const char* names[32];
    int count = pl_view_side_colors(side, names, 32);
    json_t* list = json_array();
    for (int k = 0; k < count; k++) json_array_append_new(list, text_or_empty(names[k]));
    return list;
}

char* pl_view_scene_text(const pl_view_scenes* scenes, const pl_view_side* sides, int side_count,
                         const pl_view_now* now, uint32_t generation) {
    const pl_view_side* first = side_count ? &sides[0] : NULL;
    bool is_live = first && pl_view_side_is_live(first);
    const pl_view_scene* scene = pl_view_scenes_at(scenes, now->scene);
    json_t* root = json_pack("{s:s, s:I, s:s, s:o, s:i, s:i, s:o, s:i, s:i}", "type", "scene",
                             "generation", (json_int_t)generation, "mode",
                             !first    ? "list"
                             : is_live ? "live"
                                       : "recording",
                             "title", text_or_empty(scene ? scene->title : "pliant"), "scene",
                             now->scene, "sides", side_count, "scenes", list_scenes(scenes), "up",
                             first ? first->up_axis : 1, "frames",
                             first ? pl_view_side_frame_count(first) : 0);
    if (!root || !first) return finish(root);
    json_object_set_new(root, "bodies", list_bodies(sides, side_count));
    if (first->has_ground && isfinite(first->ground))
        json_object_set_new(root, "ground", json_real(first->ground));
    if (is_live) json_object_set_new(root, "time_step", json_real(first->scene->time_step));
    return finish(root);
}

char* pl_view_state_text(const pl_view_side* sides, int side_count, const pl_view_now* now) {
    json_t* root =
        json_pack("{s:s, s:b, s:b, s:f, s:s, s:s, s:s}", "type", "state", "paused",
                  (int)now->is_paused, "loading", (int)now->is_loading, "speed", now->speed,
                  "color", now->color, "split", now->split_id, "split_choice", now->split_choice);
    if (root && side_count && sides[0].world)
        json_object_set_new(root, "controls", list_controls(sides[0].world));
    if (root && side_count) json_object_set_new(root, "colors", list_colors(&sides[0]));
    return finish(root);
}

char* pl_view_notice_text(const char* text) {
    json_t* root = json_pack("{s:s, s:o}", "type", "notice", "text", text_or_empty(text));
    return finish(root);
}
