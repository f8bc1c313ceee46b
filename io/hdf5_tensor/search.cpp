// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_tensor/parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace io::hdf5_tensor {
namespace {

constexpr unsigned deepest = 16;
constexpr std::size_t mostObjects = 10000;
constexpr std::size_t namesShown = 8;

/// Walks groups over hard links; a group linked into itself ends at the greatest depth.
class Search {
public:
    explicit Search(std::string fileName)
        : m_fileName(std::move(fileName))
    {
    }

    void visit(const hdf5::Object& group, const std::string& path, unsigned depth)
    {
        const std::string where = fmt::format("{} {}", m_fileName, path.empty() ? "/" : path);
        if (isCandidate(group.id(), where)) {
            m_candidates.push_back(path.empty() ? "/" : path);
            return;
        }
        for (const std::string& name : hdf5::linkNames(group.id(), where, mostObjects, &m_links)) {
            if (++m_visited > mostObjects)
                throw Error({"holds too many objects to search",
                             m_fileName,
                             {},
                             fmt::format("at most {}", mostObjects),
                             "Name the group: FILE.h5:/group"});
            const hdf5::Object child = hdf5::openObject(group.id(), name, where);
            if (name == "#subsystem#")
                m_matlabObject = true;
            if (hdf5::isDataset(child) && m_datasets.size() < namesShown)
                m_datasets.push_back(path + "/" + name);
            if (hdf5::isGroup(child) && depth < deepest && !name.starts_with('#'))
                visit(child, path + "/" + name, depth + 1);
        }
    }

    std::string only() const
    {
        if (m_candidates.size() == 1)
            return m_candidates.front();
        if (m_candidates.empty())
            refuseNone();
        const std::vector<std::string> shown(m_candidates.begin(),
                                             m_candidates.begin() + static_cast<std::ptrdiff_t>(std::min(m_candidates.size(), namesShown)));
        throw Error({"holds several tensors", m_fileName,
                     fmt::format("{}{}", fmt::join(shown, ", "), m_candidates.size() > shown.size() ? ", …" : ""), "one",
                     fmt::format("Name one: {}:{}", m_fileName, m_candidates.front())});
    }

private:
    [[noreturn]] void refuseNone() const
    {
        if (m_matlabObject)
            throw Error({"holds a MATLAB object, which only MATLAB can open",
                         m_fileName,
                         {},
                         {},
                         "Save its fields there: s.subs=X.subs; s.vals=X.vals; s.size=size(X); save('x.mat','-struct','s','-v7.3')"});
        throw Error({"holds no sparse tensor", m_fileName,
                     m_datasets.empty() ? "no datasets" : fmt::format("{}", fmt::join(m_datasets, ", ")),
                     "datasets for indices and values, such as indices and values",
                     m_links ? "Links to other places are not followed: copy the data into this file." : ""});
    }

    std::string m_fileName;
    std::vector<std::string> m_candidates, m_datasets;
    std::size_t m_visited = 0;
    bool m_matlabObject = false;
    bool m_links = false; ///< soft, external or user-defined ones were met
};

} // namespace

std::vector<kernels::Index> checkedDims(const std::vector<std::uint64_t>& sizes, const std::string& where)
{
    constexpr std::uint64_t largest = std::numeric_limits<kernels::Index>::max();
    if (sizes.size() < kernels::minOrder || sizes.size() > kernels::maxOrder)
        throw Error({"number of modes out of range",
                     where,
                     fmt::format("{}", sizes.size()),
                     fmt::format("{} to {}", kernels::minOrder, kernels::maxOrder),
                     {}});
    std::vector<kernels::Index> dims;
    for (const std::uint64_t size : sizes) {
        if (size < 1 || size > largest)
            throw Error({"size of a mode out of range", where, fmt::format("{}", size), fmt::format("1 to {}", largest), {}});
        dims.push_back(static_cast<kernels::Index>(size));
    }
    return dims;
}

hdf5::Object findTensorGroup(const hdf5::File& file, const std::string& fileName, const std::string& namedGroup, std::string& where)
{
    const hdf5::Object root = hdf5::openPath(file.id(), "/", fileName);
    const auto kind = hdf5::textAttribute(root.id(), "polyad_format", fileName);
    if (kind && *kind != "tensor" && namedGroup.empty())
        throw Error({fmt::format("is a Polyad {} file, not a tensor", *kind),
                     fileName,
                     {},
                     {},
                     *kind == "model" ? "Open it as a model, or open the tensor it was made from." : ""});
    std::string path = namedGroup;
    if (path.empty()) {
        Search search(fileName);
        search.visit(root, "", 0);
        path = search.only();
    }
    where = fmt::format("{} {}", fileName, path);
    hdf5::Object group = hdf5::openPath(file.id(), path, fileName);
    if (!hdf5::isGroup(group))
        throw Error({"is a dataset, not a group", where, {}, "a group with indices and values", {}});
    return group;
}

} // namespace io::hdf5_tensor
