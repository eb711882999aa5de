// Faults of COLLADA files that are refused by name, and legal files that look like them.
#include <fmt/format.h>

#include "tests/preprocess/mesh/scene_fixture.h"

namespace abut::preprocess {
namespace {

// Three sides of a cube of half a metre, in geometries, nodes and primitives of several kinds.
const std::string kColladaScene = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimetre" meter="0.5"/><up_axis>Z_UP</up_axis></asset>
<library_animations><animation><sampler id="sa"/></animation></library_animations>
<library_images><image id="i"><init_from>a.png</init_from></image></library_images>
<library_geometries><geometry id="square"><mesh>
<source id="p"><float_array id="a" count="13">9 +0 0 0 1. 0 0 1 1 0 0 1 .0e0</float_array>
<technique_common><accessor source="#a" count="4" stride="3" offset="1"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<source id="t"><float_array id="b" count="2">0 1</float_array><technique_common>
<accessor source="#b" count="1" stride="2"><param name="S" type="float"/><param name="T" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1" material="A"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="TEXCOORD" source="#t" offset="1" set="0"/><vcount>3</vcount><p>0 0 1 0 2 0</p></polylist>
<triangles count="1" material="B"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 3</p></triangles>
<lines count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2</p></lines>
</mesh></geometry>
<geometry id="strip"><mesh>
<source id="q"><float_array id="c" count="12">0 0 0 1 0 0 0 1 0 1 1 0</float_array>
<technique_common><accessor source="#c" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="w"><input semantic="POSITION" source="#q"/></vertices>
<tristrips count="1"><input semantic="VERTEX" source="#w" offset="0"/><p>0 1 2 3</p></tristrips>
<polygons count="1"><input semantic="VERTEX" source="#w" offset="0"/><p>0 1 3 2</p></polygons>
</mesh></geometry></library_geometries>
<library_nodes><node id="top"><translate>0 0 1</translate><instance_geometry url="#square"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s">
<node id="bottom"><scale>1 1 -1</scale><instance_geometry url="#square"/></node>
<node id="lid"><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_node url="#top"/></node>
<node id="side"><rotate>1 0 0 90</rotate><instance_geometry url="#strip"/></node>
<node id="camera"><lookat>0 0 9 0 0 0 0 1 0</lookat></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";

TEST_F(Read, ColladaOfAllPrimitivesAndWaysToPlaceThem) {
  const TriangleMesh mesh = read("good.dae", kColladaScene);
  ASSERT_EQ(mesh.triangles.size(), 2U * 2 + 4);
  EXPECT_LT(mesh.box_of_faces().min().norm(), 1e-7);
  EXPECT_LT((mesh.box_of_faces().max() - Eigen::Vector3d(0.5, 0.5, 0.5)).norm(), 1e-7);
  ASSERT_FALSE(report_.warnings.empty());
  EXPECT_EQ(report_.warnings[0], "2 points and lines left out");
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {R"(meter="0.5")", R"(meter="+0.5")"},
           {"<p>0 2 3</p>", "<p> +0\t02\n3 </p>"},
           {R"(<lines count="1">)", R"(<lines count="4">)"},
           {R"(<geometry id="strip">)", R"(<geometry id="line"><spline/></geometry><geometry id="strip">)"},
           {R"(type="float"/>
<param name="Y")",
            R"(type="double"/>
<param name="Y")"},
           {R"(<instance_geometry url="#strip"/>)",
            R"(<instance_geometry url="#strip"/><instance_camera url="#k"/><instance_light url="#l"/>)"}}) {
    SCOPED_TRACE(to);
    EXPECT_EQ(read("good.dae", with(kColladaScene, from, to)).triangles.size(), 8U);
  }
}

TEST_F(Read, ColladaOfWrongCountsAndValues) {
  const std::string fan = R"(<polygons count="1"><input semantic="VERTEX" source="#w" offset="0"/>)";
  for (const auto& [from, to, message] : std::vector<Fault>{
           {"<p>0 2 3</p>", "<p>0 2 4</p>", "dae:16: index 4 in <p> is beyond the 4 elements"},
           {"<p>0 2 3</p>", "<p>0 2 3 1</p>", "dae:16: <triangles> of count 1 has 4 corners in a <p>, not 3"},
           {"<p>0 2 3</p>", "", "dae:16: <triangles> of count 1 has 0 <p>"},
           {"<p>0 2 3</p>", "<p>0 2 3</p><p>0 2 3</p>", "a second <p> in <triangles>"},
           {"<p>0 2 3</p>", "<p>0 2 <!-- --> 3</p>", "the text of <p> is in several parts"},
           {R"(<triangles count="1")", R"(<triangles count="2")", "<triangles> of count 2 has 3 corners"},
           {R"(<triangles count="1")", R"(<triangles count="1.5")",
            "the count '1.5' of <triangles> is no whole"},
           {R"(<triangles count="1")", R"(<triangles)", "<triangles> of count 0 has 3 corners"},
           {"<p>0 0 1 0 2 0</p>", "<p>0 0 1 0 2</p>",
            "dae:15: <p> has 5 indices, which are no whole corners of 2"},
           {"<p>0 0 1 0 2 0</p>", "<p>0 0 1 0 2 1</p>",
            "index 1 in <p> is beyond the 1 element of its source"},
           {"<vcount>3</vcount>", "<vcount>4</vcount>", "3 corners in a <p>, but its <vcount> promises 4"},
           {"<vcount>3</vcount>", "<vcount>3 3</vcount>", "<polylist> of count 1 has 2 numbers in <vcount>"},
           {"<vcount>3</vcount>", "<vcount>-3</vcount>", "'-3' in <vcount> is no number of corners"},
           {"<vcount>3</vcount>", "", "<polylist> has no <vcount> before its <p>"},
           {R"(<tristrips count="1">)", R"(<tristrips count="2">)", "<tristrips> of count 2 has 1 <p>"},
           {"<p>0 1 2 3</p>", "<p>0 1</p>", "2 corners in a <p>, too few for a triangle"},
           {fan + "<p>0 1 3 2</p></polygons>",
            R"(<trifans count="1"><input semantic="VERTEX" source="#w"/>)"
            "<p>0 1 3 2</p></trifans>",
            "a fan, which is not read: make it triangles"},
           {"<p>0 1 3 2</p>", "<ph><p>0 1 3 2</p><h>0 1 2</h></ph>", "a polygon with holes is not read"},
           {R"(count="13">9)", R"(count="14">9)", "dae:7: <float_array> 'a' of count 14 has 13 values"},
           {R"(count="13">9)", R"(count="12">9)", "<float_array> 'a' of count 12 has 13 values"},
           {R"(count="13">9)", R"(count="-13">9)", "the count '-13' of <float_array> is no whole number"},
           {">9 +0 0", ">9 0,5 0", "'0,5' in <float_array> 'a' is no finite number"},
           {">9 +0 0", ">9 inf 0", "'inf' in <float_array> 'a' is no finite number"},
           {">9 +0 0", ">9 1e999 0", "'1e999' in <float_array> 'a' is no finite number"},
           {">9 +0 0", ">9 25000000000000000000e-19 0", "is no finite number"},
           {R"(count="4" stride="3" offset="1")", R"(count="5" stride="3" offset="1")",
            "dae:8: the accessor of <source> 'p' reads 16 values of an array of 13"},
           {R"(count="4" stride="3" offset="1")", R"(count="4" stride="3" offset="2")", "reads 14 values"},
           {R"(count="4" stride="3" offset="1")", R"(count="4" stride="2" offset="1")",
            "the accessor of <source> 'p' has 3 <param>s, but a stride of 2"},
           {R"(<param name="Y")", R"(<param name="y")", "does not have the parameters X, Y and Z"},
           {R"(<param name="Y" type="float"/>)", R"(<param name="Y" type="float2"/>)",
            "does not have the param"},
           {R"(semantic="POSITION")", R"(semantic="NORMAL")",
            "dae:13: <vertices> 'v' have 0 inputs with the sem"},
           {R"(source="#v" offset="0"/>)", R"(source="#v" offset="-1"/>)",
            "the offset '-1' of <input> is no"},
           {R"(<input semantic="VERTEX" source="#v" offset="0"/><p>0 2 3)", "<p>0 2 3",
            "<triangles> has no input of vertices"},
           {R"(semantic="TEXCOORD")", R"(semantic="UV")",
            "the last <input> of <polylist> has a semantic that"}}) {
    SCOPED_TRACE(to);
    expect_refused("bad.dae", with(kColladaScene, from, to), message);
  }
}

TEST_F(Read, ColladaOfReferencesThatLeadNowhereOrToTwo) {
  for (const auto& [from, to, message] : std::vector<Fault>{
           {R"(<instance_geometry url="#strip"/>)", R"(<instance_geometry url="#x"/>)",
            "there is no <geometry> 'x'"},
           {R"(<instance_geometry url="#strip"/>)", R"(<instance_geometry url="b.dae#strip"/>)",
            "the url 'b.dae#strip' of <instance_geometry> is no '#' with an id of this file"},
           {R"(<instance_geometry url="#strip"/>)", "<instance_geometry/>",
            "the url '' of <instance_geometry>"},
           {R"(<instance_geometry url="#strip"/>)", R"(<instance_controller url="#skin"/>)",
            "the mesh has a skin or morph targets, which are not applied"},
           {R"(<geometry id="strip">)", R"(<geometry id="strip"><brep/></geometry><geometry id="other">)",
            "<geometry> 'strip' has no <mesh>: make it one"},
           {R"(<geometry id="strip">)", R"(<geometry id="square">)", "two <geometry> have the id 'square'"},
           {R"(<instance_node url="#top"/>)", R"(<instance_node url="#x"/>)",
            "there is no node 'x' in the scene"},
           {R"(<instance_node url="#top"/>)", R"(<instance_node url="#lid"/>)",
            "has an instance of itself in it"},
           {R"(<instance_node url="#top"/>)", R"(<instance_node url="#s"/>)",
            "has an instance of itself in it"},
           {R"(<node id="top">)", R"(<node id="over"><node id="top"/>)",
            "there is no node 'top' in the scene or"},
           {R"(<node id="top">)", R"(<node id="top"/><node id="top">)", "refers to '#top', which two nodes"},
           {R"(<node id="side">)",
            R"(<node id="side"><instance_node url="#bottom"/></node><node name="bottom">)",
            "refers to '#bottom', which two nodes"},
           {R"(<instance_visual_scene url="#s"/>)", R"(<instance_visual_scene url="#x"/>)",
            "there is no <visual_scene> 'x'"},
           {R"(<instance_visual_scene url="#s"/>)", "", "it has no <scene> with an <instance_visual_scene>"},
           {R"(<library_visual_scenes>)", R"(<library_visual_scenes><visual_scene id="s"/>)",
            "refers to '#s', which two nodes"},
           {R"(<COLLADA )", R"(<COLLADA/><COLLADA )", "it has no <scene>"},
           {R"(source="#p")", R"(source="#x")", "dae:13: there is no <source> 'x'"},
           {R"(source="#p")", R"(source="p")", "the source 'p' of <input> is no '#' with an id"},
           {R"(source="#a")", R"(source="#x")", "there is no <float_array> 'x'"},
           {R"(<source id="q">)", R"(<source id="p">)", "two <source> have the id 'p'"},
           {R"(<float_array id="c")", R"(<float_array id="a")", "two <float_array> have the id 'a'"},
           {R"(source="#v" offset="0"/><p>0 2 3)", R"(source="#w" offset="0"/><p>0 2 3)",
            "there are no <vertices> 'w' before it in its mesh"},
           {"<init_from>a.png</init_from>", "<init_from/>", "<init_from> of an <image> names no file"}}) {
    SCOPED_TRACE(to);
    expect_refused("bad.dae", with(kColladaScene, from, to), message);
  }
  std::string deep;
  for (int k = 0; k < 100'000; ++k) deep += "<e>";
  for (int k = 0; k < 100'000; ++k) deep += "</e>";
  expect_refused("deep.dae", with(kColladaScene, "<technique_common>", deep + "<technique_common>"),
                 "elements lie more than 1100 deep");
}

TEST_F(Read, ColladaOfFramesAndUnitsThatAreNone) {
  const std::string matrix = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1";
  for (const auto& [from, to, message] : std::vector<Fault>{
           {"<scale>1 1 -1", "<scale>1 1", "dae:29: <scale> has 2 numbers, not 3"},
           {"<scale>1 1 -1", "<scale>1 1 1 1", "<scale> has 4 numbers, not 3"},
           {"<scale>1 1 -1", "<scale>1 1 0", "<scale> flattens what is in its node"},
           {"<scale>1 1 -1", "<scale>1 1 nan", "'nan' in <scale> is no finite number"},
           {"<translate>0 0 1", "<translate>0 0 inf", "'inf' in <translate> is no finite number"},
           {"<rotate>1 0 0 90", "<rotate>2 0 0 90", "the axis of <rotate> has the length 2, not 1"},
           {"<rotate>1 0 0 90", "<rotate>1 0 90", "<rotate> has 3 numbers, not 4"},
           {matrix, "1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1", "the last row of <matrix> is not 0 0 0 1"},
           {matrix, "1 0 0 0 0 1 0 0 1 1 0 0 0 0 0 1", "<matrix> flattens what is in its node"},
           {matrix, matrix + " 0", "<matrix> has 17 numbers, not 16"},
           {"<node id=\"camera\"><lookat>", "<node id=\"x\"><instance_node url=\"#top\"/><lookat>",
            "<lookat> of a node with a mesh is not read"},
           {"<node id=\"camera\">", "<node id=\"camera\"><skew>1 0 0 0 1 0 0</skew>", "<skew> is not read"},
           {R"(meter="0.5")", R"(meter=" 0.5")", "its unit is ' 0.5' metres"},
           {R"(meter="0.5")", R"(meter="1e-60")", "its unit is '1e-60' metres"},
           {R"(<geometry id="strip">)", R"(<geometry id="strip"><asset><unit meter="1"/></asset>)",
            "a second unit, of 1 metres beside one of 0.5"},
           {"Z_UP", "UP_Z", "<up_axis> is 'UP_Z', not X_UP, Y_UP or Z_UP"}}) {
    SCOPED_TRACE(to);
    expect_refused("bad.dae", with(kColladaScene, from, to), message);
  }
}

// Assimp gives the second part the faces of the first where only the first was placed with its material
// before.
TEST_F(Read, ColladaOfPartsThatHaveOtherMaterialsElsewhere) {
  const auto placed = [](const std::string& a, const std::string& b) {
    return fmt::format(
        R"(<instance_geometry url="#square"><bind_material><technique_common><instance_material symbol="A" )"
        R"(target="#{}"/><instance_material symbol="B" target="#{}"/></technique_common></bind_material>)"
        "</instance_geometry>",
        a, b);
  };
  const auto scene = [&](const std::string& first, const std::string& second) {
    const std::string place = R"(<instance_geometry url="#square"/>)";
    return with(with(kColladaScene, place, first), place, second);
  };
  for (const auto& [first, second] :
       {std::pair(placed("m", "n"), placed("m", "n")), std::pair(placed("m", "n"), placed("o", "r"))}) {
    const TriangleMesh mesh = read("good.dae", scene(first, second));
    EXPECT_EQ(mesh.triangles.size(), 8U);
    EXPECT_LT((mesh.box_of_faces().max() - Eigen::Vector3d(0.5, 0.5, 0.5)).norm(), 1e-7);
  }
  expect_refused("bad.dae", scene(placed("m", "n"), placed("m", "o")),
                 "<geometry> 'square' has parts that are placed with several materials");
}

// What has no part in a shape at rest is not looked at, whatever it holds.
TEST_F(Read, ColladaOfAnimationsAndControllersThatAreWrong) {
  const std::string animations =
      "<library_animations><animation><sampler id=\"sa\"/></animation></library_animations>";
  const std::string sampler =
      R"(<library_animations><animation id="an"><source id="z"><float_array id="za" count="9">0</float_array>)"
      R"(</source><sampler id="sa"><input semantic="OUTPUT" source="#z"/></sampler><channel source="#sa" )"
      R"(target="top/x"/></animation></library_animations>)";
  const std::string circle =
      R"(<library_controllers><controller id="c"><skin source="#c"/></controller></library_controllers>)";
  for (const std::string& libraries : {sampler, circle, std::string()})
    EXPECT_EQ(read("good.dae", with(kColladaScene, animations, libraries)).triangles.size(), 8U);
}

}  // namespace
}  // namespace abut::preprocess
