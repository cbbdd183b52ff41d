// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The session behind `pliant view`, without a network: pages that watch, drag, are slow, leave.
#include "base/memory.h"
#include "run_samples.h"
#include "test.h"
#include "view_session.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char hanging_box[] =
    "{\"pliant\": 1, \"title\": \"a box\", \"time_step\": 0.002, \"bodies\": [{\"name\": \"box\",\n"
    " \"generate\": {\"shape\": \"box\", \"size_x\": 0.4, \"size_y\": 0.1, \"size_z\": 0.1,\n"
    "  \"edge\": 0.1}, \"grid\": {\"cell\": 0.05}, \"material\": {\"young\": 2e4},\n"
    "  \"damping\": {\"mass\": 5}}],\n"
    " \"attachments\": [{\"body\": \"box\", \"where\": {\"side\": \"-x\"}}]}";

// bytes of a frame before its positions: head, and what one side has
enum { FRAME_HEAD = 64 + 4 * PL_VIEW_STAT_COUNT + 16 + 4 * PL_VIEW_TRACE_COUNT };

static void ignore(void* user) { (void)user; }

static void nap(void) {
    struct timespec time = {0, 500000};
    nanosleep(&time, NULL);
}

typedef struct setting {
    pl_view_scenes scenes;
    pl_view_session* session;
} setting;

// two scenes of the same text
static void begin(setting* s, const char* text) {
    *s = (setting){.scenes = pl_view_scenes_begin()};
    pl_error error = {0};
    for (int k = 0; k < 2; k++) {
        const char* name = k ? "view_two.json" : "view_one.json";
        pl_test_write_file(pl_test_path(name), text, strlen(text));
        CHECK_OK(pl_view_scenes_add(&s->scenes, pl_test_path(name), NULL, 0, &error), &error);
    }
    CHECK_OK(pl_view_session_create(&s->scenes, 0, ignore, NULL, &s->session, &error), &error);
}

static void end(setting* s) {
    pl_view_session_destroy(s->session);
    pl_view_scenes_free(&s->scenes);
    CHECK(pl_byte_count() == 0);
}

static void post(setting* s, int page, const char* text) {
    pl_view_message m;
    pl_error error = {0};
    CHECK_OK(pl_view_message_read(text, strlen(text), &m, &error), &error);
    pl_view_session_post(s->session, page, &m);
}

static uint32_t word(const pl_view_blob* blob, size_t at) {
    uint32_t value;
    memcpy(&value, blob->data + at, sizeof value);
    return value;
}

static float number(const pl_view_blob* blob, size_t at) {
    float value;
    memcpy(&value, blob->data + at, sizeof value);
    return value;
}

static bool is_kind(const pl_view_blob* blob, const char* kind) {
    return !blob->is_text && memcmp(blob->data, kind, 4) == 0;
}

static bool has_text(const pl_view_blob* blob, const char* text) {
    return blob->is_text && memmem(blob->data, blob->size, text, strlen(text)) != NULL;
}

// the next thing that a page is sent, frames answered; gives up after some seconds
static pl_view_blob* next(setting* s, int page) {
    for (int k = 0; k < 20000; k++) {
        pl_view_blob* blob = pl_view_session_take(s->session, page);
        if (blob) {
            if (is_kind(blob, "PLF1")) post(s, page, "{\"do\":\"ready\"}");
            return blob;
        }
        nap();
    }
    pl_test_fail(__FILE__, __LINE__, "nothing comes");
    return NULL;
}

static void skip_to_text(setting* s, int page, const char* text) {
    for (int k = 0; k < 5000; k++) {
        pl_view_blob* blob = next(s, page);
        bool found = has_text(blob, text);
        pl_view_session_give_back(s->session, blob);
        if (found) return;
    }
    pl_test_fail(__FILE__, __LINE__, "never told: %s", text);
}

// height of a vertex in the newest of some frames
static float height_after(setting* s, int page, int frames, int vertex) {
    float height = 0.0f;
    for (int k = 0; k < frames;) {
        pl_view_blob* blob = next(s, page);
        if (is_kind(blob, "PLF1")) {
            height = number(blob, FRAME_HEAD + 12 * (size_t)vertex + 4);
            k++;
        }
        pl_view_session_give_back(s->session, blob);
    }
    return height;
}

// the vertex furthest to +x in a frame
static int find_tip(setting* s, int page, float at[3]) {
    for (;;) {
        pl_view_blob* blob = next(s, page);
        bool is_frame = is_kind(blob, "PLF1");
        int tip = 0, count = (int)((blob->size - FRAME_HEAD - 4) / 12);
        for (int v = 1; is_frame && v < count; v++)
            if (number(blob, FRAME_HEAD + 12 * (size_t)v) >
                number(blob, FRAME_HEAD + 12 * (size_t)tip))
                tip = v;
        for (size_t k = 0; is_frame && k < 3; k++)
            at[k] = number(blob, FRAME_HEAD + 12 * (size_t)tip + 4 * k);
        pl_view_session_give_back(s->session, blob);
        if (is_frame) return tip;
    }
}

TEST(view_session_sends_scene_mesh_state_frames)
{
    setting s;
    begin(&s, hanging_box);
    int page = pl_view_session_join(s.session);
    CHECK(page == 0);
    skip_to_text(&s, page, "\"type\":\"scene\"");
    pl_view_blob* mesh = next(&s, page);
    CHECK(is_kind(mesh, "PLM1") && word(mesh, 8) == 1);
    uint32_t vertex_count = word(mesh, 16), triangle_count = word(mesh, 20);
    CHECK(mesh->size == 12 + 28 + 12 * (size_t)triangle_count);
    for (size_t k = 0; k < 3 * triangle_count; k++) CHECK(word(mesh, 40 + 4 * k) < vertex_count);
    pl_view_session_give_back(s.session, mesh);
    skip_to_text(&s, page, "\"young\"");
    uint32_t last = 0;
    for (int k = 0; k < 5; k++) {
        pl_view_blob* frame = next(&s, page);
        CHECK(is_kind(frame, "PLF1") && word(frame, 4) == 1);
        CHECK(k == 0 || word(frame, 8) > last);
        last = word(frame, 8);
        CHECK(frame->size >= FRAME_HEAD + 12 * (size_t)vertex_count + 4);
        pl_view_session_give_back(s.session, frame);
    }
    end(&s);
}

// A page that answers nothing gets two frames and no more; the others get theirs, and the memory
// does not grow.
TEST(view_session_does_not_wait_for_slow_pages)
{
    setting s;
    begin(&s, hanging_box);
    int slow = pl_view_session_join(s.session), fast = pl_view_session_join(s.session);
    CHECK(slow == 0 && fast == 1);
    int slow_frames = 0;
    height_after(&s, fast, 20, 0);
    size_t bytes = pl_byte_count();
    for (int k = 0; k < 30; k++) {
        height_after(&s, fast, 3, 0);
        pl_view_blob* blob = pl_view_session_take(s.session, slow);
        if (!blob) continue;
        slow_frames += is_kind(blob, "PLF1");
        pl_view_session_give_back(s.session, blob);
    }
    CHECK(slow_frames == PL_VIEW_FRAMES_AHEAD);
    CHECK(pl_byte_count() < bytes + 65536);
    // when it answers at last, it gets the newest
    post(&s, slow, "{\"do\":\"ready\"}");
    pl_view_blob *late = next(&s, slow), *now = next(&s, fast);
    CHECK(word(late, 8) + 20 > word(now, 8));
    pl_view_session_give_back(s.session, late);
    pl_view_session_give_back(s.session, now);
    end(&s);
}

// the hand pulls the vertex up, one page at a time has it, and it springs back
TEST(view_session_drags)
{
    setting s;
    begin(&s, hanging_box);
    int page = pl_view_session_join(s.session), other = pl_view_session_join(s.session);
    skip_to_text(&s, other, "\"type\":\"state\"");
    float at[3];
    int tip = find_tip(&s, page, at);
    char text[256];
    float before = height_after(&s, page, 3, tip);
    snprintf(text, sizeof text, "{\"do\":\"grab\",\"body\":0,\"vertex\":%d,\"at\":[%g,%g,%g]}", tip,
             at[0], before, at[2]);
    post(&s, page, text);
    snprintf(text, sizeof text, "{\"do\":\"move\",\"at\":[%g,%g,%g],\"number\":5}", at[0],
             before + 0.2, at[2]);
    post(&s, page, text);
    float up = before;
    for (int k = 0; k < 100 && up < before + 0.1f; k++) up = height_after(&s, page, 5, tip);
    CHECK(up > before + 0.1f);
    post(&s, other, "{\"do\":\"grab\",\"body\":0,\"vertex\":0,\"at\":[0,0,0]}");
    skip_to_text(&s, other, "somebody else is dragging");
    pl_view_session_leave(s.session, page); // a page that goes lets go
    float down = up;
    for (int k = 0; k < 200 && down > before + 0.05f; k++) down = height_after(&s, other, 5, tip);
    CHECK(down < before + 0.05f);
    end(&s);
}

TEST(view_session_pauses_steps_and_resets)
{
    setting s;
    begin(&s, hanging_box);
    int page = pl_view_session_join(s.session);
    height_after(&s, page, 3, 0);
    post(&s, page, "{\"do\":\"pause\",\"on\":true}");
    skip_to_text(&s, page, "\"paused\":true");
    uint32_t at[3];
    for (int k = 0; k < 3; k++) {
        if (k) post(&s, page, "{\"do\":\"step\"}");
        for (;;) {
            pl_view_blob* blob = next(&s, page);
            bool is_frame = is_kind(blob, "PLF1") && (word(blob, 12) & 4);
            at[k] = is_frame ? word(blob, 8) : 0;
            pl_view_session_give_back(s.session, blob);
            if (is_frame && (k == 0 || at[k] != at[k - 1])) break;
        }
    }
    CHECK(at[1] == at[0] + 1 && at[2] == at[1] + 1);
    post(&s, page, "{\"do\":\"reset\"}");
    skip_to_text(&s, page, "\"generation\":2");
    for (;;) {
        pl_view_blob* blob = next(&s, page);
        bool is_frame = is_kind(blob, "PLF1");
        if (is_frame) CHECK(word(blob, 8) == 0);
        pl_view_session_give_back(s.session, blob);
        if (is_frame) break;
    }
    end(&s);
}

// every control acts, a method changes on the way, and what is wrong is told to the page
TEST(view_session_sets_controls)
{
    setting s;
    begin(&s, hanging_box);
    int page = pl_view_session_join(s.session);
    static const struct {
        const char *message, *answer;
    } cases[] = {
        {"{\"do\":\"set\",\"name\":\"young\",\"number\":40000}", "\"value\":40000.0"},
        {"{\"do\":\"set\",\"name\":\"poisson\",\"number\":0.125}", "\"value\":0.125"},
        {"{\"do\":\"set\",\"name\":\"gravity\",\"number\":2.5}", "\"value\":2.5"},
        {"{\"do\":\"set\",\"name\":\"friction\",\"number\":0.75}", "\"value\":0.75"},
        {"{\"do\":\"set\",\"name\":\"iterations\",\"number\":7}", "\"value\":7.0"},
        {"{\"do\":\"set\",\"name\":\"linear\",\"text\":\"pcg\"}", "\"choice\":\"pcg\""},
        {"{\"do\":\"set\",\"name\":\"method\",\"text\":\"grid\"}", "\"choice\":\"grid\""},
        {"{\"do\":\"set\",\"name\":\"method\",\"text\":\"pbd\"}", "\"choice\":\"pbd\""},
        {"{\"do\":\"set\",\"name\":\"levels\",\"number\":2}", "\"value\":2.0"},
        {"{\"do\":\"color\",\"name\":\"speed\"}", "\"color\":\"speed\""},
        {"{\"do\":\"set\",\"name\":\"method\",\"text\":\"magic\"}", "is not a choice"},
        {"{\"do\":\"set\",\"name\":\"wishes\",\"number\":3}", "no control"},
        {"{\"do\":\"color\",\"name\":\"smell\"}", "to colour by"},
        {"{\"do\":\"open\",\"number\":2}", "no such scene"},
        {"{\"do\":\"seek\",\"number\":2}", "only recordings"},
        {"{\"do\":\"grab\",\"body\":9,\"vertex\":0,\"at\":[0,0,0]}", "no such vertex"},
        {"{\"do\":\"split\",\"name\":\"method\",\"text\":\"fem\"}", "\"sides\":2"},
        {"{\"do\":\"split\"}", "\"sides\":1"},
        {"{\"do\":\"open\",\"number\":1}", "\"scene\":1"},
        {"{\"do\":\"open\",\"number\":-1}", "\"mode\":\"list\""},
    };
    skip_to_text(&s, page, "\"type\":\"state\"");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        post(&s, page, cases[k].message);
        skip_to_text(&s, page, cases[k].answer);
    }
    end(&s);
}

TEST(view_session_has_room_for_eight_pages)
{
    setting s;
    begin(&s, hanging_box);
    for (int k = 0; k < PL_VIEW_CLIENT_LIMIT; k++) CHECK(pl_view_session_join(s.session) == k);
    CHECK(pl_view_session_join(s.session) == -1);
    pl_view_session_leave(s.session, 3);
    CHECK(pl_view_session_join(s.session) == 3);
    for (int k = 0; k < 2 * PL_VIEW_QUEUE_LIMIT; k++)
        post(&s, 0, "{\"do\":\"speed\",\"number\":2}");
    height_after(&s, 5, 3, 0);
    end(&s);
}

static size_t frame_size(setting* s, int page) {
    for (size_t size = 0;;) {
        pl_view_blob* blob = next(s, page);
        if (is_kind(blob, "PLF1")) size = blob->room + sizeof *blob;
        pl_view_session_give_back(s->session, blob);
        if (size) return size;
    }
}

// a long watch: every buffer comes back; up to three frames are about at once (the newest, the
// page's, the next)
TEST(view_session_keeps_its_memory_over_many_frames)
{
    setting s;
    begin(&s, hanging_box);
    int page = pl_view_session_join(s.session);
    post(&s, page, "{\"do\":\"speed\",\"number\":10}");
    post(&s, page, "{\"do\":\"color\",\"name\":\"stretch\"}");
    height_after(&s, page, 50, 0);
    size_t bytes = pl_byte_count(), frame = frame_size(&s, page);
    height_after(&s, page, 1000, 0);
    CHECK(pl_byte_count() < bytes + 3 * frame);
    end(&s);
}
