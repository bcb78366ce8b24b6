#include "forebay/storage/listing/snapshot_refresh.h"

#include <unistd.h>

#include <fstream>
#include <memory>
#include <utility>

#include "forebay/storage/listing/name_view.h"
#include "forebay/storage/listing/parallel_list.h"
#include "forebay/storage/listing/snapshot_writer.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

constexpr uint64_t kRewriteFraction = 4;  // a snapshot is written anew when a fourth of it has changed

/// How two streams of entries differ, by name. `take` gets what differs: an entry of the new stream, or an
/// old one that has gone; and the old one of the same name, or null. Returns how many entries the new stream
/// has.
Result<uint64_t> compare(EntryStream& before, EntryStream& now,
                         const std::function<Status(const NamedEntry* before, const NamedEntry* now)>& take) {
  uint64_t count = 0;
  while (before.entry() != nullptr || now.entry() != nullptr) {
    const NamedEntry* const old_entry = before.entry();
    const NamedEntry* const new_entry = now.entry();
    const int order = old_entry == nullptr   ? 1
                      : new_entry == nullptr ? -1
                                             : old_entry->key.compare(new_entry->key);
    if (order != 0 || *old_entry != *new_entry) {
      FOREBAY_RETURN_IF_ERROR(take(order <= 0 ? old_entry : nullptr, order >= 0 ? new_entry : nullptr));
    }
    if (order <= 0) {
      FOREBAY_RETURN_IF_ERROR(before.next());
    }
    if (order >= 0) {
      FOREBAY_RETURN_IF_ERROR(now.next());
      ++count;
    }
  }
  return count;
}

class Refresh {
 public:
  Refresh(const std::string& path, const SnapshotFacts& facts)
      : path_(path), folder_(parent_path(path)), facts_(facts), sorter_(folder_) {}

  Result<RefreshOutcome> run(const FillEntries& fill) {
    FOREBAY_RETURN_IF_ERROR(open_old());
    FOREBAY_RETURN_IF_ERROR(fill(sorter_));
    if (!view_) {
      FOREBAY_RETURN_IF_ERROR(rewrite());
      outcome_.added = outcome_.objects;
      return outcome_;
    }
    FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<EntryStream> before, view_->entries());
    FOREBAY_RETURN_IF_ERROR(count_changes(*before));
    if (outcome_.added + outcome_.changed + outcome_.removed > 0) {
      FOREBAY_RETURN_IF_ERROR(write_changes());
    }
    return outcome_;
  }

 private:
  Status open_old() {
    Result<std::shared_ptr<const NameView>> view = NameView::open(path_);
    if (view.ok()) {
      view_ = *std::move(view);
      if (view_->base()->facts().source != facts_.source) {
        return failed_precondition("{}: this is a snapshot of {}, not of {}", path_,
                                   view_->base()->facts().source, facts_.source);
      }
      return ok_status();
    }
    const bool is_new = view.status().code() == StatusCode::kNotFound;
    if (!is_new && view.status().code() != StatusCode::kDataLoss) {
      return view.status();
    }
    return is_new || is_snapshot() ? ok_status()
                                   : already_exists("{}: this is a file, but no snapshot of names", path_);
  }

  /// Whether the file is a snapshot, however damaged.
  bool is_snapshot() const {
    uint64_t magic = 0;
    std::ifstream file(path_, std::ios::binary);
    file.read(reinterpret_cast<char*>(&magic), sizeof(magic));
    return magic == SnapshotHeader::kMagic;
  }

  Status count_changes(EntryStream& before) {
    FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<EntryStream> now, sorter_.sorted());
    const auto count = [&](const NamedEntry* old_entry, const NamedEntry* new_entry) {
      ++(old_entry == nullptr ? outcome_.added : new_entry == nullptr ? outcome_.removed : outcome_.changed);
      return ok_status();
    };
    FOREBAY_ASSIGN_OR_RETURN(outcome_.objects, compare(before, *now, count));
    return ok_status();
  }

  // Changes are those to the snapshot itself, whatever was changed before.
  Status write_changes() {
    FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<SnapshotWriter> writer,
                             SnapshotWriter::create(folder_, false));
    FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<EntryStream> before,
                             merge_snapshots({view_->base()}, true));
    FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<EntryStream> now, sorter_.sorted());
    const uint64_t most = view_->base()->size() / kRewriteFraction;
    const Result<uint64_t> compared =
        compare(*before, *now, [&](const NamedEntry* old_entry, const NamedEntry* new_entry) {
          if (writer->size() == most) {
            return cancelled("too many changes");
          }
          return writer->add(new_entry != nullptr ? *new_entry
                                                  : NamedEntry{.key = old_entry->key, .is_removed = true});
        });
    if (compared.status().code() == StatusCode::kCancelled) {
      return rewrite();
    }
    FOREBAY_RETURN_IF_ERROR(compared.status());
    SnapshotFacts facts = facts_;
    facts.base = view_->base()->number();
    FOREBAY_RETURN_IF_ERROR(writer->finish(facts, true).status());
    return writer->publish(NameView::changes_path(path_));
  }

  Status rewrite() {
    FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<SnapshotWriter> writer,
                             SnapshotWriter::create(folder_, false));
    FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<EntryStream> now, sorter_.sorted());
    while (now->entry() != nullptr) {
      FOREBAY_RETURN_IF_ERROR(writer->add(*now->entry()));
      FOREBAY_RETURN_IF_ERROR(now->next());
    }
    FOREBAY_RETURN_IF_ERROR(writer->finish(facts_, true).status());
    FOREBAY_RETURN_IF_ERROR(writer->publish(path_));
    ::unlink(NameView::changes_path(path_).c_str());  // of another snapshot now, so it counts for nothing
    outcome_.objects = writer->size();
    outcome_.is_rewritten = true;
    return ok_status();
  }

  const std::string path_;
  const std::string folder_;
  const SnapshotFacts facts_;
  EntrySorter sorter_;
  std::shared_ptr<const NameView> view_;
  RefreshOutcome outcome_;
};

}  // namespace

Result<RefreshOutcome> refresh_snapshot(const std::string& path, const SnapshotFacts& facts,
                                        const FillEntries& fill) {
  return Refresh(path, facts).run(fill);
}

std::string snapshot_source(const ObjectStore& store, std::string_view prefix) {
  return uri_for_message(store.uri_of(prefix));
}

FillEntries listed_entries(ObjectStore& store, std::string prefix, std::function<void(uint64_t)> progress,
                           CallContext context) {
  return [&store, prefix = std::move(prefix), progress = std::move(progress),
          context = std::move(context)](EntrySorter& sorter) {
    uint64_t count = 0;
    const auto take = [&](const ListPage& page) {
      for (const ObjectStat& object : page.objects) {
        NamedEntry entry = entry_of(object);
        entry.key.remove_prefix(prefix.size());
        FOREBAY_RETURN_IF_ERROR(sorter.add(entry));
      }
      count += page.objects.size();
      if (progress) {
        progress(count);
      }
      return ok_status();
    };
    return parallel_list(store, {.prefix = prefix}, take, context);
  };
}

}  // namespace forebay::storage
