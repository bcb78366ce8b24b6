#include "forebay/storage/listing/name_snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "forebay/base/testing/fuzz_seed.h"
#include "forebay/storage/listing/entry_sorter.h"
#include "forebay/storage/listing/snapshot_writer.h"
#include "forebay/storage/testing/temporary_directory.h"

namespace forebay::storage {
namespace {

using Entries = std::map<std::string, ObjectStat>;

/// Names of any bytes, versions of every kind.
Entries random_entries(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  const auto draw = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  const char* const versions[] = {"",
                                  "v1",
                                  "0123456789abcdef0123456789abcdef",
                                  "0123456789abcdef0123456789abcdef-12",
                                  "0123456789ABCDEF0123456789abcdef",
                                  "W/\"x\""};
  const int64_t units[] = {1, 1000, 1'000'000, 1'000'000'000};
  Entries entries;
  while (entries.size() < count) {
    ObjectStat stat;
    stat.key = draw(3) == 0 ? "common/prefix/" : "";
    for (uint32_t left = 1 + draw(12); left > 0; --left) {
      stat.key += static_cast<char>(draw(2) == 0 ? 'a' + draw(4) : draw(256));
    }
    stat.size_bytes = random() >> draw(32);
    stat.modified_ns = (static_cast<int64_t>(random()) - (1 << 30)) * units[draw(4)];
    stat.version = versions[draw(6)];
    entries[stat.key] = stat;
  }
  return entries;
}

std::shared_ptr<const NameSnapshot> snapshot_of(const Entries& entries, bool with_table) {
  const TemporaryDirectory directory;
  auto writer = SnapshotWriter::create(directory.path(), true);
  EXPECT_TRUE(writer.ok()) << writer.status();
  for (const auto& [key, stat] : entries) {
    const Status added = (*writer)->add(entry_of(stat));
    EXPECT_TRUE(added.ok()) << added;
  }
  auto snapshot = (*writer)->finish({.source = "mem://x", .listed_ns = 7}, with_table);
  EXPECT_TRUE(snapshot.ok()) << snapshot.status();
  return *std::move(snapshot);
}

bool is_same(const NamedEntry& entry, const ObjectStat& stat) {
  return entry == entry_of(stat);
}

TEST(NameSnapshot, FindsWhatWasWritten) {
  for (const size_t count : {0, 1, 31, 32, 33, 5000}) {
    for (const bool with_table : {false, true}) {
      const Entries entries = random_entries(count, 17);
      const auto snapshot = snapshot_of(entries, with_table);
      EXPECT_EQ(snapshot->size(), count);
      EXPECT_EQ(snapshot->facts().source, "mem://x");
      EXPECT_EQ(snapshot->facts().listed_ns, 7);
      NameBlockReader reader;
      NamedEntry entry;
      for (const auto& [key, stat] : entries) {
        ASSERT_TRUE(*snapshot->find(key, reader, entry)) << count << with_table;
        EXPECT_TRUE(is_same(entry, stat)) << stat.version << " " << entry.version;
      }
      for (const auto& [key, stat] : random_entries(2000, 18)) {
        EXPECT_EQ(*snapshot->find(key, reader, entry), entries.contains(key));
      }
    }
  }
}

TEST(NameSnapshot, IsReadInOrderFromAnyName) {
  const Entries entries = random_entries(3000, 5);
  const auto snapshot = snapshot_of(entries, false);
  for (const auto& [from, unused] : random_entries(200, 6)) {
    SnapshotCursor cursor(snapshot);
    ASSERT_TRUE(cursor.seek(from).ok());
    for (auto expected = entries.lower_bound(from); expected != entries.end(); ++expected) {
      ASSERT_NE(cursor.entry(), nullptr);
      ASSERT_TRUE(is_same(*cursor.entry(), expected->second));
      ASSERT_TRUE(cursor.next().ok());
    }
    EXPECT_EQ(cursor.entry(), nullptr);
  }
}

TEST(NameSnapshot, RefusesWhatItCannotHold) {
  const TemporaryDirectory directory;
  const auto writer = *SnapshotWriter::create(directory.path(), true);
  ASSERT_TRUE(writer->add({.key = "b"}).ok());
  EXPECT_EQ(writer->add({.key = "a"}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->add({.key = "b"}).code(), StatusCode::kInvalidArgument);
  const std::string longest(kMaxNameBytes, 'c');
  ASSERT_TRUE(writer->add({.key = longest, .version = longest}).ok());
  EXPECT_EQ(writer->add({.key = longest + "c"}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(writer->add({.key = "d", .size_bytes = kMaxObjectBytes + 1}).code(),
            StatusCode::kInvalidArgument);
  const auto snapshot = *writer->finish({}, true);
  NameBlockReader reader;
  NamedEntry entry;
  ASSERT_TRUE(*snapshot->find(longest, reader, entry));
  EXPECT_EQ(entry.version, longest);
}

/// A snapshot as bytes that a test may spoil.
std::vector<std::byte> image_of(const Entries& entries) {
  const TemporaryDirectory directory;
  const auto writer = *SnapshotWriter::create(directory.path(), false);
  for (const auto& [key, stat] : entries) {
    EXPECT_TRUE(writer->add(entry_of(stat)).ok());
  }
  EXPECT_TRUE(writer->finish({}, true).ok());
  EXPECT_TRUE(writer->publish(directory / "s").ok());
  std::vector<std::byte> image(std::filesystem::file_size(directory / "s"));
  FILE* const file = std::fopen((directory / "s").c_str(), "rb");
  EXPECT_EQ(std::fread(image.data(), 1, image.size(), file), image.size());
  std::fclose(file);
  return image;
}

/// What a reader of a spoilt image gets: everything, or data_loss, and never another answer.
void expect_noticed(const std::vector<std::byte>& image, const Entries& entries, const std::string& what) {
  const auto snapshot = NameSnapshot::from_image(image, nullptr, "spoilt");
  if (!snapshot.ok()) {
    EXPECT_EQ(snapshot.status().code(), StatusCode::kDataLoss) << what;
    return;
  }
  bool is_noticed = false;
  NameBlockReader reader;
  NamedEntry entry;
  for (const auto& [key, stat] : entries) {
    const Result<bool> found = (*snapshot)->find(key, reader, entry);
    is_noticed = is_noticed || found.status().code() == StatusCode::kDataLoss;
    EXPECT_TRUE(!found.ok() || (*found && is_same(entry, stat))) << what;
  }
  EXPECT_TRUE(is_noticed) << what;
}

TEST(NameSnapshot, NoticesEveryFlippedBit) {
  const Entries entries = random_entries(100, 3);
  const std::vector<std::byte> image = image_of(entries);
  for (size_t byte = 0; byte < image.size(); ++byte) {
    std::vector<std::byte> spoilt = image;
    spoilt[byte] ^= static_cast<std::byte>(1 << (byte % 8));
    expect_noticed(spoilt, entries, "byte " + std::to_string(byte));
  }
}

TEST(NameSnapshot, NoticesEveryCut) {
  const std::vector<std::byte> image = image_of(random_entries(100, 3));
  for (size_t bytes = 0; bytes < image.size(); bytes += 7) {
    const auto snapshot = NameSnapshot::from_image(std::span(image).first(bytes), nullptr, "cut");
    EXPECT_EQ(snapshot.status().code(), StatusCode::kDataLoss) << bytes;
  }
}

TEST(NameSnapshot, ABlockThatMakesNoSenseIsNotReadBeyond) {
  std::mt19937 random(9);
  const std::vector<std::byte> image = image_of(random_entries(32, 3));
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> block(image.begin() + sizeof(SnapshotHeader),
                                 image.begin() + 500 + random() % 400);
    for (uint32_t flips = 1 + random() % 8; flips > 0; --flips) {
      block[random() % block.size()] = static_cast<std::byte>(random());
    }
    NameBlockReader reader(block);
    NamedEntry entry;
    size_t count = 0;
    while (reader.next(entry)) {
      ASSERT_LE(entry.key.size(), kMaxNameBytes);
      ASSERT_LE(++count, block.size());
    }
    NameBlockReader(block).find("a", entry);
  }
}

TEST(EntrySorter, SortsInRunsAndKeepsTheLastOfAName) {
  const TemporaryDirectory directory;
  EntrySorter sorter(directory.path(), 20'000);
  const Entries entries = random_entries(2000, 2);
  std::vector<ObjectStat> shuffled;
  for (const auto& [key, stat] : entries) {
    shuffled.push_back(stat);
    shuffled.back().size_bytes = 1;  // an older one
  }
  std::ranges::shuffle(shuffled, std::mt19937(1));
  for (int pass = 0; pass < 2; ++pass) {
    for (const ObjectStat& stat : shuffled) {
      ASSERT_TRUE(sorter.add(entry_of(pass == 0 ? stat : entries.at(stat.key))).ok());
    }
  }
  for (int pass = 0; pass < 2; ++pass) {
    const auto stream = *sorter.sorted();
    for (const auto& [key, stat] : entries) {
      ASSERT_NE(stream->entry(), nullptr);
      ASSERT_TRUE(is_same(*stream->entry(), stat)) << key;
      ASSERT_TRUE(stream->next().ok());
    }
    EXPECT_EQ(stream->entry(), nullptr);
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));  // no file has a name
}

TEST(NameSnapshot, SeedsOfTheFuzzerAreSnapshots) {
  const std::vector<std::byte> image = image_of(random_entries(40, 3));
  const std::string bytes(reinterpret_cast<const char*>(image.data()), image.size());
  expect_seeds("name_snapshot_fuzzer", "whole", bytes);
}

}  // namespace
}  // namespace forebay::storage
