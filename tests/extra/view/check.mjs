// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// `pliant view` in a browser: node check.mjs PLIANT PACKAGES WORK_FOLDER [PICTURE_FOLDER]
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Server, Socket, check, openBrowser, openPage, request, sleep, until } from "./harness.mjs";

const [program, packages, work, pictures] = process.argv.slice(2);
if (pictures) mkdirSync(pictures, { recursive: true });

const box = (more = {}, body = {}) => ({
  pliant: 1, title: "a box", time_step: 1 / 60,
  bodies: [{ name: "box", generate: { shape: "box", size_x: 0.4, size_y: 0.1, size_z: 0.1, edge: 0.05 }, grid: { cell: 0.025 }, material: { young: 3e4, poisson: 0.4 }, damping: { mass: 3 }, linear: "mgpcg", ...body }],
  attachments: [{ body: "box", where: { side: "-x" } }], ...more,
});
const scenes = {
  a_box: box(),
  // slides on the ground: for friction
  b_slide: box({ attachments: [], colliders: [{ name: "ground", plane: { point: [0, 0, 0], normal: [0, 1, 0] } }], title: "a box slides" }, { velocity: [1, 0, 0], transform: { translate: [0, 0.051, 0] } }),
  d_cut: { pliant: 1, title: "a cloth to cut", bodies: [{ name: "cloth", method: "pbd", pbd: { tear: 1000 }, generate: { shape: "cloth", size_x: 0.5, size_y: 0.5, edge: 0.05 } }], attachments: [{ body: "cloth", where: { side: "+y" } }] },
  c_cloth: { pliant: 1, title: "a cloth", bodies: [{ name: "cloth", method: "pbd", generate: { shape: "cloth", size_x: 0.5, size_y: 0.5, edge: 0.05 } }], attachments: [{ body: "cloth", where: { side: "+y" } }] },
};
const folder = join(work, "scenes");
mkdirSync(folder);
for (const [name, scene] of Object.entries(scenes)) writeFileSync(join(folder, `${name}.json`), JSON.stringify(scene));

const errors = [];
let browser, server, page;
const shot = async (name, from = page) => { if (pictures) await from.screenshot({ path: join(pictures, `${name}.png`) }); };
const frames = (from = page) => from.evaluate(() => pliant.counts.drawn);
const number = (from = page) => from.evaluate(() => pliant.frame?.number ?? -1);
const moving = async (count = 3, from = page) => { const start = await frames(from); await until(async () => (await frames(from)) >= start + count, `${count} more frames`); };
const bannerText = (from = page) => from.evaluate(() => (document.getElementById("banner").hidden ? "" : document.getElementById("banner").textContent));
const openScene = async (index) => {
  await page.evaluate((n) => pliant.link.send({ do: "open", number: n }), index);
  await until(() => page.evaluate((n) => pliant.scene.scene === n && pliant.frame?.generation === pliant.scene.generation, index), `scene ${index}`);
};

// the part of the picture that differs from the background
const painted = (from = page) => from.evaluate(() => {
  const { stage } = pliant, gl = stage.renderer.getContext();
  stage.render(true);
  const width = gl.drawingBufferWidth, height = gl.drawingBufferHeight, pixels = new Uint8Array(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  let count = 0;
  const red = new Set();
  for (let i = 0; i < pixels.length; i += 4) {
    const far = Math.abs(pixels[i] - pixels[0]) + Math.abs(pixels[i + 1] - pixels[1]) + Math.abs(pixels[i + 2] - pixels[2]);
    if (far > 30) { count++; red.add((pixels[i] << 8) | pixels[i + 1]); }
  }
  return { part: count / (width * height), shades: red.size };
});

// the vertex of body 0 furthest to the right in the picture, and where it is there and in space
const tip = (from = page) => from.evaluate(() => {
  const body = pliant.stage.bodies[0];
  let best = 0;
  for (let v = 1; v < body.vertexCount; v++) if (body.positions[3 * v] + 0.1 * body.positions[3 * v + 2] > body.positions[3 * best] + 0.1 * body.positions[3 * best + 2]) best = v;
  const middle = [0, 0, 0];
  for (let i = 0; i < body.positions.length; i++) middle[i % 3] += body.positions[i] / body.vertexCount;
  const kept = [...body.positions.subarray(0, 3)];
  body.positions.set(middle, 0);
  const center = pliant.stage.project(0, 0);
  body.positions.set(kept, 0);
  const edge = pliant.stage.project(0, best);
  return { vertex: best, at: [0, 1].map((k) => 0.85 * edge[k] + 0.15 * center[k]), place: [...body.positions.subarray(3 * best, 3 * best + 3)] };
});
const vertexAt = (vertex, from = page) => from.evaluate((v) => ({ at: pliant.stage.project(0, v), place: [...pliant.stage.bodies[0].positions.subarray(3 * v, 3 * v + 3)] }), vertex);

const checks = {
  async "guards its door"() {
    const { port } = server, own = `127.0.0.1:${port}`;
    const page0 = await request(port, { headers: { host: own } });
    check(page0.status === 200 && page0.text.includes("<canvas"), "the page");
    check(/default-src 'none'/.test(page0.headers["content-security-policy"]) && /sha256-/.test(page0.text), "a content security policy");
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1:${port + 1}`]) check((await request(port, { headers: { host } })).status === 403, `Host ${host}`);
    for (const path of ["/x", "/../scenes/a_box.json", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/view.html"]) check([403, 404].includes((await request(port, { path, headers: { host: own } })).status), path);
    check((await Socket.open(port, { origin: "http://evil.example" })) === null, "a foreign Origin");
    check((await Socket.open(port, { origin: null })) === null, "no Origin");
    check((await Socket.open(port, { host: "evil.example", origin: "http://evil.example" })) === null, "a foreign Host");
    check((await Socket.open(port, { path: "/other" })) === null, "another path");
    const socket = await Socket.open(port);
    check(socket, "the page's own WebSocket");
    for (const rubbish of ["", "rubbish", "{\"do\":\"open\",\"path\":\"/etc/passwd\"}", "x".repeat(5000), "[".repeat(900)]) {
      socket.messages.length = 0;
      socket.send(rubbish);
      if (rubbish) await until(() => socket.messages.some((m) => m.type === "notice" && m.text.includes("refused")), `a refusal of ${rubbish.slice(0, 20)}`);
    }
    const seen = socket.frames;
    await until(() => socket.frames > seen + 3, "frames after rubbish");
    socket.close();
  },

  async "asks for a token behind --host"() {
    const other = await Server.start(program, [join(folder, "a_box.json"), "--host", "127.0.0.1"]);
    const token = new URL(other.address).searchParams.get("token"), host = `127.0.0.1:${other.port}`;
    check(token?.length === 32, "a token in the address");
    check((await request(other.port, { headers: { host } })).status === 403, "a page without token");
    check((await request(other.port, { path: `/?token=${"0".repeat(32)}`, headers: { host } })).status === 403, "a wrong token");
    check((await request(other.port, { path: `/?token=${token}`, headers: { host } })).status === 200, "the right token");
    check((await Socket.open(other.port)) === null, "a WebSocket without token");
    const socket = await Socket.open(other.port, { path: `/ws?token=${token}` });
    check(socket, "a WebSocket with token");
    socket.close();
    check((await other.stop("SIGINT")) === 0, "a clean end");
  },

  async "draws"() {
    page = await openPage(browser, server.address, errors);
    await moving(5);
    const { part, shades } = await painted();
    check(part > 0.02 && part < 0.9 && shades > 20, `a picture that is not blank: ${part}, ${shades} shades`);
    const first = await number();
    await moving(5);
    check((await number()) > first, "frames that go on");
    check((await page.evaluate(() => pliant.cycles[0])) > 1, "residuals of cycles");
    await shot("live");
  },

  async "pulls and lets go"() {
    await page.evaluate(() => pliant.link.send({ do: "reset" }));
    await sleep(1500);
    await moving(3);
    await until(async () => (await page.evaluate(() => pliant.stats.kinetic)) < 2e-4, "rest", 25);
    const { at } = await tip();
    await page.mouse.move(at[0], at[1]);
    await page.mouse.down();
    await until(() => page.evaluate(() => pliant.frame.sides[0].held), "a hand");
    const { vertex } = await page.evaluate(() => pliant.held), { place, at: from } = await vertexAt(vertex);
    for (let k = 1; k <= 8; k++) { await page.mouse.move(at[0], at[1] - 10 * k); await sleep(30); }
    const goal = [from[0], from[1] - 80];
    let now;
    await until(async () => { now = await vertexAt(vertex); return Math.hypot(now.at[0] - goal[0], now.at[1] - goal[1]) < 30; }, `the vertex under the mouse: ${JSON.stringify(now)}`);
    check(now.place[1] > place[1] + 0.03, "the vertex in space");
    await shot("pulled");
    await page.mouse.up();
    await until(async () => { now = await vertexAt(vertex); return Math.abs(now.place[1] - place[1]) < 0.015; }, "the vertex springs back", 25);
    check(!(await page.evaluate(() => pliant.frame.sides[0].held)), "the hand let go");
  },

  async "turns the camera beside a body"() {
    const before = await page.evaluate(() => pliant.stage.camera.position.toArray());
    await page.mouse.move(40, 300);
    await page.mouse.down();
    await page.mouse.move(140, 320, { steps: 4 });
    await page.mouse.up();
    await moving(5);
    const after = await page.evaluate(() => pliant.stage.camera.position.toArray());
    check(Math.hypot(...before.map((x, k) => x - after[k])) > 0.05, "a camera that turns");
    await page.keyboard.press("f");
  },

  async "pauses, steps, slows down"() {
    await page.keyboard.press(" ");
    await until(() => page.evaluate(() => pliant.state.paused && pliant.frame.paused), "a pause");
    const at = await number();
    await sleep(300);
    check((await number()) === at, "no frame in a pause");
    await page.keyboard.press(".");
    await until(async () => (await number()) === at + 1, "one step");
    await page.keyboard.press(" ");
    await until(async () => (await number()) > at + 3, "going on");
    await page.selectOption("#speed", "0.1");
    await until(() => page.evaluate(() => pliant.state.speed === 0.1), "slow motion");
    await sleep(300);
    const [a, start] = [await number(), Date.now()];
    await sleep(1500);
    const rate = (1000 * ((await number()) - a)) / (Date.now() - start);
    check(rate > 0.5 && rate < 12, `six frames a second in slow motion: ${rate}`);
    await page.selectOption("#speed", "1");
  },

  async "each slider changes the motion"() {
    // where everything is twelve frames after a start with these settings
    const run = async () => {
      await page.evaluate(() => pliant.link.send({ do: "pause", on: true }));
      const generation = await page.evaluate(() => pliant.scene.generation);
      await page.evaluate(() => pliant.link.send({ do: "reset" }));
      await until(() => page.evaluate((g) => pliant.scene.generation > g && pliant.frame?.generation === pliant.scene.generation && pliant.frame.number === 0, generation), "a fresh start");
      await page.evaluate(() => { for (let k = 0; k < 12; k++) pliant.link.send({ do: "step" }); });
      await until(async () => (await number()) === 12, "twelve steps");
      return page.evaluate(() => [...pliant.stage.bodies[0].positions]);
    };
    const far = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));
    const slide = async (id, part) => {
      const input = page.locator(`[data-id="${id}"] input`);
      await input.evaluate((element, p) => {
        element.value = String(Math.round(Number(element.min) + p * (Number(element.max) - Number(element.min))));
        element.dispatchEvent(new Event("input"));
        element.dispatchEvent(new Event("change"));
      }, part);
    };
    const choose = (id, value) => page.locator(`[data-id="${id}"] select`).selectOption(value);
    const sets = [["young", 0.9, 1e-3], ["poisson", 0.1, 1e-5], ["gravity", 0.9, 1e-3], ["iterations", 0, 1e-7], ["levels", 0.34, 1e-9]];
    for (const [id, part, least] of sets) {
      await openScene(0);
      const before = await run();
      check(far(before, await run()) === 0, `${id}: the same motion twice`);
      await slide(id, part);
      const after = await run();
      check(far(before, after) > least, `${id}: moves ${far(before, after)} m`);
    }
    for (const [id, value, least] of [["linear", "gauss-seidel", 1e-9], ["nonlinear", "linearised", 1e-7], ["method", "grid", 1e-4], ["method", "pbd", 1e-4]]) {
      await openScene(0);
      const before = await run();
      await choose(id, value);
      await until(() => page.evaluate(([i, v]) => pliant.state.controls.find((c) => c.id === i)?.choice === v, [id, value]), `${id} ${value}`);
      const after = await run();
      check(far(before, after) > least, `${id} ${value}: moves ${far(before, after)} m`);
    }
    await openScene(1);
    const before = await run();
    await slide("friction", 1);
    check(far(before, await run()) > 1e-3, "friction");
    await openScene(2);
    const cloth = await run();
    await slide("stretch", 0.02);
    check(far(cloth, await run()) > 1e-4, "stretch");
    // a method changes on the way, too
    await openScene(0);
    await page.evaluate(() => pliant.link.send({ do: "pause", on: false }));
    await moving(10);
    await page.evaluate(() => pliant.link.send({ do: "pause", on: true }));
    await until(() => page.evaluate(() => pliant.state.paused && pliant.frame.paused), "a pause");
    const where = await tip(), shown = await frames();
    await choose("method", "pbd");
    await until(() => page.evaluate(() => pliant.state.controls.find((c) => c.id === "method").choice === "pbd"), "method pbd");
    await until(async () => (await frames()) > shown, "the frame again");
    check(Math.hypot(...(await vertexAt(where.vertex)).place.map((x, k) => x - where.place[k])) < 1e-6, "the body stays where it is");
    await page.evaluate(() => pliant.link.send({ do: "pause", on: false }));
    await moving(5);
    check((await bannerText()) === "", "nothing to complain about");
    await shot("method");
  },

  async "colours, wireframe, contacts, dark, help"() {
    await openScene(1);
    await moving(2);
    for (const name of ["stretch", "volume", "pressure", "speed", "region"]) {
      await page.selectOption("#color", name);
      await until(() => page.evaluate((n) => pliant.state.color === n && pliant.frame.hasValues && pliant.stage.bodies[0].object.material.vertexColors, name), `colours by ${name}`);
    }
    await page.selectOption("#color", "stretch");
    await moving(2);
    check(await page.isVisible("#legend"), "a legend");
    await page.keyboard.press("w");
    await page.keyboard.press("c");
    await until(() => page.evaluate(() => pliant.stage.contactCount > 0), "contact points");
    await moving(2);
    await shot("stretch_wire_contacts");
    await page.selectOption("#color", "none");
    await until(() => page.evaluate(() => !pliant.stage.bodies[0].object.material.vertexColors), "plain colours");
    await page.keyboard.press("w");
    await page.keyboard.press("d");
    await moving(2);
    await shot("dark");
    await page.keyboard.press("?");
    check(await page.isVisible("#help"), "help");
    await shot("help");
    await page.keyboard.press("Escape");
    await page.keyboard.press("d");
    await page.keyboard.press("g");
    check(await page.isVisible("#gallery"), "the gallery");
    await shot("gallery");
    await page.keyboard.press("Escape");
  },

  async "takes pictures and films"() {
    const [picture] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
    check(picture.suggestedFilename() === "pliant.png", "a picture");
    await page.keyboard.press("v");
    await moving(12);
    await sleep(500);
    const [film] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("v")]);
    check(film.suggestedFilename() === "pliant.webm" && (await page.evaluate(() => pliant.lastFilm.size)) > 1000, `a film: ${await page.evaluate(() => pliant.lastFilm.size)} bytes`);
  },

  async "compares side by side"() {
    await openScene(0);
    await page.selectOption("#split", "method=pbd");
    await until(() => page.evaluate(() => pliant.scene.sides === 2 && pliant.stage.scenes.length === 2 && pliant.frame.sides.length === 2), "two sides");
    await moving(10);
    const same = await page.evaluate(() => { const [a, b] = pliant.stage.bodies; return Math.max(...a.positions.map((x, k) => Math.abs(x - b.positions[k]))); });
    check(same > 1e-4, "two methods that differ");
    const { at } = await tip();
    await page.mouse.move(at[0], at[1]);
    await page.mouse.down();
    await page.mouse.move(at[0], at[1] - 40, { steps: 4 });
    await until(() => page.evaluate(() => pliant.frame.sides.every((side) => side.held)), "both sides held");
    await sleep(400);
    await shot("split");
    await page.mouse.up();
    await page.selectOption("#split", "");
    await until(() => page.evaluate(() => pliant.scene.sides === 1), "one side");
  },

  async "cuts a cloth"() {
    await openScene(3);
    await moving(3);
    const lowest = () => page.evaluate(() => { const { positions } = pliant.stage.bodies[0]; let low = 0; for (let i = 1; i < positions.length; i += 3) low = Math.min(low, positions[i]); return low; });
    const ends = await page.evaluate(() => {
      const { positions, vertexCount } = pliant.stage.bodies[0];
      const at = [Infinity, -Infinity, Infinity, -Infinity];
      for (let v = 0; v < vertexCount; v++) { const [x, y] = pliant.stage.project(0, v); at[0] = Math.min(at[0], x); at[1] = Math.max(at[1], x); at[2] = Math.min(at[2], y); at[3] = Math.max(at[3], y); }
      return at;
    });
    const before = await lowest(), height = 0.5 * (ends[2] + ends[3]);
    await page.keyboard.down("Shift");
    await page.mouse.move(ends[0] - 15, height);
    await page.mouse.down();
    await page.mouse.move(ends[1] + 15, height, { steps: 12 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await until(async () => (await lowest()) < before - 0.05, "a cut");
    await shot("cut");
    await until(async () => (await lowest()) < before - 1, "the lower half falls");
  },

  async "serves two pages, one of them slow"() {
    await openScene(0);
    const second = await openPage(browser, server.address, errors);
    await moving(3, second);
    const { vertex, place } = await tip();
    const start = { do: "grab", body: 0, vertex, at: place };
    await page.evaluate((m) => pliant.link.send(m), start);
    await until(() => page.evaluate(() => pliant.frame.sides[0].held), "a hand");
    await second.evaluate((m) => pliant.link.send(m), start);
    await until(async () => (await bannerText(second)).includes("somebody else"), "one drag at a time");
    await page.evaluate(() => pliant.link.send({ do: "release" }));
    // a client that answers nothing: the others go on, and it costs no memory
    const stuck = await Socket.open(server.port, { answers: false });
    await until(() => stuck.frames === 2, "two frames ahead");
    const memory = server.memory();
    const session = await second.context().newCDPSession(second);
    await session.send("Emulation.setCPUThrottlingRate", { rate: 20 });
    const before = [await number(), await second.evaluate(() => pliant.counts.frames), await number(second)];
    await sleep(4000);
    const after = [await number(), await second.evaluate(() => pliant.counts.frames), await number(second)];
    check(after[0] > before[0] + 20, `the fast page goes on: ${after[0] - before[0]}`);
    check(after[2] - before[2] > after[1] - before[1], `the slow page skips: ${after[1] - before[1]} of ${after[2] - before[2]}`);
    check(stuck.frames === 2, "nothing more for the one that does not answer");
    check(server.memory() < memory + 8e6, `memory: ${server.memory() - memory}`);
    stuck.close();
    await second.close();
  },

  async "leaks nothing in 10,000 frames"() {
    const socket = await Socket.open(server.port);
    socket.send({ do: "speed", number: 10 });
    await until(() => socket.frames > 300, "frames", 30);
    const heap = () => page.evaluate(() => ({ ...pliant.stage.renderer.info.memory, heap: performance.memory.usedJSHeapSize, drawn: pliant.counts.drawn }));
    const [memory, first] = [server.memory(), await heap()];
    await until(() => socket.frames > 10300, "10,000 frames", 60);
    const last = await heap();
    check(server.memory() < memory + 4e6, `memory of the server: ${server.memory() - memory} in 10,000 frames`);
    check(last.geometries === first.geometries && last.textures === first.textures, "geometries and textures of the page");
    check(last.heap < first.heap + 40e6, `heap of the page: ${last.heap - first.heap} in ${last.drawn - first.drawn} frames`);
    socket.send({ do: "speed", number: 1 });
    await sleep(100);
    socket.close();
  },

  async "comes back when the server does"() {
    const { port } = server;
    await server.stop("SIGKILL");
    await until(async () => (await bannerText()).includes("lost"), "a word about the lost connection");
    await shot("lost");
    errors.length = 0; // a browser reports each refused connection
    server = await Server.start(program, [join(folder, "a_box.json"), "--scenes", folder, "--port", String(port)]);
    await until(async () => (await bannerText()) === "" && (await page.evaluate(() => pliant.isOpen)), "the connection is back");
    await moving(3);
    errors.length = 0;
  },

  async "plays a recording"() {
    const run = join(work, "run");
    execFileSync(program, ["run", join(folder, "b_slide.json"), "-o", run, "--frames", "40", "--quiet"], { stdio: "ignore" });
    const player = await Server.start(program, [run, "--scenes", folder]);
    const other = await openPage(browser, player.address, errors);
    await moving(4, other);
    check((await other.evaluate(() => pliant.scene.mode)) === "recording" && (await other.isVisible("#timeline")), "a timeline");
    await other.keyboard.press(" ");
    await until(() => other.evaluate(() => pliant.state.paused), "a pause");
    const places = [];
    for (const frame of [30, 5]) {
      await other.locator("#timeline").evaluate((element, f) => { element.value = String(f); element.dispatchEvent(new Event("input")); }, frame);
      await until(async () => (await number(other)) === frame, `frame ${frame}`);
      check((await other.textContent("#clock")) === `${(frame / 60).toFixed(2)} s`, "the clock");
      places.push(await other.evaluate(() => pliant.stage.bodies[0].positions[0]));
    }
    check(places[0] > places[1] + 0.02, `the box slides: ${places}`);
    await other.keyboard.press("k");
    await until(() => other.evaluate(() => pliant.state.color !== "none" && pliant.frame.hasValues), "colours");
    await shot("recording", other);
    await other.close();
    await player.stop();
  },

  async "fits a phone and starts with the list"() {
    const list = await Server.start(program, ["--scenes", folder]);
    const phone = await openPage(browser, list.address, errors);
    await phone.setViewportSize({ width: 390, height: 780 });
    await phone.reload();
    await until(() => phone.isVisible("#gallery"), "the list");
    await shot("phone_list", phone);
    await phone.locator("#scene-list button").nth(2).click();
    await moving(3, phone);
    check((await painted(phone)).part > 0.01, "a picture");
    const inside = await phone.evaluate(() => [...document.querySelectorAll("#bar button")].filter((b) => !b.hidden).every((b) => { const r = b.getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight; }));
    check(inside, "buttons inside the window");
    await shot("phone", phone);
    await phone.close();
    await list.stop();
  },
};

let failed = 0;
const start = Date.now();
browser = await openBrowser(packages, work);
server = await Server.start(program, [join(folder, "a_box.json"), "--scenes", folder]);
try {
  for (const [name, run] of Object.entries(checks)) {
    const from = Date.now();
    try {
      errors.length = 0;
      await run();
      check(errors.length === 0, `errors in the console: ${errors.join("; ")}`);
      console.log(`${name}: ${((Date.now() - from) / 1000).toFixed(1)} s`);
    } catch (error) {
      failed++;
      console.log(`${name}: FAILED: ${error.message.split("\n").slice(0, 4).join(" | ")}`);
      if (page) await shot(`failed_${failed}`).catch(() => {});
      if (name === "draws") break;
    }
  }
} finally {
  await browser.close().catch(() => {});
  for (const one of Server.all) one.process.kill("SIGKILL");
}
console.log(`${Object.keys(checks).length - failed} of ${Object.keys(checks).length} checks of the page in ${((Date.now() - start) / 1000).toFixed(0)} s`);
process.exit(failed ? 1 : 0);
