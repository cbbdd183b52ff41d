// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Kept memory is a short list of ranges, sorted by address. Adjacent ranges are joined. A new block
// takes the smallest range it fits into; the rest of that range stays in the list.
#include "base/large_blocks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 1 << 21, MAX_RANGES = 64 };

// Kept at most: this much, and a quarter of what is in use.
static const size_t ALWAYS_KEPT = (size_t)64 << 20;

typedef struct range {
    char* begin;
    size_t size;
} range;

static struct {
    pthread_mutex_t mutex;
    range kept[MAX_RANGES];
    int count;
    size_t kept_size, used_size;
} blocks = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static size_t whole_pages(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

static void drop_range(int at) {
    blocks.kept_size -= blocks.kept[at].size;
    blocks.count--;
    memmove(&blocks.kept[at], &blocks.kept[at + 1], (size_t)(blocks.count - at) * sizeof(range));
}

// the start of the smallest kept range that fits; NULL if none is large enough
static char* take_kept(size_t size) {
    int best = -1;
    for (int i = 0; i < blocks.count; i++)
        if (blocks.kept[i].size >= size &&
            (best < 0 || blocks.kept[i].size < blocks.kept[best].size))
            best = i;
    if (best < 0) return NULL;
    range* r = &blocks.kept[best];
    char* begin = r->begin;
    r->begin += size;
    r->size -= size;
    blocks.kept_size -= size;
    if (r->size == 0) drop_range(best);
    return begin;
}

// Maps fresh pages. Extra pages that were mapped for alignment are returned.
static char* map_pages(size_t size) {
    char* all = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return NULL;
    size_t before = (PAGE - (uintptr_t)all % PAGE) % PAGE;
    if (before) munmap(all, before);
    if (PAGE - before) munmap(all + before + size, PAGE - before);
#ifdef MADV_HUGEPAGE
    madvise(all + before, size, MADV_HUGEPAGE); // a wish; refusal does no harm
#endif
    return all + before;
}

void* pl_large_alloc(size_t size) {
    size_t pages = whole_pages(size);
    pthread_mutex_lock(&blocks.mutex);
    char* memory = take_kept(pages);
    blocks.used_size += pages;
    pthread_mutex_unlock(&blocks.mutex);
    if (memory) return memset(memory, 0, size);
    memory = map_pages(pages);
    if (!memory) {
        pthread_mutex_lock(&blocks.mutex);
        blocks.used_size -= pages;
        pthread_mutex_unlock(&blocks.mutex);
    }
    return memory;
}

// false if the list is full
static bool keep(char* begin, size_t size) {
    int at = 0;
    while (at < blocks.count && blocks.kept[at].begin < begin) at++;
    bool joins_before = at > 0 && blocks.kept[at - 1].begin + blocks.kept[at - 1].size == begin;
    bool joins_behind = at < blocks.count && begin + size == blocks.kept[at].begin;
    if (!joins_before && !joins_behind && blocks.count == MAX_RANGES) return false;
    blocks.kept_size += size;
    if (joins_before) {
        range* r = &blocks.kept[at - 1];
        r->size += size;
        if (joins_behind) {
            size_t more = blocks.kept[at].size;
            drop_range(at);
            r->size += more;
            blocks.kept_size += more;
        }
    } else if (joins_behind) {
        blocks.kept[at].begin = begin;
        blocks.kept[at].size += size;
    } else {
        memmove(&blocks.kept[at + 1], &blocks.kept[at],
                (size_t)(blocks.count - at) * sizeof(range));
        blocks.kept[at] = (range){begin, size};
        blocks.count++;
    }
    return true;
}

// returns ranges to the system, the largest first, until the rest is within the limit
static void return_excess(void) {
    while (blocks.kept_size > ALWAYS_KEPT + blocks.used_size / 4) {
        int largest = 0;
        for (int i = 1; i < blocks.count; i++)
            if (blocks.kept[i].size > blocks.kept[largest].size) largest = i;
        munmap(blocks.kept[largest].begin, blocks.kept[largest].size);
        drop_range(largest);
    }
}

void pl_large_free(void* memory, size_t size) {
    size_t pages = whole_pages(size);
    pthread_mutex_lock(&blocks.mutex);
    blocks.used_size -= pages;
    if (keep(memory, pages)) return_excess();
    else munmap(memory, pages);
    pthread_mutex_unlock(&blocks.mutex);
}

size_t pl_large_kept(void) {
    pthread_mutex_lock(&blocks.mutex);
    size_t size = blocks.kept_size;
    pthread_mutex_unlock(&blocks.mutex);
    return size;
}
