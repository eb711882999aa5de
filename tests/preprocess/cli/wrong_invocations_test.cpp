#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <sstream>

#include "command_runner.h"
#include "tests/support/shapes.h"

// Wrong invocations of each command: one line on standard error that says what is wrong, nothing on standard
// output, the right exit status.
namespace {

using namespace abut::test;

struct Wrong {
  const char*
      words;  // {data}: a mesh; {out}: its asset; {text}: no asset; {none}: not there; {pipe}; {bad}: damaged
  const char* says;
  int code = 2;
};

const Wrong kPreprocess[] = {
    {"", "DATASET and OUT are required"},
    {"{data}", "DATASET and OUT are required"},
    {"{none} {new}", "{none}"},
    {"{text} {new}", "{text}"},
    {"{pipe} {new}", "{pipe}"},
    {"{empty} {new}", "{empty}"},
    {"{data} {text}", "{text}: cannot make this folder"},
    {"{data} {text}/in", "{text}/in"},
    {"{data} {new} --jobs -1", "a whole number from 0"},
    {"{data} {new} --jobs many", "many"},
    {"{data} {new} --only nobody", "none of which matches 'nobody'"},
    {"{data} {new} --tets few", "'few'"},
    {"{data} {new} --tets 3", "'3'"},
    {"{data} {new} --quads 0", "number of quads '0'"},
    {"{data} {new} --quads 100 --edge-length 0.01", "excludes"},
    {"{data} {new} --grid -1", "--grid"},
    {"{data} {new} --scale 0", "positive"},
    {"{data} {new} --scale nan", "positive"},
    {"{data} {new} --layout moon", "moon"},
    {"{data} {new} --timeout 0", "positive"},
    {"{data} {new} --max-tunnel 2", "from 0 to 1"},
    {"{data} {new} --json {empty}", "{empty}"},
    {"{data} {new} --json {none}/run.json", "{none}/run.json"},
    {"{data} {new} --json {data}/ball.obj", "ball.obj"},
    {"{data} {new} --wings", "--wings"},
    {"{data} {new} more", "more"},
};

const Wrong kInspect[] = {
    {"inspect", "ASSET is required"},
    {"inspect {none}", "{none}"},
    {"inspect {empty}", "{empty}"},
    {"inspect {text}", "{text}"},
    {"inspect {bad}", "{bad}"},
    {"inspect {pipe}", "{pipe}"},
    {"inspect /dev/null", "/dev/null"},
    {"inspect {data}/ball.obj", "ball.obj"},
    {"inspect {asset} {asset}", "{asset}"},
    {"inspect {asset} --png", "--png"},
    {"inspect {asset} --png {empty}", "{empty}"},
    {"inspect {asset} --png {none}/x.png", "{none}/x.png"},
    {"inspect {asset} --png {asset}", "{asset}"},
    {"inspect {asset} --png {text}/x.png", "{text}/x.png"},
    {"inspect {asset} --png /proc/x.png", "/proc/x.png"},
    {"inspect {asset} --png a.png --png b.png", "--png"},
    {"inspect {asset} --wings", "--wings"},
    {"inspect --asset {asset}", "--asset"},
    {"inspect {asset}/in", "{asset}/in"},
    {"inspect {asset}.old", "{asset}.old"},
};

const Wrong kVerify[] = {
    {"verify", "ASSET is required"},
    {"verify {none}", "{none}", 1},
    {"verify {empty}", "{empty}", 1},
    {"verify {text}", "{text}", 1},
    {"verify {bad}", "{bad}", 1},
    {"verify {pipe}", "{pipe}", 1},
    {"verify /dev/null", "/dev/null", 1},
    {"verify {data}/ball.obj", "ball.obj", 1},
    {"verify {asset}/in", "{asset}/in", 1},
    {"verify {asset}.old", "{asset}.old", 1},
    {"verify {out}", "{out}", 1},
    {"verify --wings {asset}", "--wings"},
    {"verify --png x {asset}", "--png"},
    {"verify -x", "ASSET is required"},
    {"verify {data}", "{data}", 1},
    {"verify /", "/", 1},
    {"verify /dev/zero", "/dev/zero", 1},
    {"verify /proc/self/mem", "/proc/self/mem", 1},
    {"verify .", ".", 1},
    {"verify {none}.h5", "{none}.h5", 1},
};

const Wrong kExport[] = {
    {"export", "is required"},
    {"export {asset}", "--out is required"},
    {"export --out {new}", "SOURCE is required"},
    {"export {none} --out x.obj", "{none}"},
    {"export {asset} --out {new}", "cannot write format"},
    {"export {asset} --out x.docx", "known: .obj"},
    {"export {asset} --part soul --out x.obj", "use one of surface"},
    {"export {asset} --part surface:7 --out x.obj", "its levels are 0 to 0"},
    {"export {asset} --part surface: --out x.obj", "surface:"},
    {"export {asset} --part volume --out x.vtk", "the asset has no volume"},
    {"export {asset} --part points --out x.obj", "the asset has no points"},
    {"export {out} --part surface --out x.obj", "--to exports all assets"},
    {"export {asset} --out {asset}", "{asset}"},
    {"export {out} --to moon --out {new}", "use one of mujoco"},
    {"export {out} --to mujoco --part hull --out {new}", "excludes"},
    {"export {empty} --to urdf --out {new}", "there is no asset"},
    {"export {out} --to urdf --out {text}", "choose another folder"},
    {"export {out} --to urdf --out {data}", "they are no export"},
    {"export {asset} --density 5 --out x.obj", "--to"},
    {"export {out} --to urdf --density 0 --out {new}", "from 1e-12"},
    {"export {out} --to urdf --mass -1 --out {new}", "from 1e-12"},
    {"export {out} --to urdf --mass 1 --density 1 --out {new}", "excludes"},
    {"export {out} --to urdf --material cheese --out {new}", "use one of abs"},
    {"export {out} --to urdf --table {none} --out {new}", "{none}"},
    {"export {out} --to urdf --table {text} --out {new}", "line 1"},
    {"export {out} --to drake --modulus nan --out {new}", "from 1e-12"},
    {"export {out} --to drake --out {new}", "the asset has no volume", 1},
    {"export {bad} --to urdf --out {new}", "{bad}", 1},
    {"export {none} --to urdf --out {new}", "{none}", 1},
};

const Wrong kReport[] = {
    {"report", "SOURCE is required"},
    {"report {none}", "{none}", 1},
    {"report {empty}", "there is no asset"},
    {"report {data}", "there is no asset"},
    {"report {text} --out {new}", "{text}", 1},
    {"report {bad} --out {new}", "{bad}", 1},
    {"report {pipe} --out {new}", "{pipe}", 1},
    {"report /dev/null --out {new}", "/dev/null", 1},
    {"report {asset} --out {text}", "{text}"},
    {"report {asset} --out {text}/in", "{text}/in"},
    {"report {asset} --out", "--out"},
    {"report {asset} --out /proc", "/proc"},
    {"report {asset} --wings", "--wings"},
    {"report {asset} {asset}", "{asset}"},
    {"report {asset}/in --out {new}", "{asset}/in", 1},
    {"report {asset}.old --out {new}", "{asset}.old", 1},
    {"report {data}/ball.obj --out {new}", "ball.obj", 1},
    {"report {out} --to urdf", "--to"},
    {"report {out} --out {new} --out {new}", "--out"},
    {"report --out {new}", "SOURCE is required"},
};

const Wrong kImport[] = {
    {"import-volume", "is required"},
    {"import-volume {text}", "--out is required"},
    {"import-volume --out {new}", "FILE is required"},
    {"import-volume {none} --out {new}", "{none}"},
    {"import-volume {none}.vtk --out {new}", "{none}.vtk"},
    {"import-volume {empty} --out {new}", "{empty}"},
    {"import-volume {pipe} --out {new}", "{pipe}"},
    {"import-volume {text} --out {new}", "{text}"},
    {"import-volume {vtk} --out {new}", "{vtk}"},
    {"import-volume {data}/ball.obj --out {new}", "ball.obj"},
    {"import-volume {asset} --out {new}", "{asset}"},
    {"import-volume /dev/null --out {new}", "/dev/null"},
    {"import-volume {vtk} --out {text}", "{text}"},
    {"import-volume {vtk} --out {text}/in", "{text}"},
    {"import-volume {vtk} --out /proc", "/proc"},
    {"import-volume {vtk} --out", "--out"},
    {"import-volume {vtk} {vtk} --out {new}", "{vtk}"},
    {"import-volume {vtk} --out {new} --wings", "--wings"},
    {"import-volume {vtk} --out {new} --modulus 1", "--modulus"},
    {"import-volume {vtk}/in --out {new}", "{vtk}/in"},
};

const Wrong kStatus[] = {
    {"status", "OUT is required"},
    {"status {none}", "no manifest of a part"},
    {"status {out}", "runs with --shard I/N write them"},
    {"status {empty}", "no manifest of a part"},
    {"status {text}", "no manifest of a part"},
    {"status {pipe}", "no manifest of a part"},
    {"status {asset}", "no manifest of a part"},
    {"status /dev/null", "no manifest of a part"},
    {"status {out} --json", "--json"},
    {"status {out} --json {empty}", "no manifest of a part"},
    {"status {out} {out}", "{out}"},
    {"status {out} --shard 1/2", "--shard"},
    {"status {out} --wings", "--wings"},
    {"status --json x", "OUT is required"},
    {"{data} {new} --shard", "--shard"},
    {"{data} {new} --shard 3/2", "I from 1 to N"},
    {"{data} {new} --shard 0/2", "I from 1 to N"},
    {"{data} {new} --shard 1", "I/N"},
    {"{data} {new} --shard a/b", "I/N"},
    {"{data} {new} --shard 1/2 --only nobody", "none of which matches"},
};

const Wrong kSynthetic[] = {
    {"synthetic", "OUT is required"},
    {"synthetic {text}", "{text}"},
    {"synthetic {text}/in", "{text}/in"},
    {"synthetic {pipe}", "{pipe}"},
    {"synthetic /proc", "/proc"},
    {"synthetic /proc/x", "/proc/x"},
    {"synthetic /dev/null", "/dev/null"},
    {"synthetic {new} more", "more"},
    {"synthetic {new} --wings", "--wings"},
    {"synthetic {new} --dirty --dirtier", "--dirtier"},
    {"synthetic --dirty", "OUT is required"},
    {"synthetic {new} --seed 1", "--seed"},
    {"synthetic {new} --jobs 2", "--jobs"},
    {"synthetic {asset}", "{asset}"},
    {"synthetic {asset}/in", "{asset}/in"},
    {"synthetic {data}/ball.obj", "ball.obj"},
    {"synthetic -x {new}", "-x"},
    {"synthetic {new} --out {new}", "--out"},
    {"synthetic {new} synthetic", "synthetic"},
    {"synthetic {bad}", "{bad}"},
};

const Wrong kQuery[] = {
    {"", "ASSETS is required"},
    {"{out}", "POSES is required"},
    {"{none} {poses}", "not a folder of assets"},
    {"{text} {poses}", "not a folder of assets"},
    {"{empty} {poses}", "no asset 'ball'"},
    {"{out} {none}", "{none}"},
    {"{out} {empty}", "it is a folder"},
    {"{out} {pipe}", "it is a pipe"},
    {"{out} {text}", "no column 'objA'"},
    {"{out} {poses} --what soul", "choose one of"},
    {"{out} {poses} --what wrench --model moon", "knows point"},
    {"{out} {poses} --jobs -1", "a whole number from 0"},
    {"{out} {poses} --jobs many", "a whole number from 0"},
    {"{out} {poses} --out {empty}", "it is a folder"},
    {"{out} {poses} --out {none}/x", "make its folder first"},
    {"{out} {poses} --out {poses}", "it is what is read"},
    {"{out} {poses} --wings", "--wings"},
    {"{out} {poses} more", "more"},
    {"{out} {poses} --what wrench --model pressure_field", "preprocess the object again with --tets"},
    {"{out} {poses} --what derivative --rings 0", "at least 1"},
    {"{out} {poses} --stiffness 5", "no setting 'stiffness'"},
    {"{out} {poses} --surfaces x", "goes with --what wrench"},
    {"{out} {poses} --what ssdf", "no column 'obj'"},
};

const Wrong kSim[] = {
    {"", "SCENE is required"},
    {"{none}", "{none}"},
    {"{empty}", "it is a folder"},
    {"{pipe}", "it is a pipe"},
    {"{text}", "no entry of a scene"},
    {"/dev/null", "it is a device"},
    {"{scene} --dt 0", "not a time step"},
    {"{scene} --dt nan", "not a time step"},
    {"{scene} --steps -1", "not a whole number of steps"},
    {"{scene} --model moon", "moon not in"},
    {"{scene} --integrator moon", "moon not in"},
    {"{scene} --solver moon", "moon not in"},
    {"{scene} --control {none}", "{none}"},
    {"{scene} --joint-control {text}", "{text}"},
    {"{scene} --out {empty}", "it is a folder"},
    {"{scene} --continue", "--continue"},
    {"{scene} --page {empty}", "it is a folder"},
    {"{scene} --every 0", "not a time"},
    {"{scene} --stats {empty}", "it is a folder"},
    {"{scene} --jobs -1", "a whole number from 0"},
    {"{scene} --wings", "--wings"},
    {"{scene} more", "more"},
    {"{scene} --out {scene}", "it is what is read"},
};

class WrongInvocations : public CommandTest {
 protected:
  void SetUp() override {
    write("ball.obj", sphere(0.05, 2));
    ASSERT_EQ(make().code, 0);
    const auto file = [&](const char* name, const std::string& text) {
      std::ofstream(folder_ / name) << text;
      return (folder_ / name).string();
    };
    std::ostringstream bytes;
    bytes << std::ifstream(asset("ball"), std::ios::binary).rdbuf();
    std::string damaged = bytes.str();
    damaged[damaged.size() / 2] ^= 1;
    std::filesystem::create_directory(folder_ / "empty");
    ::mkfifo((folder_ / "pipe").c_str(), 0600);
    places_ = {{"{data}", data_.string()},
               {"{out}", out_.string()},
               {"{asset}", asset("ball")},
               {"{text}", file("text", "once upon a time\n")},
               {"{vtk}", file("once.vtk", "# vtk DataFile Version 3.0\nonce\nASCII\nDATASET POLYDATA\n")},
               {"{poses}", file("poses.csv", "objA,objB,qw,qx,qy,qz,tx,ty,tz\nball,ball,1,0,0,0,0,0,1\n")},
               {"{scene}",
                file("fall.scn",
                     "duration 0.01\nbody a 1 1 1 1 0 0 0 1 0 0 0 0 0 0 0 0 0 1\nsphere 1 0 0 0 1 0 0 0\n")},
               {"{bad}", file("bad.h5", damaged)},
               {"{none}", (folder_ / "none").string()},
               {"{new}", (folder_ / "new").string()},
               {"{empty}", (folder_ / "empty").string()},
               {"{pipe}", (folder_ / "pipe").string()}};
  }

  std::string filled(std::string text) const {
    for (const auto& [name, place] : places_)
      for (std::size_t at = 0; (at = text.find(name)) != std::string::npos;)
        text.replace(at, name.size(), place);
    return text;
  }

  void expect_told(std::span<const Wrong> rows, const std::string& program = preprocess_program()) const {
    const std::string start = std::filesystem::path(program).filename().string() + ": error: ";
    EXPECT_GE(rows.size(), 20U);
    for (const Wrong& row : rows) {
      std::istringstream words(row.words);
      std::vector<std::string> arguments{program};
      for (std::string word; words >> word;) arguments.push_back(filled(word));
      const CommandResult result = run(arguments);
      EXPECT_EQ(result.code, row.code) << row.words << "\n" << result.err;
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << row.words << "\n" << result.err;
      EXPECT_TRUE(result.err.starts_with(start)) << row.words << "\n" << result.err;
      EXPECT_TRUE(contains(result.err, filled(row.says))) << row.words << "\n" << result.err;
      std::filesystem::remove_all(folder_ / "new");
    }
  }

  std::map<std::string, std::string> places_;
};

TEST_F(WrongInvocations, OfMaking) { expect_told(kPreprocess); }
TEST_F(WrongInvocations, OfInspect) { expect_told(kInspect); }
TEST_F(WrongInvocations, OfVerify) { expect_told(kVerify); }
TEST_F(WrongInvocations, OfExport) { expect_told(kExport); }
TEST_F(WrongInvocations, OfReport) { expect_told(kReport); }
TEST_F(WrongInvocations, OfImport) { expect_told(kImport); }
TEST_F(WrongInvocations, OfQuery) { expect_told(kQuery, ABUT_QUERY_PROGRAM); }
TEST_F(WrongInvocations, OfSim) { expect_told(kSim, ABUT_SIM_PROGRAM); }
TEST_F(WrongInvocations, OfStatus) { expect_told(kStatus); }
TEST_F(WrongInvocations, OfSynthetic) { expect_told(kSynthetic); }

}  // namespace
