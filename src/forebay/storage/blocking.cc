#include "forebay/storage/blocking.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <optional>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/interruptible_waits.h"

namespace forebay::storage {
namespace {

constexpr size_t kStatsTogether = 4096;  // a call under way takes some 2 kB

/// A slot for one answer. The waiting thread owns it, so the answering thread notifies while it holds the
/// lock.
template <class T>
class Answer {
 public:
  void set(T value) {
    const MutexLock lock(mutex_);
    value_.emplace(std::move(value));
    ready_.notify_one();
  }
  T wait(WaitedCall& call) {
    while (!has_come(call.time_between_looks())) {
      call.look();
    }
    const MutexLock lock(mutex_);
    return *std::move(value_);
  }

 private:
  /// Waits that long for it, or, without a time, until it has come.
  bool has_come(std::optional<std::chrono::milliseconds> wait) {
    UniqueMutexLock lock(mutex_);
    const auto is_there = [this]() FOREBAY_REQUIRES(mutex_) { return value_.has_value(); };
    if (wait) {
      return ready_.wait_for(lock.native(), *wait, is_there);
    }
    ready_.wait(lock.native(), is_there);
    return true;
  }

  Mutex mutex_;
  std::condition_variable ready_;
  std::optional<T> value_ FOREBAY_GUARDED_BY(mutex_);
};

/// Makes a call through `start`, which takes its context and the callback, and waits for the answer.
template <class T, class Start>
T wait_for(const CallContext& given, Start&& start) {
  WaitedCall call(given);
  Answer<T> answer;
  start(call.context(), [&answer](T value) { answer.set(std::move(value)); });
  return answer.wait(call);
}

/// Makes `count` calls through `start` alike. The answers are ordered by number.
template <class T, class Start>
std::vector<T> wait_for_all(const CallContext& given, size_t count, Start&& start) {
  std::vector<T> results(count, unavailable("not answered"));
  if (count == 0) {
    return results;
  }
  WaitedCall call(given);
  Answer<bool> all;
  size_t left = count;
  start(call.context(), [&](size_t request, T result) {
    results[request] = std::move(result);
    if (--left == 0) {
      all.set(true);
    }
  });
  all.wait(call);
  return results;
}

}  // namespace

Result<ObjectStat> stat_now(ObjectStore& store, std::string key, const CallContext& given) {
  return wait_for<Result<ObjectStat>>(given, [&](const CallContext& context, StatCallback done) {
    store.stat(std::move(key), context, std::move(done));
  });
}

std::vector<Result<ObjectStat>> stat_many_now(ObjectStore& store, std::vector<std::string> keys,
                                              const CallContext& given) {
  std::vector<Result<ObjectStat>> stats;
  stats.reserve(keys.size());
  for (size_t first = 0; first < keys.size(); first += kStatsTogether) {
    const auto begin = std::make_move_iterator(keys.begin() + static_cast<std::ptrdiff_t>(first));
    const size_t count = std::min(kStatsTogether, keys.size() - first);
    std::vector<std::string> some(begin, begin + static_cast<std::ptrdiff_t>(count));
    std::vector<Result<ObjectStat>> answers = wait_for_all<Result<ObjectStat>>(
        given, count, [&](const CallContext& context, StatManyCallback each) {
          store.stat_many(std::move(some), context, std::move(each));
        });
    std::ranges::move(answers, std::back_inserter(stats));
  }
  return stats;
}

Result<ListPage> next_page_now(ListStream& stream, const CallContext& given) {
  return wait_for<Result<ListPage>>(
      given, [&](const CallContext& context, ListCallback done) { stream.next(context, std::move(done)); });
}

Result<ListPage> list_now(ObjectStore& store, ListRequest request, const CallContext& context) {
  return next_page_now(*store.open_list(std::move(request)), context);
}

Status list_pages_now(ObjectStore& store, ListRequest request,
                      const std::function<Status(const ListPage& page)>& take, const CallContext& context) {
  const std::unique_ptr<ListStream> stream = store.open_list(std::move(request));
  while (true) {
    FOREBAY_ASSIGN_OR_RETURN(const ListPage page, next_page_now(*stream, context));
    FOREBAY_RETURN_IF_ERROR(take(page));
    if (page.is_last) {
      return ok_status();
    }
  }
}

Result<ListPage> list_all_now(ObjectStore& store, ListRequest request, const CallContext& context) {
  ListPage all;
  all.is_last = true;
  const auto take = [&all](const ListPage& page) {
    all.objects.insert(all.objects.end(), page.objects.begin(), page.objects.end());
    all.prefixes.insert(all.prefixes.end(), page.prefixes.begin(), page.prefixes.end());
    return ok_status();
  };
  FOREBAY_RETURN_IF_ERROR(list_pages_now(store, std::move(request), take, context));
  return all;
}

Result<ReadBytes> read_now(ObjectStore& store, ReadRequest request, const CallContext& given) {
  return wait_for<Result<ReadBytes>>(given, [&](const CallContext& context, ReadCallback done) {
    store.read(std::move(request), context, std::move(done));
  });
}

std::vector<Result<ReadBytes>> read_many_now(ObjectStore& store, std::vector<ReadRequest> requests,
                                             const CallContext& given) {
  const size_t count = requests.size();
  return wait_for_all<Result<ReadBytes>>(given, count,
                                         [&](const CallContext& context, ReadManyCallback each) {
                                           store.read_many(std::move(requests), context, std::move(each));
                                         });
}

std::vector<Result<BringOutcome>> bring_many_now(ObjectStore& store, std::vector<BringRequest> requests,
                                                 const CallContext& given) {
  const size_t count = requests.size();
  return wait_for_all<Result<BringOutcome>>(given, count,
                                            [&](const CallContext& context, BringManyCallback each) {
                                              store.bring_many(std::move(requests), context, std::move(each));
                                            });
}

Result<ObjectStat> write_now(ObjectStore& store, std::string key, Bytes content, WriteOptions options,
                             const CallContext& given) {
  return wait_for<Result<ObjectStat>>(given, [&](const CallContext& context, StatCallback done) {
    store.write(std::move(key), content, std::move(options), context, std::move(done));
  });
}

Status append_now(ObjectWriter& writer, Bytes part, const CallContext& given) {
  return wait_for<Status>(given, [&](const CallContext& context, StatusCallback done) {
    writer.append(part, context, std::move(done));
  });
}

Result<ObjectStat> commit_now(ObjectWriter& writer, const CallContext& given) {
  return wait_for<Result<ObjectStat>>(
      given, [&](const CallContext& context, StatCallback done) { writer.commit(context, std::move(done)); });
}

Status remove_now(ObjectStore& store, std::string key, const CallContext& given) {
  return wait_for<Status>(given, [&](const CallContext& context, StatusCallback done) {
    store.remove(std::move(key), context, std::move(done));
  });
}

std::vector<Status> remove_many_now(ObjectStore& store, std::vector<std::string> keys,
                                    const CallContext& given) {
  const size_t count = keys.size();
  return wait_for_all<Status>(given, count, [&](const CallContext& context, RemoveManyCallback each) {
    store.remove_many(std::move(keys), context, std::move(each));
  });
}

Result<ObjectStat> rename_now(ObjectStore& store, MoveRequest request, const CallContext& given) {
  return wait_for<Result<ObjectStat>>(given, [&](const CallContext& context, StatCallback done) {
    store.rename(std::move(request), context, std::move(done));
  });
}

Result<ObjectStat> copy_now(ObjectStore& store, MoveRequest request, const CallContext& given) {
  return wait_for<Result<ObjectStat>>(given, [&](const CallContext& context, StatCallback done) {
    store.copy(std::move(request), context, std::move(done));
  });
}

Status settle_now(ObjectStore& store, std::string key, const CallContext& given) {
  return wait_for<Status>(given, [&](const CallContext& context, StatusCallback done) {
    store.settle(std::move(key), context, std::move(done));
  });
}

Status make_directory_now(ObjectStore& store, std::string key, const CallContext& given) {
  return wait_for<Status>(given, [&](const CallContext& context, StatusCallback done) {
    store.make_directory(std::move(key), context, std::move(done));
  });
}

}  // namespace forebay::storage
