// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The pages of a session: what to send next to each, and the blobs that they share.
#include "base/memory.h"
#include "view_session_data.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- blobs, under the lock

void pl_view_drop(pl_view_session* s, pl_view_blob* blob) {
    if (!blob || --blob->refs > 0) return;
    if (!blob->is_frame) {
        pl_view_blob_free(blob);
        return;
    }
    blob->next = s->spare;
    s->spare = blob;
}

pl_view_blob* pl_view_new_blob(pl_view_session* s, bool is_frame) {
    pthread_mutex_lock(&s->lock);
    pl_view_blob* blob = is_frame ? s->spare : NULL;
    if (blob) s->spare = blob->next;
    pthread_mutex_unlock(&s->lock);
    if (!blob) blob = PL_ALLOC(pl_view_blob, 1);
    if (!blob) return NULL;
    blob->next = NULL;
    blob->refs = 1;
    blob->is_frame = is_frame;
    return blob;
}

pl_view_blob* pl_view_text_blob(pl_view_session* s, char* text) {
    pl_view_blob* blob = text ? pl_view_new_blob(s, false) : NULL;
    size_t size = text ? strlen(text) : 0;
    if (blob && pl_view_blob_fit(blob, size, NULL) == PL_OK) {
        memcpy(blob->data, text, size);
        blob->is_text = true;
    } else {
        pl_view_blob_free(blob);
        blob = NULL;
    }
    pl_view_text_free(text);
    return blob;
}

// ---------------------------------------------------------------- pages

void pl_view_tell(pl_view_session* s, int only, const char* text) {
    pthread_mutex_lock(&s->lock);
    for (int c = 0; c < PL_VIEW_CLIENT_LIMIT; c++)
        if (s->clients[c].is_used && (only < 0 || only == c))
            snprintf(s->clients[c].notice, sizeof s->clients[c].notice, "%.500s", text);
    pthread_mutex_unlock(&s->lock);
    s->wake(s->user);
}

void pl_view_session_refuse(pl_view_session* s, int client, const char* text) {
    if (client >= 0) pl_view_tell(s, client, text);
}

int pl_view_session_join(pl_view_session* s) {
    pthread_mutex_lock(&s->lock);
    int number = -1;
    for (int c = PL_VIEW_CLIENT_LIMIT - 1; c >= 0; c--)
        if (!s->clients[c].is_used) number = c;
    if (number >= 0) {
        s->clients[number] = (pl_view_page){.is_used = true};
        s->client_count++;
        pthread_cond_signal(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    return number;
}

void pl_view_session_leave(pl_view_session* s, int number) {
    pthread_mutex_lock(&s->lock);
    if (s->clients[number].is_used) s->client_count--;
    s->clients[number].is_used = false;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void pl_view_session_post(pl_view_session* s, int number, const pl_view_message* m) {
    pthread_mutex_lock(&s->lock);
    pl_view_page* from = &s->clients[number];
    if (m->verb == PL_VIEW_READY) {
        if (from->frames_ahead > 0) from->frames_ahead--;
    } else if (s->queue_count < PL_VIEW_QUEUE_LIMIT) {
        // of waiting moves, only the last one of each page is needed
        pl_view_command* last = s->queue_count ? &s->queue[s->queue_count - 1] : NULL;
        bool follows = last && m->verb == PL_VIEW_MOVE && last->message.verb == PL_VIEW_MOVE &&
                       last->client == number;
        if (!follows) last = &s->queue[s->queue_count++];
        *last = (pl_view_command){number, *m};
    } else {
        snprintf(from->notice, sizeof from->notice, "too many messages; this one is left out");
    }
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (m->verb == PL_VIEW_READY) s->wake(s->user); // the newest frame may be waiting
}

static pl_view_blob* next_for(pl_view_session* s, pl_view_page* c) {
    if (s->scene_text && c->scene_seen != s->generation) {
        c->scene_seen = s->generation;
        return s->scene_text;
    }
    if (s->mesh && c->mesh_seen != s->generation) {
        c->mesh_seen = s->generation;
        return s->mesh;
    }
    if (s->state && c->state_seen != s->state_version) {
        c->state_seen = s->state_version;
        return s->state;
    }
    if (!s->frame || c->frame_seen == s->frame_number || c->frames_ahead >= PL_VIEW_FRAMES_AHEAD)
        return NULL;
    c->frame_seen = s->frame_number;
    c->frames_ahead++;
    return s->frame;
}

pl_view_blob* pl_view_session_take(pl_view_session* s, int number) {
    char notice[sizeof s->clients[0].notice];
    pthread_mutex_lock(&s->lock);
    pl_view_page* c = &s->clients[number];
    memcpy(notice, c->notice, sizeof notice);
    c->notice[0] = '\0';
    pl_view_blob* blob = notice[0] ? NULL : next_for(s, c);
    if (blob) blob->refs++;
    pthread_mutex_unlock(&s->lock);
    return notice[0] ? pl_view_text_blob(s, pl_view_notice_text(notice)) : blob;
}

void pl_view_session_give_back(pl_view_session* s, pl_view_blob* blob) {
    pthread_mutex_lock(&s->lock);
    pl_view_drop(s, blob);
    pthread_mutex_unlock(&s->lock);
}
