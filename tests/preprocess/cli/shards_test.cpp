#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "command_runner.h"
#include "preprocess/mesh/write.h"
#include "tests/support/shapes.h"

// Parts of a dataset that are run apart and killed, and what is said of all of them.
namespace {

using namespace abut::test;

class Shards : public CommandTest {
 protected:
  std::vector<std::string> words(const std::string& shard) const {
    return {preprocess_program(),
            data_.string(),
            out_.string(),
            "--tets",
            "none",
            "--quads",
            "none",
            "--jobs",
            "1",
            "--quiet",
            "--shard",
            shard};
  }
  CommandResult status() const {
    return command({"status", out_.string(), "--json", (folder_ / "merged.json").string()});
  }
  std::vector<std::string> merged() const {
    const nlohmann::json json = nlohmann::json::parse(std::ifstream(folder_ / "merged.json"));
    std::vector<std::string> names;
    for (const auto& object : json["objects"]) names.push_back(object["name"]);
    std::sort(names.begin(), names.end());
    return names;
  }
  std::map<std::string, std::filesystem::file_time_type> made() const {
    std::map<std::string, std::filesystem::file_time_type> times;
    for (const std::string& name : files())
      if (name.ends_with(".h5")) times[name] = std::filesystem::last_write_time(out_ / name);
    return times;
  }
};

TEST_F(Shards, KilledTwiceLoseNothingMakeNothingTwiceAndMergeExactly) {
  std::vector<std::string> names;
  for (int k = 0; k < 12; ++k) {
    names.push_back("ball_" + std::string(1, static_cast<char>('a' + k)));
    write(names.back() + ".obj", sphere(0.05 + 0.001 * k, 4));
  }
  for (int kill = 0; kill < 2; ++kill) {
    const auto before = made();
    const pid_t pid = start(words("1/2"));
    while (made().size() == before.size()) std::this_thread::yield();
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    const auto after = made();
    for (const auto& [name, time] : before) EXPECT_EQ(after.at(name), time) << name << " was made twice";
  }
  const auto killed = made();
  EXPECT_LT(killed.size(), 6U);
  ASSERT_EQ(run(words("1/2")).code, 0);
  EXPECT_EQ(status().code, 1);  // part 2 is missing
  EXPECT_TRUE(contains(status().out, "1 of 2 parts without a manifest")) << status().out;
  ASSERT_EQ(run(words("2/2")).code, 0);
  const auto all = made();
  for (const auto& [name, time] : killed) EXPECT_EQ(all.at(name), time) << name << " was made twice";
  const CommandResult result = status();
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_EQ(merged(), names);
}

TEST_F(Shards, PartsOfOtherListsOfObjectsAreTold) {
  for (const char* name : {"b", "c", "d", "e"}) write(name + std::string(".obj"), sphere(0.05, 2));
  ASSERT_EQ(run(words("1/2")).code, 0);  // b, d
  write("a.obj", sphere(0.05, 2));
  ASSERT_EQ(run(words("2/2")).code, 0);  // b, d again: of a, b, c, d, e
  const CommandResult apart = status();
  EXPECT_EQ(apart.code, 1) << apart.out;
  EXPECT_TRUE(contains(apart.out,
                       "1 of 2 parts made from another list of objects than part 2, the most recent, "
                       "has (5 objects); run again: 1\n"))
      << apart.out;
  ASSERT_EQ(run(words("1/2")).code, 0);
  EXPECT_EQ(status().code, 0) << status().out;
  EXPECT_EQ(merged(), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  const auto now = [&] { return command({"status", out_.string(), "--dataset", data_.string()}); };
  EXPECT_EQ(now().code, 0) << now().out;
  std::filesystem::rename(data_ / "e.obj", data_ / "f.obj");
  EXPECT_EQ(now().code, 1);
  EXPECT_TRUE(contains(now().out, "than " + data_.string() + " has (5 objects); run again: 1, 2\n"))
      << now().out;
}

TEST_F(Shards, PartsMadeWithOtherSettingsAreTold) {
  for (const char* name : {"a", "b", "c"}) write(name + std::string(".obj"), sphere(0.05, 2));
  for (const char* shard : {"1/2", "2/2"}) ASSERT_EQ(run(words(shard)).code, 0);
  EXPECT_EQ(status().code, 0) << status().out;
  std::vector<std::string> scaled = words("2/2");  // b
  scaled.insert(scaled.end(), {"--scale", "0.5"});
  ASSERT_EQ(run(scaled).code, 0);
  const CommandResult mixed = status();
  EXPECT_EQ(mixed.code, 1);
  EXPECT_TRUE(contains(mixed.out,
                       "2 of 3 objects made with other settings or versions than part 2, the most recent; "
                       "run again: 1\n"))
      << mixed.out;
  scaled[scaled.size() - 3] = "1/2";
  scaled.insert(scaled.end(), {"--only", "c"});
  ASSERT_EQ(run(scaled).code, 0);
  EXPECT_TRUE(contains(status().out, "1 of 3 objects made with other settings")) << status().out;
  scaled.resize(scaled.size() - 2);
  ASSERT_EQ(run(scaled).code, 0);
  EXPECT_EQ(status().code, 0) << status().out;
}

TEST_F(Shards, ManifestsWithoutSettingsAreRead) {
  write("a.obj", sphere(0.05, 2));
  write("b.obj", sphere(0.05, 2));
  for (const char* shard : {"1/2", "2/2"}) ASSERT_EQ(run(words(shard)).code, 0);
  const std::filesystem::path file = out_ / "manifests" / "1-of-2.json";
  nlohmann::json old = nlohmann::json::parse(std::ifstream(file));
  for (const char* key : {"settings", "source_state"}) EXPECT_EQ(old["objects"][0].erase(key), 1U) << key;
  std::ofstream(file) << old;
  const CommandResult result = command({"status", out_.string(), "--dataset", data_.string()});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
}

TEST_F(Shards, ChangedFilesOfTheDatasetAreTold) {
  write("a.obj", sphere(0.05, 2));
  write("b.obj", sphere(0.05, 2));
  for (const char* shard : {"1/2", "2/2"}) ASSERT_EQ(run(words(shard)).code, 0);
  const auto now = [&] { return command({"status", out_.string(), "--dataset", data_.string()}); };
  EXPECT_EQ(now().code, 0) << now().out;
  write("b.obj", sphere(0.06, 2));
  EXPECT_EQ(now().code, 1);
  EXPECT_TRUE(
      contains(now().out, "1 of 2 objects made from a file that has changed since (b); run again: 2\n"))
      << now().out;
  ASSERT_EQ(run(words("2/2")).code, 0);
  EXPECT_EQ(now().code, 0) << now().out;
}

TEST_F(Shards, AssetsThatAreGoneAreMissing) {
  for (const char* name : {"a", "b"}) write(name + std::string(".obj"), sphere(0.05, 2));
  ASSERT_EQ(run(words("1/1")).code, 0);
  std::filesystem::remove(asset("a"));
  const CommandResult result = status();
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.out, "        1  missing") && contains(result.out, "run its part again (a)"))
      << result.out;
  const nlohmann::json json = nlohmann::json::parse(std::ifstream(folder_ / "merged.json"));
  EXPECT_EQ(json["objects"][0]["status"], "missing");
}

TEST_F(Shards, FailuresAreCountedByTheirCause) {
  write("ball.obj", sphere(0.05, 2));
  for (const char* name : {"bad_1.obj", "bad_2.obj", "bad_3.obj"}) write(name, "v 0 0 0\nv 1 0 0\nf 1 2 9\n");
  for (const char* shard : {"1/3", "2/3", "3/3"}) run(words(shard));
  const CommandResult result = status();
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.out, "        3  failed")) << result.out;
  EXPECT_TRUE(contains(result.out, "(bad_1)")) << result.out;
  EXPECT_FALSE(contains(result.out, "(bad_2)")) << result.out;
  EXPECT_EQ(merged().size(), 4U);
}

// Parts are of the dataset, not of what --only selects, and what is known of their other objects stays.
TEST_F(Shards, OnlySomeObjectsOfAPart) {
  for (const char* name : {"a", "b", "c"}) write(name + std::string(".obj"), sphere(0.05, 2));
  write("d.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n");
  for (const char* shard : {"1/2", "2/2"}) run(words(shard));
  const auto only = [&](const char* shard, const char* name) {
    std::vector<std::string> selected = words(shard);
    selected.insert(selected.end(), {"--only", name});
    return run(selected).code;
  };
  EXPECT_EQ(only("2/2", "b"), 0);
  EXPECT_EQ(only("2/2", "c"), 0);  // of part 1
  EXPECT_EQ(only("2/2", "e"), 2);
  EXPECT_EQ(status().code, 1);
  EXPECT_TRUE(contains(status().out, "        1  failed")) << status().out;
  EXPECT_EQ(merged(), (std::vector<std::string>{"a", "b", "c", "d"}));
  write("d.obj", sphere(0.05, 2));
  EXPECT_EQ(only("2/2", "d"), 0);
  EXPECT_EQ(status().code, 0) << status().out;
  EXPECT_EQ(merged(), (std::vector<std::string>{"a", "b", "c", "d"}));
}

// The others of the part are left to be made, of whichever there was no word.
TEST_F(Shards, OnlyOneObjectFirstLeavesTheOthersToBeMade) {
  for (const char* name : {"a", "b"}) write(name + std::string(".obj"), sphere(0.05, 2));
  std::vector<std::string> selected = words("1/1");
  selected.insert(selected.end(), {"--only", "a"});
  EXPECT_EQ(run(selected).code, 0);
  EXPECT_EQ(status().code, 1) << status().out;
  EXPECT_EQ(merged(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(run(words("1/1")).code, 0);
  EXPECT_EQ(status().code, 0) << status().out;
}

// What a part of another number of parts keeps of objects that it does not make is no more recent than it
// was.
TEST_F(Shards, EntriesKeepTheirTimesBesidePartsOfOtherNumbers) {
  write("a.obj", sphere(0.05, 2));
  write("b.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n");
  EXPECT_EQ(run(words("1/1")).code, 1);
  write("b.obj", sphere(0.05, 2));
  for (const char* shard : {"1/2", "2/2"}) ASSERT_EQ(run(words(shard)).code, 0);
  std::vector<std::string> selected = words("1/1");
  selected.insert(selected.end(), {"--only", "a"});
  ASSERT_EQ(run(selected).code, 0);  // keeps the failure of b
  EXPECT_EQ(status().code, 0) << status().out;
  std::filesystem::remove(out_ / "manifests" / "1-of-1.json");
  ASSERT_EQ(run(selected).code, 0);  // knows nothing of b
  EXPECT_EQ(status().code, 0) << status().out;
  EXPECT_EQ(merged(), (std::vector<std::string>{"a", "b"}));
}

// A run that is killed leaves no word of the one before on what it was to make.
TEST_F(Shards, KilledRunsOfAPartLeaveNoManifestOfTheirObjects) {
  write("a.obj", sphere(0.05, 2));
  write("b.obj", sphere(0.05, 5));
  ASSERT_EQ(run(words("1/1")).code, 0);
  const auto killed = [&](const std::vector<std::string>& more) {
    std::vector<std::string> again = words("1/1");
    again.insert(again.end(), more.begin(), more.end());
    const pid_t pid = start(again);
    while (children_of(pid).empty()) std::this_thread::yield();
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return status();
  };
  const CommandResult some = killed({"--force", "--only", "b"});
  EXPECT_EQ(some.code, 1) << some.out;
  EXPECT_TRUE(contains(some.out, "        1  interrupted") && contains(some.out, "        1  ok"))
      << some.out;
  EXPECT_EQ(killed({"--force"}).code, 2);
  EXPECT_EQ(run(words("1/1")).code, 0);
  EXPECT_EQ(status().code, 0);
}

TEST_F(Shards, LinksToElsewhereAreOfTheirDataset) {
  abut::preprocess::write_mesh(sphere(0.05, 2), folder_ / "kept.obj");
  std::filesystem::create_symlink(folder_ / "kept.obj", data_ / "ball.obj");
  for (int again = 0; again < 2; ++again) EXPECT_EQ(run(words("1/1")).code, 0);
  std::filesystem::create_directory_symlink(data_, folder_ / "other_name");
  std::vector<std::string> by_link = words("1/1");
  std::replace(by_link.begin(), by_link.end(), data_.string(), (folder_ / "other_name").string());
  EXPECT_EQ(run(by_link).code, 0);
}

TEST_F(Shards, AnotherDatasetsPartIsNotForgotten) {
  write("bad.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n");
  EXPECT_EQ(run(words("1/1")).code, 1);
  EXPECT_EQ(status().code, 1);
  const std::filesystem::path other = folder_ / "other", moved = folder_ / "moved";
  std::filesystem::create_directory(other);
  abut::preprocess::write_mesh(sphere(0.05, 2), other / "ball.obj");
  std::vector<std::string> second = words("1/1");
  std::replace(second.begin(), second.end(), data_.string(), other.string());
  const CommandResult refused = run(second);
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "1-of-1.json is of another dataset")) << refused.err;
  EXPECT_EQ(status().code, 1);
  EXPECT_EQ(merged(), std::vector<std::string>{"bad"});
  std::filesystem::rename(data_, moved);  // nothing of it is left there
  EXPECT_EQ(run(second).code, 0);
  std::filesystem::rename(moved, data_);
}

TEST_F(Shards, ForgedManifestsAreRefusedOrPassedOver) {
  write("ball.obj", sphere(0.05, 2));
  ASSERT_EQ(run(words("1/1")).code, 0);
  const std::filesystem::path manifests = out_ / "manifests";
  std::filesystem::create_symlink("loop.json", manifests / "loop.json");
  EXPECT_EQ(status().code, 0);
  for (const char* name : {"1-of-18446744073709551615", "1-of-300000000", "3-of-2", "0-of-2"}) {
    const std::filesystem::path file = manifests / (name + std::string(".json"));
    std::ofstream(file) << "{\"objects\":[]}";
    const CommandResult result = status();
    EXPECT_EQ(result.code, 2) << name;
    EXPECT_TRUE(contains(result.err, "not the name of a part's manifest")) << result.err;
    std::filesystem::remove(file);
  }
}

TEST_F(Shards, MemoryOfOneObjectIsLimited) {
#ifdef ABUT_SANITIZED
  GTEST_SKIP() << "sanitizers reserve more address space than any limit";
#endif
  write("ball.obj", sphere(0.05, 7));
  write("small.obj", sphere(0.05, 2));
  std::vector<std::string> limited = words("1/1");
  limited.insert(limited.end(), {"--memory", "64MiB"});
  const CommandResult result = run(limited);
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_TRUE(contains(result.err, "ball.obj: out of memory in stage")) << result.err;
  EXPECT_TRUE(contains(status().out, "        1  ok")) << status().out;
}

TEST_F(Shards, MorePartsThanObjectsAndDamagedManifests) {
  write("ball.obj", sphere(0.05, 2));
  EXPECT_EQ(run(words("3/3")).code, 0);
  for (const char* shard : {"0/2", "3/2", "1", "1/", "/2", "a/b", "1/2/3", "-1/2", "1/99999999999999999999"})
    EXPECT_EQ(run(words(shard)).code, 2) << shard;
  constexpr int kNested = 200'000;
  const std::string deep = std::string(kNested, '[') + std::string(kNested, ']');
  for (const std::string& object :
       {std::string("{}"), R"({"name": "a", "status": "ok", "x": )" + deep + "}"}) {
    std::ofstream(out_ / "manifests" / "1-of-3.json") << "{\"objects\": [" << object << "]}";
    const CommandResult result =
        command({"status", out_.string(), "--json", (folder_ / "all.json").string()});
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_TRUE(contains(result.err, "1-of-3.json: not a manifest, or damaged")) << result.err;
  }
  EXPECT_EQ(command({"status", data_.string()}).code, 2);
}

}  // namespace
