// One attempt to bring a version of an object from the journal to its store.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "forebay/cache/journal/write_back.h"

namespace forebay::cache {

/// Owned by the calls that it makes. The store takes the bytes only if it has what their writer saw. If it
/// has something else, that may be these bytes, of an attempt whose answer was lost: then they are stored. If
/// it is not, they are written beside it, under a name of their own.
class Upload : public std::enable_shared_from_this<Upload> {
 public:
  Upload(std::shared_ptr<WriteBack> owner, PendingVersion version)
      : owner_(std::move(owner)), version_(std::move(version)) {}

  /// On the thread of the uploads.
  void run();

  /// The key under which bytes are kept beside the object that somebody else has written.
  static std::string key_beside(const std::string& key, const JournalEntry& entry);

 private:
  using SameCallback = absl::AnyInvocable<void(Result<std::optional<std::string>>)>;

  void write(const std::string& key, storage::WriteOptions options);
  void take_answer(const std::string& key, const Result<storage::ObjectStat>& stat);
  void look_at_other(const std::string& key);
  /// Calls back with the version at `key` if its bytes are these.
  void compare(const std::string& key, SameCallback done);
  void compare_from(uint64_t chunk, const storage::ObjectStat& stat, SameCallback done);
  storage::CallContext context() const;
  void fail(const Status& why) { owner_->end_failed(version_.entry->uri(), why); }

  const std::shared_ptr<WriteBack> owner_;
  const PendingVersion version_;
  WriteBackTarget target_;
  storage::ReadBytes content_;
};

}  // namespace forebay::cache
