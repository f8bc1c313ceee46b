// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_stored_text.h"

#include "io/hdf5_handles.h"

#include <cstddef>
#include <cstring>

namespace io::hdf5 {
namespace {

/// From texts to opaque bytes, for which HDF5 has no conversion of its own: bytes stay what they are, and get more room each.
herr_t keepReferences(hid_t from, hid_t to, H5T_cdata_t* state, std::size_t count, std::size_t stride, std::size_t, void* buffer, void*,
                      hid_t)
{
    if (state->command == H5T_CONV_FREE)
        return 0;
    const std::size_t before = H5Tget_size(from), after = H5Tget_size(to);
    if (state->command == H5T_CONV_INIT) {
        state->need_bkg = H5T_BKG_NO;
        return H5Tis_variable_str(from) > 0 && before > 0 && before <= after ? 0 : -1;
    }
    auto* const bytes = static_cast<std::byte*>(buffer);
    for (std::size_t i = count; i-- > 0;) // the last one first: they grow in place
        std::memmove(bytes + i * (stride ? stride : after), bytes + i * (stride ? stride : before), before);
    return 0;
}

hid_t makeStoredTextType()
{
    const hid_t text = H5Tcopy(H5T_C_S1), type = H5Tcreate(H5T_OPAQUE, sizeof(StoredText));
    H5Tset_size(text, H5T_VARIABLE);
    H5Tset_tag(type, "reference to a text");
    H5Tregister(H5T_PERS_SOFT, "polyad stored text", text, type, keepReferences);
    H5Tclose(text);
    return type;
}

} // namespace

hid_t storedTextType()
{
    static const hid_t type = makeStoredTextType(); // as long as the library
    return type;
}

bool hasCharactersOfAByte(hid_t type)
{
    const Type character(H5Tget_super(type));
    return character && H5Tget_size(character.id()) == 1;
}

} // namespace io::hdf5
