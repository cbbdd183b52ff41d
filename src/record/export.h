// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Exports recordings to the formats of other programs.
#ifndef PL_RECORD_EXPORT_H
#define PL_RECORD_EXPORT_H

#include "record/contact_table.h"
#include "record/recording.h"
#include "record/show.h"

// code, name, whether it is one file (else a folder of files), what is written
#define PL_EXPORT_LIST(X)                                                                          \
    X(PL_EXPORT_VTU, "vtu", false,                                                                 \
      "a .vtu per frame and body, and of contacts; run.pvd lists them")                            \
    X(PL_EXPORT_PLY, "ply", false, "a .ply per frame and body")                                    \
    X(PL_EXPORT_OBJ, "obj", false, "an .obj per frame and body, texture coordinates kept")         \
    X(PL_EXPORT_PC2, "pc2", false,                                                                 \
      "per body a .pc2 and its .obj (Blender: Mesh Cache); times.json")                            \
    X(PL_EXPORT_GLB, "glb", true, "one animated glTF file, colliders included")                    \
    X(PL_EXPORT_CSV, "csv", true, "a table: each body in each frame, or tracks of vertices")

#define PL_EXPORT_ENUM(code, name, single, help) code,
typedef enum pl_export_format { PL_EXPORT_LIST(PL_EXPORT_ENUM) PL_EXPORT_COUNT } pl_export_format;
#undef PL_EXPORT_ENUM

// The format of a name, or PL_EXPORT_COUNT.
pl_export_format pl_export_format_of(const char* name);
bool pl_export_is_file(pl_export_format format);

typedef struct pl_export_options {
    int every;     // take every nth frame
    bool ascii;    // VTU and PLY as text
    pl_show* show; // glb: also writes the colliders of this show of the recording; NULL: none
    const char* contacts; // vtu: also writes the contacts of this contacts.csv; NULL: none
    int vertex_count;     // csv: tracks of these vertices of every body, or
    const int* vertices;  // NULL for a line per body and frame
    // called after each frame, or NULL
    void (*progress)(int done, int count, void* user);
    void* user;
} pl_export_options;

// path: the file, or the folder, which is created if needed. A file appears under its name when it
// is complete.
pl_status pl_export(pl_recording* recording, pl_export_format format, const char* path,
                    const pl_export_options* options, pl_notes* notes, pl_error* error);

// Internal: one function per format.
typedef struct pl_export_job {
    pl_recording* recording;
    const pl_record_head* head;
    const char* path;
    const pl_export_options* options;
    int frame_count;   // frames that are exported
    char (*names)[64]; // of the bodies: unique and safe in file names
    pl_notes* notes;
} pl_export_job;

pl_status pl_export_series(const pl_export_job* job, pl_mesh_format format, const char* ending,
                           pl_error* error);
// Writes the contacts of a frame (rows of a contact table) as a VTU file.
pl_status pl_export_contacts(const char* path, const pl_array* rows, double time, pl_error* error);
pl_status pl_export_pc2(const pl_export_job* job, pl_error* error);
pl_status pl_export_glb(const pl_export_job* job, pl_error* error);
pl_status pl_export_csv(const pl_export_job* job, pl_error* error);

// Number in the run of the ith exported frame.
int pl_export_number(const pl_export_job* job, int i);
// Loads the ith exported frame and reports progress.
pl_status pl_export_load(const pl_export_job* job, int i, pl_error* error);
double pl_export_time(const pl_export_job* job, int i);

#endif
