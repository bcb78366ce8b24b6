#include "forebay/cli/command/wrong_usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace forebay::cli {
namespace {

using ::testing::HasSubstr;

/// What the program says to these words.
std::string told(std::string words) {
  CLI::App program("", "forebay");
  program.require_subcommand(0, 1);
  program.add_subcommand("doctor");
  CLI::App* const bench = program.add_subcommand("bench");
  int threads = 1;
  std::string data;
  bench->add_option("--threads", threads);
  bench->add_option("data", data)->required();
  CLI::App* const cache = program.add_subcommand("cache");
  cache->require_subcommand(1);
  cache->add_subcommand("status");
  try {
    program.parse(words);
  } catch (const CLI::ParseError& error) {
    return wrong_usage(program, error);
  }
  return "";
}

TEST(WrongUsage, NamesTheCommandThatWasMeant) {
  EXPECT_THAT(told("dokter"), HasSubstr("forebay has no command 'dokter'; did you mean 'doctor'?\n"));
  EXPECT_THAT(told("cache statsu"),
              HasSubstr("forebay cache has no command 'statsu'; did you mean 'status'?\n"));
  EXPECT_THAT(told("cache statsu"), HasSubstr("`forebay cache --help`"));
}

TEST(WrongUsage, NamesTheOptionThatWasMeant) {
  EXPECT_THAT(told("bench . --thredas 3"),
              HasSubstr("forebay bench has no option '--thredas'; did you mean '--threads'?\n"));
  EXPECT_THAT(told("bench --thread=3"), HasSubstr("'--thread'; did you mean '--threads'?"));
}

TEST(WrongUsage, GuessesNothingFarAway) {
  EXPECT_THAT(told("train"), HasSubstr("forebay has no command 'train'\n"));
  EXPECT_THAT(told("cache train"), HasSubstr("forebay cache has no command 'train'\n"));
  EXPECT_THAT(told("bench . more"), HasSubstr("not expected: more"));
  EXPECT_THAT(told("bench"), HasSubstr("data is required"));
  EXPECT_EQ(told("bench ."), "");
}

}  // namespace
}  // namespace forebay::cli
