#include "forebay/cache/client/plan_sender.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/base/sync/timer.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/entries/object_name.h"
#include "forebay/cache/items/item_table.h"
#include "forebay/cache/messages/shared_memory.h"

namespace forebay::cache {
namespace {

using storage::DescribedItems;
using storage::PlannedRange;
using storage::ReadPlan;

constexpr uint64_t kStepsOfWindow = 8;  // how often the daemon hears of a cursor, in a reader's window
constexpr uint64_t kSentWindowPositions = 1024;
constexpr size_t kSentWindowBytes = size_t{32} << 10;  // beyond which a window gets no more positions
constexpr uint64_t kObjectsLookedAt = 1024;            // for one that is in the store
constexpr uint64_t kItemsMadeAtOnce = 256;             // a table of more waits for the reader's first batch
constexpr int64_t kLongestTableWaitNs = 100'000'000;   // but no longer than this

/// The URI by which the daemon knows an object; nothing where the URI leaves out a part of the key.
std::optional<std::string> shown_uri(const storage::ObjectStore& store, const std::string& key) {
  std::string uri = store.uri_of(key);
  if (uri.size() > kMaxNameBytes || prefix_of(uri).empty() || may_hide_a_part(uri, key)) {
    return std::nullopt;
  }
  return uri;
}

/// A hash of a data set as one store has it: the same names, mounted elsewhere, are another table.
uint64_t table_number(const DescribedItems& items, const std::string& first, const std::string& last) {
  const uint64_t number = mix64(mix64(items.data_set(), hash64(first)), hash64(last));
  return number == 0 ? 1 : number;
}

/// The URI of the first object that lies in the store, in the order of the numbers or backwards.
std::optional<std::string> any_uri(const DescribedItems& items, const storage::ObjectStore& store,
                                   bool is_backwards) {
  const uint64_t count = items.num_objects();
  for (uint64_t i = 0; i < std::min(count, kObjectsLookedAt); ++i) {
    const std::optional<storage::PlannedObject> object = items.object(is_backwards ? count - 1 - i : i);
    std::optional<std::string> uri = object ? shown_uri(store, object->key) : std::nullopt;
    if (uri) {
      return uri;
    }
  }
  return std::nullopt;
}

}  // namespace

struct PlanSender::Sent {
  uint64_t number = 0;
  uint32_t store = 0;
  uint64_t begin = 0;  // where the reader began
  std::shared_ptr<storage::ObjectStore> names;
  std::shared_ptr<ReadPlan> plan;
  std::string prefix;  // of all URIs; see prefix_of()
  bool has_table = false;
  std::atomic<uint64_t> told{0};  // the cursor that the daemon knows
  std::atomic<bool> is_forgotten{false};
  std::atomic<bool> owes_table{false};
  Mutex mutex;
  uint64_t window_begin FOREBAY_GUARDED_BY(mutex) = 0;  // of the last window that was sent
  uint64_t window_end FOREBAY_GUARDED_BY(mutex) = 0;

  /// A cursor is told in steps: the daemon needs to know it no better than its reader reads ahead.
  uint64_t step() const { return std::max<uint64_t>(1, plan->reader_window() / kStepsOfWindow); }
  Result<FileDescriptor> make_table(uint64_t* bytes) const;
  std::shared_ptr<const DescribedItems> items() const {
    return std::dynamic_pointer_cast<const DescribedItems>(plan->items());
  }
};

PlanSender::~PlanSender() {
  if (!identity_.is_alive()) {
    worker_.release();  // its thread is in the other process
  }
}

/// False if there is nothing that the daemon could know.
bool PlanSender::describe(const Sent& sent, FollowPlan* plan) const {
  plan->store = sent.store;
  plan->begin = sent.plan->cursor();
  plan->end = sent.plan->end();
  plan->reader_window = sent.plan->reader_window();
  if (const std::shared_ptr<const DescribedItems> items = sent.items()) {
    const std::optional<std::string> first = any_uri(*items, *sent.names, false);
    const std::optional<std::string> last = any_uri(*items, *sent.names, true);
    if (!first || !last) {
      return false;
    }
    plan->order = items->description();
    plan->uri = *first;
    plan->table = table_number(*items, *first, *last);
    return true;
  }
  const std::vector<PlannedRange> ranges = sent.plan->ranges(plan->begin, kObjectsLookedAt);
  for (const PlannedRange& range : ranges) {
    if (const std::optional<std::string> uri = shown_uri(*sent.names, range.key)) {
      plan->uri = *uri;
      return true;
    }
  }
  return false;
}

// The plan goes before all that is said of it. What happened meanwhile is said afterwards.
void PlanSender::send(uint32_t store, std::shared_ptr<storage::ObjectStore> names,
                      const std::shared_ptr<ReadPlan>& plan) {
  const auto sent = std::make_shared<Sent>();
  sent->store = store;
  sent->names = std::move(names);
  sent->plan = plan;
  FollowPlan description;
  if (!identity_.is_alive() || !describe(*sent, &description)) {
    return;
  }
  sent->prefix = prefix_of(description.uri);
  sent->has_table = description.table != 0;
  sent->begin = description.begin;
  sent->told = description.begin;
  {
    const MutexLock lock(sent->mutex);
    sent->window_begin = description.begin;
    sent->window_end = description.begin;
  }
  {
    const MutexLock lock(mutex_);
    if (has_ended_) {
      return;
    }
    sent->number = ++last_number_;
    sent_.emplace(sent->number, sent);
  }
  if (!connection_->send(bytes_of(encode(description, sent->number))).ok()) {
    forget(*sent);
    return;
  }
  send_windows(*sent, description.begin);
  plan->follow([held = weak_from_this(), weak = std::weak_ptr<Sent>(sent)](const ReadPlan&) {
    const std::shared_ptr<PlanSender> sender = held.lock();
    const SentRef known = weak.lock();
    if (sender && known) {
      sender->moved(known);
    }
  });
  moved(sent);
}

void PlanSender::moved(const SentRef& sent) {
  if (!identity_.is_alive() || sent->is_forgotten.load()) {
    return;
  }
  if (sent->plan->is_retracted()) {
    if (!sent->is_forgotten.exchange(true)) {
      connection_->send(bytes_of(encode_header(HostMessage::kEndPlan, sent->number))).IgnoreError();
      forget(*sent);
    }
    return;
  }
  tell_cursor(*sent, sent->plan->cursor());
  if (sent->plan->cursor() > sent->begin) {
    make_owed_table(sent);
  }
}

void PlanSender::tell_cursor(Sent& sent, uint64_t cursor) {
  uint64_t told = sent.told.load();
  while (cursor >= told + sent.step()) {
    if (sent.told.compare_exchange_weak(told, cursor)) {
      connection_->send(bytes_of(encode(PlanCursor{cursor}, sent.number))).IgnoreError();
      send_windows(sent, cursor);
      return;
    }
  }
}

/// So that a window lies ahead of the one that the reader's own window is in.
void PlanSender::send_windows(Sent& sent, uint64_t cursor) {
  if (sent.has_table) {
    return;
  }
  const uint64_t reached = cursor + sent.plan->reader_window();
  const MutexLock lock(sent.mutex);
  while (reached >= sent.window_begin && std::max(sent.window_end, reached) < sent.plan->end()) {
    const PlanWindow window = window_from(sent, std::max(sent.window_end, reached));
    if (window.count == 0) {
      return;  // retracted
    }
    sent.window_begin = window.first;
    sent.window_end = window.first + window.count;
    connection_->send(bytes_of(encode(window, sent.number))).IgnoreError();
  }
}

PlanWindow PlanSender::window_from(const Sent& sent, uint64_t first) const {
  PlanWindow window = {.first = first};
  size_t bytes = 0;
  while (window.count < std::min(kSentWindowPositions, sent.plan->end() - first) &&
         bytes < kSentWindowBytes) {
    for (PlannedRange& range : sent.plan->ranges(first + window.count, 1)) {
      std::optional<std::string> uri = shown_uri(*sent.names, range.key);
      if (uri && uri->size() + range.version.size() < kSentWindowBytes / 2) {
        bytes += sizeof(WindowRange) + uri->size() + range.version.size();
        window.ranges.push_back({.place = window.count,
                                 .uri = *std::move(uri),
                                 .offset_bytes = range.offset_bytes,
                                 .length_bytes = range.length_bytes,
                                 .version = std::move(range.version),
                                 .is_to_end = range.is_to_end});
      }
    }
    ++window.count;
  }
  return sent.plan->is_retracted() ? PlanWindow() : window;
}

/// The table in sealed memory; `bytes` is its size.
Result<FileDescriptor> PlanSender::Sent::make_table(uint64_t* bytes) const {
  const std::shared_ptr<const DescribedItems> items = this->items();
  if (!items) {
    return cancelled("the plan has been retracted");
  }
  const auto uri_of = [this](const std::string& key) { return shown_uri(*names, key).value_or(""); };
  const auto is_wanted = [this] { return !is_forgotten.load() && !plan->is_retracted(); };
  FOREBAY_ASSIGN_OR_RETURN(const std::string image, ItemTable::image_of(*items, prefix, uri_of, is_wanted));
  *bytes = image.size();
  return sealed_copy(bytes_of(image));
}

// A process that cannot make it says so, since others may wait. The table of a large data set takes a core
// for a while, which the first batch has a use for.
void PlanSender::give_table(uint64_t number) {
  SentRef sent;
  {
    const MutexLock lock(mutex_);
    const auto found = sent_.find(number);
    if (found != sent_.end()) {
      sent = found->second;
    }
  }
  if (!sent) {
    connection_->send(bytes_of(encode(PlanTable(), number))).IgnoreError();
    return;
  }
  sent->owes_table = true;
  const std::shared_ptr<const DescribedItems> items = sent->items();
  if (!items || items->num_items() <= kItemsMadeAtOnce || sent->plan->cursor() > sent->begin) {
    make_owed_table(sent);
    return;
  }
  Timer& timer = process_timer();
  timer.at(timer.now_ns() + kLongestTableWaitNs, [held = weak_from_this(), sent] {
    if (const std::shared_ptr<PlanSender> sender = held.lock()) {
      sender->make_owed_table(sent);
    }
  });
}

void PlanSender::make_owed_table(const SentRef& sent) {
  if (!sent->owes_table.exchange(false)) {
    return;
  }
  worker_->add(
      [connection = connection_, sent] {
        PlanTable table;
        const Result<FileDescriptor> memory = sent->make_table(&table.bytes);
        table.bytes = memory.ok() ? table.bytes : 0;
        const int file = memory.ok() ? memory->get() : -1;
        connection->send(bytes_of(encode(table, sent->number)), {&file, memory.ok() ? size_t{1} : size_t{0}})
            .IgnoreError();
      },
      0);
}

void PlanSender::forget(const Sent& sent) {
  const MutexLock lock(mutex_);
  sent_.erase(sent.number);
}

void PlanSender::end() {
  std::unordered_map<uint64_t, SentRef> sent;
  {
    const MutexLock lock(mutex_);
    has_ended_ = true;
    sent.swap(sent_);
  }
  for (const auto& [number, each] : sent) {
    each->is_forgotten = true;
  }
}

}  // namespace forebay::cache
