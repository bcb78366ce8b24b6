// Loading: what is wrong with a file is said before anything of it is in the table.
#include "forebay/plugin/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/operators/added_operators.h"

namespace forebay::plugin {
namespace {

using ::testing::HasSubstr;

bool is_known(std::string_view name) {
  return operators::find_operator(name).ok();
}

void expect_error(const Status& status, StatusCode code, const std::string& text) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_THAT(std::string(message(status)), HasSubstr(text));
}

TEST(Load, OperatorsAreInTheTableAndOnlyOnce) {
  ASSERT_TRUE(load_operators(FOREBAY_TEST_GOOD).ok());
  const auto scale = operators::find_operator("plugin_test.scale");
  ASSERT_TRUE(scale.ok());
  EXPECT_EQ(operators::library_of("plugin_test.scale"),
            std::filesystem::path(FOREBAY_TEST_GOOD).filename().string());
  EXPECT_EQ(operators::library_of("resize"), "");
  EXPECT_EQ((*scale)->inputs.size(), 1);
  EXPECT_TRUE((*scale)->find_parameter("factor")->accepts_tensor);

  EXPECT_TRUE(load_operators(FOREBAY_TEST_GOOD).ok());
  TemporaryDirectory folder;
  std::filesystem::create_symlink(FOREBAY_TEST_GOOD, folder / "another_name.so");
  EXPECT_TRUE(load_operators(folder / "another_name.so", {.global_symbols = true}).ok());
  EXPECT_EQ(*operators::find_operator("plugin_test.scale"), *scale);
}

TEST(Load, UnknownNamesAreToldTheNearestAddedOne) {
  ASSERT_TRUE(load_operators(FOREBAY_TEST_GOOD).ok());
  expect_error(operators::find_operator("plugin_test.scala").status(), StatusCode::kNotFound,
               "plugin_test.scale");
}

TEST(Load, SameNamesInAnotherLibraryAreRefused) {
  ASSERT_TRUE(load_operators(FOREBAY_TEST_GOOD).ok());
  const Status status = load_operators(FOREBAY_TEST_SAME_NAMES);
  expect_error(status, StatusCode::kAlreadyExists, "plugin_test.scale");
  expect_error(status, StatusCode::kAlreadyExists,
               std::filesystem::path(FOREBAY_TEST_GOOD).filename().string());
}

TEST(Load, ReservedNamesAreRefusedAndLeaveNothing) {
  // A copy: other tests load the library itself, which is then there for all.
  const TemporaryDirectory folder;
  std::filesystem::copy_file(FOREBAY_TEST_LYING, folder / "lying.so");
  const Status status = load_operators(folder / "lying.so", {.reserved_names = {"Lying_"}});
  expect_error(status, StatusCode::kAlreadyExists, "'Lying_' is taken");
}

TEST(Load, VersionsOfTheBorder) {
  expect_error(load_operators(FOREBAY_TEST_LATER_MAJOR), StatusCode::kFailedPrecondition, "for version 2.0");
  expect_error(load_operators(FOREBAY_TEST_LATER_MINOR), StatusCode::kFailedPrecondition, "for version 1.1");
}

TEST(Load, MissingSymbols) {
  expect_error(load_operators(FOREBAY_TEST_NO_VERSION), StatusCode::kFailedPrecondition,
               "`forebay_plugin_abi`");
  expect_error(load_operators(FOREBAY_TEST_NO_TABLE), StatusCode::kFailedPrecondition,
               "`forebay_plugin_library`");
}

TEST(Load, ALibraryThatGivesNoTableSaysWhy) {
  expect_error(load_operators(FOREBAY_TEST_REFUSES), StatusCode::kFailedPrecondition,
               "the licence has expired \\xff");
}

TEST(Load, FilesThatAreNoLibraries) {
  TemporaryDirectory folder;
  std::ofstream(folder / "text.so") << "this is no library";
  expect_error(load_operators(folder / "text.so"), StatusCode::kFailedPrecondition, "text.so");
  expect_error(load_operators(folder / "absent.so"), StatusCode::kNotFound, "absent.so");
  expect_error(load_operators(folder.path()), StatusCode::kFailedPrecondition, folder.path());
  expect_error(load_operators("no_such_library_anywhere.so"), StatusCode::kFailedPrecondition,
               "no_such_library");
  expect_error(load_operators(""), StatusCode::kInvalidArgument, "no name of a file");
  expect_error(load_operators(std::string("a\0b", 3)), StatusCode::kInvalidArgument, "no name of a file");
  expect_error(load_operators(folder / "\xff.so"), StatusCode::kNotFound, "\\xff.so");
}

TEST(Load, ThreadsThatLoadTheSameLibraryAllSucceed) {
  TemporaryDirectory folder;
  std::vector<std::thread> threads;
  std::vector<Status> outcomes(8);
  for (Status& outcome : outcomes) {
    threads.emplace_back([&outcome] { outcome = load_operators(FOREBAY_TEST_LYING); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_THAT(outcomes, ::testing::Each(ok_status()));
  EXPECT_TRUE(is_known("lying.output"));
}

TEST(Load, AForkedChildLoads) {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_loaded = load_operators(FOREBAY_TEST_GOOD).ok() && is_known("plugin_test.noise");
    ::_exit(is_loaded ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(wait_for_child(child, &status), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace forebay::plugin
