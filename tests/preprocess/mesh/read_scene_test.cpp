// Meshes of COLLADA and glTF.
#include "preprocess/mesh/gltf.h"
#include "runtime/asset/container.h"
#include "tests/preprocess/mesh/scene_fixture.h"

namespace abut::preprocess {
namespace {

double sixfold_volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles)
    sum += mesh.vertices[static_cast<std::size_t>(t[0])].dot(
        mesh.vertices[static_cast<std::size_t>(t[1])].cross(mesh.vertices[static_cast<std::size_t>(t[2])]));
  return sum;
}

TEST_F(Read, ColladaInItsOwnAxesWhicheverIsUp) {
  for (const char* up : {"X_UP", "Y_UP", "Z_UP"}) {
    SCOPED_TRACE(up);
    const TriangleMesh mesh = read("a.dae", collada(node(""), up));
    expect_tetrahedron(mesh);
    Eigen::Vector3d low = mesh.vertices[0], high = low;
    for (const Eigen::Vector3d& v : mesh.vertices) low = low.cwiseMin(v), high = high.cwiseMax(v);
    EXPECT_EQ(low, Eigen::Vector3d::Zero());
    EXPECT_EQ(high, Eigen::Vector3d::Ones());
  }
}

TEST_F(Read, ColladaInItsUnitAndByItsNodes) {
  const TriangleMesh small = read("a.dae", collada(node(""), "Z_UP", "0.01"));
  EXPECT_NEAR(sixfold_volume(small), 1e-6, 1e-12);
  const TriangleMesh two =
      read("a.dae", collada(node("<translate>1 2 3</translate>", node("<scale>1 1 -2</scale>"))));
  ASSERT_EQ(two.triangles.size(), 8U);
  EXPECT_NEAR(sixfold_volume(two), 1 + 2, 1e-6);  // a mirrored one is not inside out
  double lowest = 10;
  for (const Eigen::Vector3d& v : two.vertices) lowest = std::min(lowest, v.z());
  EXPECT_EQ(lowest, 3 - 2);
}

TEST_F(Read, GltfWithItsDataInsideBesideAndBelow) {
  expect_tetrahedron(read("a.glb", glb(gltf(""), kTetrahedronBytes)));
  write("a.bin", kTetrahedronBytes);
  expect_tetrahedron(read("a.gltf", gltf("a.bin")));
  std::filesystem::create_directories(folder_ / "below");
  write("below/a.bin", kTetrahedronBytes);
  expect_tetrahedron(read("b.gltf", gltf("below/a.bin")));
  const TriangleMesh moved = read(
      "moved.glb", glb(gltf("", R"({"mesh":0,"translation":[0,0,5],"scale":[2,2,2]})"), kTetrahedronBytes));
  EXPECT_NEAR(sixfold_volume(moved), 8, 1e-6);
}

// However often and by whatever names.
TEST_F(Read, ABufferBesideIsReadOnce) {
  std::filesystem::create_directories(folder_ / "below");
  write("a.bin", kTetrahedronBytes);
  const auto digest = [](const std::string& bytes) { return asset::digest(std::as_bytes(std::span(bytes))); };
  std::string buffers;
  for (const char* uri : {"a.bin", "./a.bin", "below/../a.bin", "%61.bin", "a.bin", "none.bin"})
    buffers += (buffers.empty() ? "" : ",") + (R"({"uri":")" + std::string(uri) + "\"}");
  const std::string content = R"({"buffers":[)" + buffers + "]}";
  EXPECT_EQ(source_digest(content, folder_ / "a.gltf"), digest(content + kTetrahedronBytes));
  const std::string named = R"({"buffers":{"b":{"uri":"a.bin"}}})";  // glTF 1.0
  EXPECT_EQ(source_digest(named, folder_ / "a.gltf"), digest(named + kTetrahedronBytes));
}

// Assimp takes bytes that are not UTF-8, and of two members of one name the first.
TEST_F(Read, GltfThatIsNoJsonOfOneMeaning) {
  write("a.bin", kTetrahedronBytes);
  std::string bytes = gltf("a.bin"), twice = bytes;
  bytes.insert(1, "\"x\":\"caf\xe9\",");
  expect_refused("bytes.gltf", bytes, "what is no JSON in UTF-8");
  expect_refused("deep.gltf", "{\"x\":\"\xe9\",\"y\":" + std::string(1 << 20, '['), "no JSON in UTF-8");
  twice.insert(twice.rfind('}'), ",\"buffers\":[]");
  expect_refused("twice.gltf", twice, "two members 'buffers' in one object");
}

TEST_F(Read, ColladaWhoseUnitIsNoLength) {
  for (const std::string unit : {"-1", "0", "0,001", "nan", "1e999"})
    expect_refused("unit.dae", "<COLLADA><asset><unit meter=\"" + unit + "\"/></asset></COLLADA>",
                   "its unit is '" + unit + "' metres");
  expect_refused("open.dae", "<COLLADA>\n<asset name=\"a>" + std::string(1 << 20, '<'),
                 "open.dae:2: it is no XML");
}

// Names of nodes are what assimp takes them for, and tags where it sees them.
TEST_F(Read, ColladaWithNodesInThemselves) {
  const std::string mesh = "<instance_geometry url=\"#g\"/>", again = "<instance_node url=\"#ab\"/>";
  for (const std::string& nodes :
       {"<node id=\"a&#98;\">" + mesh + again + "</node>", "<node id=\"a&#x62;\">" + mesh + again + "</node>",
        "<node id=\"ab\">" + mesh + "<instance_node url=\"#&#97;b\"/></node>",
        "<node id=\"a b\">" + mesh + "<instance_node url=\"#a\tb\"/></node>",
        "<node id=\"ab\">" + mesh + "<![CDATA[</node>]]>" + again + "</node>",
        "<node id=\"ab\">" + mesh + "<![CDATA[<!--]]>" + again + "</node>",
        "<node id=\"ab\">" + mesh + "<?x </node> ?>" + again + "</node>",
        "<node name=\" id='z'\" id=\"ab\">" + mesh + again + "</node>",
        "<node id=\"ab\">" + mesh + "<instance_node name=\" url='#z'\" url=\"#ab\"/></node>",
        "<node name=\"<\" id=\"ab\">" + mesh + again + "</node>",
        "<node name=\"</node>\" id=\"ab\">" + mesh + again + "</node>"}) {
    SCOPED_TRACE(nodes);
    expect_refused("loop.dae", collada(nodes), "this node has an instance of itself in it");
  }
}

// Assimp reads another index in place of each of these, or never ends.
TEST_F(Read, ColladaWithIndicesThatAreNone) {
  for (const char* index : {"-1", "4000000000", "4294967299", "1.5", "x"})
    expect_refused("index.dae",
                   collada(node(""), "Z_UP", "1", kCorners, std::string("0 2 1 0 1 3\n1 2 3 0 3 ") + index),
                   "index.dae:2: '" + std::string(index) + "' in <p> is no index of a vertex");
  const std::string nodes =
      "<!-- <triangles><p>-1</p> --><extra><technique profile='p'><p>x</p></technique></extra>";
  expect_tetrahedron(read("other.dae", collada(nodes + node(""))));
}

TEST_F(Read, ColladaWithNodesInOneAnother) {
  const auto nested = [](int depth) {
    std::string nodes = node("") + "\n";
    for (int k = 1; k < depth; ++k) nodes = "<node><node id='leaf'/>" + nodes + "</node>";
    return nodes;
  };
  expect_tetrahedron(read("deep.dae", collada(nested(900))));
  expect_refused("deep.dae", collada(nested(20'000)), "deep.dae:1: nodes lie more than 1000 deep");
}

TEST_F(Read, ColladaWithInstancesOfNodes) {
  const auto named = [](const std::string& id, const std::string& inside) {
    return "<node name='of > " + id + "' id = \"" + id + "\">" + inside + "</node>\n";
  };
  const auto instance = [](const std::string& id) { return "<instance_node url='#" + id + "'/>"; };
  const auto chain = [&](int length, int times) {
    std::string nodes = named("n0", "<instance_geometry url='#g'/>");
    for (int k = 1; k < length; ++k) {
      std::string inside;
      for (int of = 0; of < times; ++of) inside += instance("n" + std::to_string(k - 1));
      nodes += named("n" + std::to_string(k), inside);
    }
    return nodes;
  };
  EXPECT_EQ(read("one.dae", collada(chain(2, 1))).triangles.size(), 8u);
  EXPECT_EQ(read("twice.dae", collada(chain(4, 2))).triangles.size(), 4u * (1 + 2 + 4 + 8));
  expect_refused("itself.dae", collada(named("a", instance("a"))),
                 "itself.dae:1: this node has an instance of itself in it");
  expect_refused("ring.dae", collada(named("a", instance("b")) + named("b", node(instance("a")))),
                 "ring.dae:1: this node has an instance of itself in it");
  expect_refused("name.dae", collada(named("a", instance("of > a"))), "has an instance of itself in it");
  expect_refused("twice.dae", collada(chain(40, 2)),
                 "twice.dae:19: instances of nodes make more than 1000000 of them");
  expect_refused("long.dae", collada(chain(20'000, 1)), "nodes lie more than 1000 deep");
}

TEST_F(Read, ScenesOpenNoFileElsewhere) {
  std::filesystem::create_directories(folder_ / "inner");
  write("secret.bin", kTetrahedronBytes);
  for (const std::string& uri : std::vector<std::string>{"../secret.bin", folder_ / "secret.bin",
                                                         "x/../../secret.bin", "/dev/zero", "none.bin"})
    expect_refused("inner/a.gltf", gltf(uri),
                   "buffer 0 is missing: there is no file '" + uri + "' beside it");
}

TEST_F(Read, GltfWhoseGeometryIsNotThatOfItsAccessors) {
  const auto binary = [](const std::string& from, const std::string& to) {
    return glb(with(gltf(""), from, to), kTetrahedronBytes);
  };
  const std::string start = "{\"asset\"", primitives = "{\"primitives\"";
  const auto requiring = [&](const std::string& extension) {
    return binary(start, "{\"extensionsRequired\":[\"" + extension + "\"],\"asset\"");
  };
  expect_tetrahedron(read("looks.glb", requiring("KHR_materials_unlit")));
  for (const std::string extension :
       {"EXT_mesh_gpu_instancing", "KHR_mesh_quantization", "KHR_draco_mesh_compression", "VENDOR_new"})
    expect_refused("needs.glb", requiring(extension), "its geometry needs " + extension);
  expect_refused("skin.glb", glb(gltf("", R"({"mesh":0,"skin":0})"), kTetrahedronBytes), "node 0 has a skin");
  expect_refused("node.glb", glb(gltf("", R"({"mesh":0,"weights":[0,1]})"), kTetrahedronBytes),
                 "node 0 has weights of morph targets");
  expect_refused("morph.glb", binary(primitives, "{\"weights\":[0.5],\"primitives\""),
                 "mesh 0 has weights of morph targets");
  expect_tetrahedron(read("rest.glb", binary(primitives, "{\"weights\":[0],\"primitives\"")));
  expect_refused("whole.glb", binary("5126", "5122"), "mesh 0 has positions that are not three floats");
}

TEST_F(Read, RefusesBadScenes) {
  expect_refused("cut.dae", collada(node("")).substr(0, 300), "cut.dae:1: it is no XML");
  expect_refused("empty.dae", "", "empty");
  expect_refused("none.dae", collada(""), "no faces");
  expect_refused("nan.dae", collada(node(""), "Z_UP", "1", "0 0 0 nan 0 0 0 1 0 0 0 1"),
                 "nan.dae:1: 'nan' in <float_array> 'a' is no finite number");
  expect_refused("range.dae", collada(node(""), "Z_UP", "1", kCorners, "0 2 1 0 1 3 1 2 3\n0 3 9"),
                 "range.dae:2: index 9 in <p> is beyond the 4 elements of its source");
  expect_refused("huge.dae", collada(node("<scale>1e20 1 1</scale>")), "has a coordinate larger than 1e15");
  const std::string whole = glb(gltf(""), kTetrahedronBytes);
  for (const std::size_t place : {8, 12}) {  // of the whole length, of the first chunk's
    std::string forged = whole;
    forged.replace(place, 4, "\xf0\xff\xff\xff");
    expect_refused("forged.glb", forged, "but its header promises 4294967");
  }
  expect_refused("deep.gltf", std::string(1 << 20, '['), "nested more than 256 deep");
  const auto chain = [](int length) {
    std::string nodes;
    for (int k = 1; k <= length; ++k) nodes += "{\"children\":[" + std::to_string(k) + "]},";
    return nodes + R"({"mesh":0})";
  };
  expect_tetrahedron(read("chain.glb", glb(gltf("", chain(900)), kTetrahedronBytes)));
  expect_refused("chain.glb", glb(gltf("", chain(100'000)), kTetrahedronBytes), "is more than 1000 deep");
  expect_refused("loop.glb", glb(gltf("", R"({"mesh":0,"children":[0]})"), kTetrahedronBytes),
                 "more than 1000 deep");
  expect_refused("shared.glb",
                 glb(gltf("", R"({"children":[1,2]},{"children":[2]},{"mesh":0})"), kTetrahedronBytes),
                 "node 2 is a child of two, 0 and 1");
  expect_refused("twice.glb", glb(gltf("", R"({"children":[1,1]},{"mesh":0})"), kTetrahedronBytes),
                 "node 1 is a child of two, 0 and 0");
  std::string wrapped = gltf("data:application/octet-stream;base64,AAAA");
  wrapped.replace(wrapped.find("\"byteOffset\":0"), 14, "\"byteOffset\":18446744073709551610");
  expect_refused("wrapped.gltf", wrapped, "a whole number above 2^53");
  for (std::size_t n = 1; n < whole.size(); n += 7) {
    SCOPED_TRACE(n);
    EXPECT_THROW(read("cut.glb", whole.substr(0, n)), InvalidInput);
  }
}

}  // namespace
}  // namespace abut::preprocess
