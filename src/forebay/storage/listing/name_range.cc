#include "forebay/storage/listing/name_range.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "forebay/storage/listing/key_guess.h"

namespace forebay::storage {
namespace {

/// How many folders the objects lie in that `before` does not lie in. Back in a folder that was left counts
/// nothing.
size_t count_folders(const std::vector<ObjectStat>& objects, std::string_view before) {
  size_t count = 0;
  for (const ObjectStat& object : objects) {
    const std::string_view behind = std::string_view(object.key).substr(common_bytes(before, object.key));
    count += static_cast<size_t>(std::ranges::count(behind, '/'));
    before = object.key;
  }
  return count;
}

}  // namespace

std::string folder_of(const std::string& key) {
  const size_t slash = key.rfind('/');
  return slash == std::string::npos ? "" : key.substr(0, slash + 1);
}

void NameRange::take(ListPage& page) {
  if (end) {
    const auto is_inside = [&](const ObjectStat& object) { return object.key <= *end; };
    const auto cut = std::ranges::partition_point(page.objects, is_inside);
    page.is_last = page.is_last || cut != page.objects.end();
    page.objects.erase(cut, page.objects.end());
  }
  if (page.objects.empty()) {
    return;
  }
  folders_begun = count_folders(page.objects, objects == 0 ? page.objects.front().key : last);
  first = page.objects.front().key;
  last = page.objects.back().key;
  objects = page.objects.size();
  while (!folders.empty() && folders.front() <= last) {
    folders.pop_front();
  }
  std::erase_if(asked, [&](const auto& known) { return !last.starts_with(known.first); });
}

std::optional<std::string> NameRange::unknown_folder(const std::string& prefix) const {
  const size_t common = end ? common_bytes(last, *end) : 0;
  size_t begin = std::max(folder_of(last.substr(0, common)).size(), folder_of(prefix).size());
  for (size_t slash = last.find('/', begin); slash != std::string::npos; slash = last.find('/', begin)) {
    const std::string folder = last.substr(0, begin);
    const auto known = asked.find(folder);
    if (known == asked.end() || (known->second && last > *known->second)) {
      return folder;
    }
    begin = slash + 1;
  }
  return std::nullopt;
}

void NameRange::take_folders(const std::string& folder, const ListPage& page) {
  const auto is_here = [&](const std::string& name) { return name > last && (!end || name < *end); };
  std::ranges::copy_if(page.prefixes, std::back_inserter(folders), is_here);
  const bool has_more = !page.is_last && !page.prefixes.empty();
  asked[folder] = has_more ? std::optional(page.prefixes.back()) : std::nullopt;
  is_being_asked = false;
}

NameRange NameRange::split(const std::string& at) {
  NameRange behind;
  behind.last = at;
  behind.end = std::exchange(end, at);
  const auto place = std::ranges::lower_bound(folders, at);
  std::ranges::copy_if(place, folders.end(), std::back_inserter(behind.folders),
                       [&](const std::string& name) { return name > at; });
  folders.erase(place, folders.end());
  behind.asked = asked;
  behind.reach = reach;
  return behind;
}

}  // namespace forebay::storage
