// Seeds of fuzzers of binary formats: bytes that the format's own writer makes, whole and broken, in
// tests/fuzz. A test of the format says when the seeds are no longer what the writer makes; with
// FOREBAY_WRITE_SEEDS in the environment it writes them anew.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace forebay {

/// tests/fuzz of the source tree that this program was built in; empty elsewhere.
inline std::filesystem::path fuzz_folder() {
  for (std::filesystem::path at = std::filesystem::current_path(); at.has_relative_path();
       at = at.parent_path()) {
    if (std::filesystem::exists(at / "tests/fuzz/README.md")) {
      return at / "tests/fuzz";
    }
  }
  return {};
}

/// The seed that is kept, and is written anew if FOREBAY_WRITE_SEEDS asks for that: for bytes that a library
/// makes, which need not be the same in another version of it. `bytes` where there are no seeds: installed.
inline std::string kept_seed(const std::string& fuzzer, const std::string& name, const std::string& bytes) {
  const std::filesystem::path folder = fuzz_folder();
  if (folder.empty()) {
    return bytes;
  }
  const std::filesystem::path path = folder / fuzzer / name;
  if (std::getenv("FOREBAY_WRITE_SEEDS") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void expect_seed(const std::string& fuzzer, const std::string& name, const std::string& bytes) {
  EXPECT_TRUE(kept_seed(fuzzer, name, bytes) == bytes)
      << fuzzer << "/" << name
      << " is not what the format's writer makes; FOREBAY_WRITE_SEEDS=1 writes it anew";
}

/// The bytes as they are, without their end, with another bit in the middle, and with all bits of a number
/// set.
inline void expect_seeds(const std::string& fuzzer, const std::string& name, const std::string& bytes) {
  constexpr size_t kNumberBytes = 4;
  expect_seed(fuzzer, name, bytes);
  expect_seed(fuzzer, name + ".cut", bytes.substr(0, bytes.size() * 2 / 3));
  std::string flipped = bytes;
  flipped[bytes.size() / 2] = static_cast<char>(flipped[bytes.size() / 2] ^ 1);
  expect_seed(fuzzer, name + ".flipped", flipped);
  std::string largest = bytes;
  largest.replace(bytes.size() / 3 / kNumberBytes * kNumberBytes, kNumberBytes, kNumberBytes, '\xff');
  expect_seed(fuzzer, name + ".largest", largest);
}

}  // namespace forebay
