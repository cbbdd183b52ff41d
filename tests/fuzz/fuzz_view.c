// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bytes of a page must give a message that keeps its limits, or an error with a text, and leave no
// memory behind.
#include "view_message.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void check_message(const pl_view_message* m) {
    if (m->verb < 0 || m->verb >= PL_VIEW_VERB_COUNT || m->body < 0 || m->vertex < 0) abort();
    for (int k = 0; k < 3; k++)
        if (!isfinite(m->at[k])) abort();
    if (!isfinite(m->number)) abort();
    if (!memchr(m->name, 0, sizeof m->name) || !memchr(m->text, 0, sizeof m->text)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    pl_view_message message;
    pl_error error = {0};
    pl_status status = pl_view_message_read((const char*)data, size, &message, &error);
    if (status == PL_OK) check_message(&message);
    else if (!error.text[0]) abort();
    if (pl_byte_count() != 0) abort();
    return 0;
}
