// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The WebSocket to the server: texts and frames in, small messages out; it comes back by itself.

// head of a frame: see docs/viewer.md
export function readFrame(buffer) {
  const view = new DataView(buffer);
  const flags = view.getUint32(12, true);
  const sideCount = view.getUint32(28, true);
  const frame = {
    generation: view.getUint32(4, true), number: view.getUint32(8, true), quantised: (flags & 1) !== 0, hasValues: (flags & 2) !== 0, paused: (flags & 4) !== 0,
    time: view.getFloat64(16, true), drag: view.getUint32(24, true), low: view.getFloat32(32, true), high: view.getFloat32(36, true),
    box: new Float32Array(buffer, 40, 6), sides: [], bytes: buffer.byteLength, buffer,
  };
  let at = 64;
  for (let s = 0; s < sideCount; s++) {
    frame.sides.push({ stats: new Float32Array(buffer, at, 16), held: view.getUint32(at + 64, true) !== 0, hand: new Float32Array(buffer, at + 68, 3), trace: new Float32Array(buffer, at + 80, 64) });
    at += 80 + 4 * 64;
  }
  frame.offset = at;
  return frame;
}

export function readMesh(buffer) {
  const view = new DataView(buffer);
  const count = view.getUint32(8, true);
  const mesh = { generation: view.getUint32(4, true), bodies: [] };
  let at = 12;
  for (let b = 0; b < count; b++, at += 28) {
    const flags = view.getUint32(at + 12, true);
    mesh.bodies.push({
      side: view.getUint32(at, true), vertexCount: view.getUint32(at + 4, true), triangleCount: view.getUint32(at + 8, true), isCollider: (flags & 1) !== 0,
      color: flags & 2 ? [0, 1, 2].map((k) => view.getFloat32(at + 16 + 4 * k, true)) : null,
    });
  }
  for (const body of mesh.bodies) {
    body.triangles = new Uint32Array(buffer, at, 3 * body.triangleCount);
    at += 12 * body.triangleCount;
  }
  return mesh;
}

export class Link {
  constructor(handlers) {
    this.handlers = handlers;
    this.delay = 300;
    this.connect();
  }

  connect() {
    const socket = new WebSocket(`ws://${location.host}/ws${location.search}`, "pliant");
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => { this.delay = 300; this.handlers.open(); };
    socket.onmessage = (event) => {
      if (typeof event.data === "string") { this.handlers.text(JSON.parse(event.data)); return; }
      const kind = new Uint8Array(event.data, 2, 1)[0];
      if (kind === 77) this.handlers.mesh(readMesh(event.data)); // "PLM1"
      else this.handlers.frame(readFrame(event.data));
    };
    socket.onclose = () => {
      this.handlers.close();
      setTimeout(() => this.connect(), this.delay);
      this.delay = Math.min(2 * this.delay, 3000);
    };
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
