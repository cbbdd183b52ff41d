// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Capacity grows by half.
#include "base/array.h"
#include "base/memory.h"

#include <string.h>

bool pl_array_reserve(pl_array* array, size_t capacity) {
    if (capacity <= array->capacity) return true;
    if (capacity > SIZE_MAX / array->item_size) return false;
    void* data =
        pl_realloc(array->data, array->capacity * array->item_size, capacity * array->item_size);
    if (!data) return false;
    array->data = data;
    array->capacity = capacity;
    return true;
}

void* pl_array_add(pl_array* array, size_t n) {
    size_t needed = array->count + n;
    if (needed == 0) return array->data; // NULL plus 0 is undefined
    if (needed > array->capacity) {
        size_t grown = array->capacity + array->capacity / 2 + 16;
        if (!pl_array_reserve(array, needed > grown ? needed : grown)) return NULL;
    }
    void* first = (char*)array->data + array->count * array->item_size;
    array->count = needed;
    return first;
}

bool pl_array_push(pl_array* array, const void* item) {
    void* place = pl_array_add(array, 1);
    if (place) memcpy(place, item, array->item_size);
    return place != NULL;
}

void pl_array_free(pl_array* array) {
    pl_free(array->data, array->capacity * array->item_size);
    *array = pl_array_of(array->item_size);
}

bool pl_array_take(pl_array* array, void** out) {
    *out = NULL;
    if (array->count == 0) {
        pl_array_free(array);
        return true;
    }
    if (array->count < array->capacity) {
        void* data = pl_realloc(array->data, array->capacity * array->item_size,
                                array->count * array->item_size);
        if (!data) return false;
        array->data = data;
    }
    *out = array->data;
    *array = pl_array_of(array->item_size);
    return true;
}

int pl_compare_ints(const void* a, const void* b) {
    int x = *(const int*)a, y = *(const int*)b;
    return (x > y) - (x < y);
}

int pl_compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}
