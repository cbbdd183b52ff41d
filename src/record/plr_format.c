// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/plr_format.h"
#include "base/hash.h"

#include <string.h>

static const char MAGIC[9] = "PLIANTRC";
static const uint32_t BYTE_ORDER_MARK = 0x01020304;

// little-endian on every machine
static void put32(uint8_t* out, uint32_t value) {
    for (int i = 0; i < 4; i++) out[i] = (uint8_t)(value >> 8 * i);
}
static void put64(uint8_t* out, uint64_t value) {
    for (int i = 0; i < 8; i++) out[i] = (uint8_t)(value >> 8 * i);
}
static uint32_t get32(const uint8_t* in) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) value |= (uint32_t)in[i] << 8 * i;
    return value;
}
static uint64_t get64(const uint8_t* in) { return get32(in) | (uint64_t)get32(in + 4) << 32; }
static void put_double(uint8_t* out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    put64(out, bits);
}
static float get_float(const uint8_t* in) {
    uint32_t bits = get32(in);
    float value;
    memcpy(&value, &bits, 4);
    return value;
}
static double get_double(const uint8_t* in) {
    uint64_t bits = get64(in);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

void pl_plr_swap_floats(float* values, uint64_t count) {
    const uint16_t probe = 1;
    if (*(const uint8_t*)&probe == 1) return;
    for (uint64_t i = 0; i < count; i++) {
        uint8_t* p = (uint8_t*)&values[i];
        uint8_t a = p[0], b = p[1];
        p[0] = p[3], p[1] = p[2], p[2] = b, p[3] = a;
    }
}

void pl_plr_put_magic(uint8_t out[PL_PLR_MAGIC_SIZE]) {
    memcpy(out, MAGIC, 8);
    put32(out + 8, PL_PLR_VERSION);
    put32(out + 12, BYTE_ORDER_MARK);
}

const char* pl_plr_check_magic(const uint8_t in[PL_PLR_MAGIC_SIZE]) {
    if (memcmp(in, MAGIC, 8) != 0) return "is not a recording of pliant";
    if (get32(in + 8) != PL_PLR_VERSION || get32(in + 12) != BYTE_ORDER_MARK)
        return "is a recording of another version; read it with the pliant that wrote it";
    return NULL;
}

void pl_plr_put_chunk(const pl_plr_chunk* chunk, uint8_t out[PL_PLR_CHUNK_SIZE]) {
    memcpy(out, chunk->kind, 4);
    put32(out + 4, chunk->encoding);
    put64(out + 8, chunk->raw_size);
    put64(out + 16, chunk->stored_size);
    put64(out + 24, chunk->checksum);
    put64(out + 32, (uint64_t)chunk->number);
    put_double(out + 40, chunk->time);
    put64(out + 48, 0);
    put64(out + 56, pl_hash_bytes(out, 56, 0));
}

bool pl_plr_get_chunk(const uint8_t in[PL_PLR_CHUNK_SIZE], pl_plr_chunk* chunk) {
    if (get64(in + 56) != pl_hash_bytes(in, 56, 0)) return false;
    memcpy(chunk->kind, in, 4);
    chunk->encoding = get32(in + 4);
    chunk->raw_size = get64(in + 8);
    chunk->stored_size = get64(in + 16);
    chunk->checksum = get64(in + 24);
    chunk->number = (int64_t)get64(in + 32);
    chunk->time = get_double(in + 40);
    return true;
}

int pl_plr_element_count(const pl_record_body* body, pl_element_kind kind) {
    return kind == PL_ELEMENT_VERTEX     ? body->vertex_count
           : kind == PL_ELEMENT_TRIANGLE ? body->triangle_count
                                         : body->tet_count;
}

uint64_t pl_plr_frame_size(const pl_record_head* head) {
    const uint64_t most = UINT64_C(1) << 40;
    uint64_t size = 0;
    for (int i = 0; i < head->body_count; i++) {
        const pl_record_body* b = &head->bodies[i];
        size += (uint64_t)b->vertex_count * 12;
        for (int k = 0; k < b->field_count; k++)
            size += (uint64_t)pl_plr_element_count(b, b->fields[k].kind) *
                    (uint64_t)b->fields[k].components * 4;
        if (size > most) return 0;
    }
    return size;
}

// what is wrong with a body's counts, or NULL
static const char* body_fault(const pl_record_body* b) {
    if (b->vertex_count < 0 || b->triangle_count < 0 || b->tet_count < 0 || b->uv_count < 0 ||
        b->normal_count < 0 || b->region_count < 0 || b->field_count < 0)
        return "a count is negative";
    if ((b->uv_count > 0) != (b->triangle_uvs != NULL)) return "texture coordinates are incomplete";
    if ((b->normal_count > 0) != (b->triangle_normals != NULL)) return "normals are incomplete";
    if (b->triangle_regions && b->region_count == 0) return "regions have no names";
    for (int i = 0; i < 3 * b->triangle_count; i++)
        if (b->triangles[i] < 0 || b->triangles[i] >= b->vertex_count)
            return "a triangle refers to a vertex that is not there";
    for (int i = 0; i < 4 * b->tet_count; i++)
        if (b->tets[i] < 0 || b->tets[i] >= b->vertex_count)
            return "a tet refers to a vertex that is not there";
    for (int i = 0; b->triangle_uvs && i < 3 * b->triangle_count; i++)
        if (b->triangle_uvs[i] < -1 || b->triangle_uvs[i] >= b->uv_count)
            return "a triangle refers to a texture coordinate that is not there";
    for (int i = 0; b->triangle_normals && i < 3 * b->triangle_count; i++)
        if (b->triangle_normals[i] < -1 || b->triangle_normals[i] >= b->normal_count)
            return "a triangle refers to a normal that is not there";
    for (int i = 1; b->triangle_faces && i < b->triangle_count; i++)
        if (b->triangle_faces[i] < b->triangle_faces[i - 1])
            return "the triangles are not in the order of their faces";
    for (int i = 0; b->triangle_regions && i < b->triangle_count; i++)
        if (b->triangle_regions[i] < -1 || b->triangle_regions[i] >= b->region_count)
            return "a triangle refers to a region that is not there";
    for (int i = 0; b->vertices && i < b->vertex_count; i++)
        if (b->vertices[i] < 0) return "a vertex of the mesh is negative";
    for (int i = 0; i < b->field_count; i++) {
        const pl_record_field* f = &b->fields[i];
        if ((unsigned)f->kind > PL_ELEMENT_TET || f->components < 1 ||
            f->components > PL_RECORD_MAX_COMPONENTS)
            return "a field has no kind or too many components";
    }
    return NULL;
}

// describes the first error in a head, or NULL; *body: the body with the error
static const char* head_fault(const pl_record_head* head, const char** body) {
    *body = "";
    if (head->body_count < 0) return "the number of bodies is negative";
    if (head->up_axis < 0 || head->up_axis > 2) return "the up axis is not 0, 1 or 2";
    for (int i = 0; i < head->body_count; i++) {
        const pl_record_body* b = &head->bodies[i];
        *body = b->name;
        // keeps products of counts within int
        if (b->vertex_count > 500000000 || b->triangle_count > 500000000 ||
            b->tet_count > 500000000)
            return "there are too many elements";
        const char* fault = body_fault(b);
        if (fault) return fault;
    }
    *body = "";
    return head->body_count > 0 && pl_plr_frame_size(head) == 0 ? "a frame is empty or too large"
                                                                : NULL;
}

pl_status pl_plr_check_head(const pl_record_head* head, pl_error* error) {
    const char* body;
    const char* fault = head_fault(head, &body);
    if (!fault) return PL_OK;
    return pl_fail(error, PL_ERROR_ARGUMENT, "this cannot be recorded: %s%s%s", body,
                   body[0] ? ": " : "", fault);
}

// writes a head; remembers if memory ran out
typedef struct put_state {
    pl_array* bytes;
    bool failed;
} put_state;

static uint8_t* put_room(put_state* s, size_t size) {
    uint8_t* place = s->failed ? NULL : pl_array_add(s->bytes, size);
    if (size > 0 && !place) s->failed = true;
    return place;
}

static void put_int(put_state* s, int64_t value) {
    uint8_t* place = put_room(s, 4);
    if (place) put32(place, (uint32_t)value);
}

static void put_ints(put_state* s, const int* values, size_t count) {
    if (count == 0) return;
    uint8_t* place = put_room(s, 4 * count);
    for (size_t i = 0; place && i < count; i++) put32(place + 4 * i, (uint32_t)values[i]);
}

static void put_floats(put_state* s, const float* values, size_t count) {
    if (count == 0) return;
    uint8_t* place = put_room(s, 4 * count);
    for (size_t i = 0; place && i < count; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, 4);
        put32(place + 4 * i, bits);
    }
}

static void put_text(put_state* s, const char* text) {
    size_t size = strlen(text);
    put_int(s, (int64_t)size);
    uint8_t* place = size > 0 ? put_room(s, size) : NULL;
    if (place) memcpy(place, text, size);
}

enum { HAS_UVS = 1, HAS_VERTICES = 2, HAS_REGIONS = 4, HAS_FACES = 8, HAS_NORMALS = 16 };

static void put_body(put_state* s, const pl_record_body* b) {
    size_t vertices = (size_t)b->vertex_count, triangles = (size_t)b->triangle_count;
    put_text(s, b->name);
    put_int(s, (b->triangle_uvs ? HAS_UVS : 0) | (b->vertices ? HAS_VERTICES : 0) |
                   (b->triangle_regions ? HAS_REGIONS : 0) | (b->triangle_faces ? HAS_FACES : 0) |
                   (b->triangle_normals ? HAS_NORMALS : 0));
    put_int(s, b->vertex_count);
    put_int(s, b->triangle_count);
    put_int(s, b->tet_count);
    put_int(s, b->triangle_uvs ? b->uv_count : 0);
    put_int(s, b->triangle_regions ? b->region_count : 0);
    put_int(s, b->field_count);
    put_floats(s, b->color, 3);
    for (int i = 0; b->triangle_regions && i < b->region_count; i++)
        put_text(s, b->region_names[i]);
    for (int i = 0; i < b->field_count; i++) {
        put_text(s, b->fields[i].name);
        put_int(s, b->fields[i].kind);
        put_int(s, b->fields[i].components);
    }
    put_floats(s, b->rest, 3 * vertices);
    put_ints(s, b->triangles, 3 * triangles);
    put_ints(s, b->tets, 4 * (size_t)b->tet_count);
    if (b->triangle_uvs) {
        put_floats(s, b->uvs, 2 * (size_t)b->uv_count);
        put_ints(s, b->triangle_uvs, 3 * triangles);
    }
    if (b->vertices) put_ints(s, b->vertices, vertices);
    if (b->triangle_regions) put_ints(s, b->triangle_regions, triangles);
    if (b->triangle_faces) put_ints(s, b->triangle_faces, triangles);
    if (!b->triangle_normals) return;
    put_int(s, b->normal_count);
    put_floats(s, b->normals, 3 * (size_t)b->normal_count);
    put_ints(s, b->triangle_normals, 3 * triangles);
}

bool pl_plr_put_head(const pl_record_head* head, pl_array* bytes) {
    put_state s = {.bytes = bytes};
    put_int(&s, head->up_axis);
    put_int(&s, head->body_count);
    uint8_t* place = put_room(&s, 16);
    if (place) {
        put_double(place, head->frame_step);
        put64(place + 8, head->scene);
    }
    for (int i = 0; i < head->body_count; i++) put_body(&s, &head->bodies[i]);
    return !s.failed;
}

// reads a head; every get is checked against the bytes left, so no count can claim more than the
// file has
typedef struct get_state {
    const uint8_t* at;
    size_t left;
    pl_plr_head* out;
    bool short_of_bytes, short_of_memory;
} get_state;

static const uint8_t* get_bytes(get_state* s, size_t count, size_t item_size) {
    if (s->short_of_bytes || count > s->left / item_size) {
        s->short_of_bytes = true;
        return NULL;
    }
    const uint8_t* at = s->at;
    s->at += count * item_size;
    s->left -= count * item_size;
    return at;
}

// zeroed memory that is freed with the head
static void* get_memory(get_state* s, size_t size) {
    void* memory = pl_arena_alloc(&s->out->arena, size);
    if (memory) memset(memory, 0, size);
    else s->short_of_memory = true;
    return memory;
}

static int get_int(get_state* s) {
    const uint8_t* p = get_bytes(s, 1, 4);
    return p ? (int)(int32_t)get32(p) : 0;
}

// a count of items that take at least item_size bytes each in the rest of the head
static int get_count(get_state* s, size_t item_size) {
    int count = get_int(s);
    if (count < 0 || (size_t)count > s->left / item_size) s->short_of_bytes = true;
    return s->short_of_bytes ? 0 : count;
}

// arrays of 4-byte items, ints or floats
static void* get_words(get_state* s, size_t count) {
    const uint8_t* p = get_bytes(s, count, 4);
    uint32_t* words = p && count > 0 ? get_memory(s, 4 * count) : NULL;
    for (size_t i = 0; words && i < count; i++) words[i] = get32(p + 4 * i);
    return words;
}

static const char* get_text(get_state* s) {
    int size = get_count(s, 1);
    const uint8_t* p = get_bytes(s, (size_t)size, 1);
    char* text = p ? get_memory(s, (size_t)size + 1) : NULL;
    if (!text) return "";
    memcpy(text, p, (size_t)size);
    return text;
}

static void get_names(get_state* s, pl_record_body* b) {
    const char** names =
        b->region_count ? get_memory(s, (size_t)b->region_count * sizeof *names) : NULL;
    for (int i = 0; names && i < b->region_count; i++) names[i] = get_text(s);
    b->region_names = names;
    pl_record_field* fields =
        b->field_count ? get_memory(s, (size_t)b->field_count * sizeof *fields) : NULL;
    for (int i = 0; fields && i < b->field_count; i++) {
        fields[i].name = get_text(s);
        fields[i].kind = (pl_element_kind)get_int(s);
        fields[i].components = get_int(s);
    }
    b->fields = fields;
}

static void get_body(get_state* s, pl_record_body* b) {
    b->name = get_text(s);
    int has = get_int(s);
    b->vertex_count = get_count(s, 12);
    b->triangle_count = get_count(s, 12);
    b->tet_count = get_count(s, 16);
    b->uv_count = get_count(s, 8);
    b->region_count = get_count(s, 4);
    b->field_count = get_count(s, 12);
    const uint8_t* color = get_bytes(s, 3, 4);
    for (int k = 0; color && k < 3; k++) b->color[k] = get_float(color + 4 * k);
    get_names(s, b);
    size_t vertices = (size_t)b->vertex_count, triangles = (size_t)b->triangle_count;
    b->rest = get_words(s, 3 * vertices);
    b->triangles = get_words(s, 3 * triangles);
    b->tets = get_words(s, 4 * (size_t)b->tet_count);
    if (has & HAS_UVS) {
        b->uvs = get_words(s, 2 * (size_t)b->uv_count);
        b->triangle_uvs = get_words(s, 3 * triangles);
    }
    if (has & HAS_VERTICES) b->vertices = get_words(s, vertices);
    if (has & HAS_REGIONS) b->triangle_regions = get_words(s, triangles);
    if (has & HAS_FACES) b->triangle_faces = get_words(s, triangles);
    if (has & HAS_NORMALS) {
        b->normal_count = get_count(s, 12);
        b->normals = get_words(s, 3 * (size_t)b->normal_count);
        b->triangle_normals = get_words(s, 3 * triangles);
    }
}

static void get_head(get_state* s) {
    pl_record_head* head = &s->out->head;
    head->up_axis = get_int(s);
    head->body_count = get_count(s, 32);
    const uint8_t* p = get_bytes(s, 1, 16);
    head->frame_step = p ? get_double(p) : 0.0;
    head->scene = p ? get64(p + 8) : 0;
    pl_record_body* bodies =
        head->body_count ? get_memory(s, (size_t)head->body_count * sizeof *bodies) : NULL;
    head->bodies = bodies;
    for (int i = 0; bodies && i < head->body_count && !s->short_of_memory; i++)
        get_body(s, &bodies[i]);
}

pl_status pl_plr_get_head(const uint8_t* bytes, size_t size, const char* path, pl_plr_head* out,
                          pl_error* error) {
    *out = (pl_plr_head){0};
    get_state s = {.at = bytes, .left = size, .out = out};
    get_head(&s);
    const char *body = "", *fault = NULL;
    if (s.short_of_bytes) fault = "its counts do not fit its size";
    else if (!s.short_of_memory) fault = head_fault(&out->head, &body);
    if (!fault && !s.short_of_memory) return PL_OK;
    pl_status status =
        s.short_of_memory
            ? pl_fail_memory(error, path)
            : pl_fail(error, PL_ERROR_FORMAT, "%s: the head of the recording is damaged: %s%s%s",
                      path, body, body[0] ? ": " : "", fault);
    pl_plr_free_head(out);
    return status;
}

void pl_plr_free_head(pl_plr_head* head) {
    pl_arena_free(&head->arena);
    *head = (pl_plr_head){0};
}
