// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The pictures of docs/viewer.md: node pictures.mjs PLIANT PACKAGES WORK_FOLDER IMAGE_FOLDER, from the project's folder
import { join } from "node:path";
import { Server, openBrowser, openPage, sleep, until } from "./harness.mjs";

const [program, packages, work, images] = process.argv.slice(2);
const browser = await openBrowser(packages, work, { width: 960, height: 600 });

async function take(name, scene, act) {
  const server = await Server.start(program, [scene]);
  const page = await openPage(browser, server.address, []);
  const drawn = () => page.evaluate(() => pliant.counts.drawn);
  const moving = async (count) => { const from = await drawn(); await until(async () => (await drawn()) >= from + count, "frames", 60); };
  await moving(3);
  await act(page, moving);
  await page.screenshot({ path: join(images, `${name}.png`) });
  await page.close();
  await server.stop();
}

// takes the highest vertex that can be seen, and pulls it
async function pull(page, moving, dx, dy) {
  const at = await page.evaluate(() => {
    const { stage } = pliant, body = stage.bodies[0];
    let best = [0, Infinity], middle = [0, 0];
    for (let v = 0; v < body.vertexCount; v++) { const p = stage.project(0, v); if (p[1] < best[1]) best = p; middle = [middle[0] + p[0] / body.vertexCount, middle[1] + p[1] / body.vertexCount]; }
    return [0, 1].map((k) => 0.88 * best[k] + 0.12 * middle[k]);
  });
  await page.mouse.move(...at);
  await page.mouse.down();
  for (let k = 1; k <= 10; k++) { await page.mouse.move(at[0] + (dx * k) / 10, at[1] + (dy * k) / 10); await sleep(60); }
  await moving(8);
}

await take("view_pull", "scenes/demo.json", async (page, moving) => {
  await until(() => page.evaluate(() => pliant.frame.time > 0.55), "a bear that was let go", 60);
  await page.selectOption("#color", "stretch");
  await pull(page, moving, 20, -90);
  await until(() => page.evaluate(() => pliant.frame.time > 2.5), "a bear that hangs by its ear", 60);
  await page.keyboard.press("f");
  await moving(3);
});
await take("view_split", "scenes/bar.json", async (page, moving) => {
  await page.selectOption("#split", "method=pbd");
  await until(() => page.evaluate(() => pliant.frame.sides.length === 2), "two sides", 60);
  await moving(20);
  await pull(page, moving, 80, -60);
});
await take("view_levels", "scenes/demo.json", async (page, moving) => {
  await page.keyboard.press("d");
  await page.selectOption("#color", "level 1");
  await moving(8);
});
await browser.close();
