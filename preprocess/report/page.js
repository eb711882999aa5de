"use strict";
// What stands around the pictures. DATA is what the program wrote.

// Blue over green to yellow: equal steps look equal (as in the pictures of `inspect --png`).
const scaleColors = DATA.scale;
const scaleColor = x => {
  const t = Math.max(0, Math.min(1, x)) * (scaleColors.length - 1), k = Math.min(scaleColors.length - 2, Math.floor(t));
  return [0, 1, 2].map(i => scaleColors[k][i] + (t - k) * (scaleColors[k + 1][i] - scaleColors[k][i]));
};
const scaleCss = () => `linear-gradient(to right,${scaleColors.map(c => `rgb(${c.map(v => Math.round(255 * v))})`)})`;

function el(tag, attributes = {}, ...children) {
  const node = document.createElementNS(/^(svg|path|circle|line|text)$/.test(tag) ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml", tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on")) node[name] = value;
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}
const number = (x, digits = 4) => x === null ? "–" : x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(digits - 1).replace(/\.?0+e/, "e") : String(+x.toPrecision(digits));

function theme() {
  const root = document.documentElement, media = matchMedia("(prefers-color-scheme: dark)");
  const set = dark => { root.dataset.theme = dark ? "dark" : "light"; document.dispatchEvent(new Event("theme")); };
  const flip = () => set(root.dataset.theme !== "dark");
  set(media.matches);
  media.addEventListener("change", e => set(e.matches));
  document.addEventListener("keydown", e => { if (e.key === "t" && forPage(e) && !/^(text|search)$/.test(e.target.type || "")) flip(); });
  return el("button", {onclick: flip, title: "light or dark (t)"}, "Light / dark");
}

// Long names break behind _ and /, before they break anywhere.
const breakable = text => String(text).split(/(?<=[_/])/).flatMap((part, k) => k ? [el("wbr"), part] : [part]);

// Counts whole, measures to four digits, what is not known a dash.
const brief = value => value === null || typeof value === "number" && !Number.isInteger(value) ? number(value) : value;
const facts = rows => el("table", {class: "facts"}, ...rows.map(([name, value]) => el("tr", {}, el("td", {}, ...breakable(name)), el("td", {}, ...breakable(brief(value))))));
const rgb = c => `rgb(${c.slice(0, 3).map(v => Math.round(255 * v))})`;

// --- the page of an asset ---

const PALETTE = [[.86, .42, .35, 1], [.35, .62, .85, 1], [.47, .72, .42, 1], [.93, .71, .32, 1], [.62, .50, .80, 1], [.40, .73, .72, 1], [.84, .52, .68, 1], [.60, .60, .60, 1]];
const BLUE = [.70, .80, .94, 1], ORANGE = [.98, .72, .38, .28], GREEN = [.45, .66, .40, 1], DARK = [.13, .15, .18, 1];

function objectView(view) {
  const layers = [], o = DATA.object;
  const layer = (name, color, count, on, items) => {
    if (items.length) layers.push({name, color, count, on, items});
    for (const item of items) item.on = on;
    view.items.push(...items);
  };
  const cut = {axis: o.cut.axis, share: 0.5};
  const mesh = part => { const v = floats(part.vertices), t = whole(part); return {v, t, solid: () => view.buffer("TRIANGLES", v, t)}; };
  if (o.surface) layer("surface", BLUE, `${o.surface.count} triangles`, true, [{make: mesh(o.surface).solid, paint: BLUE, lit: true, cut: true}]);
  let volume = null, slices = [];
  if (o.volume) {
    volume = {v: floats(o.volume.vertices), t: whole(o.volume), e: floats(o.volume.extent)};
    slices = [{buffer: null}, {buffer: null, paint: [.1, .1, .12, .45], lift: 2e-4}];
    layer("tetrahedra, cut", scaleColor(.75), `${o.volume.count}`, true, slices);
  }
  if (o.quads) {
    layer("quads and points", GREEN, `${o.quads.count}`, false, [
      {make: () => view.buffer("LINES", floats(o.quads.vertices), edgesOf(whole(o.quads), 4)), paint: GREEN, lift: 4e-4, cut: true},
      {make: () => view.buffer("POINTS", floats(o.quads.points)), paint: [.86, .30, .22, 1], size: 3, lift: 6e-4, cut: true}]);
  }
  if (o.hull) {
    const m = mesh(o.hull);
    layer("convex hull", [...ORANGE.slice(0, 3), 1], `${m.v.length / 3} vertices`, false, [
      {make: m.solid, paint: ORANGE, lit: true}, {make: () => view.buffer("LINES", m.v, edgesOf(m.t, 3)), paint: [.75, .45, .1, .6], lift: 2e-4}]);
  }
  if (o.pieces.length)
    layer("convex pieces", PALETTE[4], `${o.pieces.length}`, false,
      o.pieces.map((piece, k) => ({make: mesh(piece).solid, paint: PALETTE[k % PALETTE.length], lit: true, cut: true})));
  if (o.spheres) {
    const centers = floats(o.spheres.centers), radii = floats(o.spheres.radii);
    layer("spheres", PALETTE[1], `${radii.length}`, false,
      PALETTE.map((paint, k) => ({make: () => balls(view, centers, radii, k, PALETTE.length), paint, lit: true, cut: true})));
  }
  if (o.inertia) {
    const {center, axes, radii} = o.inertia, position = [], color = [];
    axes.forEach((axis, k) => {
      for (const s of [-1, 1]) { position.push(...center.map((c, i) => c + s * radii[k] * axis[i])); color.push(...[[.85, .2, .2], [.15, .6, .2], [.2, .35, .9]][k], 1); }
    });
    layer("inertia axes", [.85, .2, .2, 1], "± gyration radius", true, [
      {buffer: view.buffer("LINES", Float32Array.from(position), null, Float32Array.from(color)), lift: .7},
      {buffer: view.buffer("POINTS", Float32Array.from(center)), paint: DARK, size: 7, lift: .7}]);
  }
  const slice = () => {
    // What faces the viewer at the start goes.
    const k = cut.axis, side = k === 1 ? -1 : 1, normal = [0, 0, 0], whole = cut.share >= 1;
    normal[k] = side;
    const place = side > 0 ? o.low[k] + cut.share * (o.high[k] - o.low[k]) : o.high[k] + cut.share * (o.low[k] - o.high[k]);
    const offset = side * place;
    view.plane = whole ? null : [...normal, offset];
    slices.forEach(item => { view.drop(item.buffer); item.buffer = null; });
    if (volume && !whole) {
      const made = cutTetrahedra(volume.v, volume.t, volume.e, normal, offset);
      slices[0].buffer = view.buffer("TRIANGLES", made.position, null, made.color);
      slices[1].buffer = view.buffer("LINES", made.lines);
    }
    view.ask();
    return whole ? "none" : `${number(1e3 * place, 3)} mm`;
  };
  view.look(o.low, o.high);
  return {layers, cut, slice};
}

// Every `each`-th ball from the first on, of latitudes and longitudes.
function balls(view, centers, radii, first, each) {
  const rings = 12, around = 20, position = [], index = [];
  for (let b = first; b < radii.length; b += each) {
    const base = position.length / 3;
    for (let i = 0; i <= rings; i++) for (let j = 0; j < around; j++) {
      const a = Math.PI * i / rings, c = 2 * Math.PI * j / around, s = radii[b] * Math.sin(a);
      position.push(centers[3 * b] + s * Math.cos(c), centers[3 * b + 1] + s * Math.sin(c), centers[3 * b + 2] + radii[b] * Math.cos(a));
      if (i === rings) continue;
      const at = base + i * around, p = at + j, q = at + (j + 1) % around;
      index.push(p, p + around, q, q, p + around, q + around);
    }
  }
  return view.buffer("TRIANGLES", Float32Array.from(position), Uint32Array.from(index));
}

// A checkbox for each layer, with its key, and what presses it.
function layerBoxes(view, layers) {
  const boxes = layers.map((layer, k) => {
    const box = el("input", {type: "checkbox", checked: layer.on, id: `layer${k}`, onchange: () => {
      for (const item of layer.items) item.on = box.checked;
      view.ask();
    }});
    return el("label", {class: "layer"}, box, el("i", {style: `background:${rgb(layer.color)}${layer.round ? ";border-radius:50%" : ""}`}), el("span", {}, layer.name), el("kbd", {}, k + 1), el("small", {}, layer.count || ""));
  });
  return {boxes, press: key => { const box = boxes[+key - 1]; if (box) box.querySelector("input").click(); }};
}

function objectPanel(view) {
  const o = DATA.object, {layers, cut, slice} = objectView(view), {boxes, press} = layerBoxes(view, layers);
  const at = el("output", {id: "cut-at"});
  const slider = el("input", {type: "range", id: "cut", min: 0, max: 1, step: .005, value: cut.share, "aria-label": "place of the cut", oninput: () => show()});
  const axis = el("select", {id: "cut-axis", "aria-label": "axis of the cut", onchange: () => show()},
    ...["x", "y", "z"].map((name, k) => el("option", {value: k, selected: k === cut.axis}, name)));
  const show = () => {
    Object.assign(cut, {axis: +axis.value, share: +slider.value});
    at.textContent = slice();
    slider.setAttribute("aria-valuetext", at.textContent);
  };
  show();
  const keys = e => {
    if (/^(text|search)$/.test(e.target.type || "")) return;
    press(e.key);
    const step = {"[": -.02, "]": .02}[e.key];
    if (step) { slider.value = +slider.value + step; show(); }
  };
  return {keys, legend: o.volume ? ["extent", "0 surface", "1 core"] : null, panel: el("div", {},
    ...DATA.cautions.map(text => el("p", {class: "note"}, `Take care: ${text}`)),
    el("h2", {}, "Layers"), ...boxes,
    el("h2", {}, "Cut ", el("kbd", {}, "["), " ", el("kbd", {}, "]")), el("div", {class: "row"}, axis, slider, at),
    ...DATA.facts.flatMap(([title, rows]) => [el("h2", {}, title), facts(rows)]),
    el("h2", {}, "Warnings"), ...(DATA.warnings.length ? DATA.warnings.map(text => el("p", {class: "note"}, text)) : [el("p", {class: "soft"}, "none")]),
    ...DATA.more.map(([title, rows]) => el("details", {}, el("summary", {}, title), facts(rows))))};
}

// --- two objects pressed together ---

const arrow = (from, along, head) => {
  const to = from.map((x, k) => x + along[k]), length = Math.hypot(...along) || 1, d = along.map(x => x / length);
  const side = Math.abs(d[2]) < .9 ? [d[1], -d[0], 0] : [0, d[2], -d[1]], n = Math.hypot(...side), s = side.map(x => x / n);
  const t = [d[1] * s[2] - d[2] * s[1], d[2] * s[0] - d[0] * s[2], d[0] * s[1] - d[1] * s[0]], out = [];
  const ring = (center, r, a) => center.map((x, k) => x + r * (Math.cos(a) * s[k] + Math.sin(a) * t[k]));
  const neck = to.map((x, k) => x - head * d[k]);
  for (let i = 0; i < 16; i++) {
    const a = i * Math.PI / 8, b = a + Math.PI / 8, r = .22 * head;
    out.push(ring(from, r * .6, a), ring(from, r * .6, b), ring(neck, r * .6, a), ring(neck, r * .6, a), ring(from, r * .6, b), ring(neck, r * .6, b));
    out.push(ring(neck, 2 * r, a), ring(neck, 2 * r, b), to);
  }
  return Float32Array.from(out.flat());
};

function chart(frames) {
  const w = 320, h = 150, left = 46, bottom = 22, top = 14;
  const depth = frames.map(f => 1e3 * f.depth), force = frames.map(f => Math.hypot(...f.force));
  const X = d => left + (w - left - 8) * d / (depth[depth.length - 1] || 1), Y = f => h - bottom - (h - bottom - top) * f / (Math.max(...force) || 1);
  const dot = el("circle", {r: 5, fill: "var(--accent)"});
  const label = (x, y, text, anchor = "end") => el("text", {x, y, "text-anchor": anchor}, text);
  const svg = el("svg", {class: "chart", viewBox: `0 0 ${w} ${h}`, role: "img", "aria-label": "force over depth"},
    el("path", {d: `M${left},${top}V${h - bottom}H${w - 8}`, fill: "none", stroke: "var(--line)"}),
    el("path", {d: "M" + depth.map((d, k) => `${X(d)},${Y(force[k])}`).join("L"), fill: "none", stroke: "var(--accent)", "stroke-width": 2}), dot,
    label(left - 6, top + 4, number(Math.max(...force), 3)), label(left - 6, h - bottom, "0 N"),
    label(w - 8, h - 6, `${number(depth[depth.length - 1], 3)} mm deep`), label(left, h - 6, "0", "start"));
  return {svg, move: k => { dot.setAttribute("cx", X(depth[k])); dot.setAttribute("cy", Y(force[k])); }};
}

// Place (m) and pressure (Pa) of the corners, from 16 bits each between their least and greatest in all frames.
const corners4 = (pair, text) => Float32Array.from(new Uint16Array(bytes(text)), (x, i) => pair.least[i % 4] + x / 65535 * pair.range[i % 4]);

function contactPanel(view) {
  const pair = DATA.pair, frames = pair.frames;
  const body = part => view.buffer("TRIANGLES", floats(part.vertices), whole(part));
  const A = {buffer: body(DATA.object.surface), paint: [.55, .70, .90, .30], lit: true, on: true};
  const B = {buffer: body(pair.surface), paint: [.93, .71, .32, .30], lit: true, on: true};
  const patch = {on: true, lift: .5}, rim = {paint: [.1, .1, .12, .25], on: true, lift: .5002}, force = {paint: [.80, .16, .13, 1], lit: true, on: true, lift: .6};
  const p1 = {paint: [.10, .40, .85, 1], size: 10, on: true, lift: .75}, p2 = {paint: [.85, .50, .05, 1], size: 10, on: true, lift: .75};
  const between = {paint: [.50, .53, .58, 1], on: true, lift: .75};
  const slope1 = {paint: [.35, .62, .95, 1], lit: true, on: true, lift: .7}, slope2 = {paint: [.95, .68, .28, 1], lit: true, on: true, lift: .7};
  const forceSlope = {paint: [.60, .35, .75, 1], lit: true, on: true, lift: .65};
  view.items.push(A, B, patch, rim, force, p1, p2, between, slope1, slope2, forceSlope);
  const layer = (name, ...items) => ({name, color: items[0].paint || scaleColor(.75), round: true, on: true, items});
  const {boxes, press} = layerBoxes(view, [layer(DATA.name, A), layer(pair.name, B), layer("contact surface", patch, rim), layer(`force on ${pair.name}, at the centre of pressure`, force),
    layer("how the force changes with the depth", forceSlope), layer(`witness point of the hull of ${DATA.name}`, p1), layer(`witness point of the hull of ${pair.name}`, p2), layer("line between them", between),
    layer("how they move with the depth", slope1, slope2)]);
  const strongest = Math.max(...frames.map(f => Math.hypot(...f.force)), 1e-300), peak = Math.max(...frames.map(f => f.peak), 1e-300);
  const known = points => !points.includes(null), steepest = (...names) => Math.max(...frames.flatMap(f => names.map(name => known(f[name]) ? Math.hypot(...f[name]) : 0)), 1e-300);
  const steepestForce = steepest("force_slope"), steepestPoint = steepest("p1_slope", "p2_slope");
  const size = Math.hypot(...pair.low.map((x, k) => pair.high[k] - x));
  const thousandths = x => number(x === null ? null : Math.round(1e3 * x) / 1e3 || 0);
  const times = (scale, x) => x === null ? null : scale * x, length = v => v.includes(null) ? null : Math.hypot(...v);
  const big = el("div", {class: "big", id: "force"}), table = el("div"), line = chart(frames);
  const slider = el("input", {type: "range", id: "depth", min: 0, max: frames.length - 1, step: 1, value: Math.round(.6 * (frames.length - 1)), "aria-label": "depth", oninput: () => show()});
  const out = el("output", {id: "depth-at"});
  const replace = (item, buffer) => { view.drop(item.buffer); item.buffer = buffer; };
  function show() {
    const k = +slider.value, f = frames[k], v = corners4(pair, f.patch), newtons = length(f.force);
    B.shift = f.shift;
    const position = [], color = [], lines = [];
    let first = 0;
    for (const corners of f.corners) {
      const corner = i => { const c = 4 * (first + i % corners); return [v[c], v[c + 1], v[c + 2]]; };
      for (let i = 0; i < corners; i++) lines.push(...corner(i), ...corner(i + 1));
      for (let i = 1; i + 1 < corners; i++) for (const j of [0, i, i + 1]) { position.push(...corner(j)); color.push(...scaleColor(v[4 * (first + j) + 3] / peak), 1); }
      first += corners;
    }
    replace(patch, position.length ? view.buffer("TRIANGLES", Float32Array.from(position), null, Float32Array.from(color)) : null);
    replace(rim, lines.length ? view.buffer("LINES", Float32Array.from(lines)) : null);
    const reach = .45 * size * newtons / strongest;
    replace(force, newtons > 0 ? view.buffer("TRIANGLES", arrow(f.at, f.force.map(x => x / newtons * reach), Math.min(.05 * size, reach))) : null);
    // From `from`; the steepest of all depths is `longest` long.
    const pointer = (from, along, steepest, longest) => {
      const reach = known([...from, ...along]) ? longest * size * Math.hypot(...along) / steepest : 0;
      return reach > 1e-3 * size ? view.buffer("TRIANGLES", arrow(from, along.map(x => longest * size * x / steepest), Math.min(.04 * size, reach))) : null;
    };
    replace(forceSlope, pointer(f.at, f.force_slope, steepestForce, .3));
    replace(slope1, pointer(f.p1, f.p1_slope, steepestPoint, .25));
    replace(slope2, pointer(f.p2, f.p2_slope, steepestPoint, .25));
    replace(p1, known(f.p1) ? view.buffer("POINTS", Float32Array.from(f.p1)) : null);
    replace(p2, known(f.p2) ? view.buffer("POINTS", Float32Array.from(f.p2)) : null);
    replace(between, known([...f.p1, ...f.p2]) ? view.buffer("LINES", Float32Array.from([...f.p1, ...f.p2])) : null);
    out.textContent = `${number(1e3 * f.depth, 3)} mm`;
    slider.setAttribute("aria-valuetext", out.textContent);
    big.replaceChildren(number(newtons, 3), el("small", {}, " N on ", pair.name));
    table.replaceChildren(facts([["force (x, y, z)", `${f.force.map(x => number(x, 3)).join(", ")} N`], ["torque about its centre", `${f.torque.map(x => number(x, 3)).join(", ")} N m`],
      ["patch", `${number(times(1e6, f.area), 3)} mm², ${f.corners.length} polygons`], ["largest pressure", `${number(times(1e-3, f.peak), 3)} kPa`],
      ["distance of the hulls", `${number(times(1e3, f.distance), 3)} mm`],
      ["force by depth, N/mm", f.force_slope.map(x => number(times(1e-3, x), 3)).join(", ")],
      ...[[DATA.name, f.p1_slope], [pair.name, f.p2_slope]].map(([name, slope]) => [`witness point of ${name} by depth, mm/mm`, slope.map(thousandths).join(", ")]), ["status", f.status]]));
    line.move(k);
    view.ask();
  }
  view.look(pair.low, pair.high);
  show();
  const keys = e => {
    press(e.key);
    const step = {"[": -1, "]": 1}[e.key];
    if (step) { slider.value = +slider.value + step; show(); }
  };
  return {keys, legend: ["pressure", "0", `${number(1e-3 * peak, 3)} kPa`], panel: el("div", {},
    el("p", {class: "soft"}, `${pair.name} comes down on ${DATA.name} along z, turned as it was scanned. Pressure fields, modulus ${number(pair.modulus)} Pa each, no friction.`),
    el("h2", {}, "Depth since first touch ", el("kbd", {}, "["), " ", el("kbd", {}, "]")), el("div", {class: "row"}, slider, out),
    el("h2", {}, "Layers"), ...boxes,
    el("h2", {}, "Force"), big, line.svg, table)};
}

function assetPage() {
  const tabs = [["Object", objectPanel], ...(DATA.pair ? [["Contact", contactPanel]] : [])];
  const canvas = el("canvas", {tabindex: 0, role: "img", "aria-label": `${DATA.name}: drag or arrow keys turn, wheel zooms`});
  const over = el("div"), stage = el("section", {class: "stage"}, canvas, over), aside = el("aside");
  const names = tabs.map(([name], k) => el("button", {role: "tab", id: `tab-${name.toLowerCase()}`, onclick: () => open(k)}, name));
  document.body.className = "asset";
  document.body.append(
    el("header", {}, DATA.index ? el("a", {href: DATA.index}, "All objects") : null, el("h1", {}, DATA.name), el("nav", {role: "tablist"}, ...(tabs.length > 1 ? names : [])), el("span", {class: "space"}), theme()),
    el("main", {class: "asset"}, stage, aside));
  let current = null;
  const view = new View(canvas), places = [];
  function open(k) {
    names.forEach((button, i) => button.setAttribute("aria-selected", i === k));
    if (!places[k]) { view.items = []; places[k] = {...tabs[k][1](view), items: view.items, home: view.home}; }
    else { view.items = places[k].items; view.home = places[k].home; view.reset(); }
    current = places[k];
    const [title, low, high] = current.legend || [];
    aside.replaceChildren(current.panel);
    over.replaceChildren(el("div", {class: "hint"}, "drag turns, shift-drag moves, wheel zooms; ", el("kbd", {}, "r"), " resets, ", el("kbd", {}, "t"), " light or dark"),
      title ? el("div", {class: "scale"}, el("i", {style: `background:${scaleCss()}`}), el("span", {}, el("span", {}, low), el("span", {}, title), el("span", {}, high))) : "");
    view.ask();
  }
  document.addEventListener("keydown", e => { if (forPage(e)) current.keys(e); });
  document.addEventListener("theme", () => view.ask());
  open(0);
}

// --- the page of a dataset ---

function setPage() {
  const columns = DATA.columns, rows = DATA.rows;
  const body = el("tbody"), head = columns.map((column, k) => el("th", {class: column.text ? "text" : null, scope: "col"},
    column.picture ? "" : el("button", {onclick: () => sort(k)}, column.name, column.unit ? el("small", {}, column.unit) : null)));
  const cell = (row, column, k) => {
    const value = row.cells[k];
    if (column.picture) return el("td", {}, value ? el("img", {src: value, alt: "", loading: "lazy"}) : "");
    if (k === 1) return el("td", {class: "text name"}, ...(row.link ? [el("a", {href: row.link}, ...breakable(value))] : breakable(value)));
    return el("td", {class: column.text ? `text ${column.note ? "note" : ""} ${row.failed ? "bad" : ""}` : null}, ...breakable(brief(value)));
  };
  const lines = rows.map(row => ({row, node: el("tr", {}, ...columns.map((column, k) => cell(row, column, k)))}));
  let by = 1, down = false;
  function sort(k) {
    down = k === by ? !down : false;
    by = k;
    const key = line => line.row.cells[by];
    lines.sort((a, b) => {
      const x = key(a), y = key(b);
      if (x === null || y === null) return (x === null) - (y === null);
      return (typeof x === "number" ? x - y : String(x).localeCompare(String(y))) * (down ? -1 : 1);
    });
    head.forEach((th, i) => th.setAttribute("aria-sort", i === by ? (down ? "descending" : "ascending") : "none"));
    body.replaceChildren(...lines.map(line => line.node));
  }
  const search = el("input", {type: "search", placeholder: "Find an object", "aria-label": "find an object", oninput: () => {
    for (const {row, node} of lines) node.hidden = !row.cells[1].toLowerCase().includes(search.value.toLowerCase());
  }});
  document.body.append(el("header", {}, el("h1", {}, DATA.name), el("span", {class: "soft"}, DATA.summary), el("span", {class: "space"}), theme()),
    el("main", {class: "set"}, el("div", {class: "row"}, search), el("table", {class: "set"}, el("thead", {}, el("tr", {}, ...head)), body)));
  down = true;
  sort(1);
}

// The cut through tetrahedra at normal . x = offset: triangles with the field's colour, and their outlines.
function cutTetrahedra(v, tetrahedra, field, normal, offset) {
  const position = [], color = [], lines = [];
  const height = k => normal[0] * v[3 * k] + normal[1] * v[3 * k + 1] + normal[2] * v[3 * k + 2] - offset;
  for (let t = 0; t < tetrahedra.length; t += 4) {
    const low = [], high = [];
    for (let k = 0; k < 4; k++) (height(tetrahedra[t + k]) > 0 ? high : low).push(tetrahedra[t + k]);
    if (!low.length || !high.length) continue;
    // Around the polygon: three corners, or four in the order in which neighbours share a face.
    const pairs = low.length === 2 ? [[0, 0], [0, 1], [1, 1], [1, 0]] : low.length === 1 ? [[0, 0], [0, 1], [0, 2]] : [[0, 0], [1, 0], [2, 0]];
    const corners = pairs.map(([i, j]) => {
      const a = low[i], b = high[j], s = height(a) / (height(a) - height(b));
      return {p: [0, 1, 2].map(k => v[3 * a + k] + s * (v[3 * b + k] - v[3 * a + k])), e: field[a] + s * (field[b] - field[a])};
    });
    for (let k = 1; k + 1 < corners.length; k++)
      for (const c of [corners[0], corners[k], corners[k + 1]]) { position.push(...c.p); color.push(...scaleColor(c.e), 1); }
    for (let k = 0; k < corners.length; k++) lines.push(...corners[k].p, ...corners[(k + 1) % corners.length].p);
  }
  return {position: Float32Array.from(position), color: Float32Array.from(color), lines: Float32Array.from(lines)};
}
