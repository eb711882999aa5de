// The page of a recording: `scene` is what scene_page() wrote. Drag or arrow keys turn, wheel or + - zoom, r resets,
// space plays and stops, the slider scrubs.

const P = floats(scene.position), Q = floats(scene.quaternion), T = scene.times, N = scene.index.length;
const PALETTE = [[214, 96, 77], [244, 165, 96], [90, 174, 97], [67, 147, 195], [146, 109, 181], [200, 180, 80], [120, 190, 180], [190, 110, 150]];
const paint = (rgb, alpha = 1) => [...rgb.map(c => c / 255), alpha];
const meshOf = ([vertices, triangles]) => ({v: floats(vertices), t: new Uint32Array(bytes(triangles))});
const meshes = scene.meshes.map(meshOf), fixed = meshOf(scene.fixed), marks = scene.marks.map(([mesh, rgb]) => ({...meshOf(mesh), rgb}));

// Rows of body i's rotation, and its place, m, in a frame.
const turnOf = (frame, i) => {
  const k = 4 * (frame * N + i), w = Q[k], x = Q[k + 1], y = Q[k + 2], z = Q[k + 3];
  return [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
          2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
          2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)];
};
const placeOf = (frame, i) => Array.from(P.subarray(3 * (frame * N + i), 3 * (frame * N + i) + 3));

// Of a mesh's vertices the farthest in 26 directions: about as far as it reaches, however it is turned.
function tipsOf({v}) {
  const tips = new Set(), steps = [-1, 0, 1];
  for (const x of steps) for (const y of steps) for (const z of steps) {
    let tip = 0, far = -Infinity;
    for (let at = 0; at < v.length; at += 3) {
      const d = x * v[at] + y * v[at + 1] + z * v[at + 2];
      if (d > far) { far = d; tip = at; }
    }
    tips.add(tip);
  }
  return [...tips].flatMap(tip => [...v.subarray(tip, tip + 3)]);
}

// What is seen: all bodies in all frames, fixed meshes, marks.
function extent() {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], tips = meshes.map(tipsOf);
  const add = (v, R = UNTURNED, p = [0, 0, 0]) => {
    for (let at = 0; at < v.length; at += 3)
      for (let k = 0; k < 3; k++) {
        const x = R[3 * k] * v[at] + R[3 * k + 1] * v[at + 1] + R[3 * k + 2] * v[at + 2] + p[k];
        low[k] = Math.min(low[k], x);
        high[k] = Math.max(high[k], x);
      }
  };
  for (let frame = 0; frame < T.length; frame++)
    for (let i = 0; i < N; i++) add(tips[scene.index[i]], turnOf(frame, i), placeOf(frame, i));
  for (const {v} of [fixed, ...marks]) add(v);
  return low[0] <= high[0] ? [low, high] : [[-1, -1, -1], [1, 1, 1]];
}

// Lines of each plane about the middle of what is seen, a power of ten apart.
function grids(center, radius) {
  const step = 10 ** Math.floor(Math.log10(radius)), lines = 30, r = lines / 2 * step, out = [];
  for (const g of scene.planes) {
    const at = (u, v) => [0, 1, 2].map(k => g[k] + u * g[3 + k] + v * g[6 + k]);
    const middle = axis => step * Math.round([0, 1, 2].reduce((s, k) => s + (center[k] - g[k]) * g[axis + k], 0) / step);
    const u0 = middle(3), v0 = middle(6);
    for (let k = -lines / 2; k <= lines / 2; k++)
      out.push(...at(u0 + k * step, v0 - r), ...at(u0 + k * step, v0 + r), ...at(u0 - r, v0 + k * step), ...at(u0 + r, v0 + k * step));
  }
  return out;
}

function scenePage() {
  const view = new View(document.getElementById("view"));
  const buffers = meshes.map(({v, t}) => view.buffer("TRIANGLES", v, t));
  const bodies = scene.index.map((k, i) => ({buffer: buffers[k], paint: paint(PALETTE[i % PALETTE.length]), lit: true, on: true}));
  view.items.push(...bodies);
  const [low, high] = extent();
  view.look(low, high);
  if (fixed.t.length) view.items.push({buffer: view.buffer("TRIANGLES", fixed.v, fixed.t), paint: paint([150, 152, 156]), lit: true, on: true});
  // Walls would hide what is between them: of fixed boxes edges are drawn, of half-spaces grids.
  const lines = (position, look) => { if (position.length) view.items.push({buffer: view.buffer("LINES", Float32Array.from(position)), on: true, ...look}); };
  lines(grids(view.center, view.radius), {paint: [.5, .52, .55, .35]});
  lines(scene.edges.flat(), {paint: [.5, .52, .55, .9]});
  for (const {v, t, rgb} of marks)  // seen through what hides them
    view.items.push({buffer: view.buffer("TRIANGLES", v, t), paint: paint(rgb), lit: true, on: true, lift: .6});
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => view.ask());

  const bar = document.getElementById("bar"), play = document.getElementById("play"), at = document.getElementById("at"), label = document.getElementById("time");
  // As many digits as tell frames apart.
  const least = T.reduce((step, t, k) => k ? Math.min(step, t - T[k - 1]) : step, 1), digits = Math.max(2, Math.min(9, Math.ceil(-Math.log10(least) - .01)));
  let frame = -1, playing = false, started = 0, next = 0;
  const go = to => {
    if (to === frame) return;
    frame = to;
    bodies.forEach((body, i) => { body.turn = turnOf(frame, i); body.shift = placeOf(frame, i); });
    at.value = frame;
    label.textContent = `${T[frame].toFixed(digits)} s`;
    at.setAttribute("aria-valuetext", label.textContent);
    view.ask();
  };
  const toggle = () => {
    playing = !playing;
    play.textContent = playing ? "stop" : "play";
    started = performance.now() - 1000 * (T[frame] - T[0]);
    if (playing) next = requestAnimationFrame(tick);
    else cancelAnimationFrame(next);
  };
  const tick = now => {
    const length = T[T.length - 1] - T[0], time = T[0] + Math.max(0, now - started) / 1000 % (length + 1);  // rests 1 s at the end
    let to = T[frame] > time ? 0 : frame;
    while (to + 1 < T.length && T[to + 1] <= time) to++;
    go(to);
    next = requestAnimationFrame(tick);
  };
  at.max = T.length - 1;
  go(0);
  if (T.length < 2) return bar.remove();
  play.onclick = toggle;
  at.oninput = () => { if (playing) toggle(); go(+at.value); };
  document.addEventListener("keydown", e => { if (e.key === " " && forPage(e) && e.target !== play) { toggle(); e.preventDefault(); } });
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) toggle();
}
scenePage();
