// SPDX-License-Identifier: Apache-2.0
// Shows any connected pair of cells in 3-D: compartments by colour, touches, distances, touches beside expected ones.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("pair-data").textContent);
const view = document.getElementById("pair-view"), pre = document.getElementById("pair-pre"), post = document.getElementById("pair-post");
const floats = text => new Float32Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
const KINDS = ["", "soma", "axon", "basal dendrite", "apical dendrite"];
const COLOURS = { pre: { soma: "#b8651b", 2: "#b8651b", 3: "#e3b07a", 4: "#d98c3f" }, post: { soma: "#4b3f8f", 2: "#b9b4d9", 3: "#4b3f8f", 4: "#a0408f" } };
const position = floats(data.cells.position), rotation = floats(data.cells.rotation), centre = floats(data.touches.centre);
const shapes = data.shapes.map(shape => ({ ...shape, points: floats(shape.points) }));
const columns = Object.fromEntries(["along", "to_soma", "kind", "gap"].filter(name => data.touches[name]).map(name => [name, floats(data.touches[name])]));
const first = [0];
for (const count of data.pairs.count) first.push(first[first.length - 1] + count);
const targets = new Map();
data.pairs.source.forEach((source, k) => { if (!targets.has(source)) targets.set(source, []); targets.get(source).push(k); });

// A point of a shape at the place of a cell.
function placed(cell, x, y, z) {
  const [w, a, b, c] = rotation.slice(4 * cell, 4 * cell + 4);
  const tx = 2 * (b * z - c * y), ty = 2 * (c * x - a * z), tz = 2 * (a * y - b * x);
  return [
    x + w * tx + b * tz - c * ty + position[3 * cell],
    y + w * ty + c * tx - a * tz + position[3 * cell + 1],
    z + w * tz + a * ty - b * tx + position[3 * cell + 2],
  ];
}

function name(cell) { return `${data.cells.gid[cell]} ${data.cells.mtype[cell]}`.trim(); }

// Sections of one kind as one line with gaps; y is up.
function line(cell, side, kind) {
  const shape = shapes[data.cells.shape[cell]], x = [], y = [], z = [];
  shape.kind.forEach((each, k) => {
    if (each !== kind) return;
    for (let p = shape.begin[k]; p < shape.begin[k + 1]; p++) {
      const at = placed(cell, ...shape.points.slice(3 * p, 3 * p + 3));
      x.push(at[0]); y.push(at[2]); z.push(at[1]);
    }
    x.push(null); y.push(null); z.push(null);
  });
  const silent = side === "post" && kind === 2; // the axon of the target takes no part
  return {
    type: "scatter3d", mode: "lines", x, y, z, name: `${side} ${name(cell)}: ${KINDS[kind]}`, hoverinfo: "name",
    line: { color: COLOURS[side][kind], width: kind === 2 ? 2 : 4 }, visible: silent ? "legendonly" : true, connectgaps: false,
  };
}

function soma(cell, side) {
  const [x, y, z, radius] = shapes[data.cells.shape[cell]].soma, at = placed(cell, x, y, z), rings = [[], [], []];
  const r = Math.max(radius, 1);
  for (let v = 0; v <= 10; v++) {
    for (const ring of rings) ring.push([]);
    for (let u = 0; u <= 16; u++) {
      const theta = Math.PI * v / 10, phi = 2 * Math.PI * u / 16;
      rings[0][v].push(at[0] + r * Math.sin(theta) * Math.cos(phi));
      rings[1][v].push(at[2] + r * Math.sin(theta) * Math.sin(phi));
      rings[2][v].push(at[1] + r * Math.cos(theta));
    }
  }
  const colour = COLOURS[side].soma;
  return {
    type: "surface", x: rings[0], y: rings[1], z: rings[2], surfacecolor: rings[0].map(row => row.map(() => 0)), colorscale: [[0, colour], [1, colour]],
    showscale: false, showlegend: true, name: `${side} ${name(cell)}: soma`, hoverinfo: "name",
  };
}

function label(k, number) {
  const parts = [`touch ${number}`];
  if (columns.kind) parts.push(`on ${KINDS[Math.min(columns.kind[k], 4)]}`);
  if (columns.along) parts.push(`${columns.along[k].toFixed(0)} µm along the axon`);
  if (columns.to_soma) parts.push(`${columns.to_soma[k].toFixed(0)} µm from the soma`);
  if (columns.gap) parts.push(`gap ${columns.gap[k].toFixed(2)} µm`);
  return parts.join(", ");
}

function touches(pair) {
  const found = { type: "scatter3d", mode: "markers", x: [], y: [], z: [], text: [], hoverinfo: "text", name: `${data.pairs.count[pair]} touches` };
  for (let k = first[pair]; k < first[pair + 1]; k++) {
    found.x.push(centre[3 * k]); found.y.push(centre[3 * k + 2]); found.z.push(centre[3 * k + 1]);
    found.text.push(label(k, k - first[pair] + 1));
  }
  return { ...found, marker: { size: 4, color: "#111111", line: { color: "white", width: 1 } } };
}

const mean = values => values.reduce((sum, v) => sum + v, 0) / Math.max(values.length, 1);

// What is known of a pair, in a sentence.
function facts(pair) {
  const source = data.pairs.source[pair], target = data.pairs.target[pair], at = cell => position.slice(3 * cell, 3 * cell + 3);
  const apart = Math.hypot(...at(source).map((v, k) => v - at(target)[k])), mine = [];
  for (let k = first[pair]; k < first[pair + 1]; k++) mine.push(k);
  const parts = [`${mine.length} touches; ${data.pairs.expected[pair].toPrecision(2)} expected by cell types and distance`, `somata ${apart.toFixed(0)} µm apart`];
  if (columns.along) parts.push(`touches ${mean(mine.map(k => columns.along[k])).toFixed(0)} µm along the axon in the mean`);
  if (columns.to_soma) parts.push(`${mean(mine.map(k => columns.to_soma[k])).toFixed(0)} µm along the dendrites`);
  if (columns.kind) {
    const counts = {};
    for (const k of mine) { const kind = KINDS[Math.min(columns.kind[k], 4)]; counts[kind] = (counts[kind] || 0) + 1; }
    parts.push(Object.entries(counts).map(([kind, n]) => `${n} on ${kind}`).join(", "));
  }
  return parts.join("; ") + (data.all ? "." : ". This circuit is large: the lists have the connections with most touches.");
}

function show(pair) {
  const source = data.pairs.source[pair], target = data.pairs.target[pair], traces = [];
  for (const [cell, side] of [[source, "pre"], [target, "post"]]) {
    for (const kind of [2, 3, 4]) if (shapes[data.cells.shape[cell]].kind.includes(kind)) traces.push(line(cell, side, kind));
    traces.push(soma(cell, side));
  }
  traces.push(touches(pair));
  const axis = text => ({ title: { text: `${text} (µm)` }, backgroundcolor: "#fafafa", gridcolor: "#e2e2e2" });
  const layout = {
    scene: { xaxis: axis("x"), yaxis: axis("z"), zaxis: axis("y"), aspectmode: "data", camera: { eye: { x: 1.6, y: 1.2, z: 0.4 } } },
    legend: { orientation: "h", y: 0 }, margin: { l: 0, r: 0, t: 0, b: 0 }, height: 760,
  };
  document.getElementById("pair-facts").textContent = facts(pair);
  view.dataset.pair = `${data.cells.gid[source]} ${data.cells.gid[target]}`;
  Plotly.react(view, traces, layout, { displaylogo: false, responsive: true });
}

function option(list, value, text) {
  const made = document.createElement("option");
  made.value = value;
  made.textContent = text;
  list.append(made);
}

function fill(source, pair) {
  post.replaceChildren();
  for (const k of targets.get(source)) option(post, k, `${name(data.pairs.target[k])}: ${data.pairs.count[k]} touches`);
  post.value = pair === undefined ? targets.get(source)[0] : pair;
  show(Number(post.value));
}

for (const [source, pairs] of [...targets].sort((a, b) => a[0] - b[0])) option(pre, source, `${name(source)}: ${pairs.length} cells`);
pre.value = data.pairs.source[data.shown];
pre.onchange = () => fill(Number(pre.value));
post.onchange = () => show(Number(post.value));
document.getElementById("pair-next").onclick = () => {
  const pair = (Number(post.value) + 1) % data.pairs.source.length;
  pre.value = data.pairs.source[pair];
  fill(data.pairs.source[pair], pair);
};
fill(data.pairs.source[data.shown], data.shown);
})();
