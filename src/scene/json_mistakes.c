// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "scene/json_mistakes.h"

#include <string.h>

static size_t skip_string(const char* text, size_t size, size_t at) {
    for (at++; at < size && text[at] != '"' && text[at] != '\n'; at++)
        if (text[at] == '\\') at++;
    return at + 1;
}

static size_t skip_space(const char* text, size_t size, size_t at) {
    while (at < size && text[at] && strchr(" \t\r\n", text[at])) at++;
    return at;
}

static int begins(const char* text, size_t size, size_t at, const char* word) {
    size_t length = strlen(word);
    return at + length <= size && memcmp(text + at, word, length) == 0;
}

// the mistake that starts at one byte outside strings, or NULL
static const char* mistake_at(const char* text, size_t size, size_t at) {
    switch (text[at]) {
    case '#': return "JSON has no comments; put the text into a key \"comment\"";
    case '/':
        if (begins(text, size, at, "//") || begins(text, size, at, "/*"))
            return "JSON has no comments; put the text into a key \"comment\"";
        return NULL;
    case '\'': return "strings and keys need double quotes (\"), not single quotes (')";
    case ',': {
        size_t next = skip_space(text, size, at + 1);
        if (next < size && (text[next] == ']' || text[next] == '}'))
            return "a comma before a closing bracket; remove it";
        if (next < size && text[next] == ',') return "two commas in a row; remove one";
        return NULL;
    }
    case 'N': return begins(text, size, at, "NaN") ? "JSON has no NaN; leave the key out" : NULL;
    case 'I':
        return begins(text, size, at, "Infinity") ? "JSON has no Infinity; write a large number"
                                                  : NULL;
    default: return NULL;
    }
}

const char* pl_json_mistake(const char* text, size_t size, size_t* offset) {
    for (size_t at = 0; at < size;) {
        const char* mistake = mistake_at(text, size, at);
        *offset = at;
        if (mistake) return mistake;
        at = text[at] == '"' ? skip_string(text, size, at) : at + 1;
    }
    return NULL;
}
