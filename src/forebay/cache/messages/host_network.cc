#include "forebay/cache/messages/host_network.h"

#include <filesystem>
#include <system_error>

#include "forebay/cache/entries/entry_key.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kKey = 0x666f72656261790a;

}  // namespace

uint64_t network_of_process() {
  std::error_code error;
  return siphash128(kKey, ~kKey, std::filesystem::read_symlink("/proc/self/ns/net", error).native()).low;
}

}  // namespace forebay::cache
