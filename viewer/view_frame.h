// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Encodes what is sent to pages: the mesh once, then frames. docs/viewer.md describes the bytes.
#ifndef PL_VIEW_FRAME_H
#define PL_VIEW_FRAME_H

#include "view_side.h"

enum {
    PL_VIEW_SIDE_LIMIT = 2,
    PL_VIEW_STAT_COUNT = 16,       // numbers of each side in a frame
    PL_VIEW_TRACE_COUNT = 64,      // residuals of each side in a frame
    PL_VIEW_CONTACT_LIMIT = 2000,  // contact points in a frame
    PL_VIEW_EXACT_VERTICES = 20000 // scenes with more vertices are sent with 16 bits per coordinate
};

// Bytes to be sent to pages. `refs` and `next` belong to the session.
typedef struct pl_view_blob {
    struct pl_view_blob* next;
    size_t size, room;
    int refs;
    bool is_text, is_frame;
    unsigned char* data;
} pl_view_blob;

pl_status pl_view_blob_fit(pl_view_blob* blob, size_t size, pl_error* error);
void pl_view_blob_free(pl_view_blob* blob);

// Contents of a frame besides the bodies.
typedef struct pl_view_frame_head {
    uint32_t generation;
    uint32_t drag; // the last drag message that this frame includes
    bool is_paused;
    double update_seconds; // for computing what is drawn, before encoding
} pl_view_frame_head;

pl_status pl_view_encode_mesh(const pl_view_side* sides, int side_count, uint32_t generation,
                              pl_view_blob* out, pl_error* error);
pl_status pl_view_encode_frame(const pl_view_side* sides, int side_count,
                               const pl_view_frame_head* head, pl_view_blob* out, pl_error* error);

#endif
