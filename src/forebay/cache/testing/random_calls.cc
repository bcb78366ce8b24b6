#include "forebay/cache/testing/random_calls.h"
#include "forebay/cache/testing/patterned.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {

using storage::as_bytes;
using storage::ObjectStat;
using storage::ReadBytes;
using storage::ReadRequest;
using storage::text_of;

namespace {

constexpr uint64_t kKeys = 6;
constexpr size_t kMaxHeld = 8;

bool is_part(const ReadBytes& read, const std::string& content, const ReadRequest& request) {
  return request.offset_bytes <= content.size() &&
         text_of(read) == content.substr(request.offset_bytes, request.length_bytes);
}

}  // namespace

RandomCalls::RandomCalls(uint64_t seed, CachedStores& stores, std::shared_ptr<storage::MemoryStore> bucket,
                         std::shared_ptr<storage::FaultInjectingStore> upstream, SteppedClock& clock,
                         std::string prefix)
    : random_(seed, 3),
      stores_(stores),
      bucket_(std::move(bucket)),
      upstream_(std::move(upstream)),
      clock_(clock),
      prefix_(std::move(prefix)) {
}

RandomCalls::~RandomCalls() {
  for (const Held& held : held_) {
    look_at(held);
  }
}

void RandomCalls::step() {
  call();
  if (!held_.empty()) {
    look_at(held_[random_.below(held_.size())]);
  }
}

void RandomCalls::look_at(const Held& held) const {
  EXPECT_TRUE(text_of(held.view) == held.content)
      << "a view of " << held.content.size() << " bytes has changed";
}

void RandomCalls::hold(const ReadBytes& view) {
  if (held_.size() == kMaxHeld) {
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(random_.below(kMaxHeld)));
  }
  held_.push_back({view, text_of(view)});
}

void RandomCalls::restart() {
  if (!stores_.outlives_restart()) {
    held_.clear();
  }
  stores_.restart(random_);
}

void RandomCalls::call() {
  began_ns_ = clock_.now_ns();
  const std::string key = random_key();
  const size_t by = random_.below(stores_.count());
  switch (random_.below(20)) {
    case 0:
      return change_behind(key);
    case 1:
      return write(by, key);
    case 2:
      return write_in_parts(by, key);
    case 3:
      return remove(by, key);
    case 4:
      return copy_or_rename(by, key);
    case 5:
      return clock_.advance_ns(static_cast<int64_t>(random_.below(kTrustedNs)));
    case 6:
      return upstream_->fail_randomly(random_.coin(0.3f) ? 0.3 : 0.0, random_.next_u64(),
                                      unavailable("mem://k: try later"));
    case 7:
      return stores_.flush();
    case 8:
      return random_.below(8) == 0 ? restart() : stores_.disturb(random_);
    case 9:
    case 10:
      return stat(by, key);
    case 11:
      return list(by);
    default:
      return read(by, key);
  }
}

std::string RandomCalls::random_key() {
  return fmt::format("{}k{}", prefix_, random_.below(kKeys));
}

std::string RandomCalls::random_content() {
  const uint64_t size = random_.coin(0.5f) ? random_.below(100'000) : random_.below(3 << 20);
  return testing::patterned(size, random_.next_u64());
}

void RandomCalls::remember(const std::string& key, State state, size_t by) {
  std::vector<State>& states = objects_[key];
  if (states.empty()) {
    states.emplace_back();  // there was nothing
  }
  states.back().until_ns = clock_.now_ns();
  states.back().replaced_by = by;
  states.push_back(std::move(state));
  if (by != kNobody) {
    stores_.settle(by);
  }
}

bool RandomCalls::is_there(const std::string& key) const {
  const auto found = objects_.find(key);
  return found != objects_.end() && !found->second.empty() && !found->second.back().version.empty();
}

void RandomCalls::change_behind(const std::string& key) {
  std::string content = random_content();
  const ObjectStat stat = *write_now(*bucket_, key, as_bytes(content));
  remember(key, {.version = stat.version, .content = std::move(content)}, kNobody);
}

void RandomCalls::write(size_t by, const std::string& key) {
  std::string content = random_content();
  const Result<ObjectStat> stat = write_now(stores_.store(by), key, as_bytes(content));
  ASSERT_TRUE(stat.ok()) << stat.status();
  remember(key, {.version = stat->version, .content = std::move(content)}, by);
}

void RandomCalls::write_in_parts(size_t by, const std::string& key) {
  std::string content;
  Result<std::unique_ptr<storage::ObjectWriter>> writer = stores_.store(by).open_writer(key, {});
  ASSERT_TRUE(writer.ok()) << writer.status();
  for (uint64_t parts = random_.below(4); parts > 0; --parts) {
    const std::string part = random_content();
    ASSERT_TRUE(append_now(**writer, as_bytes(part)).ok());
    content += part;
  }
  if (random_.coin(0.2f)) {
    return;  // given up
  }
  const Result<ObjectStat> stat = commit_now(**writer);
  ASSERT_TRUE(stat.ok()) << stat.status();
  remember(key, {.version = stat->version, .content = std::move(content)}, by);
}

void RandomCalls::remove(size_t by, const std::string& key) {
  if (remove_now(stores_.store(by), key).ok()) {
    remember(key, {}, by);
  }
}

void RandomCalls::copy_or_rename(size_t by, const std::string& from) {
  const std::string to = random_key();
  if (!is_there(from) || to == from) {
    return;
  }
  std::string content = objects_[from].back().content;
  const bool is_copy = random_.coin(0.5f);
  storage::ObjectStore& store = stores_.store(by);
  const Result<ObjectStat> stat =
      is_copy ? copy_now(store, {.from = from, .to = to}) : rename_now(store, {.from = from, .to = to});
  ASSERT_TRUE(stat.ok()) << stat.status();
  remember(to, {.version = stat->version, .content = std::move(content)}, by);
  if (!is_copy) {
    remember(from, {}, by);
  }
}

// What another store's process has written is seen, at the latest, when answers are no longer trusted.
bool RandomCalls::may_be_seen(const State& state, size_t by) const {
  return state.until_ns == -1 || (state.replaced_by != by && began_ns_ - state.until_ns < kTrustedNs);
}

bool RandomCalls::may_be_absent(const std::string& key, size_t by) const {
  const auto found = objects_.find(key);
  if (found == objects_.end() || found->second.empty()) {
    return true;
  }
  return std::ranges::any_of(
      found->second, [&](const State& state) { return state.version.empty() && may_be_seen(state, by); });
}

bool RandomCalls::may_be(const ObjectStat& stat, size_t by) const {
  const auto found = objects_.find(stat.key);
  return found != objects_.end() && std::ranges::any_of(found->second, [&](const State& state) {
           return state.version == stat.version && state.content.size() == stat.size_bytes &&
                  may_be_seen(state, by);
         });
}

void RandomCalls::stat(size_t by, const std::string& key) {
  const Result<ObjectStat> stat = stat_now(stores_.store(by), key);
  if (stat.status().code() == StatusCode::kNotFound) {
    EXPECT_TRUE(may_be_absent(key, by)) << key << " was not found";
  } else if (stat.ok()) {
    ++answered_;
    EXPECT_TRUE(may_be(*stat, by)) << key << " has '" << stat->version << "'";
  }
}

void RandomCalls::list(size_t by) {
  const Result<storage::ListPage> page = list_all_now(stores_.store(by), {.prefix = prefix_});
  ASSERT_TRUE(page.ok()) << page.status();
  ++answered_;
  std::set<std::string> names;
  for (const ObjectStat& stat : page->objects) {
    names.insert(stat.key);
    EXPECT_TRUE(may_be(stat, by)) << stat.key << " was listed as '" << stat.version << "'";
  }
  for (const auto& [key, states] : objects_) {
    EXPECT_TRUE(names.contains(key) || may_be_absent(key, by)) << key << " was not listed";
  }
}

void RandomCalls::read(size_t by, const std::string& key) {
  const std::vector<State>& states = objects_[key];
  const State* named = nullptr;
  if (!states.empty() && random_.coin(0.5f)) {
    named = &states[random_.below(states.size())];
  }
  if (named != nullptr && named->version.empty()) {
    named = nullptr;
  }
  const uint64_t size = named != nullptr  ? named->content.size()
                        : !states.empty() ? states.back().content.size()
                                          : 1000;
  ReadRequest request = {.key = key, .offset_bytes = random_.coin(0.5f) ? 0 : random_.below(size + 1)};
  request.length_bytes = random_.coin(0.3f) ? storage::kToEnd : random_.below(size / 2 + 1);
  request.if_version = named != nullptr ? named->version : "";
  request.padding_bytes = random_.coin(0.5f) ? 64 : 0;
  const Result<ReadBytes> result = read_now(stores_.store(by), request);
  if (!result.ok()) {
    return;
  }
  ++answered_;
  if (random_.coin(0.3f)) {
    hold(*result);
  }
  const bool is_right = std::ranges::any_of(states, [&](const State& state) {
    const bool fits = state.version == result->version &&
                      (named != nullptr ? state.version == named->version : may_be_seen(state, by));
    return fits && is_part(*result, state.content, request);
  });
  EXPECT_TRUE(is_right) << key << ": " << request.length_bytes << " bytes at " << request.offset_bytes
                        << ", version '" << request.if_version << "', got " << result->size_bytes()
                        << " bytes of '" << result->version << "'; it has '"
                        << (states.empty() ? "" : states.back().version) << "'";
}

}  // namespace forebay::cache
