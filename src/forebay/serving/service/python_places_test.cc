// A shell script answers in the place of Python.
#include "forebay/serving/service/python_places.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kScriptedPython = R"(#!/bin/sh
folder=$(dirname "$0")
[ -e "$folder/works" ] || exit 1
for out; do :; done
cat "$folder/works" > "$out"
)";

TEST(PythonPlaces, OnlyWhatWasFoundIsKept) {
  const TemporaryDirectory folder;
  const std::string python = folder / "python";
  std::ofstream(python) << kScriptedPython;
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  PythonPlaces places(python);
  EXPECT_FALSE(places.worker_folder().ok());
  EXPECT_THAT(places.module_folders(), IsEmpty());
  const std::string answer = folder / "works";
  std::ofstream(answer) << R"({"package": "", "folders": ["/f"]})";
  EXPECT_TRUE(absl::IsNotFound(places.worker_folder().status()));
  EXPECT_THAT(places.module_folders(), ElementsAre("/f"));
  std::ofstream(answer) << R"({"package": "/p", "folders": ["/g"]})";
  EXPECT_EQ(places.worker_folder().value(), "/p/serving/worker");
  std::filesystem::remove(answer);
  EXPECT_EQ(places.worker_folder().value(), "/p/serving/worker");
  EXPECT_THAT(places.module_folders(), ElementsAre("/g"));
}

}  // namespace
}  // namespace forebay::serving
