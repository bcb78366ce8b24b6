#include "forebay/cli/machine/python.h"

#include <gtest/gtest.h>

#include <fstream>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::cli {
namespace {

class FindPython : public ::testing::Test {
 protected:
  // An empty file, with the folders above it.
  std::string touch(const std::string& name) {
    const std::filesystem::path path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "";
    return path.string();
  }

  const TemporaryDirectory directory_;
  const std::filesystem::path root_ = directory_.path();
};

TEST_F(FindPython, TakesTheOneBesideTheProgram) {
  const std::string program = touch("venv/bin/forebay");
  const std::string python = touch("venv/bin/python");
  EXPECT_EQ(find_python(program, "", ""), python);
}

TEST_F(FindPython, LooksTheProgramUpInThePath) {
  touch("venv/bin/forebay");
  const std::string python = touch("venv/bin/python");
  const std::string path = (root_ / "empty").string() + "::" + (root_ / "venv/bin").string();
  EXPECT_EQ(find_python("forebay", path, ""), python);
}

TEST_F(FindPython, FallsBackToTheEnvironmentThenToTheSystem) {
  const std::string program = touch("build/forebay");
  const std::string python = touch("other/bin/python");
  EXPECT_EQ(find_python(program, "", (root_ / "other").string()), python);
  EXPECT_EQ(find_python(program, "", ""), "python3");
  EXPECT_EQ(find_python(program, "", (root_ / "gone").string()), "python3");
}

}  // namespace
}  // namespace forebay::cli
