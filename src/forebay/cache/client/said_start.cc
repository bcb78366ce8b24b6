#include "forebay/cache/client/said_start.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>

#include "forebay/base/log/notice.h"
#include "forebay/base/units.h"
#include "forebay/cache/messages/shown_name.h"
#include "nlohmann/json.hpp"

namespace forebay::cache {

std::string start_text(std::string_view status) {
  const nlohmann::json json = nlohmann::json::parse(status, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("daemon") || !json.contains("directories")) {
    return "";
  }
  std::string folders;
  for (const nlohmann::json& folder : json.at("directories")) {
    folders += (folders.empty() ? "" : ", ") + shown_name(folder.get<std::string>());
  }
  const double quota_gib = json.value("quota_bytes", 0.0) / static_cast<double>(kGiB);
  return fmt::format(
      "the cache's daemon was started, process {}: it keeps what is read of remote data in {}, at most "
      "{} GiB; FOREBAY_DAEMON=off does without",
      json.at("daemon").value("pid", 0), folders, std::round(quota_gib * 10) / 10);
}

void say_start(HostClient& daemon) {
  static constinit std::atomic<bool> is_said{false};
  const Result<std::string> status = daemon.statistics();
  const std::string text = status.ok() ? start_text(*status) : "";
  if (!text.empty() && !is_said.exchange(true)) {
    log_notice(text);
  }
}

}  // namespace forebay::cache
