// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Colour maps: light to dark for amounts, blue through white to red around a neutral value, and categories.

const SEQUENTIAL = [[0.267, 0.005, 0.329], [0.283, 0.131, 0.449], [0.254, 0.265, 0.53], [0.207, 0.372, 0.553], [0.164, 0.471, 0.558], [0.128, 0.567, 0.551],
  [0.135, 0.659, 0.518], [0.267, 0.749, 0.441], [0.478, 0.821, 0.318], [0.741, 0.873, 0.15], [0.993, 0.906, 0.144]];
const DIVERGING = [[0.17, 0.33, 0.75], [0.45, 0.63, 0.92], [0.77, 0.85, 0.96], [0.94, 0.94, 0.93], [0.97, 0.79, 0.69], [0.91, 0.5, 0.38], [0.72, 0.12, 0.17]];
const CATEGORIES = [[0.12, 0.47, 0.71], [1, 0.5, 0.05], [0.17, 0.63, 0.17], [0.84, 0.15, 0.16], [0.58, 0.4, 0.74], [0.55, 0.34, 0.29], [0.89, 0.47, 0.76], [0.74, 0.74, 0.13], [0.09, 0.75, 0.81]];
const NEUTRAL = { stretch: 1, volume: 1, volume_ratio: 1, pressure: 0 };
export const BODY_COLORS = [[0.85, 0.29, 0.18], [0.2, 0.5, 0.78], [0.25, 0.62, 0.38], [0.9, 0.62, 0.16], [0.55, 0.36, 0.68], [0.24, 0.66, 0.68], [0.84, 0.42, 0.56]];
export const UNITS = { pressure: "Pa", speed: "m/s", velocity: "m/s", displacement: "m", stress: "Pa", energy: "J/m\u00b3", contact: "N" };

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

// 256 colours of a map, red green blue of sRGB, 0 to 1
function table(stops) {
  const out = new Float32Array(768);
  for (let i = 0; i < 256; i++) {
    const t = (i / 255) * (stops.length - 1), k = Math.min(Math.floor(t), stops.length - 2);
    for (let c = 0; c < 3; c++) out[3 * i + c] = stops[k][c] + (t - k) * (stops[k + 1][c] - stops[k][c]);
  }
  return out;
}
const tables = { sequential: table(SEQUENTIAL), diverging: table(DIVERGING) };
const linearTables = Object.fromEntries(Object.entries(tables).map(([name, t]) => [name, t.map(linear)]));
const categories = CATEGORIES.map((c) => c.map(linear));

// The range of a quantity follows its values at once when they grow and slowly when they shrink.
export class Range {
  constructor(name) {
    this.name = name;
    this.isCategory = name === "region" || name.startsWith("level");
    this.neutral = NEUTRAL[name];
    this.map = this.neutral === undefined ? "sequential" : "diverging";
    this.low = Infinity;
    this.high = -Infinity;
  }

  follow(low, high) {
    if (this.neutral !== undefined) {
      const reach = Math.max(Math.abs(low - this.neutral), Math.abs(high - this.neutral), 1e-6 * Math.max(1, Math.abs(this.neutral)));
      // ratios go from 0 to 2 at most, what is beyond has the last colour
      const most = this.neutral === 1 ? Math.min(reach, 1) : reach;
      low = this.neutral - most;
      high = this.neutral + most;
    } else if (low > 0) low = 0;
    const slow = (old, now) => (Number.isFinite(old) ? old + 0.02 * (now - old) : now);
    this.low = low < this.low ? low : slow(this.low, low);
    this.high = high > this.high ? high : slow(this.high, high);
    if (!(this.high > this.low)) this.high = this.low + 1e-9;
  }

  // colours of coded values (0 to 65534 from least to most; 65535: none); source: which value each has, or none
  paint(codes, source, least, most, out) {
    const colors = linearTables[this.map], count = out.length / 3;
    const scale = 255 / (this.high - this.low), a = (most - least) / 65534;
    for (let i = 0; i < count; i++) {
      const code = codes[source ? source[i] : i];
      let r = 0.35, g = 0.35, b = 0.36;
      if (code !== 65535 && this.isCategory) [r, g, b] = categories[(7 * Math.round(least + a * code)) % categories.length];
      else if (code !== 65535) {
        const k = 3 * Math.max(0, Math.min(255, Math.round((least + a * code - this.low) * scale)));
        r = colors[k]; g = colors[k + 1]; b = colors[k + 2];
      }
      out[3 * i] = r; out[3 * i + 1] = g; out[3 * i + 2] = b;
    }
  }

  drawLegend(canvas) {
    const context = canvas.getContext("2d"), image = context.createImageData(256, 1);
    for (let i = 0; i < 256; i++) {
      const c = this.isCategory ? CATEGORIES[Math.floor((i * CATEGORIES.length) / 256)] : tables[this.map].subarray(3 * i, 3 * i + 3);
      for (let k = 0; k < 3; k++) image.data[4 * i + k] = 255 * c[k];
      image.data[4 * i + 3] = 255;
    }
    context.putImageData(image, 0, 0);
  }
}
