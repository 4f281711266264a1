// SPDX-License-Identifier: Apache-2.0
// Draws the charts of a report on canvases. Charts with two axes can be zoomed by wheel, pointer, keys and buttons.
"use strict";
(() => {
const WIDE = new Set(["dots", "stacked"]);
const ZOOMED = new Set(["dots", "lines", "steps"]);
const style = () => getComputedStyle(document.documentElement);
const colour = k => style().getPropertyValue(`--c${k % 8}`).trim();

function floats(text) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

function make(tag, parent, attributes = {}, text = "") {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  parent.append(node);
  return node;
}

// Three digits, without zeros at the end.
function number(value) {
  const size = Math.abs(value);
  if (value === 0) return "0";
  return size >= 1e6 || size < 1e-3 ? value.toExponential(1) : String(+value.toPrecision(size >= 1000 ? 6 : 3));
}

// Round numbers within [low, high], about `wanted` of them.
function ticks(low, high, wanted) {
  const raw = (high - low) / Math.max(wanted, 1), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(k => k * power).find(each => each >= raw);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k++) found.push(+(k * step).toPrecision(12));
  return found;
}

function logTicks(low, high) {
  const found = [];
  for (let k = Math.ceil(low); k <= high + 1e-9; k++) found.push(k);
  return found.length > 1 ? found : ticks(low, high, 3);
}

class Chart {
  constructor(holder, spec) {
    this.spec = spec;
    this.holder = holder;
    this.hidden = new Set();
    this.series = spec.series.map((each, k) => this.unpack(each, k));
    if (WIDE.has(spec.kind) || spec.wide || spec.names && spec.names.length > 24) holder.classList.add("wide");
    this.build();
    this.reset();
    new ResizeObserver(() => this.draw()).observe(holder);
  }

  unpack(each, k) {
    if (each.values) return { name: each.name, values: each.values, index: k };
    const found = { name: each.name, x: floats(each.x), y: floats(each.y), index: k };
    if (this.spec.log) {
      const kept = [...found.x.keys()].filter(i => found.x[i] > 0 && found.y[i] > 0);
      found.x = Float32Array.from(kept, i => Math.log10(found.x[i]));
      found.y = Float32Array.from(kept, i => Math.log10(found.y[i]));
    }
    return found;
  }

  get zooms() { return ZOOMED.has(this.spec.kind); }
  get shown() { return this.series.filter(each => !this.hidden.has(each.index)); }

  build() {
    const { spec, holder } = this, head = make("div", holder, { class: "head" });
    make("h3", head, {}, spec.title);
    make("span", head, { class: "note" }, spec.note);
    if (this.zooms) {
      const tools = make("span", head, { class: "tools" });
      for (const [text, name, act] of [["+", "zoom in", () => this.zoom(0.5)], ["−", "zoom out", () => this.zoom(2)], ["⟲", "whole chart", () => this.reset()]])
        make("button", tools, { type: "button", "aria-label": `${spec.title}: ${name}`, title: name }, text).onclick = () => { act(); this.draw(); };
    }
    const what = spec.series.map(each => each.name).filter(Boolean).join(", ");
    const label = `${spec.title}; ${spec.x}${spec.y ? ", " + spec.y : ""}${what ? "; " + what : ""}`;
    this.canvas = make("canvas", holder, { tabindex: 0, role: "img", "aria-label": label });
    this.value = make("div", holder, { class: "value", "aria-live": "polite" });
    if (this.series.length > 1) this.legend();
    this.listen();
  }

  legend() {
    const box = make("div", this.holder, { class: "legend" });
    for (const each of this.series) {
      const button = make("button", box, { type: "button", "aria-pressed": "true" });
      make("i", button, { style: `background: var(--c${each.index % 8})` });
      button.append(each.name);
      button.onclick = () => {
        const off = !this.hidden.delete(each.index);
        if (off) this.hidden.add(each.index);
        button.setAttribute("aria-pressed", String(!off));
        this.draw();
      };
    }
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("keydown", event => this.key(event));
    canvas.addEventListener("pointermove", event => this.move(event));
    canvas.addEventListener("pointerleave", () => { this.value.textContent = ""; });
    if (!this.zooms) return;
    canvas.addEventListener("dblclick", () => { this.reset(); this.draw(); });
    canvas.addEventListener("pointerdown", event => { this.from = this.place(event); canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointerup", event => this.up(event));
    canvas.addEventListener("wheel", event => {
      if (document.activeElement !== canvas && !event.ctrlKey) return; // the page scrolls until the chart is chosen
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.place(event), event.shiftKey);
      this.draw();
    }, { passive: false });
  }

  key(event) {
    if (!this.zooms || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      ArrowLeft: () => this.shift(-0.2, 0), ArrowRight: () => this.shift(0.2, 0),
      ArrowUp: () => this.shift(0, 0.2), ArrowDown: () => this.shift(0, -0.2),
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
      PageUp: () => this.zoom(0.5, null, true), PageDown: () => this.zoom(2, null, true),
      "0": () => this.reset(), Home: () => this.reset(),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
    this.draw();
  }

  // All of the data.
  reset() {
    const { spec } = this;
    if (!this.zooms) return;
    let [x0, x1, y0, y1] = [Infinity, -Infinity, spec.kind === "lines" ? Infinity : 0, -Infinity];
    for (const each of this.series) {
      for (const v of each.x) { if (v < x0) x0 = v; if (v > x1) x1 = v; }
      for (const v of each.y) { if (v < y0) y0 = v; if (v > y1) y1 = v; }
    }
    if (!(x1 > x0)) [x0, x1] = x0 <= x1 ? [x0 - 0.5, x0 + 0.5] : [0, 1];
    if (!(y1 > y0)) [y0, y1] = y0 <= y1 ? [y0 - 0.5, y0 + 0.5] : [0, 1];
    const room = spec.kind === "dots" ? 0 : 0.05 * (y1 - y0);
    this.whole = { x: [x0, x1], y: [spec.kind === "lines" && (spec.log || y0 !== 0) ? y0 - room : y0, y1 + room] };
    if (spec.kind === "dots") this.whole.y = [y0 - 1, y1 + 1];
    this.view = { x: [...this.whole.x], y: [...this.whole.y] };
  }

  zoom(factor, at = null, both = false) {
    for (const axis of both ? ["x", "y"] : ["x"]) {
      const [low, high] = this.view[axis], middle = at ? at[axis] : (low + high) / 2;
      this.limit(axis, middle + (low - middle) * factor, middle + (high - middle) * factor);
    }
  }

  shift(right, up) {
    for (const [axis, part] of [["x", right], ["y", this.spec.kind === "dots" ? -up : up]]) {
      const [low, high] = this.view[axis], by = part * (high - low);
      this.limit(axis, low + by, high + by);
    }
  }

  // A view stays within the data and keeps a width that numbers can tell.
  limit(axis, low, high) {
    const [first, last] = this.whole[axis], width = Math.min(Math.max(high - low, 1e-5 * (last - first)), last - first);
    const begin = Math.min(Math.max(low, first), last - width);
    this.view[axis] = [begin, begin + width];
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect(), { area, view } = this;
    const part = { x: (event.clientX - box.left - area.left) / area.width, y: (event.clientY - box.top - area.top) / area.height };
    const down = this.spec.kind === "dots";
    return { x: view.x[0] + part.x * (view.x[1] - view.x[0]), y: down ? view.y[0] + part.y * (view.y[1] - view.y[0]) : view.y[1] - part.y * (view.y[1] - view.y[0]) };
  }

  move(event) {
    if (!this.area) return;
    if (!this.zooms) { this.tell(event); return; }
    const at = this.place(event), real = v => number(this.spec.log ? 10 ** v : v);
    if (this.from && event.buttons) {
      const right = this.from.x - at.x, up = this.from.y - at.y;
      this.limit("x", this.view.x[0] + right, this.view.x[1] + right);
      this.limit("y", this.view.y[0] + up, this.view.y[1] + up);
      this.draw();
    }
    const row = this.spec.kind === "dots" ? `row ${Math.round(at.y)}` : `${this.spec.y}: ${real(at.y)}`;
    this.value.textContent = `${this.spec.x}: ${real(at.x)}, ${row}`;
  }

  up() { this.from = null; }

  // The numbers of the bar below the pointer.
  tell(event) {
    const { area, spec } = this, y = event.clientY - this.canvas.getBoundingClientRect().top - area.top;
    const k = Math.floor(y / area.height * spec.names.length);
    if (!(k in spec.names)) { this.value.textContent = ""; return; }
    const parts = this.shown.map(each => `${each.name ? each.name + " " : ""}${each.values[k] === null ? "none" : number(each.values[k])}`);
    if (spec.marks && spec.marks[k] !== null) parts.push(`published ${number(spec.marks[k])}`);
    this.value.textContent = `${spec.names[k]}: ${parts.join(", ")} (${spec.x})`;
  }

  height() {
    const { spec } = this;
    if (spec.kind === "dots") return 460;
    return spec.names ? 52 + spec.names.length * (spec.names.length > 24 ? 15 : 24) : 250;
  }

  draw() {
    const { canvas, spec } = this, ratio = window.devicePixelRatio || 1, width = this.holder.clientWidth, height = this.height();
    if (width < 40) return;
    canvas.style.height = `${height}px`;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio);
    g.font = "12px system-ui, sans-serif";
    this.ink = style().getPropertyValue("--ink").trim();
    this.soft = style().getPropertyValue("--soft").trim();
    this.rule = style().getPropertyValue("--rule").trim();
    const words = spec.names || (spec.ticks || []).map(tick => tick[1]);
    const left = words.length ? Math.min(16 + Math.max(...words.map(word => g.measureText(word).width)), width / 3) : 58;
    this.area = { left, top: 10, width: width - left - 14, height: height - 48 };
    (this.zooms ? this.drawAxes : this.drawNames).call(this, g);
    g.save();
    g.beginPath();
    g.rect(this.area.left, this.area.top - 1, this.area.width + 1, this.area.height + 2);
    g.clip();
    ({ dots: this.drawDots, lines: this.drawLines, steps: this.drawSteps, bars: this.drawBars, stacked: this.drawBars })[spec.kind].call(this, g);
    g.restore();
    canvas.dataset.drawn = String(1 + Number(canvas.dataset.drawn || 0));
    canvas.dataset.view = this.zooms ? [...this.view.x, ...this.view.y].map(v => v.toPrecision(6)).join(" ") : "";
  }

  toX(v) { return this.area.left + (v - this.view.x[0]) / (this.view.x[1] - this.view.x[0]) * this.area.width; }
  toY(v) {
    const part = (v - this.view.y[0]) / (this.view.y[1] - this.view.y[0]);
    return this.area.top + (this.spec.kind === "dots" ? part : 1 - part) * this.area.height;
  }

  drawAxes(g) {
    const { area, spec, view } = this;
    this.across(g, spec.log ? logTicks(...view.x) : ticks(...view.x, area.width / 90), v => this.toX(v), spec.log ? v => number(10 ** v) : number);
    g.textAlign = "right";
    g.textBaseline = "middle";
    if (spec.kind === "dots") {
      let last = -Infinity; // names that would touch are left out
      for (const [row, name] of spec.ticks) {
        const y = this.toY(row);
        if (y < area.top || y > area.top + area.height || y - last < 12) continue;
        g.fillText(name, area.left - 6, y);
        last = y;
      }
      return;
    }
    for (const v of spec.log ? logTicks(...view.y) : ticks(...view.y, area.height / 45)) {
      this.line(g, area.left, this.toY(v), area.left + area.width, this.toY(v));
      g.fillText(number(spec.log ? 10 ** v : v), area.left - 6, this.toY(v));
    }
    g.save();
    g.translate(11, area.top + area.height / 2);
    g.rotate(-Math.PI / 2);
    g.textAlign = "center";
    g.fillText(spec.y, 0, 0);
    g.restore();
  }

  // Ticks and label of the axis below.
  across(g, values, place, text) {
    const { area, spec } = this, bottom = area.top + area.height;
    g.fillStyle = this.soft;
    g.textAlign = "center";
    g.textBaseline = "top";
    for (const v of values) {
      this.line(g, place(v), area.top, place(v), bottom);
      g.fillText(text(v), place(v), bottom + 5);
    }
    g.fillText(spec.x, area.left + area.width / 2, bottom + 22);
  }

  line(g, x0, y0, x1, y1) {
    g.strokeStyle = this.rule;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(x0, y0);
    g.lineTo(x1, y1);
    g.stroke();
  }

  drawDots(g) {
    const rows = this.view.y[1] - this.view.y[0], size = Math.min(Math.max(this.area.height / rows, 1.2), 5);
    for (const each of this.shown) {
      g.fillStyle = colour(each.index);
      for (let k = 0; k < each.x.length; k++) {
        const x = this.toX(each.x[k]);
        if (x >= this.area.left && x <= this.area.left + this.area.width) g.fillRect(x - 0.6, this.toY(each.y[k]) - size / 2, 1.3, size);
      }
    }
  }

  drawLines(g) {
    g.lineWidth = 1.2;
    for (const each of this.shown) {
      g.strokeStyle = colour(each.index);
      g.beginPath();
      for (let k = 0; k < each.x.length; k++) g.lineTo(this.toX(each.x[k]), this.toY(each.y[k]));
      g.stroke();
    }
  }

  drawSteps(g) {
    g.lineWidth = 1.4;
    for (const each of this.shown) {
      g.strokeStyle = g.fillStyle = colour(each.index);
      g.beginPath();
      g.moveTo(this.toX(each.x[0]), this.toY(0));
      for (let k = 0; k < each.y.length; k++) {
        g.lineTo(this.toX(each.x[k]), this.toY(each.y[k]));
        g.lineTo(this.toX(each.x[k + 1]), this.toY(each.y[k]));
      }
      g.lineTo(this.toX(each.x[each.x.length - 1]), this.toY(0));
      g.stroke();
      g.globalAlpha = 0.12;
      g.fill();
      g.globalAlpha = 1;
    }
  }

  // Sum of the values of each row, and of the largest with its mark.
  drawNames(g) {
    const { area, spec } = this, sums = spec.names.map((_, k) => this.shown.reduce((sum, each) => sum + Math.max(each.values[k] || 0, 0), 0));
    this.most = Math.max(...sums, ...(spec.marks || []).map(v => v || 0)) * 1.04 || 1;
    this.least = Math.min(0, ...this.shown.flatMap(each => each.values.map(v => v || 0)));
    const place = v => area.left + (v - this.least) / (this.most - this.least) * area.width;
    this.across(g, ticks(this.least, this.most, area.width / 90), place, number);
    g.textAlign = "right";
    g.textBaseline = "middle";
    const every = Math.ceil(spec.names.length * 13 / area.height);
    spec.names.forEach((name, k) => { if (k % every === 0) g.fillText(name, area.left - 6, area.top + (k + 0.5) * area.height / spec.names.length, area.left - 8); });
  }

  drawBars(g) {
    const { area, spec } = this, high = area.height / spec.names.length, place = v => area.left + (v - this.least) / (this.most - this.least) * area.width;
    spec.names.forEach((_, k) => {
      let at = 0;
      for (const each of this.shown) {
        const value = each.values[k] || 0;
        g.fillStyle = colour(spec.coloured ? k : each.index);
        g.fillRect(place(at), area.top + (k + 0.15) * high, place(at + value) - place(at), 0.7 * high);
        at += value;
      }
      if (!spec.marks || spec.marks[k] === null) return;
      g.fillStyle = this.ink;
      g.fillRect(place(spec.marks[k]) - 1, area.top + (k + 0.05) * high, 2.5, 0.9 * high);
    });
  }
}

const specs = JSON.parse(document.getElementById("charts").textContent);
const charts = [...document.querySelectorAll("[data-chart]")].map(holder => new Chart(holder, specs[Number(holder.dataset.chart)]));
const keys = document.getElementById("keys");
if (keys && charts.some(chart => chart.zooms))
  keys.textContent = "Charts: drag, or choose one (Tab or click) and use the wheel, arrows, + and −; Page Up and Page Down zoom both axes, 0 shows all. Names below a chart hide and show. A dark tick in bars is the published value.";
const redraw = () => charts.forEach(chart => chart.draw());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
window.addEventListener("beforeprint", redraw);
redraw();
})();
