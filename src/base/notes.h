// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Notes: messages about what a call noticed, changed or left out.
#ifndef PL_BASE_NOTES_H
#define PL_BASE_NOTES_H

#include "base/fail.h"

// Adds a note, and logs it; notes may be NULL. A note that cannot be stored because allocation
// fails is only logged.
void pl_note(pl_notes* notes, pl_note_kind kind, const char* format, ...) PL_PRINTF(3, 4);

// The text of the first PL_NOTE_MENDED from index `from` on, or NULL: what strict mode turns into
// an error.
const char* pl_notes_first_mended(const pl_notes* notes, int from);

#endif
