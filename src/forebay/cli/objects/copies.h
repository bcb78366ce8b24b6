// Copies of objects and folders, some at a time, with progress.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "forebay/cli/objects/place.h"
#include "forebay/cli/objects/work_queue.h"
#include "forebay/cli/progress_bar.h"

namespace forebay::cli {

struct CopiesOptions {
  bool skips_existing = false;  // objects that exist stay as they are
  size_t jobs = 8;
  std::string title = "copying";
  bool replaces = true;  // else an object that exists at the destination is an error
  /// Called with each object of the source whose copy is there, in the version that was copied, and with each
  /// marker of a folder that became one; from any thread. May be empty.
  std::function<void(const storage::ObjectStat& object)> copied;
};

/// The copies of one call of a command. One thread at a time.
class Copies {
 public:
  Copies(CopiesOptions options, storage::CallContext context);

  /// One object, of which a listing or stat has said `listed`.
  Status add(storage::ObjectAddress from, storage::ObjectAddress to, const storage::ObjectStat& listed);
  /// All below a folder.
  Status add_folder(const Place& from, const storage::ObjectAddress& to);
  /// Waits for all; what went to local folders is durable then. The first error.
  Status finish();

  uint64_t objects() const { return objects_.load(); }
  uint64_t bytes() const { return bytes_.load(); }

 private:
  Status add_page(const storage::ListPage& page, const Place& from, const storage::ObjectAddress& to);
  Status copy(const storage::ObjectAddress& from, const storage::ObjectAddress& to,
              const storage::ObjectStat& listed);
  void show();

  const CopiesOptions options_;
  const storage::CallContext context_;
  std::vector<std::string> unsynced_;  // local folders that were copied to
  std::atomic<uint64_t> expected_bytes_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> objects_{0};
  ProgressBar bar_;
  WorkQueue queue_;  // last: its threads end first
};

}  // namespace forebay::cli
