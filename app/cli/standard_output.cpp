// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/standard_output.h"

#include "app/cli/formatting.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace cli {

void prepareStandardStreams()
{
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of write(), too
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        // The lowest free descriptor is this stream's own; read-only, so that writing to it still fails.
        if (fcntl(stream, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDONLY);
}

OutputLost::OutputLost(int error, std::string hint)
    : kernels::Error(kernels::ErrorKind::Internal, {"cannot be written", "standard output", std::strerror(error), {}, std::move(hint)})
    , m_error(error)
{
}

bool OutputLost::readerWentAway() const { return m_error == EPIPE; }

namespace {

constexpr std::string_view ofLayout = "\n\t";

int write(const std::string& text)
{
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0 ? 0 : errno;
}

} // namespace

int tryPrint(const std::string& text) { return write(visible(text, ofLayout)); }

void printData(const std::string& text)
{
    if (const int error = isatty(STDOUT_FILENO) ? tryPrint(text) : write(text))
        throw OutputLost(error);
}

void printError(const std::string& text) { std::fputs(visible(text, ofLayout).c_str(), stderr); }

void print(const std::string& text)
{
    if (const int error = tryPrint(text))
        throw OutputLost(error);
}

} // namespace cli
