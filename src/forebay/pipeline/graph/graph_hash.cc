// The fingerprint of a graph: its parts are hashed one after the other, in the order of its JSON form, so
// graphs with equal JSON have equal fingerprints. No text is generated, because a list of files may have
// millions of names.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "forebay/base/random/random.h"
#include "forebay/operators/operator.h"
#include "forebay/pipeline/graph/graph.h"

namespace forebay::pipeline {
namespace {

// Distinct from the alternatives of Value, because an empty list in JSON has no element type.
constexpr uint64_t kEmptyList = 100;

class Hasher {
 public:
  void add(uint64_t number) { hash_ = mix64(hash_, number); }
  void add(int64_t number) { add(static_cast<uint64_t>(number)); }
  void add(int number) { add(static_cast<uint64_t>(number)); }
  void add(bool flag) { add(uint64_t{flag}); }
  void add(double number) {
    add(std::bit_cast<uint64_t>(std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number));
  }
  void add(const std::string& text) { add(hash64(text)); }
  void add(std::monostate) { add(uint64_t{0}); }
  void add(const Edge& edge) {
    add(edge.node);
    add(edge.output);
  }
  void add(const Guard& guard) {
    add(guard.predicate);
    add(guard.wanted);
  }
  void add(const Value& value) {
    std::visit([&](const auto& held) { add_held(value.index(), held); }, value);
  }
  void add(const OutputPromise& promise) {
    add(promise.dtype ? static_cast<int>(*promise.dtype) : -1);
    add(promise.ndim.value_or(-1));
    add(promise.layout);
  }
  void add(const Node& node) {
    add(node.op);
    add(node.name);
    add(static_cast<int>(node.device));
    add(node.seed.has_value());
    add(node.seed.value_or(0));
    add(node.inputs);
    add(node.constants);
    add(node.tensors);
    add(node.guards);
  }

  template <class T>
  void add(const std::vector<T>& items) {
    add(static_cast<uint64_t>(items.size()));
    for (const T& item : items) {
      add(item);
    }
  }
  template <class T>
  void add(const std::map<std::string, T>& items) {
    add(static_cast<uint64_t>(items.size()));
    for (const auto& [name, item] : items) {
      add(name);
      add(item);
    }
  }

  uint64_t hash() const { return hash_; }

 private:
  template <class T>
  void add_held(uint64_t kind, const T& held) {
    add(kind);
    add(held);
  }
  template <class T>
  void add_held(uint64_t kind, const std::vector<T>& list) {
    add(list.empty() ? kEmptyList : kind);
    add(list);
  }

  uint64_t hash_ = 0;
};

// Arguments of readers that do not decide what their epochs are.
constexpr std::array<std::string_view, 14> kNotOfEpochs = {"num_shards",
                                                           "shard_id",
                                                           "index_file",
                                                           "initial_fill",
                                                           "prefetch_queue_depth",
                                                           "tensor_init_bytes",
                                                           "read_ahead",
                                                           "skip_cached_images",
                                                           "lazy_init",
                                                           "dont_use_mmap",
                                                           "save_preprocessed_annotations",
                                                           "dump_meta_files",
                                                           "save_preprocessed_annotations_dir",
                                                           "dump_meta_files_path"};

bool is_reader(const Node& node) {
  const Result<const operators::OperatorSpec*> spec = operators::find_operator(node.op);
  return spec.ok() && (*spec)->scope == operators::Scope::kSource;
}

bool decides(const std::string& argument, bool is_of_reader) {
  return !is_of_reader || std::ranges::find(kNotOfEpochs, argument) == kNotOfEpochs.end();
}

// A rule is applied to its inputs, whatever they are.
std::vector<Edge> decided_by(const Node& node, bool is_rule) {
  return is_rule ? node.arguments_from() : node.dependencies();
}

}  // namespace

uint64_t Graph::fingerprint_of_rules(const std::vector<int>& rules) const {
  std::vector<bool> is_rule(nodes_.size());
  std::vector<bool> is_needed(nodes_.size());
  for (const int node : rules) {
    is_rule[node] = true;
    is_needed[node] = true;
  }
  for (size_t node = nodes_.size(); node-- > 0;) {
    for (const Edge& edge : is_needed[node] ? decided_by(nodes_[node], is_rule[node]) : std::vector<Edge>()) {
      is_needed[edge.node] = true;
    }
  }
  Hasher all;
  std::vector<uint64_t> hashes(nodes_.size());
  for (size_t number = 0; number < nodes_.size(); ++number) {
    if (!is_needed[number]) {
      continue;
    }
    const Node& node = nodes_[number];
    Hasher hasher;
    hasher.add(node.op);
    hasher.add(node.seed.has_value());
    hasher.add(node.seed.value_or(0));
    hasher.add(is_rule[number] ? uint64_t{0} : operator_key(static_cast<int>(number)));
    const bool is_of_reader = is_reader(node);
    for (const auto& [name, value] : node.constants) {
      if (decides(name, is_of_reader)) {
        hasher.add(name);
        hasher.add(value);
      }
    }
    for (const Edge& edge : decided_by(node, is_rule[number])) {
      hasher.add(hashes[edge.node]);
      hasher.add(edge.output);
    }
    for (const Guard& guard : node.guards) {
      hasher.add(guard.wanted);
    }
    hashes[number] = hasher.hash();
    if (is_rule[number]) {
      all.add(hashes[number]);
    }
  }
  return all.hash();
}

uint64_t Graph::fingerprint() const {
  Hasher hasher;
  hasher.add(nodes_);
  hasher.add(outputs_);
  hasher.add(promises_);
  return hasher.hash();
}

}  // namespace forebay::pipeline
