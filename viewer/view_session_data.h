// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The data of a session, shared by its two files.
#ifndef PL_VIEW_SESSION_DATA_H
#define PL_VIEW_SESSION_DATA_H

#include "view_session.h"
#include "view_texts.h"

#include <pthread.h>

// A message waiting for the thread.
typedef struct pl_view_command {
    int client;
    pl_view_message message;
} pl_view_command;

// A page that is connected.
typedef struct pl_view_page {
    bool is_used;
    uint32_t scene_seen, mesh_seen; // generations
    uint32_t state_seen;
    uint64_t frame_seen;
    int frames_ahead;
    char notice[512]; // or ""
} pl_view_page;

struct pl_view_session {
    const pl_view_scenes* scenes;
    void (*wake)(void* user);
    void* user;
    pthread_t thread;
    bool has_thread;

    // shared, under the lock
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stops;
    pl_view_command queue[PL_VIEW_QUEUE_LIMIT];
    int queue_count;
    pl_view_page clients[PL_VIEW_CLIENT_LIMIT];
    int client_count;
    pl_view_blob *scene_text, *mesh, *state, *frame;
    pl_view_blob* spare; // unused frames
    uint32_t generation, state_version;
    uint64_t frame_number; // of the newest frame

    // used only by the thread
    pl_view_side sides[PL_VIEW_SIDE_LIMIT];
    int side_count;
    pl_view_now now;
    int holder; // the page that drags, or -1
    uint32_t drag;
    double due;       // when the next frame is
    double play_time; // of a recording [s]
    bool is_new;      // there is something to show that is not encoded yet
    bool state_is_new;
};

// Gives up a reference to a blob, under the lock.
void pl_view_drop(pl_view_session* session, pl_view_blob* blob);
// A blob with one reference, or NULL. Blobs of frames are reused.
pl_view_blob* pl_view_new_blob(pl_view_session* session, bool is_frame);
// A blob of a text, which it frees; NULL if there is no text or memory runs out.
pl_view_blob* pl_view_text_blob(pl_view_session* session, char* text);
// Tells a page, or all of them (-1).
void pl_view_tell(pl_view_session* session, int only, const char* text);

#endif
