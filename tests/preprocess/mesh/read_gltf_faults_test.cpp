// Faults of glTF files that are refused by name, and legal files that look like them.
#include <fmt/format.h>

#include <span>

#include "runtime/core/base64.h"
#include "tests/preprocess/mesh/scene_fixture.h"

namespace abut::preprocess {
namespace {

// An octahedron: its vertices interleaved with normals, its upper half a fan, its lower half triangles.
std::string gltf_scene(std::string_view from = {}, std::string_view to = {}) {
  std::vector<float> vertices;
  for (const Eigen::Vector3f& p :
       {Eigen::Vector3f(0, 0, 1), Eigen::Vector3f(1, 0, 0), Eigen::Vector3f(0, 1, 0),
        Eigen::Vector3f(-1, 0, 0), Eigen::Vector3f(0, -1, 0), Eigen::Vector3f(0, 0, -1)})
    for (int k = 0; k < 6; ++k) vertices.push_back(p[k % 3]);
  const std::string bytes = little(vertices, {0, 1, 2, 3, 4, 1, 5, 2, 1, 5, 3, 2, 5, 4, 3, 5, 1, 4});
  const std::string json =
      R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
"nodes":[{"children":[1,2]},{"mesh":0,"rotation":[0,0,1,0],"scale":[2,2,2]},{"camera":0}],"cameras":[{"type":"orthographic","orthographic":{"xmag":1,"ymag":1,"zfar":2,"znear":1}}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0,"NORMAL":1},"indices":2,"mode":6},{"attributes":{"POSITION":0},"indices":3}]}],
"buffers":[{"byteLength":180,"uri":"data:application/octet-stream;base64,)" +
      base64(std::as_bytes(std::span(bytes))) + R"("}],
"bufferViews":[{"buffer":0,"byteLength":144,"byteStride":24},{"buffer":0,"byteOffset":144,"byteLength":36}],
"accessors":[{"bufferView":0,"componentType":5126,"count":6,"type":"VEC3"},
{"bufferView":0,"byteOffset":12,"componentType":5126,"count":6,"type":"VEC3"},
{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"},
{"bufferView":1,"byteOffset":12,"componentType":5123,"count":12,"type":"SCALAR"}]})";
  return from.empty() ? json : with(json, std::string(from), std::string(to));
}

TEST_F(Read, GltfOfInterleavedBuffersFansAndSparseAccessors) {
  const auto is_read = [&](const std::string& content) {
    const TriangleMesh mesh = read("good.gltf", content);
    return mesh.triangles.size() == 8 && mesh.box_of_faces().max() == Eigen::Vector3d(2, 2, 2) &&
           mesh.box_of_faces().min() == Eigen::Vector3d(-2, -2, -2);
  };
  EXPECT_TRUE(is_read(gltf_scene()));
  EXPECT_TRUE(is_read(gltf_scene(R"("version":"2.0")", R"("version":"2.1","minVersion":"2.0")")));
  EXPECT_TRUE(is_read(gltf_scene(R"("scale":[2,2,2])", R"("scale":[2,2,2],"extras":{"matrix":1})")));
  EXPECT_TRUE(is_read(gltf_scene(R"("rotation":[0,0,1,0],"scale":[2,2,2])",
                                 R"("matrix":[-2,0,0,0,0,-2,0,0,0,0,2,0,0,0,0,1])")));
  for (const auto& [component, size] : {std::pair(5121, 1), std::pair(5123, 2), std::pair(5125, 4)}) {
    SCOPED_TRACE(component);
    std::string bytes = kTetrahedronBytes;
    for (const unsigned index : {1U, 3U})
      for (int k = 0; k < size; ++k) bytes += static_cast<char>(k == 0 ? index : 0);
    bytes.resize(kTetrahedronBytes.size() + 8);
    bytes += little({5, 0, 0, 0, 0, 5}, {});
    const std::string sparse = fmt::format(
        R"("count":4,"sparse":{{"count":2,"indices":{{"bufferView":2,"componentType":{}}},"values":{{"bufferView":2,"byteOffset":8}}}})",
        component);
    std::string json = with(gltf(""), "\"count\":4", sparse);
    json = with(json, "\"byteLength\":72", "\"byteLength\":104");
    json =
        with(json, "\"byteLength\":24}", R"("byteLength":24},{"buffer":0,"byteOffset":72,"byteLength":32})");
    const TriangleMesh mesh = read("sparse.glb", glb(json, bytes));
    EXPECT_EQ(mesh.box_of_faces().max(), Eigen::Vector3d(5, 1, 5));
    expect_refused("sparse.glb", glb(with(json, "\"count\":4", "\"count\":3"), bytes),
                   "sparse index 1 of accessor 0 is 3, not above the one before or beyond its 3 elements");
    expect_refused("sparse.glb", glb(with(json, "\"byteOffset\":8", "\"byteOffset\":12"), bytes),
                   "the sparse values of accessor 0 go beyond bufferView 2");
  }
}

TEST_F(Read, GltfOfBuffersAndAccessorsThatAreNotWhole) {
  for (const auto& [from, to, message] : std::vector<Fault>{
           {R"("version":"2.0")", R"("version":"1.0")",
            "its asset.version is \"1.0\", and only glTF 2 is read"},
           {R"("version":"2.0")", R"("generator":"x")", "it states no asset.version"},
           {R"("version":"2.0")", R"("version":"2.0","minVersion":"3.0")", "its asset.minVersion is \"3.0\""},
           {R"("byteLength":180)", R"("byteLength":181)",
            "buffer 0 has 180 bytes, but its byteLength is 181"},
           {R"("byteLength":180)", R"("byteLength":150)",
            "bufferView 1 reaches to byte 180 of buffer 0, which has 150"},
           {"base64,A", "base64,*", "the data: URI of buffer 0 is no base64"},
           {"base64,A", "base64,AA", "the data: URI of buffer 0 is no base64"},
           {";base64,", ",", "the data: URI of buffer 0 is not in base64"},
           {"data:application", "none:application",
            "buffer 0 is missing: there is no file 'none:application"},
           {R"("uri")", R"("url")", "buffer 0 has no uri"},
           {R"("byteStride":24)", R"("byteStride":8)",
            "accessor 0 has elements of 12 bytes, but bufferView 0 a byteStride of 8"},
           {R"("byteStride":24)", R"("byteStride":22)",
            "the byteStride of bufferView 0 is 22, no multiple of 4"},
           {R"("byteStride":24)", R"("byteStride":256)", "the byteStride of bufferView 0 is 256"},
           {R"("byteStride":24)", R"("byteStride":28)",
            "accessor 0 reaches to byte 152 of bufferView 0, which has 144"},
           {R"("byteOffset":144)", R"("byteOffset":144.0)",
            "'byteOffset' of bufferView 1 is no whole number"},
           {R"("byteOffset":144)", R"("byteOffset":-1)", "'byteOffset' of bufferView 1 is no whole number"},
           {R"("byteOffset":144)", R"("byteOffset":1e999)", "it has the number 1e999, which is too large"},
           {R"([{"buffer":0)", R"([{"buffer":1)", "'buffer' of bufferView 0 is 1, but there are 1 buffers"},
           {R"("count":12)", R"("count":18)", "accessor 3 reaches to byte 48 of bufferView 1, which has 36"},
           {R"("count":12)", R"("count":0)", "the count of accessor 3 is 0"},
           {R"("bufferView":1,"byteOffset":12)", R"("bufferView":7,"byteOffset":12)",
            "'bufferView' of accessor 3 is 7"},
           {R"("bufferView":1,"byteOffset":12,)", "",
            "primitive 1 of mesh 0 has indices that are not whole numbers"},
           {R"(5126,"count":6,"type":"VEC3")", R"(5126,"count":6,"type":"VEC2")",
            "has positions that are not three floats"},
           {R"(5123,"count":12)", R"(5122,"count":12)",
            "primitive 1 of mesh 0 has indices that are not whole numbers"},
           {R"(5123,"count":12)", R"(5124,"count":12)",
            "accessor 3 has no componentType or type that glTF knows"},
           {R"("SCALAR"}])", R"("SCALER"}])", "accessor 3 has no componentType or type that glTF knows"},
           {R"("byteOffset":144)", R"("byteOffset":144,"byteStride":0)", ""}}) {
    SCOPED_TRACE(to);
    if (message.empty())
      EXPECT_EQ(read("good.gltf", gltf_scene(from, to)).triangles.size(), 8U);
    else
      expect_refused("bad.gltf", gltf_scene(from, to), message);
  }
}

TEST_F(Read, GltfOfMeshesAndNodesThatAreNotAsTheySay) {
  for (const auto& [from, to, message] : std::vector<Fault>{
           {R"(5126,"count":6)", R"(5126,"count":5)", "primitive 1 of mesh 0 has an index 5, but 5 vertices"},
           {R"("count":12)", R"("count":11)",
            "primitive 1 of mesh 0 has 11 corners, which make no whole triangles"},
           {R"("count":6,"type":"SCALAR")", R"("count":2,"type":"SCALAR")",
            "has 2 corners, which make no whole"},
           {R"("mode":6)", R"("mode":7)", "primitive 0 of mesh 0 has the mode 7, which glTF does not know"},
           {R"("mode":6)", R"("mode":"6")", "'mode' of primitive 0 of mesh 0 is no whole number"},
           {R"("mode":6)", R"("mode":1)", ""},
           {R"({"POSITION":0})", "{}", "primitive 1 of mesh 0 has no positions"},
           {R"({"POSITION":0})", R"({"POSITION":0,"POSITION_1":1})", "has an attribute 'POSITION_1'"},
           {R"({"POSITION":0})", R"({"POSITION":9})",
            "'POSITION' of primitive 1 of mesh 0 is 9, but there are 4"},
           {R"("mode":6)", R"("mode":6,"targets":[{"POSITION_3":0}])", "has an attribute 'POSITION_3'"},
           {R"("mode":6)", R"("mode":6,"targets":[{"POSITION":0}])", ""},
           {R"("children":[1,2])", R"("children":[1,3])",
            "'children' of node 0 has node 3, but there are 3 nodes"},
           {R"("children":[1,2])", R"("children":[1,"2"])",
            "'children' of node 0 has what is no number of a node"},
           {R"("children":[1,2])", R"("children":[0])", "node 0 is more than 1000 deep"},
           {R"([{"nodes":[0]}])", R"([{"nodes":[0,1]}])",
            "'nodes' of scene 0 has node 1, which is there already"},
           {R"([{"nodes":[0]}])", R"([{"nodes":[0,0]}])",
            "'nodes' of scene 0 has node 0, which is there already"},
           {R"("scene":0)", R"("scene":1)", "'scene' of the file is 1, but there are 1 scenes"},
           {R"("mesh":0)", R"("mesh":1)", "'mesh' of node 1 is 1, but there are 1 meshes"},
           {R"("scale":[2,2,2])", R"("matrix":[2,0,0,0,0,2,0,0,0,0,2,0,0,0,0,1])",
            "node 1 has a matrix and a rotation"},
           {R"([0,0,1,0])", R"([0,0,2,0])", "the rotation of node 1 has the length 2, not 1"},
           {R"([0,0,1,0])", R"([0,0,1])", "the rotation of node 1 is not 4 finite numbers"},
           {R"([2,2,2])", R"([2,2,"2"])", "the scale of node 1 is not 3 finite numbers"},
           {R"([2,2,2])", R"([2,2,1e60])", "the scale of node 1 is not 3 finite numbers"},
           {R"([2,2,2])", R"([2,2,0])", "the scale of node 1 flattens what is in it"},
           {R"("rotation":[0,0,1,0],"scale":[2,2,2])", R"("matrix":[2,0,0,0,0,2,0,0,0,0,2,0,0,0,5,0])",
            "the last row of the matrix of node 1 is not 0 0 0 1"},
           {R"("rotation":[0,0,1,0],"scale":[2,2,2])", R"("matrix":[2,0,0,0,0,0,0,0,0,0,2,0,0,0,0,1])",
            "the matrix of node 1 flattens what is in it"},
           {R"("nodes":[{)", R"("animations":[{"samplers":[{"input":3,"output":2}]}],"nodes":[{)",
            "animation 0 has a sampler with fewer values than times"},
           {R"("nodes":[{)", R"("extensionsRequired":"KHR_draco_mesh_compression","nodes":[{)",
            "'extensionsRequired' of the file is no list"},
           {R"("nodes":[{)", R"("meshes":[],"nodes":[{)", "two members 'meshes' in one object"}}) {
    SCOPED_TRACE(to);
    if (message.empty())
      EXPECT_GE(read("good.gltf", gltf_scene(from, to)).triangles.size(), 4U);
    else
      expect_refused("bad.gltf", gltf_scene(from, to), message);
  }
}

TEST_F(Read, GltfOfChunksThatAreNotWhole) {
  const std::string whole = glb(gltf(""), kTetrahedronBytes);
  const auto number = [](std::size_t value) {
    std::string bytes;
    append_number<std::uint32_t>(bytes, static_cast<double>(value), false);
    return bytes;
  };
  const std::size_t json = whole.size() - kTetrahedronBytes.size() - 28;
  const auto changed = [&](std::size_t place, const std::string& bytes) {
    std::string forged = whole;
    return forged.replace(place, bytes.size(), bytes);
  };
  const std::string size = number(whole.size());
  expect_refused("a.glb", whole + "more", "bytes, but its header promises");
  expect_refused("a.glb", changed(4, number(1)), "it is a binary glTF of version 1, not 2");
  expect_refused("a.glb", changed(16, "BIN "), "its first chunk is not JSON");
  expect_refused("a.glb", changed(20 + json, number(76)),
                 "its buffer's chunk promises 76 bytes of the 72 that");
  expect_refused("a.glb", changed(20 + json, number(68)), "buffer 0 has 68 bytes, but its byteLength is 72");
  expect_refused("a.glb", changed(24 + json, "JSON"), "its second chunk is not that of a buffer");
  expect_refused("a.glb", glb(gltf(""), kTetrahedronBytes + "more"),
                 "buffer 0 has 76 bytes, but its byteLength is 72");
  expect_tetrahedron(read("a.glb", glb(gltf(""), kTetrahedronBytes + "...")));
  expect_refused("a.glb", glb(gltf("a.bin"), kTetrahedronBytes), "buffer 0 is in another file");
  expect_refused("a.gltf", gltf(""), "buffer 0 has no uri");
  expect_refused("a.gltf", gltf("a.bin").substr(0, 200), "at byte 201 of its JSON what is no JSON");
  expect_refused("a.gltf", "[]", "its JSON is no object");
}

}  // namespace
}  // namespace abut::preprocess
