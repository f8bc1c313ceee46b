// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/numpy/archive.h"

#include "io/binary/entries.h"
#include "io/error.h"
#include "io/input_stream.h"
#include "io/unpacker.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>

namespace io::numpy {
namespace {

constexpr std::uint64_t mostMembers = 10000;
constexpr std::size_t longestName = 255;

bool isControl(char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == 127; }

/// An array in the archive, unpacked as it is read.
class MemberSource : public ByteSource {
public:
    MemberSource(std::shared_ptr<void> zip, zip_file_t* file, std::uint64_t bytes, std::string where)
        : m_zip(std::move(zip))
        , m_file(file)
        , m_bytes(bytes)
        , m_where(std::move(where))
    {
    }
    ~MemberSource() override { zip_fclose(m_file); }
    MemberSource(const MemberSource&) = delete;
    MemberSource& operator=(const MemberSource&) = delete;

    std::uint64_t bytes() const override { return m_bytes; }

    std::size_t read(char* to, std::size_t size) override
    {
        std::size_t done = 0;
        while (done < size) {
            const zip_int64_t got = zip_fread(m_file, to + done, size - done);
            if (got < 0)
                throw Error({"the zip data is damaged", m_where, zip_file_strerror(m_file), {}, "Copy or download the file again."});
            if (got == 0)
                break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

private:
    std::shared_ptr<void> m_zip; // outlives the member
    zip_file_t* m_file;
    std::uint64_t m_bytes;
    std::string m_where;
};

} // namespace

struct Archive::Zip {
    Zip(const std::string& path, const std::string& fileName)
    {
        const InputFile file(path);
        fileBytes = file.bytes();
        const std::string named = file.seekablePath(); // of a stream a copy, which needs no name once it is open
        int fault = 0;
        zip = zip_open(named.c_str(), ZIP_RDONLY, &fault);
        if (file.isStream())
            unlink(named.c_str());
        if (zip)
            return;
        zip_error_t error;
        zip_error_init_with_code(&error, fault);
        const std::string told = zip_error_strerror(&error);
        zip_error_fini(&error);
        throw Error({"is a damaged zip archive", fileName, told, {}, "The file may have been cut short. Copy it again."});
    }
    ~Zip() { zip_discard(zip); }
    Zip(const Zip&) = delete;
    Zip& operator=(const Zip&) = delete;

    std::uint64_t fileBytes = 0;
    zip_t* zip = nullptr;
};

Archive::Archive(const std::string& path)
    : m_zip(std::make_shared<Zip>(path, fileNameOf(path)))
    , m_fileName(fileNameOf(path))
{
    const auto count = static_cast<std::uint64_t>(zip_get_num_entries(m_zip->zip, 0));
    if (count > mostMembers)
        throw Error({"holds too many arrays", m_fileName, fmt::format("{}", count), fmt::format("at most {}", mostMembers), {}});
    for (std::uint64_t i = 0; i < count; ++i) {
        const char* const whole = zip_get_name(m_zip->zip, i, 0);
        std::string name = whole ? whole : "";
        if (!name.ends_with(".npy") || name.size() > longestName || std::any_of(name.begin(), name.end(), isControl))
            continue;
        name.resize(name.size() - 4);
        if (m_members.emplace(name, i).second)
            m_names.push_back(name);
    }
}

Archive::~Archive() = default;

std::string_view firstArrayName(std::string_view head)
{
    constexpr std::size_t lengthAt = 26, nameAt = 30;
    if (!head.starts_with("PK\x03\x04") || head.size() < nameAt)
        return {};
    const std::string_view name = head.substr(nameAt, binary::numberAt<std::uint16_t>(head, lengthAt));
    return name.ends_with(".npy") ? name.substr(0, name.size() - 4) : std::string_view();
}

ArrayReader Archive::open(const std::string& name) const
{
    const std::string where = m_fileName + ":" + name;
    zip_stat_t about;
    zip_stat_init(&about);
    constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(m_zip->zip, m_members.at(name), 0, &about) != 0 || (about.valid & needed) != needed)
        throw Error({"the zip data is damaged", where, zip_strerror(m_zip->zip), {}, "Copy or download the file again."});
    if (about.comp_method != ZIP_CM_STORE && about.comp_method != ZIP_CM_DEFLATE)
        throw Error({"is packed in a way that NumPy does not use", where, fmt::format("method {}", about.comp_method), "stored or deflate",
                     "Save it with np.savez or np.savez_compressed."});
    const std::uint64_t most = about.comp_method == ZIP_CM_STORE ? about.comp_size : (about.comp_size + 1) * bestDeflateRatio;
    if (about.comp_size > m_zip->fileBytes || about.size > most)
        throw Error({"declares data that the file does not have", where, fmt::format("{} bytes", about.size),
                     fmt::format("at most {}", std::min(most, m_zip->fileBytes * bestDeflateRatio)), "The file may be damaged."});
    zip_file_t* const file = zip_fopen_index(m_zip->zip, m_members.at(name), 0);
    if (!file)
        throw Error({"cannot be unpacked", where, zip_strerror(m_zip->zip), {}, "Copy or download the file again."});
    return ArrayReader(std::make_unique<MemberSource>(m_zip, file, about.size, where), where);
}

} // namespace io::numpy
