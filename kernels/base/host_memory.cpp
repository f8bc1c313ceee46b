// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/host_memory.h"

#include "kernels/base/error.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace kernels {
namespace {

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

/// The number in a file that holds one; nothing for "max" and for files that are not there.
std::optional<std::uint64_t> numberIn(const std::filesystem::path& file)
{
    std::ifstream stream(file);
    std::uint64_t number = 0;
    if (stream >> number)
        return number;
    return std::nullopt;
}

/// The number behind a name in a file of "name number" lines.
std::optional<std::uint64_t> numberNamed(const std::filesystem::path& file, const std::string& name)
{
    std::ifstream stream(file);
    std::string line;
    while (std::getline(stream, line)) {
        if (!line.starts_with(name) || line.size() <= name.size() || (line[name.size()] != ' ' && line[name.size()] != ':'))
            continue;
        const std::size_t digits = line.find_first_of("0123456789", name.size());
        if (digits != std::string::npos)
            return std::strtoull(line.c_str() + digits, nullptr, 10);
    }
    return std::nullopt;
}

std::uint64_t difference(std::uint64_t limit, std::uint64_t used) { return limit > used ? limit - used : 0; }

std::uint64_t leftOfMachine()
{
    const auto kibibytes = numberNamed("/proc/meminfo", "MemAvailable");
    return kibibytes ? *kibibytes * 1024 : unknown;
}

/// One level of the hierarchy. Cached file pages count as used there but go when asked for.
std::uint64_t leftOfGroup(const std::filesystem::path& folder, const char* limitFile, const char* usedFile, const std::string& cacheName)
{
    const auto limit = numberIn(folder / limitFile);
    const auto used = numberIn(folder / usedFile);
    if (!limit || !used)
        return unknown;
    const std::uint64_t cached = numberNamed(folder / "memory.stat", cacheName).value_or(0);
    return difference(*limit, difference(*used, cached));
}

/// The path of this process below the hierarchy's mount point: "" for v2, else the controller's name.
std::filesystem::path groupPath(const std::string& controller)
{
    std::ifstream stream("/proc/self/cgroup");
    std::string line;
    while (std::getline(stream, line)) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second != std::string::npos && line.substr(first + 1, second - first - 1) == controller)
            return std::filesystem::path(line.substr(second + 1)).relative_path();
    }
    return {};
}

std::uint64_t leftOfGroups()
{
    const auto least = [](const std::filesystem::path& root, std::filesystem::path below, const char* limit, const char* used,
                          const std::string& cache) {
        std::uint64_t result = leftOfGroup(root, limit, used, cache);
        for (; !below.empty(); below = below.parent_path())
            result = std::min(result, leftOfGroup(root / below, limit, used, cache));
        return result;
    };
    return std::min(
        least("/sys/fs/cgroup", groupPath(""), "memory.max", "memory.current", "inactive_file"),
        least("/sys/fs/cgroup/memory", groupPath("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"));
}

std::uint64_t leftOfAddressSpace()
{
#ifdef __linux__
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return unknown;
    const std::uint64_t pages = numberIn("/proc/self/statm").value_or(0);
    return difference(limit.rlim_cur, pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
#else
    return unknown;
#endif
}

} // namespace

std::uint64_t availableHostMemory() { return std::min({leftOfMachine(), leftOfGroups(), leftOfAddressSpace()}); }

void requireHostMemory(std::uint64_t bytes, const std::string& hint)
{
    const std::uint64_t available = availableHostMemory();
    if (bytes > available)
        throw OutOfMemory("main memory", bytes, available, hint);
}

} // namespace kernels
