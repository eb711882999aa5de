#pragma once

#include <string>

// A box of 0.1 x 0.2 x 0.3 m, in millimetres: its sides have a texture, top and bottom a colour.
namespace abut::test {

inline std::string textured_box(const std::string& library = "box.mtl") {
  return "mtllib " + library +
         "\n"
         "v 0 0 0\nv 100 0 0\nv 100 200 0\nv 0 200 0\nv 0 0 300\nv 100 0 300\nv 100 200 300\nv 0 200 300\n"
         "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 0.25\n"
         "usemtl paper\n"
         "f 1/1 2/2 6/3 5/4\nf 2/1 3/2 7/3 6/4\nf 3/1 4/2 8/3 7/4\nf 4/1 1/2 5/3 8/4\n"
         "usemtl lids\n"
         "f 4 3 2 1\nf 5 6 7 8\n";
}

inline std::string box_materials(const std::string& texture) {
  return "newmtl paper\nKd 1 0.5 1\nmap_Kd " + texture + "\nnewmtl lids\nKd 0.25 0.5 0.75\nd 0.5\n";
}

// 2 x 2 pixels: red, green; blue, white.
inline std::string png() {
  constexpr const char* kHex =
      "89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a73000000124944415478da63f8cfc0c0"
      "00c20cff8100001fee05fbf1abba770000000049454e44ae426082";
  std::string bytes;
  for (const char* at = kHex; *at != 0; at += 2)
    bytes += static_cast<char>(std::stoi(std::string(at, 2), nullptr, 16));
  return bytes;
}

}  // namespace abut::test
