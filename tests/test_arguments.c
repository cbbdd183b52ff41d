// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Odd arguments are refused with exit code 2 and a text; the exit codes are those of the table.
#include "../cli/options.h"
#include "read_checks.h"
#include "run_samples.h"
#include "test.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char text[16384];

// "pliant COMMAND" in the folder of the test
static int pliant(const char* command) {
    char line[3000];
    snprintf(line, sizeof line, "pliant %s", command);
    return pl_test_run(line, text, sizeof text);
}

typedef struct refusal {
    const char* command; // %s: the folder of the test
    const char* part;    // of the message
} refusal;

static void check_refusals(const refusal* refusals, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char command[2600];
        const char* f = pl_test_folder();
        snprintf(command, sizeof command, refusals[i].command, f, f);
        int code = pliant(command);
        if (code != EXIT_USAGE || !strstr(text, refusals[i].part))
            pl_test_fail(__FILE__, __LINE__, "pliant %s: exit %d: %s", command, code, text);
    }
}
#define CHECK_REFUSALS(list) check_refusals(list, sizeof list / sizeof list[0])

static bool exists(const char* name) {
    struct stat info;
    return stat(pl_test_path(name), &info) == 0;
}

static void make_run(void) {
    pl_test_write_file(pl_test_path("scene.json"), sample_falling_box, strlen(sample_falling_box));
    char command[2600];
    snprintf(command, sizeof command, "run %s/scene.json -o %s/run --frames 2 --quiet",
             pl_test_folder(), pl_test_folder());
    CHECK_INT(pliant(command), EXIT_DONE);
}

TEST(arguments_of_run_are_checked)
{
    pl_test_write_file(pl_test_path("scene.json"), sample_falling_box, strlen(sample_falling_box));
    static const refusal refusals[] = {
        {"run %s/scene.json -o %s/x --frames -5", "--frames takes a whole number"},
        {"run %s/scene.json -o %s/x --frames 1.5", "--frames takes a whole number"},
        {"run %s/scene.json -o %s/x --frames 99999999999", "--frames takes a whole number"},
        {"run %s/scene.json -o %s/x --frames nan", "--frames takes a whole number"},
        {"run %s/scene.json -o --force", "a value is missing for -o"},
        {"run %s/scene.json -o ''", "-o takes DIR"},
        {"run %s/scene.json", "-o DIR is missing"},
        {"run %s/scene.json -o %s/x --set frames", "expected PATH=VALUE"},
        {"run %s/scene.json -o %s/x --set frames=-3", "frames: is -3"},
        {"run %s/scene.json -o %s/scene.json", "scene.json"},
        {"resume %s/x", "x"},
        {"resume %s/x --frames 3", "unknown option --frames"},
        {"check --schema --docs", "give one of"},
        {"check %s/scene.json --docs", "give one of"},
    };
    CHECK_REFUSALS(refusals);
    CHECK(!exists("x"));
}

TEST(arguments_of_render_are_checked)
{
    make_run();
    static const refusal refusals[] = {
        {"render %s/run -o %s/x.gif --fps nan", "--fps takes a number from 0.1 to 240"},
        {"render %s/run -o %s/x.gif --fps 0", "--fps takes"},
        {"render %s/run -o %s/x.gif --fps -3", "--fps takes"},
        {"render %s/run -o %s/x.png --fps 30", "--fps goes with a movie"},
        {"render %s/run -o %s/x.png --samples 3", "--samples takes 4, 8 or 16"},
        {"render %s/run -o %s/x.png --size 1,2", "--size takes pixels"},
        {"render %s/run -o %s/x.png --size 12x", "--size takes pixels"},
        {"render %s/run -o %s/x.png --sheet 0x2", "--sheet takes columns and rows"},
        {"render %s/run -o %s/x.gif --sheet 2x1", "ends in .png"},
        {"render %s/run -o %s/x.png --sheet 2x1 --frame 1", "--frame goes with one picture"},
        {"render %s/run -o %s/x.gif --frame 1", "--frame goes with a .png"},
        {"render %s/run -o %s/x.png --frame -1", "--frame takes a whole number of 0 or more"},
        {"render %s/run -o %s/x.png --frame 99", "there is no frame 99"},
        {"render %s/run -o %s/x --every 0", "--every takes a whole number of 1 or more"},
        {"render %s/run -o %s/x.png --every 2", "--every goes with a movie or a folder"},
        {"render %s/run -o %s/x.png --threads -1", "--threads takes a whole number"},
        {"render %s/run -o %s/x.png --azimuth inf", "--azimuth takes"},
        {"render %s/run -o %s/x.png --elevation 91", "--elevation takes a number from -90 to 90"},
        {"render %s/run -o %s/x.png --distance -1", "--distance takes a number above 0"},
        {"render %s/run -o %s/x.png --field 200", "--field takes a number from 1 to 150"},
        {"render %s/run -o %s/x.png --ground nan", "--ground takes a number"},
        {"render %s/run -o %s/x.png --target 1,2", "--target takes three numbers"},
        {"render %s/run -o %s/x.png --range 0:1", "--range goes with --color-by"},
        {"render %s/run -o %s/x.png --color-by speed --range 2:1", "--range takes two numbers"},
        {"render %s/run -o %s/x.png --against x", "--against goes with --color-by error"},
        {"render %s/run -o %s/x.png --up q", "--up takes x, y or z"},
        {"render %s/run -o %s/x.avi", "-o takes a .png, .gif, .mp4 or .webm"},
        {"render %s/run -o %s/x.jpg", "-o takes a .png, .gif, .mp4 or .webm"},
    };
    CHECK_REFUSALS(refusals);
    CHECK(!exists("x.avi") && !exists("x.jpg") && !exists("x.png") && !exists("x.gif"));
    // a folder may be called so if that is what is meant
    char command[2600];
    snprintf(command, sizeof command, "render %s/run -o %s/x.jpg/ --size 16x16", pl_test_folder(),
             pl_test_folder());
    CHECK_INT(pliant(command), EXIT_DONE);
    CHECK(exists("x.jpg/frame_00001.png"));
}

TEST(arguments_of_export_and_mesh_are_checked)
{
    make_run();
    static const refusal refusals[] = {
        {"export %s/run", "--to takes"},
        {"export %s/run --to glb --every 0", "--every takes a whole number of 1 or more"},
        {"export %s/run --to glb -o %s/x.obj", "one file"},
        {"export %s/run --to obj -o %s/x.obj", "a folder of files"},
        {"export %s/run --to glb --vertices 1", "--vertices goes with --to csv"},
        {"export %s/run --to csv --vertices 1,,2", "--vertices takes numbers"},
        {"export %s/run --to csv --vertices -1", "--vertices takes numbers"},
        {"export %s/run --to csv --vertices 99999", "vertex 99999 is not recorded"},
        {"mesh --generate box --size 1,2 -o %s/x.msh", "a box takes 3 lengths"},
        {"mesh --generate box --size 1,2,nan -o %s/x.msh", "size_z is nan"},
        {"mesh --generate box --size 1,2,3,4 -o %s/x.msh", "a box takes 3 lengths"},
        {"mesh --generate cloth --size 1 -o %s/x.obj", "a cloth takes 2 lengths"},
        {"mesh --generate sphere --size 1 -o %s/x.msh", "radius"},
        {"mesh --generate box --edge 0 -o %s/x.msh", "--edge takes a number above 0"},
        {"mesh --generate box --edge nan -o %s/x.msh", "--edge takes a number above 0"},
        {"mesh --generate box --threads -3 -o %s/x.msh", "--threads takes a whole number"},
        {"mesh --generate box --with tetgen -o %s/x.msh", "--with is for surfaces"},
        {"mesh --generate box -o %s/x.xyz", "meshes are written as"},
    };
    CHECK_REFUSALS(refusals);
    CHECK(!exists("x.obj") && !exists("x.msh"));
    char command[2600];
    snprintf(command, sizeof command, "mesh --generate box --edge 0.5 -o %s/box.msh",
             pl_test_folder());
    CHECK_INT(pliant(command), EXIT_DONE);
    static const refusal tets[] = {
        {"mesh %s/box.msh --edge 0.1 -o %s/x.msh", "holds tets already"},
        {"mesh %s/box.msh --with stuffing -o %s/x.msh", "holds tets already"},
    };
    CHECK_REFUSALS(tets);
}

// pliant COMMAND with files of at most `limit` bytes: what a full disk does to it
static int pliant_with_file_limit(const char* command, rlim_t limit) {
    struct rlimit before, lower;
    CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
    lower = before;
    lower.rlim_cur = limit;
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &lower), 0);
    int code = pliant(command);
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
    return code;
}

TEST(exit_code_of_a_full_disk_is_the_same_everywhere)
{
    make_run();
    char command[2600];
    const char* f = pl_test_folder();
    // too small for the first checkpoint, for the log, for a frame: all of it is a full disk
    static const rlim_t limits[] = {64, 1000, 4000};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        snprintf(command, sizeof command,
                 "run %s/scene.json -o %s/full --force --quiet --frames 30", f, f);
        CHECK_INT(pliant_with_file_limit(command, limits[i]), EXIT_FAILED);
        CHECK_TEXT(text, "cannot be written");
    }
    snprintf(command, sizeof command, "run %s/scene.json -o %s/full --force --quiet --frames 30", f,
             f);
    CHECK_INT(pliant_with_file_limit(command, 8000), EXIT_FAILED);
    snprintf(command, sizeof command, "resume %s/full --quiet", f);
    CHECK_INT(pliant_with_file_limit(command, 8000), EXIT_FAILED);
    snprintf(command, sizeof command, "render %s/run -o %s/x.png", f, f);
    CHECK_INT(pliant_with_file_limit(command, 2000), EXIT_FAILED);
    snprintf(command, sizeof command, "export %s/run --to glb", f);
    CHECK_INT(pliant_with_file_limit(command, 1000), EXIT_FAILED);
    snprintf(command, sizeof command, "mesh --generate box -o %s/x.msh", f);
    CHECK_INT(pliant_with_file_limit(command, 1000), EXIT_FAILED);
    // a place that cannot be written is wrong input
    CHECK_INT(pliant("mesh --generate box -o /nowhere/x.msh"), EXIT_USAGE);
    snprintf(command, sizeof command, "run %s/scene.json -o /dev/null/x", f);
    CHECK_INT(pliant(command), EXIT_USAGE);
}

TEST(exit_codes_are_one_table_in_help_and_guide)
{
    CHECK_INT(pliant("--help"), EXIT_DONE);
    size_t size;
    char* guide = pl_test_load(PL_TEST_SOURCE_DIR "/docs/guide.md", &size);
    static const struct {
        int code;
        const char* meaning;
    } codes[] = {
#define EXIT_ROW(name, code, text) {code, text},
        EXIT_LIST(EXIT_ROW)
#undef EXIT_ROW
    };
    bool same = true;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        char line[300];
        snprintf(line, sizeof line, "\n  %d  %s\n", codes[i].code, codes[i].meaning);
        same = same && strstr(text, line);
        snprintf(line, sizeof line, "\n| %d | %s |\n", codes[i].code, codes[i].meaning);
        same = same && strstr(guide, line);
    }
    free(guide);
    CHECK(same);
    CHECK_INT(pliant("nonsense"), EXIT_USAGE);
    CHECK_INT(pliant(""), EXIT_USAGE);
}
