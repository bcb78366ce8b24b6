#include "forebay/storage/namespace/path_names.h"

#include <string_view>

#include "forebay/base/log/log.h"
#include "forebay/storage/uri.h"

namespace forebay::storage {
namespace {

class PathList final : public ListStream {
 public:
  PathList(std::unique_ptr<ListStream> inner, std::string root, std::string path)
      : inner_(std::move(inner)),
        names_(std::make_shared<Names>(Names{.root = std::move(root), .path = std::move(path)})) {}

  void next(const CallContext& context, ListCallback done) override {
    ask(inner_, names_, context, kMaxEmptyPages, std::move(done));
  }

 private:
  static constexpr int kMaxEmptyPages = 100;  // one after the other, so that this is no deep recursion

  struct Names {
    std::string root;
    std::string path;
    bool has_warned = false;

    bool is_path(std::string_view key) {
      if (!key.starts_with(root)) {
        return true;  // a listing that did not begin in the mount
      }
      std::string_view below = key.substr(root.size());
      if (below.empty() || stays_below(below.ends_with('/') ? below.substr(0, below.size() - 1) : below)) {
        return true;
      }
      if (!std::exchange(has_warned, true)) {
        log_warning("{}: leaves out the object '{}', and maybe others: no path leads to such a name", path,
                    below);
      }
      return false;
    }
  };

  /// A page of which nothing is left is no answer for somebody who asks whether there is anything.
  static void ask(const std::shared_ptr<ListStream>& inner, const std::shared_ptr<Names>& names,
                  const CallContext& context, int attempts, ListCallback done) {
    inner->next(
        context, [inner, names, context, attempts, done = std::move(done)](Result<ListPage> page) mutable {
          if (page.ok()) {
            std::erase_if(page->objects, [&](const ObjectStat& each) { return !names->is_path(each.key); });
            std::erase_if(page->prefixes, [&](const std::string& each) { return !names->is_path(each); });
            if (page->objects.empty() && page->prefixes.empty() && !page->is_last && attempts > 1) {
              ask(inner, names, context, attempts - 1, std::move(done));
              return;
            }
          }
          done(std::move(page));
        });
  }

  const std::shared_ptr<ListStream> inner_;
  const std::shared_ptr<Names> names_;
};

}  // namespace

std::unique_ptr<ListStream> PathNames::open_list(ListRequest request) {
  return std::make_unique<PathList>(inner().open_list(std::move(request)), root_, path_);
}

void PathNames::stat_many(std::vector<std::string> keys, const CallContext& context, StatManyCallback each) {
  inner().stat_many(std::move(keys), context, std::move(each));
}

void PathNames::read_many(std::vector<ReadRequest> requests, const CallContext& context,
                          ReadManyCallback each) {
  inner().read_many(std::move(requests), context, std::move(each));
}

void PathNames::remove_many(std::vector<std::string> keys, const CallContext& context,
                            RemoveManyCallback each) {
  inner().remove_many(std::move(keys), context, std::move(each));
}

}  // namespace forebay::storage
