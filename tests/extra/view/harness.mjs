// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the checks of `pliant view` stand on: a server, a browser, a bare WebSocket.
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import net from "node:net";
import { join } from "node:path";

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export function check(condition, text) {
  if (!condition) throw new Error(text);
}

// tries again until the condition holds
export async function until(condition, text, seconds = 20) {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end; await sleep(40)) if (await condition()) return;
  throw new Error(`never: ${text}`);
}

export class Server {
  static all = [];

  static async start(program, args) {
    const server = new Server();
    server.process = spawn(program, ["view", ...args, "--no-open"], { stdio: ["ignore", "pipe", "pipe"] });
    Server.all.push(server);
    server.text = "";
    server.process.stdout.on("data", (data) => { server.text += data; });
    await until(() => server.text.includes("\n") || server.process.exitCode !== null, "the address on stdout");
    server.address = server.text.trim();
    server.port = Number(new URL(server.address).port);
    return server;
  }

  async stop(signal = "SIGTERM") {
    this.process.kill(signal);
    await until(() => this.process.exitCode !== null || this.process.signalCode !== null, "the end of the server");
    return this.process.exitCode;
  }

  // bytes of memory that the process has
  memory() {
    return 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.process.pid}/status`, "utf8"))[1]);
  }
}

export function request(port, { path = "/", headers = {} } = {}) {
  return new Promise((done, fail) => {
    const sent = http.request({ host: "127.0.0.1", port, path, headers, agent: false }, (answer) => {
      let text = "";
      answer.on("data", (data) => { text += data; });
      answer.on("end", () => done({ status: answer.statusCode, headers: answer.headers, text }));
    });
    sent.on("error", fail);
    sent.end();
  });
}

// A bare client of the WebSocket, that can be wrong in ways a browser cannot.
export class Socket {
  static open(port, { host = `127.0.0.1:${port}`, origin = `http://127.0.0.1:${port}`, path = "/ws", answers = true } = {}) {
    return new Promise((done) => {
      const socket = new Socket();
      socket.answers = answers;
      socket.messages = [];
      socket.frames = 0;
      socket.rest = Buffer.alloc(0);
      socket.parts = [];
      socket.stream = net.connect(port, "127.0.0.1", () => {
        socket.stream.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: pliant\r\n` +
          `${origin ? `Origin: ${origin}\r\n` : ""}\r\n`);
      });
      let isOpen = false;
      socket.stream.on("data", (data) => {
        socket.rest = Buffer.concat([socket.rest, data]);
        const end = socket.rest.indexOf("\r\n\r\n");
        if (!isOpen && end >= 0) {
          isOpen = socket.rest.subarray(0, end).toString().includes(" 101 ");
          socket.rest = socket.rest.subarray(end + 4);
          done(isOpen ? socket : null);
        }
        if (isOpen) socket.parse();
      });
      socket.stream.on("close", () => { socket.isClosed = true; done(null); });
      socket.stream.on("error", () => done(null));
    });
  }

  parse() {
    for (;;) {
      if (this.rest.length < 2) return;
      let size = this.rest[1] & 127, at = 2;
      if (size === 126) { if (this.rest.length < 4) return; size = this.rest.readUInt16BE(2); at = 4; }
      else if (size === 127) { if (this.rest.length < 10) return; size = Number(this.rest.readBigUInt64BE(2)); at = 10; }
      if (this.rest.length < at + size) return;
      const isLast = (this.rest[0] & 128) !== 0, code = this.rest[0] & 15;
      if (code === 1 || code === 2) { this.code = code; this.parts = []; }
      this.parts.push(this.rest.subarray(at, at + size));
      this.rest = this.rest.subarray(at + size);
      if (!isLast) continue;
      const whole = Buffer.concat(this.parts);
      if (this.code === 1) this.messages.push(JSON.parse(whole.toString()));
      else if (whole.toString("latin1", 0, 4) === "PLF1") {
        this.frames++;
        this.last = whole;
        if (this.answers) this.send({ do: "ready" });
      }
    }
  }

  send(message, code = 1) {
    const data = Buffer.from(typeof message === "string" ? message : JSON.stringify(message));
    const mask = randomBytes(4), head = data.length < 126 ? Buffer.from([128 | code, 128 | data.length]) : Buffer.from([128 | code, 254, data.length >> 8, data.length & 255]);
    const body = Buffer.from(data.map((byte, i) => byte ^ mask[i % 4]));
    if (!this.isClosed) this.stream.write(Buffer.concat([head, mask, body]));
  }

  close() {
    this.stream.destroy();
  }
}

export async function openBrowser(packages, work, size = { width: 720, height: 480 }) {
  const { chromium } = createRequire(join(packages, "x.js"))("playwright-core");
  const flags = ["--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows"];
  const browser = await chromium.launchPersistentContext(join(work, `chrome-${createHash("md5").update(String(Math.random())).digest("hex")}`),
    { executablePath: "/usr/bin/chromium", headless: true, args: flags, viewport: size, acceptDownloads: true });
  browser.setDefaultTimeout(20000);
  return browser;
}

export async function openPage(browser, address, errors) {
  const page = await browser.newPage();
  page.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(address);
  return page;
}
