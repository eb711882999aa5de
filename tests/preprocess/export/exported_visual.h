#pragma once

#include <fstream>
#include <sstream>

#include "tests/preprocess/cli/command_runner.h"
#include "tests/preprocess/export/textured_box.h"

namespace abut::test {

// Exports of what is seen: materials and textures of the files that the assets were made from.
class ExportedVisual : public CommandTest {
 protected:
  // Of data/, in millimetres.
  void make_assets() const {
    const CommandResult made = make({"--quads", "none", "--scale", "0.001"});
    ASSERT_EQ(made.code, 0) << made.err;
  }

  CommandResult export_to(const std::string& simulator) const {
    const CommandResult result =
        command({"export", out_.string(), "--to", simulator, "--out", (folder_ / simulator).string()});
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }

  std::string text(const std::string& file) const {
    std::ostringstream read;
    read << std::ifstream(folder_ / file, std::ios::binary).rdbuf();
    return read.str();
  }
  bool has(const std::string& file) const { return std::filesystem::exists(folder_ / file); }

  // Exports of box.obj by its .mtl, which names this texture, say this and keep the colours alone.
  void expect_no_texture(const std::string& texture, const std::string& note) const {
    SCOPED_TRACE(texture);
    write("box.mtl", box_materials(texture));
    const CommandResult result = export_to("urdf");
    EXPECT_TRUE(contains(result.out, note)) << result.out;
    EXPECT_TRUE(contains(text("urdf/box/visual.mtl"), "Kd 0.25 0.5 0.75"));
    EXPECT_FALSE(contains(text("urdf/box/visual.mtl"), "map_Kd"));
  }
};

}  // namespace abut::test
