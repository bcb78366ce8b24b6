// Copies of objects and folders, some at a time, with progress.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "forebay/storage/tree/place.h"
#include "forebay/storage/tree/work_queue.h"

namespace forebay::storage {

/// How far copies are. What is expected grows as folders are listed.
struct CopiesProgress {
  uint64_t objects = 0;
  uint64_t bytes = 0;
  uint64_t expected_bytes = 0;
};

struct CopiesOptions {
  bool skips_existing = false;  // objects that exist stay as they are
  size_t jobs = 8;
  bool replaces = true;  // else an object that exists at the destination is an error
  /// Called with each object of the source whose copy is there, in the version that was copied, and with each
  /// marker of a folder that became one; from any thread. May be empty.
  std::function<void(const ObjectStat& object)> copied;
  /// Called now and then by the thread that adds and waits. May be empty.
  std::function<void(const CopiesProgress& progress)> progress;
};

/// Copies that are waited for together. One thread at a time.
class Copies {
 public:
  Copies(CopiesOptions options, CallContext context);

  /// One object, of which a listing or stat has said `listed`.
  Status add(ObjectAddress from, ObjectAddress to, const ObjectStat& listed);
  /// All below a folder.
  Status add_folder(const Place& from, const ObjectAddress& to);
  /// Waits for all; what went to local folders is durable then. The first error.
  Status finish();

  uint64_t objects() const { return objects_.load(); }
  uint64_t bytes() const { return bytes_.load(); }

 private:
  Status add_page(const ListPage& page, const Place& from, const ObjectAddress& to);
  Status copy(const ObjectAddress& from, const ObjectAddress& to, const ObjectStat& listed);
  void tell_progress() const;

  const CopiesOptions options_;
  const CallContext context_;
  std::vector<std::string> unsynced_;  // local folders that were copied to
  std::atomic<uint64_t> expected_bytes_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> objects_{0};
  WorkQueue queue_;  // last: its threads end first
};

}  // namespace forebay::storage
