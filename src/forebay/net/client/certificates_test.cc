#include "forebay/net/client/certificates.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::net {
namespace {

TEST(Certificates, TheFirstFileThatIsThere) {
  const TemporaryDirectory directory;
  const std::string fedora = directory / "ca-bundle.crt";
  const std::string suse = directory / "ca-bundle.pem";
  std::ofstream(fedora) << "certificates";
  std::ofstream(suse) << "certificates";
  const std::string debian = directory / "ca-certificates.crt";
  EXPECT_EQ(first_readable(std::array{debian.c_str(), fedora.c_str(), suse.c_str()}), fedora);
  EXPECT_EQ(first_readable(std::array{debian.c_str()}), "");
}

TEST(Certificates, OfThisSystem) {
  const std::string& file = system_certificates();
  EXPECT_TRUE(file.empty() || access(file.c_str(), R_OK) == 0) << file;
  EXPECT_EQ(&file, &system_certificates());
}

TEST(Certificates, AnEmptyNameIsNone) {
  EXPECT_EQ(named_or_system_certificates("/own.pem"), "/own.pem");
  EXPECT_EQ(named_or_system_certificates(nullptr), system_certificates());
  EXPECT_EQ(named_or_system_certificates(""), system_certificates());
}

}  // namespace
}  // namespace forebay::net
