// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"

#include "app/divergence_choice.h"
#include "app/messages.h"
#include "app/session_private.h"
#include "app/tensor_source.h"
#include "io/error.h"
#include "io/hdf5_name.h"
#include "io/input_stream.h"
#include "io/run_config_json.h"
#include "io/table/table_format.h"
#include "kernels/base/error.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTimer>

#include <algorithm>
#include <set>

namespace app {
namespace {

/// The window gets news ten times a second at most.
constexpr int pollIntervalMs = 100;

std::optional<kernels::RunConfig> readSuggestion(const QString& path)
{
    QFile file(path);
    if (!file.exists())
        return {};
    if (!file.open(QIODevice::ReadOnly))
        throw io::Error({"cannot be read", path.toStdString(), {}, {}, {}});
    return io::runConfigFromJson(file.readAll().toStdString(), path.toStdString());
}

} // namespace

int smallestFreeColor(const std::vector<Run*>& runs)
{
    std::set<int> used;
    for (const Run* run : runs)
        used.insert(run->colorIndex());
    int color = 0;
    while (used.contains(color))
        ++color;
    return color;
}

Session::Session(QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>())
    , m_pollTimer(new QTimer(this))
{
    m_pollTimer->setInterval(pollIntervalMs);
    connect(m_pollTimer, &QTimer::timeout, this, &Session::pollRuns);
    connect(&d->naming, &BackgroundJob::failed, this, [this](const QString& sentence) {
        Q_EMIT logMessage(1, sentence);
        Q_EMIT namingFailed(sentence);
    });
    connect(&d->naming, &BackgroundJob::ended, this, [this] {
        d->namings.pop_front();
        nextNaming();
    });
    connect(&d->baselines, &BaselineBook::measured, this, [this] {
        for (Run* run : everyRun())
            takeBaselines(run);
    });
    connect(&d->devices, &DeviceWatch::listed, this, &Session::devicesListed);
    connect(&d->devices, &DeviceWatch::freeMemoryChanged, this, &Session::freeMemoryChanged);
}

Session::~Session()
{
    // Ask everybody first, then wait: the waits overlap.
    for (auto& [device, worker] : d->workers)
        worker->shutDown();
    const QList<LoadJob*> jobs = findChildren<LoadJob*>(Qt::FindDirectChildrenOnly); // those that were cancelled before, too
    for (LoadJob* job : jobs)
        job->m_progress.cancel();
    d->searchProgress.cancel();
    if (d->search.joinable())
        d->search.join();
    for (auto& running : d->exports)
        running.checksum.cancel();
    for (auto& running : d->exports)
        running.thread.join(); // short, and a half-written export would be a loss
    d->workers.clear();
    for (const LoadJob* job : jobs)
        delete job; // they use what goes now
}

OpenTensorPtr Session::tensor(int id) const
{
    const auto it = std::find_if(m_tensors.begin(), m_tensors.end(), [id](const OpenTensorPtr& t) { return t->id == id; });
    return it == m_tensors.end() ? OpenTensorPtr() : *it;
}

Run* Session::run(int id) const
{
    const auto it = std::find_if(m_runs.begin(), m_runs.end(), [id](const Run* r) { return r->id() == id; });
    return it == m_runs.end() ? nullptr : *it;
}

bool Session::hasActiveRuns() const
{
    return std::any_of(m_runs.begin(), m_runs.end(), [](const Run* run) { return run->isActive(); });
}

QString withGroup(const QString& path, const QString& group)
{
    return QString::fromStdString(io::splitHdf5Name(path.toStdString()).file) + QLatin1Char(':') + group;
}

namespace {

/// "/data/days.h5:/monday" for "days.h5:/monday", by whatever way it is named.
QString canonical(const QString& path)
{
    const std::string name = path.toStdString(), file = io::splitHdf5Name(name).file;
    const QString known = QFileInfo(QString::fromStdString(file)).canonicalFilePath();
    return known.isEmpty() ? path : known + QString::fromStdString(name.substr(file.size()));
}

/// Names of the modes aside: they can be changed at any time.
bool readAlike(const io::ReadOptions& a, const io::ReadOptions& b)
{
    return a.indexBase == b.indexBase && a.duplicates == b.duplicates && a.keepZeros == b.keepZeros && a.dims == b.dims
        && a.layout == b.layout && a.doubleValues == b.doubleValues && a.recipe == b.recipe;
}

} // namespace

Session::Opened Session::openedFrom(const QString& path, const io::ReadOptions& options) const
{
    const QString wanted = canonical(path);
    Opened found;
    for (const OpenTensorPtr& tensor : m_tensors)
        if (!tensor->path.isEmpty() && canonical(tensor->path) == wanted && readAlike(tensor->readOptions, options)) {
            const bool isAsRead = tensor->checksum && tensor->checksum->isAsRead();
            (isAsRead ? found.tensor : found.changed) = tensor;
        }
    found.isLoading = std::any_of(m_jobs.begin(), m_jobs.end(),
                                  [&](const LoadJob* job) { return !job->path().isEmpty() && canonical(job->path()) == wanted; });
    return found;
}

LoadJob* Session::openFile(const QString& path, const io::ReadOptions& options, Tables tables)
{
    const int id = ++d->lastTensorId;
    auto* job = new LoadJob(
        QString::fromStdString(io::fileNameOf(path.toStdString())),
        [id, file = path.toStdString(), options, tables](kernels::Progress& progress) {
            if (tables == Tables::Ask && !options.recipe && io::table::isTable(file))
                throw TableFound();
            auto open = openTensorFile(file, options, Statistics::Compute, progress);
            open->id = id;
            return open;
        },
        this);
    job->m_path = path;
    job->m_takeGroup = [this, path, options, tables](const QString& group) { openFile(withGroup(path, group), options, tables); };
    return addJob(job);
}

LoadJob* Session::openImported(std::shared_ptr<OpenTensor> open)
{
    open->id = ++d->lastTensorId;
    const QString title = open->name;
    return addJob(new LoadJob(
        title, [open = std::move(open)](kernels::Progress&) { return open; }, this));
}

bool Session::hasRunsOf(int tensorId) const
{
    return std::any_of(m_runs.begin(), m_runs.end(), [&](const Run* run) { return run->tensor() && run->tensor()->id == tensorId; });
}

void Session::replaceBy(LoadJob* job, const OpenTensorPtr& earlier)
{
    job->m_instead = earlier->id;
    if (!hasRunsOf(earlier->id))
        return;
    const auto isTaken = [this](const QString& name) {
        return std::any_of(m_tensors.begin(), m_tensors.end(), [&](const OpenTensorPtr& tensor) { return tensor->name == name; });
    };
    QString name;
    for (int n = 2; name.isEmpty() || isTaken(name); ++n)
        name = QStringLiteral("%1 (%2)").arg(job->title()).arg(n);
    job->m_name = name;
}

LoadJob* Session::openSample()
{
    const int id = ++d->lastTensorId;
    const QString folder = samplePath(QStringLiteral("flights"));
    const QString path = folder + QStringLiteral("/flights.tns");
    auto* job = new LoadJob(
        QStringLiteral("flights.tns"),
        [id, folder, path](kernels::Progress& progress) {
            io::ReadOptions options;
            options.emptyCells = kernels::EmptyCells::Zero; // a connection that is not there is not flown
            auto open = openTensorFile(path.toStdString(), options, Statistics::Compute, progress);
            open->id = id;
            open->suggested = readSuggestion(folder + QStringLiteral("/suggested.json"));
            return open;
        },
        this);
    job->m_path = path;
    return addJob(job);
}

LoadJob* Session::generate(const kernels::SyntheticSpec& spec, const QString& name)
{
    const int id = ++d->lastTensorId;
    return addJob(new LoadJob(
        name,
        [id, spec, name](kernels::Progress& progress) {
            auto open = openSynthetic(spec, name.toStdString(), Statistics::Compute, progress);
            open->id = id;
            return open;
        },
        this));
}

LoadJob* Session::generatePreset(const QString& presetId, double scale, quint64 seed)
{
    const int id = ++d->lastTensorId;
    return addJob(new LoadJob(
        presetId,
        [id, preset = presetId.toStdString(), scale, seed](kernels::Progress& progress) {
            auto open = openPreset(preset, scale, seed, Statistics::Compute, progress);
            open->id = id;
            return open;
        },
        this));
}

LoadJob* Session::addJob(LoadJob* job)
{
    m_jobs.push_back(job);
    const auto ended = [this, job] {
        std::erase(m_jobs, job);
        Q_EMIT loadEnded(job);
    };
    connect(job, &LoadJob::finished, this, [this, job, ended](const OpenTensorPtr& tensor) {
        if (!tensor) // a session: its tensors come by themselves
            return ended();
        if (job->m_instead > 0 && !hasRunsOf(job->m_instead))
            closeTensor(job->m_instead);
        m_tensors.push_back(tensor);
        giveTensor(tensor); // to runs of a session, which have been waiting for it
        Q_EMIT logMessage(
            0, tr("Opened %1: %L2 entries in %3 s").arg(tensor->name).arg(tensor->tensor.entries()).arg(tensor->report.seconds, 0, 'f', 2));
        for (const std::string& warning : tensor->report.warnings)
            Q_EMIT logMessage(1, tensor->name + QStringLiteral(": ") + QString::fromStdString(warning));
        Q_EMIT tensorAdded(tensor);
        ended();
    });
    connect(job, &LoadJob::failed, this, [this, job, ended](const QString& sentence) {
        if (job->groups().isEmpty() && !job->isTable()) // else it is a question
            Q_EMIT logMessage(2, sentence);
        ended();
    });
    connect(job, &LoadJob::cancelled, this, [this, job, ended] {
        Q_EMIT logMessage(0, tr("Cancelled opening %1").arg(job->title()));
        ended();
    });
    job->start();
    Q_EMIT loadStarted(job);
    return job;
}

void Session::closeTensor(int id)
{
    const auto removed = std::erase_if(m_tensors, [id](const OpenTensorPtr& t) { return t->id == id; });
    d->cache.forget(id);
    d->baselines.forget(id);
    if (removed)
        Q_EMIT tensorRemoved(id);
}

void Session::putBack(const OpenTensorPtr& closed)
{
    m_tensors.push_back(closed);
    Q_EMIT tensorAdded(closed);
}

Run* Session::start(const kernels::RunConfig& config, const OpenTensorPtr& tensor, Turn turn)
{
    return begin(config, tensor, {}, {}, turn);
}

Run* Session::begin(const kernels::RunConfig& config, const OpenTensorPtr& tensor, std::shared_ptr<const SavedRun> from,
                    const QString& checkpoint, Turn turn)
{
    if (!tensor)
        throw kernels::Error(kernels::ErrorKind::BadArgument, "A run needs a tensor. Open one first.");
    const auto box = std::make_shared<RunBox>(resolveFor(from ? config : withDivergence(config, *tensor), *tensor, from.get()), tensor);
    auto* run = new Run(++d->lastRunId, box, this);
    makeSafe(*box, run->id(), std::move(from), checkpoint);
    run->m_colorIndex = smallestFreeColor(everyRun());
    add(run);
    d->waiting.insert(run->id());
    d->worker(box->config.devices.front()).waiting().add(box, turn);
    m_pollTimer->start();
    Q_EMIT runAdded(run);
    Q_EMIT queueChanged();
    return run;
}

void Session::add(Run* run)
{
    m_runs.push_back(run);
    connectTo(run);
}

void Session::connectTo(Run* run)
{
    connect(run, &Run::stateChanged, this, [this, run] {
        if (run->state() == RunState::Failed)
            Q_EMIT logMessage(2, run->name() + QStringLiteral(": ") + run->error());
        Q_EMIT runChanged(run);
        leftQueue(run);
        if (!run->isActive() && run->isVisible()) // a sweep's runs are hidden, and may have a split each
            wantBaselines(run);
    });
    connect(run, &Run::warned, this, [this, run](const QString& sentence) {
        Q_EMIT logMessage(1, run->name() + QStringLiteral(": ") + sentence);
        Q_EMIT runWarned(run, sentence);
    });
    connect(run, &Run::appearanceChanged, this, [this, run] { Q_EMIT runChanged(run); });
    connect(run, &Run::advanced, this, [this, run] { Q_EMIT runAdvanced(run); });
}

const std::vector<kernels::DeviceInfo>& Session::devices() const { return d->devices.answer().devices; }

bool Session::areDevicesListed() const { return d->devices.isListed(); }

const QString& Session::cudaAbsence() const { return d->devices.answer().cudaAbsence; }

std::optional<std::uint64_t> Session::freeMemory(const kernels::DeviceId& id) const { return d->devices.freeMemory(id); }

TelemetryView Session::telemetry(const kernels::DeviceId& device)
{
    TelemetryWindow& window = d->telemetryWindows[kernels::toString(device)];
    window.follow(d->telemetry.sampler(device));
    window.collect();
    TelemetryView view;
    view.info = window.sampler().info();
    view.samples = window.samples();
    view.lostReason = QString::fromStdString(window.sampler().lostReason());
    for (const std::string& refusal : window.sampler().refusals())
        view.refusals << QString::fromStdString(refusal);
    view.now = window.now();
    return view;
}

void Session::chooseTelemetry(const QString& source)
{
    d->telemetryWindows.clear(); // first: what ends is then the hub's to wait for
    d->telemetry.choose(source.toStdString());
}

QString Session::samplePath(const QString& name)
{
    // Build, install and bundle folders have the same shape: programs (and tests) sit one below the top.
    return QDir::cleanPath(QCoreApplication::applicationDirPath() + QStringLiteral("/../share/polyad/samples/") + name);
}

} // namespace app
