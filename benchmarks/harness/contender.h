// What every C++ contender shares: the task it is given, the clock it is measured by, the result it leaves.
// The runner starts a contender with one argument, a JSON object; harness/contender.py describes it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace contender {

struct Task {
  std::string data;                         // folder of pictures
  std::map<std::string, std::string> text;  // the row's texts
  std::map<std::string, double> number;     // the row's numbers and switches (0 or 1)
  std::string result;                       // file to write
  std::string check;                        // .npy file to write instead of measuring, or empty
  double seconds = 3;                       // least time to measure
};

// Reads the program's only argument; ends the program with a message if it is not a task.
Task read_task(int argc, char** argv);

// The contents of every picture (JPEG, PNG, TIFF, BMP, PPM, WebP, JPEG 2000) under the folder, in order of
// path.
std::vector<std::string> read_pictures(const std::string& folder);

// The bytes of one file; ends the program when there is none.
std::string read_file(const std::string& path);

// User and system time of this process until now.
double cpu_seconds();

// Calls `pass` (which returns how many images it made) until `seconds` have passed, once more before that to
// warm up, on `threads` threads at once, and writes the result file. CPU seconds are those of the whole
// process.
void measure(const Task& task, int threads, const std::map<std::string, std::string>& versions,
             const std::function<int(int thread)>& pass);

// Writes a result of other figures than measure()'s, by name.
void report(const Task& task, const std::map<std::string, std::string>& versions,
            const std::map<std::string, double>& figures);

// Writes a result that says that this row is not offered.
void decline(const Task& task, const std::map<std::string, std::string>& versions);

// Writes `values` as a .npy file of float32 with that shape to `task.check`, and an empty result.
void save(const Task& task, const std::map<std::string, std::string>& versions,
          const std::vector<float>& values, const std::vector<int64_t>& shape);

}  // namespace contender
