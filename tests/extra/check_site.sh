#!/usr/bin/env bash
# The documents become a site whose links lead somewhere and whose search finds things: check_site.sh BIN_FOLDER
set -u
/usr/bin/python3 -c 'import markdown' 2>/dev/null || { echo "python3-markdown is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 scripts/site.py "$work/site" || exit 1

# a link that leads nowhere, and one to a heading that is not there, are told
mkdir "$work/copy"
cp -r README.md CONTRIBUTING.md CHANGELOG.md LICENSE docs scenes examples scripts "$work/copy"
echo 'See [this](docs/nowhere.md) and [that](docs/guide.md#no-such-heading).' >>"$work/copy/README.md"
if /usr/bin/python3 "$work/copy/scripts/site.py" "$work/broken" 2>"$work/told"; then echo "broken links are not told"; exit 1; fi
grep -q 'docs/nowhere.md: is not there' "$work/told" && grep -q 'no-such-heading: there is no such heading' "$work/told" ||
    { echo "other links are told:"; cat "$work/told"; exit 1; }

# the search of the page, without a browser: a question of two words finds the section of that heading
command -v node >/dev/null || { echo "node is not installed; search was not tried"; exit 0; }
cat >"$work/try.js" <<'END'
const fs = require('fs'), site = process.argv[2];
const box = {value: '', addEventListener(name, call) { this.call = call; }}, found = {innerHTML: ''};
const document = {getElementById: id => id === 'search' ? box : found};
eval(`const root = '';` + fs.readFileSync(site + '/sections.js', 'utf8') + fs.readFileSync(site + '/search.js', 'utf8'));
function ask(text) { box.value = text; box.call(); return found.innerHTML; }
if (!ask('octopus regions').includes('docs/meshes.html#')) throw new Error('finds nothing: ' + ask('octopus regions'));
if (ask('xyzzyx') !== 'nothing found') throw new Error('finds what is not there');
if (ask('') !== '') throw new Error('finds without a question');
ask('a.*(['); // signs of expressions do no harm
END
node "$work/try.js" "$work/site" && echo "site and search work"
