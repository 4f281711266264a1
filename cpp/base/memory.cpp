// SPDX-License-Identifier: Apache-2.0
#include "base/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <string_view>

namespace npl {
namespace {

/// Sum of the values behind these words of a file of lines "word value ...".
double sum_of(const std::string& path, std::initializer_list<std::string_view> words, double otherwise) {
  std::ifstream file(path);
  double sum = 0;
  bool found = false;
  for (std::string word, rest; file >> word; std::getline(file, rest))
    if (double value = 0; std::find(words.begin(), words.end(), word) != words.end() && file >> value) sum += value, found = true;
  return found ? sum : otherwise;
}

}  // namespace

double available_memory(const std::string& proc, const std::string& cgroup) {
  const double machine = sum_of(proc + "/meminfo", {"MemAvailable:"}, 1e18 / 1024) * 1024;
  std::ifstream limit(cgroup + "/memory.max"), used(cgroup + "/memory.current");
  double most = 0, now = 0;
  if (!(limit >> most && used >> now)) return machine;  // none, or "max"
  const double cached = sum_of(cgroup + "/memory.stat", {"inactive_file", "active_file"}, 0.0);
  return std::min(machine, std::max(0.0, most - std::max(0.0, now - cached)));
}

double available_memory() { return available_memory("/proc", "/sys/fs/cgroup"); }

std::string size_text(double bytes) {
  char text[32];
  bytes < 1e9 ? std::snprintf(text, sizeof text, "%.1f MB", bytes / 1e6) : std::snprintf(text, sizeof text, "%.2f GB", bytes / 1e9);
  return text;
}

}  // namespace npl
