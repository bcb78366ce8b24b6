// Where this system keeps the certificates of the authorities that it trusts. What curl was built with holds
// for one family of distributions only, and a package of ours may run on another.
#pragma once

#include <span>
#include <string>

namespace forebay::net {

/// The first of `files` that can be read; "" if none can.
std::string first_readable(std::span<const char* const> files);

/// Curl's own file if it is there, else that of Debian, Fedora, SUSE or Alpine; "" if there is none, and curl
/// says so. Looked for once in a process.
const std::string& system_certificates();

/// What SSL_CERT_FILE says, which may be null; else, and where that is empty, the system's.
std::string named_or_system_certificates(const char* named);

}  // namespace forebay::net
