// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/exports/npz.h"

#include "io/binary/entries.h"
#include "io/labels.h"
#include "io/run_config_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>

namespace io::npz {
namespace {

constexpr std::uint16_t plainVersion = 20, zip64Version = 45;
constexpr std::uint16_t firstOfJanuary1980 = 0x21; // no clock: the same model gives the same bytes
constexpr std::uint16_t zip64Tag = 1;
constexpr std::size_t npyAlignment = 64;
/// numpy gives each text of an array the room of the longest. One long label among a million would make a file of gigabytes.
constexpr std::size_t mostPaddedBytes = std::size_t{64} << 20;

using binary::append;

std::uint32_t checksumOf(std::string_view head, std::string_view data)
{
    const auto add = [](uLong sum, std::string_view bytes) {
        return crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    };
    return static_cast<std::uint32_t>(add(add(crc32_z(0, nullptr, 0), head), data));
}

/// UTF-32, little endian.
std::u32string codePoints(std::string_view utf8)
{
    std::u32string result;
    for (std::size_t i = 0; i < utf8.size();) {
        const auto first = static_cast<unsigned char>(utf8[i]);
        const std::size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        char32_t point = length == 1 ? first : first & (0xffu >> (length + 1));
        for (std::size_t k = 1; k < length && i + k < utf8.size(); ++k)
            point = point << 6 | (static_cast<unsigned char>(utf8[i + k]) & 0x3fu);
        result += point;
        i += length;
    }
    return result;
}

template <class Numbers> std::string_view bytesOf(const Numbers& numbers)
{
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(*numbers.data())};
}

/// Adds arrays under their names.
class Writer {
public:
    Writer(AtomicFile& file, kernels::Progress& progress)
        : m_zip(file)
        , m_progress(progress)
    {
    }

    void array(const std::string& name, const std::string& type, const std::vector<std::uint64_t>& shape, std::string_view data)
    {
        m_progress.throwIfCancelled();
        m_zip.add(name + ".npy", npyHeader(type, shape), data);
        m_progress.advance(data.size());
    }
    void matrix(const std::string& name, const kernels::Matrix& matrix)
    {
        std::visit(
            [&](const auto& data) {
                array(name, sizeof data[0] == 4 ? "<f4" : "<f8", {matrix.rows, matrix.columns}, bytesOf(data));
            },
            matrix.data);
    }
    void text(const std::string& name, const std::string& utf8)
    {
        const std::u32string points = codePoints(asUtf8(utf8));
        array(name, fmt::format("<U{}", std::max<std::size_t>(points.size(), 1)), {},
              points.empty() ? std::string_view("\0\0\0", 4) : bytesOf(points));
    }
    /// As texts(), or where these would take far too much room the UTF-8 of all (NAME_utf8) and where each ends in it (NAME_ends).
    void labels(const std::string& name, const std::vector<std::string>& labels)
    {
        std::size_t longest = 1, together = 0;
        for (const std::string& label : labels) {
            longest = std::max(longest, label.size());
            together += label.size();
        }
        if (labels.size() * longest * sizeof(char32_t) <= std::max(mostPaddedBytes, 8 * together))
            return texts(name, labels);
        std::string all;
        std::vector<std::uint64_t> ends;
        for (const std::string& label : labels) {
            all += asUtf8(label);
            ends.push_back(all.size());
        }
        array(name + "_utf8", "|u1", {all.size()}, all);
        array(name + "_ends", "<u8", {ends.size()}, bytesOf(ends));
    }
    /// As long as the longest of them, the others filled up with zeros.
    void texts(const std::string& name, const std::vector<std::string>& utf8)
    {
        std::vector<std::u32string> points;
        std::size_t longest = 1;
        for (const std::string& text : utf8)
            longest = std::max(longest, points.emplace_back(codePoints(asUtf8(text))).size());
        std::u32string all;
        for (std::u32string& text : points) {
            text.resize(longest);
            all += text;
        }
        array(name, fmt::format("<U{}", longest), {utf8.size()}, bytesOf(all));
    }
    void finish() { m_zip.finish(); }

private:
    StoredZip m_zip;
    kernels::Progress& m_progress;
};

void writeCore(Writer& writer, const kernels::Model& model)
{
    const std::vector<std::uint64_t> shape(model.ranks.begin(), model.ranks.end());
    switch (model.kind) {
    case kernels::ModelKind::Cp: {
        const std::vector<double> weights = model.weights.empty() ? std::vector<double>(model.ranks.at(0), 1.0) : model.weights;
        writer.array("weights", "<f8", {weights.size()}, bytesOf(weights));
        break;
    }
    case kernels::ModelKind::Tucker:
        writer.array("core", "<f8", shape, bytesOf(model.core));
        break;
    case kernels::ModelKind::FastTucker:
        for (unsigned n = 0; n < model.order(); ++n)
            writer.matrix(fmt::format("core_factor_{}", n), model.coreFactors[n]);
        if (const auto core = kernels::denseCore(model))
            writer.array("core", "<f8", shape, bytesOf(*core));
        break;
    }
}

void writeModes(Writer& writer, const std::vector<kernels::Mode>& modes)
{
    std::vector<std::string> names;
    for (std::size_t n = 0; n < modes.size(); ++n) {
        names.push_back(modes[n].name);
        if (!modes[n].labels.empty())
            writer.labels(fmt::format("labels_{}", n), modes[n].labels);
    }
    if (std::any_of(names.begin(), names.end(), [](const std::string& name) { return !name.empty(); }))
        writer.texts("mode_names", names);
}

} // namespace

void StoredZip::write(std::string_view bytes)
{
    m_file.write(bytes);
    m_written += bytes.size();
}

/// What does not fit 32 bits; empty where all does. Readers want both sizes in a local header, or neither.
std::string StoredZip::sizesExtra(const Member& member, bool central) const
{
    std::string numbers;
    if (isLarge(member.bytes)) {
        append(numbers, member.bytes);
        append(numbers, member.bytes);
    }
    if (central && isLarge(member.begin))
        append(numbers, member.begin);
    if (numbers.empty())
        return {};
    std::string extra;
    append(extra, zip64Tag);
    append(extra, static_cast<std::uint16_t>(numbers.size()));
    return extra + numbers;
}

void StoredZip::add(const std::string& name, std::string_view head, std::string_view data)
{
    const Member member{name, head.size() + data.size(), m_written, checksumOf(head, data)};
    const std::string extra = sizesExtra(member, false);
    const auto bytes = static_cast<std::uint32_t>(isLarge(member.bytes) ? largest32 : member.bytes);
    std::string local = "PK\x03\x04";
    append(local, extra.empty() ? plainVersion : zip64Version);
    for (const std::uint16_t number : {0, 0, 0}) // flags, stored, time
        append(local, number);
    append(local, firstOfJanuary1980);
    append(local, member.checksum);
    append(local, bytes);
    append(local, bytes);
    append(local, static_cast<std::uint16_t>(name.size()));
    append(local, static_cast<std::uint16_t>(extra.size()));
    write(local + name + extra);
    write(head);
    write(data);
    m_members.push_back(member);
}

void StoredZip::finish()
{
    const std::uint64_t begin = m_written;
    for (const Member& member : m_members) {
        const std::string extra = sizesExtra(member, true);
        const auto bytes = static_cast<std::uint32_t>(isLarge(member.bytes) ? largest32 : member.bytes);
        std::string entry = "PK\x01\x02";
        append(entry, extra.empty() ? plainVersion : zip64Version); // made by
        append(entry, extra.empty() ? plainVersion : zip64Version); // needed
        for (const std::uint16_t number : {0, 0, 0})
            append(entry, number);
        append(entry, firstOfJanuary1980);
        append(entry, member.checksum);
        append(entry, bytes);
        append(entry, bytes);
        append(entry, static_cast<std::uint16_t>(member.name.size()));
        append(entry, static_cast<std::uint16_t>(extra.size()));
        for (const std::uint16_t number : {0, 0, 0, 0, 0}) // comment, disk, attributes inside and outside
            append(entry, number);
        append(entry, static_cast<std::uint32_t>(isLarge(member.begin) ? largest32 : member.begin));
        write(entry + member.name + extra);
    }
    const std::uint64_t bytes = m_written - begin, end = m_written;
    const bool large = isLarge(begin) || isLarge(bytes);
    std::string tail;
    if (large) {
        tail += "PK\x06\x06";
        append(tail, std::uint64_t{44}); // of what follows
        append(tail, zip64Version);
        append(tail, zip64Version);
        append(tail, std::uint64_t{0}); // disks
        for (const std::uint64_t number : {std::uint64_t{m_members.size()}, std::uint64_t{m_members.size()}, bytes, begin})
            append(tail, number);
        tail += "PK\x06\x07";
        append(tail, std::uint32_t{0});
        append(tail, end);
        append(tail, std::uint32_t{1});
    }
    tail += "PK\x05\x06";
    append(tail, std::uint32_t{0});
    append(tail, static_cast<std::uint16_t>(m_members.size()));
    append(tail, static_cast<std::uint16_t>(m_members.size()));
    append(tail, static_cast<std::uint32_t>(large ? largest32 : bytes));
    append(tail, static_cast<std::uint32_t>(large ? largest32 : begin));
    append(tail, std::uint16_t{0});
    write(tail);
}

std::string npyHeader(const std::string& type, const std::vector<std::uint64_t>& shape)
{
    const std::string sizes = shape.size() == 1 ? fmt::format("{},", shape[0]) : fmt::format("{}", fmt::join(shape, ", "));
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
    constexpr std::size_t before = 10; // magic, version, length
    const std::size_t whole = (before + text.size() + 1 + npyAlignment - 1) / npyAlignment * npyAlignment;
    text.append(whole - before - text.size() - 1, ' ');
    text += '\n';
    std::string header = std::string("\x93NUMPY\x01", 7) + '\0';
    append(header, static_cast<std::uint16_t>(text.size()));
    return header + text;
}

void write(AtomicFile& file, const ModelFile& content, const kernels::Model& model, kernels::Progress& progress)
{
    progress.begin("writing", model.bytes());
    Writer writer(file, progress);
    for (unsigned n = 0; n < model.order(); ++n)
        writer.matrix(fmt::format("factor_{}", n), model.factors[n]);
    writeCore(writer, model);
    writeModes(writer, content.modes);
    if (!content.componentNames.empty())
        writer.texts("component_names", content.componentNames);
    writer.text("config", content.config.algorithm.empty() ? "{}" : toJson(content.config));
    writer.finish();
}

} // namespace io::npz
