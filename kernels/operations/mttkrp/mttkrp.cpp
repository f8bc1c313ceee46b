// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/mttkrp.h"

#include "kernels/base/error.h"
#include "kernels/base/instruction_set.h"
#include "kernels/operations/mttkrp/formats_cpu.h"
#include "kernels/operations/mttkrp/formats_cuda.h"
#include "kernels/operations/mttkrp/row_walks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kernels::mttkrp {

POLYAD_DECLARE_FILLS(RowWalks<float>);
POLYAD_DECLARE_FILLS(RowWalks<double>);

namespace {

template <class T> RowWalks<T> bestWalks()
{
    RowWalks<T> table;
    POLYAD_FILL_BEST(table);
    return table;
}

template <class T> struct CpuFormat {
    const char* id;
    Made<T> (*make)(const SparseTensor&, const Settings&, RunControl&);
    FormatBytes (*bytes)(const ProblemShape&, const Settings&, unsigned valueBytes);
};

template <class T>
constexpr CpuFormat<T> formats[] = {
    {"runs", makeRuns<T>, bytesOfRuns}, {"coo", makeCoo<T>, bytesOfCoo},       {"csf", makeCsf<T>, bytesOfCsf},
    {"bcsf", makeBcsf<T>, bytesOfBcsf}, {"mmcsf", makeMmcsf<T>, bytesOfMmcsf}, {"flycoo", makeFlycoo<T>, bytesOfFlycoo},
    {"blco", makeBlco<T>, bytesOfBlco}, {"hicoo", makeHicoo<T>, bytesOfHicoo}, {"auto", makeAutomaticFormat<T>, bytesOfAutomatic}};

/// What the CUDA module has, told without it: it may not be there to ask.
struct CudaFormat {
    const char* id;
    bool promisesBits; ///< can be asked to be deterministic
    FormatBytes (*bytes)(const ProblemShape&, const Settings&, unsigned valueBytes);
};

constexpr CudaFormat formatsOnCuda[] = {
    {"runs", true, cudaBytesOfRuns},     {"coo", false, cudaBytesOfCoo},     {"csf", true, cudaBytesOfCsf},
    {"bcsf", true, cudaBytesOfBcsf},     {"mmcsf", false, cudaBytesOfMmcsf}, {"blco", false, cudaBytesOfBlco},
    {"flycoo", true, cudaBytesOfFlycoo}, {"hicoo", false, cudaBytesOfHicoo}, {"auto", true, cudaBytesOfAutomatic}};

template <class Table> std::vector<std::string> idsOf(const Table& table)
{
    std::vector<std::string> ids;
    for (const auto& format : table)
        ids.emplace_back(format.id);
    return ids;
}

} // namespace

void FormatBytes::build(std::uint64_t taken, std::uint64_t left)
{
    most = std::max(most, kept + taken);
    kept += left;
}

const RowWalks<float>& rowWalks(float)
{
    static const RowWalks<float> table = bestWalks<float>();
    return table;
}

const RowWalks<double>& rowWalks(double)
{
    static const RowWalks<double> table = bestWalks<double>();
    return table;
}

const std::vector<std::string>& cpuFormats()
{
    static const std::vector<std::string> ids = idsOf(formats<float>);
    return ids;
}

const std::vector<std::string>& cudaFormats()
{
    static const std::vector<std::string> ids = idsOf(formatsOnCuda);
    return ids;
}

void refuseFormat(std::string_view id, const std::vector<std::string>& known)
{
    throw Error(
        ErrorKind::BadArgument,
        {"there are no products with factors for this format", "format", std::string(id), fmt::format("{}", fmt::join(known, ", ")), {}});
}

bool promisesBits(std::string_view id, DeviceKind kind)
{
    if (kind == DeviceKind::Cpu)
        return true;
    for (const CudaFormat& format : formatsOnCuda)
        if (format.id == id)
            return format.promisesBits;
    refuseFormat(id, cudaFormats());
}

FormatBytes bytesOn(DeviceKind kind, std::string_view id, const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    if (kind == DeviceKind::Cpu) {
        for (const auto& format : formats<float>)
            if (format.id == id)
                return format.bytes(shape, settings, valueBytes);
        refuseFormat(id, cpuFormats());
    }
    for (const CudaFormat& format : formatsOnCuda)
        if (format.id == id)
            return format.bytes(shape, settings, valueBytes);
    refuseFormat(id, cudaFormats());
}

template <class T>
std::unique_ptr<Operation<T>> makeOnCpu(std::string_view id, const SparseTensor& tensor, const Settings& settings, RunControl& control)
{
    for (const auto& format : formats<T>)
        if (format.id == id)
            return format.make(tensor, settings, control);
    refuseFormat(id, cpuFormats());
}
template std::unique_ptr<Operation<float>> makeOnCpu(std::string_view, const SparseTensor&, const Settings&, RunControl&);
template std::unique_ptr<Operation<double>> makeOnCpu(std::string_view, const SparseTensor&, const Settings&, RunControl&);

} // namespace kernels::mttkrp
