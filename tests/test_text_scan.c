// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "base/random.h"
#include "host.h"
#include "mesh/text_scan.h"
#include "test.h"

#include <stdlib.h>
#include <zlib.h>

static pl_source source_of(const char* text) {
    pl_source source;
    pl_error error;
    CHECK_OK(pl_source_from_memory(text, strlen(text), "memory", 0, &source, &error), &error);
    return source;
}

// the scanner against the C library, bit for bit
static void check_double(const char* text) {
    pl_source source = source_of(text);
    pl_scan scan = pl_scan_begin(&source);
    double value = -1.0, expected = strtod(text, NULL);
    bool found = pl_scan_double(&scan, &value);
    bool same = found && memcmp(&value, &expected, sizeof value) == 0 && pl_scan_at_end(&scan);
    pl_source_free(&source);
    if (!same)
        pl_test_fail(__FILE__, __LINE__, "\"%s\" gave %.17g, not %.17g", text, value, expected);
}

TEST(scan_doubles_round_correctly)
{
    static const char* const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "+1.5",
                                        ".5",
                                        "5.",
                                        "1e22",
                                        "1e23",
                                        "123456789012345678",
                                        "9007199254740993",
                                        "0.1",
                                        "3.14159265358979323846",
                                        "2.2250738585072014e-308",
                                        "4.9e-324",
                                        "1.7976931348623157e308",
                                        "1e400",
                                        "1e-400",
                                        "9007199254740992.5",
                                        "0.000000000000000000000000000000000001",
                                        "100000000000000000000000000000000000",
                                        "1.00000000000000011102230246251565404",
                                        "8.5e-27",
                                        "123456789.123456789e-20",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "0.30000000000000004",
                                        "1e-27",
                                        "1e27",
                                        "7e28"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) check_double(texts[i]);
    pl_random random = {1};
    char text[64];
    for (int i = 0; i < 200000; i++) {
        double value = pl_random_normal(&random) * pow(10.0, pl_random_int(&random, 60) - 30);
        snprintf(text, sizeof text, "%.*g", 1 + pl_random_int(&random, 19), value);
        check_double(text);
    }
}

TEST(scan_special_numbers)
{
    pl_source source = source_of("nan -inf Infinity 1.5D+02 infant");
    pl_scan scan = pl_scan_begin(&source);
    double value;
    CHECK(pl_scan_double(&scan, &value) && isnan(value));
    CHECK(pl_scan_double(&scan, &value) && isinf(value) && value < 0);
    CHECK(pl_scan_double(&scan, &value) && isinf(value));
    CHECK(pl_scan_double(&scan, &value) && value == 150.0);
    CHECK(!pl_scan_double(&scan, &value));
    pl_source_free(&source);
}

TEST(scan_ints_and_limits)
{
    pl_source source = source_of("12 -7\r\n+3 2147483647 2147483648 99999999999999999999 x");
    pl_scan scan = pl_scan_begin(&source);
    int value;
    int64_t wide;
    CHECK(pl_scan_int(&scan, &value) && value == 12);
    CHECK(pl_scan_int(&scan, &value) && value == -7);
    CHECK(pl_scan_int(&scan, &value) && value == 3);
    CHECK_INT(pl_scan_line(&scan), 2);
    CHECK(pl_scan_int(&scan, &value) && value == 2147483647);
    CHECK(!pl_scan_int(&scan, &value));
    CHECK(pl_scan_int64(&scan, &wide) && wide == INT64_C(2147483648));
    CHECK(!pl_scan_int64(&scan, &wide));
    pl_source_free(&source);
}

// integers of every length, with what may stand around them
TEST(scan_ints_of_every_length)
{
    static const char* behind[] = {"", " ", "\n", "/", ":", "a", "\xb5", "."};
    pl_random random = {5};
    for (int i = 0; i < 20000; i++) {
        char text[64], digits[32];
        int count = 1 + pl_random_int(&random, 18);
        for (int k = 0; k < count; k++) digits[k] = (char)('0' + pl_random_int(&random, 10));
        digits[count] = '\0';
        snprintf(text, sizeof text, "%s%s%s",
                 i % 3 == 0   ? "-"
                 : i % 3 == 1 ? " \t\r\n+"
                              : "",
                 digits, behind[pl_random_int(&random, 8)]);
        pl_source source = source_of(text);
        pl_scan scan = pl_scan_begin(&source);
        int64_t value;
        CHECK(pl_scan_int64(&scan, &value));
        CHECK_INT(value, strtoll(text, NULL, 10));
        CHECK(!(*scan.at >= '0' && *scan.at <= '9'));
        pl_source_free(&source);
    }
    pl_source source =
        source_of("0000000000000000000000000042 9223372036854775799 9999999999999999999");
    pl_scan scan = pl_scan_begin(&source);
    int64_t value;
    CHECK(pl_scan_int64(&scan, &value) && value == 42);
    CHECK(pl_scan_int64(&scan, &value) && value == INT64_C(9223372036854775799));
    CHECK(!pl_scan_int64(&scan, &value));
    pl_source_free(&source);
}

TEST(scan_words_comments_and_messages)
{
    pl_source source = source_of("# a comment\n  Vertices 3 # more\nrest");
    pl_scan scan = pl_scan_begin(&source);
    pl_scan_skip_space(&scan, '#');
    CHECK(!pl_scan_keyword(&scan, "Vert"));
    CHECK(pl_scan_keyword(&scan, "vertices"));
    pl_error error;
    pl_scan_expected(&scan, &error, "a word");
    CHECK_TEXT(error.text, "memory:2: expected a word, found \"3\"");
    pl_scan_skip_line(&scan);
    char word[3];
    CHECK(pl_scan_word(&scan, word, sizeof word));
    CHECK(strcmp(word, "re") == 0);
    CHECK(pl_scan_at_end(&scan) && !pl_scan_word(&scan, word, sizeof word));
    pl_scan_expected(&scan, &error, "more");
    CHECK_TEXT(error.text, "file ends");
    pl_source_free(&source);
}

static void write_gzip(const char* path, const char* text, int repeats) {
    gzFile file = gzopen(path, "wb9");
    CHECK(file);
    for (int i = 0; i < repeats; i++) CHECK(gzwrite(file, text, (unsigned)strlen(text)) > 0);
    CHECK_INT(gzclose(file), Z_OK);
}

LONG_TEST(source_reads_gzip_and_stops_at_its_limit)
{
    pl_source source;
    pl_error error;
    const char* path = pl_test_path("text.gz");
    write_gzip(path, "hello\n", 3);
    CHECK_OK(pl_source_load(path, 0, &source, &error), &error);
    CHECK_INT(source.size, 18);
    CHECK(memcmp(source.data, "hello\nhello\nhello\n", 19) == 0);
    pl_source_free(&source);
    CHECK_INT(pl_source_load(path, 10, &source, &error), PL_ERROR_LIMIT);
    char zeros[1 << 16] = {0};
    memset(zeros, '0', sizeof zeros - 1);
    write_gzip(path, zeros, 3000); // 190 MB from about 190 kB
    CHECK_INT(pl_source_load(path, 0, &source, &error), PL_ERROR_LIMIT);
    CHECK_TEXT(error.text, "unpacks to more than the limit");
}

TEST(source_refuses_what_is_no_file)
{
    pl_source source;
    pl_error error;
    CHECK_INT(pl_source_load(pl_test_path("missing.msh"), 0, &source, &error), PL_ERROR_IO);
    CHECK_TEXT(error.text, "cannot be opened");
    CHECK_INT(pl_source_load(pl_test_folder(), 0, &source, &error), PL_ERROR_IO);
    CHECK_TEXT(error.text, "s a directory");
    const char* fifo = pl_test_path("pipe.msh");
    if (pl_test_make_fifo(fifo)) {
        CHECK_INT(pl_source_load(fifo, 0, &source, &error), PL_ERROR_IO);
        CHECK_TEXT(error.text, "is a FIFO");
    }
    const unsigned char broken[] = {0x1f, 0x8b, 8, 0, 1, 2, 3};
    CHECK_INT(pl_source_from_memory(broken, sizeof broken, "memory", 0, &source, &error),
              PL_ERROR_FORMAT);
    CHECK_TEXT(error.text, "gzip");
}
