// Many reads of stores at once, for Python: each answer is copied to its bytes while the others are under
// way, and its buffer goes back at once.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <condition_variable>
#include <stop_token>
#include <thread>
#include <vector>

#include "bindings/interpreter/bindings.h"
#include "bindings/storage/store_calls.h"
#include "forebay/memory/copy.h"

namespace forebay::bindings {
namespace {

using storage::CallContext;
using storage::ObjectAddress;
using storage::ReadBytes;

struct ReadAnswer {
  size_t place;
  Result<ReadBytes> read;
};

/// Answers, as they come.
class ReadArrivals {
 public:
  void add(ReadAnswer answer) {
    const MutexLock lock(mutex_);
    come_.push_back(std::move(answer));
    changed_.notify_one();
  }

  /// What has come since the last call; waits a moment for the first.
  std::vector<ReadAnswer> take() {
    UniqueMutexLock lock(mutex_);
    changed_.wait_for(lock.native(), std::chrono::milliseconds(50),
                      [this]() FOREBAY_REQUIRES(mutex_) { return !come_.empty(); });
    return std::exchange(come_, {});
  }

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  std::vector<ReadAnswer> come_ FOREBAY_GUARDED_BY(mutex_);
};

/// Reads of one store, and the places of their answers.
struct ReadBatch {
  std::shared_ptr<storage::ObjectStore> store;
  std::vector<storage::ReadRequest> requests;
  std::vector<size_t> places;
};

std::vector<ReadBatch> batches_of(nb::handle reads) {
  std::vector<ReadBatch> batches;
  size_t place = 0;
  for (const nb::handle read : reads) {
    const ObjectAddress address = address_of(read[0]);
    ReadBatch* batch = nullptr;
    for (ReadBatch& known : batches) {
      batch = known.store == address.store ? &known : batch;
    }
    if (batch == nullptr) {
      batch = &batches.emplace_back(ReadBatch{.store = address.store});
    }
    const auto length = nb::cast<std::optional<uint64_t>>(read[2]);
    batch->requests.push_back({.key = address.key,
                               .offset_bytes = nb::cast<uint64_t>(read[1]),
                               .length_bytes = length.value_or(storage::kToEnd)});
    batch->places.push_back(place++);
  }
  return batches;
}

void start(ReadBatch& batch, const CallContext& context, const std::shared_ptr<ReadArrivals>& arrivals) {
  batch.store->read_many(
      std::move(batch.requests), context,
      [arrivals, places = std::move(batch.places)](size_t request, Result<ReadBytes> read) {
        arrivals->add({places[request], std::move(read)});
      });
}

nb::object exception_of(const Status& status) {
  try {
    raise_store_error(status);
  } catch (nb::python_error& error) {
    return nb::borrow(error.value());
  }
}

/// An object for each answer. Those of bytes are filled by copy_to().
nb::object room_for(const ReadAnswer& answer) {
  if (!answer.read.ok()) {
    return exception_of(answer.read.status());
  }
  PyObject* const room =
      PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(answer.read->bytes.size()));
  if (room == nullptr) {
    throw nb::python_error();
  }
  return nb::steal(room);
}

/// Needs no GIL: nobody else knows the new object yet.
void copy_to(PyObject* room, const ReadBytes& read) {
  if (!read.bytes.empty()) {
    auto* const target = reinterpret_cast<std::byte*>(PyBytes_AsString(room));
    memory::copy(target, read.bytes.data(), read.bytes.size());
  }
}

/// Starting may block (a first connection, local files), so it has a thread of its own. Whatever ends the
/// wait, all reads have ended with it.
class RunningReads {
 public:
  explicit RunningReads(std::vector<ReadBatch> batches, size_t count) : left_(count) {
    starter_ =
        std::thread([batches = std::move(batches), context = CallContext{.cancellation = stop_.get_token()},
                     arrivals = arrivals_]() mutable {
          for (ReadBatch& batch : batches) {
            start(batch, context, arrivals);
          }
        });
  }
  RunningReads(const RunningReads&) = delete;
  RunningReads& operator=(const RunningReads&) = delete;
  ~RunningReads() {
    without_gil([this] {
      stop_.request_stop();
      while (left_ > 0) {
        take();
      }
      starter_.join();
    });
  }

  bool is_done() const { return left_ == 0; }

  /// Without the GIL.
  std::vector<ReadAnswer> take() {
    std::vector<ReadAnswer> come = arrivals_->take();
    left_ -= come.size();
    return come;
  }

 private:
  const std::shared_ptr<ReadArrivals> arrivals_ = std::make_shared<ReadArrivals>();
  std::stop_source stop_;
  size_t left_;
  std::thread starter_;
};

/// `reads`: (path, offset, length or None). Its bytes for each, or its exception.
nb::list read_many_paths(nb::handle reads) {
  const size_t count = nb::len(reads);
  std::vector<nb::object> found(count);
  RunningReads running(batches_of(reads), count);
  while (!running.is_done()) {
    std::vector<ReadAnswer> come = without_gil([&] { return running.take(); });
    if (PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
    for (const ReadAnswer& answer : come) {
      found[answer.place] = room_for(answer);
    }
    without_gil([&] {
      for (ReadAnswer& answer : come) {
        if (answer.read.ok()) {
          copy_to(found[answer.place].ptr(), *answer.read);
        }
      }
      come.clear();
    });
  }
  nb::list results;
  for (nb::object& each : found) {
    results.append(std::move(each));
  }
  return results;
}

}  // namespace

void bind_store_read_many(nb::module_& module) {
  module.def("store_read_many", &read_many_paths, nb::arg("reads"),
             nb::sig("def store_read_many(reads: object) -> list[bytes | Exception]"),
             "For each (path, offset, length or None) its bytes or its exception. All are read together.");
}

}  // namespace forebay::bindings
