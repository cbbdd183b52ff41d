// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Notes as a growing list of short texts.
#include "base/notes.h"
#include "base/array.h"
#include "base/log.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct note {
    pl_note_kind kind;
    char text[508];
} note;

struct pl_notes {
    pl_array list; // of note
};

pl_status pl_notes_create(pl_notes** out) {
    *out = PL_ALLOC(pl_notes, 1);
    if (!*out) return PL_ERROR_MEMORY;
    (*out)->list = pl_array_of(sizeof(note));
    return PL_OK;
}

void pl_notes_destroy(pl_notes* notes) {
    if (!notes) return;
    pl_array_free(&notes->list);
    PL_FREE(notes, pl_notes, 1);
}

int pl_notes_count(const pl_notes* notes) { return notes ? (int)notes->list.count : 0; }

const char* pl_notes_text(const pl_notes* notes, int index, pl_note_kind* kind) {
    const note* n = (const note*)notes->list.data + index;
    if (kind) *kind = n->kind;
    return n->text;
}

void pl_note(pl_notes* notes, pl_note_kind kind, const char* format, ...) {
    note n = {.kind = kind};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(n.text, sizeof n.text, format, arguments);
    va_end(arguments);
    pl_log(kind == PL_NOTE_MENDED ? PL_LOG_WARNING : PL_LOG_INFO, "%s", n.text);
    if (notes) pl_array_push(&notes->list, &n);
}

const char* pl_notes_first_mended(const pl_notes* notes, int from) {
    for (int i = from; i < pl_notes_count(notes); i++) {
        pl_note_kind kind;
        const char* text = pl_notes_text(notes, i, &kind);
        if (kind == PL_NOTE_MENDED) return text;
    }
    return NULL;
}
