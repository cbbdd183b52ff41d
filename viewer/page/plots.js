// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Small plots over the last frames: lines in a canvas, each with its own colour of the page's style.

const FRAMES = 240;

export class Plot {
  constructor(canvas, lines, options = {}) {
    this.canvas = canvas;
    this.options = options;
    this.lines = lines;
    this.setLength(FRAMES);
  }

  // empty, with room for so many points
  setLength(length) {
    if (length === this.length) { this.clear(); return; }
    this.length = length;
    this.data = Array.from({ length: this.lines }, () => new Float32Array(length).fill(NaN));
    this.count = 0;
  }

  clear() {
    for (const line of this.data) line.fill(NaN);
    this.count = 0;
  }

  add(values) {
    values.forEach((value, k) => { this.data[k][this.count % this.length] = value; });
    this.count++;
  }

  draw(colors) {
    const { canvas } = this, ratio = Math.min(devicePixelRatio, 2);
    const width = canvas.clientWidth * ratio, height = canvas.clientHeight * ratio;
    if (!width) return;
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const context = canvas.getContext("2d");
    const of = (value) => (this.options.logarithmic ? Math.log10(Math.max(value, 1e-12)) : value);
    let low = this.options.fromZero ? 0 : Infinity, high = -Infinity;
    for (const line of this.data) for (const value of line) if (Number.isFinite(value)) { low = Math.min(low, of(value)); high = Math.max(high, of(value)); }
    context.clearRect(0, 0, width, height);
    if (!(high >= low)) return;
    const reach = Math.max(high - low, this.options.least ?? 1e-12, 1e-3 * Math.abs(high)), middle = 0.5 * (low + high);
    if (!this.options.fromZero) low = middle - 0.5 * reach;
    this.data.forEach((line, k) => {
      context.strokeStyle = colors[k];
      context.lineWidth = 1.5 * ratio;
      context.beginPath();
      const first = Math.max(0, this.count - this.length);
      for (let i = first; i < this.count; i++) {
        const value = line[i % this.length];
        if (!Number.isFinite(value)) continue;
        const x = ((i - first) / (this.length - 1)) * width, y = height - 2 - ((of(value) - low) / reach) * (height - 4);
        if (i === first) context.moveTo(x, y);
        else context.lineTo(x, y);
      }
      context.stroke();
    });
  }
}
