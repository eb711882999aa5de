// What three.js reads of USD files, as JSON: of each file its meshes, with the corners of their triangles (m) one after
// another, colour and picture.
//   node usd_reader.mjs THREE FILE...    THREE: the folder node_modules/three
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

// Pictures are asked for, and come never: there is no browser.
const asked = [];
globalThis.document = {
  createElementNS: () => ({ addEventListener() {}, removeEventListener() {}, set src(url) { asked.push(url); } }),
};
const three = resolve(process.argv[2]);
const { USDLoader } = await import(pathToFileURL(`${three}/examples/jsm/loaders/USDLoader.js`));

const read = (file) => {
  const meshes = {};
  asked.length = 0;
  const root = new USDLoader().parse(readFileSync(file, 'utf8'), `${dirname(file)}/`);
  root.rotation.set(0, 0, 0);  // z is up in the file, y in three.js
  root.updateMatrixWorld(true);
  root.traverse((mesh) => {
    if (!mesh.isMesh) return;
    const geometry = (mesh.geometry.index ? mesh.geometry.toNonIndexed() : mesh.geometry).applyMatrix4(mesh.matrixWorld);
    const [material] = [mesh.material].flat();
    meshes[mesh.name] = {
      corners: [...geometry.attributes.position.array],
      colour: material.color?.toArray(),
      textured: Boolean(material.map) && Boolean(geometry.attributes.uv),
    };
  });
  return { meshes, pictures: [...asked] };
};
console.log(JSON.stringify(Object.fromEntries(process.argv.slice(3).map((file) => [file, read(file)]))));
