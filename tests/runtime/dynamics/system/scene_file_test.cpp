#include "runtime/dynamics/system/scene_file.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "runtime/core/error.h"
#include "tests/runtime/dynamics/system/no_asset.h"
#include "tests/support/hulls.h"

namespace {

using namespace abut;
using namespace abut::dynamics;
using test::no_asset;

const std::string kGood =
    "patch 0.001  # a box on a slope\n"
    "gravity 1 0 -9.81\nmu 0.5\nrestitution 0.25\nduration 2\nplane 0 0 2 0.5\n"
    "sbox 1 2 3 1 0 0 0 0.1 0.2 0.3\n"
    "body b 2 0.1 0.2 0.25 1 2 3 0.6 0.8 0 0 4 5 6 7 8 9 3\n"
    " box 0.1 0.2 0.3 0 0 0 1 0 0 0\n"
    " cyl 0.05 0.1 0 1 0 0 1 0 0 0   # filled up to three sizes\n"
    " sphere 0.2  0 0 1  1 0 0 0\n";

Scene read(const std::string& text) {
  std::istringstream in(text);
  return read_scene(in, "x.scn", no_asset);
}

std::vector<body::Material> materials(Scene scene) {
  std::vector<body::Material> found;
  scene.for_each_shape([&](const Shape& shape) { found.push_back(shape.material); });
  return found;
}

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = kGood;
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<double> sizes_of(const Shape& shape) { return body::sizes(*shape.geometry.primitive()); }

TEST(SceneFile, SaysWhatItSays) {
  const Scene scene = read(kGood);
  EXPECT_EQ(scene.gravity, Vec3<double>(1, 0, -9.81));
  for (const body::Material& material : materials(scene)) {
    EXPECT_EQ(material.friction, 0.5);
    EXPECT_EQ(material.restitution, 0.25);
    EXPECT_EQ(material.patch, 0.001);
  }
  EXPECT_EQ(scene.duration, 2);
  ASSERT_EQ(scene.fixed.size(), 2U);
  EXPECT_NE(scene.fixed[0].geometry.half_space(), nullptr);
  EXPECT_TRUE(scene.fixed[0].X_BS.R.col(2).isApprox(Vec3<double>::UnitZ(), 1e-15));
  EXPECT_EQ(scene.fixed[0].X_BS.p, Vec3<double>(0, 0, 0.25));  // 2 z <= 0.5
  EXPECT_EQ(sizes_of(scene.fixed[1]), (std::vector{0.1, 0.2, 0.3}));
  ASSERT_EQ(scene.bodies.size(), 1U);
  const Body& body = scene.bodies[0];
  EXPECT_EQ(body.name, "b");
  EXPECT_EQ(body.mass, 2);
  EXPECT_EQ(body.inertia, Vec3<double>(0.1, 0.2, 0.25));
  EXPECT_EQ(body.q_WB[1], 0.8);
  EXPECT_EQ(body.w_WB_W, Vec3<double>(7, 8, 9));
  ASSERT_EQ(body.shapes.size(), 3U);
  EXPECT_EQ(body.shapes[1].geometry.name(), "cylinder");
  EXPECT_EQ(sizes_of(body.shapes[1]), (std::vector{0.05, 0.1}));
  EXPECT_EQ(body.shapes[1].X_BS.p, Vec3<double>(1, 0, 0));
  EXPECT_EQ(body.shapes[2].geometry.name(), "sphere");
  EXPECT_EQ(sizes_of(body.shapes[2]), (std::vector{0.2}));
  EXPECT_EQ(body.shapes[2].X_BS.p, Vec3<double>(0, 0, 1));
}

TEST(SceneFile, RefusesWithFileAndLine) {
  const struct {
    std::string text, said;
  } kCases[] = {
      {replaced("mu 0.5", "mu -0.1"), "x.scn:3: the coefficient of friction is negative"},
      {replaced("patch 0.001", "patch -0.001"), "x.scn:1: the patch is negative"},
      {replaced("mu 0.5", "mu nan"), "x.scn:3: 'nan' is no finite number"},
      {replaced("mu 0.5", "mu 0.5 3"), "x.scn:3: '3' is more than 'mu' takes"},
      {replaced("mu 0.5", "friction 0.5"), "x.scn:3: 'friction' is no entry"},
      {replaced("restitution 0.25", "restitution 1.5"), "x.scn:4: the restitution must be in [0, 1]"},
      {replaced("plane 0 0 2 0.5", "plane 0 0 0 0.5"), "x.scn:6: the plane's normal is zero"},
      {replaced("plane 0 0 2 0.5", "plane 0 0 2"), "x.scn:6: 'plane' lacks an offset"},
      {replaced("0.1 0.2 0.3\n", "0.1 0 0.3\n"), "x.scn:7: box: a size is 0 m; it must be positive"},
      {replaced("body b 2", "body b 0"), "x.scn:8: body 'b': the mass is 0 kg; it must be from 1e-100"},
      {replaced("body b 2", "body b -1"), "x.scn:8: body 'b': the mass is -1"},
      {replaced("body b 2", "body b inf"), "x.scn:8: 'inf' is no finite number"},
      {replaced("0.1 0.2 0.25", "0.1 0 0.25"), "x.scn:8: body 'b': the principal moments of inertia must be"},
      {replaced("0.1 0.2 0.25", "0.1 1e-120 0.25"),
       "x.scn:8: body 'b': the principal moments of inertia must be from 1e-100"},
      {replaced("0.1 0.2 0.25", "0.1 0.2 0.35"), "x.scn:8: body 'b': no solid has these moments"},
      {replaced("0.6 0.8 0 0", "0.6 0.9 0 0"), "x.scn:8: the quaternion (0.6, 0.9, 0, 0) has length 1.08"},
      {replaced("0.6 0.8 0 0", "0.6 x 0 0"), "x.scn:8: 'x' is no finite number"},
      {replaced("7 8 9 3", "7 8 9 4"), "x.scn:8: the file ends after 3 shapes of body 'b'"},
      {replaced("7 8 9 3", "7 8 9 0"), "x.scn:9: 'box' is no entry of a scene"},
      {replaced("7 8 9 3", "7 8 9 2.5"), "x.scn:8: the number of shapes"},
      {replaced(" cyl", " tube"),
       "x.scn:10: 'tube' is no shape of a body; there are: sphere, ellipsoid, box, capsule, cyl, cone, "
       "asset"},
      {replaced(" cyl 0.05 0.1 0 1 0 0 1 0 0 0", " cone 0.05 0 0 0 0 1 0 0 0"),
       "x.scn:10: cone: a size is 0 m; it must be positive"},
      {replaced(" cyl 0.05 0.1", " half_space"), "x.scn:10: 'half_space' is no shape of a body"},
      {replaced("sbox", "fixed tube"), "x.scn:7: 'tube' is no shape of a body"},
      {replaced("sbox", "fixed"), "x.scn:7: '1' is no shape of a body"},
      {kGood + "fixed\n", "x.scn:12: 'fixed' lacks its shape"},
      {kGood + "fixed asset mug 0 0 0 1 0 0 0\n", "x.scn:12: no asset 'mug'"},
      {kGood + "fixed box 1 1 1 0 0 0 1 0 0 0 5\n", "x.scn:12: '5' is more than 'fixed' takes"},
      {replaced(" cyl 0.05 0.1 0 1", " cyl 0.05 0.1 3 1"), "x.scn:10: 'cyl' has a size too many"},
      {replaced(" sphere 0.2  0 0 1  1 0 0 0", " asset mug 0 0 0 1 0 0 0"), "x.scn:11: no asset 'mug'"},
      {replaced(" sphere 0.2  0 0 1  1 0 0 0", " asset"), "x.scn:11: 'asset' lacks the asset's name"},
      {kGood + "body c 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0\nmaterial mu 0.5\n",
       "x.scn:13: 'material' stands below the plane, sbox, fixed, body, shape or object"},
      {replaced("0.1 0.2 0.3\n", "0.1 0.2 0.3\nmaterial mu 0.1 mu 0.9\n"),
       "x.scn:8: 'mu' is given twice, first in line 8"},
      {kGood + "material mu 0.1\nmaterial modulus 1e6 mu 0.9\n",
       "x.scn:13: 'mu' is given twice, first in line 12"},
      {replaced("\n box", "\nmaterial mu 0.1\nmaterial mu 0.2\n box"),
       "x.scn:10: 'mu' is given twice, first in line 9"},
      {kGood + "body world/table 1\n", "x.scn:12: 'world' is what is fixed; give the body another name"},
      {kGood + "body world 1\n", "x.scn:12: 'world' is what is fixed; give the body another name"},
      {kGood + "object b mug 100\n", "x.scn:12: there is a body 'b' already"},
      {kGood + "object c mug 100\n", "x.scn:12: no asset 'mug'"},
      {kGood + "body b 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 1\n box 1 1 1 0 0 0 1 0 0 0\n",
       "x.scn:12: there is a body 'b' already"},
      {"mu 0.5\n", "x.scn: the scene has no body"},
      {"material mu 0.5\n", "x.scn:1: 'material' stands below the plane, sbox, fixed, body, shape or object"},
      {"plane 0 0 1 0\nmaterial\n", "x.scn:2: 'material' lacks what is given: mu, restitution"},
      {"plane 0 0 1 0\nmaterial mu\n", "x.scn:2: 'material' lacks the coefficient of friction"},
      {"plane 0 0 1 0\nmaterial glue 1\n", "x.scn:2: 'glue' is not a property of a material; there are: mu"},
      {"modulus 1e30\n", "x.scn:1: scene: the modulus of the material is 1e+30 Pa; it must be from"},
      {"", "x.scn: the scene has no body"},
  };
  for (const auto& [text, said] : kCases) EXPECT_EQ(refusal(text).substr(0, said.size()), said);
}

// Twice through the file: what comes back is the scene, to rounding in its rotations.
// An asset is the same one, a primitive as large.
void expect_same(const body::Geometry& a, const body::Geometry& b) {
  ASSERT_EQ(a.name(), b.name());
  if (a.primitive())
    EXPECT_EQ(body::sizes(*a.primitive()), body::sizes(*b.primitive()));
  else
    EXPECT_EQ(a.id(), b.id());
}

void expect_same(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.gravity, b.gravity);
  const std::vector<body::Material> of_a = materials(a), of_b = materials(b);
  ASSERT_EQ(of_a.size(), of_b.size());
  for (std::size_t k = 0; k < of_a.size(); ++k) {
    EXPECT_EQ(of_a[k].friction, of_b[k].friction);
    EXPECT_EQ(of_a[k].restitution, of_b[k].restitution);
    EXPECT_EQ(of_a[k].patch, of_b[k].patch);
    EXPECT_EQ(of_a[k].modulus, of_b[k].modulus);
    EXPECT_EQ(of_a[k].dissipation, of_b[k].dissipation);
  }
  EXPECT_EQ(a.duration, b.duration);
  ASSERT_EQ(a.fixed.size(), b.fixed.size());
  for (std::size_t k = 0; k < a.fixed.size(); ++k) {
    const Shape &x = a.fixed[k], &y = b.fixed[k];
    expect_same(x.geometry, y.geometry);
    const Vec3<double> n = x.X_BS.R.col(2);
    EXPECT_LT((n - y.X_BS.R.col(2)).norm(), 1e-15);
    if (x.geometry.half_space()) {
      EXPECT_NEAR(n.dot(x.X_BS.p), n.dot(y.X_BS.p), 1e-15 * (1 + x.X_BS.p.norm()));
    } else {
      EXPECT_EQ(x.X_BS.p, y.X_BS.p);
      EXPECT_LT((x.X_BS.R - y.X_BS.R).norm(), 1e-14);
    }
  }
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t k = 0; k < a.bodies.size(); ++k) {
    const Body &x = a.bodies[k], &y = b.bodies[k];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.mass, y.mass);
    EXPECT_EQ(x.inertia, y.inertia);
    EXPECT_EQ(x.p_WB, y.p_WB);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(x.q_WB[i], y.q_WB[i], 1e-15);
    EXPECT_EQ(x.v_WB, y.v_WB);
    EXPECT_EQ(x.w_WB_W, y.w_WB_W);
    ASSERT_EQ(x.shapes.size(), y.shapes.size());
    for (std::size_t i = 0; i < x.shapes.size(); ++i) {
      expect_same(x.shapes[i].geometry, y.shapes[i].geometry);
      EXPECT_EQ(x.shapes[i].X_BS.p, y.shapes[i].X_BS.p);
      EXPECT_LT((x.shapes[i].X_BS.R - y.shapes[i].X_BS.R).norm(), 1e-14);
    }
  }
}

std::string no_name(const body::Geometry&) { return "my mug"; }

TEST(SceneFile, WhatIsWrittenReadsBackTheSame) {
  Scene scene = read(kGood);
  expect_same(scene, read(scene_text(scene, no_name)));
  // A turned box and an asset, on a slope.
  asset::Asset triangle;
  triangle.surfaces.emplace_back();
  triangle.surfaces.back().vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  triangle.surfaces.back().triangles = {0, 1, 2};
  const body::Geometry mug(std::move(triangle));
  const Pose<double> turned{exp_rotation<double>({0.3, -0.7, 1.1}), {0.1, 1.0 / 3, -0.2}};
  scene.fixed.push_back({body::Geometry(body::HalfSpace<double>{}), turned});
  scene.fixed.push_back({body::Geometry(body::Box<double>{{0.1, 0.2, 1.0 / 7}}), turned});
  scene.fixed.push_back({mug, turned, {.friction = 0.75}});
  for (const body::Primitive& primitive :
       {body::Primitive(body::Sphere<double>{0.1}), body::Primitive(body::Ellipsoid<double>{{0.1, 0.2, 0.3}}),
        body::Primitive(body::Capsule<double>{0, 0.1}), body::Primitive(body::Cylinder<double>{0.1, 0.2}),
        body::Primitive(body::Cone<double>{0.1, 0.2})}) {
    scene.fixed.push_back({body::Geometry(primitive), turned});
    scene.bodies.front().shapes.push_back({body::Geometry(primitive), turned});
  }
  scene.bodies.front().shapes.push_back({mug, turned});
  const std::string text = scene_text(scene, no_name);
  std::istringstream in(text);
  expect_same(scene, read_scene(in, "y.scn", [&](const std::string& name) {
                EXPECT_EQ(name, "my mug");
                return mug;
              }));
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("abut_scene_" + std::to_string(::getpid()) + ".scn");
  write_scene(scene, file.string(), no_name);
  std::ostringstream written;
  written << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  EXPECT_EQ(written.str(), text);
}

TEST(SceneFile, PlanesAreWhereTheirEquationSays) {
  for (const char* scale : {"1", "1e160", "1e-160"}) {
    const std::string d = scale;
    const Scene scene = read("plane 0 0 " + d + " " + d + "\n" + kGood.substr(kGood.find("body")));
    EXPECT_NEAR(scene.fixed[0].X_BS.p.z(), 1, 1e-15) << scale;
  }
}

// Numbers of the scene are of all shapes that are given no others, wherever they stand.
TEST(SceneFile, MaterialsOfShapes) {
  const std::string body = " 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 ", box = " box 1 1 1 0 0 0 1 0 0 0\n";
  const Scene scene =
      read("plane 0 0 1 0\nmaterial mu 0.9 modulus rigid\nsbox 0 0 0 1 0 0 0 1 1 1\nbody a" + body +
           "2\n material mu 0.7\n material patch 0.01\n" + box + box + " material mu 0.1 patch 0.02\nbody b" +
           body + "1\n" + box + "mu 0.5\ndissipation 2\nmodulus 1e5\n");
  const std::vector<body::Material> found = materials(scene);
  const double mu[] = {0.9, 0.5, 0.7, 0.1, 0.5}, patch[] = {0, 0, 0.01, 0.02, 0},
               modulus[] = {body::kRigid, 1e5, 1e5, 1e5, 1e5};
  ASSERT_EQ(found.size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(found[k].friction, mu[k]) << k;
    EXPECT_EQ(found[k].patch, patch[k]) << k;
    EXPECT_EQ(found[k].modulus, modulus[k]) << k;
    EXPECT_EQ(found[k].dissipation, 2) << k;
  }
  expect_same(scene, read(scene_text(scene, no_name)));
}

TEST(SceneFile, AMaterialOfOneNumberHasTheScenesOthers) {
  const std::string ball = "body a 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 1\n sphere 1 0 0 0 1 0 0 0\n";
  const Scene scene = read("mu 0.5\nrestitution 0.2\nplane 0 0 1 0\nmaterial modulus 1e6\n" + ball +
                           "material modulus 1e6\n");
  for (const body::Material& material : materials(scene)) {
    EXPECT_EQ(material.modulus, 1e6);
    EXPECT_EQ(material.friction, 0.5);
    EXPECT_EQ(material.restitution, 0.2);
  }
}

TEST(SceneFile, ADurationOfZeroIsNoLine) {
  Scene scene = read(kGood);
  EXPECT_NE(scene_text(scene, no_name).find("\nduration 2\n"), std::string::npos);
  scene.duration = 0;
  EXPECT_EQ(scene_text(scene, no_name).find("duration"), std::string::npos);
}

// Names of folders and files have blanks: they stand in quotes, in bodies' names and assets' alike.
TEST(SceneFile, NamesInQuotes) {
  std::vector<std::string> asked;
  const auto note = [&](const std::string& name) -> body::Geometry {
    asked.push_back(name);
    throw InvalidInput("no asset '" + name + "'");
  };
  const auto refused = [&](const std::string& line) -> std::string {
    std::istringstream in(line);
    try {
      read_scene(in, "x.scn", note);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refused("object a \"my \"\"best\"\" mug #2\" 100 # a comment"),
            "x.scn:1: no asset 'my \"best\" mug #2'");
  EXPECT_EQ(asked, (std::vector<std::string>{"my \"best\" mug #2"}));
  EXPECT_EQ(refused("object a \"my mug"), "x.scn:1: a quote is not closed");
  EXPECT_EQ(refused("object a \"my mug\"100"), "x.scn:1: no blank after the quoted name 'my mug'");
  EXPECT_EQ(refused("object \"\" mug 100"), "x.scn:1: a name is empty");
  EXPECT_EQ(refused("body my mug 1"),
            "x.scn:1: 'mug' is no finite number (a mass); a name that has blanks stands in quotes");
  EXPECT_EQ(refused("body b 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 2\n box 1 1 1 0 0 0 1 0 0 0\n"),
            "x.scn:1: the file ends after 1 shape of body 'b'");
  for (const std::string name : {"my mug", "a#b", "\"quoted\"", "a\"b", "tab\there", "plain"}) {
    Scene scene = read(kGood);
    scene.bodies.front().name = name;
    expect_same(scene, read(scene_text(scene, no_name)));
  }
}

TEST(SceneFile, WhatTheFormatCannotHoldIsNotWritten) {
  const auto said = [](const std::function<void(Scene&)>& change) -> std::string {
    Scene scene = read(kGood);
    change(scene);
    try {
      scene_text(scene, no_name);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "written";
  };
  EXPECT_EQ(said([](Scene& s) { s.bodies.clear(); }), "scene: there is no body to write");
  EXPECT_EQ(said([](Scene& s) { s.bodies.push_back(s.bodies.front()); }), "scene: there are two bodies 'b'");
  EXPECT_EQ(said([](Scene& s) { s.bodies.front().shapes.clear(); }),
            "scene: body 'b' has neither a shape nor a joint");
  EXPECT_EQ(said([](Scene& s) { s.bodies.front().name = "my\nmug"; }),
            "scene: body 'my\nmug': its name has an end of line, which scene files cannot hold");
  EXPECT_EQ(said([](Scene& s) { s.duration = std::nan(""); }), "scene: the duration must be 0 s or more");
  EXPECT_EQ(said([](Scene& s) { s.fixed[0].material.friction = -1; }),
            "fixed shape 0: the friction of its material is -1; it must be from 0 to 1e12");
  EXPECT_EQ(said([](Scene& s) {
              s.fixed.push_back({body::Geometry(body::HalfSpace<double>{.thickness = 0.5}), {}});
            }).substr(0, 58),
            "scene: fixed shape 2 is a half-space of another thickness ");
  const body::Geometry coarse(body::Sphere<double>{0.05}, 0.1);
  EXPECT_EQ(
      said([&](Scene& s) { s.bodies.front().shapes.front().geometry = coarse; }),
      "scene: body 'b' has a sphere of the deviation 0.1; scene files have its sizes alone, and make it "
      "with 0.001");
  EXPECT_EQ(said([&](Scene& s) {
              s.fixed.push_back({coarse, {}});
            }).substr(0, 50),
            "scene: fixed shape 2 has a sphere of the deviation");
}

TEST(SceneFile, NearlyUnitQuaternionsAreNormalised) {
  const Body body = read(replaced("0.6 0.8 0 0", "0.6003 0.8 0 0")).bodies[0];
  double squared = 0;
  for (const double entry : body.q_WB) squared += entry * entry;
  EXPECT_NEAR(squared, 1, 1e-15);
}

TEST(SceneFile, NamesAFileThatIsNotThere) {
  EXPECT_THROW(read_scene("/nowhere/a.scn", no_asset), IoError);
  EXPECT_THROW(read_scene("/tmp", no_asset), IoError);
  EXPECT_THROW(read_scene("/dev/zero", no_asset), IoError);  // it does not end
}

TEST(SceneFile, ReadsTheReferenceScenes) {
  const std::filesystem::path folder = std::filesystem::path(ABUT_SHARED_DIR) / "data/scenes";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is missing";
  int scenes = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    EXPECT_FALSE(read_scene(file.path().string(), no_asset).bodies.empty()) << file.path();
    ++scenes;
  }
  EXPECT_GE(scenes, 10);
}

}  // namespace
