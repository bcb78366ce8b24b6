// Parses arbitrary bytes as a request log, and replays valid ones against a small pool with all checks on.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "forebay/base/check.h"
#include "forebay/memory/pool/pool.h"
#include "forebay/memory/requests/replay.h"

using namespace forebay;

namespace {

constexpr size_t kMaxRequests = 300;
constexpr size_t kMaxThreads = 3;

std::string path_of(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

int file_of(const void* bytes, size_t count) {
  const int file = memfd_create("log", 0);
  FOREBAY_CHECK(file >= 0 && write(file, bytes, count) == static_cast<ssize_t>(count));
  return file;
}

void play(std::vector<memory::Request> log) {
  for (memory::Request& request : log) {
    request.thread %= kMaxThreads;
    request.queue.queue %= 200;
    request.queue.driver = 0;
    request.bytes %= 100000;
  }
  const auto pool = memory::CheckedPool::create({.maximum_bytes = size_t{1} << 20, .growth_bytes = 0});
  FOREBAY_CHECK(pool.ok());
  const Result<memory::ReplayReport> report = memory::replay(log, **pool);
  FOREBAY_CHECK(report.ok() && (*pool)->faults().empty() && (*pool)->statistics().out_bytes == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = file_of(data, size);
  const Result<std::vector<memory::Request>> log = memory::read_log(path_of(file), kMaxRequests);
  close(file);
  if (!log.ok()) {
    return 0;
  }
  const std::string text = memory::to_csv(*log);
  const int again = file_of(text.data(), text.size());
  const Result<std::vector<memory::Request>> reread = memory::read_log(path_of(again), kMaxRequests);
  close(again);
  FOREBAY_CHECK(reread.ok() && memory::to_csv(*reread) == text);
  play(*log);
  return 0;
}
