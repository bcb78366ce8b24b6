// A store that is written back, over one in memory that fails as a test says; its journal is done inline, and
// its uploads when the test wants.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "forebay/base/testing/stepped_timer.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/journal/write_back_store.h"
#include "forebay/cache/testing/stepped_jobs.h"
#include "forebay/cache/testing/unsteady_store.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache::testing {

inline constexpr int64_t kMinuteNs = 60'000'000'000;

class WrittenBack {
 public:
  explicit WrittenBack(std::shared_ptr<FileSystem> files = nullptr, std::string folder = {})
      : files_(std::move(files)), folder_(folder.empty() ? directory_ / "journal" : std::move(folder)) {
    open();
  }
  ~WrittenBack() { close(); }

  void open() {
    WriteBackOptions options;
    options.folder = folder_;
    options.files = files_;
    options.resolve = [upstream = upstream_](const std::string& mount,
                                             const std::string& uri) -> Result<WriteBackTarget> {
      if (mount != "/data") {
        return not_found("nothing is mounted at {}", mount);
      }
      return WriteBackTarget{upstream, upstream, uri.substr(upstream->uri_of("").size())};
    };
    options.timer = &timer_;
    options.unix_ns = [this] { return timer_.now_ns(); };
    options.journal_runner = [](absl::AnyInvocable<void()> job) { job(); };
    options.upload_runner = uploads_.runner();
    options.least_free_bytes = 0;
    Result<std::shared_ptr<WriteBack>> opened = WriteBack::open(std::move(options));
    EXPECT_TRUE(opened.ok()) << opened.status();
    journal_ = *std::move(opened);
    journal_->start();
    store_ = std::make_shared<WriteBackStore>(upstream_, upstream_, journal_, use);
  }
  /// What a process that ends leaves.
  void close() {
    if (journal_) {
      journal_->stop();
    }
    store_.reset();
    uploads_.drop_all();
    journal_.reset();
  }
  void open_again() {
    close();
    open();
  }

  Result<storage::ObjectStat> write(const std::string& key, const std::string& content,
                                    storage::WriteOptions options = {}) {
    return storage::write_now(*store_, key, storage::as_bytes(content), std::move(options));
  }
  /// By the store that is written back, or behind its back.
  Result<std::string> read(const std::string& key, const std::string& version = {}) {
    return text(storage::read_now(*store_, {.key = key, .if_version = version}));
  }
  Result<std::string> read_upstream(const std::string& key) {
    return text(storage::read_now(*bucket_, {.key = key}));
  }
  /// Does all uploads that can be done at once.
  void upload() { uploads_.run_all(); }
  /// And those that were put off.
  void upload_all() {
    upload();
    for (int i = 0; i < 20 && !journal_->is_empty(); ++i) {
      timer_.advance_ns(kMinuteNs);
      upload();
    }
  }

  std::shared_ptr<WriteBackStore>& store() { return store_; }
  WriteBack& journal() { return *journal_; }
  storage::MemoryStore& bucket() { return *bucket_; }
  UnsteadyStore& upstream() { return *upstream_; }
  SteppedTimer& timer() { return timer_; }
  SteppedJobs& uploads() { return uploads_; }
  const std::string& folder() const { return folder_; }
  std::string uri_of(const std::string& key) const { return upstream_->uri_of(key); }
  WriteBackUse use = {.mount = "/data", .most_bytes = uint64_t{64} << 20};

 private:
  static Result<std::string> text(const Result<storage::ReadBytes>& read) {
    return read.ok() ? Result<std::string>(storage::text_of(*read)) : read.status();
  }

  const TemporaryDirectory directory_;
  const std::shared_ptr<FileSystem> files_;
  const std::string folder_;
  const std::shared_ptr<storage::MemoryStore> bucket_ = std::make_shared<storage::MemoryStore>();
  const std::shared_ptr<UnsteadyStore> upstream_ = std::make_shared<UnsteadyStore>(bucket_);
  SteppedTimer timer_;
  SteppedJobs uploads_;
  std::shared_ptr<WriteBack> journal_;
  std::shared_ptr<WriteBackStore> store_;
};

}  // namespace forebay::cache::testing
