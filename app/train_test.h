// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "kernels/base/progress.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace app {

/// What one run trains and tests on; shares the tensor's entries where nothing is held out.
struct TrainTest {
    std::shared_ptr<const kernels::SparseTensor> train;
    std::shared_ptr<const kernels::SparseTensor> test; ///< null: no test set
    std::shared_ptr<const kernels::Array<kernels::Count>> testPositions; ///< random splits only
};

/// Gives a tensor that was read by itself the dims of what it belongs to: text loses its last empty slices. Throws io::Error
/// where it does not fit; what: "the model".
void fitDims(kernels::SparseTensor&, const std::vector<kernels::Index>& dims, const std::string& where, const char* what);

/// Of a table that was read beside a model or another tensor: rows whose labels these dims have no index for are left out, with a warning.
void leaveOutUnknown(OpenTensor&, const std::vector<kernels::Index>& dims);

/// A file was read that goes with one of this layout and index base: throws where bases differ by mode and this one's entries do not tell
/// that they count alike.
void requireTold(const std::string& layout, const std::string& indexBase, const std::string& path, const io::LoadReport&);

/// A test file, read as the training tensor was and as long as `dims`, which are those of `what`. Throws kernels::Error.
kernels::SparseTensor testFileEntries(const std::string& path, const OpenTensor& train, const std::vector<kernels::Index>& dims,
                                      const char* what, kernels::Progress&);

/// The split a run will really use: a tensor that brings its own test part is tested on that one (File with an
/// empty path) unless the config asks for no test set or for a file; a random split of nothing is None.
kernels::SplitConfig effectiveSplit(const kernels::SplitConfig&, const OpenTensor&);

/// Makes the parts for runs. The last random split of each tensor is kept, so that a second run with the same
/// fraction and seed starts at once; that costs a second copy of the tensor until forget(). Thread-safe.
class TrainTestCache {
public:
    /// Throws kernels::Error, kernels::Cancelled. The split must be effectiveSplit()'s.
    TrainTest get(const OpenTensorPtr&, const kernels::RunConfig&, kernels::Progress&);
    /// Makes the parts of a random split, and frees the tensor's entries: for a tensor that nothing else uses. Afterwards its isHere is
    /// false. Other splits need no parts, so nothing happens.
    void divide(OpenTensor&, const kernels::RunConfig&, kernels::Progress&);
    /// The same for who has time: takes a split that is kept, else makes one for itself alone, and no run waits for it.
    TrainTest getAside(const OpenTensorPtr&, const kernels::RunConfig&, kernels::Progress&);
    void forget(int tensorId); ///< later runs on it are not kept either

private:
    struct Key {
        int tensor = 0;
        double fraction = 0;
        std::uint64_t seed = 0;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Entry {
        Key key;
        bool ready = false; ///< false: some thread is splitting
        TrainTest parts;
    };
    TrainTest random(const OpenTensorPtr&, const Key&, kernels::Progress&);

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::map<int, Entry> m_entries; ///< by tensor id
    std::set<int> m_forgotten;
};

} // namespace app
