// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/xml_scan.h"
#include "base/platform.h"

#include <stdlib.h>
#include <string.h>

pl_xml pl_xml_begin(const pl_source* source, pl_error* error) {
    return (pl_xml){.scan = pl_scan_begin(source), .error = error};
}

static bool same_name(pl_xml_name a, pl_xml_name b) {
    return a.size == b.size && memcmp(a.text, b.text, a.size) == 0;
}

bool pl_xml_is(const pl_xml* xml, const char* name) {
    return same_name(xml->name, (pl_xml_name){name, strlen(name)});
}

static pl_xml_event fail(pl_xml* xml, const char* what) {
    pl_scan_fail(&xml->scan, xml->error, PL_ERROR_FORMAT, "%s", what);
    return PL_XML_FAILED;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool ends_name(char c) {
    return is_space(c) || c == '/' || c == '>' || c == '=' || c == '<' || c == '"' || c == '\0';
}

static size_t left(const pl_xml* xml) { return (size_t)(xml->scan.end - xml->scan.at); }

static bool at_text(const pl_xml* xml, const char* text) {
    size_t size = strlen(text);
    return left(xml) >= size && memcmp(xml->scan.at, text, size) == 0;
}

// past the next occurrence of a text
static bool skip_past(pl_xml* xml, const char* text) {
    const char* found = pl_find_bytes(xml->scan.at, left(xml), text, strlen(text));
    if (found) xml->scan.at = found + strlen(text);
    return found != NULL;
}

// skips comments, instructions and literal text up to the next tag; returns NULL, or what is wrong
static const char* skip_to_tag(pl_xml* xml) {
    for (;;) {
        const char* open = memchr(xml->scan.at, '<', left(xml));
        xml->scan.at = open ? open : xml->scan.end;
        if (at_text(xml, "<!--")) {
            if (!skip_past(xml, "-->")) return "a comment has no end";
        } else if (at_text(xml, "<?")) {
            if (!skip_past(xml, "?>")) return "an instruction <? has no end";
        } else if (at_text(xml, "<![CDATA[")) {
            if (!skip_past(xml, "]]>")) return "a CDATA section has no end";
        } else if (at_text(xml, "<!")) {
            return "a document type declaration, which pliant does not read";
        } else {
            return NULL;
        }
    }
}

static pl_xml_name take_name(pl_xml* xml) {
    const char* begin = xml->scan.at;
    while (xml->scan.at < xml->scan.end && !ends_name(*xml->scan.at)) xml->scan.at++;
    return (pl_xml_name){begin, (size_t)(xml->scan.at - begin)};
}

// name = "value"; sets the bounds of the value. False if there is no attribute here.
static bool take_attribute(pl_scan* scan, pl_xml_name* name, const char** value,
                           const char** value_end) {
    while (scan->at < scan->end && is_space(*scan->at)) scan->at++;
    const char* begin = scan->at;
    while (scan->at < scan->end && !ends_name(*scan->at)) scan->at++;
    *name = (pl_xml_name){begin, (size_t)(scan->at - begin)};
    while (scan->at < scan->end && is_space(*scan->at)) scan->at++;
    if (name->size == 0 || scan->at >= scan->end || *scan->at != '=') return false;
    scan->at++;
    while (scan->at < scan->end && is_space(*scan->at)) scan->at++;
    if (scan->at >= scan->end || (*scan->at != '"' && *scan->at != '\'')) return false;
    *value = scan->at + 1;
    *value_end = memchr(*value, *scan->at, (size_t)(scan->end - *value));
    if (!*value_end) return false;
    scan->at = *value_end + 1;
    return true;
}

static pl_xml_event open_tag(pl_xml* xml) {
    xml->scan.at++;
    xml->name = take_name(xml);
    if (xml->name.size == 0) return fail(xml, "a tag without a name");
    xml->attributes = xml->scan.at;
    pl_xml_name name;
    const char *value, *value_end;
    pl_scan ahead = xml->scan;
    while (take_attribute(&ahead, &name, &value, &value_end)) xml->scan = ahead;
    while (xml->scan.at < xml->scan.end && is_space(*xml->scan.at)) xml->scan.at++;
    xml->attributes_end = xml->scan.at;
    xml->closes_itself = at_text(xml, "/>");
    if (!xml->closes_itself && !at_text(xml, ">"))
        return fail(xml, "a tag that is not well formed");
    xml->scan.at += xml->closes_itself ? 2 : 1;
    if (xml->depth == PL_XML_DEPTH) return fail(xml, "tags are nested too deeply");
    xml->open[xml->depth++] = xml->name;
    return PL_XML_OPEN;
}

static pl_xml_event close_tag(pl_xml* xml) {
    xml->scan.at += 2;
    xml->name = take_name(xml);
    while (xml->scan.at < xml->scan.end && is_space(*xml->scan.at)) xml->scan.at++;
    if (!at_text(xml, ">")) return fail(xml, "a closing tag that is not well formed");
    xml->scan.at++;
    if (xml->depth == 0 || !same_name(xml->name, xml->open[xml->depth - 1]))
        return fail(xml, "a closing tag that closes nothing");
    xml->depth--;
    return PL_XML_CLOSE;
}

pl_xml_event pl_xml_next(pl_xml* xml) {
    if (xml->closes_itself) {
        xml->closes_itself = false;
        xml->name = xml->open[--xml->depth];
        return PL_XML_CLOSE;
    }
    const char* wrong = skip_to_tag(xml);
    if (wrong) return fail(xml, wrong);
    if (pl_scan_at_end(&xml->scan)) {
        if (xml->depth == 0) return PL_XML_END;
        pl_xml_name inner = xml->open[xml->depth - 1];
        pl_scan_fail(&xml->scan, xml->error, PL_ERROR_FORMAT, "the file ends inside <%.*s>",
                     (int)(inner.size < 60 ? inner.size : 60), inner.text);
        return PL_XML_FAILED;
    }
    return at_text(xml, "</") ? close_tag(xml) : open_tag(xml);
}

// decodes a character reference such as &lt; or &#10;, and gives its length; 0 if it is invalid
static char resolve(const char* at, const char* end, size_t* size) {
    static const struct {
        const char* text;
        char c;
    } references[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        *size = strlen(references[i].text);
        if ((size_t)(end - at) >= *size && memcmp(at, references[i].text, *size) == 0)
            return references[i].c;
    }
    if (end - at < 4 || at[1] != '#') return '\0';
    char* stop;
    bool hex = at[2] == 'x';
    unsigned long code = strtoul(at + 2 + hex, &stop, hex ? 16 : 10);
    *size = (size_t)(stop - at) + 1;
    return stop < end && *stop == ';' && code > 0 && code < 128 ? (char)code : '\0';
}

bool pl_xml_attribute(const pl_xml* xml, const char* name, char* value, size_t size) {
    pl_scan scan = {xml->scan.source, xml->attributes, xml->attributes_end};
    pl_xml_name wanted = {name, strlen(name)}, found;
    const char *at = NULL, *end = NULL;
    value[0] = '\0';
    do {
        if (!take_attribute(&scan, &found, &at, &end)) return false;
    } while (!same_name(found, wanted));
    size_t used = 0;
    while (at < end && used + 1 < size) {
        size_t step = 1;
        char c = *at == '&' ? resolve(at, end, &step) : *at;
        if (c == '\0') c = *at, step = 1;
        value[used++] = c;
        at += step;
    }
    value[used] = '\0';
    return true;
}
