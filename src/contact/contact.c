// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "contact/contact.h"

pl_status pl_detect_all(pl_detect detect, void* user, const double* start, const double* x,
                        pl_array* contacts, pl_error* error) {
    contacts->count = 0;
    while (detect) {
        const int found = detect(user, start, x, contacts->data, (int)contacts->capacity);
        if ((size_t)found <= contacts->capacity) {
            contacts->count = (size_t)found;
            break;
        }
        if (!pl_array_reserve(contacts, (size_t)found + (size_t)found / 2))
            return pl_fail_memory(error, "contacts");
    }
    return PL_OK;
}
