// What programs do with files, timed without an interpreter between the calls: mount/run compiles it.
// file_calls random|sequential FILE SECONDS DROP, files FOLDER SECONDS THREADS, names FOLDER; prints
// {"calls", "seconds"}.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kPageBytes = 4096;
constexpr size_t kPieceBytes = 1 << 20;
constexpr size_t kCallsBetweenLooks = 64;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

[[noreturn]] void fail(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

int opened(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    fail(path);
  return descriptor;
}

struct Measured {
  size_t calls = 0;
  double seconds = 0;
};

void print(const Measured& measured) {
  std::printf("{\"calls\": %zu, \"seconds\": %.9f}\n", measured.calls, measured.seconds);
}

std::vector<off_t> places_of(off_t size, size_t bytes, bool shuffled) {
  std::vector<off_t> places(static_cast<size_t>(size) / bytes);
  std::iota(places.begin(), places.end(), off_t{0});
  if (shuffled)
    std::shuffle(places.begin(), places.end(), std::mt19937_64(1));
  for (off_t& place : places) {
    place *= static_cast<off_t>(bytes);
  }
  return places;
}

// Passes over all places until the time is over. With `drop` the kernel's pages of the file go before each
// pass, which is not timed: so no read finds what an earlier one has brought, but for what the kernel read
// ahead.
Measured read_pieces(const std::string& path, size_t bytes, bool shuffled, double least_s, bool drop) {
  const int descriptor = opened(path);
  struct stat found = {};
  if (fstat(descriptor, &found) != 0)
    fail(path);
  const std::vector<off_t> places = places_of(found.st_size, bytes, shuffled);
  std::vector<char> memory(bytes);
  Measured measured;
  while (measured.seconds < least_s) {
    if (drop)
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    const Clock::time_point begin = Clock::now();
    size_t calls = 0;
    for (const off_t place : places) {
      if (pread(descriptor, memory.data(), bytes, place) != static_cast<ssize_t>(bytes))
        fail(path);
      if (++calls % kCallsBetweenLooks == 0 && measured.seconds + seconds_since(begin) >= least_s)
        break;
    }
    measured.seconds += seconds_since(begin);
    measured.calls += calls;
  }
  close(descriptor);
  return measured;
}

std::vector<std::string> listed(const std::string& folder) {
  std::vector<std::string> names;
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr)
    fail(folder);
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] != '.')
      names.push_back(folder + "/" + entry->d_name);
  }
  closedir(directory);
  return names;
}

void read_file(const std::string& path, std::vector<char>& memory) {
  const int descriptor = opened(path);
  while (true) {
    const ssize_t count = read(descriptor, memory.data(), memory.size());
    if (count < 0)
      fail(path);
    if (count == 0)
      break;
  }
  close(descriptor);
}

// Each thread has files of its own, and reads them again and again until the time is over.
Measured read_files(const std::string& folder, double least_s, size_t threads) {
  const std::vector<std::string> names = listed(folder);
  std::vector<size_t> counts(threads);
  std::vector<std::thread> running;
  const Clock::time_point begin = Clock::now();
  for (size_t thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      std::vector<char> memory(kPieceBytes);
      size_t count = 0;
      while (seconds_since(begin) < least_s) {
        for (size_t file = thread; file < names.size() && seconds_since(begin) < least_s; file += threads) {
          read_file(names[file], memory);
          ++count;
        }
      }
      counts[thread] = count;
    });
  }
  for (std::thread& each : running) {
    each.join();
  }
  return {std::accumulate(counts.begin(), counts.end(), size_t{0}), seconds_since(begin)};
}

// Lists the folder, then asks for each name once; the listing is not timed.
Measured stat_names(const std::string& folder) {
  const std::vector<std::string> names = listed(folder);
  const Clock::time_point begin = Clock::now();
  for (const std::string& name : names) {
    struct stat found = {};
    if (lstat(name.c_str(), &found) != 0)
      fail(name);
  }
  return {names.size(), seconds_since(begin)};
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 2 ? words[1] : "";
  const std::string path = count > 2 ? words[2] : "";
  if (what == "names") {
    print(stat_names(path));
  } else if (what == "files" && count == 5) {
    print(read_files(path, std::atof(words[3]), static_cast<size_t>(std::atoi(words[4]))));
  } else if ((what == "random" || what == "sequential") && count == 5) {
    const bool shuffled = what == "random";
    const size_t bytes = shuffled ? kPageBytes : kPieceBytes;
    print(read_pieces(path, bytes, shuffled, std::atof(words[3]), std::atoi(words[4]) != 0));
  } else {
    std::fputs("see the head of file_calls.cc\n", stderr);
    return 2;
  }
  return 0;
}
