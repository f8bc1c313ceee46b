// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/run_config_json.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <cmath>
#include <limits>

using kernels::RunConfig;
using test::sentenceOf;

class TestRunConfigJson : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFieldSurvivesTheRoundTrip();
    void missingKeysKeepTheirDefaults();
    void aMissingFormatIsTheVariants();
    void mistakesNameTheirKey_data();
    void mistakesNameTheirKey();
    void nestsAreRefusedBeforeTheyAreBuilt();
    void textsWithoutEndAreRefused();
    void laterKeysCanBeIgnored();
    void parameterTypesFollowTheJson();
    void iterationEventHasExactlyWhatWasMeasured();
    void finishedEventTellsTheBest();
};

void TestRunConfigJson::everyFieldSurvivesTheRoundTrip()
{
    RunConfig config;
    config.algorithm = "cp-als";
    config.variant = "fused";
    config.format = "bcsf";
    config.precision = kernels::Precision::Bf16;
    config.devices = {{kernels::DeviceKind::Cuda, 0}, {kernels::DeviceKind::Cuda, 3}};
    config.ranks = {4, 5, 6};
    config.coreRank = 7;
    config.split = {kernels::SplitKind::File, 0.25, "test \"ü\".tns"};
    config.seed = std::numeric_limits<std::uint64_t>::max();
    config.deterministic = true;
    config.init = "model.h5";
    config.parameters = {{"a", true}, {"b", std::int64_t{-3}}, {"c", 0.1}, {"d", 2.0}, {"e", std::string("text")}};
    config.stopping = {123456789012, 1e-7, 9, 60.5};
    config.memoryLimit = std::uint64_t{1} << 40;
    config.threads = 12;
    for (const int indent : {-1, 2})
        QVERIFY(io::runConfigFromJson(io::toJson(config, indent)) == config);
    QVERIFY(io::runConfigFromJson(io::toJson(RunConfig{})) == RunConfig{});
}

void TestRunConfigJson::missingKeysKeepTheirDefaults()
{
    RunConfig expected;
    expected.devices.clear(); // auto
    expected.seed = 7;
    expected.stopping.iterations = 3;
    QVERIFY(io::runConfigFromJson(R"({"seed": 7, "devices": "auto", "stopping": {"iterations": 3}})") == expected);
    QVERIFY(io::runConfigFromJson(io::toJson(expected)) == expected);
    QVERIFY(io::runConfigFromJson(R"({"seed": 7, "stopping": {"iterations": 3}})") == expected);
    RunConfig named;
    named.ranks = {8};
    named.devices = {{kernels::DeviceKind::Cuda, 0}, {kernels::DeviceKind::Cuda, 1}};
    QVERIFY(io::runConfigFromJson(R"({"ranks": 8, "devices": "cuda:0,1"})") == named);
}

void TestRunConfigJson::aMissingFormatIsTheVariants()
{
    const auto expect = [](const char* json, const char* format) {
        const RunConfig config = io::runConfigFromJson(json, "test");
        QCOMPARE(config.format, std::string(format));
    };
    expect(R"({"algorithm": "fastertucker", "variant": "full"})", "bcsf");
    expect(R"({"algorithm": "fastertucker", "variant": "coo"})", "coo");
    expect(R"({"algorithm": "fastertucker"})", "coo");
    expect(R"({"algorithm": "fastertucker", "variant": "full", "format": "coo"})", "coo"); // refused later
    expect(R"({"algorithm": "no such"})", "coo");
    const RunConfig config = io::runConfigFromJson(R"({"algorithm": "fastertucker", "variant": "full"})", "test");
    QCOMPARE(kernels::resolve(config, {5, 4, 3}).format, std::string("bcsf")); // is not refused
}

void TestRunConfigJson::mistakesNameTheirKey_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const char* text, const char* sentence) { QTest::newRow(text) << text << sentence; };
    row(R"({"sed": 7})", "f.json, sed: unknown key (expected one of algorithm");
    row(R"({"stopping": {"iters": 7}})", "f.json, stopping.iters: unknown key");
    row(R"({"seed": -1})", "f.json, seed: not a value for this key (found -1, expected a whole number from 0 to 18446744073709551615)");
    row(R"({"seed": "7"})", "f.json, seed: ");
    row(R"({"threads": 4294967296})", "f.json, threads: ");
    row(R"({"ranks": []})", "f.json, ranks: ");
    row(R"({"ranks": [0]})", "f.json, ranks: ");
    row(R"({"ranks": [1.5]})", "f.json, ranks: ");
    row(R"({"precision": "fp8"})", "f.json, precision: not a value for this key (found \"fp8\", expected fp64");
    row(R"({"devices": ["gpu"]})", "f.json, devices: ");
    row(R"({"devices": []})", "f.json, devices: ");
    row(R"({"devices": ["auto", "cpu"]})", "f.json, devices: ");
    const char* const twice =
        R"(f.json, devices: not a value for this key (found ["cuda:0","cuda:0"], expected each GPU once; cuda:0 is named twice))";
    row(R"({"devices": ["cuda:0", "cuda:0"]})", twice);
    row(R"({"devices": ["cuda:0,1", "cuda:1"]})", "f.json, devices: ");
    row(R"({"devices": "cuda:2,2"})", "f.json, devices: not a value for this key (found \"cuda:2,2\", expected each GPU once)");
    row(R"({"devices": "cpu,cuda:0"})", "f.json, devices: not a value for this key (found \"cpu,cuda:0\", expected cpu, or GPUs");
    row(R"({"split": {"kind": "none", "test_fraction": 2}})", "f.json, split.test_fraction: ");
    row(R"({"split": {"kind": "maybe"}})", "f.json, split.kind: ");
    row(R"({"split": 3})", "f.json, split: not a value for this key (found 3, expected an object)");
    row(R"({"stopping": {"tolerance": null}})", "f.json, stopping.tolerance: ");
    row(R"({"deterministic": 1})", "f.json, deterministic: ");
    row(R"({"parameters": {"x": [1]}})", "f.json, parameters.x: ");
    row(R"({"parameters": {"x": null}})", "f.json, parameters.x: ");
    row(R"([])", "f.json, top level: ");
    row(R"({"seed": )", "f.json, line 1, column 10: not valid JSON");
    row("", "f.json, line 1, column 1: not valid JSON");
}

void TestRunConfigJson::mistakesNameTheirKey()
{
    QFETCH(const QString, text);
    QFETCH(const QString, sentence);
    const std::string told = sentenceOf([&] { io::runConfigFromJson(text.toStdString(), "f.json"); });
    QVERIFY2(QString::fromStdString(told).startsWith(sentence), told.c_str());
}

/// Values of JSON are printed and copied by recursion: a deep one must never come to be.
void TestRunConfigJson::nestsAreRefusedBeforeTheyAreBuilt()
{
    const auto told = [](const std::string& json) {
        return QString::fromStdString(sentenceOf([&] { io::runConfigFromJson(json, "f.json"); }));
    };
    const auto nest = [](std::size_t levels) { return "{\"seed\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}"; };
    QVERIFY(told(nest(64)).startsWith("f.json, seed: not a value for this key"));
    const QString tooDeep = "f.json: JSON is nested too deeply (found more than 64 levels, expected at most 64)";
    QVERIFY2(told(nest(65)).startsWith(tooDeep), qPrintable(told(nest(65))));
    QVERIFY(told(nest(1'000'000)).startsWith(tooDeep));
    QVERIFY(told(std::string(1'000'000, '[')).startsWith(tooDeep)); // not even closed
    std::string objects;
    for (int level = 0; level < 100'000; ++level)
        objects += "{\"split\":";
    QVERIFY(told(objects).startsWith(tooDeep));
}

void TestRunConfigJson::textsWithoutEndAreRefused()
{
    const auto told = [](const std::string& json) {
        return QString::fromStdString(sentenceOf([&] { io::runConfigFromJson(json, "f.json"); }));
    };
    QCOMPARE(told("{}" + std::string((std::size_t{16} << 20) - 2, ' ')), QString("no error"));
    QVERIFY(
        told("{}" + std::string((std::size_t{16} << 20) - 1, ' ')).startsWith("f.json: the text is too long (found more than 16.0 MiB"));
}

void TestRunConfigJson::laterKeysCanBeIgnored()
{
    const char* text = R"({"seed": 7, "new": 1, "stopping": {"newer": 2}})";
    QCOMPARE(io::runConfigFromJson(text, "f", io::UnknownKeys::Ignore).seed, std::uint64_t{7});
}

void TestRunConfigJson::parameterTypesFollowTheJson()
{
    const RunConfig config = io::runConfigFromJson(R"({"parameters": {"i": 3, "r": 3.0, "b": false, "t": "3"}})");
    QVERIFY(config.parameters.at("i") == kernels::ParameterValue(std::int64_t{3}));
    QVERIFY(config.parameters.at("r") == kernels::ParameterValue(3.0));
    QVERIFY(config.parameters.at("b") == kernels::ParameterValue(false));
    QVERIFY(config.parameters.at("t") == kernels::ParameterValue(std::string("3")));
}

void TestRunConfigJson::iterationEventHasExactlyWhatWasMeasured()
{
    kernels::IterationRecord record;
    record.iteration = 3;
    record.elapsed = 1.5;
    record.secondsFactor = 0.5;
    record.secondsEvaluate = 0.25;
    record.nonzeros = 99;
    record.trainRmse = 0.75;
    QCOMPARE(
        io::iterationEventJson(record, {std::nan("")}),
        std::string(
            R"({"event":"iteration","iteration":3,"train_rmse":0.75,"seconds":{"factor":0.5,"core":0.0,"evaluate":0.25,"convert":0.0},"elapsed":1.5,"nonzeros":99})"));
    record.testRmse = 1;
    record.trainMae = 2;
    record.testMae = 3;
    record.fit = 4;
    record.objective = 5;
    QCOMPARE(
        io::iterationEventJson(record, {61.5}),
        std::string(
            R"({"event":"iteration","iteration":3,"train_rmse":0.75,"test_rmse":1.0,"train_mae":2.0,"test_mae":3.0,"fit":4.0,"objective":5.0,)"
            R"("seconds":{"factor":0.5,"core":0.0,"evaluate":0.25,"convert":0.0},"elapsed":1.5,"nonzeros":99,"sm_throughput":61.5})"));
    record = {};
    const auto of = [&](const std::vector<double>& devices) { return io::iterationEventJson(record, devices); };
    QVERIFY2(of({61.5, std::nan(""), 2}).ends_with(R"("nonzeros":0,"sm_throughput":[61.5,null,2.0]})"),
             of({61.5, std::nan(""), 2}).c_str());
    QCOMPARE(of({std::nan(""), std::nan("")}), of({}));
    QVERIFY(of({}).find("sm_throughput") == std::string::npos);
}

void TestRunConfigJson::finishedEventTellsTheBest()
{
    kernels::RunResult result;
    result.reason = kernels::StopReason::Converged;
    result.bestIteration = 2;
    result.history.resize(3);
    for (std::size_t i = 0; i < 3; ++i)
        result.history[i].iteration = i + 1;
    QCOMPARE(io::finishedEventJson(result), std::string(R"({"event":"finished","reason":"converged","best_iteration":2})"));
    result.history[1].testRmse = 0.5;
    QCOMPARE(io::finishedEventJson(result),
             std::string(R"({"event":"finished","reason":"converged","best_iteration":2,"best_test_rmse":0.5})"));
    kernels::Baselines baselines;
    baselines.mean.testRmse = 0.75;
    baselines.additive.fit = 0.25;
    QCOMPARE(io::finishedEventJson(result, &baselines),
             std::string(R"({"event":"finished","reason":"converged","best_iteration":2,"best_test_rmse":0.5,)"
                         R"("baselines":{"mean":{"test_rmse":0.75},"additive":{"fit":0.25}}})"));
}

QTEST_GUILESS_MAIN(TestRunConfigJson)
#include "tst_run_config_json.moc"
