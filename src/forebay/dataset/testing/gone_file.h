// Waiting, with a deadline, for a file to be removed by whoever does so in its own time.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

namespace forebay::dataset::testing {

/// Whether the file is gone within 20 s.
inline bool goes(const std::string& path) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::filesystem::exists(path) && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  return !std::filesystem::exists(path);
}

}  // namespace forebay::dataset::testing
