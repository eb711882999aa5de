#include "runtime/cli/pose_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "runtime/core/error.h"

namespace {

using abut::cli::PoseFile;
using abut::cli::PoseRow;

class PoseFileTest : public testing::Test {
 protected:
  PoseFileTest()
      : path(std::filesystem::temp_directory_path() / ("abut_poses_" + std::to_string(::getpid()) + ".csv")) {
  }
  ~PoseFileTest() override { std::filesystem::remove(path); }

  void write(const std::string& text) const { std::ofstream(path, std::ios::binary) << text; }

  // The message of the error that reading everything ends in; empty if it ends well.
  std::string error(const std::string& text) const {
    write(text);
    try {
      PoseFile file(path.string());
      PoseRow row;
      while (file.next(row)) {
      }
    } catch (const abut::Error& e) {
      return e.what();
    }
    return "";
  }

  std::filesystem::path path;
  const std::string header = "idx,objA,objB,qw,qx,qy,qz,tx,ty,tz\n";
};

// Many short lines within one quote: read once, not once more for each line.
TEST_F(PoseFileTest, AQuoteThatDoesNotEndIsRefusedInTime) {
  std::string text = header + "\"0";
  text.append(500'000, '\n');
  EXPECT_NE(error(text).find(":2: a quoted field that does not end; close its quote"), std::string::npos);
  write(header + "\"a\nb\"\"c\n\",x,y,1,0,0,0,0,0,0\n");
  PoseFile file(path.string());
  PoseRow row;
  ASSERT_TRUE(file.next(row));
  EXPECT_EQ(row.idx, "a\nb\"c\n");
}

TEST_F(PoseFileTest, ReadsColumnsByNameInAnyOrder) {
  write(
      "tz,extra,objB,objA,qw,qx,qy,qz,tx,ty\r\n0.3,x,b,a , "
      "1,0,0,0,+0.1,2e-1\r\n\r\n-1,y,d,c,0,1,0,0,nan,inf\n");
  PoseFile file(path.string());
  PoseRow row;
  ASSERT_TRUE(file.next(row));
  EXPECT_EQ(row.objA, "a");
  EXPECT_EQ(row.objB, "b");
  EXPECT_EQ(row.idx, "0");
  EXPECT_EQ(row.quaternion, (std::array<double, 4>{1, 0, 0, 0}));
  EXPECT_EQ(row.translation, (std::array<double, 3>{0.1, 0.2, 0.3}));
  ASSERT_TRUE(file.next(row));
  EXPECT_TRUE(std::isnan(row.translation[0]));
  EXPECT_TRUE(std::isinf(row.translation[1]));
  EXPECT_EQ(row.translation[2], -1);
  EXPECT_FALSE(file.next(row));
  EXPECT_DOUBLE_EQ(file.share_read(), 1);
}

TEST_F(PoseFileTest, TakesWhatSpreadsheetsWrite) {
  write("\xef\xbb\xbfidx,objA,objB,qw,qx,qy,qz,tx,ty,tz\r\n7,\"a, b\",\"c\",1,0,0,0,\"0.5\",0,0\r\n");
  PoseFile file(path.string());
  PoseRow row;
  ASSERT_TRUE(file.next(row));
  EXPECT_EQ(row.idx, "7");
  EXPECT_EQ(row.objA, "a, b");
  EXPECT_EQ(row.objB, "c");
  EXPECT_EQ(row.translation[0], 0.5);
  EXPECT_NE(error(header + "0,\"a,b,1,0,0,0,0,0,0\n").find(":2: a quoted field that does not end"),
            std::string::npos);
  EXPECT_NE(error(header + "0,\"a\"x,b,1,0,0,0,0,0,0\n").find(":2: text after the quoted field 2"),
            std::string::npos);
}

TEST_F(PoseFileTest, FieldsAreReadBackAsTheyWere) {
  for (const std::string name : {"plain", "a,b", "\"", "\"\"", "a\"b", "\"a\"", "a\nb", "a\r\nb", "\n", " a ",
                                 "\t", "", ",", "a\n\nb,\"c", "'"}) {
    write(header + abut::cli::csv_field(name) + "," + abut::cli::csv_field(name) + ",b,1,0,0,0,0,0,0\n" +
          "last,a,b,1,0,0,0,0,0,0\n");
    PoseFile file(path.string());
    PoseRow row;
    ASSERT_TRUE(file.next(row)) << name;
    EXPECT_EQ(row.idx, name);
    EXPECT_EQ(row.objA, name);
    EXPECT_EQ(row.objB, "b");
    ASSERT_TRUE(file.next(row)) << name;
    EXPECT_EQ(row.idx, "last");
    EXPECT_DOUBLE_EQ(file.share_read(), 1);
  }
}

TEST_F(PoseFileTest, NumbersBeyondTheRangeAreTheNearest) {
  write(header + "0,a,b,1e-400,-1e-400,0,0,1e400,-1e400,+1e400\n");
  PoseFile file(path.string());
  PoseRow row;
  ASSERT_TRUE(file.next(row));
  EXPECT_EQ(row.quaternion, (std::array<double, 4>{0, 0, 0, 0}));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(row.translation, (std::array<double, 3>{infinity, -infinity, infinity}));
}

TEST_F(PoseFileTest, NamesFileLineAndColumnOfEveryFault) {
  const std::string name = path.string();
  EXPECT_NE(error("").find(name + ": empty"), std::string::npos);
  EXPECT_NE(error("objA,objB,qw\n").find(name + ":1: no column 'qx'"), std::string::npos);
  EXPECT_NE(error(header + "0,a,b,1,0,0\n").find(name + ":2: the row ends before column 'qz'"),
            std::string::npos);
  EXPECT_NE(error(header + "0,a,b,1,0,0,zero,0,0,0\n").find(":2: column qz: 'zero' is not a number"),
            std::string::npos);
  EXPECT_NE(error(header + "0,a,b,1,0,0,0,0,0,1.5mm\n").find("'1.5mm' is not a number"), std::string::npos);
  EXPECT_NE(error(header + "0,a,b,1,0,0,,0,0,0\n").find("'' is not a number"), std::string::npos);
  EXPECT_NE(error(header + "0,a,b,1,0,0,0,0,0,+-1\n").find("'+-1' is not a number"), std::string::npos);
  EXPECT_NE(error("objA,objB,qw,qx,qy,qz,tx,ty,tz,tx\n").find(":1: two columns 'tx'"), std::string::npos);
  // A row is where it begins, however many lines it has.
  EXPECT_NE(error(header + "0,\"a\nb\",b,1,0,0,0,0,0,0\n0,a,b\n").find(":4: the row ends before"),
            std::string::npos);
  EXPECT_NE(error(header + std::string(std::size_t{1} << 21, 'x')).find(":2: a row of more than"),
            std::string::npos);
  EXPECT_NE(
      error(header + "0,a,b,1,0,0,0,0,3,0,0\n").find(":2: more fields than the first line has names (10)"),
      std::string::npos);
  EXPECT_EQ(error(header + "0,a,b,1,0,0,0,3,0,0,,\n"), "");
  EXPECT_EQ(error(header), "");
  EXPECT_THROW(PoseFile("/nonexistent/poses.csv"), abut::IoError);
}

}  // namespace
