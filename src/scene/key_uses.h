// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Which method reads which key of a body, and with which choices. From this one table come the
// notes about keys without effect, the table in docs/scene.md, and the decision which bodies are
// solved as one system. A test checks that it lists every key of a body.
#ifndef PL_SCENE_KEY_USES_H
#define PL_SCENE_KEY_USES_H

#include "scene/combinations.h"
#include "scene/scene_text.h"

// Whether a setting belongs to a body or to a system. Bodies are solved as one system only if all
// system settings are equal.
typedef enum pl_key_owner { PL_KEY_OF_BODY = 1, PL_KEY_OF_SYSTEM } pl_key_owner;

// Further conditions for a key to be read.
typedef enum pl_key_needs {
    PL_NEEDS_NOTHING,
    PL_NEEDS_HIERARCHY,
    PL_NEEDS_TEAR,
    PL_NEEDS_SUBSTEPS,
    PL_NEEDS_COMPLIANCE
} pl_key_needs;

// One way in which a key is read. A key may have several rows; it is read if one of them fits.
typedef struct pl_key_use {
    const char* key; // path in a body; also holds for keys below it without a row of their own
    pl_key_owner owner;
    unsigned masks[PL_COMBINE_COUNT]; // as in pl_combination; 0: any
    unsigned models;                  // of pbd; 0: any
    pl_key_needs needs;
    bool whole_body; // not read from regions and variations
    bool by_nobody;  // no method of this version reads it
} pl_key_use;

// The rows of a key, or NULL if it is not in the table.
const pl_key_use* pl_key_uses(const char* key, int* count);

// True if the body's method reads the key with the body's choices. A solver that is not chosen yet
// may become any. in_region: as a value of a region or a variation.
bool pl_key_is_read(const pl_body* body, const char* key, bool in_region);

// Notes each key of a body that has a non-default value or a curve but is not read.
void pl_note_unread_keys(const pl_scene* scene, int body, pl_notes* notes);

// True if all system settings of two bodies are equal and none changes during the run.
bool pl_bodies_share_settings(const pl_scene* scene, int first, int second);

// "fem (solid; law membrane), grid": the methods that read a key, or "" if all do with any choices.
void pl_key_readers(const char* key, char* text, size_t size);

// The table of the reference.
void pl_key_uses_docs(pl_text* text);

#endif
