// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/error.h"
#include "kernels/operations/mttkrp/plan.h"

/// The format `auto`: which others suit is told by sizes and statistics (plan.h); where two of them come into question and trying is
/// cheap beside an algorithm's work, both are built and timed.
namespace kernels::mttkrp {

/// Stands for the format that was chosen.
template <class T> class Automatic final : public Operation<T> {
public:
    Automatic(std::string format, std::unique_ptr<Operation<T>> chosen)
        : m_format(std::move(format))
        , m_chosen(std::move(chosen))
    {
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        m_chosen->compute(mode, factors, out, control);
    }
    std::uint64_t bytes() const override { return m_chosen->bytes(); }
    std::vector<Detail> details() const override { return m_chosen->details(); }
    bool remaps() const override { return m_chosen->remaps(); }
    std::uint64_t streamedBytes() const override { return m_chosen->streamedBytes(); }
    std::string chosen() const override { return m_format; }

private:
    std::string m_format;
    std::unique_ptr<Operation<T>> m_chosen;
};

/// make(format) builds one, secondsOf(operation) tells how long the products of all modes take. A format that cannot be built
/// leaves the choice to the next.
template <class T, class Make, class SecondsOf>
std::unique_ptr<Operation<T>> makeAutomatic(const Plan& plan, const Make& make, const SecondsOf& secondsOf)
{
    std::unique_ptr<Operation<T>> best;
    std::string bestFormat;
    double bestSeconds = 0;
    unsigned tried = 0;
    for (std::size_t i = 0; i < plan.formats.size() && (!best || tried < plan.tried); ++i) {
        std::unique_ptr<Operation<T>> made;
        try {
            made = make(plan.formats[i]);
        } catch (const Error& error) {
            const bool other = error.kind() == ErrorKind::BadArgument || error.kind() == ErrorKind::OutOfMemory;
            if (!other || (!best && i + 1 == plan.formats.size()))
                throw;
            continue;
        }
        double seconds = 0;
        try {
            seconds = plan.tried > 1 ? secondsOf(*made) : 0;
        } catch (const OutOfMemory&) { // for the trial: what stands stays
            if (!best) {
                best = std::move(made);
                bestFormat = plan.formats[i];
            }
            break;
        }
        ++tried;
        if (best && seconds >= bestSeconds)
            continue;
        best = std::move(made);
        bestFormat = plan.formats[i];
        bestSeconds = seconds;
    }
    return std::make_unique<Automatic<T>>(bestFormat, std::move(best));
}

} // namespace kernels::mttkrp
