// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bytes must give a scene or an error with a text, and leave no memory behind. A scene must be
// written and read again to the same text.
#include "scene/scene_read.h"
#include "scene/scene_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void check_written(const pl_scene* scene) {
    pl_text first = pl_text_begin(), second = pl_text_begin();
    pl_error error = {0};
    pl_scene* again;
    if (pl_scene_to_text(scene, &first, &error) != PL_OK) abort();
    if (pl_scene_read_memory(first.bytes.data, first.bytes.count, "again.json", NULL, 0, &again,
                             NULL, &error) != PL_OK)
        abort();
    if (pl_scene_to_text(again, &second, &error) != PL_OK) abort();
    if (strcmp(pl_text_get(&first), pl_text_get(&second)) != 0) abort();
    pl_scene_evaluate(again, 0.7);
    pl_scene_destroy(again);
    pl_text_free(&first);
    pl_text_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // the first line may be a value from the command line
    char line[256] = "";
    const char* overrides[] = {line};
    const uint8_t* end =
        size ? memchr(data, '\n', size < sizeof line ? size : sizeof line - 1) : NULL;
    bool overrides_it = end && data[0] != '{';
    if (overrides_it) {
        memcpy(line, data, (size_t)(end - data));
        size -= (size_t)(end + 1 - data);
        data = end + 1;
    }
    pl_scene* scene;
    pl_error error = {0};
    pl_status status = pl_scene_read_memory(data, size, "/nowhere/fuzz.json", overrides,
                                            overrides_it, &scene, NULL, &error);
    if ((status == PL_OK) != (scene != NULL) || (status != PL_OK && !error.text[0])) abort();
    if (scene) check_written(scene);
    pl_scene_destroy(scene);
    if (pl_byte_count() != 0) abort();
    return 0;
}
