"use strict";
// Drawing: meshes, lines and points in WebGL 2, a camera that turns about what is seen, a plane that cuts. An item
// of a View has a buffer (or `make`, which makes it when it is first seen), a place (`shift`, `turn`) and a look.

const bytes = text => {
  const packed = atob(text), out = new Uint8Array(packed.length);
  for (let k = 0; k < packed.length; k++) out[k] = packed.charCodeAt(k);
  return out.buffer;
};
const floats = text => new Float32Array(bytes(text));
const whole = part => part.wide ? new Uint32Array(bytes(part.index)) : Uint32Array.from(new Uint16Array(bytes(part.index)));

const VERTEX = `#version 300 es
layout(location=0) in vec3 position; layout(location=1) in vec4 color;
uniform mat4 view; uniform mat3 turn; uniform vec3 shift; uniform float size; uniform float lift;
out vec3 at; out vec3 seen; out vec4 tint;
void main() {
  at = turn * position + shift; tint = color; vec4 p = view * vec4(at, 1.); seen = p.xyz;
  p.z = max(p.z - lift, min(p.z, -1.)); gl_Position = p; gl_PointSize = size;
}`;
const FRAGMENT = `#version 300 es
precision highp float;
in vec3 at; in vec3 seen; in vec4 tint; out vec4 color;
uniform vec4 paint; uniform vec4 plane; uniform float lit; uniform float round; uniform vec2 stretch;
void main() {
  if (dot(plane.xyz, at) > plane.w) discard;
  if (round > 0. && length(gl_PointCoord - .5) > .5) discard;
  vec4 c = paint.a > 0. ? paint : tint;
  if (lit > 0.) {
    vec3 s = vec3(seen.xy * stretch, -seen.z), n = normalize(cross(dFdx(s), dFdy(s)));
    float light = .42 + .5 * max(0., dot(n, normalize(vec3(-.35, .55, .76)))) + .12 * abs(n.z);
    c.rgb *= gl_FrontFacing ? light : .62 * light;
  }
  color = vec4(c.rgb, c.a);
}`;

// Whether a key is for the page, not for the browser; some keyboards write brackets with Alt.
const forPage = e => !e.ctrlKey && !e.metaKey && (!e.altKey || "[]".includes(e.key));

const UNTURNED = [1, 0, 0, 0, 1, 0, 0, 0, 1];  // rows of a rotation

class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.items = [];
    this.plane = null;
    this.drawn = [0, 0];
    const gl = this.gl = canvas.getContext("webgl2", {alpha: false, antialias: true, preserveDrawingBuffer: true});
    if (!gl) return this.tell("This browser has no WebGL 2, which the picture needs.");
    // Also where there are more pictures than a browser keeps at once.
    canvas.addEventListener("webglcontextlost", () => this.tell("The browser dropped this picture. Click to draw it again.", () => location.reload()));
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    this.at = name => gl.getUniformLocation(program, name);
    this.uniform = Object.fromEntries(["view", "turn", "shift", "size", "lift", "paint", "plane", "lit", "round", "stretch"].map(n => [n, this.at(n)]));
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.control();
    // Before the browser paints, so that no picture is seen stretched.
    new ResizeObserver(() => { if (this.size().some((v, k) => v !== this.drawn[k])) this.draw(); }).observe(canvas);
  }
  // Says over the picture why there is none.
  tell(text, onclick) {
    const note = document.createElement("div");
    note.textContent = text;
    note.style = "position: absolute; inset: 0; display: grid; place-content: center; padding: 16px; background: inherit";
    note.style.cursor = onclick ? "pointer" : "default";
    note.onclick = onclick;
    this.canvas.parentElement.append(note);
  }
  // position, color: Float32Array of 3 and 4 a vertex; color may be null. kind: TRIANGLES, LINES, POINTS.
  buffer(kind, position, index, color) {
    const gl = this.gl, stores = [];
    if (!gl) return null;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const store = (target, data) => {
      stores.push(gl.createBuffer());
      gl.bindBuffer(target, stores.at(-1));
      gl.bufferData(target, data, gl.STATIC_DRAW);
    };
    const attribute = (place, data, width) => {
      store(gl.ARRAY_BUFFER, data);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, width, gl.FLOAT, false, 0, 0);
    };
    attribute(0, position, 3);
    if (color) attribute(1, color, 4);
    if (index) store(gl.ELEMENT_ARRAY_BUFFER, index);
    gl.bindVertexArray(null);
    return {array, stores, kind: gl[kind], count: index ? index.length : position.length / 3, indexed: !!index};
  }
  drop(buffer) {
    if (!buffer) return;
    this.gl.deleteVertexArray(buffer.array);
    for (const store of buffer.stores) this.gl.deleteBuffer(store);
  }
  look(low, high) {
    this.center = low.map((x, k) => (x + high[k]) / 2);
    this.radius = 0.52 * Math.hypot(...low.map((x, k) => high[k] - x)) || 1;
    this.home = {center: [...this.center], radius: this.radius};
    this.reset();
  }
  reset() {
    Object.assign(this, {turn: -1.01, tilt: 0.42, center: [...this.home.center], radius: this.home.radius});
    this.ask();
  }
  axes() {
    const c = Math.cos, s = Math.sin, a = this.turn, b = this.tilt;
    return [[-s(a), c(a), 0], [-s(b) * c(a), -s(b) * s(a), c(b)], [c(b) * c(a), c(b) * s(a), s(b)]];
  }
  control() {
    const canvas = this.canvas, move = (x, y, pan) => {
      if (pan) {
        const m = 2 * this.radius / Math.min(canvas.clientWidth, canvas.clientHeight), [right, up] = this.axes();
        this.center = this.center.map((v, k) => v - m * x * right[k] + m * y * up[k]);
      } else {
        this.turn -= 0.007 * x;
        this.tilt = Math.max(-1.55, Math.min(1.55, this.tilt + 0.007 * y));
      }
      this.ask();
    };
    canvas.onpointerdown = e => canvas.setPointerCapture(e.pointerId);
    canvas.onpointermove = e => { if (canvas.hasPointerCapture(e.pointerId)) move(e.movementX, e.movementY, e.shiftKey || e.buttons > 1); };
    canvas.oncontextmenu = e => e.preventDefault();
    canvas.addEventListener("wheel", e => { this.radius *= Math.exp(0.001 * e.deltaY); this.ask(); e.preventDefault(); }, {passive: false});
    canvas.ondblclick = () => this.reset();
    canvas.onkeydown = e => {
      const step = {ArrowLeft: [-20, 0], ArrowRight: [20, 0], ArrowUp: [0, -20], ArrowDown: [0, 20]}[e.key];
      if (step && forPage(e)) { move(...step, e.shiftKey); e.preventDefault(); }
    };
    document.addEventListener("keydown", e => {
      if (!forPage(e)) return;
      if (/INPUT|SELECT/.test(e.target.tagName) && e.target.type !== "range" && e.target.type !== "checkbox") return;
      if (e.key === "+" || e.key === "=") { this.radius /= 1.1; this.ask(); }
      if (e.key === "-") { this.radius *= 1.1; this.ask(); }
      if (e.key === "r") this.reset();
    });
  }
  ratio() { return Math.min(2, devicePixelRatio || 1); }
  // Of the picture, pixels.
  size() { return [this.canvas.clientWidth, this.canvas.clientHeight].map(x => Math.max(1, Math.round(x * this.ratio()))); }
  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.draw(); });
  }
  draw() {
    const {gl, canvas, uniform} = this;
    if (!gl) return;
    const [w, h] = this.drawn = this.size();
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    gl.viewport(0, 0, w, h);
    const ground = getComputedStyle(canvas.parentElement).backgroundColor.match(/\d+/g).map(v => v / 255);
    gl.clearColor(ground[0], ground[1], ground[2], 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (!this.home) return;
    const [right, up, toward] = this.axes(), m = 1 / this.radius, a = m * Math.min(1, h / w), b = m * Math.min(1, w / h);
    const depth = 1 / (8 * this.home.radius), o = this.center;
    const row = (axis, scale) => [...axis.map(v => v * scale), -scale * axis.reduce((s, v, k) => s + v * o[k], 0)];
    const rows = [row(right, a), row(up, b), row(toward, -depth), [0, 0, 0, 1]];
    gl.uniformMatrix4fv(uniform.view, true, rows.flat());
    // From the picture's coordinates back to lengths, for normals.
    gl.uniform2f(uniform.stretch, depth / a, depth / b);
    for (const item of this.items) if (item.on && !item.buffer && item.make) item.buffer = item.make();
    const items = this.items.filter(item => item.on && item.buffer);
    for (const solid of [true, false]) {
      for (const item of items) {
        const alpha = item.paint ? item.paint[3] : 1;
        if ((alpha >= 1) !== solid) continue;
        gl[solid ? "disable" : "enable"](gl.BLEND);
        gl.depthMask(solid);
        gl.uniform4fv(uniform.paint, item.paint || [0, 0, 0, 0]);
        gl.uniform4fv(uniform.plane, item.cut && this.plane ? this.plane : [0, 0, 0, 1]);
        gl.uniformMatrix3fv(uniform.turn, true, item.turn || UNTURNED);
        gl.uniform3fv(uniform.shift, item.shift || [0, 0, 0]);
        gl.uniform1f(uniform.lit, item.lit ? 1 : 0);
        gl.uniform1f(uniform.lift, item.lift || 0);
        gl.uniform1f(uniform.size, (item.size || 1) * this.ratio());
        gl.uniform1f(uniform.round, item.buffer.kind === gl.POINTS ? 1 : 0);
        gl.bindVertexArray(item.buffer.array);
        if (item.buffer.indexed) gl.drawElements(item.buffer.kind, item.buffer.count, gl.UNSIGNED_INT, 0);
        else gl.drawArrays(item.buffer.kind, 0, item.buffer.count);
      }
    }
    gl.depthMask(true);
  }
}

// Each edge once, as pairs of vertices; polygons of `corners` corners.
function edgesOf(index, corners) {
  const seen = new Set(), out = [];
  for (let k = 0; k < index.length; k += corners)
    for (let i = 0; i < corners; i++) {
      const a = index[k + i], b = index[k + (i + 1) % corners], key = Math.min(a, b) * 67108864 + Math.max(a, b);
      if (!seen.has(key)) { seen.add(key); out.push(a, b); }
    }
  return Uint32Array.from(out);
}
