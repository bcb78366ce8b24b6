// Whatever happens to a process, a disk or the power: what was acknowledged is stored.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "forebay/base/random/random.h"
#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/cache/testing/faulty_files.h"
#include "forebay/cache/testing/journal_workload.h"
#include "forebay/cache/testing/unsteady_store.h"
#include "forebay/storage/local/local_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::cache {
namespace {

using storage::LocalStore;
using storage::MemoryStore;
using testing::do_journal_work;
using testing::JournalUnderTest;
using testing::Manifest;
using testing::ManifestFile;
using testing::UnsteadyStore;
using testing::what_is_lost;

using JournalPlace = std::pair<WritePoint, ChangePhase>;
using AtPlace = std::function<Status(JournalPlace place, int number)>;

FaultyFiles::Hook numbering_hook(AtPlace at) {
  return [at = std::move(at), counts = std::map<JournalPlace, int>()](WritePoint point,
                                                                      ChangePhase phase) mutable {
    const JournalPlace place = {point, phase};
    return at(place, ++counts[place]);
  };
}

std::shared_ptr<storage::ObjectStore> store_in(const std::string& root) {
  return std::make_shared<LocalStore>(storage::LocalStoreOptions{.root = root});
}

void ignore_note(const char*, const char*, int) {
}

/// How often the work passes each place.
std::map<JournalPlace, int> places_of_journal() {
  const TemporaryDirectory directory;
  const auto files = std::make_shared<FaultyFiles>();
  std::map<JournalPlace, int> counts;
  files->set_hook(numbering_hook([&](JournalPlace place, int number) {
    counts[place] = number;
    return ok_status();
  }));
  JournalUnderTest under(directory / "journal", files, store_in(directory / "store"));
  EXPECT_TRUE(do_journal_work(under, ignore_note));
  return counts;
}

std::string text_of_place(const JournalPlace& place, int number) {
  return fmt::format("{}, phase {}, time {}", name_of(place.first), static_cast<int>(place.second), number);
}

/// A child does the work and is killed at the place. False if it was not reached.
bool is_work_killed_at(const TemporaryDirectory& directory, JournalPlace where, int number) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto files = std::make_shared<FaultyFiles>();
    files->set_hook(numbering_hook([&](JournalPlace place, int count) {
      if (place == where && count == number) {
        ::kill(::getpid(), SIGKILL);
      }
      return ok_status();
    }));
    const ManifestFile manifest(directory / "manifest");
    JournalUnderTest under(directory / "journal", files, store_in(directory / "store"));
    do_journal_work(
        under, [&](const char* what, const char* key, int written) { manifest.note(what, key, written); });
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(wait_for_child(child, &status), child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

TEST(JournalCrash, KilledAtAnyPointItLosesNothingThatWasAcknowledged) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  const std::map<JournalPlace, int> places = places_of_journal();
  EXPECT_EQ(places.size(), 3u * (kWritePoints - kCachePoints));
  for (const auto& [place, times] : places) {
    std::set<int> numbers;
    for (const int part : {0, 1, 2, 3}) {
      numbers.insert(1 + (times - 1) * part / 3);
    }
    for (const int number : numbers) {
      const TemporaryDirectory directory;
      ASSERT_TRUE(is_work_killed_at(directory, place, number)) << text_of_place(place, number);
      const std::shared_ptr<storage::ObjectStore> store = store_in(directory / "store");
      JournalUnderTest under(directory / "journal", host_files(), store);
      ASSERT_TRUE(under.error.ok()) << under.error;
      const Manifest manifest = ManifestFile::read(directory / "manifest");
      EXPECT_EQ(what_is_lost(*under.store, manifest), "") << text_of_place(place, number);  // as it is read
      under.upload_all();
      EXPECT_EQ(what_is_lost(*store, manifest), "") << text_of_place(place, number);
      const WriteBackStatus status = under.journal->status();
      EXPECT_EQ(status.objects, 0u);
      EXPECT_EQ(status.conflicts, 0u) << text_of_place(place, number);
      EXPECT_TRUE(status.damaged.empty());
    }
  }
}

/// What a disk may hold that has lost its power after these changes. What was synced is there; of the rest,
/// each change by itself is there or not. Files are told apart from their names.
class DiskAfterPowerLoss {
 public:
  DiskAfterPowerLoss(std::vector<FaultyFiles::Change> changes, RandomStream* random)
      : changes_(std::move(changes)), random_(random) {}

  void make(const std::string& from, const std::string& to) {
    for (size_t i = 0; i < changes_.size(); ++i) {
      replay(i);
    }
    for (const auto& [path, file] : names_) {
      std::ofstream(to + path.substr(from.size()), std::ios::binary) << files_[file];
    }
  }

 private:
  using Kind = FaultyFiles::Change::Kind;

  /// Whether a change of this kind to the same place comes later.
  bool is_synced(size_t change, Kind kind, const std::string& path) const {
    return std::any_of(
        changes_.begin() + static_cast<std::ptrdiff_t>(change), changes_.end(),
        [&](const FaultyFiles::Change& later) { return later.kind == kind && later.path == path; });
  }
  bool is_kept(size_t change, Kind sync, const std::string& path) {
    return is_synced(change, sync, path) || random_->coin(0.5f);
  }
  void replay(size_t i) {
    const FaultyFiles::Change& change = changes_[i];
    const std::string folder = change.path.substr(0, change.path.rfind('/'));
    switch (change.kind) {
      case Kind::kCreate:
        live_[change.path] = files_.size();
        files_.emplace_back(change.size_bytes, '\0');
        if (is_kept(i, Kind::kSyncDirectory, folder)) {
          names_[change.path] = live_[change.path];
        }
        return;
      case Kind::kWrite:
        if (is_kept(i, Kind::kSync, change.path)) {
          std::string& bytes = files_[live_[change.path]];
          bytes.resize(std::max(bytes.size(), change.offset_bytes + change.bytes.size()));
          bytes.replace(change.offset_bytes, change.bytes.size(), change.bytes);
        }
        return;
      case Kind::kRename: {
        const size_t file = live_[change.path];
        live_.erase(change.path);
        live_[change.bytes] = file;
        if (is_kept(i, Kind::kSyncDirectory, folder)) {
          names_.erase(change.path);
          names_[change.bytes] = file;
        }
        return;
      }
      case Kind::kRemove:
        live_.erase(change.path);
        if (is_kept(i, Kind::kSyncDirectory, folder)) {
          names_.erase(change.path);
        }
        return;
      case Kind::kPunch:
      case Kind::kSync:
      case Kind::kSyncDirectory:
        return;
    }
  }

  const std::vector<FaultyFiles::Change> changes_;
  RandomStream* const random_;
  std::vector<std::string> files_;
  std::map<std::string, size_t> live_;   // names as the process saw them
  std::map<std::string, size_t> names_;  // as the disk has them
};

TEST(JournalCrash, AfterPowerLossNothingIsLostThatWasAcknowledged) {
  uint64_t recovered = 0;
  for (uint64_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
    const TemporaryDirectory directory;
    const auto bucket = std::make_shared<MemoryStore>();
    const auto files = std::make_shared<FaultyFiles>();
    const auto upstream = std::make_shared<UnsteadyStore>(bucket);
    RandomStream random(seed, 1);
    // At this change the power goes: what the process does from then on has no effect.
    const uint64_t last = 1 + random.below(150);
    uint64_t change = 0;
    bool is_off = false;
    std::vector<FaultyFiles::Change> changes;
    const auto off = [&] { return is_off ? unavailable("the power is off") : ok_status(); };
    upstream->before_write = [&](const std::string&) { return off(); };
    upstream->before_stat = upstream->before_write;
    files->keep_changes();
    files->set_hook([&](WritePoint, ChangePhase phase) {
      if (phase == ChangePhase::kBefore && !is_off && ++change == last) {
        changes = files->changes();
        changes.pop_back();  // this one
        is_off = true;
      }
      return off();
    });
    Manifest manifest;
    {
      JournalUnderTest under(directory / "journal", files, upstream);
      do_journal_work(under, [&](const std::string& what, const char* key, int number) {
        if (!is_off) {
          (what == "begun" ? manifest[key].begun : manifest[key].last) = number;
        }
      });
    }
    if (!is_off) {
      continue;
    }
    const TemporaryDirectory after;
    std::filesystem::create_directories(after / "journal");
    DiskAfterPowerLoss(changes, &random).make(directory.path(), after.path());
    JournalUnderTest under(after / "journal", host_files(), bucket);
    ASSERT_TRUE(under.error.ok()) << under.error;
    recovered += under.journal->status().objects;
    EXPECT_EQ(what_is_lost(*under.store, manifest), "") << seed;
    under.upload_all();
    EXPECT_EQ(what_is_lost(*bucket, manifest), "") << seed;
    EXPECT_TRUE(under.journal->status().damaged.empty()) << seed;
    EXPECT_EQ(under.journal->status().conflicts, 0u) << seed;
  }
  EXPECT_GT(recovered, 50u);
}

// The files of the journal fail at one place, once or for ever.
TEST(JournalCrash, AFailingDiskCostsNothingThatWasAcknowledged) {
  for (const int error : {ENOSPC, EIO, EROFS}) {
    for (const auto& [place, times] : places_of_journal()) {
      for (const bool is_lasting : {false, true}) {
        const TemporaryDirectory directory;
        const auto bucket = std::make_shared<MemoryStore>();
        const auto files = std::make_shared<FaultyFiles>();
        const int first = (times + 1) / 2;
        files->set_hook(numbering_hook([&](JournalPlace at, int number) {
          const bool fails = at == place && (number == first || (is_lasting && number > first));
          return fails ? errno_status(error, "disk") : ok_status();
        }));
        Manifest manifest;
        const std::string where = fmt::format("{} {}", error, text_of_place(place, first));
        {
          JournalUnderTest under(directory / "journal", files, bucket);
          if (!under.error.ok()) {
            continue;  // the daemon says so, and writes through
          }
          EXPECT_TRUE(do_journal_work(under, [&](const std::string& what, const char* key, int number) {
            (what == "begun" ? manifest[key].begun : manifest[key].last) = number;
          })) << where;
          EXPECT_EQ(what_is_lost(*under.store, manifest), "") << where;
        }
        EXPECT_EQ(what_is_lost(*bucket, manifest), "") << where;
        // What could not be removed is found to be stored, or goes beside what came after it.
        JournalUnderTest again(directory / "journal", host_files(), bucket);
        again.upload_all();
        EXPECT_EQ(what_is_lost(*bucket, manifest), "") << where;
        EXPECT_TRUE(again.journal->is_empty()) << where;
      }
    }
  }
}

TEST(JournalCrash, AFullDiskIsTriedAgainAndAFailingOneIsNot) {
  for (const int error : {ENOSPC, EIO}) {
    const TemporaryDirectory directory;
    const auto bucket = std::make_shared<MemoryStore>();
    const auto files = std::make_shared<FaultyFiles>();
    JournalUnderTest under(directory / "journal", files, bucket);
    files->set_hook([&](WritePoint point, ChangePhase) {
      return point == WritePoint::kSyncJournalFile ? errno_status(error, "disk") : ok_status();
    });
    const std::string content = "content";
    EXPECT_TRUE(write_now(*under.store, "a", storage::as_bytes(content)).ok());
    EXPECT_TRUE(stat_now(*bucket, "a").ok());
    files->set_hook(nullptr);
    EXPECT_TRUE(write_now(*under.store, "b", storage::as_bytes(content)).ok());
    EXPECT_EQ(stat_now(*bucket, "b").ok(), error == EIO);
    EXPECT_EQ(under.journal->status().off.empty(), error == ENOSPC);
  }
}

TEST(JournalCrash, FlippedBitsAreNotStored) {
  uint64_t damaged = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const TemporaryDirectory directory;
    const auto bucket = std::make_shared<MemoryStore>();
    std::map<std::string, std::string> contents;
    {
      JournalUnderTest under(directory / "journal", host_files(), bucket);
      for (int i = 1; i <= 5; ++i) {
        contents["k" + std::to_string(i)] = testing::content_of_write(i);
        EXPECT_TRUE(write_now(*under.store, "k" + std::to_string(i),
                              storage::as_bytes(contents["k" + std::to_string(i)]))
                        .ok());
      }
    }
    RandomStream random(seed, 2);
    for (const auto& entry : std::filesystem::directory_iterator(directory / "journal")) {
      if (entry.path().extension() != ".entry") {
        continue;
      }
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      const uint64_t at =
          random.coin(0.5f) ? random.below(100) : 4096 + random.below(entry.file_size() - 4096);
      file.seekg(static_cast<std::streamoff>(at));
      const char byte = static_cast<char>(file.get() ^ (1 << random.below(8)));
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte);
    }
    JournalUnderTest under(directory / "journal", host_files(), bucket);
    ASSERT_TRUE(under.error.ok()) << under.error;
    under.upload_all();
    size_t stored = 0;
    for (const auto& [key, content] : contents) {
      const Result<storage::ReadBytes> read = read_now(*bucket, {.key = key});
      if (read.ok()) {
        ++stored;
        EXPECT_EQ(storage::text_of(*read), content) << seed;
      }
    }
    EXPECT_EQ(stored + under.journal->status().damaged.size(), contents.size()) << seed;
    damaged += under.journal->status().damaged.size();
  }
  EXPECT_GT(damaged, 100u);
}

}  // namespace
}  // namespace forebay::cache
