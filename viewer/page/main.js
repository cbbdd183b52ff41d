// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The page: joins the link to the server, the picture, the buttons and the plots.
import { Range, UNITS } from "./colors.js";
import { Link } from "./link.js";
import { Plot } from "./plots.js";
import { Stage } from "./stage.js";
import { buildControls, buildGallery, buildSplit, toText } from "./panel.js";

const $ = (id) => document.getElementById(id);
const page = { scene: null, state: null, mesh: null, waiting: null, unanswered: 0, dragCount: 0, range: null, counts: { frames: 0, drawn: 0, bytes: 0 }, drags: new Map(), latencies: [] };

const link = new Link({
  open: () => { page.unanswered = 0; page.isOpen = true; banner(""); },
  close: () => { page.isOpen = false; if (page.stage?.holding) page.stage.letGo(); banner("The connection to pliant is lost; trying again\u2026", true); },
  text: (message) => ({ scene: onScene, state: onState, notice: (m) => banner(m.text) })[message.type]?.(message),
  mesh: (mesh) => { page.mesh = mesh; openScene(); },
  frame: (frame) => {
    page.unanswered++;
    page.counts.frames++;
    page.counts.bytes += frame.bytes;
    page.counts.frameBytes = frame.bytes;
    if (frame.generation === page.mesh?.generation) page.waiting = frame;
  },
});

const stage = new Stage($("view"), {
  grab: (body, vertex, at) => { link.send({ do: "grab", body, vertex, at }); page.held = { body, vertex }; },
  move: (at) => { link.send({ do: "move", at, number: ++page.dragCount }); page.drags.set(page.dragCount, performance.now()); },
  cut: (from, at, to) => link.send({ do: "cut", from, at, to }),
  release: () => { link.send({ do: "release" }); page.held = null; },
});
page.stage = stage;
stage.covered = () => (innerWidth > 640 && !$("panel").classList.contains("closed") ? 264 : 0);
page.link = link;
window.pliant = page;

const plots = {
  cycles: new Plot($("plot-cycles"), 2, { logarithmic: true, least: 1 }),
  residual: new Plot($("plot-residual"), 1, { logarithmic: true, least: 1 }),
  energy: new Plot($("plot-energy"), 2, { fromZero: true }),
  volume: new Plot($("plot-volume"), 1, {}),
  time: new Plot($("plot-time"), 4, { fromZero: true, least: 1 }),
};

let bannerTimer;
function banner(text, stays) {
  clearTimeout(bannerTimer);
  $("banner").textContent = text;
  $("banner").hidden = !text;
  if (text && !stays) bannerTimer = setTimeout(() => banner(""), 6000);
}

// ---------------------------------------------------------------- from the server

function onScene(scene) {
  page.previous = page.scene;
  page.scene = scene;
  $("title").textContent = scene.mode === "list" ? "pliant" : scene.title;
  document.title = scene.mode === "list" ? "pliant" : `${scene.title} \u2013 pliant`;
  buildGallery($("scene-list"), scene, (number) => { link.send({ do: "open", number }); $("gallery").close(); });
  if (scene.mode === "list" && !$("gallery").open) $("gallery").showModal();
  $("timeline").hidden = scene.mode !== "recording";
  $("timeline").max = Math.max(0, scene.frames - 1);
  for (const id of ["controls", "compare", "plots"]) $(id).hidden = scene.mode !== "live";
  for (const id of ["reset", "contacts", "knife"]) $(id).hidden = scene.mode !== "live";
}

function openScene() {
  page.waiting = null;
  const isSame = page.previous && page.previous.scene === page.scene.scene && page.previous.sides === page.scene.sides && page.previous.mode === page.scene.mode;
  stage.open({ bodies: [], ...page.scene }, page.mesh, isSame);
  for (const plot of Object.values(plots)) plot.clear();
  layOut();
  if (page.state) onState(page.state);
}

function layOut() {
  if (innerWidth > 640) $("panel").style.bottom = `${$("bar").offsetHeight + 24}px`;
  else $("panel").style.bottom = "";
  const { width } = stage.layout();
  $("divider").hidden = $("side-left").hidden = $("side-right").hidden = stage.scenes.length < 2;
  $("divider").style.left = `${width}px`;
  $("side-left").style.left = `${0.5 * width}px`;
  $("side-right").style.left = `${1.5 * width}px`;
  stage.isStale = true;
}

function onState(state) {
  page.state = state;
  $("pause").textContent = state.paused ? "go on" : "pause";
  $("pause").classList.toggle("on", state.paused);
  $("speed").value = String(state.speed);
  if (page.colors !== String(state.colors)) {
    page.colors = String(state.colors);
    $("color").replaceChildren(...(state.colors ?? ["none"]).map((name) => new Option(name.replace("_", " "), name)));
  }
  $("color").value = state.color;
  if (state.loading) banner("loading\u2026", true);
  else if ($("banner").textContent === "loading\u2026") banner("");
  const name = state.color === "none" ? null : state.color;
  if (name !== page.range?.name) page.range = name ? new Range(name) : null;
  $("legend").hidden = !name;
  if (name) page.range.drawLegend($("legend-bar"));
  if (state.controls) {
    buildControls($("control-list"), state.controls, (message) => link.send(message));
    buildSplit($("split"), state, (message) => link.send(message));
    $("side-left").textContent = state.controls.find((c) => c.id === state.split)?.choice ?? "";
    $("side-right").textContent = state.split_choice;
  }
}

// ---------------------------------------------------------------- each picture

// the way of the last step: a point for each cycle, both sides in one plot
function showCycles(frame) {
  const counts = frame.sides.map((side) => side.stats[14]), most = Math.max(...counts);
  plots.cycles.setLength(Math.max(most, 2));
  for (let k = 0; k < most; k++) plots.cycles.add(frame.sides.map((side, s) => (k < counts[s] ? side.trace[k] : NaN)));
  $("cycles-sides").hidden = frame.sides.length < 2;
  $("value-cycles").textContent = most ? `${counts[0]} cycles` : "none";
  page.cycles = counts;
}

function showFigures(frame) {
  const [residual, kinetic, elastic, volume, seconds, detect, assembly, linear, contacts, iterations, linearIterations, unconverged, retries, encode] = frame.sides[0].stats;
  showCycles(frame);
  plots.residual.add([residual]);
  plots.energy.add([kinetic, elastic]);
  plots.volume.add([volume]);
  plots.time.add([1e3 * detect, 1e3 * assembly, 1e3 * linear, 1e3 * seconds]);
  page.stats = { residual, kinetic, elastic, volume, seconds, encode, iterations };
  if ($("panel").classList.contains("closed") || page.counts.drawn % 3) return;
  const style = getComputedStyle(document.documentElement), colors = [0, 1, 2, 3].map((k) => style.getPropertyValue(`--k${k}`));
  for (const plot of Object.values(plots)) plot.draw(colors);
  $("value-residual").textContent = toText(residual);
  $("value-volume").textContent = volume ? `${toText(volume)} m\u00b3` : "";
  $("numbers").textContent = `${toText(iterations)} iterations, ${toText(linearIterations)} linear, ${toText(contacts)} contacts` +
    `${unconverged ? "\nnot converged" : ""}${retries ? `\n${retries} retries` : ""}`;
}

function showFrame(frame) {
  if (page.range && frame.hasValues) {
    page.range.follow(frame.low, frame.high);
    const unit = UNITS[page.range.name] ?? "";
    $("legend-low").textContent = page.range.isCategory ? "" : `${toText(page.range.low)} ${unit}`;
    $("legend-high").textContent = page.range.isCategory ? "" : `${toText(page.range.high)} ${unit}`;
  }
  stage.show(frame, page.range);
  page.frame = frame;
  $("clock").textContent = `${frame.time.toFixed(2)} s`;
  if (page.scene.mode === "recording" && document.activeElement !== $("timeline")) $("timeline").value = frame.number;
  if (page.scene.mode === "live") showFigures(frame);
}

function draw() {
  const frame = page.waiting;
  if (frame) { page.waiting = null; showFrame(frame); }
  if (stage.scenes.length) stage.render();
  if (frame) {
    page.counts.drawn++;
    for (const [count, time] of page.drags) if (count <= frame.drag) { page.latencies.push(performance.now() - time); page.drags.delete(count); }
    if (page.latencies.length > 1000) page.latencies.splice(0, 500);
  }
  for (; page.unanswered > 0; page.unanswered--) link.send({ do: "ready" });
  requestAnimationFrame(draw);
}

// ---------------------------------------------------------------- buttons and keys

function save(blob, name) {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10000);
}

function shoot() {
  stage.render(true);
  $("view").toBlob((blob) => blob && save(blob, "pliant.png"));
}

function film() {
  if (page.recorder) { page.recorder.stop(); return; }
  if (!window.MediaRecorder) { banner("This browser cannot record videos."); return; }
  const parts = [], recorder = new MediaRecorder($("view").captureStream(30));
  recorder.ondataavailable = (event) => parts.push(event.data);
  recorder.onstop = () => {
    page.recorder = null;
    $("film").classList.remove("on");
    page.lastFilm = new Blob(parts, { type: "video/webm" });
    save(page.lastFilm, "pliant.webm");
  };
  recorder.start();
  page.recorder = recorder;
  $("film").classList.add("on");
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  $("theme").textContent = name === "dark" ? "light" : "dark";
  stage.setTheme(name);
}

function toggle(id) {
  if ($(id).open) $(id).close();
  else $(id).showModal();
}

const actions = {
  pause: () => link.send({ do: "pause", on: !page.state?.paused }),
  step: () => link.send({ do: "step" }),
  reset: () => link.send({ do: "reset" }),
  "frame-all": () => stage.fit(),
  wire: () => { stage.setWireframe(!stage.wireframe); $("wire").classList.toggle("on", stage.wireframe); },
  contacts: () => { stage.showContacts = !stage.showContacts; $("contacts").classList.toggle("on", stage.showContacts); page.waiting ??= page.frame; },
  knife: () => { stage.knife = !stage.knife; $("knife").classList.toggle("on", stage.knife); },
  shot: shoot,
  film,
  theme: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"),
  "panel-toggle": () => { $("panel").classList.toggle("closed"); layOut(); },
  "help-toggle": () => toggle("help"),
  "help-close": () => $("help").close(),
  menu: () => toggle("gallery"),
};
for (const [id, action] of Object.entries(actions)) $(id).addEventListener("click", () => { action(); $(id).blur(); });
const keys = { " ": "pause", ".": "step", r: "reset", f: "frame-all", w: "wire", c: "contacts", x: "knife", s: "shot", v: "film", d: "theme", p: "panel-toggle", "?": "help-toggle", g: "menu" };
addEventListener("resize", layOut);
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  const key = event.key.toLowerCase();
  if (key === "k") {
    const names = page.state?.colors ?? ["none"];
    link.send({ do: "color", name: names[(names.indexOf(page.state?.color) + 1) % names.length] });
  } else if (keys[key]) actions[keys[key]]();
  else return;
  event.preventDefault();
});
$("color").addEventListener("change", () => { link.send({ do: "color", name: $("color").value }); $("color").blur(); });
$("speed").addEventListener("change", () => { link.send({ do: "speed", number: Number($("speed").value) }); $("speed").blur(); });
$("timeline").addEventListener("input", () => link.send({ do: "seek", number: Number($("timeline").value) }));
$("timeline").addEventListener("change", () => $("timeline").blur());
if (innerWidth <= 640) $("panel").classList.add("closed");
layOut();
setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
requestAnimationFrame(draw);
