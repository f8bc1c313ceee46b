// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_handles.h"
#include "io/hdf5_read.h"
#include "io/hdf5_stored_text.h"
#include "io/hdf5_write.h"
#include "io/model_file.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

using test::sentenceOf;

/// Model files: everything survives, and what does not fit together is refused.
class TestModelFile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everythingSurvives_data();
    void everythingSurvives();
    void numbersThatAreNoneAreRefused();
    void predictionsSurviveBitByBit();
    void fewIterationsAndNoExtrasAreFine();
    void modelFilesAreTold();
    void otherMajorVersionIsRefused();
    void shapesMustAgree_data();
    void shapesMustAgree();
    void unknownThingsAreIgnored();
    void nestedSettingsAreRefused();
    void incompleteModelsAreNotWritten();
    void positionsMustAscend();
    void textsThatClaimToBeLongAreRefused_data();
    void textsThatClaimToBeLongAreRefused();
    void sparsePartsSurvive_data();
    void sparsePartsSurvive();
    void brokenSparsePartsAreRefused_data();
    void brokenSparsePartsAreRefused();

private:
    /// Nearly all is 0; of the factors one is full, and one all 0.
    static io::ModelFile sparseSample(bool doubles)
    {
        io::ModelFile file = sample(kernels::ModelKind::Tucker, doubles);
        kernels::Model& model = file.model;
        for (std::size_t i = 0; i < model.core.size(); ++i)
            if (i % 4 != 2)
                model.core[i] = 0;
        for (std::size_t n : {0, 2})
            std::visit(
                [&](auto& numbers) {
                    for (std::size_t i = 0; i < numbers.size(); ++i)
                        if (n == 2 || i % 9 != 1)
                            numbers[i] = 0;
                },
                model.factors[n].data);
        return file;
    }

    static io::ModelFile sample(kernels::ModelKind kind, bool doubles)
    {
        io::ModelFile file;
        file.model = test::randomModel(kind, {7, 5, 6}, 3, 4, 11, doubles);
        file.objective = kernels::Objective::All;
        file.config.seed = 99;
        file.config.ranks = file.model.ranks;
        file.config.parameters = {{"lambda-a", 0.01}, {"order", std::string("shuffled")}};
        file.equation = "x̂ = Σ";
        file.bestIteration = 2;
        for (std::uint64_t t = 1; t <= 3; ++t) {
            kernels::IterationRecord record;
            record.iteration = t;
            record.elapsed = double(t) / 3;
            record.secondsCore = 0.1;
            record.nonzeros = t * 1000;
            record.testRmse = 1.0 / double(t);
            record.learningRateA = 0.001;
            file.history.push_back(record);
        }
        io::TelemetrySeries series;
        series.info.id = "cpu";
        series.info.metric = "process time";
        series.info.deviceName = "A CPU";
        series.info.intervalMs = 200;
        series.samples.push_back({0.5, 12.5f, std::nanf(""), 1 << 20, std::nanf("")});
        series.samples.push_back({0.7, 99.0f, 1.0f, 2 << 20, 30.0f});
        file.telemetry = {series, series};
        file.status = "stopped";
        file.stopReason = "time limit";
        file.startedUtc = "2026-01-31T12:00:00Z";
        file.finishedUtc = "2026-01-31T12:00:01Z";
        file.environment = std::string(100000, 'e'); // more than an attribute may hold
        file.command = "polyad-cli run 'a b.tns'";
        file.log = "line 1\nline 2\n";
        file.input = {"a b.tns",
                      std::string(64, 'a'),
                      "FROSTT text",
                      "1: no index 0 occurs",
                      std::nullopt,
                      kernels::EmptyCells::Zero,
                      {7, 5, 6},
                      100,
                      97,
                      3,
                      -1.5,
                      2.5,
                      0.25,
                      {4, 50, 99}};
        file.input.recipe.emplace().modes = io::table::parseModes("user,hour(t),top(x,3)");
        file.modes = {{7, "user", {"a", "b", "c", "d", "e", "f", "ü"}}, {5, "", {}}, {6, "time", {}}};
        file.componentNames.assign(*std::max_element(file.model.ranks.begin(), file.model.ranks.end()), "");
        file.componentNames[1] = "morning, out of the hubs – früh";
        file.baselines.emplace().additive.testRmse = 0.1 + 0.2; // all digits
        return file;
    }

    std::string written(const io::ModelFile& file)
    {
        const std::string path = m_files.path("model.h5");
        io::writeModel(path, file);
        return path;
    }

    /// Opens the file for changes, as somebody else might.
    template <class Change> void change(const std::string& path, const Change& change)
    {
        const io::hdf5::Session session;
        const io::hdf5::File file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
        QVERIFY(bool(file));
        change(file.id());
    }

    test::TemporaryFiles m_files;
};

void TestModelFile::numbersThatAreNoneAreRefused()
{
    const double nan = std::nan(""), infinite = -std::numeric_limits<double>::infinity();
    const auto refusal = [this](kernels::ModelKind kind, const auto& spoil) {
        io::ModelFile file = sample(kind, true);
        spoil(file.model);
        return QString::fromStdString(test::sentenceOf([&] { io::readModel(written(file)); }));
    };
    const auto number = [](kernels::Matrix& matrix, std::size_t row, std::size_t column) -> double& {
        return std::get<kernels::Array<double>>(matrix.data)[row * matrix.columns + column];
    };
    using kernels::ModelKind;
    const QString factor = refusal(ModelKind::Cp, [&](kernels::Model& model) { number(model.factors[1], 4, 2) = nan; });
    QVERIFY2(factor.startsWith("model.h5: factor of mode 2, row 5, column 3 is not a number."), qPrintable(factor));
    const QString weight = refusal(ModelKind::Cp, [&](kernels::Model& model) { model.weights[1] = infinite; });
    QVERIFY2(weight.startsWith("model.h5: weight 2 is infinite."), qPrintable(weight));
    const QString core = refusal(ModelKind::Tucker, [&](kernels::Model& model) { model.core[5] = nan; });
    QVERIFY2(core.startsWith("model.h5: core at 1, 2, 3 is not a number."), qPrintable(core));
    const QString matrix = refusal(ModelKind::FastTucker, [&](kernels::Model& model) { number(model.coreFactors[2], 1, 3) = infinite; });
    QVERIFY2(matrix.startsWith("model.h5: core matrix of mode 3, row 2, column 4 is infinite."), qPrintable(matrix));
}

void TestModelFile::everythingSurvives_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("doubles");
    for (const auto kind : {kernels::ModelKind::Cp, kernels::ModelKind::Tucker, kernels::ModelKind::FastTucker}) {
        for (const bool doubles : {false, true})
            QTest::addRow("%s %s", std::string(kernels::toString(kind)).c_str(), doubles ? "fp64" : "fp32") << int(kind) << doubles;
    }
}

void TestModelFile::everythingSurvives()
{
    QFETCH(const int, kind);
    QFETCH(const bool, doubles);
    const io::ModelFile before = sample(static_cast<kernels::ModelKind>(kind), doubles);
    kernels::Progress progress;
    const io::ModelFile after = io::readModel(written(before), &progress);
    QVERIFY(after.model.kind == before.model.kind);
    QCOMPARE(after.model.dims, before.model.dims);
    QCOMPARE(after.model.ranks, before.model.ranks);
    for (std::size_t n = 0; n < 3; ++n)
        QVERIFY(after.model.factors[n].data == before.model.factors[n].data);
    QVERIFY(after.model.core == before.model.core);
    if (before.model.kind == kernels::ModelKind::Cp)
        QCOMPARE(after.model.weights, before.model.weights.empty() ? std::vector<double>(3, 1.0) : before.model.weights);
    QCOMPARE(after.model.coreFactors.size(), before.model.coreFactors.size());
    for (std::size_t n = 0; n < before.model.coreFactors.size(); ++n)
        QVERIFY(after.model.coreFactors[n].data == before.model.coreFactors[n].data);
    QVERIFY(after.objective == before.objective);
    QVERIFY(after.config == before.config);
    QCOMPARE(after.equation, before.equation);
    QCOMPARE(after.bestIteration, before.bestIteration);
    QCOMPARE(after.history.size(), std::size_t{3});
    QCOMPARE(after.history[2].iteration, std::uint64_t{3});
    QCOMPARE(after.history[2].elapsed, 1.0);
    QCOMPARE(after.history[2].secondsCore, 0.1);
    QCOMPARE(after.history[2].nonzeros, kernels::Count{3000});
    QCOMPARE(after.history[2].testRmse, 1.0 / 3);
    QCOMPARE(after.history[2].learningRateA, 0.001);
    QVERIFY(std::isnan(after.history[2].trainRmse));
    QCOMPARE(after.telemetry.size(), std::size_t{2});
    QCOMPARE(after.telemetry[1].info.metric, std::string("process time"));
    QCOMPARE(after.telemetry[1].info.intervalMs, 200u);
    QCOMPARE(after.telemetry[1].samples.size(), std::size_t{2});
    QCOMPARE(after.telemetry[1].samples[1].memoryBytes, std::uint64_t{2 << 20});
    QVERIFY(std::isnan(after.telemetry[1].samples[0].powerWatts));
    QCOMPARE(after.status, before.status);
    QCOMPARE(after.stopReason, before.stopReason);
    QCOMPARE(after.startedUtc, before.startedUtc);
    QCOMPARE(after.finishedUtc, before.finishedUtc);
    QCOMPARE(after.environment, before.environment);
    QCOMPARE(after.command, before.command);
    QCOMPARE(after.log, before.log);
    QCOMPARE(after.componentNames, before.componentNames);
    QCOMPARE(after.baselines.has_value(), before.baselines.has_value());
    if (before.baselines)
        QVERIFY(after.baselines->additive.testRmse == before.baselines->additive.testRmse && std::isnan(after.baselines->mean.testRmse));
    QCOMPARE(after.input.fileName, before.input.fileName);
    QCOMPARE(after.input.sha256, before.input.sha256);
    QVERIFY(after.input.recipe == before.input.recipe);
    QVERIFY(after.input.emptyCells == before.input.emptyCells);
    QCOMPARE(after.input.dims, before.input.dims);
    QCOMPARE(after.input.testEntries, before.input.testEntries);
    QCOMPARE(after.input.valueMin, before.input.valueMin);
    QCOMPARE(after.input.valueMax, before.input.valueMax);
    QCOMPARE(after.input.valueMean, before.input.valueMean);
    QVERIFY(after.input.testPositions == before.input.testPositions);
    QCOMPARE(after.modes[0].name, before.modes[0].name);
    QCOMPARE(after.modes[0].labels, before.modes[0].labels);
    QCOMPARE(after.modes[2].size, kernels::Index{6});
}

void TestModelFile::predictionsSurviveBitByBit()
{
    for (const auto kind : {kernels::ModelKind::Cp, kernels::ModelKind::Tucker, kernels::ModelKind::FastTucker}) {
        const io::ModelFile before = sample(kind, false);
        const io::ModelFile after = io::readModel(written(before));
        const kernels::Predictor predictBefore(before.model), predictAfter(after.model);
        for (kernels::Index i = 0; i < 7; ++i) {
            const std::vector<kernels::Index> index{i, i % 5, i % 6};
            QCOMPARE(predictAfter(index), predictBefore(index));
        }
    }
}

void TestModelFile::fewIterationsAndNoExtrasAreFine()
{
    io::ModelFile bare;
    bare.model = test::randomModel(kernels::ModelKind::FastTucker, {3, 2}, 2, 2, 1, false);
    const io::ModelFile after = io::readModel(written(bare));
    QVERIFY(after.history.empty());
    QVERIFY(after.telemetry.empty());
    QVERIFY(after.input.testPositions.empty());
    QCOMPARE(after.modes.size(), std::size_t{2});
}

void TestModelFile::modelFilesAreTold()
{
    QVERIFY(io::isModelFile(written(sample(kernels::ModelKind::Cp, false))));
    QVERIFY(!io::isModelFile(m_files.write("text.h5", "1 1 1\n")));
    QVERIFY(!io::isModelFile(m_files.path("missing.h5")));
    QVERIFY(!io::isModelFile(m_files.path("")));
    kernels::Progress progress;
    io::writeTensor(m_files.path("tensor.h5"), test::randomTensor({3, 3}, 2, 1), {}, progress);
    QVERIFY(!io::isModelFile(m_files.path("tensor.h5")));
    QCOMPARE(sentenceOf([&] { io::readModel(m_files.path("tensor.h5")); }),
             std::string("tensor.h5: is not a model file (found tensor, expected model)"));
    QVERIFY(sentenceOf([&] { test::load(m_files.path("model.h5")); }).starts_with("model.h5: is a Polyad model file, not a tensor"));
}

void TestModelFile::otherMajorVersionIsRefused()
{
    const std::string path = written(sample(kernels::ModelKind::Cp, false));
    change(path, [](hid_t file) {
        H5Adelete(file, "polyad_format_version");
        const io::hdf5::Type text(H5Tcopy(H5T_C_S1));
        H5Tset_size(text.id(), 3);
        const io::hdf5::Space scalar(H5Screate(H5S_SCALAR));
        const io::hdf5::Attribute attribute(H5Acreate2(file, "polyad_format_version", text.id(), scalar.id(), H5P_DEFAULT, H5P_DEFAULT));
        H5Awrite(attribute.id(), text.id(), "2.0");
    });
    QVERIFY(sentenceOf([&] { io::readModel(path); }).find("was written in a version that is not read here (found 2.0")
            != std::string::npos);
}

void TestModelFile::shapesMustAgree_data()
{
    QTest::addColumn<QString>("dataset");
    for (const char* name : {"model/factor_1", "model/core_factor_0", "model/core_factor_2", "metrics/test_rmse", "telemetry/dev_1/power_w",
                             "input/test_positions", "modes/mode_0/labels", "run/config"})
        QTest::newRow(name) << name;
}

/// The dataset is replaced by one of another shape, which declares 2^40 numbers that are not there.
void TestModelFile::shapesMustAgree()
{
    QFETCH(const QString, dataset);
    const std::string path = written(sample(kernels::ModelKind::FastTucker, false));
    change(path, [&](hid_t file) {
        H5Ldelete(file, qPrintable(dataset), H5P_DEFAULT);
        const hsize_t dims = hsize_t{1} << 40, chunk = 1024;
        const io::hdf5::Space space(H5Screate_simple(1, &dims, nullptr));
        const io::hdf5::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_chunk(creation.id(), 1, &chunk);
        H5Pset_deflate(creation.id(), 1);
        const io::hdf5::Dataset created(
            H5Dcreate2(file, qPrintable(dataset), H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));
        QVERIFY(bool(created));
    });
    const QString told = QString::fromStdString(sentenceOf([&] { io::readModel(path); }));
    QVERIFY2(told.startsWith("model.h5 /" + dataset + ": "), qPrintable(told));
}

void TestModelFile::unknownThingsAreIgnored()
{
    const io::ModelFile before = sample(kernels::ModelKind::Tucker, false);
    const std::string path = written(before);
    change(path, [](hid_t file) {
        const io::hdf5::Group group(H5Gcreate2(file, "later", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5Lcreate_external("other.h5", "/x", file, "model/outside", H5P_DEFAULT, H5P_DEFAULT);
    });
    QVERIFY(io::readModel(path).model.core == before.model.core);
}

void TestModelFile::nestedSettingsAreRefused()
{
    const std::string path = written(sample(kernels::ModelKind::Cp, false));
    change(path, [](hid_t file) {
        QVERIFY(H5Ldelete(file, "/run/config", H5P_DEFAULT) >= 0);
        const io::hdf5::Group run(H5Gopen2(file, "/run", H5P_DEFAULT));
        io::hdf5::writeText(run.id(), "config", "{\"seed\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}");
    });
    const std::string told = sentenceOf([&] { io::readModel(path); });
    QVERIFY2(QString::fromStdString(told).contains("/run/config: JSON is nested too deeply"), told.c_str());
}

void TestModelFile::incompleteModelsAreNotWritten()
{
    io::ModelFile file = sample(kernels::ModelKind::Tucker, false);
    file.model.core.pop_back();
    const std::string path = m_files.write("kept.h5", "old");
    QVERIFY(sentenceOf([&] { io::writeModel(path, file); }).find("the model is incomplete") != std::string::npos);
    QCOMPARE(test::contentOf(path), QByteArray("old"));
}

void TestModelFile::positionsMustAscend()
{
    io::ModelFile file = sample(kernels::ModelKind::Cp, false);
    file.input.testPositions = {5, 5};
    QVERIFY(sentenceOf([&] { io::readModel(written(file)); }).find("positions are not ascending") != std::string::npos);
    file.input.testPositions = {5, 100};
    QVERIFY(sentenceOf([&] { io::readModel(written(file)); }).find("a position lies past the tensor's entries") != std::string::npos);
}

void TestModelFile::textsThatClaimToBeLongAreRefused_data()
{
    QTest::addColumn<bool>("attribute");
    QTest::addColumn<QString>("told");
    QTest::newRow("attribute") << true << "the attribute kind has another type (expected text of at most 16 MiB)";
    QTest::newRow("dataset") << false << "its texts are too long (found 4.0 GiB, expected at most 16.0 MiB)";
}

/// HDF5 would fill as many bytes as the length says before it looked whether the file has them.
void TestModelFile::textsThatClaimToBeLongAreRefused()
{
    QFETCH(const bool, attribute);
    QFETCH(const QString, told);
    const std::string path = written(sample(kernels::ModelKind::Cp, false));
    QByteArray reference;
    change(path, [&](hid_t file) {
        using namespace io::hdf5;
        StoredText stored;
        if (attribute) {
            const Attribute kind(H5Aopen_by_name(file, "model", "kind", H5P_DEFAULT, H5P_DEFAULT));
            QVERIFY(H5Aread(kind.id(), storedTextType(), &stored) >= 0);
        } else {
            const Dataset config(H5Dopen2(file, "run/config", H5P_DEFAULT));
            QVERIFY(H5Dread(config.id(), storedTextType(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &stored) >= 0);
        }
        QVERIFY(attribute ? stored.bytes() == 2 : stored.bytes() > 100);
        reference = QByteArray(reinterpret_cast<const char*>(stored.reference.data()), 16);
    });
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::ReadWrite));
    const QByteArray bytes = file.readAll();
    const qsizetype at = bytes.indexOf(reference);
    QVERIFY(at >= 0 && bytes.count(reference) == 1);
    file.seek(at);
    QCOMPARE(file.write("\xf0\xff\xff\xff", 4), qint64(4));
    file.close();
    const std::string sentence = sentenceOf([&] { io::readModel(path); });
    QVERIFY2(sentence.find(told.toStdString()) != std::string::npos, sentence.c_str());
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    QVERIFY2(use.ru_maxrss < 1 << 20, qPrintable(QString::number(use.ru_maxrss))); // KiB
}

void TestModelFile::sparsePartsSurvive_data()
{
    QTest::addColumn<bool>("doubles");
    QTest::newRow("fp32") << false;
    QTest::newRow("fp64") << true;
}

/// What is mostly 0 is kept without its zeros, where that takes less room; all else as ever.
void TestModelFile::sparsePartsSurvive()
{
    QFETCH(const bool, doubles);
    io::ModelFile before = sparseSample(doubles);
    for (const bool emptyCore : {false, true}) {
        if (emptyCore)
            std::fill(before.model.core.begin(), before.model.core.end(), 0.0);
        const std::string path = written(before);
        const io::ModelFile after = io::readModel(path);
        QVERIFY(after.model.core == before.model.core);
        for (std::size_t n = 0; n < 3; ++n)
            QVERIFY(after.model.factors[n].data == before.model.factors[n].data);
        change(path, [&](hid_t file) {
            using namespace io::hdf5;
            QVERIFY(isGroup(openPath(file, "/model/core", "")) && isGroup(openPath(file, "/model/factor_2", "")));
            QCOMPARE(isGroup(openPath(file, "/model/factor_0", "")), doubles); // 7 × 3 singles are as small with their zeros
            QVERIFY(isDataset(openPath(file, "/model/factor_1", "")));
            QCOMPARE(
                openDataset(openPath(file, "/model/core", "").id(), "values", "").elements,
                std::uint64_t(before.model.core.size() - std::size_t(std::count(before.model.core.begin(), before.model.core.end(), 0))));
        });
    }
}

void TestModelFile::brokenSparsePartsAreRefused_data()
{
    QTest::addColumn<QString>("group");
    QTest::addColumn<QString>("column");
    QTest::addColumn<QString>("told");
    QTest::newRow("rows") << "factor_2"
                          << "indptr"
                          << "has another length than the others";
    QTest::newRow("columns") << "factor_2"
                             << "indices"
                             << "has another length than the others";
    QTest::newRow("values") << "factor_2"
                            << "data"
                            << "has another length than the others";
    QTest::newRow("core") << "core"
                          << "values"
                          << "has another length than the others";
    QTest::newRow("places") << "core"
                            << "indices_1"
                            << "has another length than the others";
    QTest::newRow("shape of the core") << "core"
                                       << "shape"
                                       << "has another shape than the model";
    QTest::newRow("shape of a factor") << "factor_2"
                                       << "shape"
                                       << "has another shape than the model";
    QTest::newRow("way of writing") << "factor_2"
                                    << "encoding-type"
                                    << "is no matrix row by row";
    QTest::newRow("outside") << "core"
                             << "outside"
                             << "a place lies outside the core";
    QTest::newRow("not ascending") << "core"
                                   << "twice"
                                   << "places do not ascend";
    QTest::newRow("rows not ascending") << "factor_2"
                                        << "descending"
                                        << "does not ascend from 0 to the number of values";
}

void TestModelFile::brokenSparsePartsAreRefused()
{
    QFETCH(const QString, group);
    QFETCH(const QString, column);
    QFETCH(const QString, told);
    using namespace io::hdf5;
    const std::string path = written(sparseSample(false));
    {
        Session session;
        const File file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
        QVERIFY(bool(file));
        const Object part = openPath(file.id(), "/model/" + group.toStdString(), "");
        const auto replace = [&](const char* name, auto numbers) {
            H5Ldelete(part.id(), name, H5P_DEFAULT);
            writeArray(session, part.id(), name, numbers.data(), {numbers.size()}, {});
        };
        const auto places = [&](const char* name) {
            const CheckedDataset set = openDataset(part.id(), name, "");
            std::vector<std::uint64_t> numbers(set.elements);
            readArray(session, set, numbers.data());
            return numbers;
        };
        if (column == "shape") {
            H5Adelete(part.id(), "shape");
            writeAttribute(part.id(), "shape", std::vector<std::uint64_t>{1, 2});
        } else if (column == "encoding-type") {
            H5Adelete(part.id(), "encoding-type");
            writeAttribute(part.id(), "encoding-type", std::string("csc_matrix"));
        } else if (column == "outside") {
            auto numbers = places("indices_0");
            numbers.back() = 1 << 20;
            replace("indices_0", numbers);
        } else if (column == "twice") {
            for (const char* name : {"indices_0", "indices_1", "indices_2"}) {
                auto numbers = places(name);
                numbers[1] = numbers[0];
                replace(name, numbers);
            }
        } else if (column == "descending") {
            auto numbers = places("indptr");
            numbers[1] = 5;
            replace("indptr", numbers);
        } else if (column == "data" || column == "values") {
            replace(qPrintable(column), std::vector<double>(77, 1.0));
        } else {
            replace(qPrintable(column), std::vector<std::uint64_t>(77, 0));
        }
    }
    const QString sentence = QString::fromStdString(sentenceOf([&] { io::readModel(path); }));
    QVERIFY2(sentence.startsWith("model.h5 /model/" + group) && sentence.contains(told), qPrintable(sentence));
}

QTEST_GUILESS_MAIN(TestModelFile)
#include "tst_model_file.moc"
