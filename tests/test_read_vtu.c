// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/array.h"
#include "read_battery.h"

#include <stdarg.h>
#include <stdlib.h>
#include <zlib.h>

#define GRID "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\">\n<UnstructuredGrid>\n"
#define END "</UnstructuredGrid>\n</VTKFile>\n"
#define POINTS                                                                                     \
    "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n0 0 0 1 0 "   \
    "0\n0 1 0 0 0 1</DataArray></Points>\n"
#define CELLS(corners, ends, types)                                                                \
    "<Cells><DataArray type=\"Int32\" Name=\"connectivity\">" corners "</DataArray>"               \
    "<DataArray type=\"Int32\" Name=\"offsets\">" ends "</DataArray>"                              \
    "<DataArray type=\"UInt8\" Name=\"types\">" types "</DataArray></Cells>\n"
#define TET "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n"
#define ONE_TET CELLS("0 1 2 3", "4", "10")

static const char small[] =
    "<?xml version='1.0'?>\n<!-- by hand: <a> -->\n" GRID "<FieldData><DataArray type=\"Float64\" "
    "Name=\"TimeValue\" NumberOfTuples=\"1\">3</DataArray></FieldData>\n" TET
    "<PointData Scalars=\"a&lt;b\"><DataArray type=\"Float64\" Name=\"a&lt;b\">1 2 3 4\n"
    "<InformationKey name=\"x\" location=\"y\"/></DataArray></PointData>\n"
    "<CellData><DataArray type=\"Int32\" Name='two' NumberOfComponents=\"2\">7 8</DataArray>"
    "<DataArray type=\"String\" Name=\"words\">65 0</DataArray></CellData>\n" POINTS ONE_TET
    "</Piece>\n<Piece NumberOfPoints=\"4\" NumberOfCells=\"2\">\n"
    "<PointData><DataArray type=\"Float64\" Name=\"a&lt;b\">5 6 7 8</DataArray></PointData>\n"
    "<CellData><DataArray type=\"Int32\" Name=\"two\" NumberOfComponents=\"2\">9 10 11 12"
    "</DataArray><DataArray type=\"Int8\" Name=\"late\">1 1</DataArray></CellData>\n" POINTS CELLS(
        "0 2 1 0 1 2 3", "3 7", "5 10") "</Piece>\n" END;

TEST(vtu_reads_pieces_and_data)
{
    pl_notes* notes;
    CHECK_INT(pl_notes_create(&notes), PL_OK);
    pl_mesh* mesh = pl_test_read_text("small.vtu", small, notes);
    CHECK(mesh->vertex_count == 8 && mesh->tet_count == 2 && mesh->triangle_count == 1);
    CHECK(mesh->tets[4] == 4 && mesh->tets[7] == 7 && mesh->triangles[1] == 6);
    CHECK_NEAR(pl_test_volume(mesh), 1.0 / 3.0, 1e-16);
    const pl_field* a = pl_mesh_field(mesh, PL_ELEMENT_VERTEX, "a<b");
    CHECK(a && a->values[3] == 4.0 && a->values[7] == 8.0);
    const pl_field* two = pl_mesh_field(mesh, PL_ELEMENT_TET, "two");
    CHECK(two && two->components == 2 && two->values[1] == 8.0 && two->values[2] == 11.0);
    CHECK_NEAR(pl_mesh_field(mesh, PL_ELEMENT_TRIANGLE, "two")->values[0], 9.0, 0.0);
    CHECK_INT(mesh->field_count, 3);
    CHECK(pl_test_noted(notes, "1 arrays that not every piece has were dropped"));
    CHECK(pl_test_noted(notes, "\"words\" of type \"String\" was skipped"));
    pl_mesh_destroy(mesh);
    pl_notes_destroy(notes);
}

// how the numbers of a file are laid out
typedef struct layout {
    bool big;
    bool wide;    // header of 64 bits
    int appended; // 0: inline base64, 1: raw, 2: base64
    int block;    // size of zlib blocks, 0 for none
} layout;

static void put(pl_array* out, const void* bytes, size_t size) {
    char* place = pl_array_add(out, size);
    CHECK(place || size == 0);
    if (size) memcpy(place, bytes, size);
}

static void put_text(pl_array* out, const char* format, ...) PL_PRINTF(2, 3);
static void put_text(pl_array* out, const char* format, ...) {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(out, text, (size_t)size);
}

static void put_number(pl_array* out, uint64_t bits, size_t size, bool big) {
    for (size_t k = 0; k < size; k++) {
        char byte = (char)(bits >> (8 * (big ? size - 1 - k : k)));
        put(out, &byte, 1);
    }
}

static void put_base64(pl_array* out, const pl_array* bytes) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char* p = bytes->data;
    for (size_t i = 0; i < bytes->count; i += 3) {
        size_t n = bytes->count - i < 3 ? bytes->count - i : 3;
        unsigned bits = 0;
        for (size_t k = 0; k < 3; k++) bits = bits << 8 | (k < n ? p[i + k] : 0);
        char group[4];
        for (size_t k = 0; k < 4; k++) group[k] = k <= n ? letters[bits >> (18 - 6 * k) & 63] : '=';
        put(out, group, 4);
    }
}

// header and data of an array as VTK lays them out; in base64 the header of compressed data is
// apart
static void put_data(pl_array* out, const layout* l, const pl_array* data, bool base64) {
    size_t word = l->wide ? 8 : 4;
    pl_array header = pl_array_of(1), body = pl_array_of(1);
    if (l->block) {
        size_t block = (size_t)l->block, count = (data->count + block - 1) / block;
        put_number(&header, count, word, l->big);
        put_number(&header, block, word, l->big);
        put_number(&header, data->count % block, word, l->big);
        for (size_t i = 0; i < count; i++) {
            Bytef packed[4096];
            uLongf size = sizeof packed;
            size_t rest = data->count - i * block;
            CHECK_INT(compress(packed, &size, (const Bytef*)data->data + i * block,
                               rest < block ? rest : block),
                      Z_OK);
            put_number(&header, size, word, l->big);
            put(&body, packed, size);
        }
        if (base64) put_base64(out, &header);
        else put(out, header.data, header.count);
    } else {
        put_number(&body, data->count, word, l->big);
        put(&body, data->data, data->count);
    }
    if (base64) put_base64(out, &body);
    else put(out, body.data, body.count);
    pl_array_free(&header);
    pl_array_free(&body);
}

static void put_array(pl_array* xml, pl_array* appended, const layout* l, const char* attributes,
                      pl_array* data) {
    if (l->appended) {
        put_text(xml, "<DataArray %s format=\"appended\" offset=\"%zu\"/>\n", attributes,
                 appended->count);
        put_data(appended, l, data, l->appended == 2);
    } else {
        put_text(xml, "<DataArray %s format=\"binary\">\n  ", attributes);
        put_data(xml, l, data, true);
        put_text(xml, "\n</DataArray>\n");
    }
    pl_array_free(data);
}

static pl_array numbers(const layout* l, const double* values, int count, int size) {
    pl_array data = pl_array_of(1);
    for (int i = 0; i < count; i++) {
        uint64_t bits = (uint64_t)values[i];
        float narrow = (float)values[i];
        if (size < 0) memcpy(&bits, size == -8 ? (const void*)&values[i] : &narrow, (size_t)-size);
        put_number(&data, bits, (size_t)abs(size), l->big);
    }
    return data;
}

// one tet with a point array, in any layout
static pl_array make_file(const layout* l) {
    static const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.5};
    static const double corners[] = {0, 1, 2, 3}, end[] = {4}, type[] = {10};
    pl_array xml = pl_array_of(1), appended = pl_array_of(1);
    put_text(&xml,
             "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
             "header_type=\"%s\"%s>\n<UnstructuredGrid>\n" TET "<PointData>\n",
             l->big ? "BigEndian" : "LittleEndian", l->wide ? "UInt64" : "UInt32",
             l->block ? " compressor=\"vtkZLibDataCompressor\"" : "");
    pl_array data = numbers(l, corners, 4, 2);
    put_array(&xml, &appended, l, "type=\"Int16\" Name=\"id\"", &data);
    put_text(&xml, "</PointData><Points>");
    data = numbers(l, positions, 12, -4);
    put_array(&xml, &appended, l, "type=\"Float32\" NumberOfComponents=\"3\"", &data);
    put_text(&xml, "</Points><Cells>");
    data = numbers(l, corners, 4, 8);
    put_array(&xml, &appended, l, "type=\"Int64\" Name=\"connectivity\"", &data);
    data = numbers(l, end, 1, 4);
    put_array(&xml, &appended, l, "type=\"Int32\" Name=\"offsets\"", &data);
    data = numbers(l, type, 1, 1);
    put_array(&xml, &appended, l, "type=\"UInt8\" Name=\"types\"", &data);
    put_text(&xml, "</Cells></Piece></UnstructuredGrid>\n");
    if (l->appended) {
        put_text(&xml, "<AppendedData encoding=\"%s\">\n _", l->appended == 1 ? "raw" : "base64");
        put(&xml, appended.data, appended.count);
        put_text(&xml, "\n</AppendedData>\n");
    }
    put_text(&xml, "</VTKFile>\n");
    pl_array_free(&appended);
    return xml;
}

TEST(vtu_reads_every_layout)
{
    static const int blocks[] = {0, 7, 16, 4096};
    for (int i = 0; i < 48; i++) {
        layout l = {i & 1, i & 2, i / 4 % 3, blocks[i / 12]};
        pl_array file = make_file(&l);
        pl_mesh* mesh = pl_test_read_bytes("layout.vtu", file.data, file.count, NULL);
        CHECK(mesh->vertex_count == 4 && mesh->tet_count == 1 && mesh->field_count == 1);
        CHECK_NEAR(pl_test_volume(mesh), 0.5 / 6.0, 1e-16);
        CHECK_NEAR(mesh->fields[0].values[3], 3.0, 0.0);
        pl_mesh_destroy(mesh);
        // whatever is missing at the end is missed, but for the last line's end
        if (i % 7 == 0) CHECK(pl_test_every_cut("cut.vtu", file.data, file.count) <= 1);
        if (i % 7 == 0) pl_test_random_damage("damage.vtu", file.data, file.count, 1000);
        if (i == 47) pl_test_every_allocation("layout.vtu", file.data, file.count);
        pl_array_free(&file);
    }
}

REAL_MESH_TEST(vtu_reads_real_meshes)
{
    pl_mesh* mesh = pl_test_read_file(pl_test_data("tets/sofa_armadillo_4406.vtu"), NULL);
    CHECK(mesh->vertex_count == 1446 && mesh->tet_count == 4406);
    // by VTK 9.1, which keeps these coordinates in single precision
    CHECK_NEAR(pl_test_volume(mesh), 231.21430809, 2e-6);
    pl_mesh_destroy(mesh);
    mesh = pl_test_read_file(pl_test_data("bad_input/sofa_raptor_8418_nonmanifold.vtu"), NULL);
    CHECK(mesh->vertex_count == 2996 && mesh->tet_count == 8418);
    pl_mesh_destroy(mesh);
    pl_error error = {0};
    CHECK_INT(pl_mesh_read(pl_test_data("bad_input/sofa_armadillo_4406_broken.vtu"), NULL, &mesh,
                           NULL, &error),
              PL_ERROR_FORMAT);
    CHECK_TEXT(error.text, "holds 4338 numbers, but the counts of the piece ask for 4335");
}

TEST(vtu_survives_damage)
{
    CHECK(pl_test_battery("small.vtu", small, sizeof small - 1) <= 1);
    pl_test_crlf("small.vtu", small);
    pl_test_decimal_comma("small.vtu", small, sizeof small - 1);
}

#define APPENDED(attribute, bytes)                                                                 \
    "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"" attribute                     \
    "><UnstructuredGrid>" TET "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" "      \
    "format=\"appended\" offset=\"0\"/></Points></Piece></UnstructuredGrid>"                       \
    "<AppendedData encoding=\"base64\">_" bytes "</AppendedData></VTKFile>"

TEST(vtu_refuses_bad_input)
{
    static const struct {
        const char* text;
        pl_status status;
        const char* part;
    } cases[] = {
        {"", PL_ERROR_FORMAT, "expected <VTKFile>"},
        {"rubbish", PL_ERROR_FORMAT, "expected <VTKFile>"},
        {"<html></html>", PL_ERROR_FORMAT, "not a <VTKFile>"},
        {"<!DOCTYPE x [<!ENTITY a \"b\">]>" GRID END, PL_ERROR_FORMAT, "document type"},
        {"<VTKFile type=\"PolyData\"/>", PL_ERROR_UNSUPPORTED, "PolyData"},
        {GRID, PL_ERROR_FORMAT, "ends inside <UnstructuredGrid>"},
        {GRID "</Piece>" END, PL_ERROR_FORMAT, "closes nothing"},
        {GRID "<a b=c></a>" END, PL_ERROR_FORMAT, "not well formed"},
        {GRID END, PL_ERROR_MESH, "no tets"},
        {GRID "<Piece NumberOfPoints=\"4\">", PL_ERROR_FORMAT, "without NumberOfPoints or"},
        {GRID "<Piece NumberOfPoints=\"-4\" NumberOfCells=\"1\">", PL_ERROR_FORMAT, "\"-4\""},
        {GRID "<Piece NumberOfPoints=\"4000000000\" NumberOfCells=\"1\">", PL_ERROR_FORMAT,
         "4000000000"},
        {GRID "<Piece NumberOfPoints=\"2147483647\" NumberOfCells=\"2147483647\">" POINTS ONE_TET
              "</Piece>" END,
         PL_ERROR_LIMIT, "more points"},
        {GRID "<Piece NumberOfPoints=\"700000000\" NumberOfCells=\"1\">" POINTS ONE_TET
              "</Piece>" END,
         PL_ERROR_FORMAT, "ask for 2100000000"},
        {GRID TET ONE_TET "</Piece>" END, PL_ERROR_FORMAT, "no <Points>"},
        {GRID TET POINTS "</Piece>" END, PL_ERROR_FORMAT, "no connectivity"},
        {GRID TET POINTS CELLS("0 1 2 4", "4", "10") "</Piece>" END, PL_ERROR_MESH, "point 4"},
        {GRID TET POINTS CELLS("0 1 2 -1", "4", "10") "</Piece>" END, PL_ERROR_MESH, "point -1"},
        {GRID TET POINTS CELLS("0 1 2 3", "5", "10") "</Piece>" END, PL_ERROR_FORMAT, "offset 0"},
        {GRID TET POINTS CELLS("0 1 2 3", "3", "5") "</Piece>" END, PL_ERROR_FORMAT, "end at 3"},
        {GRID TET POINTS CELLS("0 1 2 3", "4 4", "10") "</Piece>" END, PL_ERROR_FORMAT,
         "2 numbers"},
        {GRID TET POINTS CELLS("0 1 2 3", "4", "14") "</Piece>" END, PL_ERROR_UNSUPPORTED,
         "1 pyramids (VTK type 14)"},
        {GRID TET POINTS CELLS("0 1 two", "4", "10") "</Piece>" END, PL_ERROR_FORMAT, "number"},
        {GRID TET "<PointData><DataArray type=\"Int8\" Name=\"a\" "
                  "NumberOfComponents=\"100\"></DataArray></PointData>" POINTS ONE_TET
                  "</Piece>" END,
         PL_ERROR_FORMAT, "ask for 400"},
        {APPENDED(" compressor=\"vtkLZ4DataCompressor\"", ""), PL_ERROR_UNSUPPORTED,
         "vtkLZ4DataCompressor"},
        {APPENDED(" compressor=\"vtkLZMADataCompressor\"", ""), PL_ERROR_UNSUPPORTED, "LZMA"},
        {APPENDED("", ""), PL_ERROR_FORMAT, "missing or damaged"},
        {APPENDED("", "MAAA"), PL_ERROR_FORMAT, "missing or damaged"},
        {APPENDED("", "MAAAAA=="), PL_ERROR_FORMAT, "should have 48 bytes"},
        {APPENDED("", "MAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), PL_ERROR_FORMAT,
         "too early"},
        {APPENDED("", "/////w=="), PL_ERROR_FORMAT, "4294967295 bytes"},
        {APPENDED("", "BAAAAAAAAAA="), PL_ERROR_FORMAT, "holds 1 numbers"},
        // compressed: as many blocks as there can be; blocks that are larger than they say
        {APPENDED(" compressor=\"vtkZLibDataCompressor\"", "////////////////"), PL_ERROR_FORMAT,
         "4294967295 compressed blocks"},
        {APPENDED(" compressor=\"vtkZLibDataCompressor\"", "AQAAADAAAAAwAAAA/////w=="),
         PL_ERROR_FORMAT, "4294967295 bytes ends behind"},
        {APPENDED(" compressor=\"vtkZLibDataCompressor\"", "AQAAAP///38AAAAABAAAAAAAAAA="),
         PL_ERROR_FORMAT, "cannot hold 2147483647"},
        {APPENDED(" compressor=\"vtkZLibDataCompressor\"", "AQAAADAAAABAAAAABAAAAAAAAAA="),
         PL_ERROR_FORMAT, "larger than a whole one"},
        {APPENDED(" compressor=\"vtkZLibDataCompressor\"", "AQAAADAAAAAAAAAABAAAAAAAAAA="),
         PL_ERROR_FORMAT, "damaged"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        pl_test_text_refused("bad.vtu", cases[i].text, cases[i].status, cases[i].part);
}

TEST(vtu_refuses_nesting_and_survives_long_attributes)
{
    pl_array text = pl_array_of(1);
    for (int i = 0; i < 100000; i++) put_text(&text, "<a>");
    pl_test_refused("deep.vtu", text.data, text.count, PL_ERROR_FORMAT, "");
    text.count = 0;
    put_text(&text, GRID);
    for (int i = 0; i < 100; i++) put_text(&text, "<a>");
    pl_test_refused("deep.vtu", text.data, text.count, PL_ERROR_FORMAT, "nested too deeply");
    text.count = 0;
    put_text(&text, GRID TET "<PointData><DataArray type=\"Int8\" Name=\"");
    for (int i = 0; i < 100000; i++) put_text(&text, "long&amp;");
    put_text(&text, "\">1 2 3 4</DataArray></PointData>");
    put_text(&text, "%s", POINTS ONE_TET "</Piece>");
    put_text(&text, END);
    pl_mesh* mesh = pl_test_read_bytes("long.vtu", text.data, text.count, NULL);
    CHECK(mesh->field_count == 1 && strlen(mesh->fields[0].name) == 127);
    pl_mesh_destroy(mesh);
    pl_array_free(&text);
}

TEST(vtu_stops_bombs)
{
    // many compressed blocks that all unpack to a megabyte of zeros
    enum { COUNT = 100, SIZE = 1 << 20 };
    Bytef* zeros = calloc(SIZE, 1);
    Bytef packed[4096];
    uLongf size = sizeof packed;
    CHECK(zeros && compress2(packed, &size, zeros, SIZE, 9) == Z_OK);
    free(zeros);
    pl_array text = pl_array_of(1);
    put_text(&text,
             "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkZLibDataCompressor\" "
             "byte_order=\"LittleEndian\"><UnstructuredGrid><Piece NumberOfPoints=\"%d\" "
             "NumberOfCells=\"1\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" "
             "format=\"appended\" offset=\"0\"/></Points></Piece></UnstructuredGrid>"
             "<AppendedData encoding=\"raw\">_",
             COUNT * SIZE / 12);
    put_number(&text, COUNT, 4, false);
    put_number(&text, SIZE, 4, false);
    put_number(&text, 0, 4, false);
    for (int i = 0; i < COUNT; i++) put_number(&text, size, 4, false);
    for (int i = 0; i < COUNT; i++) put(&text, packed, size);
    put_text(&text, "</AppendedData></VTKFile>");
    CHECK(text.count < 300000);
    pl_test_refused("bomb.vtu", text.data, text.count, PL_ERROR_LIMIT, "times the file's size");
    pl_array_free(&text);
}
