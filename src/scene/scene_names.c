// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The tables of choices, and suggestions for misspelled names.
#include "scene/scene_type.h"

#include <ctype.h>
#include <string.h>

#define CHOICE_ITEM(code, name, help) {name, help},
#define CHOICE_TABLE(type, list, last)                                                             \
    static const pl_choice items_of_##type[] = {list(CHOICE_ITEM)};                                \
    const pl_choices pl_choices_of_##type = {last, items_of_##type};                               \
    const char* type##_name(int value) {                                                           \
        return value >= 0 && value < last ? items_of_##type[value].name : NULL;                    \
    }
PL_CHOICE_LISTS(CHOICE_TABLE)
#undef CHOICE_TABLE
#undef CHOICE_ITEM

int pl_choice_find(const pl_choices* choices, const char* name) {
    for (int i = 0; i < choices->count; i++)
        if (strcmp(choices->items[i].name, name) == 0) return i;
    return -1;
}

enum { NAME_LIMIT = 40 };

// case and '-' for '_' do not count as edits
static char loose(char c) { return c == '-' ? '_' : (char)tolower((unsigned char)c); }

// edits (insert, drop, change, swap of neighbours) from a to b
static int edit_distance(const char* a, const char* b) {
    int m = (int)strlen(a), n = (int)strlen(b);
    if (m > NAME_LIMIT || n > NAME_LIMIT) return m + n;
    int rows[3][NAME_LIMIT + 1] = {{0}};
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= n; j++) last[j] = j;
    for (int i = 1; i <= m; i++) {
        now[0] = i;
        for (int j = 1; j <= n; j++) {
            int best = last[j - 1] + (loose(a[i - 1]) != loose(b[j - 1]));
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && loose(a[i - 1]) == loose(b[j - 2]) &&
                loose(a[i - 2]) == loose(b[j - 1]) && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        int* oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[n];
}

const char* pl_nearest_name(const char* name, const char* const* names, int count) {
    const char* nearest = NULL;
    // about two thirds of the letters must be right
    int best = 1 + ((int)strlen(name) + 1) / 3;
    for (int i = 0; i < count; i++) {
        int distance = edit_distance(name, names[i]);
        if (distance < best) best = distance, nearest = names[i];
    }
    return nearest;
}
