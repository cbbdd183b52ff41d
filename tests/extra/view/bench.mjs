// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Frames a second at the page, milliseconds from a drag to the picture that has followed it, bytes a frame and the
// server's work beside the steps: node bench.mjs PLIANT PACKAGES WORK_FOLDER VERTICES...
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Server, openBrowser, openPage, sleep, until } from "./harness.mjs";

const [program, packages, work, ...sizes] = process.argv.slice(2);
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN;

async function measure(browser, count) {
  // a cloth by position based dynamics, so that steps of all sizes are fast enough for the page to be the limit
  const side = Math.round(Math.sqrt(count)), name = join(work, `cloth_${count}.json`);
  writeFileSync(name, JSON.stringify({
    pliant: 1, bodies: [{ name: "cloth", method: "pbd", iterations: 4, hierarchy: 3, generate: { shape: "cloth", size_x: 1, size_y: 1, edge: 1.1547 / (side - 1) } }],
    attachments: [{ body: "cloth", where: { side: "+y" } }],
  }));
  const server = await Server.start(program, [name]);
  const page = await openPage(browser, server.address, []);
  const drawn = () => page.evaluate(() => pliant.counts.drawn);
  await until(async () => (await drawn()) > 5, "frames", 120);
  const [first, start] = [await drawn(), Date.now()];
  const costs = [];
  for (let k = 0; k < 20; k++) {
    await sleep(250);
    costs.push(await page.evaluate(() => [pliant.stats.encode, pliant.stats.seconds]));
  }
  const fps = (1000 * ((await drawn()) - first)) / (Date.now() - start);
  // pull in the middle of the window, and look when pictures follow
  await page.mouse.move(300, 240);
  await page.mouse.down();
  for (let k = 0; k < 12; k++) { await page.mouse.move(300 + 4 * k, 240); await sleep(150); }
  await page.mouse.up();
  const { latencies, bytes, vertices } = await page.evaluate(() => ({ latencies: pliant.latencies, bytes: pliant.counts.frameBytes, vertices: pliant.stage.bodies[0].vertexCount }));
  await page.close();
  await server.stop();
  const label = `${Math.round(count / 1000)}k`;
  console.log(`vertices_${label} ${vertices}\nfps_${label} ${fps.toFixed(2)}\nlatency_ms_${label} ${median(latencies).toFixed(1)}\nbytes_${label} ${bytes}`);
  console.log(`overhead_${label} ${(median(costs.map((c) => c[0])) / median(costs.map((c) => c[1]))).toFixed(4)}`);
}

const browser = await openBrowser(packages, work, { width: 640, height: 480 });
for (const size of sizes) await measure(browser, Number(size));
await browser.close();
