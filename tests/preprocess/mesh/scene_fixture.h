#pragma once

#include "tests/preprocess/mesh/read_fixture.h"

// Files of COLLADA and glTF for the tests of their readers.
namespace abut::preprocess {

inline const std::string kCorners = "0 0 0 1 0 0 0 1 0 0 0 1", kFaces = "0 2 1 0 1 3 1 2 3 0 3 2";

// A tetrahedron of triangles, placed once by each of `nodes`.
inline std::string collada(const std::string& nodes, const std::string& up = "Z_UP",
                           const std::string& metre = "1", const std::string& corners = kCorners,
                           const std::string& faces = kFaces) {
  return "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>"
         "<asset><unit name='u' meter='" +
         metre + "'/><up_axis>" + up +
         "</up_axis></asset><library_geometries><geometry id='g' name='g'><mesh><source id='p'>"
         "<float_array id='a' count='12'>" +
         corners +
         "</float_array><technique_common><accessor source='#a' count='4' stride='3'><param name='X' "
         "type='float'/><param name='Y' type='float'/><param name='Z' type='float'/></accessor>"
         "</technique_common></source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
         "<triangles count='4'><input semantic='VERTEX' source='#v' offset='0'/><p>" +
         faces +
         "</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene "
         "id='s'>" +
         nodes +
         "</visual_scene></library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>";
}

inline std::string node(const std::string& place, const std::string& inside = "") {
  return "<node>" + place + "<instance_geometry url='#g'/>" + inside + "</node>";
}

inline std::string little(const std::vector<float>& corners, const std::vector<std::uint16_t>& faces) {
  std::string bytes;
  for (const float x : corners) append_number<float>(bytes, x, false);
  for (const std::uint16_t k : faces) append_number<std::uint16_t>(bytes, k, false);
  return bytes;
}

inline const std::string kTetrahedronBytes =
    little({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2});

// Of 48 bytes of corners and 24 of indices in the buffer; `uri`: where that is, none in a .glb.
inline std::string gltf(const std::string& uri, const std::string& nodes = "{\"mesh\":0}") {
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[)" + nodes +
         R"(],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"buffers":[{"byteLength":72)" +
         (uri.empty() ? "" : ",\"uri\":\"" + uri + "\"") +
         R"(}],"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48},)"
         R"({"buffer":0,"byteOffset":48,"byteLength":24}],"accessors":[{"bufferView":0,"componentType":5126,)"
         R"("count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,1]},)"
         R"({"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}]})";
}

inline std::string glb(std::string json, const std::string& bytes) {
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::string out = "glTF";
  const auto append = [&](std::size_t number) {
    append_number<std::uint32_t>(out, static_cast<double>(number), false);
  };
  append(2);
  append(12 + 8 + json.size() + 8 + bytes.size());
  append(json.size());
  out += "JSON" + json;
  append(bytes.size());
  return out + std::string("BIN\0", 4) + bytes;
}

// Text of a good file, what replaces it, and part of the message.
struct Fault {
  std::string from, to, message;
};

// `text` with its first `from` replaced by `to`.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  if (at != text.npos) text.replace(at, from.size(), to);
  return text;
}

}  // namespace abut::preprocess
