// Runs repeated work (a training step) as one launch of a graph, where that pays. The first time, work is put
// on the queue as it is; the second time it is captured, made into a graph and launched; from then on the
// graph is launched. If anything prevents that, the work is put on the queue as it is.
//
// Work is recognised by a key (after Apophenia, Yadav et al., ASPLOS 2025: a repeated stream is recorded when
// it recurs; MLX's CUDA backend: a bounded set of graphs, updated if the shape is the same). It is captured
// on a separate queue, because on the queue itself another thread may record a point at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"
#include "forebay/memory/device_graph.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::cuda {

/// With fewer pieces of work (kernels, copies, fills) than this, a graph does not pay: launching a graph
/// costs a processor 3.5 to 8 us (CUDA.jl's handbook, "CUDA graphs"), launching a kernel about 3 (Velox, pull
/// request 6096). benchmarks/repeated_step measures it.
inline constexpr size_t kFewestPieces = 4;

struct RepeatedWorkOptions {
  memory::Queue queue;         // the queue that runs the work
  uint32_t capture_queue = 0;  // another queue of the same driver, used for nothing but captures
  size_t most_graphs = 8;      // the least recently used one is dropped
  size_t fewest_pieces = kFewestPieces;
};

/// Counts the outcomes of RepeatedWork::run().
struct RepeatedWorkCounts {
  uint64_t plain = 0;     // put on the queue as it is
  uint64_t launched = 0;  // run as a graph
  uint64_t made = 0;      // graphs made anew
  uint64_t updated = 0;   // graphs updated from the least recently used one
  uint64_t failed = 0;    // captures, graphs and launches that failed
};

/// Used by one thread at a time, for example by the tasks of one device executor. The destructor waits until
/// the device has passed what was launched.
class RepeatedWork {
 public:
  /// Puts work on the given queue, the same each time for one key, and does nothing else: it is called again
  /// if a capture fails, and not called at all if a graph replaces it. While it is captured it must not
  /// record points, wait, or allocate memory; if it does, the work is not turned into a graph.
  /// memory::copy_async records a point, so it cannot be used here.
  using Put = absl::FunctionRef<Status(memory::Queue queue)>;

  /// Keeps `device` (whatever owns the driver) alive. invalid_argument if both queues are the same or no
  /// graphs are allowed. A driver without graphs is not an error: then all work is put on the queue as it is.
  static Result<std::unique_ptr<RepeatedWork>> create(const RepeatedWorkOptions& options,
                                                      std::shared_ptr<const void> device);
  ~RepeatedWork();
  RepeatedWork(const RepeatedWork&) = delete;
  RepeatedWork& operator=(const RepeatedWork&) = delete;

  /// Puts the work on the queue, in one way or the other. `key` is a hash of everything that the work depends
  /// on: kernels, shapes, addresses, parameters. Memory at those addresses belongs to the work whenever it
  /// runs. `owners` (for example of that memory) is kept until the device has passed the last launch of a
  /// graph made in this call. Errors and exceptions are those of `put`; the queue then has what `put` put
  /// there, or nothing if it was captured.
  Status run(uint64_t key, Put put, std::shared_ptr<const void> owners = nullptr);

  const RepeatedWorkCounts& counts() const { return counts_; }

 private:
  /// Work seen before.
  struct Entry {
    uint64_t key = 0;
    bool stays_plain = false;
    std::optional<memory::DeviceGraph> graph;
    std::shared_ptr<const void> owners;  // owners of what the graph uses
  };
  /// What the device may still be using, until the fence.
  struct Retired {
    std::optional<memory::DeviceGraph> graph;
    std::shared_ptr<const void> owners;
    Fence last_use;
  };

  RepeatedWork(const RepeatedWorkOptions& options, std::shared_ptr<const void> device);
  bool bring_to_front(uint64_t key);
  Status run_plainly(Put put);
  bool try_launch(Entry& entry);
  Status run_captured(Entry& entry, Put put, std::shared_ptr<const void> owners);
  bool make_graph(Entry& entry, const memory::CapturedWork& work);
  bool update_oldest(Entry& entry, const memory::CapturedWork& work);
  void note_failure(Entry& entry);
  void retire(Entry& entry);
  void release_passed();

  const RepeatedWorkOptions options_;
  const std::shared_ptr<const void> device_;
  const bool has_graphs_;
  std::vector<Entry> entries_;  // most recently used first
  std::vector<Retired> retired_;
  int64_t owed_ = 0;  // cost of captures that later launches still have to repay
  RepeatedWorkCounts counts_;
};

}  // namespace forebay::cuda
