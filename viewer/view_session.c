// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The thread of a session.
#include "view_session.h"
#include "base/memory.h"
#include "base/timer.h"
#include "view_controls.h"
#include "view_session_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// ---------------------------------------------------------------- what pages are told

static void replace(pl_view_session* s, pl_view_blob** place, pl_view_blob* blob) {
    pthread_mutex_lock(&s->lock);
    pl_view_drop(s, *place);
    *place = blob;
    pthread_mutex_unlock(&s->lock);
}

static void publish_state(pl_view_session* s) {
    s->now.is_live = s->side_count && pl_view_side_is_live(&s->sides[0]);
    pl_view_blob* blob = pl_view_text_blob(s, pl_view_state_text(s->sides, s->side_count, &s->now));
    s->state_is_new = false;
    if (!blob) return;
    replace(s, &s->state, blob);
    pthread_mutex_lock(&s->lock);
    s->state_version++;
    pthread_mutex_unlock(&s->lock);
    s->wake(s->user);
}

// scene and mesh of a new generation, then the first frame of it
static void publish_scene(pl_view_session* s) {
    uint32_t generation = s->generation + 1;
    pl_view_blob* text = pl_view_text_blob(
        s, pl_view_scene_text(s->scenes, s->sides, s->side_count, &s->now, generation));
    pl_view_blob* mesh = pl_view_new_blob(s, false);
    if (!mesh || !text ||
        pl_view_encode_mesh(s->sides, s->side_count, generation, mesh, NULL) != PL_OK) {
        pl_view_blob_free(mesh);
        pl_view_blob_free(text);
        pl_view_tell(s, -1, "out of memory");
        return;
    }
    pthread_mutex_lock(&s->lock);
    pl_view_drop(s, s->scene_text);
    pl_view_drop(s, s->mesh);
    pl_view_drop(s, s->frame);
    s->scene_text = text;
    s->mesh = mesh;
    s->frame = NULL;
    s->generation = generation;
    pthread_mutex_unlock(&s->lock);
    s->is_new = true;
    publish_state(s);
}

static bool somebody_waits(pl_view_session* s) {
    for (int c = 0; c < PL_VIEW_CLIENT_LIMIT; c++)
        if (s->clients[c].is_used && s->clients[c].frames_ahead < PL_VIEW_FRAMES_AHEAD) return true;
    return false;
}

static void publish_frame(pl_view_session* s) {
    double start = pl_seconds();
    pl_error error = {0};
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < s->side_count; k++)
        status = pl_view_side_update(&s->sides[k], &error);
    s->is_new = false;
    pl_view_blob* blob = status == PL_OK && s->side_count ? pl_view_new_blob(s, true) : NULL;
    if (!blob) {
        if (status != PL_OK) pl_view_tell(s, -1, error.text);
        return;
    }
    pl_view_frame_head head = {s->generation, s->drag, s->now.is_paused, pl_seconds() - start};
    status = pl_view_encode_frame(s->sides, s->side_count, &head, blob, &error);
    pthread_mutex_lock(&s->lock);
    if (status == PL_OK) {
        pl_view_drop(s, s->frame);
        s->frame = blob;
        s->frame_number++;
    } else {
        pl_view_drop(s, blob);
    }
    pthread_mutex_unlock(&s->lock);
    if (status != PL_OK) pl_view_tell(s, -1, error.text);
    s->wake(s->user);
}

// ---------------------------------------------------------------- opening

static void close_sides(pl_view_session* s) {
    for (int k = 0; k < s->side_count; k++) pl_view_side_free(&s->sides[k]);
    s->side_count = 0;
    s->holder = -1;
}

// repeats the user's settings, in the order in which they were first made
static pl_status apply_settings(pl_view_session* s, pl_view_side* side, bool is_second,
                                pl_error* error) {
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < s->now.setting_count; k++)
        status = pl_view_controls_set(side->world, s->now.settings[k].id, s->now.settings[k].number,
                                      s->now.settings[k].choice, error);
    if (status == PL_OK && is_second)
        status =
            pl_view_controls_set(side->world, s->now.split_id, 0.0, s->now.split_choice, error);
    return status;
}

static pl_status open_sides(pl_view_session* s, int count, pl_error* error) {
    const pl_view_scene* scene = pl_view_scenes_at(s->scenes, s->now.scene);
    close_sides(s);
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < count; k++) {
        pl_view_side* side = &s->sides[k];
        status = pl_view_side_open(scene, side, NULL, error);
        if (status != PL_OK) break;
        s->side_count = k + 1;
        if (side->world) status = apply_settings(s, side, k == 1, error);
        if (status == PL_OK && strcmp(s->now.color, "none") != 0)
            status = pl_view_side_set_color(side, s->now.color, error);
    }
    s->play_time = 0.0;
    s->drag = 0;
    s->due = pl_seconds();
    return status;
}

static void reopen(pl_view_session* s) {
    pl_error error = {0};
    s->now.is_loading = true;
    publish_state(s);
    int count = s->now.split_id[0] ? 2 : 1;
    pl_status status = open_sides(s, count, &error);
    if (status != PL_OK && s->now.setting_count + count > 1) {
        // the scene may still open as it was written
        pl_view_tell(s, -1, error.text);
        s->now.setting_count = 0;
        s->now.split_id[0] = '\0';
        status = open_sides(s, 1, &error);
    }
    s->now.is_loading = false;
    if (status != PL_OK) {
        pl_view_tell(s, -1, error.text);
        close_sides(s);
        s->now.scene = -1;
    }
    publish_scene(s);
}

static void open_scene(pl_view_session* s, int client, double number) {
    if (!(number >= -1.0 && number < pl_view_scenes_count(s->scenes))) {
        pl_view_tell(s, client, "there is no such scene in the list");
        return;
    }
    s->now = (pl_view_now){.scene = (int)number, .speed = 1.0, .color = "none"};
    if (s->now.scene >= 0) {
        reopen(s);
    } else {
        close_sides(s);
        publish_scene(s);
    }
}

// ---------------------------------------------------------------- messages

static bool is_live(const pl_view_session* s) {
    return s->side_count && pl_view_side_is_live(&s->sides[0]);
}

static void remember_setting(pl_view_session* s, const pl_view_message* m) {
    pl_view_now* now = &s->now;
    int k = 0;
    while (k < now->setting_count && strcmp(now->settings[k].id, m->name) != 0) k++;
    if (k == PL_VIEW_CONTROL_LIMIT) return;
    if (k == now->setting_count) now->setting_count++;
    pl_view_setting* setting = &now->settings[k];
    snprintf(setting->id, sizeof setting->id, "%s", m->name);
    snprintf(setting->choice, sizeof setting->choice, "%s", m->text);
    setting->number = m->number;
}

static void set_control(pl_view_session* s, int client, const pl_view_message* m) {
    pl_error error = {0};
    pl_status status =
        is_live(s) ? PL_OK : pl_fail(&error, PL_ERROR_ARGUMENT, "a recording has nothing to set");
    for (int k = 0; status == PL_OK && k < s->side_count; k++) {
        // the second side keeps the setting by which it differs
        if (k == 1 && strcmp(m->name, s->now.split_id) == 0) continue;
        status = pl_view_controls_set(s->sides[k].world, m->name, m->number, m->text, &error);
    }
    if (status == PL_OK) {
        remember_setting(s, m);
    } else if (status == PL_ERROR_UNSUPPORTED) {
        // a setting that cannot change during a run may still be valid at its start
        remember_setting(s, m);
        reopen(s);
    } else {
        pl_view_tell(s, client, error.text);
    }
    s->is_new = s->state_is_new = true;
}

static void split(pl_view_session* s, int client, const pl_view_message* m) {
    if (!is_live(s)) {
        pl_view_tell(s, client, "a recording cannot be split");
        return;
    }
    snprintf(s->now.split_id, sizeof s->now.split_id, "%s", m->name);
    snprintf(s->now.split_choice, sizeof s->now.split_choice, "%s", m->text);
    reopen(s);
}

static void grab(pl_view_session* s, int client, const pl_view_message* m) {
    pl_error error = {0};
    if (s->holder >= 0 && s->holder != client) {
        pl_view_tell(s, client, "somebody else is dragging");
        return;
    }
    pl_status status =
        is_live(s) ? PL_OK : pl_fail(&error, PL_ERROR_ARGUMENT, "a recording cannot be grabbed");
    for (int k = 0; status == PL_OK && k < s->side_count; k++)
        status = pl_view_side_grab(&s->sides[k], m->body, m->vertex, m->at, &error);
    if (status == PL_OK) s->holder = client;
    else pl_view_tell(s, client, error.text);
}

// cuts every body that supports it
static void cut(pl_view_session* s, int client, const pl_view_message* m) {
    double sweep[9];
    memcpy(sweep, m->from, sizeof m->from);
    memcpy(sweep + 3, m->at, sizeof m->at);
    memcpy(sweep + 6, m->to, sizeof m->to);
    pl_error error = {0};
    bool is_cut = false;
    for (int k = 0; is_live(s) && k < s->side_count; k++)
        for (int b = 0; b < s->sides[k].body_count; b++)
            is_cut |= pl_world_cut(s->sides[k].world, b, sweep, NULL, &error) == PL_OK;
    if (!is_cut) pl_view_tell(s, client, error.text[0] ? error.text : "a recording cannot be cut");
}

static void let_go(pl_view_session* s) {
    for (int k = 0; k < s->side_count; k++) pl_view_side_release(&s->sides[k]);
    s->holder = -1;
    s->is_new = true;
}

static void set_color(pl_view_session* s, int client, const char* name) {
    pl_error error = {0};
    pl_status status = s->side_count ? PL_OK : PL_ERROR_ARGUMENT;
    for (int k = 0; status == PL_OK && k < s->side_count; k++)
        status = pl_view_side_set_color(&s->sides[k], name, &error);
    if (status == PL_OK) snprintf(s->now.color, sizeof s->now.color, "%s", name);
    else pl_view_tell(s, client, error.text);
    s->is_new = s->state_is_new = true;
}

static void seek(pl_view_session* s, int client, double number) {
    pl_error error = {0};
    if (!s->side_count || is_live(s)) {
        pl_view_tell(s, client, "only recordings have a timeline");
        return;
    }
    if (pl_view_side_seek(&s->sides[0], (int)fmin(fmax(number, -1.0), 1e9), &error) != PL_OK)
        pl_view_tell(s, client, error.text);
    s->play_time = s->sides[0].time;
    s->is_new = true;
}

static bool step_sides(pl_view_session* s) {
    pl_error error = {0};
    for (int k = 0; k < s->side_count; k++)
        if (pl_view_side_step(&s->sides[k], &error) != PL_OK) {
            pl_view_tell(s, -1, error.text);
            s->now.is_paused = s->state_is_new = true;
            return false;
        }
    s->is_new = true;
    return true;
}

// the frame of a recording at its present time
static void play_on(pl_view_session* s, double seconds) {
    pl_view_side* side = &s->sides[0];
    int count = pl_view_side_frame_count(side), frame = side->frame;
    double end = pl_show_time(side->show, count - 1);
    s->play_time += seconds;
    if (s->play_time > end) s->play_time = 0.0, frame = 0;
    while (frame + 1 < count && pl_show_time(side->show, frame + 1) <= s->play_time) frame++;
    if (frame != side->frame && pl_view_side_seek(side, frame, NULL) == PL_OK) s->is_new = true;
}

static void apply(pl_view_session* s, int client, const pl_view_message* m) {
    switch (m->verb) {
    case PL_VIEW_GRAB: grab(s, client, m); return;
    case PL_VIEW_MOVE:
        if (s->holder != client) return;
        for (int k = 0; k < s->side_count; k++) pl_view_side_move(&s->sides[k], m->at);
        if (m->has_number) s->drag = (uint32_t)fmin(fmax(m->number, 0.0), 4e9);
        s->is_new |= s->now.is_paused;
        return;
    case PL_VIEW_CUT: cut(s, client, m); return;
    case PL_VIEW_RELEASE:
        if (s->holder == client) let_go(s);
        return;
    case PL_VIEW_PAUSE:
        s->now.is_paused = m->on;
        s->due = pl_seconds();
        s->is_new = s->state_is_new = true;
        return;
    case PL_VIEW_STEP:
        s->now.is_paused = s->state_is_new = true;
        if (is_live(s)) step_sides(s);
        else if (s->side_count) seek(s, client, s->sides[0].frame + 1.0);
        return;
    case PL_VIEW_RESET:
        if (s->now.scene >= 0) reopen(s);
        return;
    case PL_VIEW_SPEED:
        s->now.speed = fmin(fmax(m->number, 0.01), 10.0);
        s->state_is_new = true;
        return;
    case PL_VIEW_SET: set_control(s, client, m); return;
    case PL_VIEW_COLOR: set_color(s, client, m->name); return;
    case PL_VIEW_OPEN: open_scene(s, client, m->number); return;
    case PL_VIEW_SEEK: seek(s, client, m->number); return;
    case PL_VIEW_SPLIT: split(s, client, m); return;
    default: return;
    }
}

// ---------------------------------------------------------------- the thread

// seconds until the next frame is due; a large number if nothing moves
static double wait_seconds(const pl_view_session* s, bool has_clients) {
    if (!s->side_count || s->now.is_paused || !has_clients) return 1e9;
    return s->due - pl_seconds();
}

static double frame_seconds(const pl_view_session* s) {
    if (is_live(s)) return s->sides[0].world ? s->sides[0].scene->time_step : 1.0 / 60.0;
    return 1.0 / 60.0;
}

static void move_on(pl_view_session* s) {
    double step = frame_seconds(s), now = pl_seconds();
    // late frames are skipped
    s->due = fmax(s->due + step / s->now.speed, now - step);
    if (is_live(s)) step_sides(s);
    else play_on(s, step * s->now.speed);
}

static bool is_idle(pl_view_session* s) {
    return !s->stops && !s->queue_count && !(s->is_new && somebody_waits(s));
}

static void wait_for_work(pl_view_session* s) {
    double seconds = wait_seconds(s, s->client_count > 0);
    if (seconds <= 0.0 || !is_idle(s)) return;
    if (seconds > 1e8) {
        pthread_cond_wait(&s->changed, &s->lock);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double whole = floor(seconds);
    until.tv_sec += (time_t)whole;
    until.tv_nsec += (long)(1e9 * (seconds - whole));
    if (until.tv_nsec >= 1000000000L) until.tv_sec++, until.tv_nsec -= 1000000000L;
    pthread_cond_timedwait(&s->changed, &s->lock, &until);
}

static void* run(void* user) {
    pl_view_session* s = user;
    pl_view_command taken[PL_VIEW_QUEUE_LIMIT];
    if (s->now.scene >= 0) reopen(s);
    else publish_scene(s);
    for (;;) {
        pthread_mutex_lock(&s->lock);
        wait_for_work(s);
        bool stops = s->stops, holder_left = s->holder >= 0 && !s->clients[s->holder].is_used;
        bool has_clients = s->client_count > 0;
        int count = s->queue_count;
        memcpy(taken, s->queue, (size_t)count * sizeof taken[0]);
        s->queue_count = 0;
        pthread_mutex_unlock(&s->lock);
        if (stops) break;
        if (holder_left) let_go(s);
        for (int k = 0; k < count; k++) apply(s, taken[k].client, &taken[k].message);
        if (s->state_is_new) publish_state(s);
        if (wait_seconds(s, has_clients) <= 0.0) move_on(s);
        pthread_mutex_lock(&s->lock);
        bool publishes = s->is_new && somebody_waits(s);
        pthread_mutex_unlock(&s->lock);
        if (publishes) publish_frame(s);
    }
    close_sides(s);
    return NULL;
}

// ---------------------------------------------------------------- the outside

pl_status pl_view_session_create(const pl_view_scenes* scenes, int first, void (*wake)(void* user),
                                 void* user, pl_view_session** out, pl_error* error) {
    *out = NULL;
    pl_view_session* s = PL_ALLOC(pl_view_session, 1);
    if (!s) return pl_fail_memory(error, "a session");
    s->scenes = scenes;
    s->wake = wake;
    s->user = user;
    s->holder = -1;
    s->now = (pl_view_now){.scene = first, .speed = 1.0, .color = "none"};
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    s->has_thread = pthread_create(&s->thread, NULL, run, s) == 0;
    if (!s->has_thread) {
        pl_view_session_destroy(s);
        return pl_fail(error, PL_ERROR_LIMIT, "no thread could be started");
    }
    *out = s;
    return PL_OK;
}

void pl_view_session_stop(pl_view_session* s) {
    if (!s || !s->has_thread) return;
    pthread_mutex_lock(&s->lock);
    s->stops = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    s->has_thread = false;
}

void pl_view_session_destroy(pl_view_session* s) {
    if (!s) return;
    pl_view_session_stop(s);
    pl_view_drop(s, s->scene_text);
    pl_view_drop(s, s->mesh);
    pl_view_drop(s, s->state);
    pl_view_drop(s, s->frame);
    while (s->spare) {
        pl_view_blob* next = s->spare->next;
        pl_view_blob_free(s->spare);
        s->spare = next;
    }
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    PL_FREE(s, pl_view_session, 1);
}
