// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line.h"
#include "app/tensor_source.h"
#include "app/train_test.h"
#include "io/input_stream.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"

#include <QTest>

using namespace app;

class TestCommandLine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void defaultsAreLeftOut();
    void aResolvedConfigIsAsShortAsTheChosenOne();
    void whatDiffersIsThere();
    void aDeviceThatNobodyNamedIsLeftOut();
    void oddNamesAreQuoted_data();
    void oddNamesAreQuoted();
    void readOptionsAndTheMakingOfTheTensorAreRepeated();
    void testPartsLieBesideTheirTensor();
    void splitsFollowTheTensor();
    void aSweepNamesItsFieldsAsTheyWereWritten();
};

void TestCommandLine::aSweepNamesItsFieldsAsTheyWereWritten()
{
    kernels::RunConfig config;
    config.ranks = {32, 32, 32};
    config.coreRank = 32; // as resolve() has it: it goes with the rank
    config.seed = 7;
    const TensorCommand tensor{"flights.tns", {}, {}, {}};
    QCOMPARE(sweepCommandLine(config, tensor, {{"rank", "2..10:2"}, {"lambda-a", "0.01..1:x10"}}, 3),
             std::string("polyad-cli sweep flights.tns --algorithm fasttucker-plus --device cpu --seed 7 --ranks 2..10:2 "
                         "--vary lambda-a=0.01..1:x10 --replicates 3"));
    QCOMPARE(sweepCommandLine(config, tensor, {{"precision", "fp32, fp64"}}, 1),
             std::string("polyad-cli sweep flights.tns --algorithm fasttucker-plus --device cpu --rank 32 --seed 7 "
                         "--vary 'precision=fp32, fp64'"));
}

void TestCommandLine::defaultsAreLeftOut()
{
    QCOMPARE(commandLine({}, "flights.tns"), std::string("polyad-cli run flights.tns --algorithm fasttucker-plus --device cpu"));
    QCOMPARE(commandLine({}, "flights.tns", "m.h5"),
             std::string("polyad-cli run flights.tns --algorithm fasttucker-plus --device cpu --output m.h5"));
}

void TestCommandLine::aResolvedConfigIsAsShortAsTheChosenOne()
{
    // resolve() spells out ranks, core rank, variant and every parameter; all are defaults here.
    QCOMPARE(commandLine(kernels::resolve({}, {220, 223, 24}), "x.tns"), commandLine({}, "x.tns"));
}

void TestCommandLine::whatDiffersIsThere()
{
    kernels::RunConfig config;
    config.ranks = {16, 16, 8};
    config.coreRank = 4;
    config.precision = kernels::Precision::Fp64;
    config.stopping.iterations = 7;
    config.stopping.tolerance = 0;
    config.split.testFraction = 0.25;
    config.seed = 1234567890123456789ull;
    config.deterministic = true;
    config.memoryLimit = 3145728;
    config.threads = 3;
    const kernels::ParameterSpec* real = nullptr;
    for (const auto& spec : kernels::algorithm(config.algorithm).parameters)
        if (spec.type == kernels::ParameterType::Real)
            real = &spec;
    QVERIFY(real);
    config.parameters[real->id] = real->maximum;
    const std::string text = commandLine(config, "x.tns");
    for (const char* part :
         {" --rank 16,16,8", " --core-rank 4", " --precision fp64", " --device cpu", " --iterations 7", " --tolerance 0",
          " --test-fraction 0.25", " --seed 1234567890123456789", " --deterministic", " --memory-limit 3145728", " --threads 3"})
        QVERIFY2(text.find(part) != std::string::npos, (text + " lacks" + part).c_str());
    QVERIFY2(text.find(" --param " + real->id + "=") != std::string::npos, text.c_str());
}

/// Which precision is usual is known with the device only.
void TestCommandLine::aDeviceThatNobodyNamedIsLeftOut()
{
    kernels::RunConfig config;
    config.devices.clear();
    QCOMPARE(commandLine(config, "x.tns"), std::string("polyad-cli run x.tns --algorithm fasttucker-plus --precision fp32"));
}

void TestCommandLine::oddNamesAreQuoted_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("quoted");
    QTest::newRow("plain") << "a/b-1.tns"
                           << "a/b-1.tns";
    QTest::newRow("blank") << "my data.tns"
                           << "'my data.tns'";
    QTest::newRow("quote") << "it's.tns"
                           << "'it'\\''s.tns'";
    QTest::newRow("dollar") << "$HOME"
                            << "'$HOME'";
    QTest::newRow("empty") << ""
                           << "''";
    QTest::newRow("preset") << "preset:netflix-like:0.1"
                            << "preset:netflix-like:0.1";
}

void TestCommandLine::oddNamesAreQuoted()
{
    QFETCH(QString, name);
    QFETCH(QString, quoted);
    QCOMPARE(QString::fromStdString(shellQuoted(name.toStdString())), quoted);
}

void TestCommandLine::readOptionsAndTheMakingOfTheTensorAreRepeated()
{
    io::ReadOptions options;
    options.indexBase = io::IndexBase::Zero;
    options.duplicates = kernels::Duplicates::Mean;
    options.dims = {5, 6, 7};
    const TensorCommand file{"x.tns", readOptionArguments(options), {}, {}};
    QCOMPARE(commandLine({}, file),
             std::string("polyad-cli run x.tns --index-base 0 --duplicates mean --dims 5,6,7 --algorithm fasttucker-plus --device cpu"));

    kernels::SyntheticSpec spec;
    spec.dims = {50, 40, 30};
    spec.entries = 1000;
    spec.testEntries = 100;
    spec.skew = {{1.0, 880}};
    kernels::Progress progress;
    const auto open = openSynthetic(spec, "planted", Statistics::Skip, progress);
    kernels::RunConfig config;
    config.split = effectiveSplit(config.split, *open);
    QCOMPARE(commandLine(config, open->command),
             std::string("polyad-cli generate --dims 50,40,30 --nnz 1000 --test-nnz 100 --skew zipf:1:880 -o planted.h5"
                         " && polyad-cli run planted.h5 --algorithm fasttucker-plus --device cpu --test planted.test.h5"));
    spec.skew.clear();
    spec.testEntries = 0;
    spec.mean = 2.5;
    spec.draw = kernels::ValueDraw::Poisson;
    QCOMPARE(generateCommand(spec, "c.h5"),
             std::string("polyad-cli generate --dims 50,40,30 --nnz 1000 --mean 2.5 --draw poisson -o c.h5"));
}

void TestCommandLine::testPartsLieBesideTheirTensor()
{
    QCOMPARE(testPartPath("a/b.h5"), std::string("a/b.test.h5"));
    QCOMPARE(testPartPath("b.tns.gz"), std::string("b.test.tns.gz"));
    QCOMPARE(testPartPath("a.dir/b"), std::string("a.dir/b.test"));
    QCOMPARE(io::fileNameOf("a/b.h5:/x/y"), std::string("b.h5:/x/y"));
    QCOMPARE(io::fileNameOf("a/b.tns"), std::string("b.tns"));
}

void TestCommandLine::splitsFollowTheTensor()
{
    using kernels::SplitKind;
    OpenTensor plain;
    OpenTensor tested;
    tested.test = kernels::SparseTensor({2, 2}, 1);
    QCOMPARE(effectiveSplit({}, plain).kind, SplitKind::Random);
    QCOMPARE(effectiveSplit({SplitKind::Random, 0, {}}, plain).kind, SplitKind::None);
    QCOMPARE(effectiveSplit({}, tested).kind, SplitKind::File);
    QCOMPARE(effectiveSplit({SplitKind::None, 0.1, {}}, tested).kind, SplitKind::None);
    QCOMPARE(effectiveSplit({SplitKind::File, 0.1, "t.tns"}, tested).testFile, std::string("t.tns"));
    QVERIFY_EXCEPTION_THROWN(effectiveSplit({SplitKind::File, 0.1, {}}, plain), kernels::Error);
}

QTEST_GUILESS_MAIN(TestCommandLine)
#include "tst_command_line.moc"
