#include "forebay/cli/command/help_defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "forebay/base/units.h"
#include "forebay/cli/command/duration.h"

namespace forebay::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HelpDefaults, AreShownInTheirUnits) {
  CLI::App program("", "forebay");
  CLI::App* const command = program.add_subcommand("bench");
  int threads = 3;
  uint64_t quota = 64 * kGiB;
  uint64_t interval_s = 90;
  std::string pool = "host";
  command->add_option("--threads", threads);
  command->add_option("--quota", quota)->transform(CLI::AsSizeValue(false));
  command->add_option("--interval", interval_s)->transform(CLI::Validator(to_seconds, "TIME", "time"));
  command->add_option("--pool", pool);
  show_defaults(program);
  const std::string help = command->help();
  EXPECT_THAT(help, HasSubstr("--threads INT=3"));
  EXPECT_THAT(help, HasSubstr("=64GiB"));
  EXPECT_THAT(help, HasSubstr("=1m 30s"));
  EXPECT_THAT(help, HasSubstr("--pool TEXT=host"));
  program.parse("bench");
  EXPECT_EQ(quota, 64 * kGiB);
}

TEST(HelpDefaults, WhatIsOffHasNone) {
  CLI::App program("", "forebay");
  std::vector<std::string> names;
  uint64_t rate = 0;
  uint64_t length = UINT64_MAX;
  std::string index;
  bool as_json = false;
  program.add_option("--name", names);
  program.add_option("--rate", rate);
  program.add_option("--length", length);
  program.add_option("--index", index);
  program.add_flag("--json", as_json);
  show_defaults(program);
  EXPECT_THAT(program.help(), Not(HasSubstr("=")));
}

}  // namespace
}  // namespace forebay::cli
