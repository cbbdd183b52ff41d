// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Binary data start with a header of unsigned integers: plain data with their size in bytes;
// compressed data with the number of blocks, the size of a whole block, the size of the last one if
// that is shorter (else 0), and the compressed size of each block. In base64, the header of
// compressed data is encoded separately. Both cases are read as one stream, by accepting "=" at the
// end of any group of four characters. Layout: VTK's wiki page "VTK XML Formats".
#include "mesh/vtu_array.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

// all arrays together may take this much memory, and beyond it this many times the size of the file
static const uint64_t DATA_FREE_BYTES = UINT64_C(16) << 20;
static const uint64_t DATA_RATIO = 64;

void pl_vtu_file_limit(pl_vtu_file* file) {
    file->bytes_left = DATA_FREE_BYTES + DATA_RATIO * file->source->size;
}

static pl_status fail(const pl_vtu_file* file, const pl_vtu_array* array, pl_error* error,
                      pl_status status, const char* format, ...) PL_PRINTF(5, 6);

static pl_status fail(const pl_vtu_file* file, const pl_vtu_array* array, pl_error* error,
                      pl_status status, const char* format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pl_scan scan = {file->source, array->place, file->source->data + file->source->size};
    return pl_scan_fail(&scan, error, status, "array \"%s\": %s", array->name, text);
}

static pl_status wrong_count(const pl_vtu_file* file, const pl_vtu_array* array, size_t found,
                             size_t expected, pl_error* error) {
    return fail(file, array, error, PL_ERROR_FORMAT,
                "holds %zu numbers, but the counts of the piece ask for %zu", found, expected);
}

// bytes, raw or decoded from base64
typedef struct stream {
    const char* at;
    const char* end;
    bool base64;
    unsigned char pending[3]; // decoded, not yet read: the last pending_count of them
    int pending_count;
} stream;

static stream begin_stream(const pl_vtu_file* file, const pl_vtu_array* array) {
    const char* end = file->source->data + file->source->size;
    stream s = {.end = end, .base64 = true};
    if (array->encoding == PL_VTU_INLINE) {
        s.at = array->text;
        const char* tag = memchr(s.at, '<', (size_t)(end - s.at));
        if (tag) s.end = tag;
    } else {
        s.at = array->offset <= (uint64_t)(end - file->appended) ? file->appended + array->offset
                                                                 : end;
        s.base64 = file->appended_base64;
    }
    return s;
}

// upper bound of the bytes that can follow
static size_t stream_room(const stream* s) {
    size_t left = (size_t)(s->end - s->at);
    return s->base64 ? left / 4 * 3 + 3 + (size_t)s->pending_count : left;
}

static int base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : c == '=' ? -1 : -2;
}

static bool next_group(stream* s) {
    int values[4];
    for (int k = 0; k < 4; k++) {
        while (s->at < s->end &&
               (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
            s->at++;
        values[k] = s->at < s->end ? base64_value(*s->at++) : -2;
        if (values[k] == -2 || (k < 2 && values[k] < 0)) return false;
    }
    if (values[2] < 0 && values[3] >= 0) return false;
    int count = values[2] < 0 ? 1 : values[3] < 0 ? 2 : 3;
    int bits = values[0] << 18 | values[1] << 12 | (values[2] < 0 ? 0 : values[2] << 6) |
               (values[3] < 0 ? 0 : values[3]);
    for (int k = 0; k < count; k++)
        s->pending[3 - count + k] = (unsigned char)(bits >> (16 - 8 * k));
    s->pending_count = count;
    return true;
}

static bool stream_read(stream* s, void* to, size_t size) {
    unsigned char* out = to;
    if (!s->base64) {
        if ((size_t)(s->end - s->at) < size) return false;
        if (size) memcpy(out, s->at, size);
        s->at += size;
        return true;
    }
    while (size > 0) {
        if (s->pending_count == 0 && !next_group(s)) return false;
        *out++ = s->pending[3 - s->pending_count--];
        size--;
    }
    return true;
}

static bool read_header_word(const pl_vtu_file* file, stream* s, uint64_t* value) {
    unsigned char bytes[8];
    size_t size = file->wide_header ? 8 : 4;
    if (!stream_read(s, bytes, size)) return false;
    bool little = file->swap == pl_is_big_endian();
    *value = 0;
    for (size_t k = 0; k < size; k++) *value = *value << 8 | bytes[little ? size - 1 - k : k];
    return true;
}

// counts bytes against the limit: blocks may be bombs, and many arrays may share one offset
static pl_status take_bytes(pl_vtu_file* file, const pl_vtu_array* array, uint64_t size,
                            pl_error* error) {
    uint64_t needed = size / pl_number_size(array->type);
    if (needed > file->bytes_left / sizeof(double))
        return pl_fail(error, PL_ERROR_LIMIT,
                       "%s: with array \"%s\" the data are more than %llu times the file's size, "
                       "which no mesh is",
                       file->source->path, array->name, (unsigned long long)DATA_RATIO);
    file->bytes_left -= needed * sizeof(double);
    return PL_OK;
}

// plain data: their size, then the data
static pl_status read_plain(pl_vtu_file* file, const pl_vtu_array* array, stream* s,
                            pl_array* bytes, pl_error* error) {
    uint64_t size;
    if (!read_header_word(file, s, &size))
        return fail(file, array, error, PL_ERROR_FORMAT, "its data are missing or damaged");
    if (size > stream_room(s))
        return fail(file, array, error, PL_ERROR_FORMAT,
                    "should have %llu bytes, but only %zu are left in the file",
                    (unsigned long long)size, stream_room(s));
    if (size == 0) return PL_OK;
    pl_status status = take_bytes(file, array, size, error);
    if (status != PL_OK) return status;
    char* place = pl_array_add(bytes, (size_t)size);
    if (!place) return pl_fail_memory(error, file->source->path);
    if (stream_read(s, place, (size_t)size)) return PL_OK;
    return fail(file, array, error, PL_ERROR_FORMAT, "its data end too early or are damaged");
}

typedef struct blocks {
    uint64_t count;
    uint64_t size;      // of each unpacked
    uint64_t last_size; // of the last
    pl_array packed;    // uint64_t: size of each packed
} blocks;

static pl_status read_block_header(const pl_vtu_file* file, const pl_vtu_array* array, stream* s,
                                   blocks* b, pl_error* error) {
    size_t word = file->wide_header ? 8 : 4;
    if (!read_header_word(file, s, &b->count) || !read_header_word(file, s, &b->size) ||
        !read_header_word(file, s, &b->last_size))
        return fail(file, array, error, PL_ERROR_FORMAT, "its data are missing or damaged");
    if (b->count > stream_room(s) / word)
        return fail(file, array, error, PL_ERROR_FORMAT,
                    "should have %llu compressed blocks, which the file cannot hold",
                    (unsigned long long)b->count);
    if (b->last_size > b->size)
        return fail(file, array, error, PL_ERROR_FORMAT,
                    "the last compressed block is larger than a whole one");
    if (b->last_size == 0) b->last_size = b->size;
    uint64_t* sizes = pl_array_add(&b->packed, (size_t)b->count);
    if (!sizes && b->count) return pl_fail_memory(error, file->source->path);
    for (uint64_t i = 0; i < b->count; i++)
        if (!read_header_word(file, s, &sizes[i]))
            return fail(file, array, error, PL_ERROR_FORMAT,
                        "the sizes of its compressed blocks are missing or damaged");
    return PL_OK;
}

// one block of exactly `size` bytes
static pl_status unpack_block(pl_vtu_file* file, const pl_vtu_array* array, stream* s,
                              pl_array* packed, uint64_t packed_size, uint64_t size,
                              pl_array* bytes, pl_error* error) {
    if (packed_size > stream_room(s))
        return fail(file, array, error, PL_ERROR_FORMAT,
                    "a compressed block of %llu bytes ends behind the file",
                    (unsigned long long)packed_size);
    // zlib compresses at most 1032 to 1, so a false size is found before allocating
    if (size / 1100 > packed_size)
        return fail(file, array, error, PL_ERROR_FORMAT,
                    "a compressed block of %llu bytes cannot hold %llu",
                    (unsigned long long)packed_size, (unsigned long long)size);
    pl_status status = take_bytes(file, array, size, error);
    if (status != PL_OK) return status;
    packed->count = 0;
    Bytef* in = pl_array_add(packed, (size_t)packed_size + 1);
    Bytef* out = pl_array_add(bytes, (size_t)size);
    if (!in || (!out && size)) return pl_fail_memory(error, file->source->path);
    if (!stream_read(s, in, (size_t)packed_size))
        return fail(file, array, error, PL_ERROR_FORMAT, "its data end too early or are damaged");
    uLongf got = (uLongf)size;
    int code = size ? uncompress(out, &got, in, (uLong)packed_size) : Z_OK;
    if (code == Z_MEM_ERROR) return pl_fail_memory(error, file->source->path);
    if (code == Z_OK && got == size) return PL_OK;
    return fail(file, array, error, PL_ERROR_FORMAT,
                "a compressed block is damaged or does not hold the %llu bytes that are stated",
                (unsigned long long)size);
}

static pl_status read_blocks(pl_vtu_file* file, const pl_vtu_array* array, stream* s,
                             pl_array* bytes, pl_error* error) {
    blocks b = {.packed = pl_array_of(sizeof(uint64_t))};
    pl_array packed = pl_array_of(1);
    pl_status status = read_block_header(file, array, s, &b, error);
    const uint64_t* sizes = b.packed.data;
    for (uint64_t i = 0; status == PL_OK && i < b.count; i++)
        status = unpack_block(file, array, s, &packed, sizes[i],
                              i + 1 < b.count ? b.size : b.last_size, bytes, error);
    pl_array_free(&packed);
    pl_array_free(&b.packed);
    return status;
}

// the array's bytes, a whole number of numbers; *count is set to that
static pl_status read_bytes(pl_vtu_file* file, const pl_vtu_array* array, size_t expected,
                            pl_array* bytes, size_t* count, pl_error* error) {
    if (array->encoding == PL_VTU_APPENDED && !file->appended)
        return fail(file, array, error, PL_ERROR_FORMAT,
                    "its data are appended, but the file has no <AppendedData>");
    stream s = begin_stream(file, array);
    pl_status status = file->zlib ? read_blocks(file, array, &s, bytes, error)
                                  : read_plain(file, array, &s, bytes, error);
    if (status != PL_OK) return status;
    size_t size = pl_number_size(array->type);
    *count = bytes->count / size;
    if (bytes->count % size)
        return fail(file, array, error, PL_ERROR_FORMAT,
                    "%zu bytes are not a whole number of values", bytes->count);
    if (expected != SIZE_MAX && *count != expected)
        return wrong_count(file, array, *count, expected, error);
    return PL_OK;
}

// reads text until the next tag; `number` reads one value and returns false if there is none
static pl_status read_text(const pl_vtu_file* file, const pl_vtu_array* array, size_t expected,
                           bool (*number)(pl_scan* scan, void* place), pl_array* out,
                           pl_error* error) {
    const char* end = file->source->data + file->source->size;
    pl_scan scan = {file->source, array->text, end};
    const char* tag = memchr(array->text, '<', (size_t)(end - array->text));
    size_t before = out->count, room = (size_t)((tag ? tag : end) - array->text) / 2 + 1;
    size_t wanted = expected < room ? expected : 0;
    if (wanted && !pl_array_reserve(out, before + wanted))
        return pl_fail_memory(error, file->source->path);
    for (;;) {
        pl_scan_skip_space(&scan, '\0');
        if (pl_scan_at_end(&scan) || *scan.at == '<') break;
        void* place = pl_array_add(out, 1);
        if (!place) return pl_fail_memory(error, file->source->path);
        if (!number(&scan, place)) return pl_scan_expected(&scan, error, "a number");
    }
    if (expected != SIZE_MAX && out->count - before != expected)
        return wrong_count(file, array, out->count - before, expected, error);
    return PL_OK;
}

static bool scan_double(pl_scan* scan, void* place) { return pl_scan_double(scan, place); }
static bool scan_int(pl_scan* scan, void* place) { return pl_scan_int(scan, place); }

pl_status pl_vtu_read_doubles(pl_vtu_file* file, const pl_vtu_array* array, size_t expected,
                              pl_array* out, pl_error* error) {
    if (array->encoding == PL_VTU_TEXT)
        return read_text(file, array, expected, scan_double, out, error);
    pl_array bytes = pl_array_of(1);
    size_t count = 0;
    pl_status status = read_bytes(file, array, expected, &bytes, &count, error);
    if (status == PL_OK && count > 0) {
        double* place = pl_array_add(out, count);
        if (place) pl_numbers_to_doubles(array->type, bytes.data, count, file->swap, place);
        else status = pl_fail_memory(error, file->source->path);
    }
    pl_array_free(&bytes);
    return status;
}

pl_status pl_vtu_read_ints(pl_vtu_file* file, const pl_vtu_array* array, size_t expected,
                           pl_array* out, pl_error* error) {
    if (array->encoding == PL_VTU_TEXT)
        return read_text(file, array, expected, scan_int, out, error);
    pl_array bytes = pl_array_of(1);
    size_t count = 0, good = 0;
    pl_status status = read_bytes(file, array, expected, &bytes, &count, error);
    if (status == PL_OK && count > 0) {
        int* place = pl_array_add(out, count);
        if (place) good = pl_numbers_to_ints(array->type, bytes.data, count, file->swap, place);
        else status = pl_fail_memory(error, file->source->path);
    }
    pl_array_free(&bytes);
    if (status == PL_OK && good != count)
        return fail(file, array, error, PL_ERROR_FORMAT, "number %zu is not an index", good);
    return status;
}
