// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The counted allocator.
#include "base/memory.h"
#include "base/large_blocks.h"
#include "base/platform.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { ALIGNMENT = 64 };

// The address sanitizer watches only what the C library allocates.
#if defined(__SANITIZE_ADDRESS__)
enum { WATCHED = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { WATCHED = 1 };
#else
enum { WATCHED = 0 };
#endif
#else
enum { WATCHED = 0 };
#endif

static bool is_large(size_t size) { return !WATCHED && size >= PL_LARGE_BLOCK; }

static void* default_alloc(size_t size, void* user) {
    (void)user;
    if (is_large(size)) return pl_large_alloc(size);
    return pl_aligned_alloc(ALIGNMENT, size);
}

static void default_release(void* memory, size_t size, void* user) {
    (void)user;
    if (is_large(size)) pl_large_free(memory, size);
    else pl_aligned_free(memory);
}

static pl_allocator allocator = {default_alloc, default_release, NULL};
static atomic_size_t byte_count;
static _Atomic int64_t alloc_count;
static _Atomic int64_t fail_at;

void pl_set_allocator(const pl_allocator* a) {
    allocator = a ? *a : (pl_allocator){default_alloc, default_release, NULL};
}

size_t pl_byte_count(void) { return atomic_load(&byte_count); }

int64_t pl_inject_failure(int64_t nth) {
    atomic_store(&fail_at, nth);
    return atomic_exchange(&alloc_count, 0);
}

void* pl_alloc(size_t size) {
    if (size == 0 || size > SIZE_MAX / 2) return NULL;
    int64_t number = atomic_fetch_add_explicit(&alloc_count, 1, memory_order_relaxed) + 1;
    if (number == atomic_load_explicit(&fail_at, memory_order_relaxed)) return NULL;
    void* memory = allocator.alloc(size, allocator.user);
    if (!memory) return NULL;
    atomic_fetch_add_explicit(&byte_count, size, memory_order_relaxed);
    // large blocks are zero already; clearing them would only touch their pages early
    bool is_zero = allocator.alloc == default_alloc && is_large(size);
    return is_zero ? memory : memset(memory, 0, size);
}

void pl_free(void* memory, size_t size) {
    if (!memory) return;
    atomic_fetch_sub_explicit(&byte_count, size, memory_order_relaxed);
    allocator.release(memory, size, allocator.user);
}

void* pl_realloc(void* memory, size_t old_size, size_t new_size) {
    void* fresh = pl_alloc(new_size);
    if (!fresh) return NULL;
    if (memory) memcpy(fresh, memory, old_size < new_size ? old_size : new_size);
    pl_free(memory, old_size);
    return fresh;
}

void* pl_alloc_items(size_t count, size_t item_size) {
    return item_size && count > SIZE_MAX / item_size ? NULL : pl_alloc(count * item_size);
}

char* pl_copy_text(const char* text) {
    size_t size = strlen(text) + 1;
    char* copy = pl_alloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void pl_free_text(char* text) {
    if (text) pl_free(text, strlen(text) + 1);
}
