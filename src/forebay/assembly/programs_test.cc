// Where `forebay` is looked for: beside the program that runs, and in the prefix around it.
#include "forebay/assembly/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace forebay::assembly {
namespace {

TEST(ProgramsBesideThisTest, AreInTheFolderOfTheProgramAndInThePrefixAroundIt) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  EXPECT_THAT(programs_beside_this(),
              ::testing::ElementsAre(folder / "forebay", folder.parent_path() / "bin/forebay",
                                     folder.parent_path().parent_path() / "bin/forebay"));
}

}  // namespace
}  // namespace forebay::assembly
