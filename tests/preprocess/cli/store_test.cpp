#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "command_runner.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "tests/support/shapes.h"

// Assets that other runs have made of the same meshes.
namespace {

using namespace abut::test;
namespace fs = std::filesystem;

class Store : public CommandTest {
 protected:
  // Runs on a folder of meshes with the store. How many objects came from it; fails where one was not made.
  std::size_t taken(const fs::path& data, const fs::path& out, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{data.string(), out.string(), "--store", store_.string(), "--tets",
                                   "none",        "--quads",    "none",    "--json",        json_.string()};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = command(words);
    EXPECT_EQ(result.code, 0) << result.err;
    run_ = nlohmann::json::parse(std::ifstream(json_));
    std::size_t count = 0;
    for (const auto& object : run_.at("objects")) {
      EXPECT_EQ(object.at("status"), "ok") << object.dump();
      count += object.at("from_store").get<bool>() ? 1 : 0;
    }
    return count;
  }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(store_))
      if (entry.path().extension() == ".h5") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  }

  // Of the last run's first object.
  std::string warnings() const { return run_.at("objects").at(0).at("warnings").dump(); }

  // Of one ball, made and kept.
  fs::path one_entry() {
    write("ball.obj", sphere(0.05, 2));
    EXPECT_EQ(taken(data_, out_), 0u);
    return entries().front();
  }

  fs::path store_ = folder_ / "store", json_ = folder_ / "run.json";
  nlohmann::json run_;
};

TEST_F(Store, ASecondDatasetTakesWhatTheFirstMade) {
  write("ball.obj", sphere(0.05, 2));
  write("box.obj", box(0.1, 0.08, 0.06));
  EXPECT_EQ(taken(data_, out_), 0u);
  EXPECT_EQ(entries().size(), 2u);
  const fs::path data = folder_ / "other", out = folder_ / "other_out";
  fs::create_directories(data);
  fs::copy_file(data_ / "ball.obj", data / "globe.obj");
  fs::copy_file(data_ / "box.obj", data / "box.obj");
  EXPECT_EQ(taken(data, out), 2u);
  const abut::asset::Asset made = abut::asset::load(out_ / "ball.h5"),
                           found = abut::asset::load(out / "globe.h5");
  EXPECT_EQ(found.name, "globe");
  EXPECT_EQ(found.provenance.source_file, (data / "globe.obj").string());
  EXPECT_EQ(found.surfaces.front().vertices, made.surfaces.front().vertices);
  EXPECT_EQ(command({"verify", (out / "globe.h5").string()}).code, 0);
  EXPECT_NE(command({data.string(), (folder_ / "third").string(), "--store", store_.string(), "--tets",
                     "none", "--quads", "none"})
                .out.find("0 made, 2 from the store, 0 up to date, 0 failed"),
            std::string::npos);
}

// As of a mesh in millimetres.
TEST_F(Store, WarningsNameTheFileAtHand) {
  write("ball.obj", sphere(50, 2));
  EXPECT_EQ(taken(data_, out_), 0u);
  const fs::path data = folder_ / "other", out = folder_ / "other_out";
  fs::create_directories(data);
  fs::copy_file(data_ / "ball.obj", data / "globe.obj");
  EXPECT_EQ(taken(data, out), 1u);
  const auto warnings = abut::asset::load(out / "globe.h5").provenance.warnings;
  ASSERT_FALSE(warnings.empty());
  EXPECT_TRUE(warnings.front().starts_with((data / "globe.obj").string() + ": the object measures"))
      << warnings.front();
}

TEST_F(Store, TwinsAreMadeOnce) {
  for (const char* name : {"a.obj", "b.obj", "c.obj"}) write(name, sphere(0.05, 3));
  EXPECT_EQ(taken(data_, out_, {"--jobs", "3"}), 2u);
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(Store, WhatDiffersIsMade) {
  write("ball.obj", sphere(0.05, 2));
  EXPECT_EQ(taken(data_, out_), 0u);
  EXPECT_EQ(taken(data_, folder_ / "scaled", {"--scale", "0.5"}), 0u);
  EXPECT_EQ(taken(data_, folder_ / "spheres", {"--spheres", "4"}), 0u);
  EXPECT_EQ(taken(data_, folder_ / "again", {"--force"}), 0u);
  write("ball.obj", sphere(0.06, 2));
  EXPECT_EQ(taken(data_, folder_ / "changed"), 0u);
  EXPECT_EQ(taken(data_, folder_ / "same"), 1u);
}

// Nor is what stands under another's digest, or is not whole.
TEST_F(Store, DamagedAndForgedEntriesAreMadeAnew) {
  write("ball.obj", sphere(0.05, 2));
  EXPECT_EQ(taken(data_, out_), 0u);
  const fs::path entry = entries().front();
  fs::resize_file(entry, fs::file_size(entry) - 1);
  EXPECT_EQ(taken(data_, folder_ / "after_damage"), 0u);
  EXPECT_EQ(taken(data_, folder_ / "mended"), 1u);
  EXPECT_EQ(taken(data_, folder_ / "scaled", {"--scale", "0.5"}), 0u);
  for (const fs::path& other : entries())
    if (other != entry) fs::copy_file(other, entry, fs::copy_options::overwrite_existing);
  EXPECT_EQ(taken(data_, folder_ / "after_forgery"), 0u);
}

TEST_F(Store, WhatIsNoFileIsPassedByAndReplacedWhereItCanBe) {
  const fs::path entry = one_entry();
  const std::map<std::string, std::function<void()>> others{
      {"pipe", [&] { ASSERT_EQ(::mkfifo(entry.c_str(), 0666), 0); }},
      {"link to nowhere", [&] { fs::create_symlink(folder_ / "nowhere" / "x", entry); }},
      {"link to itself", [&] { fs::create_symlink(entry.filename(), entry); }}};
  for (const auto& [what, make] : others) {
    SCOPED_TRACE(what);
    fs::remove(entry);
    make();
    EXPECT_EQ(taken(data_, folder_ / what), 0u);
    EXPECT_TRUE(contains(warnings(), entry.string() + ": is no file; not taken")) << warnings();
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(entry)));
    EXPECT_EQ(taken(data_, folder_ / (what + ", again")), 1u);
  }
}

// As where the store is full: what is made is whole.
TEST_F(Store, WhatCannotBeKeptIsMade) {
  const fs::path entry = one_entry();
  fs::remove(entry);
  fs::create_directories(entry / "something");
  EXPECT_EQ(taken(data_, folder_ / "folder"), 0u);
  EXPECT_TRUE(contains(warnings(), entry.string() + ": cannot write: it is a folder; not kept"))
      << warnings();
  EXPECT_EQ(command({"verify", (folder_ / "folder" / "ball.h5").string()}).code, 0);
  EXPECT_TRUE(fs::exists(entry / "something"));
}

TEST_F(Store, WritesThroughNoLink) {
  const fs::path entry = one_entry(), precious = folder_ / "precious";
  std::ofstream(precious) << "precious";
  fs::permissions(precious, fs::perms::owner_read | fs::perms::owner_write);
  fs::remove(entry);
  fs::create_symlink(precious, entry);
  EXPECT_EQ(taken(data_, folder_ / "linked"), 0u);
  EXPECT_EQ(fs::file_size(precious), 8u);
  EXPECT_EQ(fs::status(precious).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(entry)));
}

TEST_F(Store, EntriesAreAsReadableAsAssets) {
  const fs::path entry = one_entry();
  EXPECT_EQ(fs::status(entry).permissions(), fs::status(out_ / "ball.h5").permissions());
}

// As in a store of somebody else's. A folder in the place of the lock stands for a lack of permission, which
// the superuser never has.
TEST_F(Store, WhatCannotBeWrittenIsReadOnly) {
  const fs::path entry = one_entry();
  fs::remove(store_ / ".abut-preprocess.lock");
  fs::create_directories(store_ / ".abut-preprocess.lock");
  write("box.obj", box(0.1, 0.08, 0.06));
  EXPECT_EQ(taken(data_, folder_ / "read_only"), 1u);
  ASSERT_EQ(run_.at("notes").size(), 1u);
  EXPECT_TRUE(contains(run_.at("notes").dump(), "What this one has is taken, and nothing is kept in it"));
  EXPECT_EQ(entries(), std::vector<fs::path>{entry});
}

TEST_F(Store, EntriesOfOtherVersionsAndWithOtherContentAreMadeAnew) {
  const fs::path entry = one_entry();
  abut::asset::Asset asset = abut::asset::load(entry);
  asset.provenance.versions.begin()->second += ".0";
  abut::asset::save(asset, entry);
  EXPECT_EQ(taken(data_, folder_ / "other_version"), 0u);
  EXPECT_TRUE(contains(warnings(), "is of something else than its name says: the version of")) << warnings();
  std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(fs::file_size(entry) / 2));
  file << "other geometry";
  file.close();
  EXPECT_EQ(taken(data_, folder_ / "other_content"), 0u);
  EXPECT_TRUE(contains(warnings(), "do not match the digest")) << warnings();
  EXPECT_EQ(taken(data_, folder_ / "mended"), 1u);
}

TEST_F(Store, TimesAreThoseOfTheRun) {
  one_entry();
  EXPECT_FALSE(run_.at("objects").at(0).at("stages").empty());
  EXPECT_EQ(taken(data_, folder_ / "again"), 1u);
  EXPECT_TRUE(run_.at("objects").at(0).at("stages").empty());
}

TEST_F(Store, IsAFolderOfItsOwn) {
  write("ball.obj", sphere(0.05, 2));
  const CommandResult same = command({data_.string(), out_.string(), "--store", out_.string()});
  EXPECT_EQ(same.code, 2);
  EXPECT_TRUE(contains(same.err, "is OUT; give --store a folder of its own")) << same.err;
  const CommandResult file =
      command({data_.string(), out_.string(), "--store", (data_ / "ball.obj").string()});
  EXPECT_EQ(file.code, 2);
  EXPECT_TRUE(contains(file.err, "cannot make this folder")) << file.err;
}

}  // namespace
