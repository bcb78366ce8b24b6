// The part of FileSystem that goes on where a killed process has stopped, and keeps what the next one needs.
#include <fcntl.h>

#include <memory>
#include <utility>

#include "forebay/fuse/files/file_system.h"

namespace forebay::fuse {

// No store is asked for anything, since it may have gone, and programs wait. A file that was open for writing
// is opened for reading alone: what was written went with the process that had it, so that writing more, or
// closing it, has to fail with EIO (see HandleFacts::flags). What has no node any more is open to nobody: the
// kernel has not heard that it was opened.
void FileSystem::restore(const RestoredState& restored) {
  files_.restore(restored.files, [this](const HandleFacts& facts) -> std::shared_ptr<OpenFile> {
    const NodeRef node = nodes_.find(facts.node);
    if (!node) {
      return nullptr;
    }
    Result<std::shared_ptr<OpenFile>> file = open_file(node);
    if (!file.ok()) {
      errors_.say(file.status());
    }
    const auto opened = file.ok() ? *std::move(file) : std::make_shared<OpenFile>();  // whose reads fail
    opened->is_lost = wants_to_write(facts.flags) || (facts.flags & kHadDraft) != 0;
    if (opened->by_pieces && !opened->is_lost) {
      opened->backing = backing_files_.restore(facts.node, static_cast<uint32_t>(facts.backing_id));
    }
    return opened;
  });
  directories_.restore(restored.directories,
                       [this](const HandleFacts& facts) -> std::shared_ptr<OpenedDirectory> {
                         const NodeRef node = nodes_.find(facts.node);
                         if (!node) {
                           return nullptr;
                         }
                         Result<std::shared_ptr<OpenedDirectory>> directory = open_directory(node);
                         if (!directory.ok()) {
                           errors_.say(directory.status());
                         }
                         return directory.ok() ? *std::move(directory) : nullptr;
                       });
}

/// Writes the log anew once most of it is out of date. Requests wait meanwhile, a fraction of a microsecond
/// for each node; on average that is less than what its records took.
void FileSystem::keep_state_small() {
  if (!options_.kept || !options_.kept->log().is_due()) {
    return;
  }
  nodes_.frozen([this](const InodeTable::PutAll& put_nodes) {
    files_.frozen([&](const HandleTable<OpenFile>::PutAll& put_files) {
      directories_.frozen([&](const HandleTable<OpenedDirectory>::PutAll& put_directories) {
        if (options_.kept->log().is_due()) {  // nobody else has done it meanwhile
          options_.kept->rewrite([&](const StateLog::PutRecord& put) {
            put_nodes(put);
            put_files(put);
            put_directories(put);
          });
        }
      });
    });
  });
}

}  // namespace forebay::fuse
