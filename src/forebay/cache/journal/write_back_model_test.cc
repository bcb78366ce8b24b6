// Random calls to a store that is written back, over one that fails, is changed by others, and whose daemon
// is killed and started again; compared with a map of objects after each.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "forebay/base/random/random.h"
#include "forebay/cache/testing/written_back.h"

namespace forebay::cache {
namespace {

using storage::ObjectStat;
using testing::WrittenBack;

class RandomWrites {
 public:
  explicit RandomWrites(uint64_t seed) : random_(seed, 7) {
    back_.use.most_bytes = 20'000;
    back_.open_again();
    back_.upstream().before_write = [this](const std::string&) { return fault(); };
    back_.upstream().after_write = [this](const std::string&) { return fault(); };
  }

  void step() {
    const std::string key = fmt::format("{}/k{}", random_.below(2), random_.below(3));
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2:
        return write(key);
      case 3:
        return write_conditionally(key);
      case 4:
        return remove(key);
      case 5:
        back_.uploads().step();
        return;
      case 6:
        return back_.timer().advance_ns(static_cast<int64_t>(random_.below(testing::kMinuteNs)));
      case 7:
        failing_ = random_.coin(0.5f) ? 0.4f : 0;
        return;
      case 8:
        return random_.below(3) == 0 ? back_.open_again() : back_.upload();
      case 9:
        return change_behind(key);
      case 10:
        return list();
      default:
        return read(key);
    }
  }
  /// Everything that was acknowledged is at its place, or beside what others have written.
  void finish() {
    failing_ = 0;
    back_.upload_all();
    EXPECT_TRUE(back_.journal().is_empty());
    std::set<std::string> there;
    const Result<storage::ListPage> all = list_all_now(back_.bucket(), {});
    for (const ObjectStat& stat : all->objects) {
      there.insert(*back_.read_upstream(stat.key));
    }
    for (const auto& [key, content] : newest_) {
      EXPECT_TRUE(content.empty() || there.contains(content)) << key << ": " << content.substr(0, 20);
    }
    for (const std::string& content : theirs_) {
      EXPECT_TRUE(there.contains(content)) << content.substr(0, 20) << " was overwritten";
    }
    EXPECT_TRUE(back_.journal().status().damaged.empty());
    EXPECT_EQ(back_.journal().status().bytes, 0u);
  }
  uint64_t acknowledged() const { return acknowledged_; }

 private:
  Status fault() {
    return failing_ > 0 && random_.coin(failing_) ? unavailable("mem://: try later") : ok_status();
  }
  std::string new_content() {
    ++last_;
    return fmt::format("{}-{}", last_, std::string(random_.below(8000), static_cast<char>('a' + last_ % 26)));
  }

  /// The answer of a call that may have to wait for uploads, or fail as they do.
  template <class Start>
  std::optional<Result<ObjectStat>> answer_of(const Start& start) {
    auto answer = std::make_shared<std::optional<Result<ObjectStat>>>();
    start([answer](Result<ObjectStat> stat) { answer->emplace(std::move(stat)); });
    for (int i = 0; i < 100 && !*answer; ++i) {
      if (!back_.uploads().step()) {
        back_.timer().advance_ns(testing::kMinuteNs);
      }
    }
    EXPECT_TRUE(answer->has_value());
    return *answer;
  }
  void write(const std::string& key, storage::WriteOptions options = {}) {
    const std::string content = new_content();
    const auto stat = answer_of([&](storage::StatCallback done) {
      back_.store()->write(key, storage::as_bytes(content), options, {}, std::move(done));
    });
    const StatusCode code = stat ? stat->status().code() : StatusCode::kOk;
    if (code == StatusCode::kOk) {
      ++acknowledged_;
      take(key, content);
    } else if (code == StatusCode::kUnavailable) {
      uncertain_.insert(key);  // it was written through, and nobody knows
      take(key, "");
    }
  }
  void write_conditionally(const std::string& key) {
    const Result<ObjectStat> now = stat_now(*back_.store(), key);
    if (now.ok()) {
      write(key, {.if_version = now->version});
    } else if (now.status().code() == StatusCode::kNotFound) {
      write(key, {.if_absent = true});
    }
  }
  void take(const std::string& key, const std::string& content) {
    if (!content.empty()) {
      uncertain_.erase(key);
    }
    newest_[key] = content;
    forget_theirs(key);
  }
  void forget_theirs(const std::string& key) {
    for (auto each = theirs_by_key_.find(key); each != theirs_by_key_.end();
         each = theirs_by_key_.find(key)) {
      theirs_.erase(each->second);  // its writer has seen it, and replaces it
      theirs_by_key_.erase(each);
    }
  }
  void remove(const std::string& key) {
    const auto removed = answer_of([&](storage::StatCallback done) {
      back_.store()->remove(key, {}, [done = std::move(done)](const Status& status) mutable {
        done(status.ok() ? Result<ObjectStat>(ObjectStat()) : status);
      });
    });
    if (removed && removed->ok()) {
      take(key, "");
      uncertain_.erase(key);
    }
  }
  void change_behind(const std::string& key) {
    const bool is_waiting = back_.journal().newest(back_.uri_of(key)) != nullptr;
    const Result<std::string> there = back_.read_upstream(key);
    const bool is_stored = there.ok() && *there == newest_[key];  // and perhaps nobody has heard of it yet
    const std::string content = new_content();
    EXPECT_TRUE(write_now(back_.bucket(), key, storage::as_bytes(content)).ok());
    forget_theirs(key);
    if (is_waiting) {
      theirs_.insert(content);  // what waits must not replace it
      theirs_by_key_.emplace(key, content);
      changed_.insert(key);
    }
    if (!is_waiting || is_stored) {
      newest_[key] = content;
      uncertain_.erase(key);
    }
  }
  void read(const std::string& key) {
    const Result<std::string> content = back_.read(key);
    if (uncertain_.contains(key) || changed_.contains(key)) {
      return;
    }
    const auto expected = newest_.find(key);
    if (expected == newest_.end() || expected->second.empty()) {
      EXPECT_EQ(content.status().code(), StatusCode::kNotFound) << key;
    } else {
      ASSERT_TRUE(content.ok()) << key << ": " << content.status();
      EXPECT_EQ(*content, expected->second);
    }
  }
  void list() {
    std::set<std::string> keys;
    const Status status = list_pages_now(*back_.store(), {.page_entries = 1 + random_.below(4)},
                                         [&](const storage::ListPage& page) {
                                           for (const ObjectStat& stat : page.objects) {
                                             EXPECT_TRUE(keys.insert(stat.key).second) << stat.key;
                                           }
                                           return ok_status();
                                         });
    EXPECT_TRUE(status.ok()) << status;
    for (const auto& [key, content] : newest_) {
      if (!uncertain_.contains(key) && !changed_.contains(key)) {
        EXPECT_EQ(keys.contains(key), !content.empty()) << key;
      }
    }
  }

  RandomStream random_;
  WrittenBack back_;
  float failing_ = 0;
  uint64_t last_ = 0;
  uint64_t acknowledged_ = 0;
  std::map<std::string, std::string> newest_;  // empty: there is none
  std::set<std::string> uncertain_;            // a write through has failed
  std::set<std::string> changed_;              // somebody else has changed it while it waited
  std::set<std::string> theirs_;
  std::multimap<std::string, std::string> theirs_by_key_;
};

TEST(WriteBackModel, RandomWritesAgreeWithTheModel) {
  for (uint64_t seed = 0; seed < 10 && !HasFailure(); ++seed) {
    RandomWrites writes(seed);
    for (int i = 0; i < 300 && !HasFailure(); ++i) {
      writes.step();
    }
    writes.finish();
    EXPECT_FALSE(HasFailure()) << "seed " << seed;
    EXPECT_GT(writes.acknowledged(), 20u);
  }
}

}  // namespace
}  // namespace forebay::cache
