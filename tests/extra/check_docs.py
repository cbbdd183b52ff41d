#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The pliant authors
#
# Every command of README.md and docs works in a clone: check_docs.py BIN_FOLDER
# Commands of code blocks run in order, in a folder that has the files of the project and nothing else, with fewer frames
# and smaller pictures. Benches, tests, make targets and presets must exist; they are run elsewhere. In running text,
# verbs and options of `pliant ...` must exist, and so must files of the project that are named or linked, sources such as
# `pool.c`, and names of the library such as `pl_world_step`. Lines are narrow.
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# takes minutes or a gigabyte: checked with `pliant check` only
COSTLY = "grid.cell=0.0016"
WIDTH = 130
LINKED = ["scenes", "bench", "scripts", "docs", "examples", "tests", "src", "include", "cli", "verify", "viewer", "Makefile",
          "CMakePresets.json", "CHANGELOG.md", "LICENSE", "README.md", "CONTRIBUTING.md"]
SOURCES = ["src", "include", "cli", "viewer", "bench", "verify", "tests", "examples"]


def read_sources():
    """paths of all C files, and every word in them"""
    paths, words = [], set()
    for top in SOURCES:
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if name.endswith((".c", ".h", ".cc", ".cpp")):
                    path = os.path.join(folder, name)
                    paths.append("/" + os.path.relpath(path, ROOT))
                    with open(path, encoding="utf-8") as file:
                        words.update(re.findall(r"\w+", file.read()))
    return paths, words


class Docs:
    def __init__(self, programs):
        self.programs = programs
        self.failed = 0
        self.ran = 0
        self.looked_up = 0
        listed = self.run_program("pliant-bench", ["list"]).stdout
        self.benches = {line.split()[0] for line in listed.splitlines()}
        # a part that is not there is refused with the list of those that are
        refused = self.run_program("pliant-bench", ["verify", "?"]).stderr
        self.verify_parts = set(refused.split("it has ")[-1].split())
        self.has_ffmpeg = shutil.which("ffmpeg") is not None
        self.sources, self.words = read_sources()

    def run_program(self, name, arguments, folder=None):
        return subprocess.run([os.path.join(self.programs, name)] + arguments, cwd=folder, capture_output=True, text=True,
                              timeout=300, stdin=subprocess.DEVNULL)

    def fail(self, place, text):
        self.failed += 1
        print(f"{place}: {text}")

    def need(self, place, condition, text):
        self.looked_up += 1
        if not condition:
            self.fail(place, text)

    # a server that nobody talks to: it tells its address, or what has to be installed
    def view(self, place, words, folder):
        with subprocess.Popen([os.path.join(self.programs, "pliant")] + words + ["--no-open"], cwd=folder, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            address = process.stdout.readline()
            process.terminate()
            text = process.communicate(timeout=60)[1]
        self.need(place, address.startswith("http://") or "make view" in text, f"pliant {' '.join(words)}: {text}")

    # ---- commands of blocks

    def pliant(self, place, words, folder):
        verb = words[0] if words else ""
        if verb == "run" and any(COSTLY in w for w in words):
            out = words.index("-o")
            words = ["check"] + words[1:out] + words[out + 2:]
        elif verb == "run":
            words = words + ["--frames", "2", "--quiet", "--force"]
        elif verb == "render":
            words = ["x" if not self.has_ffmpeg and w.endswith((".mp4", ".gif", ".webm")) else w for w in words]
            words = [w for k, w in enumerate(words) if w != "--size" and words[k - 1] != "--size"] + ["--size", "64x48"]
        elif verb == "view":
            self.view(place, words, folder)
            return
        done = self.run_program("pliant", words, folder)
        self.ran += 1
        if done.returncode != 0:
            self.fail(place, f"pliant {' '.join(words)}: exit {done.returncode}: {done.stderr.strip()[:300]}")

    def command(self, place, text, folder):
        words = shlex.split(text, comments=True)
        while words and re.match(r"^[A-Z_]+=", words[0]):
            words = words[1:]
        if not words:
            return
        program, rest = os.path.basename(words[0]), words[1:]
        if program == "pliant":
            self.pliant(place, rest, folder)
        elif program == "pliant-bench":
            allowed = {"--quick", "--json"} | (self.verify_parts if rest[:1] == ["verify"] else set())
            self.need(place, rest and rest[0] in self.benches and set(rest[1:]) <= allowed, f"no such bench: {text}")
        elif program == "pliant-tests":
            tests = subprocess.run(["grep", "-rhE", r"^TEST\(", "--include=test_*.c", os.path.join(ROOT, "tests")],
                                   capture_output=True, text=True).stdout
            self.need(place, all(w in tests for w in rest), f"no such test: {text}")
        elif program == "make":
            makefile = open(os.path.join(ROOT, "Makefile"), encoding="utf-8").read()
            for target in rest:
                known = "=" in target or re.search(r"^[a-z -]*\b%s\b[a-z -]*:" % re.escape(target), makefile, re.M)
                self.need(place, known, f"no such target: {target}")
        elif program == "cmake":
            presets = open(os.path.join(ROOT, "CMakePresets.json"), encoding="utf-8").read()
            for k, word in enumerate(rest[:-1]):
                if word == "--preset" and rest[k + 1] != "NAME":
                    self.need(place, f'"{rest[k + 1]}"' in presets, f"no such preset: {rest[k + 1]}")
        elif program.endswith(".sh") or program == "bash":
            for word in words:
                if word.endswith((".sh", ".json")) or word.startswith(".ci/"):
                    self.need(place, os.path.exists(os.path.join(ROOT, word)), f"{word} is not there")

    # ---- a page

    def blocks(self, lines):
        """(line number, text, is JSON, text above) of each code block"""
        k = 0
        while k < len(lines):
            if lines[k].startswith("```"):
                kind, first = lines[k][3:].strip(), k + 1
                k = first
                while not lines[k].startswith("```"):
                    k += 1
                yield first, lines[first:k], kind, lines[max(0, first - 4):first]
            elif lines[k].startswith("    ") and (k == 0 or not lines[k - 1].strip()):
                first = k
                while k < len(lines) and lines[k].startswith("    "):
                    k += 1
                yield first, [line[4:] for line in lines[first:k]], "", []
            k += 1

    def joined(self, block):
        """(number, text) of each command; a backslash at the end of a line goes on with the next one"""
        first, text = 0, ""
        for k, line in enumerate(block):
            if not text:
                first = k
            text += line
            if text.endswith("\\"):
                text = text[:-1]
                continue
            yield first, text
            text = ""

    def width(self, place, line):
        """prose and commands fit a narrow window; rows of tables and pictures may not"""
        self.need(place, len(line) <= WIDTH or line.startswith(("|", "![")), f"longer than {WIDTH} columns")

    def write_scene(self, place, text, above, folder):
        """a whole scene becomes the file that the text above it names"""
        names = re.findall(r"`([a-z_]+\.json)`", " ".join(above))
        try:
            scene = json.loads(text)
        except ValueError:
            return  # a part of one
        if isinstance(scene, dict) and "pliant" in scene and names:
            with open(os.path.join(folder, names[-1]), "w", encoding="utf-8") as file:
                file.write(text)

    def inline(self, place, line):
        for span in re.findall(r"`pliant ([^`]*)`", line):
            words = span.split()
            done = self.run_program("pliant", [words[0], "--help"])
            verb_known = words[0].startswith("-") or done.returncode == 0 or words[0] == "VERB"
            self.need(place, verb_known, f"no such verb: pliant {span}")
            for word in words[1:]:
                if word.startswith("--") and word != "--help":
                    self.need(place, word.split("=")[0] in done.stdout, f"no such option: pliant {span}")
        named = re.findall(r"`((?:scenes|scripts|bench|examples|tests|docs)/[A-Za-z0-9_./]*[A-Za-z0-9_/])`", line)
        for name in named:
            if re.search("[A-Z]", name):
                continue  # bench_NAME.c
            self.need(place, os.path.exists(os.path.join(ROOT, name)), f"{name} is not there")
        for name in re.findall(r"`([a-z][a-z0-9_/]*\.[ch])`", line):
            self.need(place, any(path.endswith("/" + name) for path in self.sources), f"no source has the name {name}")
        for name in re.findall(r"\bpl_[a-z0-9_]+[a-z0-9]\b(?!_)", line):
            self.need(place, name in self.words or name == "pl_noun_verb", f"nothing has the name {name}")

    def page(self, path):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            lines = file.read().splitlines()
        folder = tempfile.mkdtemp()
        try:
            for name in LINKED:
                os.symlink(os.path.abspath(os.path.join(ROOT, name)), os.path.join(folder, name))
            os.mkdir(os.path.join(folder, "out"))
            for first, block, kind, above in self.blocks(lines):
                if kind == "json":
                    self.write_scene(path, "\n".join(block), above, folder)
                elif kind in ("", "sh", "bash"):
                    for k, line in self.joined(block):
                        for part in re.split(r"&&|;(?=\s)", line.split(" #")[0]):
                            self.command(f"{path}:{first + k + 1}", part, folder)
            for k, line in enumerate(lines):
                self.inline(f"{path}:{k + 1}", line)
                self.width(f"{path}:{k + 1}", line)
                for target in re.findall(r"\]\(([^)#:]+)\)", line):
                    there = os.path.join(ROOT, os.path.dirname(path), target)
                    self.need(f"{path}:{k + 1}", os.path.exists(there), f"{target} is not there")
        finally:
            shutil.rmtree(folder)


def main():
    os.chdir(ROOT)
    docs = Docs(os.path.abspath(sys.argv[1]))
    pages = ["README.md", "CONTRIBUTING.md"]
    for folder in ("docs", "docs/methods"):
        pages += sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".md"))
    for page in pages:
        docs.page(page)
    print(f"{len(pages)} pages, {docs.ran} commands run, {docs.looked_up} names looked up, {docs.failed} wrong")
    return 1 if docs.failed or docs.ran < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
