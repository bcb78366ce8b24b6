// What a test of crashes writes through a journal, with a manifest of what was acknowledged.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/testing/stepped_timer.h"
#include "forebay/cache/journal/write_back_store.h"
#include "forebay/cache/testing/stepped_jobs.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache::testing {

/// A journal over any store. Its uploads are done when the workload says so.
struct JournalUnderTest {
  JournalUnderTest(const std::string& folder, std::shared_ptr<FileSystem> files,
                   const std::shared_ptr<storage::ObjectStore>& upstream) {
    WriteBackOptions options;
    options.folder = folder;
    options.files = std::move(files);
    options.resolve = [upstream](const std::string&, const std::string& uri) -> Result<WriteBackTarget> {
      return WriteBackTarget{upstream, upstream, uri.substr(upstream->uri_of("").size())};
    };
    options.timer = &timer;
    options.journal_runner = [](absl::AnyInvocable<void()> job) { job(); };
    options.upload_runner = uploads.runner();
    options.least_free_bytes = 0;
    Result<std::shared_ptr<WriteBack>> opened = WriteBack::open(std::move(options));
    if (!opened.ok()) {
      error = opened.status();
      return;
    }
    journal = *std::move(opened);
    journal->start();
    store = std::make_shared<WriteBackStore>(upstream, upstream, journal,
                                             WriteBackUse{.mount = "/data", .most_bytes = 64 << 20});
  }
  ~JournalUnderTest() {
    uploads.drop_all();
    if (journal) {
      journal->stop();
    }
  }
  JournalUnderTest(const JournalUnderTest&) = delete;
  JournalUnderTest& operator=(const JournalUnderTest&) = delete;

  void upload_all() {
    uploads.run_all();
    for (int i = 0; i < 10 && !journal->is_empty(); ++i) {
      timer.advance_ns(WriteBack::kLongestPauseNs);
      uploads.run_all();
    }
  }

  SteppedTimer timer;
  SteppedJobs uploads;
  std::shared_ptr<WriteBack> journal;
  std::shared_ptr<WriteBackStore> store;
  Status error;
};

/// What a writer of it was told, by object: the number of its last content that was acknowledged, and of the
/// last that it has begun to write.
struct Acknowledged {
  int last = 0;
  int begun = 0;
};
using Manifest = std::map<std::string, Acknowledged>;

inline std::string content_of_write(int number) {
  return std::string(static_cast<size_t>(number) * 1000 + 1, static_cast<char>('a' + number % 26)) +
         std::to_string(number);
}

/// A file to which each line goes by one write, so that it is there after the process was killed.
class ManifestFile {
 public:
  explicit ManifestFile(const std::string& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {}

  void note(const std::string& what, const std::string& key, int number) const {
    const std::string line = what + " " + key + " " + std::to_string(number) + "\n";
    EXPECT_EQ(::write(file_.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  static Manifest read(const std::string& path) {
    Manifest manifest;
    std::ifstream file(path);
    std::string what;
    std::string key;
    int number = 0;
    while (file >> what >> key >> number) {
      Acknowledged& object = manifest[key];
      (what == "begun" ? object.begun : object.last) = number;
    }
    return manifest;
  }

 private:
  const FileDescriptor file_;
};

/// The answer of a call that may wait for uploads.
template <class Answer, class Start>
Answer answer_under(JournalUnderTest& under, const Start& start) {
  auto answer = std::make_shared<std::optional<Answer>>();
  start([answer](Answer given) { answer->emplace(std::move(given)); });
  while (!*answer && under.uploads.step()) {
  }
  return answer->has_value() ? **answer : Answer(unavailable("it has not answered"));
}

/// In one call, or in two parts.
inline Result<storage::ObjectStat> write_under(JournalUnderTest& under, const std::string& key,
                                               const std::string& content, bool in_parts) {
  const Bytes bytes = storage::as_bytes(content);
  if (!in_parts) {
    return answer_under<Result<storage::ObjectStat>>(
        under, [&](storage::StatCallback done) { under.store->write(key, bytes, {}, {}, std::move(done)); });
  }
  Result<std::unique_ptr<storage::ObjectWriter>> writer = under.store->open_writer(key, {});
  for (const Bytes part : {bytes.first(bytes.size() / 2), bytes.subspan(bytes.size() / 2)}) {
    FOREBAY_RETURN_IF_ERROR(answer_under<Status>(
        under, [&](storage::StatusCallback done) { (*writer)->append(part, {}, std::move(done)); }));
  }
  return answer_under<Result<storage::ObjectStat>>(
      under, [&](storage::StatCallback done) { (*writer)->commit({}, std::move(done)); });
}

/// Writes objects, some of them several times, in one part and in several, and uploads some of them between.
/// `note` hears of each write when it begins and when it was acknowledged. Returns false after an error.
template <class Note>
bool do_journal_work(JournalUnderTest& under, const Note& note) {
  bool is_well = true;
  int number = 0;
  for (int round = 0; round < 3; ++round) {
    for (const char* const key : {"a", "b", "a", "c/d"}) {
      ++number;
      note("begun", key, number);
      const bool is_acknowledged = write_under(under, key, content_of_write(number), number % 3 == 0).ok();
      if (is_acknowledged) {
        note("acknowledged", key, number);
      }
      is_well = is_well && is_acknowledged;
    }
    for (int steps = 0; steps < round * 3; ++steps) {
      under.uploads.step();
    }
  }
  under.upload_all();
  return is_well;
}

/// What is wrong with the store's objects after all was stored; empty: nothing.
inline std::string what_is_lost(storage::ObjectStore& store, const Manifest& manifest) {
  std::string lost;
  for (const auto& [key, object] : manifest) {
    const Result<storage::ReadBytes> read = storage::read_now(store, {.key = key});
    const std::string text = read.ok() ? storage::text_of(*read) : "";
    bool is_right = object.last == 0 && read.status().code() == StatusCode::kNotFound;
    is_right = is_right || (object.last > 0 && text == content_of_write(object.last)) ||
               (object.begun > object.last && text == content_of_write(object.begun));
    if (!is_right) {
      lost += fmt::format("{}: {} was acknowledged, {} begun, it has {} bytes ({}); ", key, object.last,
                          object.begun, text.size(), read.status().ToString());
    }
  }
  return lost;
}

}  // namespace forebay::cache::testing
