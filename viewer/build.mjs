// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bundles the page into one file: node build.mjs SOURCE OUTPUT, run where node_modules is. Script and style
// stand in the page; its content security policy allows these two by their hashes and nothing else.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import * as esbuild from "esbuild";

const [source, output] = process.argv.slice(2);
const bundle = await esbuild.build({
  entryPoints: [resolve(source, "main.js")],
  nodePaths: [resolve("node_modules")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  legalComments: "inline",
  write: false,
});
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");
const style = readFileSync(resolve(source, "style.css"), "utf8");
const hash = (text) => "'sha256-" + createHash("sha256").update(text).digest("base64") + "'";
const policy =
  `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
  "img-src data: blob:; media-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'";
const page = readFileSync(resolve(source, "index.html"), "utf8")
  .replace("<!-- policy -->", () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
  .replace("<!-- style -->", () => `<style>${style}</style>`)
  .replace("<!-- script -->", () => `<script>${script}</script>`);
writeFileSync(output, page);
