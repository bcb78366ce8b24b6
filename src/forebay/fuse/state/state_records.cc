#include "forebay/fuse/state/state_records.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "forebay/fuse/state/state_log.h"

namespace forebay::fuse {
namespace {

enum class RecordKind : uint8_t {
  kMount = 1,
  kAgreement,
  kAnnounced,
  kNode,
  kLookup,
  kForget,
  kMarks,
  kOpened,
  kReleased,
  kNextNode,
  kNextHandle,
  kTaken,
  kAnswered,
};

/// Puts a record together: numbers as the machine has them, texts behind their length.
class RecordWriter {
 public:
  explicit RecordWriter(RecordKind kind) { put(kind); }

  template <class Value>
  RecordWriter& put(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    record_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  RecordWriter& put_text(std::string_view text) {
    put(static_cast<uint32_t>(text.size()));
    record_ += text;
    return *this;
  }
  std::string take() { return std::move(record_); }

 private:
  std::string record_;
};

/// Takes a record apart. After an error nothing more is taken.
class RecordReader {
 public:
  explicit RecordReader(std::string_view record) : rest_(record) {}

  template <class Value>
  Value take() {
    Value value{};
    const std::string_view bytes = take_bytes(sizeof(value));
    if (bytes.size() == sizeof(value)) {
      std::memcpy(&value, bytes.data(), sizeof(value));
    }
    return value;
  }
  std::string take_text() { return std::string(take_bytes(take<uint32_t>())); }
  HandleKind take_handle_kind() {
    const auto kind = take<HandleKind>();
    is_sound_ = is_sound_ && (kind == HandleKind::kFile || kind == HandleKind::kDirectory);
    return kind;
  }
  bool take_bool() { return take<uint8_t>() != 0; }

  bool is_sound() const { return is_sound_ && rest_.empty(); }

 private:
  std::string_view take_bytes(size_t bytes) {
    if (!is_sound_ || bytes > rest_.size()) {
      is_sound_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
  bool is_sound_ = true;
};

int64_t bytes_in_log(std::string_view record) {
  return StateLog::bytes_of(record);
}

Status no_record(std::string_view record) {
  const int kind = record.empty() ? 0 : static_cast<uint8_t>(record[0]);
  return data_loss("the state of a mount: a record of kind {} and {} bytes is not as that kind is written",
                   kind, record.size());
}

Result<int64_t> take_mount(RestoredState& state, std::string_view record, RecordReader& reader) {
  MountFacts facts;
  facts.line.id = reader.take<int32_t>();
  facts.line.device = reader.take_text();
  facts.line.path = reader.take_text();
  facts.line.type = reader.take_text();
  facts.line.source = reader.take_text();
  facts.line.unique = reader.take<uint64_t>();
  facts.mounted_ns = reader.take<int64_t>();
  if (!reader.is_sound()) {
    return no_record(record);
  }
  state.mount = std::move(facts);
  return bytes_in_log(record);
}

Result<int64_t> take_agreement(RestoredState& state, std::string_view record, RecordReader& reader) {
  Agreement agreement;
  agreement.minor = reader.take<uint32_t>();
  agreement.flags = reader.take<uint64_t>();
  if (!reader.is_sound()) {
    return no_record(record);
  }
  state.agreement = agreement;
  return bytes_in_log(record);
}

Result<int64_t> take_node(RestoredState& state, std::string_view record, RecordReader& reader) {
  const auto id = reader.take<uint64_t>();
  KeptNode node;
  node.is_folder = reader.take_bool();
  node.marks = reader.take<uint8_t>();
  node.lookups = reader.take<uint64_t>();
  node.stat.size_bytes = reader.take<uint64_t>();
  node.stat.modified_ns = reader.take<int64_t>();
  node.stat.key = reader.take_text();
  node.stat.version = reader.take_text();
  if (!reader.is_sound()) {
    return no_record(record);
  }
  const auto before = state.nodes.find(id);
  const int64_t replaced = before == state.nodes.end() ? 0 : node_record_bytes(before->second.stat);
  state.next_node = std::max(state.next_node, id + 1);
  state.nodes.insert_or_assign(id, std::move(node));
  return bytes_in_log(record) - replaced;
}

/// A change of a node that is there.
Result<int64_t> take_change(RestoredState& state, RecordKind kind, std::string_view record,
                            RecordReader& reader) {
  const auto found = state.nodes.find(reader.take<uint64_t>());
  const uint64_t lookups = kind == RecordKind::kForget ? reader.take<uint64_t>() : 0;
  const uint8_t marks = kind == RecordKind::kMarks ? reader.take<uint8_t>() : 0;
  if (!reader.is_sound() || found == state.nodes.end()) {
    return no_record(record);
  }
  KeptNode& node = found->second;
  if (kind == RecordKind::kMarks) {
    node.marks = marks;
  } else if (kind == RecordKind::kLookup) {
    ++node.lookups;
  } else if (node.lookups > lookups) {
    node.lookups -= lookups;
  } else {
    const int64_t bytes = node_record_bytes(node.stat);
    state.nodes.erase(found);
    return -bytes;
  }
  return 0;
}

RestoredState::Handles& handles_of(RestoredState& state, HandleKind kind) {
  return kind == HandleKind::kFile ? state.files : state.directories;
}

Result<int64_t> take_opened(RestoredState& state, std::string_view record, RecordReader& reader) {
  RestoredState::Handles& handles = handles_of(state, reader.take_handle_kind());
  const auto handle = reader.take<uint64_t>();
  HandleFacts facts;
  facts.node = reader.take<uint64_t>();
  facts.flags = reader.take<uint32_t>();
  facts.backing_id = reader.take<int32_t>();
  if (!reader.is_sound()) {
    return no_record(record);
  }
  handles.next = std::max(handles.next, handle + 1);
  const bool is_new = handles.open.insert_or_assign(handle, facts).second;
  return is_new ? bytes_in_log(record) : 0;
}

Result<int64_t> take_released(RestoredState& state, std::string_view record, RecordReader& reader) {
  RestoredState::Handles& handles = handles_of(state, reader.take_handle_kind());
  const auto handle = reader.take<uint64_t>();
  if (!reader.is_sound()) {
    return no_record(record);
  }
  return handles.open.erase(handle) == 0 ? 0 : -opened_record_bytes();
}

/// The next numbers, and requests under way: a number each.
Result<int64_t> take_number(RestoredState& state, RecordKind kind, std::string_view record,
                            RecordReader& reader) {
  RestoredState::Handles* const handles =
      kind == RecordKind::kNextHandle ? &handles_of(state, reader.take_handle_kind()) : nullptr;
  const auto number = reader.take<uint64_t>();
  if (!reader.is_sound()) {
    return no_record(record);
  }
  const int64_t bytes = bytes_in_log(record);
  if (handles != nullptr) {
    handles->next = std::max(handles->next, number);
    return bytes;
  }
  if (kind == RecordKind::kNextNode) {
    state.next_node = std::max(state.next_node, number);
    return bytes;
  }
  if (kind == RecordKind::kTaken) {
    state.highest_begun = std::max(state.highest_begun, number);
    return state.under_way.insert(number).second ? bytes : 0;
  }
  return state.under_way.erase(number) > 0 ? -bytes : 0;
}

}  // namespace

std::string record_of(const MountFacts& mount) {
  return RecordWriter(RecordKind::kMount)
      .put(int32_t{mount.line.id})
      .put_text(mount.line.device)
      .put_text(mount.line.path)
      .put_text(mount.line.type)
      .put_text(mount.line.source)
      .put(mount.line.unique)
      .put(mount.mounted_ns)
      .take();
}

std::string record_of(const Agreement& agreement) {
  return RecordWriter(RecordKind::kAgreement).put(agreement.minor).put(agreement.flags).take();
}

std::string announced_record() {
  return RecordWriter(RecordKind::kAnnounced).take();
}

std::string node_record(uint64_t id, bool is_folder, uint8_t marks, uint64_t lookups,
                        const storage::ObjectStat& stat) {
  return RecordWriter(RecordKind::kNode)
      .put(id)
      .put(static_cast<uint8_t>(is_folder ? 1 : 0))
      .put(marks)
      .put(lookups)
      .put(stat.size_bytes)
      .put(stat.modified_ns)
      .put_text(stat.key)
      .put_text(stat.version)
      .take();
}

std::string lookup_record(uint64_t id) {
  return RecordWriter(RecordKind::kLookup).put(id).take();
}

std::string forget_record(uint64_t id, uint64_t lookups) {
  return RecordWriter(RecordKind::kForget).put(id).put(lookups).take();
}

std::string marks_record(uint64_t id, uint8_t marks) {
  return RecordWriter(RecordKind::kMarks).put(id).put(marks).take();
}

std::string opened_record(HandleKind kind, uint64_t handle, const HandleFacts& facts) {
  return RecordWriter(RecordKind::kOpened)
      .put(kind)
      .put(handle)
      .put(facts.node)
      .put(facts.flags)
      .put(facts.backing_id)
      .take();
}

std::string released_record(HandleKind kind, uint64_t handle) {
  return RecordWriter(RecordKind::kReleased).put(kind).put(handle).take();
}

std::string next_node_record(uint64_t next) {
  return RecordWriter(RecordKind::kNextNode).put(next).take();
}

std::string next_handle_record(HandleKind kind, uint64_t next) {
  return RecordWriter(RecordKind::kNextHandle).put(kind).put(next).take();
}

std::string taken_record(uint64_t unique) {
  return RecordWriter(RecordKind::kTaken).put(unique).take();
}

std::string answered_record(uint64_t unique) {
  return RecordWriter(RecordKind::kAnswered).put(unique).take();
}

int64_t node_record_bytes(const storage::ObjectStat& stat) {
  static const int64_t without_texts = bytes_in_log(node_record(0, false, 0, 0, {}));
  return without_texts + static_cast<int64_t>(stat.key.size() + stat.version.size());
}

int64_t opened_record_bytes() {
  static const int64_t bytes = bytes_in_log(opened_record(HandleKind::kFile, 0, {}));
  return bytes;
}

Result<int64_t> RestoredState::take(std::string_view record) {
  RecordReader reader(record);
  const auto kind = reader.take<RecordKind>();
  switch (kind) {
    case RecordKind::kMount:
      return take_mount(*this, record, reader);
    case RecordKind::kAgreement:
      return take_agreement(*this, record, reader);
    case RecordKind::kAnnounced:
      is_announced = true;
      return reader.is_sound() ? Result<int64_t>(bytes_in_log(record)) : no_record(record);
    case RecordKind::kNode:
      return take_node(*this, record, reader);
    case RecordKind::kLookup:
    case RecordKind::kForget:
    case RecordKind::kMarks:
      return take_change(*this, kind, record, reader);
    case RecordKind::kOpened:
      return take_opened(*this, record, reader);
    case RecordKind::kReleased:
      return take_released(*this, record, reader);
    case RecordKind::kNextNode:
    case RecordKind::kNextHandle:
    case RecordKind::kTaken:
    case RecordKind::kAnswered:
      return take_number(*this, kind, record, reader);
  }
  return no_record(record);
}

}  // namespace forebay::fuse
