#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
#
# The documents as a web site that needs no net and no server: site.py OUT_FOLDER
# README.md becomes index.html; pages have a list of all pages, their own headings, and a search over the text of all of
# them. Files of the project that pages link to are copied. Exits with 1 if a link is broken.
import html
import json
import os
import re
import shutil
import sys

import markdown

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
GROUPS = [
    ("Start", ["README.md", "docs/guide.md", "docs/viewer.md", "docs/modes.md"]),
    ("Reference", ["docs/scene.md", "docs/meshes.md", "docs/contact.md", "docs/plr.md"]),
    ("Methods", ["docs/methods/choosing.md", "docs/methods/galerkin.md", "docs/methods/mixed.md", "docs/methods/grid.md", "docs/methods/pbd.md", "docs/methods/eigenfit.md", "docs/methods/guard.md"]),
    ("Measured", ["docs/verification.md", "docs/peers.md"]),
    ("Source", ["docs/architecture.md", "CONTRIBUTING.md", "CHANGELOG.md"]),
]

STYLE = """
:root { color-scheme: light dark; --ink: #22262b; --quiet: #667; --line: #d8dce2; --back: #fff; --side: #f5f6f8; --link: #1a5fb4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #dde1e6; --quiet: #99a; --line: #3a3f47; --back: #1b1e22; --side: #22262b; --link: #7ab7ff; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--back); display: flex; }
nav { width: 270px; flex: none; height: 100vh; position: sticky; top: 0; overflow: auto; padding: 20px; background: var(--side);
  border-right: 1px solid var(--line); font-size: 14px; }
nav h2 { font-size: 12px; text-transform: uppercase; color: var(--quiet); margin: 18px 0 4px; letter-spacing: .05em; }
nav ul { list-style: none; margin: 0; padding: 0; } nav ul ul { padding-left: 14px; }
nav a { display: block; padding: 2px 0; } nav a.here { font-weight: 600; color: var(--ink); }
nav input { width: 100%; padding: 6px 8px; font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line);
  border-radius: 4px; }
main { flex: 1; min-width: 0; max-width: 1000px; padding: 24px 40px 80px; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 2em; border-bottom: 1px solid var(--line); padding-bottom: 4px; }
img { max-width: 100%; } code { font-size: .9em; background: var(--side); padding: 1px 4px; border-radius: 3px; }
pre { background: var(--side); border: 1px solid var(--line); border-radius: 4px; padding: 12px; overflow: auto; }
pre code { background: none; padding: 0; }
.table { overflow-x: auto; } table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: 4px 10px;
  text-align: left; vertical-align: top; }
#found { margin: 8px 0 0; } #found a { padding: 5px 0; border-bottom: 1px solid var(--line); } #found small { color: var(--quiet);
  display: block; } mark { background: #ffd54a; color: #222; }
@media (max-width: 800px) { body { display: block; } nav { width: auto; height: auto; position: static; } main { padding: 16px; } }
"""

# every word of the question must be in a section; headings count more
SEARCH = """
const box = document.getElementById('search'), found = document.getElementById('found');
function escape(text) { return text.replace(/[&<>]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'}[c])); }
function excerpt(text, words) {
  const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 40);
  let part = escape(text.slice(at, at + 150));
  for (const w of words)
    part = part.replace(new RegExp(w.replace(/[.*+?^${}()|[\\]\\\\&<>]/g, '\\\\$&'), 'ig'), m => '<mark>' + m + '</mark>');
  return part;
}
function search() {
  const words = box.value.toLowerCase().split(/\\s+/).filter(w => w);
  const hits = [];
  for (const s of words.length ? sections : []) {
    const title = s[1].toLowerCase(), text = s[2].toLowerCase();
    let score = 0;
    for (const w of words) {
      const in_title = title.includes(w), in_text = text.split(w).length - 1;
      if (!in_title && !in_text) { score = -1; break; }
      score += (in_title ? 20 : 0) + Math.min(in_text, 8);
    }
    if (score > 0) hits.push([score, s]);
  }
  hits.sort((a, b) => b[0] - a[0]);
  found.innerHTML = words.length && !hits.length ? 'nothing found' : hits.slice(0, 20).map(([_, s]) =>
    `<a href="${root}${s[0]}">${escape(s[1])}<small>${excerpt(s[2], words)}</small></a>`).join('');
}
box.addEventListener('input', search);
"""


def slug(text, separator="-"):
    """The anchor that code hosts give a heading."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def page_name(path):
    return "index.html" if path == "README.md" else path[:-3] + ".html"


class Page:
    def __init__(self, path):
        self.path, self.name = path, page_name(path)
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        reader = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "sane_lists"],
                                   extension_configs={"toc": {"slugify": slug}})
        self.body = reader.convert(text)
        self.headings = [(t["name"], t["id"]) for top in reader.toc_tokens for t in top["children"]]
        self.title = reader.toc_tokens[0]["name"] if reader.toc_tokens else path
        self.anchors = set(re.findall(r'\bid="([^"]+)"', self.body))

    def sections(self):
        """[link, heading, text] of each part below a heading"""
        parts = re.split(r'<h[1-6] id="([^"]+)">(.*?)</h[1-6]>', self.body, flags=re.S)
        plain = lambda s: html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", s))).strip()
        for k in range(1, len(parts), 3):
            heading = plain(parts[k + 1])
            title = heading if heading == plain(self.title) else f"{heading} ({plain(self.title)})"
            yield [f"{self.name}#{parts[k]}", title, plain(parts[k + 2])]


class Site:
    def __init__(self, out):
        self.out = out
        self.pages = {path: Page(path) for _, paths in GROUPS for path in paths}
        self.copied, self.broken, self.link_count = set(), [], 0

    def copy(self, path):
        """a file or folder of the project that is linked; of a folder, a page that lists it"""
        if path in self.copied:
            return
        self.copied.add(path)
        source, to = os.path.join(ROOT, path), os.path.join(self.out, path)
        if os.path.isdir(source):
            os.makedirs(to, exist_ok=True)
            names = sorted(n for n in os.listdir(source) if os.path.isfile(os.path.join(source, n)))
            for name in names:
                shutil.copy(os.path.join(source, name), to)
            items = "".join(f'<li><a href="{html.escape(n)}">{html.escape(n)}</a></li>' for n in names)
            with open(os.path.join(to, "index.html"), "w", encoding="utf-8") as file:
                file.write(f"<!doctype html><meta charset=utf-8><title>{path}</title><h1>{path}</h1><ul>{items}</ul>")
        else:
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(source, to)

    def link(self, page, target):
        """where a link of a page leads in the site"""
        if re.match(r"[a-z]+:", target):
            return target
        self.link_count += 1
        path, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page.path), path)) if path else page.path
        here = os.path.dirname(page.name)
        if path in self.pages:
            if anchor and anchor not in self.pages[path].anchors:
                self.broken.append(f"{page.path}: {target}: there is no such heading")
            return os.path.relpath(self.pages[path].name, here or ".") + (f"#{anchor}" if anchor else "")
        if path.startswith("..") or not os.path.exists(os.path.join(ROOT, path)):
            self.broken.append(f"{page.path}: {target}: is not there")
            return target
        self.copy(path)
        if os.path.isdir(os.path.join(ROOT, path)):
            path = os.path.join(path, "index.html")
        return os.path.relpath(path, here or ".")

    def navigation(self, page, root):
        parts = ['<input id="search" type="search" placeholder="Search" autocomplete="off"><div id="found"></div>']
        for group, paths in GROUPS:
            parts.append(f"<h2>{group}</h2><ul>")
            for path in paths:
                other = self.pages[path]
                here = ' class="here"' if other is page else ""
                parts.append(f'<li><a href="{root}{other.name}"{here}>{other.title}</a>')
                if other is page and page.headings:
                    parts.append("<ul>" + "".join(f'<li><a href="#{i}">{n}</a></li>' for n, i in page.headings) + "</ul>")
                parts.append("</li>")
            parts.append("</ul>")
        return "".join(parts)

    def write(self, page):
        root = "../" * page.name.count("/")
        body = re.sub(r'\b(href|src)="([^"]+)"', lambda m: f'{m[1]}="{html.escape(self.link(page, html.unescape(m[2])))}"',
                      page.body)
        body = re.sub(r"(<table>.*?</table>)", r'<div class="table">\1</div>', body, flags=re.S)
        to = os.path.join(self.out, page.name)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        with open(to, "w", encoding="utf-8") as file:
            file.write(f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
                       f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{page.title}</title>'
                       f'<link rel="stylesheet" href="{root}style.css"></head><body><nav>{self.navigation(page, root)}</nav>'
                       f'<main>{body}</main><script>const root = "{root}";</script>'
                       f'<script src="{root}sections.js"></script><script src="{root}search.js"></script></body></html>\n')

    def build(self):
        shutil.rmtree(self.out, ignore_errors=True)
        os.makedirs(self.out)
        for page in self.pages.values():
            self.write(page)
        sections = [s for page in self.pages.values() for s in page.sections()]
        for name, text in [("style.css", STYLE), ("search.js", SEARCH),
                           ("sections.js", "const sections = " + json.dumps(sections, ensure_ascii=False) + ";\n")]:
            with open(os.path.join(self.out, name), "w", encoding="utf-8") as file:
                file.write(text)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: site.py OUT_FOLDER")
    site = Site(os.path.abspath(sys.argv[1]))
    site.build()
    for text in site.broken:
        print(text, file=sys.stderr)
    print(f"{sys.argv[1]}/index.html: {len(site.pages)} pages, {site.link_count} links, {len(site.broken)} of them broken")
    sys.exit(1 if site.broken else 0)


if __name__ == "__main__":
    main()
