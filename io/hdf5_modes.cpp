// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_modes.h"

#include "io/hdf5_read.h"
#include "io/hdf5_write.h"
#include "io/labels.h"

#include <fmt/format.h>

namespace io {

void writeModes(hdf5::Session& session, hid_t parent, const std::vector<kernels::Mode>& modes)
{
    const hdf5::Group all = hdf5::createGroup(parent, "modes");
    for (std::size_t n = 0; n < modes.size(); ++n) {
        const hdf5::Group group = hdf5::createGroup(all.id(), fmt::format("mode_{}", n));
        hdf5::writeAttribute(group.id(), "name", modes[n].name);
        if (!modes[n].labels.empty())
            hdf5::writeStrings(group.id(), "labels", modes[n].labels);
        session.giveWay();
    }
}

void readModes(hdf5::Session& session, hid_t parent, const std::string& where, std::vector<kernels::Mode>& modes,
               kernels::Progress* progress)
{
    if (!hdf5::hasLink(parent, "modes"))
        return;
    const hdf5::Object all = hdf5::openObject(parent, "modes", where);
    std::size_t bytesLeft = labelBytesTogether;
    for (std::size_t n = 0; hdf5::isGroup(all) && n < modes.size(); ++n) {
        const std::string name = fmt::format("mode_{}", n);
        if (!hdf5::hasLink(all.id(), name))
            continue;
        const std::string place = fmt::format("{} /modes/{}", where, name);
        const hdf5::Object group = hdf5::openObject(all.id(), name, place);
        modes[n].name = hdf5::textAttribute(group.id(), "name", place).value_or("");
        if (hdf5::isGroup(group) && hdf5::hasLink(group.id(), "labels"))
            modes[n].labels = hdf5::readStrings(session, group.id(), "labels", place, modes[n].size, bytesLeft, progress);
    }
}

} // namespace io
