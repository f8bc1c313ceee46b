// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_tensor/layouts.h"
#include "io/several_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace io::hdf5_tensor {
namespace {

constexpr unsigned deepest = 16;
constexpr std::size_t mostObjects = 10000;
constexpr std::size_t namesShown = 8;

std::string optionFor(const std::string& layout) { return "--layout " + layout; }

/// Walks groups over hard links; a group linked into itself ends at the greatest depth. Candidates are groups that
/// look like a tensor, or, where a layout is given, datasets that could be read in it.
class Search {
public:
    explicit Search(std::string fileName, std::string layout = {})
        : m_fileName(std::move(fileName))
        , m_layout(std::move(layout))
    {
    }

    void visit(const hdf5::Object& group, const std::string& path, unsigned depth)
    {
        const std::string where = fmt::format("{} {}", m_fileName, path.empty() ? "/" : path);
        if (m_layout.empty() && isCandidate(group.id(), where)) {
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
            if (hdf5::isDataset(child))
                note(child, path + "/" + name);
            if (hdf5::isGroup(child) && depth < deepest && !name.starts_with('#'))
                visit(child, path + "/" + name, depth + 1);
        }
    }

    std::string only() const
    {
        if (m_candidates.size() == 1)
            return m_candidates.front();
        if (m_candidates.empty() && m_matlabArrays.size() == 1)
            return m_matlabArrays.front();
        if (m_candidates.empty() && !m_layout.empty() && m_datasets.size() == 1)
            return m_datasets.front(); // its reader says best what is wrong with it
        const std::vector<std::string>& candidates = m_candidates.empty() ? m_matlabArrays : m_candidates;
        if (candidates.empty())
            refuseNone();
        const std::vector<std::string> shown(candidates.begin(),
                                             candidates.begin() + static_cast<std::ptrdiff_t>(std::min(candidates.size(), namesShown)));
        throw SeveralTensors({m_layout.empty() ? "holds several tensors" : "holds several datasets for " + optionFor(m_layout), m_fileName,
                              fmt::format("{}{}", fmt::join(shown, ", "), candidates.size() > shown.size() ? ", …" : ""), "one",
                              fmt::format("Name one: {}:{}", m_fileName, candidates.front())},
                             candidates);
    }

private:
    void note(const hdf5::Object& dataset, const std::string& path)
    {
        if (m_datasets.size() < namesShown)
            m_datasets.push_back(path);
        if (m_layout.empty() && isMatlabArray(dataset, m_fileName))
            m_matlabArrays.push_back(path);
        const std::string layout = layoutOf(dataset);
        if (!m_layout.empty() && layout == m_layout)
            m_candidates.push_back(path);
        else if (!layout.empty() && m_onRequest++ == 0)
            m_firstOnRequest = {path, layout};
    }

    /// What could be done about a file without a sparse tensor.
    std::string advice() const
    {
        const auto& [path, layout] = m_firstOnRequest;
        const std::string how = layout == "table" ? "as a table of entries" : "as a dense array";
        if (m_onRequest == 1)
            return fmt::format("{} can be read {}: {}", path, how, optionFor(layout));
        if (m_onRequest > 1)
            return fmt::format("{} can be read {}: {}:{} {}", path, how, m_fileName, path, optionFor(layout));
        return m_links ? "Links to other places are not followed: copy the data into this file." : "";
    }

    [[noreturn]] void refuseNone() const
    {
        if (m_matlabObject)
            throw Error({"holds a MATLAB object, which only MATLAB can open",
                         m_fileName,
                         {},
                         {},
                         "Save its fields there: s.subs=X.subs; s.vals=X.vals; s.size=size(X); save('x.mat','-struct','s','-v7.3')"});
        const std::string found = m_datasets.empty() ? "no datasets" : fmt::format("{}", fmt::join(m_datasets, ", "));
        if (!m_layout.empty())
            throw Error({"holds no dataset for " + optionFor(m_layout), m_fileName, found,
                         m_layout == "table" ? "compounds of integers and a float, or floats as entries × (modes + 1)"
                                             : "numbers in 3 or more dimensions",
                         advice()});
        throw Error({"holds no sparse tensor", m_fileName, found, "datasets for indices and values, such as indices and values", advice()});
    }

    std::string m_fileName, m_layout;
    std::vector<std::string> m_candidates, m_datasets;
    std::vector<std::string> m_matlabArrays; ///< taken where there is no candidate
    std::pair<std::string, std::string> m_firstOnRequest; ///< path and layout
    std::size_t m_onRequest = 0; ///< datasets that another layout could read
    std::size_t m_visited = 0;
    bool m_matlabObject = false;
    bool m_links = false; ///< soft, external or user-defined ones were met
};

void refuseOtherKinds(const hdf5::Object& root, const std::string& fileName)
{
    const auto kind = hdf5::textAttribute(root.id(), "polyad_format", fileName);
    if (kind && *kind != "tensor")
        throw Error({fmt::format("is a Polyad {} file, not a tensor", *kind),
                     fileName,
                     {},
                     {},
                     *kind == "model" ? "Ask it with polyad-cli predict or evaluate. For a new run open the tensor it was made from."
                         : *kind == "session" ? "Open it in the window: File, Open."
                                              : ""});
}

} // namespace

hdf5::Object findTensor(const hdf5::File& file, const std::string& fileName, const std::string& namedGroup, std::string& where)
{
    const hdf5::Object root = hdf5::openPath(file.id(), "/", fileName);
    std::string path = namedGroup;
    if (path.empty()) {
        refuseOtherKinds(root, fileName);
        Search search(fileName);
        search.visit(root, "", 0);
        path = search.only();
    }
    where = fmt::format("{} {}", fileName, path);
    hdf5::Object group = hdf5::openPath(file.id(), path, fileName);
    if (!hdf5::isGroup(group) && !isMatlabArray(group, fileName)) {
        const std::string layout = hdf5::isDataset(group) ? layoutOf(group) : "";
        throw Error({"is a dataset, not a group",
                     where,
                     {},
                     "a group with indices and values",
                     layout.empty() ? "" : "Read it by itself with " + optionFor(layout)});
    }
    return group;
}

hdf5::CheckedDataset findLayoutDataset(const hdf5::File& file, const std::string& fileName, const std::string& named,
                                       const std::string& layout, hdf5::Object& group)
{
    std::string path = named.empty() ? "/" : named;
    const hdf5::Object object = hdf5::openPath(file.id(), path, fileName);
    if (named.empty())
        refuseOtherKinds(object, fileName);
    while (path.ends_with('/'))
        path.pop_back();
    if (hdf5::isGroup(object)) {
        Search search(fileName, layout);
        search.visit(object, path, 0);
        path = search.only();
    }
    const std::size_t slash = path.rfind('/');
    const std::string parent = slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
    group = hdf5::openPath(file.id(), parent, fileName);
    return hdf5::openDataset(group.id(), path.substr(slash == std::string::npos ? 0 : slash + 1), fmt::format("{} {}", fileName, parent));
}

} // namespace io::hdf5_tensor
