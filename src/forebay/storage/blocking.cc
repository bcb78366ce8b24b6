#include "forebay/storage/blocking.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace forebay::storage {
namespace {

/// A place for one answer. The waiter owns it, so the answering thread notifies under the lock.
template <class T>
class Answer {
 public:
  void set(T value) {
    std::lock_guard lock(mutex_);
    value_.emplace(std::move(value));
    ready_.notify_one();
  }
  T wait() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return value_.has_value(); });
    return *std::move(value_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::optional<T> value_;
};

template <class T, class Start>
T wait_for(Start&& start) {
  Answer<T> answer;
  start([&answer](T value) { answer.set(std::move(value)); });
  return answer.wait();
}

}  // namespace

Result<ObjectStat> stat_now(ObjectStore& store, std::string key) {
  return wait_for<Result<ObjectStat>>(
      [&](StatCallback done) { store.stat(std::move(key), std::move(done)); });
}

Result<ListPage> list_now(ObjectStore& store, ListRequest request) {
  return wait_for<Result<ListPage>>(
      [&](ListCallback done) { store.list(std::move(request), std::move(done)); });
}

Result<ListPage> list_all_now(ObjectStore& store, ListRequest request) {
  ListPage all;
  do {
    FOREBAY_ASSIGN_OR_RETURN(ListPage page, list_now(store, request));
    request.page_token = page.next_page_token;
    std::move(page.objects.begin(), page.objects.end(), std::back_inserter(all.objects));
    std::move(page.prefixes.begin(), page.prefixes.end(), std::back_inserter(all.prefixes));
  } while (!request.page_token.empty());
  return all;
}

Result<ReadBytes> read_now(ObjectStore& store, ReadRequest request) {
  return wait_for<Result<ReadBytes>>(
      [&](ReadCallback done) { store.read(std::move(request), std::move(done)); });
}

std::vector<Result<ReadBytes>> read_many_now(ObjectStore& store, std::vector<ReadRequest> requests) {
  const size_t count = requests.size();
  std::vector<Result<ReadBytes>> results(count, unavailable("not answered"));
  if (count == 0) {
    return results;
  }
  Answer<bool> all;
  size_t left = count;
  store.read_many(std::move(requests), [&](size_t request, Result<ReadBytes> result) {
    results[request] = std::move(result);
    if (--left == 0) {
      all.set(true);
    }
  });
  all.wait();
  return results;
}

Result<ObjectStat> write_now(ObjectStore& store, std::string key, Bytes content, WriteOptions options) {
  return wait_for<Result<ObjectStat>>(
      [&](StatCallback done) { store.write(std::move(key), content, std::move(options), std::move(done)); });
}

Status append_now(ObjectWriter& writer, Bytes part) {
  return wait_for<Status>([&](StatusCallback done) { writer.append(part, std::move(done)); });
}

Result<ObjectStat> commit_now(ObjectWriter& writer) {
  return wait_for<Result<ObjectStat>>([&](StatCallback done) { writer.commit(std::move(done)); });
}

Status remove_now(ObjectStore& store, std::string key) {
  return wait_for<Status>([&](StatusCallback done) { store.remove(std::move(key), std::move(done)); });
}

}  // namespace forebay::storage
