#include "forebay/cache/host/store_environment.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "forebay/cache/entry_key.h"

namespace forebay::cache {
namespace {

constexpr std::string_view kPrefixes[] = {"AWS_",
                                          "GOOGLE_",
                                          "AZURE_",
                                          "STORAGE_EMULATOR_HOST=",
                                          "GCE_METADATA_HOST=",
                                          "HADOOP_USER_NAME=",
                                          "http_proxy=",
                                          "https_proxy=",
                                          "all_proxy=",
                                          "no_proxy=",
                                          "HTTP_PROXY=",
                                          "HTTPS_PROXY=",
                                          "ALL_PROXY=",
                                          "NO_PROXY=",
                                          "SSL_CERT_FILE="};
constexpr uint64_t kKey = 0x666f72656261790a;

bool says_something(std::string_view variable) {
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

}  // namespace

uint64_t store_environment() {
  std::vector<std::string_view> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (says_something(*variable)) {
      variables.emplace_back(*variable);
    }
  }
  std::ranges::sort(variables);
  std::string text;
  for (const std::string_view variable : variables) {
    text.append(variable).push_back('\0');
  }
  // The same address leads elsewhere in another network.
  std::error_code error;
  text.append(std::filesystem::read_symlink("/proc/self/ns/net", error).native());
  return siphash128(kKey, ~kKey, text).low;
}

}  // namespace forebay::cache
