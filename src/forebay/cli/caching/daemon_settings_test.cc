#include "forebay/cli/caching/daemon_settings.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::cli {
namespace {

class DaemonSettingsTest : public ::testing::Test {
 protected:
  DaemonSettingsTest() {
    command_.add_option("--quota", quota_)->transform(CLI::AsSizeValue(false));
    command_.add_option("--directory", directory_name_);
    command_.add_option("--disk", disks_)->allow_extra_args(false);
    command_.add_flag("--background");
  }
  Status take(const std::string& text) {
    std::ofstream(file_) << text;
    return take_settings(command_, file_);
  }

  const TemporaryDirectory directory_;
  const std::string file_ = directory_ / "daemon.json";
  CLI::App command_;
  uint64_t quota_ = 1;
  std::string directory_name_;
  std::vector<std::string> disks_;
};

TEST_F(DaemonSettingsTest, AreTakenAsTheCommandLineWouldTakeThem) {
  EXPECT_TRUE(take_settings(command_, file_).ok()) << "there is no file";
  EXPECT_TRUE(take(R"({"quota": "2KiB", "directory": "/fast"})").ok());
  EXPECT_EQ(quota_, 2048u);
  EXPECT_EQ(directory_name_, "/fast");
}

TEST_F(DaemonSettingsTest, AnOptionThatMayBeGivenSeveralTimesMayHaveAList) {
  EXPECT_TRUE(take(R"({"disk": ["/fast", "/slow"]})").ok());
  EXPECT_EQ(disks_, (std::vector<std::string>{"/fast", "/slow"}));
  EXPECT_EQ(take(R"({"disk": ["/fast", {}]})").code(), StatusCode::kInvalidArgument);
}

TEST_F(DaemonSettingsTest, TheCommandLineGoesFirst) {
  command_.parse("--quota 7");
  EXPECT_TRUE(take(R"({"quota": 9, "directory": "/fast"})").ok());
  EXPECT_EQ(quota_, 7u);
  EXPECT_EQ(directory_name_, "/fast");
}

TEST_F(DaemonSettingsTest, WhatMakesNoSenseIsAnErrorThatNamesTheFile) {
  for (const char* const text : {"[]", "{", "7", R"({"colour": "red"})", R"({"quota": []})",
                                 R"({"quota": -1})", R"({"quota": "much"})", R"({"background": "true"})"}) {
    const Status status = take(text);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << text;
    EXPECT_NE(message(status).find(file_), std::string_view::npos) << status;
  }
}

}  // namespace
}  // namespace forebay::cli
