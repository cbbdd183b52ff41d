// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Reads the tags of an XML text one by one. Tags must nest. Document types, and so custom entities,
// are refused, so that reading takes linear time and accesses nothing outside the text.
#ifndef PL_XML_SCAN_H
#define PL_XML_SCAN_H

#include "mesh/text_scan.h"

enum { PL_XML_DEPTH = 32 };

typedef enum pl_xml_event {
    PL_XML_FAILED,
    PL_XML_OPEN,
    PL_XML_CLOSE, // also follows an OPEN of <tag/>
    PL_XML_END,   // of the text
} pl_xml_event;

typedef struct pl_xml_name {
    const char* text; // in the source, not ended by zero
    size_t size;
} pl_xml_name;

typedef struct pl_xml {
    pl_scan scan; // after the tag, where its content begins
    pl_error* error;
    pl_xml_name name;       // of the tag that was opened or closed
    const char* attributes; // of the tag that was opened
    const char* attributes_end;
    bool closes_itself; // a CLOSE follows
    int depth;
    pl_xml_name open[PL_XML_DEPTH];
} pl_xml;

pl_xml pl_xml_begin(const pl_source* source, pl_error* error);
// Goes to the next tag; text between tags is skipped. PL_XML_FAILED has filled the error.
pl_xml_event pl_xml_next(pl_xml* xml);
bool pl_xml_is(const pl_xml* xml, const char* name);
// The value of an attribute of the opened tag, cut to size - 1 bytes, character references
// resolved. False, with an empty value, if there is none.
bool pl_xml_attribute(const pl_xml* xml, const char* name, char* value, size_t size);

#endif
