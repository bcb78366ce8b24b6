// A store of millions of objects that exist only as numbers: object i has the name that a function gives it.
// It answers listings alone, at once, and counts the pages.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::storage {

/// Thread safe.
class NumberedStore final : public ForwardingStore {
 public:
  /// The name of an object; names must be sorted as their numbers are.
  using Name = std::function<std::string(uint64_t number)>;

  NumberedStore(uint64_t count, Name name, size_t page_entries = 1000)
      : ForwardingStore(std::make_shared<MemoryStore>()),
        count_(count),
        name_(std::move(name)),
        page_entries_(page_entries) {}

  uint64_t pages() const { return pages_.load(); }

  std::unique_ptr<ListStream> open_list(ListRequest request) override {
    return std::make_unique<Stream>(*this, std::move(request));
  }

  static ObjectStat stat_of(std::string key, uint64_t number) {
    return {.key = std::move(key),
            .size_bytes = number * 10,
            .modified_ns = static_cast<int64_t>(1'700'000'000'000'000'000 + number),
            .version = "v" + std::to_string(number)};
  }

 private:
  class Stream final : public ListStream {
   public:
    Stream(NumberedStore& store, ListRequest request) : store_(store), request_(std::move(request)) {
      const std::string& after = request_.start_after;
      const bool is_folded = !request_.delimiter.empty() && after.ends_with('/') && after > request_.prefix;
      number_ = is_folded ? store_.first_behind(after) : store_.first_not_before(after + '\0');
      go_to(std::max(number_, store_.first_not_before(request_.prefix)));
    }

    void next(const CallContext& context, ListCallback done) override {
      store_.pages_.fetch_add(1);
      if (!is_wanted(context)) {
        done(not_wanted(context, store_.uri_of(request_.prefix)));
        return;
      }
      ListPage page;
      while (page.objects.size() + page.prefixes.size() < store_.page_entries_ && is_inside()) {
        take(page);
      }
      page.is_last = !is_inside();
      done(std::move(page));
    }

   private:
    bool is_inside() const { return number_ < store_.count_ && key_.starts_with(request_.prefix); }
    void go_to(uint64_t number) {
      number_ = number;
      key_ = number < store_.count_ ? store_.name_(number) : "";
    }
    void take(ListPage& page) {
      std::string key = std::move(key_);
      const size_t slash =
          request_.delimiter.empty() ? std::string::npos : key.find('/', request_.prefix.size());
      if (slash == std::string::npos) {
        page.objects.push_back(stat_of(std::move(key), number_));
        go_to(number_ + 1);
        return;
      }
      key.resize(slash + 1);
      go_to(store_.first_behind(key));
      page.prefixes.push_back(std::move(key));
    }

    NumberedStore& store_;
    const ListRequest request_;
    uint64_t number_ = 0;
    std::string key_;  // of that number
  };

  uint64_t first_not_before(std::string_view key) const {
    uint64_t low = 0;
    uint64_t high = count_;
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      const bool is_before = name_(middle) < key;
      (is_before ? low : high) = is_before ? middle + 1 : middle;
    }
    return low;
  }
  /// The first behind all names that begin with `folder`, which ends with a slash.
  uint64_t first_behind(std::string folder) const {
    folder.back() = '/' + 1;
    return first_not_before(folder);
  }

  const uint64_t count_;
  const Name name_;
  const size_t page_entries_;
  std::atomic<uint64_t> pages_{0};
};

}  // namespace forebay::storage
