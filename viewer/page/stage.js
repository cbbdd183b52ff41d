// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The picture: bodies, ground and light of one or two sides, the camera, and the hand that pulls.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { BODY_COLORS } from "./colors.js";

const THEMES = {
  light: { background: 0xe8ebef, sky: 0xffffff, earth: 0xb9b4ac, hemisphere: 2.5, sun: 1.7, shadow: 0.22, shadowPart: 1 },
  dark: { background: 0x14181f, sky: 0xaebbd0, earth: 0x20242b, hemisphere: 1.7, sun: 1.9, shadow: 0.55, shadowPart: 0.6 },
};

// normals at vertices, weighted by area; corners at the same place at first share theirs
function computeNormals(positions, triangles, twins, out) {
  out.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    out[a] += x; out[a + 1] += y; out[a + 2] += z;
    out[b] += x; out[b + 1] += y; out[b + 2] += z;
    out[c] += x; out[c + 1] += y; out[c + 2] += z;
  }
  if (twins) {
    for (let i = 0; i < twins.length; i++) {
      const k = 3 * twins[i], j = 3 * i;
      if (k !== j) { out[k] += out[j]; out[k + 1] += out[j + 1]; out[k + 2] += out[j + 2]; }
    }
    for (let i = 0; i < twins.length; i++) { const k = 3 * twins[i], j = 3 * i; out[j] = out[k]; out[j + 1] = out[k + 1]; out[j + 2] = out[k + 2]; }
  }
  for (let i = 0; i < out.length; i += 3) {
    const length = Math.hypot(out[i], out[i + 1], out[i + 2]) || 1;
    out[i] /= length; out[i + 1] /= length; out[i + 2] /= length;
  }
}

// cloth that can tear has vertices of its own in each triangle: the first one at each place
function findTwins(positions, triangles) {
  if (positions.length !== 3 * triangles.length) return null;
  const known = new Map(), twins = new Uint32Array(positions.length / 3);
  for (let i = 0; i < twins.length; i++) {
    const key = `${positions[3 * i]},${positions[3 * i + 1]},${positions[3 * i + 2]}`;
    if (!known.has(key)) known.set(key, i);
    twins[i] = known.get(key);
  }
  return twins;
}

// Where edges are sharp, a vertex has one normal on each side. Groups the corners at each vertex by the normals of
// their triangles: source has the vertex behind each that is drawn, triangles the drawn ones. null: no edge is sharp.
const SHARP = Math.cos((62 * Math.PI) / 180);
function splitSharp(positions, triangles) {
  const normals = new Float32Array(triangles.length), first = new Int32Array(positions.length / 3).fill(-1);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx, length = Math.hypot(x, y, z) || 1;
    normals[t] = x / length; normals[t + 1] = y / length; normals[t + 2] = z / length;
  }
  const source = [], next = [], face = [], out = new Uint32Array(triangles.length);
  for (let k = 0; k < triangles.length; k++) {
    const v = triangles[k], t = 3 * Math.floor(k / 3);
    let g = first[v], last = -1;
    while (g >= 0 && normals[t] * normals[face[g]] + normals[t + 1] * normals[face[g] + 1] + normals[t + 2] * normals[face[g] + 2] < SHARP) { last = g; g = next[g]; }
    if (g < 0) {
      g = source.length;
      source.push(v); next.push(-1); face.push(t);
      if (last >= 0) next[last] = g; else first[v] = g;
    }
    out[k] = g;
  }
  return source.length === positions.length / 3 ? null : { source: Uint32Array.from(source), triangles: out };
}

// whether pictures are made by the processor, which asks for cheaper ones
function isSoftwareGL() {
  const context = document.createElement("canvas").getContext("webgl");
  const info = context?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? context.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class Stage {
  constructor(canvas, hand) {
    this.canvas = canvas;
    this.hand = hand; // { grab(body, vertex, place), move(place), release() }
    this.isSoftware = isSoftwareGL();
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.isSoftware, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = !this.isSoftware; // there, bodies are drawn again, flat on the ground
    this.renderer.shadowMap.autoUpdate = false;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
    this.scenes = [];
    this.bodies = [];
    this.wireframe = false;
    this.showContacts = false;
    this.setTheme("light");
    canvas.addEventListener("pointerdown", (event) => this.onDown(event));
    canvas.addEventListener("pointermove", (event) => this.onMove(event));
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(kind, (event) => this.onUp(event));
    this.makeControls();
    addEventListener("resize", () => this.resize());
    this.resize();
  }

  makeControls() {
    this.controls?.dispose();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.15;
    this.controls.addEventListener("change", () => { this.isStale = true; });
    this.controls.addEventListener("start", () => { this.isSteered = true; });
  }

  resize() {
    const width = innerWidth, height = innerHeight;
    this.renderer.setPixelRatio(this.isSoftware ? 1 : Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.isStale = true;
  }

  setTheme(name) {
    this.theme = THEMES[name];
    for (const scene of this.scenes) this.light(scene);
    this.needsLight = this.isStale = true;
  }

  light(scene) {
    const { theme } = this;
    scene.background = new THREE.Color(theme.background);
    if (!scene.userData.sky) {
      scene.userData.sky = new THREE.HemisphereLight();
      const sun = (scene.userData.sun = new THREE.DirectionalLight(0xffffff));
      sun.castShadow = true;
      sun.shadow.mapSize.set(2048, 2048);
      sun.shadow.bias = -0.0005;
      sun.shadow.normalBias = 0.02;
      const ground = (scene.userData.ground = new THREE.Mesh(new THREE.CircleGeometry(1, 48), new THREE.ShadowMaterial()));
      ground.receiveShadow = true;
      scene.add(scene.userData.sky, sun, sun.target, ground);
    }
    scene.userData.sky.color.set(theme.sky);
    scene.userData.sky.groundColor.set(theme.earth);
    scene.userData.sky.intensity = theme.hemisphere;
    scene.userData.sun.intensity = theme.sun;
    scene.userData.ground.material.opacity = theme.shadow;
  }

  // a new scene of the server; the camera stays if it is the same one again
  open(info, mesh, keepCamera) {
    for (const body of this.bodies) { body.object.geometry.dispose(); body.object.material.dispose(); body.wire.geometry.dispose(); body.wire.material.dispose(); body.shadow?.material.dispose(); }
    for (const scene of this.scenes) this.forget(scene);
    this.info = info;
    this.up = new THREE.Vector3(...[0, 1, 2].map((k) => (k === info.up ? 1 : 0)));
    this.scenes = [];
    for (let s = 0; s < Math.max(1, info.sides); s++) this.addScene();
    this.bodies = mesh.bodies.map((body, index) => this.addBody(body, index, info.bodies[index]));
    this.needsFit = !keepCamera;
    this.needsLight = true;
    if (!keepCamera && !this.camera.up.equals(this.up)) { this.camera.up.copy(this.up); this.makeControls(); }
  }

  forget(scene) {
    scene.userData.sun.shadow.map?.dispose();
    scene.userData.ground.geometry.dispose();
    scene.userData.ground.material.dispose();
    for (const key of ["points", "line"]) { scene.userData[key].geometry.dispose(); scene.userData[key].material.dispose(); }
  }

  addScene() {
    const scene = new THREE.Scene();
    this.light(scene);
    const points = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: 0xffc400, size: 6, sizeAttenuation: false, depthTest: false }));
    points.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6000), 3));
    const line = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: 0xd2451e, size: 9, sizeAttenuation: false, depthTest: false }));
    line.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3), 3));
    points.frustumCulled = line.frustumCulled = false;
    points.visible = line.visible = false;
    scene.userData.points = points;
    scene.userData.line = line;
    scene.add(points, line);
    this.scenes.push(scene);
  }

  addBody(body, index, info) {
    const geometry = new THREE.BufferGeometry();
    const plain = body.color ? new THREE.Color(...body.color) : new THREE.Color().setRGB(...BODY_COLORS[info.body % BODY_COLORS.length], THREE.SRGBColorSpace);
    const options = { color: plain, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
    const material = this.isSoftware ? new THREE.MeshLambertMaterial(options) : new THREE.MeshPhysicalMaterial({ ...options, roughness: 0.5, clearcoat: body.isCollider ? 0 : 0.25, clearcoatRoughness: 0.4 });
    const made = { ...body, info, index, plain, positions: new Float32Array(3 * body.vertexCount), object: new THREE.Mesh(geometry, material) };
    made.object.castShadow = made.object.receiveShadow = true;
    if (this.isSoftware) {
      made.shadow = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
      made.shadow.frustumCulled = made.shadow.matrixAutoUpdate = false;
      this.scenes[body.side].add(made.shadow);
    }
    made.wire = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: 0x10151c, wireframe: true, transparent: true, opacity: 0.35 }));
    made.object.frustumCulled = made.wire.frustumCulled = false;
    made.wire.visible = this.wireframe && !body.isCollider;
    this.scenes[body.side].add(made.object, made.wire);
    return made;
  }

  // what is drawn of a body, when the first frame tells its shape
  build(body) {
    const { geometry } = body.object;
    body.twins = findTwins(body.positions, body.triangles);
    body.split = body.twins ? null : splitSharp(body.positions, body.triangles);
    body.drawnCount = body.split ? body.split.source.length : body.vertexCount;
    body.drawnTriangles = body.split ? body.split.triangles : body.triangles;
    body.drawn = body.split ? new Float32Array(3 * body.drawnCount) : body.positions;
    body.normals = new Float32Array(3 * body.drawnCount);
    geometry.setAttribute("position", new THREE.BufferAttribute(body.drawn, 3).setUsage(THREE.DynamicDrawUsage));
    geometry.setAttribute("normal", new THREE.BufferAttribute(body.normals, 3).setUsage(THREE.DynamicDrawUsage));
    geometry.setIndex(new THREE.BufferAttribute(body.drawnTriangles, 1));
  }

  place(body) {
    if (!body.drawn) this.build(body);
    if (body.split) {
      const { source } = body.split, { drawn, positions } = body;
      for (let i = 0, j = 0; i < source.length; i++, j += 3) { const k = 3 * source[i]; drawn[j] = positions[k]; drawn[j + 1] = positions[k + 1]; drawn[j + 2] = positions[k + 2]; }
    }
    computeNormals(body.drawn, body.drawnTriangles, body.twins, body.normals);
    body.object.geometry.attributes.position.needsUpdate = true;
    body.object.geometry.attributes.normal.needsUpdate = true;
  }

  setWireframe(on) {
    this.wireframe = on;
    for (const body of this.bodies) body.wire.visible = on && !body.isCollider;
    this.isStale = true;
  }

  // positions, normals and colours of a frame
  show(frame, range) {
    let at = frame.offset;
    const { box } = frame;
    const total = this.bodies.reduce((sum, body) => sum + body.vertexCount, 0);
    for (const body of this.bodies) {
      const count = 3 * body.vertexCount;
      if (frame.quantised) {
        const codes = new Uint16Array(frame.buffer, at, count), scale = [0, 1, 2].map((k) => (box[3 + k] - box[k]) / 65535);
        for (let i = 0; i < count; i += 3) for (let k = 0; k < 3; k++) body.positions[i + k] = box[k] + scale[k] * codes[i + k];
      } else body.positions.set(new Float32Array(frame.buffer, at, count));
      at += count * (frame.quantised ? 2 : 4);
      this.place(body);
    }
    const size = (n) => 4 * Math.ceil(n / 4);
    at = frame.offset + size(total * (frame.quantised ? 6 : 12));
    this.paint(frame, range, at);
    if (frame.hasValues) at += size(2 * total);
    this.showMarks(frame, at);
    this.isStale = this.renderer.shadowMap.needsUpdate = true;
    if (this.needsFit) { this.needsFit = false; this.fit(); }
    else if (!this.isSteered && !this.holding) this.follow();
  }

  paint(frame, range, at) {
    for (const body of this.bodies) {
      const { geometry, material } = body.object;
      const isPainted = frame.hasValues && range && !body.isCollider;
      if (isPainted) {
        if (!geometry.attributes.color) geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * body.drawnCount), 3).setUsage(THREE.DynamicDrawUsage));
        range.paint(new Uint16Array(frame.buffer, at, body.vertexCount), body.split?.source, frame.low, frame.high, geometry.attributes.color.array);
        geometry.attributes.color.needsUpdate = true;
      }
      at += 2 * body.vertexCount;
      if (material.vertexColors !== isPainted) {
        material.vertexColors = isPainted;
        material.color.copy(isPainted ? new THREE.Color(1, 1, 1) : body.plain);
        material.needsUpdate = true;
      }
    }
  }

  showMarks(frame, at) {
    const count = new DataView(frame.buffer).getUint32(at, true);
    const { points } = this.scenes[0].userData;
    points.visible = this.showContacts && count > 0;
    if (points.visible) {
      points.geometry.attributes.position.array.set(new Float32Array(frame.buffer, at + 4, 3 * count));
      points.geometry.attributes.position.needsUpdate = true;
      points.geometry.setDrawRange(0, count);
    }
    this.contactCount = count;
    frame.sides.forEach((side, s) => {
      const { line } = this.scenes[s].userData;
      line.visible = side.held;
      line.geometry.attributes.position.array.set(side.hand);
      line.geometry.attributes.position.needsUpdate = true;
    });
  }

  box() {
    const box = new THREE.Box3();
    for (const body of this.bodies) {
      if (body.isCollider) continue;
      body.object.geometry.computeBoundingBox();
      box.union(body.object.geometry.boundingBox);
    }
    return box.isEmpty() ? new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)) : box;
  }

  fit() {
    const box = this.box();
    // a little of the ground below, where that is near
    const size = box.getSize(new THREE.Vector3()).length();
    const ground = this.info.ground;
    if (ground !== undefined && this.up.dot(box.min) - ground < 1.2 * size) {
      const low = box.min.clone();
      low.setComponent(this.info.up, Math.min(ground, this.up.dot(box.min)));
      box.expandByPoint(low);
    }
    const center = box.getCenter(new THREE.Vector3()), radius = 0.62 * box.getSize(new THREE.Vector3()).length();
    const free = innerWidth - (this.scenes.length === 1 ? this.covered?.() ?? 0 : 0);
    const aspect = (this.scenes.length > 1 ? this.layout().width : free) / innerHeight, opening = (Math.PI / 180) * this.camera.fov;
    const distance = (1.12 * radius) / Math.sin(0.5 * Math.min(opening, 2 * Math.atan(Math.tan(0.5 * opening) * aspect)));
    const ahead = new THREE.Vector3(...[[0, 0, -1], [0, 0, 1], [0, -1, 0]][this.info.up]);
    const right = new THREE.Vector3().crossVectors(this.up, ahead);
    const from = ahead.multiplyScalar(Math.cos(0.32) * Math.cos(0.5)).addScaledVector(right, Math.cos(0.32) * Math.sin(0.5)).addScaledVector(this.up, Math.sin(0.32));
    this.camera.position.copy(center).addScaledVector(from, distance);
    this.camera.near = 0.01 * distance;
    this.camera.far = 60 * distance;
    this.controls.target.copy(center);
    this.controls.update();
    this.isSteered = false;
  }

  // Bodies that leave the picture take the camera with them, until somebody steers it.
  follow() {
    const box = this.box(), { count, covered, width } = this.layout(), shift = count > 1 ? 0 : covered / width;
    this.camera.updateMatrixWorld();
    let most = 0;
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).project(this.camera);
      most = Math.max(most, Math.abs(corner.x + shift) / (1 - shift), Math.abs(corner.y));
    }
    if (most < 0.95) return;
    const way = box.getCenter(new THREE.Vector3()).sub(this.controls.target).multiplyScalar(0.08);
    const away = this.camera.position.clone().sub(this.controls.target).multiplyScalar(most > 1 && way.length() < 0.01 * box.getSize(new THREE.Vector3()).length() ? 1.03 : 1);
    this.controls.target.add(way);
    this.camera.position.copy(this.controls.target).add(away);
    this.controls.update();
  }

  placeLight() {
    const box = this.box(), center = box.getCenter(new THREE.Vector3()), size = box.getSize(new THREE.Vector3()).length();
    const lowest = this.up.dot(box.min);
    for (const scene of this.scenes) {
      const { sun, ground } = scene.userData;
      const side = new THREE.Vector3(0.45, 0.3, 0.55).addScaledVector(this.up, 1.1).normalize();
      sun.position.copy(center).addScaledVector(side, 2.5 * size);
      sun.target.position.copy(center);
      Object.assign(sun.shadow.camera, { left: -1.3 * size, right: 1.3 * size, top: 1.3 * size, bottom: -1.3 * size, near: 0.1 * size, far: 6 * size });
      sun.shadow.camera.updateProjectionMatrix();
      sun.shadow.normalBias = 0.004 * size;
      ground.scale.setScalar(1.8 * size); // as far as shadows reach
      ground.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
      const height = this.info.ground ?? lowest - 0.6 * size;
      ground.position.copy(center).addScaledVector(this.up, height - this.up.dot(center) - 0.002 * size);
      ground.visible = !this.isSoftware;
      this.flatten(side, height - 0.002 * size);
    }
  }

  // x -> x - d (n x - height) / (n d), along the light d onto the ground
  flatten(d, height) {
    const n = this.up, slope = n.dot(d), rows = [d.x, d.y, d.z].map((k) => [-k * n.x / slope, -k * n.y / slope, -k * n.z / slope, (k * height) / slope]);
    for (let k = 0; k < 3; k++) rows[k][k] += 1;
    for (const body of this.bodies) {
      body.shadow?.matrix.set(...rows.flat(), 0, 0, 0, 1);
      body.shadow?.material.color.set(this.theme.background).multiplyScalar(1 - 1.6 * this.theme.shadow * this.theme.shadowPart);
    }
  }

  // the widths of a side, and of what the panel leaves free
  layout() {
    const count = Math.max(1, this.scenes.length), covered = this.covered?.() ?? 0;
    return { count, covered, width: count > 1 ? (innerWidth - covered) / count : innerWidth, height: innerHeight };
  }

  // draws if something has changed since the last time
  render(always) {
    this.controls.update();
    if (!this.isStale && !always) return false;
    this.isStale = false;
    if (this.needsLight && this.bodies[0]?.drawn) { this.needsLight = false; this.placeLight(); }
    const { count, covered, width, height } = this.layout();
    this.camera.aspect = width / height;
    // what the panel leaves free is the middle
    this.camera.setViewOffset(width, height, count > 1 ? 0 : 0.5 * covered, 0, width, height);
    this.renderer.setScissorTest(false);
    this.renderer.setClearColor(this.theme.background);
    this.renderer.setViewport(0, 0, innerWidth, height);
    if (count > 1) this.renderer.clear();
    this.renderer.setScissorTest(count > 1);
    const needsShadows = this.renderer.shadowMap.needsUpdate;
    this.scenes.forEach((scene, s) => {
      this.renderer.shadowMap.needsUpdate = needsShadows;
      this.renderer.setViewport(s * width, 0, width, height);
      this.renderer.setScissor(s * width, 0, width, height);
      this.renderer.render(scene, this.camera);
    });
    return true;
  }

  // ---------------------------------------------------------------- the hand

  ray(event) {
    const { count, width } = this.layout();
    const side = this.holding ? this.holding.side : Math.min(count - 1, Math.floor(event.clientX / width));
    const x = ((event.clientX - side * width) / width) * 2 - 1, y = 1 - (event.clientY / innerHeight) * 2;
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(x, y), this.camera);
    return { caster, side };
  }

  onDown(event) {
    if (event.button !== 0 || this.holding || this.info?.mode !== "live" || !event.isPrimary) return;
    if (this.knife || event.shiftKey) { this.startCut(event); return; }
    const { caster, side } = this.ray(event);
    const candidates = this.bodies.filter((body) => body.side === side);
    // rays look at both, which are of an older frame
    for (const body of candidates) { body.object.geometry.computeBoundingSphere(); body.object.geometry.computeBoundingBox(); }
    const hit = caster.intersectObjects(candidates.map((body) => body.object), false)[0];
    const body = hit && candidates.find((one) => one.object === hit.object);
    if (!body || body.isCollider) return;
    const [a, b, c] = [hit.face.a, hit.face.b, hit.face.c].map((v) => (body.split ? body.split.source[v] : v));
    const distance = (v) => hit.point.distanceToSquared(new THREE.Vector3().fromArray(body.positions, 3 * v));
    const vertex = [a, b, c].reduce((best, v) => (distance(v) < distance(best) ? v : best));
    const normal = this.camera.getWorldDirection(new THREE.Vector3());
    this.holding = { side, pointer: event.pointerId, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.point) };
    this.controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.classList.add("holding");
    this.hand.grab(body.info.body, vertex, hit.point.toArray());
    event.preventDefault();
  }

  // a knife that sweeps from the camera through the mouse, far behind everything
  startCut(event) {
    this.holding = { side: this.ray(event).side, pointer: event.pointerId, isKnife: true, x: event.clientX, y: event.clientY };
    this.holding.far = this.farPoint(event);
    this.controls.enabled = false;
    this.canvas.setPointerCapture(event.pointerId);
  }

  farPoint(event) {
    const { caster } = this.ray(event);
    return caster.ray.at(4 * this.camera.position.distanceTo(this.controls.target), new THREE.Vector3()).toArray();
  }

  cut(event) {
    const { holding } = this;
    if (Math.hypot(event.clientX - holding.x, event.clientY - holding.y) < 5) return;
    const far = this.farPoint(event);
    this.hand.cut(this.camera.position.toArray(), holding.far, far);
    Object.assign(holding, { far, x: event.clientX, y: event.clientY });
  }

  onMove(event) {
    if (!this.holding || event.pointerId !== this.holding.pointer) return;
    if (this.holding.isKnife) { this.cut(event); return; }
    const { caster } = this.ray(event);
    const place = caster.ray.intersectPlane(this.holding.plane, new THREE.Vector3());
    if (place) this.hand.move(place.toArray());
  }

  onUp(event) {
    if (!this.holding || event.pointerId !== this.holding.pointer) return;
    const { isKnife } = this.holding;
    this.letGo();
    if (!isKnife) this.hand.release();
  }

  letGo() {
    this.holding = null;
    this.controls.enabled = true;
    this.canvas.classList.remove("holding");
  }

  // where a vertex is in the window, for tests and pictures
  project(index, vertex) {
    const body = this.bodies[index], { width } = this.layout();
    const place = new THREE.Vector3().fromArray(body.positions, 3 * vertex).project(this.camera);
    return [body.side * width + (0.5 + 0.5 * place.x) * width, (0.5 - 0.5 * place.y) * innerHeight];
  }
}
