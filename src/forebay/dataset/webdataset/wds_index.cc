#include "forebay/dataset/webdataset/wds_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "forebay/dataset/compression/compressed_file.h"
#include "forebay/dataset/index/index_words.h"
#include "forebay/dataset/webdataset/tar.h"

namespace forebay::dataset {
namespace {

/// Whether a member's header begins with its name, whatever has written the archive.
bool has_whole_name_in_header(std::string_view name) {
  constexpr size_t kMaxBytes = 100;
  return !name.empty() && name.size() <= kMaxBytes &&
         std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Result<WdsSample> parse_sample(std::string_view line, bool has_names, const std::string& name,
                               uint64_t number) {
  WdsSample sample;
  while (true) {
    const std::string_view extension = next_word(&line);
    if (extension.empty()) {
      break;
    }
    const std::optional<uint64_t> offset = next_number(&line);
    const std::optional<uint64_t> size = offset ? next_number(&line) : std::nullopt;
    const std::string_view member = size && has_names ? next_word(&line) : std::string_view();
    if (!size || (has_names && member.empty())) {
      return data_loss("{}:{}: a damaged line of a WebDataset index", name, number);
    }
    if (*offset % kTarBlockBytes != 0) {
      return data_loss("{}:{}: the offset {} is not a multiple of {}", name, number, *offset, kTarBlockBytes);
    }
    WdsComponent component{.name = std::string(member),
                           .extension = std::string(extension),
                           .offset_bytes = *offset,
                           .size_bytes = *size,
                           .name_offset_bytes = {}};
    if (has_whole_name_in_header(member) && *offset >= kTarBlockBytes) {
      component.name_offset_bytes = *offset - kTarBlockBytes;
    }
    sample.components.push_back(std::move(component));
  }
  if (sample.components.empty()) {
    return data_loss("{}:{}: a sample without parts", name, number);
  }
  return sample;
}

}  // namespace

std::string_view WdsComponent::key_of_name(std::string_view name) {
  const size_t last_part = name.rfind('/') + 1;  // 0 without a "/"
  return name.substr(0, std::min(name.find('.', last_part), name.size()));
}

Result<WdsArchive> scan_wds_archive(const ByteSource& archive, const std::string& name, TakeWdsSample take) {
  TarReader reader(archive, name);
  WdsArchive found;
  std::string current;
  while (true) {
    Result<std::optional<TarMember>> next = reader.next();
    if (reader.cut_at() == 0 || (!next.ok() && reader.position() == 0)) {
      FOREBAY_RETURN_IF_ERROR(check_not_compressed(archive, name));
    }
    if (next.status().code() == StatusCode::kDataLoss) {
      found.lost_at = reader.position();
      found.damage = next.status();
      return found;
    }
    FOREBAY_ASSIGN_OR_RETURN(const std::optional<TarMember> member, std::move(next));
    if (!member) {
      found.lost_at = reader.cut_at();
      return found;
    }
    const size_t last_part = member->name.rfind('/') + 1;  // 0 without a "/"
    const size_t dot = std::min(member->name.find('.', last_part), member->name.size());
    if (!member->is_file || dot == last_part) {
      continue;
    }
    const std::string stem(WdsComponent::key_of_name(member->name));
    if (found.samples.empty()) {
      found.samples.emplace_back();
    } else if (stem != current) {
      FOREBAY_RETURN_IF_ERROR(take(std::exchange(found.samples.back(), {})));
    }
    current = stem;
    found.samples.back().components.push_back(
        {.name = member->name,
         .extension = member->name.substr(std::min(dot + 1, member->name.size())),
         .offset_bytes = member->offset_bytes,
         .size_bytes = member->size_bytes,
         .name_offset_bytes = member->name_offset_bytes,
         .is_name_split = member->is_name_split});
  }
}

Result<WdsArchive> scan_wds_archive(const ByteSource& archive, const std::string& name) {
  std::vector<WdsSample> samples;
  const auto take = [&samples](WdsSample sample) {
    samples.push_back(std::move(sample));
    return ok_status();
  };
  FOREBAY_ASSIGN_OR_RETURN(WdsArchive found, scan_wds_archive(archive, name, take));
  samples.insert(samples.end(), std::make_move_iterator(found.samples.begin()),
                 std::make_move_iterator(found.samples.end()));
  found.samples = std::move(samples);
  return found;
}

Result<std::vector<WdsSample>> parse_wds_index(std::string_view text, const std::string& name) {
  std::string_view first = next_line(&text);
  const std::string_view version = next_word(&first);
  const std::optional<uint64_t> count = next_number(&first);
  if ((version != "v1.1" && version != "v1.2") || !count) {
    return data_loss(
        "{}:1: a WebDataset index begins with \"v1.1\" or \"v1.2\" and the number of samples, not with: {}",
        name, version.substr(0, 40));
  }
  std::vector<WdsSample> samples;
  for (uint64_t number = 2; samples.size() < *count; ++number) {
    if (text.empty()) {
      return data_loss("{}:{}: the WebDataset index ends after {} of {} samples", name, number,
                       samples.size(), *count);
    }
    FOREBAY_ASSIGN_OR_RETURN(WdsSample sample,
                             parse_sample(next_line(&text), version == "v1.2", name, number));
    samples.push_back(std::move(sample));
  }
  return samples;
}

Result<std::string> wds_index_text(const std::vector<WdsSample>& samples) {
  std::string lines;
  size_t count = 0;
  for (const WdsSample& sample : samples) {
    std::string line;
    for (const WdsComponent& component : sample.components) {
      if (component.name.find_first_of(" \t\r\n") != std::string::npos) {
        return invalid_argument("'{}' has white space, which an index of wds2idx cannot hold",
                                component.name);
      }
      if (!component.extension.empty()) {
        line += fmt::format("{}{} {} {} {}", line.empty() ? "" : " ", component.extension,
                            component.offset_bytes, component.size_bytes, component.name);
      }
    }
    if (!line.empty()) {
      lines += line + "\n";
      ++count;
    }
  }
  return fmt::format("v1.2 {}\n{}", count, lines);
}

}  // namespace forebay::dataset
