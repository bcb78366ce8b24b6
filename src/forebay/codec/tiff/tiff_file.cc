#include "forebay/codec/tiff/tiff_file.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <string_view>

#include "forebay/codec/tiff/tiff_pages.h"
#include "forebay/memory/copy.h"

namespace forebay::codec {
namespace {

TiffFile& file_of(void* self) {
  return *static_cast<TiffFile*>(self);
}

std::string text_of(const char* format, va_list arguments) {
  std::array<char, 256> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  return text.data();
}

}  // namespace

TiffFile::~TiffFile() {
  if (file_ != nullptr) {
    TIFFClose(file_);
  }
}

Status TiffFile::open(int64_t page, uint64_t most_bytes) {
  uint64_t directory = 0;
  if (page > 0) {
    FOREBAY_ASSIGN_OR_RETURN(directory, tiff_page_offset(bytes_, page));
  }
  TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
  if (options == nullptr) {
    return resource_exhausted("no memory for a TIFF decoder");
  }
  const uint64_t most = std::min<uint64_t>(most_bytes, std::numeric_limits<tmsize_t>::max());
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, static_cast<tmsize_t>(most));
  TIFFOpenOptionsSetErrorHandlerExtR(options, &TiffFile::on_error, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options, &TiffFile::on_warning, this);
  const char* const mode = page > 0 ? "rh" : "r";  // h: without the first directory
  file_ = TIFFClientOpenExt("TIFF", mode, this, &TiffFile::read, &TiffFile::write, &TiffFile::seek,
                            &TiffFile::close, &TiffFile::size, &TiffFile::map, &TiffFile::unmap, options);
  TIFFOpenOptionsFree(options);
  if (file_ == nullptr) {
    return failure("its first directory cannot be read");
  }
  if (page > 0 && TIFFSetSubDirectory(file_, directory) != 1) {
    return failure("the directory of the page cannot be read");
  }
  return status();
}

Status TiffFile::status() const {
  return complaint_.empty() ? ok_status() : data_loss("TIFF is broken: {}", complaint_);
}

Status TiffFile::failure(const char* what) const {
  return complaint_.empty() ? data_loss("TIFF is broken: {}", what) : status();
}

uint16_t TiffFile::u16(uint32_t tag, uint16_t otherwise) {
  uint16_t value = 0;
  return TIFFGetFieldDefaulted(file_, tag, &value) == 1 ? value : otherwise;
}

uint32_t TiffFile::u32(uint32_t tag, uint32_t otherwise) {
  uint32_t value = 0;
  return TIFFGetFieldDefaulted(file_, tag, &value) == 1 ? value : otherwise;
}

tmsize_t TiffFile::read(thandle_t self, void* to, tmsize_t size) {
  TiffFile& file = file_of(self);
  const uint64_t rest = file.bytes_.size() - std::min<uint64_t>(file.position_, file.bytes_.size());
  const uint64_t taken = std::min(rest, static_cast<uint64_t>(std::max<tmsize_t>(size, 0)));
  if (taken > 0) {
    memory::copy(to, file.bytes_.data() + file.position_, taken);
  }
  file.position_ += taken;
  return static_cast<tmsize_t>(taken);
}

toff_t TiffFile::seek(thandle_t self, toff_t offset, int whence) {
  TiffFile& file = file_of(self);
  const uint64_t origin = whence == SEEK_CUR ? file.position_ : whence == SEEK_END ? file.bytes_.size() : 0;
  file.position_ = origin + offset;
  return file.position_;
}

toff_t TiffFile::size(thandle_t self) {
  return file_of(self).bytes_.size();
}

int TiffFile::map(thandle_t self, void** base, toff_t* size) {
  TiffFile& file = file_of(self);
  *base = const_cast<std::byte*>(file.bytes_.data());  // libtiff only reads there
  *size = file.bytes_.size();
  return 1;
}

void TiffFile::note(const std::string& complaint) {
  if (complaint_.empty()) {
    complaint_ = complaint;
  }
}

int TiffFile::on_error(TIFF*, void* self, const char* /*module*/, const char* format, va_list arguments) {
  file_of(self).note(text_of(format, arguments));
  return 1;
}

/// libjpeg only warns of data that ends early or makes no sense, and goes on with grey; so does libtiff of a
/// fax, and goes on with white, and of a palette that cannot be read, whose indices it takes for greys. Other
/// warnings are of tags that nobody asked for.
int TiffFile::on_warning(TIFF*, void* self, const char* module, const char* format, va_list arguments) {
  const std::string text = text_of(format, arguments);
  const std::string_view from = module == nullptr ? "" : module;
  const bool is_of_pixels = from == "JPEGLib" || from.starts_with("Fax");
  if (is_of_pixels || text.find("ColorMap") != std::string::npos) {
    file_of(self).note(text);
  }
  const bool is_cut_off = from == "PackBitsDecode" && text.starts_with("Discarding");
  if (is_cut_off && file_of(self).goes_on_) {
    file_of(self).note(
        "a run of PackBits goes on in the next row, which can be read in strips of up to 8 MiB only: save it "
        "with smaller strips");
  }
  return 1;
}

}  // namespace forebay::codec
