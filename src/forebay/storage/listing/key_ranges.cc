#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "forebay/storage/listing/key_guess.h"
#include "forebay/storage/listing/list_work.h"
#include "forebay/storage/listing/name_range.h"

namespace forebay::storage {
namespace {

constexpr double kReachGrowth = 8;  // of each guess at an unknown end over the one before
constexpr double kFewestPages = 3;
constexpr size_t kManyFolders = 8;  // in one page

/// A request for the folders in a folder, so that a range can be divided between them.
struct Question {
  uint64_t range = 0;
  std::string folder;
};

class KeyRanges final : public ListWork {
 public:
  KeyRanges(ListRequest request, size_t streams, size_t spare_pages)
      : request_(std::move(request)), streams_(streams), spare_pages_(spare_pages) {
    request_.delimiter.clear();
    NameRange all;
    all.last = request_.start_after;
    ready_.push_back(open(std::move(all)));
  }

  std::optional<ListPiece> next() override {
    if (!ready_.empty()) {
      ListPiece piece = std::move(ready_.front());
      ready_.pop_front();
      return piece;
    }
    const bool may_spend = extra_pages_ < std::max(spare_pages_, folders_seen_);
    return may_spend && ranges_.size() < streams_ ? divide() : std::nullopt;
  }

  void take(ListPiece piece, ListPage& page) override {
    if (const auto question = questions_.find(piece.id); question != questions_.end()) {
      const auto range = ranges_.find(question->second.range);
      if (range != ranges_.end()) {
        range->second.take_folders(question->second.folder, page);
      }
      questions_.erase(question);
      page = {};
      return;
    }
    NameRange& range = ranges_.at(piece.id);
    range.take(page);
    if (!page.objects.empty()) {
      objects_seen_ += static_cast<double>(range.objects);
      folders_seen_ += range.folders_begun;
      pages_seen_ += 1;
    }
    if (page.is_last || range.is_listed()) {
      ranges_.erase(piece.id);
    } else {
      ready_.push_back(std::move(piece));
    }
    page.prefixes.clear();
  }

 private:
  ListPiece open(NameRange range) {
    ListRequest request = request_;
    request.start_after = range.last;
    ranges_.emplace(next_id_, std::move(range));
    return {.id = next_id_++, .request = std::move(request), .stream = nullptr};
  }

  ListPiece split(NameRange& range, const std::string& at) {
    ++extra_pages_;
    return open(range.split(at));
  }

  std::optional<ListPiece> divide() {
    if (std::optional<ListPiece> piece = divide_between_folders()) {
      return piece;
    }
    if (std::optional<ListPiece> piece = ask_for_folders()) {
      return piece;
    }
    return divide_by_guess();
  }

  double page_size() const { return std::max(1.0, objects_seen_ / std::max(1.0, pages_seen_)); }

  /// Whether the folders that are known of a range hold enough to be worth a stream, if they are as large as
  /// those seen so far.
  bool is_worth_dividing(const NameRange& range) const {
    const auto folders_seen = static_cast<double>(std::max<size_t>(1, folders_seen_));
    const double pages =
        static_cast<double>(range.folders.size()) * objects_seen_ / folders_seen / page_size();
    return pages >= (range.folders.size() > 2 ? kFewestPages : 1);
  }

  std::optional<ListPiece> divide_between_folders() {
    NameRange* most = nullptr;
    for (auto& [id, range] : ranges_) {
      if (!range.folders.empty() && (most == nullptr || range.folders.size() > most->folders.size())) {
        most = &range;
      }
    }
    if (most == nullptr || !is_worth_dividing(*most)) {
      return std::nullopt;
    }
    const std::string at = most->folders[most->folders.size() / 2];
    return split(*most, at);
  }

  /// Whether a page has so many folders that their names can be guessed at, which spares a question.
  static bool has_many_folders(const NameRange& range) {
    const size_t same = common_bytes(range.first, range.last);
    return range.folders_begun >= kManyFolders && range.last.find('/', same) != std::string::npos;
  }

  std::optional<ListPiece> ask_for_folders() {
    for (auto& [id, range] : ranges_) {
      const bool is_unclear = range.objects > 0 && range.folders.empty() && !range.is_being_asked;
      if (!is_unclear || has_many_folders(range)) {
        continue;
      }
      if (std::optional<std::string> folder = range.unknown_folder(request_.prefix)) {
        range.is_being_asked = true;
        return ask(id, range, *std::move(folder));
      }
    }
    return std::nullopt;
  }

  ListPiece ask(uint64_t id, const NameRange& range, std::string folder) {
    ++extra_pages_;
    ListRequest request = request_;
    request.start_after = range.last.substr(0, range.last.find('/', folder.size()) + 1);
    request.prefix = std::max(request_.prefix, folder);  // the longer one: one begins with the other
    request.delimiter = "/";
    request.names_only = true;
    questions_.emplace(next_id_, Question{id, std::move(folder)});
    return {.id = next_id_++, .request = std::move(request), .stream = nullptr};
  }

  /// The names that a guess at `range` is for: those in the folder of its last one, or, where a page holds
  /// many folders, those in the folder of these.
  std::optional<SeenNames> guessable(const NameRange& range) const {
    if (range.objects == 0 || range.is_being_asked || !range.folders.empty()) {
      return std::nullopt;
    }
    const size_t same = common_bytes(range.first, range.last);
    const std::string folder = folder_of(range.last.substr(0, same));
    if (folder.size() < folder_of(range.last).size() && !has_many_folders(range)) {
      return std::nullopt;
    }
    return SeenNames{
        .first = range.first,
        .last = range.last,
        .count = range.objects,
        .folder = std::string_view(range.last).substr(0, std::max(folder.size(), request_.prefix.size())),
        .end = range.end};
  }

  /// Divides the range that has most left. While nothing has come from behind a guess at an unknown end,
  /// waits for that: how much there is decides where to divide.
  std::optional<ListPiece> divide_by_guess() {
    NameRange* most = nullptr;
    KeyGuess best;
    for (auto& [id, range] : ranges_) {
      if (range.is_probe && range.objects == 0) {
        return std::nullopt;
      }
      const std::optional<SeenNames> seen = guessable(range);
      std::optional<KeyGuess> guess = seen ? guess_key(*seen, range.reach) : std::nullopt;
      if (guess && !guess->is_bounded) {
        guess->names_left = std::numeric_limits<double>::infinity();
      }
      if (guess && guess->names_left > best.names_left) {
        most = &range;
        best = *std::move(guess);
      }
    }
    if (most == nullptr || best.names_left < kFewestPages * page_size()) {
      return std::nullopt;
    }
    return best.is_bounded ? split(*most, best.key) : probe(*most, best.key);
  }

  ListPiece probe(NameRange& range, const std::string& at) {
    range.reach *= kReachGrowth;
    ListPiece piece = split(range, at);
    ranges_.at(piece.id).is_probe = true;
    return piece;
  }

  ListRequest request_;
  const size_t streams_;
  const size_t spare_pages_;
  uint64_t next_id_ = 0;
  std::map<uint64_t, NameRange> ranges_;
  std::map<uint64_t, Question> questions_;
  std::deque<ListPiece> ready_;
  size_t extra_pages_ = 0;  // that the divisions cost
  size_t folders_seen_ = 0;
  double objects_seen_ = 0;
  double pages_seen_ = 0;
};

}  // namespace

std::unique_ptr<ListWork> key_ranges(ListRequest request, size_t streams, size_t spare_pages) {
  return std::make_unique<KeyRanges>(std::move(request), streams, spare_pages);
}

}  // namespace forebay::storage
