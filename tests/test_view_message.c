// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Messages of pages: what is right is read, anything else is refused with a text.
#include "test.h"
#include "view_message.h"

#include <string.h>

static pl_status read(const char* text, pl_view_message* out, pl_error* error) {
    *error = (pl_error){0};
    return pl_view_message_read(text, strlen(text), out, error);
}

TEST(view_message_reads_what_pages_send)
{
    pl_view_message m;
    pl_error error;
    CHECK_OK(read("{\"do\":\"ready\"}", &m, &error), &error);
    CHECK(m.verb == PL_VIEW_READY);
    CHECK_OK(read("{\"do\":\"grab\",\"body\":1,\"vertex\":7,\"at\":[0.5,-1e-3,2]}", &m, &error),
             &error);
    CHECK(m.verb == PL_VIEW_GRAB && m.body == 1 && m.vertex == 7);
    CHECK(m.at[0] == 0.5 && m.at[1] == -1e-3 && m.at[2] == 2.0);
    CHECK_OK(read("{\"do\":\"move\",\"at\":[1,2,3],\"number\":9}", &m, &error), &error);
    CHECK(m.verb == PL_VIEW_MOVE && m.has_number && m.number == 9.0);
    CHECK_OK(read("{\"do\":\"set\",\"name\":\"young\",\"number\":2e5}", &m, &error), &error);
    CHECK(m.verb == PL_VIEW_SET && strcmp(m.name, "young") == 0 && m.number == 2e5);
    CHECK_OK(read("{\"do\":\"set\",\"name\":\"method\",\"text\":\"pbd\"}", &m, &error), &error);
    CHECK(!m.has_number && strcmp(m.text, "pbd") == 0);
    CHECK_OK(read("{\"do\":\"split\"}", &m, &error), &error);
    CHECK(m.verb == PL_VIEW_SPLIT && m.name[0] == '\0');
    CHECK_OK(read("{\"do\":\"pause\",\"on\":true}", &m, &error), &error);
    CHECK(m.verb == PL_VIEW_PAUSE && m.on);
}

TEST(view_message_refuses_the_rest)
{
    static const char* const bad[] = {
        "",
        "7",
        "[]",
        "{",
        "{}",
        "{\"do\":7}",
        "{\"do\":\"fly\"}",
        "{\"do\":\"open\",\"path\":\"/etc/passwd\"}",
        "{\"do\":\"open\",\"number\":\"0\"}",
        "{\"do\":\"open\"}",
        "{\"do\":\"ready\",\"do\":\"step\"}",
        "{\"do\":\"step\",\"number\":1}",
        "{\"do\":\"grab\",\"body\":-1,\"vertex\":0,\"at\":[0,0,0]}",
        "{\"do\":\"grab\",\"body\":1.5,\"vertex\":0,\"at\":[0,0,0]}",
        "{\"do\":\"grab\",\"body\":99999999999,\"vertex\":0,\"at\":[0,0,0]}",
        "{\"do\":\"grab\",\"body\":0,\"vertex\":0,\"at\":[0,0]}",
        "{\"do\":\"grab\",\"body\":0,\"vertex\":0,\"at\":[0,0,1e300]}",
        "{\"do\":\"grab\",\"body\":0,\"vertex\":0}",
        "{\"do\":\"set\",\"name\":\"young\"}",
        "{\"do\":\"set\",\"name\":\"young\",\"number\":1e999}",
        "{\"do\":\"set\",\"name\":\"a name that is longer than any control has\",\"number\":1}",
        "{\"do\":\"set\",\"name\":\"a\\nb\",\"number\":1}",
        "{\"do\":\"set\",\"name\":\"a\\u0000b\",\"number\":1}",
        "{\"do\":\"pause\",\"on\":1}",
        "{\"do\":\"cut\",\"from\":[0,0,0],\"at\":[0,0,1]}",
        "{\"do\":\"ready\"} {\"do\":\"ready\"}",
        "\xff\xfe",
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        pl_view_message m;
        pl_error error;
        if (read(bad[k], &m, &error) != PL_ERROR_FORMAT || !strstr(error.text, "refused"))
            pl_test_fail(__FILE__, __LINE__, "accepted: %s", bad[k]);
    }
    char text[PL_VIEW_MESSAGE_LIMIT + 2];
    memset(text, ' ', sizeof text);
    memcpy(text, "{\"do\":\"ready\"}", 14);
    pl_view_message m;
    pl_error error = {0};
    CHECK_OK(pl_view_message_read(text, PL_VIEW_MESSAGE_LIMIT, &m, &error), &error);
    CHECK(pl_view_message_read(text, PL_VIEW_MESSAGE_LIMIT + 1, &m, &error) == PL_ERROR_FORMAT);
}
