// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Which method reads which key of a body, and with which choices. One table, from which come the
// notes about keys that do nothing, the table of docs/scene.md, and which bodies may be solved as
// one system. Every key of a body stands in it: a test looks.
#ifndef PL_SCENE_KEY_USES_H
#define PL_SCENE_KEY_USES_H

#include "scene/combinations.h"
#include "scene/scene_text.h"

// Whose a setting is. Bodies are solved as one system only if all settings of systems are equal.
typedef enum pl_key_owner { PL_KEY_OF_BODY = 1, PL_KEY_OF_SYSTEM } pl_key_owner;

// What else a key needs to be read.
typedef enum pl_key_needs {
    PL_NEEDS_NOTHING,
    PL_NEEDS_HIERARCHY,
    PL_NEEDS_TEAR,
    PL_NEEDS_SUBSTEPS,
    PL_NEEDS_COMPLIANCE
} pl_key_needs;

// One way in which a key is read. A key may have several rows; it is read if one of them fits.
typedef struct pl_key_use {
    const char* key; // path in a body; also of all keys below it that have no row of their own
    pl_key_owner owner;
    unsigned masks[PL_COMBINE_COUNT]; // as in a pl_combination, but 0: any
    unsigned models;                  // of pbd; 0: any
    pl_key_needs needs;
    bool whole_body; // regions and variations of it are not read
    bool by_nobody;  // in this version
} pl_key_use;

// The rows of a key, or NULL if the table does not have it.
const pl_key_use* pl_key_uses(const char* key, int* count);

// True if the body's method reads the key with the body's choices; a solver that is still open may
// become any. in_region: as a value of a region or a variation.
bool pl_key_is_read(const pl_body* body, const char* key, bool in_region);

// Notes each key of a body that has another value than its default, or a curve, and is not read.
void pl_note_unread_keys(const pl_scene* scene, int body, pl_notes* notes);

// True if no setting of a system differs between two bodies, and none changes during the run.
bool pl_bodies_share_settings(const pl_scene* scene, int first, int second);

// "fem (solid; law membrane), grid": the methods that read a key, or "" if all do with any choices.
void pl_key_readers(const char* key, char* text, size_t size);

// The table of the reference.
void pl_key_uses_docs(pl_text* text);

#endif
