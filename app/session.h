// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/interrupted_run.h"
#include "app/load_job.h"
#include "app/open_tensor.h"
#include "app/run.h"
#include "app/waiting_runs.h"
#include "io/exports/export_model.h"
#include "io/session_file.h"
#include "kernels/device/device_list.h"
#include "kernels/telemetry/telemetry.h"
#include "kernels/tensor/entry_view.h"

#include <QObject>
#include <QStringList>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QTimer;

namespace app {

class RunWorker;
struct ExportEnd;
struct ExportJob;
struct RunBox;
struct SavedRun;
struct SessionContent;
struct Updated;

/// One tensor of the file that the path names.
QString withGroup(const QString& path, const QString& group);

/// One export at work, as a status bar tells it.
struct ExportState {
    QString path;
    double fraction = -1; ///< < 0: unknown
};

/// Entries of a file that a run's model is to learn.
struct NewData {
    QString path;
    bool again = false; ///< also where the model has learnt the file before, or was made from it
    bool growsRun = false; ///< the run is its own result; else that is one beside it
    bool unasked = false; ///< nobody waits for it: the file came by itself
};

/// Telemetry of one device as the charts want it.
struct TelemetryView {
    kernels::telemetry::SourceInfo info;
    std::vector<kernels::telemetry::Sample> samples; ///< the last minutes
    QString lostReason;
    QStringList refusals; ///< why better sources are not used
    double now = 0; ///< on the samples' clock
};

/// Open tensors, runs and results: the one object ui/ is given. Lives on the window's thread;
/// owns one worker thread per device in use, loading threads and the telemetry samplers.
class Session : public QObject {
    Q_OBJECT
public:
    explicit Session(QObject* parent = nullptr);
    ~Session() override; ///< stops what runs and waits for it

    const std::vector<OpenTensorPtr>& tensors() const { return m_tensors; }
    OpenTensorPtr tensor(int id) const;
    const std::vector<Run*>& runs() const { return m_runs; }
    Run* run(int id) const;
    bool hasActiveRuns() const;

    /// A table is made a tensor by the options' recipe. Without one, as the data propose, or a person is asked: the job fails then, and
    /// LoadJob::isTable() says so.
    enum class Tables { Propose, Ask };
    LoadJob* openFile(const QString& path, const io::ReadOptions& = {}, Tables = Tables::Propose);
    LoadJob* openImported(std::shared_ptr<OpenTensor>); ///< by TableImport, which has read it
    /// A table that was imported once more: the tensor that the job brings takes the place of the earlier one, unless runs use that.
    /// Then it gets another name.
    void replaceBy(LoadJob*, const OpenTensorPtr& earlier);
    bool hasRunsOf(int tensorId) const;
    /// What is open already of a file, read in the same way.
    struct Opened {
        OpenTensorPtr tensor; ///< null: none that is as the file is now
        OpenTensorPtr changed; ///< of the file as it was before
        bool isLoading = false;
    };
    Opened openedFrom(const QString& path, const io::ReadOptions& = {}) const;
    LoadJob* openSample(); ///< flights, with labels and a suggested run
    LoadJob* generate(const kernels::SyntheticSpec&, const QString& name);
    LoadJob* generatePreset(const QString& presetId, double scale, quint64 seed);
    const std::vector<LoadJob*>& loadJobs() const { return m_jobs; }
    /// The tensor once more, with other options for equal coordinates and zeros (openOtherwise): another tensor of the session.
    LoadJob* reopen(const OpenTensorPtr&, const io::ReadOptions&);
    /// Calls a mode otherwise, on a thread: what is said of it counts. The tensor and its runs then have another OpenTensor of the
    /// same id, which shares the entries. One after the other; ends with tensorRenamed or namingFailed.
    void nameMode(int tensorId, const io::ModeNaming& change);
    /// Says what the tensor's empty cells mean. It then has another OpenTensor of the same id (tensorRenamed), which shares the entries.
    void sayEmptyCells(int tensorId, kernels::EmptyCells meaning);
    void closeTensor(int id); ///< runs keep their share of it
    void putBack(const OpenTensorPtr& closed);

    /// Checks the config (throws kernels::Error), adds the run and starts it when its device is free.
    /// A tensor that brings its own test part is tested on that one unless the config asks for no test set or
    /// for a file (effectiveSplit() in train_test.h).
    Run* start(const kernels::RunConfig&, const OpenTensorPtr&, Turn = Turn::Next);
    void removeRun(Run*); ///< stops it first
    /// The same for a person who may want it back: it is gone from runs(), but stays as it is, apart from stopping, until it
    /// is put back in its place or let go of. Ids of runs that are not aside are passed over.
    void setAside(Run*);
    void putBack(int id);
    void letGo(int id);

    /// Goes on with a run that ended and holds its end (Run::holdsEnd): in deterministic mode 8 iterations and 12 more are the
    /// same bits as 20. The rules count from the run's start and are the run's from now on. Throws kernels::Error.
    void continueRun(Run*, const kernels::StoppingRules&);
    /// Why its model cannot be taught new entries; empty: it can.
    static QString whyNotLearning(const Run&);
    /// Teaches the model of such a run the entries of a file, on a thread; the result has no entries (OpenTensor::isHere) and is told by
    /// runLearnt. Trouble with the file is told by the job, a file that is known by runKnows, and nothing changes. A run that grows takes
    /// one file at a time. Throws kernels::Error for a run that takes none now.
    LoadJob* addData(const Run*, const NewData&);
    /// Why no passes can be made over all entries of a run that has learnt files; empty: they can.
    QString whyNoPasses(const Run&) const;
    QStringList learntFiles(const Run&) const; ///< names, in their order
    QStringList knownFiles(const Run&) const; ///< their paths, where this session added them all and they are as they were; else empty
    /// Passes over the entries that the run was made from and those of all files it has learnt, any order; the run grows by them. As
    /// addData() but for that.
    LoadJob* passOver(const Run*, const QStringList& files);
    bool isGrowing(const Run&) const; ///< a file is being added to it in place, or passes are made
    bool isLearning() const; ///< a file is being added to some run, or passes are made
    /// How much memory the ends of runs may take together, 1 GiB at first: the oldest are let go of.
    void keepEndsWithin(std::uint64_t bytes);

    /// Measures the mean and the additive model on the run's entries, on a thread and once for runs of the same split. Ends with
    /// runBaselinesCame. Nothing happens before the run's first iteration, without its tensor, or while they are not wanted.
    void wantBaselines(Run*);
    void setBaselinesWanted(bool wanted); ///< they are at first

    /// Runs wait for their device in an order that can be changed. queueChanged tells of all of this.
    std::vector<Run*> waitingRuns(const kernels::DeviceId&) const; ///< the next one first
    int queuePosition(const Run*) const; ///< 1: the next one on its device; 0: it does not wait
    void moveInQueue(Run*, QueueMove);
    bool isQueuePaused() const;
    void setQueuePaused(bool paused); ///< what runs goes on; no run begins but those started as Turn::Next meanwhile
    int waitingCount() const; ///< on all devices

    /// From now on runs are kept in this folder while they go, every so many seconds, until they end well. What processes
    /// that are gone left there is told by interruptedRunFound.
    void keepRunsIn(const QString& folder, double seconds = 30);
    /// Where this process's session is found after it has ended in some other way than by itself: for Autosave. Empty: nowhere.
    QString recoveryFile();
    /// Opens the run's tensor again and goes on with it, as a run with its history. Trouble with the file is told by the
    /// job, a run that cannot go on here by resumptionFailed; the checkpoint stays in either case.
    LoadJob* resumeInterrupted(const InterruptedRun&);
    void discardInterrupted(const InterruptedRun&);
    /// Stops all runs because the program ends. The next start offers those that have a checkpoint, the others stay in the list.
    void interruptRuns();

    /// Write on a thread of their own and end with exportFinished, exportFailed or exportCancelled: a run in a kind of io::exportKinds(),
    /// the best model so that a run must have ended, unless its history is enough; a tensor in the format that the path's ending names.
    void exportRun(Run*, const io::ExportKind&, const QString& path);
    void exportTensor(const OpenTensorPtr&, const QString& path);
    /// Of the tensor only these, copied by the thread; null: all.
    void exportEntries(const OpenTensorPtr&, std::shared_ptr<const kernels::EntryView>, const QString& path);
    /// Anything else, by a function that is called on that thread and leaves the path complete or as it was; it throws kernels::Error.
    void exportBy(const QString& path, std::function<void(kernels::Progress&)> write);
    /// All tensors, by reference, and all runs into a `.polyad` file; ends as an export does. Runs that are going are kept as they stand,
    /// without a model. `window`: JSON that comes back with sessionOpened.
    void save(const QString& path, const QString& window);
    /// Closes what was open when it was asked, if it is to, and brings the runs of a file at once and its tensors as they are read. A
    /// tensor that cannot be opened any more leaves its runs what they have: histories, models, labels. Trouble with the file itself is
    /// told by the job, and nothing is closed.
    enum class Opening { Replaces, Adds };
    Run* broughtRun(int idInFile) const; ///< by the session that was opened last; null: none
    LoadJob* openSession(const QString& path, Opening = Opening::Replaces);
    /// Of a session that was opened, from where it is now (LoadJob::absent): its runs have it from then on. Refused, with what differs,
    /// where it is another one.
    LoadJob* bringFrom(const OpenTensorPtr& absent, const QString& path);
    void closeAll(); ///< stops what runs

    std::vector<ExportState> exports() const; ///< going on now; poll it
    /// Ends with exportCancelled and leaves no file, or with exportFinished where it was there already.
    void cancelExport(const QString& path);

    /// The CPU alone until the drivers have answered (devicesListed); nothing here waits for them.
    const std::vector<kernels::DeviceInfo>& devices() const;
    bool areDevicesListed() const;
    const QString& cudaAbsence() const; ///< why there is no CUDA device; empty: there is one, or it is not known yet
    /// As it was a moment ago; nothing where that is not known (yet): freeMemoryChanged tells.
    std::optional<std::uint64_t> freeMemory(const kernels::DeviceId&) const;
    /// Telemetry of the device (opened on first use, kept while the session lives).
    TelemetryView telemetry(const kernels::DeviceId&);
    /// An id of kernels::telemetry::sourceChoices(). Runs that are going keep the source they began with.
    void chooseTelemetry(const QString& source);
    static QString samplePath(const QString& name); ///< resources/samples/<name>, installed or in the source tree

Q_SIGNALS:
    void tensorAdded(app::OpenTensorPtr tensor);
    void tensorRemoved(int id);
    void tensorRenamed(app::OpenTensorPtr tensor); ///< its modes or empty cells
    void namingFailed(const QString& sentence);
    void loadStarted(app::LoadJob* job);
    void loadEnded(app::LoadJob* job);
    void runAdded(app::Run* run);
    void runRemoved(int id);
    void runChanged(app::Run* run); ///< state, name, colour or visibility
    void runAdvanced(app::Run* run); ///< history grew
    void runBaselinesCame(app::Run* run); ///< Run::baselines()
    void runTensorCame(app::Run* run); ///< its tensor is another: of a session what it had been waiting for, or with other names
    void runWarned(app::Run* run, const QString& sentence); ///< something about it that does not end it
    void runLearnt(app::Run* result, const app::NewData& data, const QString& what); ///< "1234 entries of monday.tns learnt, new rows: 3"
    void passDue(app::Run* run, const QString& sentence); ///< over all entries
    void runKnows(app::Run* run, const app::NewData& data, const QString& sentence); ///< asked for once more, it is learnt `again`
    void queueChanged(); ///< what waits, its order, or whether the queue is paused
    void devicesListed();
    void freeMemoryChanged();
    void sessionOpened(const QString& path, const QString& window, int leftOut); ///< runs that cannot be shown
    void abandonedSessionFound(const QString& file); ///< of a process that is gone; whoever is told may open and remove it
    void interruptedRunFound(const app::InterruptedRun& run);
    void resumptionFailed(const QString& sentence);
    void exportFinished(const QString& path, const QStringList& warnings); ///< the path that was asked for
    void exportFailed(const QString& path, const QString& sentence);
    void exportCancelled(const QString& path);
    void logMessage(int level, const QString& text); ///< 0 info, 1 warning, 2 error

private:
    void pollRuns();
    void add(Run*);
    void leftQueue(Run*);
    void connectTo(Run*);
    void takeBaselines(Run*);
    void discard(Run*);
    void trimEnds(const Run* ended);
    std::vector<Run*> everyRun() const; ///< those aside, too
    void giveTensor(const OpenTensorPtr&);
    LoadJob* addJob(LoadJob*);
    void startExport(const QString& path, std::function<ExportEnd(ExportJob&)> work);
    void exportEnded(const QString& path, const ExportEnd& end);
    Run* begin(const kernels::RunConfig&, const OpenTensorPtr&, std::shared_ptr<const SavedRun> from, const QString& checkpoint,
               Turn = Turn::Next);
    LoadJob* teach(const Run* learner, const NewData&, const QString& title, std::function<Updated(kernels::Progress&)> work);
    void takeLearnt(Run* learner, Updated&, const NewData&, const QString& name);
    void makeSafe(RunBox&, int runId, std::shared_ptr<const SavedRun> from, const QString& file);

    int bringRuns(SessionContent&&, const QString& file);
    void bringTensor(const OpenTensorPtr& absent, const QString& folder);
    void nextNaming();
    void replaceTensor(const OpenTensorPtr&);

    struct Private;
    std::unique_ptr<Private> d;
    std::vector<OpenTensorPtr> m_tensors;
    std::vector<Run*> m_runs;
    std::vector<LoadJob*> m_jobs;
    QTimer* m_pollTimer = nullptr;
};

} // namespace app
