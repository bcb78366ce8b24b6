#include "forebay/storage/remote/remote_scheme.h"

#include <gtest/gtest.h>

#include <string>

namespace forebay::storage {
namespace {

struct SchemeOptions {};

StoreOption<SchemeOptions> option_of(const std::string& name, bool is_secret,
                                     std::vector<std::string> variables) {
  return {{.name = name, .help = "", .is_secret = is_secret, .variables = std::move(variables)},
          [](SchemeOptions&, const std::string&) { return ok_status(); }};
}

// What names who asks has no part in whose limits hold; where the service is has.
TEST(RemoteScheme, SettingsAreWithoutSecretsAndWithWhatTheEnvironmentSays) {
  const OptionTable<SchemeOptions> table = {option_of("token", true, {"TOKEN"}),
                                            option_of("endpoint", false, {"OWN_URL", "URL"}),
                                            option_of("region", false, {"REGION"})};
  const auto settings = [&](const StoreOptions& options, StoreVariables variables) {
    return public_settings(table, options, environment_of(std::move(variables)));
  };
  EXPECT_EQ(settings({{"token", "a"}}, {}), settings({}, {{"TOKEN", "b"}}));
  EXPECT_EQ(settings({}, {{"URL", "here"}, {"OTHER", "1"}}), (StoreOptions{{"endpoint", "here"}}));
  EXPECT_EQ(settings({}, {{"URL", "here"}, {"OWN_URL", "there"}}), (StoreOptions{{"endpoint", "there"}}));
  EXPECT_EQ(settings({{"endpoint", "there"}}, {{"URL", "here"}}), (StoreOptions{{"endpoint", "there"}}));
}

}  // namespace
}  // namespace forebay::storage
