// The tables of options: what they say is what is read.
#include "forebay/storage/store_option.h"
#include "forebay/storage/stores/store_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "forebay/storage/az/az_stores.h"
#include "forebay/storage/gs/gs_stores.h"
#include "forebay/storage/http/http_stores.h"
#include "forebay/storage/s3/s3_stores.h"
#include "forebay/storage/webhdfs/webhdfs_stores.h"

namespace forebay::storage {
namespace {

TEST(StoreOptions, SwitchesAreReadAsPeopleWriteThem) {
  for (const char* word : {"1", "true", "True", "YES", "on"}) {
    EXPECT_TRUE(*parse_switch("anonymous", word)) << word;
  }
  for (const char* word : {"0", "false", "FALSE", "no", "off"}) {
    EXPECT_FALSE(*parse_switch("anonymous", word)) << word;
  }
  for (const char* word : {"", "t", "2", "true "}) {
    EXPECT_EQ(parse_switch("anonymous", word).status().code(), StatusCode::kInvalidArgument) << word;
  }
}

TEST(StoreOptions, EveryOptionHasHelp) {
  const StoreRegistry registry;
  for (const std::string& scheme : registry.schemes()) {
    const std::vector<StoreOptionSpec> options = *registry.options_of(scheme);
    for (const StoreOptionSpec& option : options) {
      EXPECT_FALSE(option.help.empty()) << scheme << " " << option.name;
      const bool is_switch = option.type == kSwitchType;
      EXPECT_EQ(is_switch, option.by_default == "true" || option.by_default == "false") << option.name;
    }
  }
}

// A process keeps one store for each state of the environment, so it has to know all that a store asks for.
template <class Options>
void check_variables(const RemoteScheme<Options>& scheme, const std::string& uri) {
  std::set<std::string> asked;
  const auto environment = [&asked](const std::string& name) -> std::optional<std::string> {
    asked.insert(name);
    return std::nullopt;
  };
  (void)scheme.open(*parse_uri(uri), Options(), environment);
  const std::vector<std::string> known = variables_of(scheme);
  for (const std::string& name : asked) {
    EXPECT_NE(std::ranges::find(known, name), known.end()) << uri << " asks for " << name;
  }
}

TEST(StoreOptions, TablesKnowTheVariables) {
  check_variables(az_scheme(), "az://container/key");
  check_variables(gs_scheme(), "gs://bucket/key");
  check_variables(http_scheme(), "http://host/key");
  check_variables(s3_scheme(), "s3://bucket/key");
  check_variables(webhdfs_scheme(), "webhdfs://host/key");
}

}  // namespace
}  // namespace forebay::storage
