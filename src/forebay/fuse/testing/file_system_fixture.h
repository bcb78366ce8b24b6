// A mount without a kernel, for tests of what it answers.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/fuse/files/file_system.h"
#include "forebay/fuse/testing/kernel.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::fuse {

/// A mount of the folder "r/" of a store in memory, without a kernel.
class FileSystemFixture : public testing::Test {
 protected:
  FileSystemFixture() { mount(faulty_); }

  void mount(std::shared_ptr<storage::ObjectStore> store, std::string folder = "r/") {
    FileSystemOptions options;
    options.store = std::move(store);
    options.folder = std::move(folder);
    options.uid = 17;
    options.gid = 18;
    options.is_for_others = is_for_others_;
    options.is_read_only = is_read_only_;
    options.mounted_ns = 1'700'000'000'000'000'001;
    files_ = std::make_unique<FileSystem>(std::move(options));
  }
  static Bytes as_bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
  }
  std::string put(const std::string& key, std::string_view content) {
    return storage::write_now(*memory_, key, as_bytes_of(content))->version;
  }

  KernelAnswer ask(Opcode opcode, uint64_t node, std::string_view body = {}) {
    const std::string message = request_bytes(opcode, node, body, ++unique_);
    const Result<Request> request = decode_request(as_bytes_of(message));
    EXPECT_TRUE(request.ok()) << request.status();
    files_->answer(*request, stop_.get_token(), replies_, steady_clock().now_ns());
    return replies_.answers[unique_];
  }
  EntryOut look_up(uint64_t folder, std::string_view name) {
    const KernelAnswer answer = ask(Opcode::kLookup, folder, with_nul(name));
    EXPECT_EQ(answer.error, 0);
    return value_of_bytes<EntryOut>(answer.bytes);
  }
  OpenOut open(uint64_t node) {
    const KernelAnswer answer = ask(Opcode::kOpen, node, bytes_of_value(OpenIn{.flags = O_RDONLY}));
    EXPECT_EQ(answer.error, 0);
    return value_of_bytes<OpenOut>(answer.bytes);
  }
  KernelAnswer read(uint64_t handle, uint64_t offset, uint32_t size) {
    return ask(Opcode::kRead, 0, read_body(handle, offset, size));
  }
  uint64_t open_directory(uint64_t node) {
    return value_of_bytes<OpenOut>(ask(Opcode::kOpenDirectory, node, bytes_of_value(OpenIn{})).bytes).handle;
  }
  std::vector<SeenEntry> list(uint64_t handle, uint64_t offset, uint32_t size, bool with_attributes) {
    const Opcode opcode = with_attributes ? Opcode::kReadDirectoryPlus : Opcode::kReadDirectory;
    const KernelAnswer answer = ask(opcode, kRootNode, read_body(handle, offset, size));
    EXPECT_EQ(answer.error, 0);
    EXPECT_LE(answer.bytes.size(), size);
    return seen_entries(answer.bytes, with_attributes);
  }
  std::vector<std::string> names_of(const std::vector<SeenEntry>& entries) {
    std::vector<std::string> names;
    for (const SeenEntry& each : entries) {
      names.push_back(each.name);
    }
    return names;
  }

  std::shared_ptr<storage::MemoryStore> memory_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<storage::FaultInjectingStore> faulty_ =
      std::make_shared<storage::FaultInjectingStore>(memory_);
  KeptReplies replies_;
  std::unique_ptr<FileSystem> files_;
  std::stop_source stop_;
  bool is_for_others_ = false;
  bool is_read_only_ = false;
  uint64_t unique_ = 0;
};

}  // namespace forebay::fuse
