// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/xml_part.h"

#include "io/error.h"

#include <fmt/format.h>

#include <expat.h>
#include <zip.h>

#include <algorithm>
#include <exception>
#include <new>
#include <vector>

namespace io::table {
namespace {

constexpr std::size_t blockBytes = std::size_t{64} << 10;
constexpr unsigned deepest = 100; ///< element within element
constexpr std::size_t longestTag = std::size_t{4} << 20; ///< the parser keeps it whole

zip_t* zipOf(void* zip) { return static_cast<zip_t*>(zip); }

std::string_view withoutPrefix(std::string_view name)
{
    const std::size_t colon = name.rfind(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

} // namespace

std::string_view attributeOf(const char** attributes, std::string_view name)
{
    for (; *attributes; attributes += 2) {
        if (*attributes == name)
            return attributes[1];
    }
    return {};
}

XmlArchive::XmlArchive(const std::string& path, std::string fileName)
    : m_fileName(std::move(fileName))
{
    int fault = 0;
    m_zip = zip_open(path.c_str(), ZIP_RDONLY, &fault);
    if (m_zip)
        return;
    zip_error_t error;
    zip_error_init_with_code(&error, fault);
    const std::string found = zip_error_strerror(&error);
    zip_error_fini(&error);
    failDamaged(found);
}

XmlArchive::~XmlArchive() { zip_discard(zipOf(m_zip)); }

void XmlArchive::failDamaged(const std::string& found) const
{
    throw Error({"is a damaged workbook", m_fileName, found, {}, "Open it in a spreadsheet program and save it again."});
}

void XmlArchive::parse(const std::string& part, XmlHandler& handler) const
{
    XmlPart text(*this, part, handler);
    while (text.parseBlock()) { }
}

/// Exceptions of the handler wait until the parser, which is C, has returned.
struct XmlPart::State {
    const XmlArchive& archive;
    XmlHandler& handler;
    std::string name;
    zip_file_t* file = nullptr;
    XML_Parser parser = nullptr;
    std::exception_ptr thrown = {};
    std::uint64_t bytesTotal = 0, bytesRead = 0;
    std::size_t quietBytes = 0; ///< since the parser last told anything
    unsigned depth = 0;
    bool ended = false;

    State(const XmlArchive& a, XmlHandler& h, std::string n)
        : archive(a)
        , handler(h)
        , name(std::move(n))
    {
    }
    ~State()
    {
        if (parser)
            XML_ParserFree(parser);
        if (file)
            zip_fclose(file);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    template <class Call> static void guarded(void* state, const Call& call)
    {
        State& self = *static_cast<State*>(state);
        self.quietBytes = 0;
        if (self.thrown)
            return;
        try {
            call(self);
        } catch (...) {
            self.thrown = std::current_exception();
            XML_StopParser(self.parser, XML_FALSE);
        }
    }
    static void onStart(void* state, const char* name, const char** attributes)
    {
        guarded(state, [&](State& self) {
            if (++self.depth > deepest)
                self.archive.failDamaged(self.name + ": elements are nested too deeply");
            self.handler.start(withoutPrefix(name), attributes);
        });
    }
    static void onEnd(void* state, const char* name)
    {
        guarded(state, [&](State& self) {
            --self.depth;
            self.handler.end(withoutPrefix(name));
        });
    }
    static void onText(void* state, const char* text, int size)
    {
        guarded(state, [&](State& self) { self.handler.text({text, static_cast<std::size_t>(size)}); });
    }
    /// Workbooks have none. Without one there are no entities that could grow.
    static void onDocumentType(void* state, const char*, const char*, const char*, int)
    {
        guarded(state, [](State& self) { self.archive.failDamaged(self.name + ": holds a DOCTYPE"); });
    }
};

XmlPart::XmlPart(const XmlArchive& archive, const std::string& part, XmlHandler& handler)
    : m_state(std::make_unique<State>(archive, handler, part))
{
    zip_t* const zip = zipOf(archive.m_zip);
    const zip_int64_t number = zip_name_locate(zip, part.c_str(), ZIP_FL_NOCASE);
    if (number < 0)
        archive.failDamaged(part + " is missing");
    zip_stat_t facts;
    zip_stat_init(&facts);
    if (zip_stat_index(zip, static_cast<zip_uint64_t>(number), 0, &facts) == 0 && (facts.valid & ZIP_STAT_SIZE))
        m_state->bytesTotal = facts.size;
    m_state->file = zip_fopen_index(zip, static_cast<zip_uint64_t>(number), 0);
    if (!m_state->file)
        archive.failDamaged(fmt::format("{}: {}", part, zip_strerror(zip)));
    m_state->parser = XML_ParserCreate(nullptr);
    if (!m_state->parser)
        throw std::bad_alloc();
    XML_SetUserData(m_state->parser, m_state.get());
    XML_SetElementHandler(m_state->parser, State::onStart, State::onEnd);
    XML_SetCharacterDataHandler(m_state->parser, State::onText);
    XML_SetStartDoctypeDeclHandler(m_state->parser, State::onDocumentType);
}

XmlPart::~XmlPart() = default;

bool XmlPart::parseBlock()
{
    State& state = *m_state;
    if (state.ended)
        return false;
    void* const to = XML_GetBuffer(state.parser, static_cast<int>(blockBytes));
    if (!to)
        throw std::bad_alloc();
    const zip_int64_t got = zip_fread(state.file, to, blockBytes);
    if (got < 0)
        state.archive.failDamaged(fmt::format("{}: {}", state.name, zip_file_strerror(state.file)));
    state.ended = got == 0;
    state.bytesRead += static_cast<std::uint64_t>(got);
    state.quietBytes += static_cast<std::size_t>(got);
    const XML_Status status = XML_ParseBuffer(state.parser, static_cast<int>(got), state.ended);
    if (state.thrown)
        std::rethrow_exception(state.thrown);
    if (status != XML_STATUS_OK && XML_GetErrorCode(state.parser) == XML_ERROR_NO_MEMORY)
        throw std::bad_alloc();
    if (status != XML_STATUS_OK)
        state.archive.failDamaged(fmt::format("{} line {}: {}", state.name, XML_GetCurrentLineNumber(state.parser),
                                              XML_ErrorString(XML_GetErrorCode(state.parser))));
    if (state.quietBytes > longestTag)
        state.archive.failDamaged(state.name + ": a tag is too long");
    return !state.ended;
}

double XmlPart::shareDone() const
{
    if (m_state->ended || m_state->bytesTotal == 0)
        return m_state->ended ? 1 : 0;
    return std::min(1.0, static_cast<double>(m_state->bytesRead) / static_cast<double>(m_state->bytesTotal));
}

} // namespace io::table
