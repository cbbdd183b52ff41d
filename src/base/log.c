// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Messages to the host's callback; without one, nothing.
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static struct {
    pl_log_callback callback;
    pl_log_level level;
    void* user;
} hook;

void pl_set_log(pl_log_callback callback, pl_log_level level, void* user) {
    hook.callback = callback;
    hook.level = level;
    hook.user = user;
}

void pl_log(pl_log_level level, const char* format, ...) {
    if (!hook.callback || level > hook.level) return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    hook.callback(level, text, hook.user);
}
