<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>EntryWishReader</name>
    <message>
        <source>any of %1</source>
        <translation>%1 中的任意一个</translation>
    </message>
    <message>
        <source>“%1” is no index: write 1 to %2, or a range such as 2-5</source>
        <translation>“%1”不是索引：请输入 1 至 %2，或如 2-5 的范围</translation>
    </message>
    <message>
        <source>“%1” is no index from 1 to %2, and no label holds it</source>
        <translation>“%1”不是 1 至 %2 的索引，也没有标签含有它</translation>
    </message>
    <message>
        <source>write an index, a range such as 2-5, or a label</source>
        <translation>请输入索引、如 2-5 的范围或标签</translation>
    </message>
    <message>
        <source>%1 – %2</source>
        <translation>%1 – %2</translation>
    </message>
    <message>
        <source>%1 of %2 indices</source>
        <translation>%2 个索引中的 %1 个</translation>
    </message>
    <message>
        <source>“%1” is no number</source>
        <translation>“%1”不是数</translation>
    </message>
    <message>
        <source>the range of values ends below its beginning</source>
        <translation>值范围的终点低于起点</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>value %1</source>
        <translation>值 %1</translation>
    </message>
    <message>
        <source>value %1 – %2</source>
        <translation>值 %1 – %2</translation>
    </message>
    <message>
        <source>value from %1</source>
        <translation>值不小于 %1</translation>
    </message>
    <message>
        <source>value up to %1</source>
        <translation>值不大于 %1</translation>
    </message>
    <message>
        <source>coordinates that repeat</source>
        <translation>重复的坐标</translation>
    </message>
    <message>
        <source>“%1” is no label: write one, or #1 to #%2 for an index</source>
        <translation>“%1”不是标签：请输入标签，或用 #1 至 #%2 表示索引</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>As the desktop</source>
        <translation>跟随桌面</translation>
    </message>
</context>
<context>
    <name>Run</name>
    <message>
        <source>Iteration %1: %2</source>
        <translation>第 %1 次迭代：%2</translation>
    </message>
</context>
<context>
    <name>app</name>
    <message>
        <source>%1 and %2</source>
        <translation>%1 和 %2</translation>
    </message>
    <message>
        <source>%1 components appear only in %2</source>
        <translation>%1 个分量仅出现在 %2 中</translation>
    </message>
    <message>
        <source>component %1 appears only in %2</source>
        <translation>分量 %1 仅出现在 %2 中</translation>
    </message>
    <message>
        <source>components %1 appear only in %2</source>
        <translation>分量 %1 仅出现在 %2 中</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1，共 %2</translation>
    </message>
    <message>
        <source>mode %1</source>
        <translation>模态 %1</translation>
    </message>
    <message>
        <source>%1 of %2 in %3</source>
        <translation>%3 中 %2 个里的 %1 个</translation>
    </message>
    <message>
        <source>below %1 %</source>
        <translation>低于 %1 %</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>the tensor&apos;s own</source>
        <translation>张量自带</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Algorithm</source>
        <translation>算法</translation>
    </message>
    <message>
        <source>Variant</source>
        <translation>变体</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>秩</translation>
    </message>
    <message>
        <source>Core rank</source>
        <translation>核秩</translation>
    </message>
    <message>
        <source>Test split</source>
        <translation>测试划分</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Initial factors</source>
        <translation>初始因子</translation>
    </message>
    <message>
        <source>Deterministic</source>
        <translation>确定性</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>迭代次数</translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation>容差</translation>
    </message>
    <message>
        <source>Patience</source>
        <translation>耐心</translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation>时间限制</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>内存限制</translation>
    </message>
    <message>
        <source>CPU threads</source>
        <translation>CPU 线程</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>The same run as %1.</source>
        <translation>与 %1 是同一运行。</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>All settings are alike.</source>
        <translation>所有设置都相同。</translation>
    </message>
    <message>
        <source>%1 entries</source>
        <translation>%1 个条目</translation>
    </message>
    <message>
        <source>%1 for training, %2 for testing</source>
        <translation>%1 个用于训练，%2 个用于测试</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>The command that repeats it</source>
        <translation>重复此运行的命令</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境</translation>
    </message>
    <message>
        <source>Comparison of %1 runs</source>
        <translation>%1 个运行的比较</translation>
    </message>
    <message>
        <source>Polyad %1 · %2 UTC</source>
        <translation>Polyad %1 · %2 UTC</translation>
    </message>
    <message>
        <source>Unknown tensor</source>
        <translation>未知张量</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>不同的设置</translation>
    </message>
    <message>
        <source>seconds of compute</source>
        <translation>计算时间（秒）</translation>
    </message>
    <message>
        <source>iteration</source>
        <translation>迭代</translation>
    </message>
    <message>
        <source>Solid: test part. Dashed: training part.</source>
        <translation>实线：测试部分。虚线：训练部分。</translation>
    </message>
    <message>
        <source>Of the test part.</source>
        <translation>针对测试部分。</translation>
    </message>
    <message>
        <source>Of the training part.</source>
        <translation>针对训练部分。</translation>
    </message>
    <message>
        <source>Fit by iteration</source>
        <translation>各次迭代的拟合度</translation>
    </message>
    <message>
        <source>RMSE by iteration</source>
        <translation>各次迭代的 RMSE</translation>
    </message>
    <message>
        <source>MAE by iteration</source>
        <translation>各次迭代的 MAE</translation>
    </message>
    <message>
        <source>RMSE by compute time</source>
        <translation>随计算时间变化的 RMSE</translation>
    </message>
    <message>
        <source>algorithm</source>
        <translation>算法</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>ranks</source>
        <translation>秩</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>test RMSE</source>
        <translation>测试 RMSE</translation>
    </message>
    <message>
        <source>test MAE</source>
        <translation>测试 MAE</translation>
    </message>
    <message>
        <source>train RMSE</source>
        <translation>训练 RMSE</translation>
    </message>
    <message>
        <source>fit</source>
        <translation>拟合度</translation>
    </message>
    <message>
        <source>best iteration</source>
        <translation>最佳迭代</translation>
    </message>
    <message>
        <source>iterations</source>
        <translation>迭代次数</translation>
    </message>
    <message>
        <source>compute time</source>
        <translation>计算时间</translation>
    </message>
    <message>
        <source>ms / iteration</source>
        <translation>毫秒 / 次</translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>ended by</source>
        <translation>结束原因</translation>
    </message>
    <message>
        <source>Only %1 %2 has a result, and there is nothing to compare it with.</source>
        <translation>只有%1 %2 有结果，没有可以比较的。</translation>
    </message>
    <message>
        <source>%1 hardly matters here: the mean %2 differs by no more than chance or a percent between all its values.</source>
        <translation>%1在这里几乎没有影响：各取值的平均%2之差不超过偶然误差或百分之一。</translation>
    </message>
    <message>
        <source>The highest is that of %1: %2.</source>
        <translation>最高的是 %1：%2。</translation>
    </message>
    <message>
        <source>The lowest is that of %1: %2.</source>
        <translation>最低的是 %1：%2。</translation>
    </message>
    <message>
        <source>Take %1 %2: its mean %3, %4, is the highest.</source>
        <translation>请取%1 %2：其平均%3（%4）最高。</translation>
    </message>
    <message>
        <source>Take %1 %2: its mean %3, %4, is the lowest.</source>
        <translation>请取%1 %2：其平均%3（%4）最低。</translation>
    </message>
    <message>
        <source>As good but for chance or a percent: %1.</source>
        <translation>除偶然误差或百分之一外同样好：%1。</translation>
    </message>
    <message>
        <source>%1 of %2 at %3</source>
        <translation>%3：%2 个中的 %1 个</translation>
    </message>
    <message>
        <source>Runs that came to no result are left out: %1.</source>
        <translation>没有得到结果的运行被略去：%1。</translation>
    </message>
    <message>
        <source>One run is still to come.</source>
        <translation>还有一个运行未结束。</translation>
    </message>
    <message>
        <source>%1 runs are still to come.</source>
        <translation>还有 %1 个运行未结束。</translation>
    </message>
    <message>
        <source>Baselines: mean %1, additive %2 (%3)</source>
        <translation>基线：均值 %1，加性 %2 (%3)</translation>
    </message>
    <message>
        <source>This model does not beat the mean (%1, mean %2).</source>
        <translation>此模型不优于均值（%1，均值 %2）。</translation>
    </message>
    <message>
        <source>This model does not beat the additive baseline (%1, baseline %2).</source>
        <translation>此模型不优于加性基线（%1，基线 %2）。</translation>
    </message>
    <message>
        <source>Some values are below zero: they look like measurements.</source>
        <translation>有些值小于零：看起来像测量值。</translation>
    </message>
    <message>
        <source>The values are a few steps from %1 to %2: they look like ratings.</source>
        <translation>值是从 %1 到 %2 的少数几级：看起来像评分。</translation>
    </message>
    <message>
        <source>The values look like measurements or means.</source>
        <translation>值看起来像测量值或均值。</translation>
    </message>
    <message>
        <source>Some values are zero, so an empty cell is probably something else.</source>
        <translation>有些值为零，因此空单元可能表示别的含义。</translation>
    </message>
    <message>
        <source>The smallest value is %1, which is far from zero: they look like measurements.</source>
        <translation>最小值为 %1，远离零：看起来像测量值。</translation>
    </message>
    <message>
        <source>The rows of each cell were counted or added up.</source>
        <translation>每个单元的行经过计数或求和。</translation>
    </message>
    <message>
        <source>Each value sums up the rows of its cell, and an empty cell has none.</source>
        <translation>每个值是其单元中各行之和，空单元没有行。</translation>
    </message>
    <message>
        <source>The values are whole numbers from %1 on: they look like counts.</source>
        <translation>值是从 %1 起的整数：看起来像计数。</translation>
    </message>
    <message>
        <source>The tensor holds no values.</source>
        <translation>该张量没有值。</translation>
    </message>
    <message>
        <source>zero</source>
        <translation>零</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>not said</source>
        <translation>未说明</translation>
    </message>
    <message>
        <source>Empty cells probably mean zero.</source>
        <translation>空单元可能表示零。</translation>
    </message>
    <message>
        <source>Empty cells are probably unknown.</source>
        <translation>空单元可能是未知的。</translation>
    </message>
    <message>
        <source>Empty cells of this tensor mean zero, but %1 fits only stored entries. %2 fits all cells.</source>
        <translation>此张量的空单元表示零，但 %1 只拟合已存储的条目。%2 拟合所有单元。</translation>
    </message>
    <message>
        <source>Empty cells of this tensor are unknown, but %1 takes them as zero. %2 fits only stored entries.</source>
        <translation>此张量的空单元是未知的，但 %1 将其视为零。%2 只拟合已存储的条目。</translation>
    </message>
    <message>
        <source>It is the smallest tried. Smaller ones may do better.</source>
        <translation>它是尝试过的最小值。更小的值可能更好。</translation>
    </message>
    <message>
        <source>It is the largest tried. Larger ones may do better.</source>
        <translation>它是尝试过的最大值。更大的值可能更好。</translation>
    </message>
    <message>
        <source>One run of each value counts: how much is chance is not known. Replicates would show it.</source>
        <translation>每个取值只有一个运行计入：不知道其中有多少是偶然。重复运行可以说明。</translation>
    </message>
    <message>
        <source>Whether %1 and %2 find the same components is not defined: chance alone makes their columns so alike.</source>
        <translation>%1 和 %2 是否找到相同的分量无法定义：仅凭偶然，其列就已如此相似。</translation>
    </message>
    <message>
        <source>%1 and %2 have none of their %3 components in common (agreement %4).</source>
        <translation>%1 和 %2 的 %3 个分量中没有共同的（一致度 %4）。</translation>
    </message>
    <message>
        <source>%1 and %2 find the same %3 components (agreement %4)</source>
        <translation>%1 和 %2 找到相同的 %3 个分量（一致度 %4）</translation>
    </message>
    <message>
        <source>%1 and %2 find the same %3 components, of %4 (agreement %5)</source>
        <translation>%1 和 %2 找到 %4 个分量中相同的 %3 个（一致度 %5）</translation>
    </message>
    <message>
        <source>The factors of %1 and %2 have these directions in common: %3 (agreement %4).</source>
        <translation>%1 和 %2 的因子有这些共同方向：%3（一致度 %4）。</translation>
    </message>
    <message>
        <source>Any two models of these ranks share all directions in %1.</source>
        <translation>这些秩的任意两个模型在 %1 中的所有方向都相同。</translation>
    </message>
    <message>
        <source>Agreement of %1 and %2 is not defined: chance alone gives all of it.</source>
        <translation>%1 和 %2 的一致度无法定义：仅凭偶然就能全部得到。</translation>
    </message>
    <message>
        <source>Components are paired so that the factor match score is the largest. It is the mean over the pairs of the product of the columns&apos; cosines (congruence), less where their weights differ. Agreement is what the score has beyond chance: 0 for models that have nothing to do with each other, 1 for the same model. A pair is the same component from a congruence of %1 beyond chance on.</source>
        <translation>分量的配对使因子匹配得分最大。该得分是各列余弦之积（同余系数）在所有配对上的均值，权重不同时会降低。一致度是得分超出偶然的部分：0 表示模型之间毫无关系，1 表示同一模型。同余系数超出偶然的部分达到 %1 起，一对分量视为同一分量。</translation>
    </message>
    <message>
        <source>The spaces that the columns of each mode&apos;s factor span are compared by their principal angles. A direction is in common from a cosine of %1 on. Directions that any two such spaces share do not count. Agreement is the sum of squared cosines beyond chance: 0 for models that have nothing to do with each other, 1 for the same spaces.</source>
        <translation>用主角比较每个模态的因子各列所张成的空间。余弦达到 %1 起，方向视为共同。任意两个这样的空间都共有的方向不计入。一致度是余弦平方和超出偶然的部分：0 表示模型之间毫无关系，1 表示空间相同。</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>秩 %1</translation>
    </message>
    <message>
        <source>No %1 can be recommended yet: %2 of %3 runs ended while their error still fell. Continue them with more iterations or time.</source>
        <translation>还不能推荐%1：%3 个运行中有 %2 个结束时误差仍在下降。请以更多迭代或时间继续它们。</translation>
    </message>
    <message>
        <source>Without having converged, %1 already does better (%2) than those that have.</source>
        <translation>%1 尚未收敛，就已优于 (%2) 已收敛的。</translation>
    </message>
    <message>
        <source>Runs that had not converged are left out: %1.</source>
        <translation>未收敛的运行被略去：%1。</translation>
    </message>
    <message>
        <source>Core consistency is unstable at %1 and does not count there: columns are nearly collinear.</source>
        <translation>核一致性在 %1 时不稳定，不计入：各列几乎共线。</translation>
    </message>
    <message>
        <source>Agreement is not defined at %1: chance alone gives all of it.</source>
        <translation>一致度在 %1 时无法定义：仅凭偶然就能全部得到。</translation>
    </message>
    <message>
        <source>Unstable: columns of a factor are nearly collinear, so that a small change of the model changes this number by much. It does not count.</source>
        <translation>不稳定：因子的各列几乎共线，模型的微小变化就会使此数大幅变化。不计入。</translation>
    </message>
    <message>
        <source>Runs that stopped on a plateau above the best run of the same settings are left out: %1.</source>
        <translation>未计入停在平台上、明显差于相同设置下最佳运行的运行：%1。</translation>
    </message>
    <message>
        <source>With a test part: the smallest rank whose mean test RMSE is within 1 % of the best, or no further off than chance, and whose replicates agree. Without one: the largest rank whose replicates agree and whose core consistency is at least %1 %, unless a smaller one fits as well. Only runs that converged count, and none that stopped on a plateau far above the best run. Agreement is the mean over all pairs of replicates. It is the factor match score of CP models, and for others how far the spaces of their factors coincide. 0 is what chance gives, 1 the same model. From %2 on replicates agree. A core consistency does not count where columns are nearly collinear.</source>
        <translation>有测试部分时：取平均测试 RMSE 与最佳相差不超过 1 % 或不超过偶然误差，且重复运行一致的最小秩。没有时：取重复运行一致且核一致性至少为 %1 % 的最大秩，除非更小的秩拟合得同样好。只计入已收敛、且没有停在远差于最佳运行的平台上的运行。一致度是所有重复运行对的均值。对 CP 模型，它是因子匹配得分；对其他模型，它是其因子的空间重合的程度。0 是偶然的结果，1 是同一模型。达到 %2 起，重复运行视为一致。各列几乎共线时，核一致性不计入。</translation>
    </message>
</context>
<context>
    <name>app::Advisor</name>
    <message>
        <source>Only rank %1 has a result, and there is nothing to compare it with. Try at least three ranks.</source>
        <translation>只有秩 %1 有结果，没有可比较的对象。请至少尝试三个秩。</translation>
    </message>
    <message>
        <source>No run has ended yet.</source>
        <translation>还没有运行结束。</translation>
    </message>
    <message>
        <source>No run came to a result: all diverged, failed or were stopped. Their messages say why.</source>
        <translation>没有运行得到结果：全部发散、失败或被停止。其消息说明原因。</translation>
    </message>
    <message>
        <source>There are no runs to judge.</source>
        <translation>没有可评判的运行。</translation>
    </message>
    <message>
        <source>Its replicates agree (%1).</source>
        <translation>其重复运行一致 (%1)。</translation>
    </message>
    <message>
        <source>its test RMSE is the lowest (%1)</source>
        <translation>其测试 RMSE 最低 (%1)</translation>
    </message>
    <message>
        <source>its test RMSE, %1, is within 1 % of the best (%2 at rank %3)</source>
        <translation>其测试 RMSE %1 与最佳（秩 %3 时的 %2）相差不超过 1 %</translation>
    </message>
    <message>
        <source>its test RMSE, %1, differs from the best (%2 at rank %3) by less than chance does</source>
        <translation>其测试 RMSE %1 与最佳（秩 %3 时的 %2）之差小于随机差异</translation>
    </message>
    <message>
        <source> and its replicates agree (%1)</source>
        <translation>，且其重复运行一致 (%1)</translation>
    </message>
    <message>
        <source>Its replicates do not agree (%1): read no meaning into its components.</source>
        <translation>其重复运行不一致 (%1)：不要解读其分量的含义。</translation>
    </message>
    <message>
        <source>The factors of its replicates span different spaces (%1): read no meaning into single factors.</source>
        <translation>其重复运行的因子张成不同的空间 (%1)：不要解读单个因子的含义。</translation>
    </message>
    <message>
        <source>Its core consistency is low (%1): data of this form would give 100 %.</source>
        <translation>其核一致性低 (%1)：此形式的数据应为 100 %。</translation>
    </message>
    <message>
        <source>Take rank %1: %2.</source>
        <translation>请取秩 %1：%2。</translation>
    </message>
    <message>
        <source>No entries were held out for testing: this tells what can be found again, not how well it predicts.</source>
        <translation>没有留出测试条目：这说明能再次找到什么，而不是预测得有多好。</translation>
    </message>
    <message>
        <source>its replicates agree (%1)</source>
        <translation>其重复运行一致 (%1)</translation>
    </message>
    <message>
        <source>its core consistency is high (%1)</source>
        <translation>其核一致性高 (%1)</translation>
    </message>
    <message>
        <source> and </source>
        <translation> 和 </translation>
    </message>
    <message>
        <source>rank</source>
        <translation>秩</translation>
    </message>
    <message>
        <source>from %1 (rank %2) to %3 (rank %4)</source>
        <translation>从 %1（秩 %2）到 %3（秩 %4）</translation>
    </message>
    <message>
        <source>The rank hardly matters here: mean test RMSE goes %1, which differs by at most 1 %. Take rank %2.</source>
        <translation>秩在这里几乎没有影响：平均测试 RMSE %1，相差不超过 1 %。请取秩 %2。</translation>
    </message>
    <message>
        <source>The rank hardly matters here: mean test RMSE goes %1, no more than chance. Take rank %2.</source>
        <translation>秩在这里几乎没有影响：平均测试 RMSE %1，不超过偶然误差。请取秩 %2。</translation>
    </message>
    <message>
        <source>Try ranks above %1. It is the largest tried, and the test RMSE still falls, to %2, by %3 from rank %4.</source>
        <translation>请尝试大于 %1 的秩。它是尝试过的最大秩，而测试 RMSE 仍在下降：降至 %2，比秩 %4 低 %3。</translation>
    </message>
    <message>
        <source>Of those tried take rank %1.</source>
        <translation>在尝试过的秩中，请取秩 %1。</translation>
    </message>
    <message>
        <source>, and unlike those of rank %1 (%2) its replicates agree (%3)</source>
        <translation>，且与秩 %1 (%2) 不同，其重复运行一致 (%3)</translation>
    </message>
    <message>
        <source>For predictions take rank %1: %2.</source>
        <translation>用于预测时请取秩 %1：%2。</translation>
    </message>
    <message>
        <source>It is the smallest tried. Smaller ones may do as well.</source>
        <translation>它是尝试过的最小秩。更小的秩可能同样好。</translation>
    </message>
    <message>
        <source>From rank %1 on replicates do not agree (%2).</source>
        <translation>从秩 %1 起，重复运行不一致 (%2)。</translation>
    </message>
    <message>
        <source>To interpret components take rank %1, whose replicates agree (%2).</source>
        <translation>要解读分量，请取秩 %1，其重复运行一致 (%2)。</translation>
    </message>
    <message>
        <source>Its test RMSE is %1 higher.</source>
        <translation>其测试 RMSE 高 %1。</translation>
    </message>
    <message>
        <source>One run of it counts: whether another start finds the same is not known. Replicates would show it.</source>
        <translation>它只有一个运行计入：不知道另一个起点是否得到相同结果。重复运行可以说明。</translation>
    </message>
    <message>
        <source>Two replicates are few. Five tell more.</source>
        <translation>两个重复运行太少。五个更能说明问题。</translation>
    </message>
    <message>
        <source>It is the largest tried. Larger ones may do as well.</source>
        <translation>它是尝试过的最大秩。更大的秩可能同样好。</translation>
    </message>
    <message>
        <source>Hold out entries for testing.</source>
        <translation>请留出测试条目。</translation>
    </message>
    <message>
        <source>Run replicates with other seeds.</source>
        <translation>请用其他种子进行重复运行。</translation>
    </message>
    <message>
        <source>Nothing tells these ranks apart: there is no test error, no agreement of replicates and no core consistency that counts.</source>
        <translation>没有依据区分这些秩：没有测试误差，没有重复运行的一致度，也没有可计入的核一致性。</translation>
    </message>
    <message>
        <source>Larger ranks of which the same holds add at most %1 to the fit.</source>
        <translation>同样满足条件的更大的秩使拟合度最多增加 %1。</translation>
    </message>
    <message>
        <source>Larger ranks of which the same holds lower the error by at most 1 %.</source>
        <translation>同样满足条件的更大的秩使误差最多降低 1 %。</translation>
    </message>
    <message>
        <source>At rank %1 %2.</source>
        <translation>秩 %1 时%2。</translation>
    </message>
    <message>
        <source>replicates do not agree (%1)</source>
        <translation>重复运行不一致 (%1)</translation>
    </message>
    <message>
        <source>core consistency is low (%1)</source>
        <translation>核一致性低 (%1)</translation>
    </message>
    <message>
        <source>Replicates agree at no rank tried: best at rank %1, and there too little (%2). Try smaller ranks or other settings.</source>
        <translation>尝试过的秩中没有重复运行一致的：最好的是秩 %1，但仍不足 (%2)。请尝试更小的秩或其他设置。</translation>
    </message>
    <message>
        <source>No rank tried has both, replicates that agree and a high core consistency. At rank %1 %2. At rank %3 %4.</source>
        <translation>尝试过的秩中没有重复运行一致且核一致性高的。秩 %1 时%2。秩 %3 时%4。</translation>
    </message>
    <message>
        <source>No rank tried keeps to the form of the model: core consistency is below %1 wherever it counts. Try smaller ranks.</source>
        <translation>尝试过的秩都不符合模型的形式：凡可计入之处，核一致性都低于 %1。请尝试更小的秩。</translation>
    </message>
</context>
<context>
    <name>app::FolderWatch</name>
    <message>
        <source>%1 is no longer watched: the run that its files were added to is gone.</source>
        <translation>不再监视 %1：其文件所添加到的运行已不存在。</translation>
    </message>
    <message>
        <source>%1: files that come into %2 are added</source>
        <translation>%1：将添加进入 %2 的文件</translation>
    </message>
    <message>
        <source>%1 is back and watched again</source>
        <translation>%1 已恢复，继续监视</translation>
    </message>
    <message>
        <source>%1 cannot be seen (%2); files are added again when it is back</source>
        <translation>无法访问 %1（%2）；恢复后将继续添加文件</translation>
    </message>
    <message>
        <source>%1 is still open for writing in another program; it is added when it is closed, or has not changed for %2 minutes</source>
        <translation>%1 仍被其他程序打开写入；关闭后，或 %2 分钟内没有变化时将添加</translation>
    </message>
</context>
<context>
    <name>app::LoadJob</name>
    <message>
        <source>%1 is a table.</source>
        <translation>%1 是表格。</translation>
    </message>
</context>
<context>
    <name>app::Run</name>
    <message>
        <source>Run %1</source>
        <translation>运行 %1</translation>
    </message>
</context>
<context>
    <name>app::Session</name>
    <message>
        <source>Opened %1: %L2 entries in %3 s</source>
        <translation>已打开 %1：%L2 个条目，用时 %3 秒</translation>
    </message>
    <message>
        <source>Cancelled opening %1</source>
        <translation>已取消打开 %1</translation>
    </message>
    <message>
        <source>Discarded the checkpoint of a run on %1</source>
        <translation>已丢弃 %1 上某次运行的检查点</translation>
    </message>
    <message>
        <source>%1 could not be removed</source>
        <translation>无法移除 %1</translation>
    </message>
    <message>
        <source>Run %1 is not kept while it goes: %2 cannot be written</source>
        <translation>运行 %1 在进行期间不会保存：无法写入 %2</translation>
    </message>
    <message>
        <source>Cancelled writing %1</source>
        <translation>已取消写入 %1</translation>
    </message>
    <message>
        <source>Wrote %1</source>
        <translation>已写入 %1</translation>
    </message>
    <message>
        <source>%1 is left out: %2</source>
        <translation>%1 被略去：%2</translation>
    </message>
    <message>
        <source>%1 was made in memory and is not in the session&apos;s file; its runs are</source>
        <translation>%1 在内存中生成，不在会话文件中；其运行在其中</translation>
    </message>
    <message>
        <source> + %1 files</source>
        <translation> + %1 个文件</translation>
    </message>
    <message>
        <source>Only runs of %1 take new data.</source>
        <translation>只有 %1 的运行能加入新数据。</translation>
    </message>
    <message>
        <source>Wait until the run has ended.</source>
        <translation>请等待运行结束。</translation>
    </message>
    <message>
        <source>%1 entries of %2 learnt, new rows: %3; their RMSE is %4</source>
        <translation>已从 %2 学到 %1 个条目，新行：%3；其 RMSE 为 %4</translation>
    </message>
    <message>
        <source>, before %1</source>
        <translation>，之前为 %1</translation>
    </message>
    <message>
        <source>; %1 of all entries came since the last pass over them</source>
        <translation>；自上次遍历全部条目以来新到的占 %1</translation>
    </message>
    <message>
        <source>The run has no sums that new data could be added to: it failed, was stopped in the middle of an iteration, or is older than they are. Run it again to its end.</source>
        <translation>该运行没有可以加入新数据的累积和：它失败了、在一次迭代中途被停止，或早于此功能。请重新运行至结束。</translation>
    </message>
    <message>
        <source>Another file is being added to it.</source>
        <translation>正在向它添加另一个文件。</translation>
    </message>
    <message>
        <source>%1: not judged by the run&apos;s test entries: %2</source>
        <translation>%1：未能用该运行的测试项评估：%2</translation>
    </message>
    <message>
        <source>More than a tenth of its entries came since the last pass over all of them, and what it kept of the old ones gets older: let it pass over all entries.</source>
        <translation>自上次遍历全部条目以来，新增条目已超过十分之一，它所保留的旧条目信息逐渐过时：请让它遍历全部条目。</translation>
    </message>
    <message>
        <source>, of test %1</source>
        <translation>，测试 RMSE %1</translation>
    </message>
    <message>
        <source>Wait until what is being added to it is learnt.</source>
        <translation>请等待正在添加的数据学习完毕。</translation>
    </message>
    <message>
        <source>It has learnt no files: continue it with more iterations instead.</source>
        <translation>它尚未学习过文件：请改为继续更多迭代。</translation>
    </message>
    <message>
        <source>%1, all entries</source>
        <translation>%1，全部条目</translation>
    </message>
    <message>
        <source>%1 passes over all entries: RMSE of training %2</source>
        <translation>遍历全部条目 %1 次：训练 RMSE %2</translation>
    </message>
    <message>
        <source>; one more told the test entries no better and was undone</source>
        <translation>；再多一次对测试条目没有改善，已撤销</translation>
    </message>
    <message>
        <source>No pass over all entries told the test entries better, so the rows stay as they were and their sums are exact again: RMSE of training %1</source>
        <translation>没有一次对全部条目的遍历改善了对测试条目的预测，因此各行保持不变，其总和重新精确：训练 RMSE %1</translation>
    </message>
    <message>
        <source>The tensor that it was made from has not been read in this session.</source>
        <translation>它所基于的张量在本次会话中尚未读取。</translation>
    </message>
</context>
<context>
    <name>app::SweepPlan</name>
    <message>
        <source>rank %1</source>
        <translation>秩 %1</translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation>种子 %1</translation>
    </message>
</context>
<context>
    <name>formatting</name>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 分 %2 秒</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Open the bundled sample, ready to start.</source>
        <translation>打开自带示例，随时可以开始。</translation>
    </message>
    <message>
        <source>Start the run that is proposed for the first tensor opened.</source>
        <translation>开始为打开的第一个张量建议的运行。</translation>
    </message>
    <message>
        <source>Decompose a sparse tensor and watch it converge.</source>
        <translation>分解稀疏张量并观察其收敛。</translation>
    </message>
    <message>
        <source>Tensor files to open.</source>
        <translation>要打开的张量文件。</translation>
    </message>
</context>
<context>
    <name>messages</name>
    <message>
        <source>The machine has no memory left for this. Close other programs, or choose a smaller tensor or rank.</source>
        <translation>机器没有足够的内存。请关闭其他程序，或选择较小的张量或秩。</translation>
    </message>
    <message>
        <source>Something failed and did not say what.</source>
        <translation>发生故障，且未说明原因。</translation>
    </message>
    <message>
        <source>Stopped on request.</source>
        <translation>已按要求停止。</translation>
    </message>
</context>
<context>
    <name>sweep</name>
    <message>
        <source>Rank</source>
        <translation>秩</translation>
    </message>
    <message>
        <source>Core rank</source>
        <translation>核秩</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Algorithm</source>
        <translation>算法</translation>
    </message>
    <message>
        <source>Variant</source>
        <translation>变体</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>迭代次数</translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation>容差</translation>
    </message>
    <message>
        <source>Patience</source>
        <translation>耐心</translation>
    </message>
    <message>
        <source>Test part</source>
        <translation>测试部分</translation>
    </message>
    <message>
        <source>Deterministic</source>
        <translation>确定性</translation>
    </message>
    <message>
        <source>CPU threads</source>
        <translation>CPU 线程</translation>
    </message>
</context>
<context>
    <name>ui</name>
    <message>
        <source>No iteration has ended yet.</source>
        <translation>还没有迭代结束。</translation>
    </message>
    <message>
        <source>A model can be written once the run has finished or was stopped.</source>
        <translation>运行完成或停止后才能写入模型。</translation>
    </message>
    <message>
        <source>This run left no model.</source>
        <translation>此运行没有留下模型。</translation>
    </message>
    <message>
        <source>Not for this run: %1.</source>
        <translation>不适用于此运行：%1。</translation>
    </message>
    <message>
        <source>%1, weight %2</source>
        <translation>%1，权重 %2</translation>
    </message>
    <message>
        <source>A component is one column of every mode.</source>
        <translation>一个分量是每个模态的一列。</translation>
    </message>
    <message>
        <source>A row is the columns of one number in the factor matrices: the core tells which columns of the modes belong together.</source>
        <translation>一行是各因子矩阵中同一编号的列：核说明各模态的哪些列属于一起。</translation>
    </message>
    <message>
        <source>Numbers, signs and lengths as the model has them.</source>
        <translation>数值、符号和长度与模型中的相同。</translation>
    </message>
    <message>
        <source>Columns have length 1 and a positive largest element; their lengths and signs are in the weight.</source>
        <translation>列的长度为 1，最大元素为正；其长度和符号在权重中。</translation>
    </message>
    <message>
        <source>Columns have length 1 and a positive largest element; the weight is what the prediction loses without the heaviest of a row.</source>
        <translation>列的长度为 1，最大元素为正；权重是没有一行中最重者时预测值的损失。</translation>
    </message>
    <message>
        <source>Components %1 and %2 all but cancel each other (congruence %3, below %4): a degenerate solution. Fewer components, or factors held ≥ 0, avoid it.</source>
        <translation>分量 %1 和 %2 几乎互相抵消（同余系数 %3，低于 %4）：退化解。减少分量或保持因子 ≥ 0 可避免。</translation>
    </message>
    <message>
        <source>Pairs like this: %1.</source>
        <translation>这样的分量对：%1。</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>Mean of observed − prediction: above 0 the model is too low</source>
        <translation>观测值 − 预测值的平均值：大于 0 表示模型偏低</translation>
    </message>
    <message>
        <source>RMSE</source>
        <translation>RMSE</translation>
    </message>
    <message>
        <source>residual</source>
        <translation>残差</translation>
    </message>
    <message>
        <source>Observed − prediction: above 0 the model is too low</source>
        <translation>观测值 − 预测值：大于 0 表示模型偏低</translation>
    </message>
    <message>
        <source>x</source>
        <translation>x</translation>
    </message>
    <message>
        <source>Observed</source>
        <translation>观测值</translation>
    </message>
    <message>
        <source>x̂</source>
        <translation>x̂</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>预测值</translation>
    </message>
    <message>
        <source>part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1，共 %2</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Click its square, or press Space, to show or hide a run in every chart</source>
        <translation>点击其方块或按空格键，可在每个图表中显示或隐藏该运行</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>What the run does</source>
        <translation>运行在做什么</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>What it decomposes</source>
        <translation>它分解什么</translation>
    </message>
    <message>
        <source>algorithm</source>
        <translation>算法</translation>
    </message>
    <message>
        <source>How it decomposes</source>
        <translation>它如何分解</translation>
    </message>
    <message>
        <source>variant</source>
        <translation>变体</translation>
    </message>
    <message>
        <source>Variant of the algorithm</source>
        <translation>算法的变体</translation>
    </message>
    <message>
        <source>setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Precision of the products and format of the tensor</source>
        <translation>乘积的精度和张量的格式</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Precision of the products</source>
        <translation>乘积的精度</translation>
    </message>
    <message>
        <source>format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>How the tensor&apos;s entries are laid out</source>
        <translation>张量条目的布局方式</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>What it computes on</source>
        <translation>它在何处计算</translation>
    </message>
    <message>
        <source>ranks</source>
        <translation>秩</translation>
    </message>
    <message>
        <source>J / R: columns of the factors and of the core factors; of CP one rank</source>
        <translation>J / R：因子和核因子的列数；CP 只有一个秩</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Where its random numbers begin</source>
        <translation>其随机数的起点</translation>
    </message>
    <message>
        <source>not measured by this run</source>
        <translation>此运行未测量</translation>
    </message>
    <message>
        <source>Of the best iteration, whose factors the model has</source>
        <translation>最佳迭代的数值，模型即其因子</translation>
    </message>
    <message>
        <source>; of the test part where any run has one</source>
        <translation>；若有运行含测试部分，则针对测试部分</translation>
    </message>
    <message>
        <source>test RMSE</source>
        <translation>测试 RMSE</translation>
    </message>
    <message>
        <source>train RMSE</source>
        <translation>训练 RMSE</translation>
    </message>
    <message>
        <source>MAE</source>
        <translation>MAE</translation>
    </message>
    <message>
        <source>test MAE</source>
        <translation>测试 MAE</translation>
    </message>
    <message>
        <source>train MAE</source>
        <translation>训练 MAE</translation>
    </message>
    <message>
        <source>RMSE in training</source>
        <translation>训练中的 RMSE</translation>
    </message>
    <message>
        <source>MAE in training</source>
        <translation>训练中的 MAE</translation>
    </message>
    <message>
        <source>fit</source>
        <translation>拟合度</translation>
    </message>
    <message>
        <source>1 − norm(X − X̂) / norm(X) over all cells, of the best iteration</source>
        <translation>最佳迭代时所有单元的 1 − norm(X − X̂) / norm(X)</translation>
    </message>
    <message>
        <source>only algorithms that fit all cells measure it</source>
        <translation>只有拟合所有单元的算法才测量它</translation>
    </message>
    <message>
        <source>time to %1</source>
        <translation>达到 %1 的时间</translation>
    </message>
    <message>
        <source>iterations</source>
        <translation>迭代次数</translation>
    </message>
    <message>
        <source>Done, of those that were planned</source>
        <translation>已完成，占计划次数</translation>
    </message>
    <message>
        <source>time to the target</source>
        <translation>达到目标的时间</translation>
    </message>
    <message>
        <source>Compute time, without evaluation, until the first iteration that meets the target</source>
        <translation>首次达到目标的迭代之前的计算时间，不含评估</translation>
    </message>
    <message>
        <source>the target was not reached</source>
        <translation>未达到目标</translation>
    </message>
    <message>
        <source>time to the best</source>
        <translation>达到最佳的时间</translation>
    </message>
    <message>
        <source>Compute time, without evaluation, until the best iteration</source>
        <translation>最佳迭代之前的计算时间，不含评估</translation>
    </message>
    <message>
        <source>compute time</source>
        <translation>计算时间</translation>
    </message>
    <message>
        <source>Of all iterations, without evaluation and pauses</source>
        <translation>所有迭代的，不含评估和暂停</translation>
    </message>
    <message>
        <source>ms / iter</source>
        <translation>毫秒 / 次</translation>
    </message>
    <message>
        <source>Mean compute time of an iteration, without evaluation</source>
        <translation>每次迭代的平均计算时间，不含评估</translation>
    </message>
    <message>
        <source>Entries visited in a second of compute</source>
        <translation>每秒计算访问的条目数</translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>The most it held at once, on its device</source>
        <translation>它在其设备上同时占用的最大内存</translation>
    </message>
    <message>
        <source>known when the run has ended</source>
        <translation>运行结束后得知</translation>
    </message>
    <message>
        <source>SM</source>
        <translation>SM</translation>
    </message>
    <message>
        <source>Mean throughput of the GPU&apos;s processors while it ran</source>
        <translation>运行期间 GPU 处理器的平均吞吐率</translation>
    </message>
    <message>
        <source>measured on GPUs only</source>
        <translation>仅在 GPU 上测量</translation>
    </message>
    <message>
        <source>CPU use</source>
        <translation>CPU 使用率</translation>
    </message>
    <message>
        <source>Mean use of all cores by this program while it ran on the CPU</source>
        <translation>在 CPU 上运行期间本程序对所有核心的平均使用率</translation>
    </message>
    <message>
        <source>measured of runs on the CPU only</source>
        <translation>仅对 CPU 上的运行测量</translation>
    </message>
    <message>
        <source>no iteration yet: %1</source>
        <translation>还没有迭代：%1</translation>
    </message>
    <message>
        <source>fit %1</source>
        <translation>拟合度 %1</translation>
    </message>
    <message>
        <source>RMSE %1</source>
        <translation>RMSE %1</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>preparing</source>
        <translation>准备中</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>all entries, missing = 0</source>
        <translation>所有条目，缺失 = 0</translation>
    </message>
    <message>
        <source>observed entries</source>
        <translation>已观测条目</translation>
    </message>
    <message>
        <source>all entries</source>
        <translation>所有条目</translation>
    </message>
    <message>
        <source>observed</source>
        <translation>观测值</translation>
    </message>
    <message>
        <source>test RMSE %1, MAE %2</source>
        <translation>测试 RMSE %1，MAE %2</translation>
    </message>
    <message>
        <source>train RMSE %1, MAE %2</source>
        <translation>训练 RMSE %1，MAE %2</translation>
    </message>
    <message>
        <source>iteration %1: </source>
        <translation>第 %1 次迭代：</translation>
    </message>
    <message>
        <source>products</source>
        <translation>乘积</translation>
    </message>
    <message>
        <source>equations</source>
        <translation>方程</translation>
    </message>
    <message>
        <source>evaluate</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>factor</source>
        <translation>因子</translation>
    </message>
    <message>
        <source>core</source>
        <translation>核</translation>
    </message>
    <message>
        <source>waiting for %1 (paused)</source>
        <translation>等待 %1（已暂停）</translation>
    </message>
    <message>
        <source>waiting for %1</source>
        <translation>等待 %1</translation>
    </message>
    <message>
        <source>building the format</source>
        <translation>正在构建格式</translation>
    </message>
    <message>
        <source>iter %1 / %2</source>
        <translation>第 %1 / %2 次</translation>
    </message>
    <message>
        <source>%1 iters · %2 · %3</source>
        <translation>%1 次 · %2 · %3</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>GPU %1</source>
        <translation>GPU %1</translation>
    </message>
    <message>
        <source>1 run</source>
        <translation>1 个运行</translation>
    </message>
    <message>
        <source>%1 runs</source>
        <translation>%1 个运行</translation>
    </message>
    <message>
        <source>, about %1 in all, measured</source>
        <translation>，总共约 %1，实测</translation>
    </message>
    <message>
        <source>, about %1 in all, a guess</source>
        <translation>，总共约 %1，估计</translation>
    </message>
    <message>
        <source>, at most %1 at once</source>
        <translation>，同时最多 %1</translation>
    </message>
    <message>
        <source>; 1 combination left out</source>
        <translation>；略去 1 种组合</translation>
    </message>
    <message>
        <source>; %1 combinations left out</source>
        <translation>；略去 %1 种组合</translation>
    </message>
    <message>
        <source>Needs about %1 of %2 free on %3.</source>
        <translation>约需 %3 上空闲 %2 中的 %1。</translation>
    </message>
    <message>
        <source>Needs about %1 of %2 on %3.</source>
        <translation>约需 %3 上 %2 中的 %1。</translation>
    </message>
    <message>
        <source>About %1 for %2 iterations, %3.</source>
        <translation>%2 次迭代约 %1，%3。</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>a guess</source>
        <translation>估计</translation>
    </message>
    <message>
        <source>Values rounded to single precision when %1 was read: %2. polyad-cli keeps them with --values fp64.</source>
        <translation>读取 %1 时数值舍入为单精度：%2。polyad-cli 可用 --values fp64 保留。</translation>
    </message>
    <message>
        <source>Report (HTML)</source>
        <translation>报告 (HTML)</translation>
    </message>
    <message>
        <source>Charts, tables, settings, machine and commands in one file for browsers, to send or to keep</source>
        <translation>图表、表格、设置、机器和命令，全部在一个可用浏览器打开的文件中，便于发送或保存</translation>
    </message>
    <message>
        <source>Report (PDF)</source>
        <translation>报告 (PDF)</translation>
    </message>
    <message>
        <source>The same on A4 pages, to print</source>
        <translation>相同内容，A4 页面，便于打印</translation>
    </message>
    <message>
        <source>Histories (CSV)</source>
        <translation>历史 (CSV)</translation>
    </message>
    <message>
        <source>Every iteration of these runs in one table, with the run&apos;s name in the first column</source>
        <translation>这些运行的每次迭代都在一个表格中，第一列为运行的名称</translation>
    </message>
    <message>
        <source>note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Your own words on it</source>
        <translation>您自己对它的说明</translation>
    </message>
    <message>
        <source>%1 % of the core&apos;s numbers and %2 % of the factors&apos; are 0.</source>
        <translation>核中 %1 % 的数和因子中 %2 % 的数为 0。</translation>
    </message>
    <message>
        <source>Kullback-Leibler</source>
        <translation>Kullback-Leibler 散度</translation>
    </message>
    <message>
        <source>Itakura-Saito</source>
        <translation>Itakura-Saito 散度</translation>
    </message>
    <message>
        <source>Euclidean</source>
        <translation>欧氏距离</translation>
    </message>
    <message>
        <source>test divergence %1</source>
        <translation>测试散度 %1</translation>
    </message>
    <message>
        <source>divergence %1</source>
        <translation>散度 %1</translation>
    </message>
    <message>
        <source>Less than a second for %1 iterations, %2.</source>
        <translation>%1 次迭代不到一秒，%2。</translation>
    </message>
    <message>
        <source>CPU, %1 ranks</source>
        <translation>CPU，%1 个进程内节点</translation>
    </message>
    <message>
        <source>GPUs %1</source>
        <translation>GPU %1</translation>
    </message>
    <message>
        <source>each of %1</source>
        <translation>%1 各卡</translation>
    </message>
    <message>
        <source>nothing was held out for testing, or it is not at hand</source>
        <translation>没有留出测试部分，或测试部分不在手边</translation>
    </message>
    <message>
        <source>RMSE of new %1</source>
        <translation>新条目 RMSE %1</translation>
    </message>
    <message>
        <source>RMSE of the new entries %1, MAE %2</source>
        <translation>新条目的 RMSE %1，MAE %2</translation>
    </message>
    <message>
        <source>divergence of the new entries %1</source>
        <translation>新条目的散度 %1</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>text, lower case</source>
        <translation>文本，小写</translation>
    </message>
    <message>
        <source>year</source>
        <translation>年</translation>
    </message>
    <message>
        <source>quarter (1–4)</source>
        <translation>季度 (1–4)</translation>
    </message>
    <message>
        <source>month (1–12)</source>
        <translation>月 (1–12)</translation>
    </message>
    <message>
        <source>week (1–53)</source>
        <translation>周 (1–53)</translation>
    </message>
    <message>
        <source>day of the month</source>
        <translation>月中的日</translation>
    </message>
    <message>
        <source>day of the week</source>
        <translation>星期几</translation>
    </message>
    <message>
        <source>hour of the day</source>
        <translation>一天中的小时</translation>
    </message>
    <message>
        <source>minutes of the day</source>
        <translation>一天中的分钟</translation>
    </message>
    <message>
        <source>date</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>year and quarter</source>
        <translation>年和季度</translation>
    </message>
    <message>
        <source>year and month</source>
        <translation>年和月</translation>
    </message>
    <message>
        <source>year and week</source>
        <translation>年和周</translation>
    </message>
    <message>
        <source>date and hour</source>
        <translation>日期和小时</translation>
    </message>
    <message>
        <source>equal bins</source>
        <translation>等宽分箱</translation>
    </message>
    <message>
        <source>bins of equal counts</source>
        <translation>等频分箱</translation>
    </message>
    <message>
        <source>logarithmic bins</source>
        <translation>对数分箱</translation>
    </message>
    <message>
        <source>Mode: %1</source>
        <translation>模态：%1</translation>
    </message>
    <message>
        <source>%1 modes</source>
        <translation>%1 个模态</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Unused</source>
        <translation>未使用</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>空</translation>
    </message>
    <message>
        <source>whole numbers</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>numbers</source>
        <translation>数</translation>
    </message>
    <message>
        <source>dates or times</source>
        <translation>日期或时间</translation>
    </message>
    <message>
        <source>distinct values: %1</source>
        <translation>不同的值：%1</translation>
    </message>
    <message>
        <source>distinct values in %1 rows: %2</source>
        <translation>%1 行中不同的值：%2</translation>
    </message>
    <message>
        <source>rows without a value: %1</source>
        <translation>没有值的行：%1</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>Sum</source>
        <translation>求和</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>Smallest</source>
        <translation>最小值</translation>
    </message>
    <message>
        <source>Largest</source>
        <translation>最大值</translation>
    </message>
    <message>
        <source>First</source>
        <translation>第一个</translation>
    </message>
    <message>
        <source>Last</source>
        <translation>最后一个</translation>
    </message>
    <message>
        <source>1 where there are any</source>
        <translation>有则为 1</translation>
    </message>
    <message>
        <source>Logarithm, log(1 + x)</source>
        <translation>对数，log(1 + x)</translation>
    </message>
    <message>
        <source>Divide by</source>
        <translation>除以</translation>
    </message>
    <message>
        <source>Subtract the mean of each</source>
        <translation>减去各自的均值，按</translation>
    </message>
    <message>
        <source>Limit to</source>
        <translation>限制为</translation>
    </message>
    <message>
        <source>columns: %1</source>
        <translation>列数：%1</translation>
    </message>
    <message>
        <source>rows: %1</source>
        <translation>行数：%1</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>约 %1</translation>
    </message>
    <message>
        <source>entries / s</source>
        <translation>条目 / 秒</translation>
    </message>
    <message>
        <source>does not beat the additive baseline</source>
        <translation>不优于加性基线</translation>
    </message>
    <message>
        <source>does not beat the mean</source>
        <translation>不优于均值</translation>
    </message>
    <message>
        <source>Additive model</source>
        <translation>加性模型</translation>
    </message>
    <message>
        <source>The mean plus one effect per index of each mode, learnt from the training entries. A good model beats it.
Errors compare with runs of observed entries, the fit with runs of all entries.</source>
        <translation>均值加上每个模态每个索引的一个效应，从训练条目学得。好的模型优于它。
误差可与拟合已观测条目的运行比较，拟合度可与拟合所有条目的运行比较。</translation>
    </message>
    <message>
        <source>Every entry predicted by the mean of the training entries. A useful model beats it.
Errors compare with runs of observed entries, the fit with runs of all entries.</source>
        <translation>每个条目都用训练条目的均值预测。有用的模型优于它。
误差可与拟合已观测条目的运行比较，拟合度可与拟合所有条目的运行比较。</translation>
    </message>
    <message>
        <source>rows: more than %1</source>
        <translation>行数：超过 %1</translation>
    </message>
</context>
<context>
    <name>ui::Actions</name>
    <message>
        <source>&amp;New session</source>
        <translation>新建会话(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Save session</source>
        <translation>保存会话(&amp;S)</translation>
    </message>
    <message>
        <source>Save session &amp;as…</source>
        <translation>会话另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Open sa&amp;mple</source>
        <translation>打开示例(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Generate…</source>
        <translation>生成(&amp;G)…</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Close tensor</source>
        <translation>关闭张量(&amp;C)</translation>
    </message>
    <message>
        <source>Go to &amp;entry…</source>
        <translation>转到条目(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>开始(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Queue</source>
        <translation>排队(&amp;Q)</translation>
    </message>
    <message>
        <source>S&amp;weep…</source>
        <translation>扫描(&amp;W)…</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>暂停(&amp;P)</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>停止(&amp;T)</translation>
    </message>
    <message>
        <source>Pause queue</source>
        <translation>暂停队列</translation>
    </message>
    <message>
        <source>Move up in the queue</source>
        <translation>在队列中上移</translation>
    </message>
    <message>
        <source>Move down in the queue</source>
        <translation>在队列中下移</translation>
    </message>
    <message>
        <source>Move to the front of the queue</source>
        <translation>移到队列最前</translation>
    </message>
    <message>
        <source>&amp;Copy as command</source>
        <translation>复制为命令(&amp;C)</translation>
    </message>
    <message>
        <source>Copy this run as co&amp;mmand</source>
        <translation>将此运行复制为命令(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Duplicate settings</source>
        <translation>复制设置到表单(&amp;D)</translation>
    </message>
    <message>
        <source>Re&amp;name</source>
        <translation>重命名(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Data</source>
        <translation>数据(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Convergence</source>
        <translation>收敛(&amp;C)</translation>
    </message>
    <message>
        <source>Co&amp;mpare</source>
        <translation>比较(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Factors</source>
        <translation>因子(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Predict</source>
        <translation>预测(&amp;P)</translation>
    </message>
    <message>
        <source>S&amp;weep</source>
        <translation>扫描(&amp;W)</translation>
    </message>
    <message>
        <source>Follow the r&amp;uns</source>
        <translation>跟随运行(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;High contrast</source>
        <translation>高对比度(&amp;H)</translation>
    </message>
    <message>
        <source>Command palett&amp;e…</source>
        <translation>命令面板(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;User guide</source>
        <translation>用户指南(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;What&apos;s this?</source>
        <translation>这是什么？(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;About Polyad</source>
        <translation>关于 Polyad(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>Device cou&amp;nters</source>
        <translation>设备计数器(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation>外观(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Main</source>
        <translation>主工具栏</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>继续(&amp;R)</translation>
    </message>
    <message>
        <source>Resume (F6)</source>
        <translation>继续 (F6)</translation>
    </message>
    <message>
        <source>Pause (F6)</source>
        <translation>暂停 (F6)</translation>
    </message>
    <message>
        <source>Resume queue</source>
        <translation>恢复队列</translation>
    </message>
    <message>
        <source>Let what waits begin again (Ctrl+F6)</source>
        <translation>让等待的运行重新开始 (Ctrl+F6)</translation>
    </message>
    <message>
        <source>What runs goes on, and nothing that waits begins (Ctrl+F6)</source>
        <translation>正在运行的继续，等待的不再开始 (Ctrl+F6)</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>语言(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Filter entries…</source>
        <translation>筛选条目(&amp;F)…</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Report…</source>
        <translation>报告(&amp;R)…</translation>
    </message>
    <message>
        <source>Cont&amp;inue with more iterations…</source>
        <translation>以更多迭代继续(&amp;I)…</translation>
    </message>
    <message>
        <source>Not&amp;e…</source>
        <translation>备注(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>Open re&amp;cent</source>
        <translation>最近打开(&amp;C)</translation>
    </message>
    <message>
        <source>Show or &amp;hide its sweep</source>
        <translation>显示或隐藏其扫描(&amp;H)</translation>
    </message>
    <message>
        <source>Remove its sweep…</source>
        <translation>移除其扫描…</translation>
    </message>
    <message>
        <source>&amp;Add new data to this run…</source>
        <translation>向此运行加入新数据(&amp;A)…</translation>
    </message>
    <message>
        <source>Watch a &amp;folder for new data…</source>
        <translation>监视文件夹中的新数据(&amp;F)…</translation>
    </message>
    <message>
        <source>Pass &amp;over all entries</source>
        <translation>遍历全部条目(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Import a table…</source>
        <translation>导入表格(&amp;I)…</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Normal size</source>
        <translation>正常大小(&amp;N)</translation>
    </message>
    <message>
        <source>S&amp;ide panels</source>
        <translation>侧面板(&amp;I)</translation>
    </message>
    <message>
        <source>Runs of all &amp;tensors</source>
        <translation>所有张量的运行(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Baselines</source>
        <translation>基线(&amp;B)</translation>
    </message>
    <message>
        <source>Compare runs with the mean and the additive model</source>
        <translation>将运行与均值和加性模型比较</translation>
    </message>
    <message>
        <source>load file read import tensor session</source>
        <translation>加载 文件 读取 导入 张量 会话</translation>
    </message>
    <message>
        <source>csv tsv table excel xlsx sqlite parquet spreadsheet columns</source>
        <translation>csv tsv 表格 excel xlsx sqlite parquet 电子表格 列</translation>
    </message>
    <message>
        <source>example demo try flights</source>
        <translation>示例 演示 试用 航班</translation>
    </message>
    <message>
        <source>synthetic random artificial data</source>
        <translation>合成 随机 人工 数据</translation>
    </message>
    <message>
        <source>close all clear project</source>
        <translation>关闭 全部 清除 项目</translation>
    </message>
    <message>
        <source>keep store write project</source>
        <translation>保留 存储 写入 项目</translation>
    </message>
    <message>
        <source>save write csv npz numpy matlab model factors hdf5</source>
        <translation>保存 写入 csv npz numpy matlab 模型 因子 hdf5</translation>
    </message>
    <message>
        <source>save write html pdf print picture</source>
        <translation>保存 写入 html pdf 打印 图片</translation>
    </message>
    <message>
        <source>exit close</source>
        <translation>退出 关闭</translation>
    </message>
    <message>
        <source>back revert</source>
        <translation>返回 还原</translation>
    </message>
    <message>
        <source>again repeat</source>
        <translation>再次 重复</translation>
    </message>
    <message>
        <source>remove delete unload</source>
        <translation>移除 删除 卸载</translation>
    </message>
    <message>
        <source>find cell index jump</source>
        <translation>查找 单元 索引 跳转</translation>
    </message>
    <message>
        <source>find search where select rows</source>
        <translation>查找 搜索 条件 where 选择 行</translation>
    </message>
    <message>
        <source>run fit train decompose begin</source>
        <translation>运行 拟合 训练 分解 开始</translation>
    </message>
    <message>
        <source>later wait batch</source>
        <translation>稍后 等待 批量</translation>
    </message>
    <message>
        <source>grid ranks tune hyperparameters several</source>
        <translation>网格 秩 调参 超参数 多个</translation>
    </message>
    <message>
        <source>hold wait</source>
        <translation>暂停 等待</translation>
    </message>
    <message>
        <source>abort cancel end kill</source>
        <translation>中止 取消 结束 终止</translation>
    </message>
    <message>
        <source>cli terminal shell script</source>
        <translation>cli 终端 shell 脚本</translation>
    </message>
    <message>
        <source>more iterations resume longer epochs</source>
        <translation>更多 迭代 恢复 更长 轮次</translation>
    </message>
    <message>
        <source>update online new file learn</source>
        <translation>更新 在线 新 文件 学习</translation>
    </message>
    <message>
        <source>update online automatic directory</source>
        <translation>更新 在线 自动 目录</translation>
    </message>
    <message>
        <source>retrain epochs</source>
        <translation>重新训练 轮次</translation>
    </message>
    <message>
        <source>copy same again</source>
        <translation>复制 相同 再次</translation>
    </message>
    <message>
        <source>delete run</source>
        <translation>删除 运行</translation>
    </message>
    <message>
        <source>comment text</source>
        <translation>注释 文本</translation>
    </message>
    <message>
        <source>reset zoom axes charts</source>
        <translation>重置 缩放 坐标轴 图表</translation>
    </message>
    <message>
        <source>larger bigger font text scale</source>
        <translation>更大 放大 字体 文字 缩放</translation>
    </message>
    <message>
        <source>smaller font text scale</source>
        <translation>更小 缩小 字体 文字 缩放</translation>
    </message>
    <message>
        <source>reset zoom 100 scale</source>
        <translation>重置 缩放 100 比例</translation>
    </message>
    <message>
        <source>hide show full width lists form small screen</source>
        <translation>隐藏 显示 全宽 列表 表单 小屏幕</translation>
    </message>
    <message>
        <source>theme night colours mode</source>
        <translation>主题 夜间 颜色 模式</translation>
    </message>
    <message>
        <source>theme day colours mode</source>
        <translation>主题 日间 颜色 模式</translation>
    </message>
    <message>
        <source>theme colours mode</source>
        <translation>主题 颜色 模式</translation>
    </message>
    <message>
        <source>theme accessibility colours</source>
        <translation>主题 无障碍 颜色</translation>
    </message>
    <message>
        <source>help manual documentation</source>
        <translation>帮助 手册 文档</translation>
    </message>
    <message>
        <source>help explain</source>
        <translation>帮助 解释</translation>
    </message>
    <message>
        <source>version licence</source>
        <translation>版本 许可证</translation>
    </message>
    <message>
        <source>&amp;Zoom</source>
        <translation>缩放(&amp;Z)</translation>
    </message>
</context>
<context>
    <name>ui::Card</name>
    <message>
        <source>Enlarge %1</source>
        <translation>放大 %1</translation>
    </message>
    <message>
        <source>Save %1</source>
        <translation>保存 %1</translation>
    </message>
    <message>
        <source>PNG image (*.png)</source>
        <translation>PNG 图像 (*.png)</translation>
    </message>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>逗号分隔值 (*.csv)</translation>
    </message>
    <message>
        <source>Show all charts</source>
        <translation>显示所有图表</translation>
    </message>
    <message>
        <source>&amp;Image (PNG, twice the size)…</source>
        <translation>图像（PNG，两倍大小）(&amp;I)…</translation>
    </message>
    <message>
        <source>&amp;Drawing (SVG)…</source>
        <translation>矢量图 (SVG)(&amp;D)…</translation>
    </message>
    <message>
        <source>SVG drawing (*.svg)</source>
        <translation>SVG 矢量图 (*.svg)</translation>
    </message>
    <message>
        <source>D&amp;ocument (PDF)…</source>
        <translation>文档 (PDF)(&amp;O)…</translation>
    </message>
    <message>
        <source>PDF document (*.pdf)</source>
        <translation>PDF 文档 (*.pdf)</translation>
    </message>
    <message>
        <source>&amp;Numbers (CSV)…</source>
        <translation>数值 (CSV)(&amp;N)…</translation>
    </message>
</context>
<context>
    <name>ui::ColorMenu</name>
    <message>
        <source>Co&amp;lour</source>
        <translation>颜色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Blue</source>
        <translation>蓝色(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Orange</source>
        <translation>橙色(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Green</source>
        <translation>绿色(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Purple</source>
        <translation>紫色(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Red</source>
        <translation>红色(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Cyan</source>
        <translation>青色(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Magenta</source>
        <translation>品红色(&amp;M)</translation>
    </message>
    <message>
        <source>Oli&amp;ve</source>
        <translation>橄榄色(&amp;V)</translation>
    </message>
</context>
<context>
    <name>ui::CommandModel</name>
    <message>
        <source>not possible now</source>
        <translation>现在不可用</translation>
    </message>
</context>
<context>
    <name>ui::CommandPalette</name>
    <message>
        <source>not possible now</source>
        <translation>现在不可用</translation>
    </message>
    <message>
        <source>Nothing fits that.</source>
        <translation>没有符合的命令。</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>命令面板</translation>
    </message>
    <message>
        <source>Type what you want to do</source>
        <translation>输入您想做的事</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Commands that fit</source>
        <translation>符合的命令</translation>
    </message>
</context>
<context>
    <name>ui::ComparePage</name>
    <message>
        <source>Runs stand beside each other here, from the first one on.</source>
        <translation>从第一个运行起，各运行在此并列显示。</translation>
    </message>
    <message>
        <source>No run has “%1” in its row.</source>
        <translation>没有运行的行中含有“%1”。</translation>
    </message>
    <message>
        <source>Time to accuracy</source>
        <translation>达到精度的时间</translation>
    </message>
    <message>
        <source>Compute time, without evaluation, until the first iteration that is as good.</source>
        <translation>首次达到同样精度的迭代之前的计算时间，不含评估。</translation>
    </message>
    <message>
        <source>Seconds to reach an accuracy, of every visible run</source>
        <translation>每个可见运行达到某一精度所需的秒数</translation>
    </message>
    <message>
        <source>Curves appear with the first iteration.</source>
        <translation>第一次迭代后出现曲线。</translation>
    </message>
    <message>
        <source>Accuracy against</source>
        <translation>精度相对于</translation>
    </message>
    <message>
        <source>The line joins the runs that no other is better than in both.</source>
        <translation>连线连接的是没有其他运行在两方面都更优的运行。</translation>
    </message>
    <message>
        <source>Accuracy of every visible run against what it cost</source>
        <translation>每个可见运行的精度与其代价</translation>
    </message>
    <message>
        <source>Points appear once a run has both.</source>
        <translation>运行同时具有两个数值后出现点。</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>代价</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>并列</translation>
    </message>
    <message>
        <source>One column of every visible run</source>
        <translation>每个可见运行的某一列</translation>
    </message>
    <message>
        <source>No run has a number in this column.</source>
        <translation>没有运行在此列中有数值。</translation>
    </message>
    <message>
        <source>Column shown as bars</source>
        <translation>以条形显示的列</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>不同的设置</translation>
    </message>
    <message>
        <source>Settings that differ between the chosen runs</source>
        <translation>所选运行之间不同的设置</translation>
    </message>
    <message>
        <source>Agreement of factors</source>
        <translation>因子的一致性</translation>
    </message>
    <message>
        <source>further off: %1</source>
        <translation>更远处：%1</translation>
    </message>
    <message>
        <source>No run is shown.</source>
        <translation>没有显示任何运行。</translation>
    </message>
    <message>
        <source>target %1</source>
        <translation>目标 %1</translation>
    </message>
    <message>
        <source>best %1</source>
        <translation>最佳 %1</translation>
    </message>
    <message>
        <source>not known of %1</source>
        <translation>%1 的数值未知</translation>
    </message>
    <message>
        <source>Choose two or more runs in the table.</source>
        <translation>请在表中选择两个或更多运行。</translation>
    </message>
    <message>
        <source>%1 have the same settings.</source>
        <translation>%1 的设置相同。</translation>
    </message>
    <message>
        <source> and </source>
        <translation> 和 </translation>
    </message>
    <message>
        <source>%1 has a model to compare when it has ended.</source>
        <translation>%1 结束后才有可比较的模型。</translation>
    </message>
    <message>
        <source>%1 left no model to compare.</source>
        <translation>%1 没有留下可比较的模型。</translation>
    </message>
    <message>
        <source>Comparing %1 with %2…</source>
        <translation>正在比较 %1 与 %2…</translation>
    </message>
    <message>
        <source>Two ended runs are compared here: choose them in the table.</source>
        <translation>此处比较两个已结束的运行：请在表中选择。</translation>
    </message>
    <message>
        <source>… and %1 beside it</source>
        <translation>… 以及旁边的 %1</translation>
    </message>
    <message>
        <source>target RMSE</source>
        <translation>目标 RMSE</translation>
    </message>
    <message>
        <source>target MAE</source>
        <translation>目标 MAE</translation>
    </message>
    <message>
        <source>target fit</source>
        <translation>目标拟合度</translation>
    </message>
    <message>
        <source>What the target is of</source>
        <translation>目标针对什么</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>group by</source>
        <translation>分组</translation>
    </message>
    <message>
        <source>Group by</source>
        <translation>分组依据</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Algorithm</source>
        <translation>算法</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>秩</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter runs</source>
        <translation>筛选运行</translation>
    </message>
    <message>
        <source>Only runs whose row has all these words.</source>
        <translation>只显示行中含有所有这些词的运行。</translation>
    </message>
    <message>
        <source>Columns…</source>
        <translation>列…</translation>
    </message>
    <message>
        <source>Choose columns</source>
        <translation>选择列</translation>
    </message>
    <message>
        <source>Copy ▾</source>
        <translation>复制 ▾</translation>
    </message>
    <message>
        <source>Copy the table</source>
        <translation>复制表格</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>CSV, all digits</source>
        <translation>CSV，全部位数</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>LaTeX</source>
        <translation>LaTeX</translation>
    </message>
    <message>
        <source>Chosen runs</source>
        <translation>所选运行</translation>
    </message>
    <message>
        <source>As at first</source>
        <translation>恢复初始</translation>
    </message>
    <message>
        <source>A number up to 1.</source>
        <translation>不大于 1 的数。</translation>
    </message>
    <message>
        <source>A number above 0.</source>
        <translation>大于 0 的数。</translation>
    </message>
    <message>
        <source>Times until a run&apos;s %1 meets this. Empty: what the second best run reaches.</source>
        <translation>直到运行的 %1 达到此值的时间。留空：第二好的运行达到的值。</translation>
    </message>
    <message>
        <source>Times until a run&apos;s %1 meets this: proposed by what the second best run reaches. Type another.</source>
        <translation>直到运行的 %1 达到此值的时间：建议值为第二好的运行所达到的值。可输入其他值。</translation>
    </message>
    <message>
        <source>Copied %1</source>
        <translation>已复制 %1</translation>
    </message>
    <message>
        <source>Target for all</source>
        <translation>共同目标</translation>
    </message>
    <message>
        <source>Target that all reach</source>
        <translation>全部能达到的目标</translation>
    </message>
    <message>
        <source>Sets the target to what every visible run reaches, so that each has a time to compare</source>
        <translation>把目标设为每个可见运行都能达到的值，使每个运行都有可比较的时间</translation>
    </message>
    <message>
        <source>seconds to a %1</source>
        <translation>达到%1所需秒数</translation>
    </message>
    <message>
        <source>beside each algorithm&apos;s defaults</source>
        <translation>各算法默认值之外</translation>
    </message>
    <message>
        <source>No run of %1 yet.</source>
        <translation>%1 还没有运行。</translation>
    </message>
    <message>
        <source>Factor match score beyond chance</source>
        <translation>超出随机水平的因子匹配得分</translation>
    </message>
    <message>
        <source>Spaces of the factors beyond chance</source>
        <translation>超出随机水平的因子空间重合程度</translation>
    </message>
</context>
<context>
    <name>ui::ComponentDelegate</name>
    <message>
        <source>Name of component %1</source>
        <translation>分量 %1 的名称</translation>
    </message>
    <message>
        <source>all 0</source>
        <translation>全为 0</translation>
    </message>
</context>
<context>
    <name>ui::ComponentList</name>
    <message>
        <source>Components</source>
        <translation>分量</translation>
    </message>
    <message>
        <source>component</source>
        <translation>分量</translation>
    </message>
    <message>
        <source>column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>strongest %1</source>
        <translation>最强的 %1</translation>
    </message>
    <message>
        <source>Name…	F2</source>
        <translation>命名…	F2</translation>
    </message>
    <message>
        <source>Copy strongest rows	Ctrl+C</source>
        <translation>复制最强的行	Ctrl+C</translation>
    </message>
    <message>
        <source>Copy strongest rows as CSV</source>
        <translation>将最强的行复制为 CSV</translation>
    </message>
    <message>
        <source>Image (PNG, twice the size)…</source>
        <translation>图像（PNG，两倍大小）…</translation>
    </message>
    <message>
        <source>Numbers (CSV)…</source>
        <translation>数值 (CSV)…</translation>
    </message>
</context>
<context>
    <name>ui::ComponentModel</name>
    <message>
        <source>Component %1</source>
        <translation>分量 %1</translation>
    </message>
    <message>
        <source>Column %1</source>
        <translation>列 %1</translation>
    </message>
    <message>
        <source>weight %1</source>
        <translation>权重 %1</translation>
    </message>
    <message>
        <source>strongest %1: %2</source>
        <translation>最强的 %1：%2</translation>
    </message>
</context>
<context>
    <name>ui::ComponentsView</name>
    <message>
        <source>Save picture</source>
        <translation>保存图片</translation>
    </message>
    <message>
        <source>%1: the file could not be written. Choose another folder.</source>
        <translation>%1：无法写入该文件。请选择其他文件夹。</translation>
    </message>
    <message>
        <source>Save numbers</source>
        <translation>保存数值</translation>
    </message>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>逗号分隔值 (*.csv)</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Line</source>
        <translation>折线</translation>
    </message>
    <message>
        <source>Bars</source>
        <translation>条形</translation>
    </message>
    <message>
        <source>Sorted</source>
        <translation>排序</translation>
    </message>
    <message>
        <source>Normalise</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Columns of length 1 whose largest element is positive. Off: numbers, signs and lengths as the model has them.</source>
        <translation>列的长度为 1，最大元素为正。关闭时：数值、符号和长度与模型中的相同。</translation>
    </message>
    <message>
        <source>Mode whose strongest rows are listed</source>
        <translation>列出其最强行的模态</translation>
    </message>
    <message>
        <source>How many of the strongest rows are listed</source>
        <translation>列出多少最强的行</translation>
    </message>
    <message>
        <source>chart</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>strongest</source>
        <translation>最强</translation>
    </message>
    <message>
        <source>of</source>
        <translation>属于</translation>
    </message>
    <message>
        <source>PNG image (*.png);;SVG drawing (*.svg);;PDF document (*.pdf)</source>
        <translation>PNG 图像 (*.png);;SVG 矢量图 (*.svg);;PDF 文档 (*.pdf)</translation>
    </message>
    <message>
        <source>every mode</source>
        <translation>每个模</translation>
    </message>
</context>
<context>
    <name>ui::ContinueDialog</name>
    <message>
        <source>Continue %1</source>
        <translation>继续 %1</translation>
    </message>
    <message>
        <source>It ended because it no longer improved; that rule is off from now on.</source>
        <translation>它因不再改善而结束；从现在起此规则关闭。</translation>
    </message>
    <message>
        <source>Its time limit of %1 is off from now on.</source>
        <translation>从现在起，其 %1 的时间限制关闭。</translation>
    </message>
    <message>
        <source>Iterations more</source>
        <translation>增加的迭代次数</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Start again</source>
        <translation>重新开始</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Its tensor is not open. Open it, then this run can be started again.</source>
        <translation>其张量未打开。打开后即可重新开始此运行。</translation>
    </message>
    <message>
        <source>It goes on after iteration %1 with what it had there, to iteration %2.</source>
        <translation>它从第 %1 次迭代结束时的状态继续，直到第 %2 次迭代。</translation>
    </message>
    <message>
        <source>What it had at its end is not held any more, so a new run with its settings starts from iteration 1 and goes to %1.</source>
        <translation>它结束时的状态已不再保留，因此以其设置新建一个运行，从第 1 次迭代开始，直到第 %1 次。</translation>
    </message>
    <message>
        <source>The numbers are those of a run that had %1 iterations from the start.</source>
        <translation>数值与一开始就设为 %1 次迭代的运行相同。</translation>
    </message>
    <message>
        <source>It is deterministic: the first %1 iterations repeat the old ones exactly.</source>
        <translation>它是确定性的：前 %1 次迭代与原来的完全相同。</translation>
    </message>
    <message>
        <source>Its numbers will be near the old ones, not the same, since it is not deterministic.</source>
        <translation>由于它不是确定性的，其数值将接近原来的数值，但不完全相同。</translation>
    </message>
    <message>
        <source>Entries of a run that has learnt files are not kept, so that it has none to go on with. It can learn more files.</source>
        <translation>学习过文件的运行不保留条目，因此无法继续迭代。它可以学习更多文件。</translation>
    </message>
</context>
<context>
    <name>ui::ConvergencePage</name>
    <message>
        <source>x axis</source>
        <translation>x 轴</translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation>迭代</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Logarithmic axes</source>
        <translation>对数坐标轴</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>x</source>
        <translation>x</translation>
    </message>
    <message>
        <source>y</source>
        <translation>y</translation>
    </message>
    <message>
        <source>xy</source>
        <translation>xy</translation>
    </message>
    <message>
        <source>log</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>Errors shown</source>
        <translation>显示的误差</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>两者</translation>
    </message>
    <message>
        <source>following</source>
        <translation>跟随中</translation>
    </message>
    <message>
        <source>zoom held</source>
        <translation>缩放已保持</translation>
    </message>
    <message>
        <source>The view stays. Click here, or double-click a chart, to follow the runs again.</source>
        <translation>视图保持不动。点击此处或双击图表可重新跟随运行。</translation>
    </message>
    <message>
        <source>The axes follow the runs. Turn the wheel or drag over a chart to hold a part.</source>
        <translation>坐标轴跟随运行。在图表上滚动滚轮或拖动可保持某一部分。</translation>
    </message>
    <message>
        <source>iteration %1</source>
        <translation>第 %1 次迭代</translation>
    </message>
    <message>
        <source>lower is better · dashed: train</source>
        <translation>越低越好 · 虚线：训练</translation>
    </message>
    <message>
        <source>lower is better</source>
        <translation>越低越好</translation>
    </message>
    <message>
        <source>test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>fit</source>
        <translation>拟合度</translation>
    </message>
    <message>
        <source>Nothing was held out for testing: show Train or Both.</source>
        <translation>没有留出任何测试条目：请显示“训练”或“两者”。</translation>
    </message>
    <message>
        <source>Curves appear with the first iteration.</source>
        <translation>第一次迭代后出现曲线。</translation>
    </message>
    <message>
        <source>No run yet. Choose its settings on the right and press Start run.</source>
        <translation>还没有运行。请在右侧选择设置并按“开始运行”。</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>毫秒</translation>
    </message>
    <message>
        <source>ms · %1</source>
        <translation>毫秒 · %1</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>拟合度</translation>
    </message>
    <message>
        <source>higher is better · missing = 0</source>
        <translation>越高越好 · 缺失 = 0</translation>
    </message>
    <message>
        <source>1 − norm(X − X̂) / norm(X) over all cells of the training part: 1 is exact, 0 no better than zeros.</source>
        <translation>1 − norm(X − X̂) / norm(X)，针对训练部分的所有单元：1 为精确，0 不优于全零。</translation>
    </message>
    <message>
        <source>RMSE</source>
        <translation>RMSE</translation>
    </message>
    <message>
        <source>MAE</source>
        <translation>MAE</translation>
    </message>
    <message>
        <source>SM throughput</source>
        <translation>SM 吞吐率</translation>
    </message>
    <message>
        <source>Time per iteration</source>
        <translation>每次迭代的时间</translation>
    </message>
    <message>
        <source>Fit of every visible run that measures it</source>
        <translation>每个测量拟合度的可见运行的拟合度</translation>
    </message>
    <message>
        <source>RMSE of every visible run</source>
        <translation>每个可见运行的 RMSE</translation>
    </message>
    <message>
        <source>MAE of every visible run</source>
        <translation>每个可见运行的 MAE</translation>
    </message>
    <message>
        <source>Use of the device over the last minute</source>
        <translation>最近一分钟的设备使用率</translation>
    </message>
    <message>
        <source>Mean time per iteration of every visible run</source>
        <translation>每个可见运行每次迭代的平均时间</translation>
    </message>
    <message>
        <source>Times appear with the first iteration.</source>
        <translation>第一次迭代后出现时间。</translation>
    </message>
    <message>
        <source>No readings yet.</source>
        <translation>还没有读数。</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 ago</source>
        <translation>%1 前</translation>
    </message>
    <message>
        <source>Device use</source>
        <translation>设备使用率</translation>
    </message>
    <message>
        <source>%1, %2 Hz</source>
        <translation>%1，%2 Hz</translation>
    </message>
    <message>
        <source>, means of 0.2 s</source>
        <translation>，0.2 秒的平均值</translation>
    </message>
    <message>
        <source>%1 GPUs</source>
        <translation>%1 个 GPU</translation>
    </message>
    <message>
        <source>, whole device</source>
        <translation>，整个设备</translation>
    </message>
    <message>
        <source>no GPU in use</source>
        <translation>未使用 GPU</translation>
    </message>
    <message>
        <source>the GPU cannot be measured</source>
        <translation>无法测量该 GPU</translation>
    </message>
    <message>
        <source>Metric: %1</source>
        <translation>指标：%1</translation>
    </message>
    <message>
        <source>Not used: %1</source>
        <translation>未使用：%1</translation>
    </message>
    <message>
        <source> · DRAM %1</source>
        <translation> · DRAM %1</translation>
    </message>
    <message>
        <source>divergence</source>
        <translation>散度</translation>
    </message>
    <message>
        <source>Divergence</source>
        <translation>散度</translation>
    </message>
    <message>
        <source>What a non-negative run makes small, of the training entries, for each of them on average: 0 is exact.</source>
        <translation>非负分解的运行使之变小的量：训练条目的平均值，0 表示完全吻合。</translation>
    </message>
    <message>
        <source>Divergence of every visible run that measures it</source>
        <translation>测量散度的每个可见运行的散度</translation>
    </message>
    <message>
        <source>with penalty</source>
        <translation>含惩罚项</translation>
    </message>
    <message>
        <source>dashed: with the penalty</source>
        <translation>虚线：含惩罚项</translation>
    </message>
    <message>
        <source>Entries</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>%1 entries</source>
        <translation>%1 个条目</translation>
    </message>
    <message>
        <source>No run of %1 yet. Choose its settings on the right and press Start run.</source>
        <translation>%1 还没有运行。请在右侧选择设置并按“开始运行”。</translation>
    </message>
    <message>
        <source>additive</source>
        <translation>加性</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>均值</translation>
    </message>
</context>
<context>
    <name>ui::CoreConsistencyBox</name>
    <message>
        <source>How well the data keep to a CP model of so many components (Bro and Kiers 2003): near 100 %, fine; low or negative, too many components, or data of another form.</source>
        <translation>数据在多大程度上符合这么多分量的 CP 模型（Bro 和 Kiers 2003）：接近 100 % 则合适；很低或为负，说明分量过多，或数据形式不同。</translation>
    </message>
    <message>
        <source>Over all cells, missing = 0.</source>
        <translation>针对所有单元，缺失 = 0。</translation>
    </message>
    <message>
        <source>Over the training entries.</source>
        <translation>针对训练条目。</translation>
    </message>
    <message>
        <source>core consistency: %1 done · cancel</source>
        <translation>核一致性：已完成 %1 · 取消</translation>
    </message>
    <message>
        <source>core consistency %1 %</source>
        <translation>核一致性 %1 %</translation>
    </message>
    <message>
        <source>not a number</source>
        <translation>不是数</translation>
    </message>
    <message>
        <source>compute core consistency</source>
        <translation>计算核一致性</translation>
    </message>
    <message>
        <source>It reads the tensor&apos;s entries: open the tensor again first.</source>
        <translation>它要读取张量的条目：请先重新打开张量。</translation>
    </message>
    <message>
        <source>The core of rank %1 in %2 modes is too large: at most 2^24 numbers.</source>
        <translation>%2 个模态、秩 %1 的核过大：最多 2^24 个数。</translation>
    </message>
    <message>
        <source>Entries of a run that has learnt files are not kept.</source>
        <translation>学习过文件的运行不保留条目。</translation>
    </message>
    <message>
        <source>core consistency %1 %, unstable</source>
        <translation>核一致性 %1 %，不稳定</translation>
    </message>
</context>
<context>
    <name>ui::DataPage</name>
    <message>
        <source>Values</source>
        <translation>值</translation>
    </message>
    <message>
        <source>count</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>Histogram of the values</source>
        <translation>值的直方图</translation>
    </message>
    <message>
        <source>by rank of slice</source>
        <translation>按切片名次</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>名次 %1</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>The most bytes an algorithm keeps of the tensor in each format on the chosen device, before it is built</source>
        <translation>在所选设备上，算法以每种格式存储该张量所需的最大字节数（构建之前的估计）</translation>
    </message>
    <message>
        <source>Heaviest slices</source>
        <translation>最重的切片</translation>
    </message>
    <message>
        <source>sorted</source>
        <translation>已排序</translation>
    </message>
    <message>
        <source>not sorted</source>
        <translation>未排序</translation>
    </message>
    <message>
        <source>made in %1</source>
        <translation>生成用时 %1</translation>
    </message>
    <message>
        <source>loaded in %1</source>
        <translation>加载用时 %1</translation>
    </message>
    <message>
        <source>no duplicates</source>
        <translation>没有重复</translation>
    </message>
    <message>
        <source>no explicit zeros</source>
        <translation>没有显式零</translation>
    </message>
    <message>
        <source>%1 explicit zeros</source>
        <translation>%1 个显式零</translation>
    </message>
    <message>
        <source>%1: %2 empty slices</source>
        <translation>%1：%2 个空切片</translation>
    </message>
    <message>
        <source>no empty slices</source>
        <translation>没有空切片</translation>
    </message>
    <message>
        <source>%1 empty slices</source>
        <translation>%1 个空切片</translation>
    </message>
    <message>
        <source>order</source>
        <translation>阶</translation>
    </message>
    <message>
        <source>nonzeros</source>
        <translation>非零元</translation>
    </message>
    <message>
        <source>test part</source>
        <translation>测试部分</translation>
    </message>
    <message>
        <source>density</source>
        <translation>密度</translation>
    </message>
    <message>
        <source>values</source>
        <translation>值</translation>
    </message>
    <message>
        <source>%1 – %2, %3</source>
        <translation>%1 – %2，%3</translation>
    </message>
    <message>
        <source>double</source>
        <translation>双精度</translation>
    </message>
    <message>
        <source>float</source>
        <translation>单精度</translation>
    </message>
    <message>
        <source>mean ± sd</source>
        <translation>均值 ± 标准差</translation>
    </message>
    <message>
        <source>%1 ± %2</source>
        <translation>%1 ± %2</translation>
    </message>
    <message>
        <source>Memory by format, %1</source>
        <translation>各格式的内存，%1</translation>
    </message>
    <message>
        <source>%1
%2 bytes</source>
        <translation>%1
%2 字节</translation>
    </message>
    <message>
        <source>%1
Not on this device</source>
        <translation>%1
此设备上不可用</translation>
    </message>
    <message>
        <source>value %1</source>
        <translation>值 %1</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>Save the entries shown</source>
        <translation>保存显示的条目</translation>
    </message>
    <message>
        <source>-part</source>
        <translation>-部分</translation>
    </message>
    <message>
        <source>by rank of slice, %1 modes</source>
        <translation>按切片名次，%1 个模态</translation>
    </message>
    <message>
        <source>Show the entries of %1 %2</source>
        <translation>显示 %1 %2 的条目</translation>
    </message>
    <message>
        <source>summed</source>
        <translation>求和</translation>
    </message>
    <message>
        <source>Add their values up</source>
        <translation>将其值相加</translation>
    </message>
    <message>
        <source>averaged</source>
        <translation>取平均</translation>
    </message>
    <message>
        <source>Take their mean</source>
        <translation>取其均值</translation>
    </message>
    <message>
        <source>last one taken</source>
        <translation>取最后一个</translation>
    </message>
    <message>
        <source>Take the last</source>
        <translation>取最后的值</translation>
    </message>
    <message>
        <source>largest taken</source>
        <translation>取最大的</translation>
    </message>
    <message>
        <source>Take the largest</source>
        <translation>取最大值</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Keep each as an entry</source>
        <translation>各自保留为条目</translation>
    </message>
    <message>
        <source>A generated tensor is changed in its file: export it and open the file.</source>
        <translation>生成的张量在其文件中更改：请导出并打开该文件。</translation>
    </message>
    <message>
        <source>%1 duplicates, %2</source>
        <translation>%1 个重复，%2</translation>
    </message>
    <message>
        <source>Duplicates: what becomes of equal coordinates</source>
        <translation>重复：相同坐标如何处理</translation>
    </message>
    <message>
        <source>%1 entries have coordinates that occurred before</source>
        <translation>%1 个条目的坐标之前出现过</translation>
    </message>
    <message>
        <source>Show them in the table</source>
        <translation>在表中显示</translation>
    </message>
    <message>
        <source>They are one entry each in this tensor</source>
        <translation>它们在此张量中各为一个条目</translation>
    </message>
    <message>
        <source>Open once more, and of equal coordinates</source>
        <translation>重新打开，相同坐标</translation>
    </message>
    <message>
        <source>zeros left out</source>
        <translation>已略去零</translation>
    </message>
    <message>
        <source>%1 zeros left out</source>
        <translation>已略去 %1 个零</translation>
    </message>
    <message>
        <source>Explicit zeros: whether they are entries</source>
        <translation>显式零：是否为条目</translation>
    </message>
    <message>
        <source>Zeros that the file holds are no entries of this tensor</source>
        <translation>文件中的零不是此张量的条目</translation>
    </message>
    <message>
        <source>%1 entries hold the value 0: they count as observed</source>
        <translation>%1 个条目的值为 0：视为已观测</translation>
    </message>
    <message>
        <source>Open once more, with them</source>
        <translation>重新打开，包含它们</translation>
    </message>
    <message>
        <source>Open once more, without them</source>
        <translation>重新打开，不含它们</translation>
    </message>
    <message>
        <source>%1
Indices have no labels. Drop a file with a label a line here, or attach one by the menu.</source>
        <translation>%1
索引没有标签。将每行一个标签的文件拖放到此处，或通过菜单附加。</translation>
    </message>
    <message>
        <source>%1
Labelled: %2 …</source>
        <translation>%1
有标签：%2 …</translation>
    </message>
    <message>
        <source>Labels of %1: a label a line, %2 of them</source>
        <translation>%1 的标签：每行一个标签，共 %2 个</translation>
    </message>
    <message>
        <source>Label files (*.map *.map.gz *.txt *.csv *.labels);;All files (*)</source>
        <translation>标签文件 (*.map *.map.gz *.txt *.csv *.labels);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Sort by label, A to Z</source>
        <translation>按标签排序，A 到 Z</translation>
    </message>
    <message>
        <source>Sort by label, Z to A</source>
        <translation>按标签排序，Z 到 A</translation>
    </message>
    <message>
        <source>Sort by index, first to last</source>
        <translation>按索引排序，从前到后</translation>
    </message>
    <message>
        <source>Sort by index, last to first</source>
        <translation>按索引排序，从后到前</translation>
    </message>
    <message>
        <source>Rename mode</source>
        <translation>重命名模态</translation>
    </message>
    <message>
        <source>Attach labels…</source>
        <translation>附加标签…</translation>
    </message>
    <message>
        <source>Detach labels</source>
        <translation>分离标签</translation>
    </message>
    <message>
        <source>Entries per slice</source>
        <translation>每个切片的条目数</translation>
    </message>
    <message>
        <source>Entries per slice by rank, both axes logarithmic</source>
        <translation>按名次排列的每个切片的条目数，两轴均为对数</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>Entries whose value is not zero</source>
        <translation>值不为零的条目</translation>
    </message>
    <message>
        <source>%1 · %2: %3 entries
Click to see them in the table</source>
        <translation>%1 · %2：%3 个条目
点击以在表格中查看</translation>
    </message>
    <message>
        <source>Change import…</source>
        <translation>更改导入…</translation>
    </message>
    <message>
        <source>Choose again what is made of the table&apos;s columns</source>
        <translation>重新选择如何使用表格的各列</translation>
    </message>
    <message>
        <source>empty cells</source>
        <translation>空单元</translation>
    </message>
    <message>
        <source>What an empty cell means</source>
        <translation>空单元的含义</translation>
    </message>
    <message>
        <source>Zero: nothing happened</source>
        <translation>零：没有发生</translation>
    </message>
    <message>
        <source>Unknown: not measured</source>
        <translation>未知：没有测量</translation>
    </message>
</context>
<context>
    <name>ui::EmptyCellsQuestion</name>
    <message>
        <source>Proposed</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>What does an empty cell mean?</source>
        <translation>空单元表示什么？</translation>
    </message>
    <message>
        <source>Zero: nothing happened</source>
        <translation>零：没有发生</translation>
    </message>
    <message>
        <source>Unknown: not measured</source>
        <translation>未知：没有测量</translation>
    </message>
</context>
<context>
    <name>ui::EntriesCard</name>
    <message>
        <source>Previous page of entries</source>
        <translation>上一页条目</translation>
    </message>
    <message>
        <source>Next page of entries</source>
        <translation>下一页条目</translation>
    </message>
    <message>
        <source>Go to…</source>
        <translation>转到…</translation>
    </message>
    <message>
        <source>Go to entry</source>
        <translation>转到条目</translation>
    </message>
    <message>
        <source>Filter…</source>
        <translation>筛选…</translation>
    </message>
    <message>
        <source>Filter entries</source>
        <translation>筛选条目</translation>
    </message>
    <message>
        <source>Entries</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>Entries of the tensor</source>
        <translation>张量的条目</translation>
    </message>
    <message>
        <source>Heads of the entries&apos; table</source>
        <translation>条目表的表头</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel filtering and sorting</source>
        <translation>取消筛选和排序</translation>
    </message>
    <message>
        <source>Leave the table as it is</source>
        <translation>保持表格不变</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Save the entries shown</source>
        <translation>保存显示的条目</translation>
    </message>
    <message>
        <source>Write the entries that the filter leaves as a tensor file</source>
        <translation>将筛选留下的条目写入张量文件</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Show all entries</source>
        <translation>显示所有条目</translation>
    </message>
    <message>
        <source>End filter and sorting</source>
        <translation>结束筛选和排序</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1 – %2 of %3</source>
        <translation>第 %1 – %2 个，共 %3 个</translation>
    </message>
    <message>
        <source>in the order they are stored in</source>
        <translation>按存储顺序</translation>
    </message>
    <message>
        <source>largest value first</source>
        <translation>最大值在前</translation>
    </message>
    <message>
        <source>smallest value first</source>
        <translation>最小值在前</translation>
    </message>
    <message>
        <source>by %1, Z to A</source>
        <translation>按 %1，Z 到 A</translation>
    </message>
    <message>
        <source>by %1, A to Z</source>
        <translation>按 %1，A 到 Z</translation>
    </message>
    <message>
        <source>by index of %1, last first</source>
        <translation>按 %1 的索引，从后到前</translation>
    </message>
    <message>
        <source>by index of %1</source>
        <translation>按 %1 的索引</translation>
    </message>
    <message>
        <source>Filtering…</source>
        <translation>正在筛选…</translation>
    </message>
    <message>
        <source>Filtering and sorting…</source>
        <translation>正在筛选和排序…</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>, %1 left</source>
        <translation>，剩余 %1</translation>
    </message>
    <message>
        <source>All %1 entries</source>
        <translation>全部 %1 个条目</translation>
    </message>
    <message>
        <source>%1 of %2 entries</source>
        <translation>%2 个条目中的 %1 个</translation>
    </message>
    <message>
        <source>%1
The positions of these entries take %2; the tensor is not copied.</source>
        <translation>%1
这些条目的位置占用 %2；张量没有被复制。</translation>
    </message>
    <message>
        <source>Entry, counted from 1 to %1:</source>
        <translation>条目，从 1 数到 %1：</translation>
    </message>
    <message>
        <source>Copy rows</source>
        <translation>复制行</translation>
    </message>
    <message>
        <source>Only %1 %2</source>
        <translation>仅 %1 %2</translation>
    </message>
    <message>
        <source>Only value %1</source>
        <translation>仅值 %1</translation>
    </message>
    <message>
        <source>Save these entries as…</source>
        <translation>将这些条目另存为…</translation>
    </message>
    <message>
        <source>1 entry</source>
        <translation>1 个条目</translation>
    </message>
    <message>
        <source>%1 entries</source>
        <translation>%1 个条目</translation>
    </message>
</context>
<context>
    <name>ui::EntryModel</name>
    <message>
        <source>index %1</source>
        <translation>索引 %1</translation>
    </message>
    <message>
        <source>value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Sort by value</source>
        <translation>按值排序</translation>
    </message>
    <message>
        <source>Sort by %1</source>
        <translation>按 %1 排序</translation>
    </message>
</context>
<context>
    <name>ui::ExportDialog</name>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>What to export</source>
        <translation>导出什么</translation>
    </message>
    <message>
        <source>As</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>%1 · tensor, %2</source>
        <translation>%1 · 张量，%2</translation>
    </message>
    <message>
        <source>Export to</source>
        <translation>导出到</translation>
    </message>
    <message>
        <source>Folder to make the new one in</source>
        <translation>在其中新建文件夹的位置</translation>
    </message>
    <message>
        <source>A name is missing.</source>
        <translation>缺少名称。</translation>
    </message>
    <message>
        <source>The folder %1 does not exist.</source>
        <translation>文件夹 %1 不存在。</translation>
    </message>
    <message>
        <source>There is a file of this name; a folder is needed.</source>
        <translation>已有同名文件；此处需要文件夹。</translation>
    </message>
    <message>
        <source>There is a folder of this name; a file is needed.</source>
        <translation>已有同名文件夹；此处需要文件。</translation>
    </message>
    <message>
        <source>The name has to end in %1.</source>
        <translation>名称必须以 %1 结尾。</translation>
    </message>
    <message>
        <source> or </source>
        <translation> 或 </translation>
    </message>
    <message>
        <source>The folder exists; files of the same names will be replaced once the new ones are complete.</source>
        <translation>该文件夹已存在；新文件完成后将替换同名文件。</translation>
    </message>
    <message>
        <source>The file exists and will be replaced once the new one is complete.</source>
        <translation>该文件已存在，新文件完成后将替换它。</translation>
    </message>
    <message>
        <source>All visible runs · %1</source>
        <translation>所有可见运行 · %1</translation>
    </message>
</context>
<context>
    <name>ui::FactorCoreView</name>
    <message>
        <source>Core</source>
        <translation>核</translation>
    </message>
    <message>
        <source>matrix</source>
        <translation>矩阵</translation>
    </message>
    <message>
        <source>down</source>
        <translation>纵向</translation>
    </message>
    <message>
        <source>across</source>
        <translation>横向</translation>
    </message>
    <message>
        <source>how columns of the modes go together; numbers as the model has them</source>
        <translation>各模态的列如何组合；数值与模型中的相同</translation>
    </message>
    <message>
        <source>Core the data ask for</source>
        <translation>数据要求的核</translation>
    </message>
    <message>
        <source>of the core consistency: ones where all numbers are the same, zeros elsewhere if they keep to CP</source>
        <translation>来自核一致性：若数据符合 CP，则所有编号相同处为 1，其余为 0</translation>
    </message>
    <message>
        <source>Core matrix of %1</source>
        <translation>%1 的核矩阵</translation>
    </message>
    <message>
        <source>column of the factor × term of the core; numbers as the model has them</source>
        <translation>因子的列 × 核的项；数值与模型中的相同</translation>
    </message>
    <message>
        <source>term</source>
        <translation>项</translation>
    </message>
    <message>
        <source>Slice of %1</source>
        <translation>%1 的切片</translation>
    </message>
    <message>
        <source>A CP model has no core: its components meet themselves alone. Compute the core consistency, above, to see the core that the data ask for.</source>
        <translation>CP 模型没有核：其分量只与自身相遇。请在上方计算核一致性，以查看数据要求的核。</translation>
    </message>
    <message>
        <source>The dense core of these ranks is too large to be formed.</source>
        <translation>这些秩的稠密核过大，无法生成。</translation>
    </message>
</context>
<context>
    <name>ui::FactorHeatView</name>
    <message>
        <source>Factor matrix</source>
        <translation>因子矩阵</translation>
    </message>
    <message>
        <source>mode</source>
        <translation>模态</translation>
    </message>
    <message>
        <source>Normalise</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>线性</translation>
    </message>
    <message>
        <source>Root</source>
        <translation>平方根</translation>
    </message>
    <message>
        <source>Columns of length 1 whose largest element is positive. Off: numbers as the model has them.</source>
        <translation>列的长度为 1，最大元素为正。关闭时：数值与模型中的相同。</translation>
    </message>
    <message>
        <source>Root: colours by the root of the magnitude, so that small elements are seen, too.</source>
        <translation>平方根：按绝对值的平方根着色，使小元素也可见。</translation>
    </message>
    <message>
        <source>colours</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Preparing the picture…</source>
        <translation>正在准备图片…</translation>
    </message>
    <message>
        <source>component</source>
        <translation>分量</translation>
    </message>
    <message>
        <source>column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Factor of %1</source>
        <translation>%1 的因子</translation>
    </message>
    <message>
        <source>%1 × %2 · a pixel shows the strongest it covers · wheel and drag, double-click for all</source>
        <translation>%1 × %2 · 每个像素显示其覆盖的最强元素 · 滚轮与拖动，双击显示全部</translation>
    </message>
</context>
<context>
    <name>ui::FactorSimilarityView</name>
    <message>
        <source>Similarity</source>
        <translation>相似度</translation>
    </message>
    <message>
        <source>of</source>
        <translation>属于</translation>
    </message>
    <message>
        <source>all modes</source>
        <translation>所有模态</translation>
    </message>
    <message>
        <source>component</source>
        <translation>分量</translation>
    </message>
    <message>
        <source>column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Congruence</source>
        <translation>同余系数</translation>
    </message>
    <message>
        <source>Cosine similarity in %1</source>
        <translation>%1 中的余弦相似度</translation>
    </message>
    <message>
        <source>product of the cosines over all modes, with the signs of the weights: 1 the same, −1 they cancel</source>
        <translation>所有模态余弦之积，带权重的符号：1 相同，−1 互相抵消</translation>
    </message>
    <message>
        <source>of the columns as the model has them: 1 the same direction, 0 at right angles, −1 opposite</source>
        <translation>模型中各列的：1 同向，0 垂直，−1 反向</translation>
    </message>
</context>
<context>
    <name>ui::FactorsPage</name>
    <message>
        <source>Its model can be seen when it has ended (Stop keeps the best one), and before that as soon as the run was kept, which happens every 30 seconds.</source>
        <translation>其模型在运行结束后可见（“停止”会保留最佳模型），或在此之前，运行一经保存即可见，每 30 秒保存一次。</translation>
    </message>
    <message>
        <source>%1 is paused. %2</source>
        <translation>%1 已暂停。%2</translation>
    </message>
    <message>
        <source>%1 still works. %2</source>
        <translation>%1 仍在工作。%2</translation>
    </message>
    <message>
        <source>%1 failed before it had a model: %2</source>
        <translation>%1 在产生模型之前失败：%2</translation>
    </message>
    <message>
        <source>%1 was stopped before it had a model. Start it again, or choose another run.</source>
        <translation>%1 在产生模型之前已停止。请重新开始，或选择另一个运行。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>分量</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>热图</translation>
    </message>
    <message>
        <source>Core</source>
        <translation>核</translation>
    </message>
    <message>
        <source>Similarity</source>
        <translation>相似度</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>No run yet. Choose its settings on the right and press Start run; its model is shown here.</source>
        <translation>还没有运行。请在右侧选择设置并按“开始运行”；其模型将显示在此处。</translation>
    </message>
    <message>
        <source>No run has a model yet. Choose a run on the left or above.</source>
        <translation>还没有运行有模型。请在左侧或上方选择一个运行。</translation>
    </message>
    <message>
        <source>Reading the factors of %1…</source>
        <translation>正在读取 %1 的因子…</translation>
    </message>
    <message>
        <source>Reading the model that was last kept of %1…</source>
        <translation>正在读取 %1 最近保存的模型…</translation>
    </message>
    <message>
        <source>The run still goes: its best model when it was last kept, of iteration %1.</source>
        <translation>运行仍在进行：显示的是最近保存时的最佳模型，第 %1 次迭代。</translation>
    </message>
    <message>
        <source>There is no model to show.</source>
        <translation>没有可显示的模型。</translation>
    </message>
</context>
<context>
    <name>ui::FileField</name>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
</context>
<context>
    <name>ui::FilterDialog</name>
    <message>
        <source>Filter entries of %1</source>
        <translation>筛选 %1 的条目</translation>
    </message>
    <message>
        <source>Smallest value</source>
        <translation>最小值</translation>
    </message>
    <message>
        <source>Largest value</source>
        <translation>最大值</translation>
    </message>
    <message>
        <source>to</source>
        <translation>至</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Only coordinates that occur more than once</source>
        <translation>仅出现多次的坐标</translation>
    </message>
    <message>
        <source>Each coordinate occurs once in this tensor</source>
        <translation>此张量中每个坐标只出现一次</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Indices of %1</source>
        <translation>%1 的索引</translation>
    </message>
    <message>
        <source>3; 7-9</source>
        <translation>3; 7-9</translation>
    </message>
    <message>
        <source>%1 to %2 occur</source>
        <translation>出现 %1 至 %2</translation>
    </message>
    <message>
        <source>any part of a label; #3; #7-9</source>
        <translation>标签的任意部分；#3；#7-9</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>ui::GenerateDialog</name>
    <message>
        <source>cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>a number from %1 to %2</source>
        <translation>从 %1 到 %2 的数</translation>
    </message>
    <message>
        <source>Sizes</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>2 to 16 sizes such as 1000, 800, 600</source>
        <translation>2 到 16 个大小，例如 1000, 800, 600</translation>
    </message>
    <message>
        <source>Generate a tensor</source>
        <translation>生成张量</translation>
    </message>
    <message>
        <source>My own</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>比例</translation>
    </message>
    <message>
        <source>Share of the preset&apos;s entries; the sizes stay</source>
        <translation>预设条目的份额；大小不变</translation>
    </message>
    <message>
        <source>One size per mode, 2 to 16 of them</source>
        <translation>每个模态一个大小，2 到 16 个</translation>
    </message>
    <message>
        <source>How many entries</source>
        <translation>条目数</translation>
    </message>
    <message>
        <source>FastTucker</source>
        <translation>FastTucker</translation>
    </message>
    <message>
        <source>CP</source>
        <translation>CP</translation>
    </message>
    <message>
        <source>Tucker</source>
        <translation>Tucker</translation>
    </message>
    <message>
        <source>Ground truth</source>
        <translation>真实模型</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>秩</translation>
    </message>
    <message>
        <source>Rank of the planted model</source>
        <translation>植入模型的秩</translation>
    </message>
    <message>
        <source>Core rank</source>
        <translation>核秩</translation>
    </message>
    <message>
        <source>FastTucker only</source>
        <translation>仅 FastTucker</translation>
    </message>
    <message>
        <source>Noise</source>
        <translation>噪声</translation>
    </message>
    <message>
        <source>Standard deviation, relative to that of the planted values</source>
        <translation>标准差，相对于植入值的标准差</translation>
    </message>
    <message>
        <source>Skew</source>
        <translation>偏斜</translation>
    </message>
    <message>
        <source>uniform, or zipf:1.0, or zipf:1.0:880</source>
        <translation>uniform、zipf:1.0 或 zipf:1.0:880</translation>
    </message>
    <message>
        <source>Round to ratings from 1 to 5</source>
        <translation>舍入为 1 到 5 的评分</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Same seed, same tensor</source>
        <translation>相同种子，相同张量</translation>
    </message>
    <message>
        <source>Generate</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>generated %1</source>
        <translation>生成的 %1</translation>
    </message>
    <message>
        <source>Entries</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>%1 entries, about %2 of memory.</source>
        <translation>%1 个条目，约占 %2 内存。</translation>
    </message>
</context>
<context>
    <name>ui::GuideWindow</name>
    <message>
        <source>Polyad: user guide</source>
        <translation>Polyad：用户指南</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>Guide</source>
        <translation>指南</translation>
    </message>
    <message>
        <source>Back (Alt+Left)</source>
        <translation>后退 (Alt+Left)</translation>
    </message>
    <message>
        <source>Find in the guide (Ctrl+F)</source>
        <translation>在指南中查找 (Ctrl+F)</translation>
    </message>
    <message>
        <source>Find in the guide</source>
        <translation>在指南中查找</translation>
    </message>
    <message>
        <source>Next place (F3)</source>
        <translation>下一处 (F3)</translation>
    </message>
    <message>
        <source>The guide is not where it was installed: %1</source>
        <translation>指南不在安装位置：%1</translation>
    </message>
</context>
<context>
    <name>ui::HeatMap</name>
    <message>
        <source>rows %1 to %2 of %3</source>
        <translation>第 %1 至 %2 行，共 %3 行</translation>
    </message>
    <message>
        <source> · strongest of %1 rows here</source>
        <translation> · 此处 %1 行中最强的</translation>
    </message>
</context>
<context>
    <name>ui::ImportModes</name>
    <message>
        <source>Click below a column&apos;s name to make it a mode. A tensor needs two or more.</source>
        <translation>点击列名下方可将该列设为模态。张量需要两个或更多模态。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Made from its</source>
        <translation>取自其</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Name of mode %1</source>
        <translation>模态 %1 的名称</translation>
    </message>
    <message>
        <source>How mode %1 is made</source>
        <translation>模态 %1 的生成方式</translation>
    </message>
    <message>
        <source>keep all</source>
        <translation>全部保留</translation>
    </message>
    <message>
        <source>top </source>
        <translation>前 </translation>
    </message>
    <message>
        <source>Most frequent texts of mode %1 that are kept</source>
        <translation>模态 %1 保留的最常见文本数</translation>
    </message>
    <message>
        <source>Keep the most frequent texts. The others become one.</source>
        <translation>保留最常见的文本。其余合并为一个。</translation>
    </message>
    <message>
        <source> min</source>
        <translation> 分钟</translation>
    </message>
    <message>
        <source> bins</source>
        <translation> 个区间</translation>
    </message>
    <message>
        <source>Minutes of a step of mode %1</source>
        <translation>模态 %1 每步的分钟数</translation>
    </message>
    <message>
        <source>Bins of mode %1</source>
        <translation>模态 %1 的区间数</translation>
    </message>
    <message>
        <source>Move mode %1 up</source>
        <translation>上移模态 %1</translation>
    </message>
    <message>
        <source>Remove mode %1</source>
        <translation>移除模态 %1</translation>
    </message>
    <message>
        <source>Time zone of mode %1</source>
        <translation>模态 %1 的时区</translation>
    </message>
    <message>
        <source>Convert times with an offset to one zone</source>
        <translation>将带时差的时间转换到同一时区</translation>
    </message>
    <message>
        <source>as written</source>
        <translation>保持原样</translation>
    </message>
</context>
<context>
    <name>ui::ImportPage</name>
    <message>
        <source>Looking at the file…</source>
        <translation>正在查看文件…</translation>
    </message>
    <message>
        <source>Format…</source>
        <translation>格式…</translation>
    </message>
    <message>
        <source>How the table is written: separator, decimal sign, encoding</source>
        <translation>表格的写法：分隔符、小数点符号、编码</translation>
    </message>
    <message>
        <source>Load recipe…</source>
        <translation>加载方案…</translation>
    </message>
    <message>
        <source>Use choices that were saved before</source>
        <translation>使用以前保存的选择</translation>
    </message>
    <message>
        <source>Save recipe…</source>
        <translation>保存方案…</translation>
    </message>
    <message>
        <source>Keep these choices for the next table of this kind</source>
        <translation>保存这些选择，供下一个同类表格使用</translation>
    </message>
    <message>
        <source>Skip such rows</source>
        <translation>跳过此类行</translation>
    </message>
    <message>
        <source>First rows of the table</source>
        <translation>表格的前几行</translation>
    </message>
    <message>
        <source>Space chooses what becomes of a column.</source>
        <translation>按空格键选择如何使用一列。</translation>
    </message>
    <message>
        <source>Modes</source>
        <translation>模态</translation>
    </message>
    <message>
        <source>Values and rows</source>
        <translation>值和行</translation>
    </message>
    <message>
        <source>Counting</source>
        <translation>正在计数</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>Read the whole file to know the sizes. Open does so, too.</source>
        <translation>读取整个文件以得知大小。“打开”也会这样做。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>%1 of the cells</source>
        <translation>占单元的 %1</translation>
    </message>
    <message>
        <source>Stop counting</source>
        <translation>停止计数</translation>
    </message>
    <message>
        <source>The file is large. Count reads it, and so does Open.</source>
        <translation>文件很大。“计数”会读取它，“打开”也会。</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>正在计数…</translation>
    </message>
    <message>
        <source>Counting, %1 left</source>
        <translation>正在计数，剩余 %1</translation>
    </message>
    <message>
        <source>Mode: %1</source>
        <translation>模态：%1</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Unused</source>
        <translation>未使用</translation>
    </message>
    <message>
        <source>Add another mode from this column</source>
        <translation>从此列再添加一个模态</translation>
    </message>
    <message>
        <source>Load a recipe</source>
        <translation>加载方案</translation>
    </message>
    <message>
        <source>Recipes (*.json);;All files (*)</source>
        <translation>方案 (*.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Save this recipe</source>
        <translation>保存此方案</translation>
    </message>
    <message>
        <source>Recipes (*.json)</source>
        <translation>方案 (*.json)</translation>
    </message>
    <message>
        <source>Sheet or table</source>
        <translation>工作表或数据表</translation>
    </message>
    <message>
        <source>The sheet or table of this file that is imported</source>
        <translation>要导入的此文件中的工作表或数据表</translation>
    </message>
    <message>
        <source>Choose a table</source>
        <translation>选择一个表</translation>
    </message>
    <message>
        <source>This file holds several tables. Choose one.</source>
        <translation>此文件包含多个表。请选择一个。</translation>
    </message>
    <message>
        <source>entries: %1</source>
        <translation>条目：%1</translation>
    </message>
    <message>
        <source>rows merged: %1</source>
        <translation>合并的行：%1</translation>
    </message>
</context>
<context>
    <name>ui::ImportRows</name>
    <message>
        <source>Change the values…</source>
        <translation>更改值…</translation>
    </message>
    <message>
        <source>Keep only some rows…</source>
        <translation>仅保留部分行…</translation>
    </message>
    <message>
        <source>Skip rows that cannot be read</source>
        <translation>跳过无法读取的行</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Rows of one cell</source>
        <translation>同一单元的行</translation>
    </message>
    <message>
        <source>none: count rows</source>
        <translation>无：计算行数</translation>
    </message>
    <message>
        <source>Column of filter %1</source>
        <translation>筛选 %1 的列</translation>
    </message>
    <message>
        <source>Test of filter %1</source>
        <translation>筛选 %1 的条件</translation>
    </message>
    <message>
        <source>Value of filter %1</source>
        <translation>筛选 %1 的值</translation>
    </message>
    <message>
        <source>number, date or text</source>
        <translation>数、日期或文本</translation>
    </message>
    <message>
        <source>Remove filter %1</source>
        <translation>移除筛选 %1</translation>
    </message>
    <message>
        <source>Change %1 of the values</source>
        <translation>值的更改 %1</translation>
    </message>
    <message>
        <source>Remove change %1</source>
        <translation>移除更改 %1</translation>
    </message>
    <message>
        <source>Divisor</source>
        <translation>除数</translation>
    </message>
    <message>
        <source>standard deviation</source>
        <translation>标准差</translation>
    </message>
    <message>
        <source>Mode whose means are subtracted</source>
        <translation>要减去均值的模态</translation>
    </message>
    <message>
        <source>Smallest value</source>
        <translation>最小值</translation>
    </message>
    <message>
        <source>to</source>
        <translation>至</translation>
    </message>
    <message>
        <source>Largest value</source>
        <translation>最大值</translation>
    </message>
</context>
<context>
    <name>ui::IndexField</name>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Index of %1</source>
        <translation>%1 的索引</translation>
    </message>
    <message>
        <source>1 to %1</source>
        <translation>1 至 %1</translation>
    </message>
    <message>
        <source>any</source>
        <translation>任意</translation>
    </message>
    <message>
        <source>Any %1</source>
        <translation>任意 %1</translation>
    </message>
    <message>
        <source>List the best predictions along %1</source>
        <translation>列出沿 %1 的最佳预测</translation>
    </message>
    <message>
        <source>Labels that hold the text</source>
        <translation>含有该文字的标签</translation>
    </message>
    <message>
        <source>the best of all %1</source>
        <translation>所有 %1 中最佳的</translation>
    </message>
    <message>
        <source>write 1 to %1</source>
        <translation>请输入 1 至 %1</translation>
    </message>
    <message>
        <source>no such label · 1 to %1</source>
        <translation>没有此标签 · 1 至 %1</translation>
    </message>
    <message>
        <source>several labels hold this: choose one</source>
        <translation>多个标签含有此文字：请选择一个</translation>
    </message>
    <message>
        <source>1 to %1%2</source>
        <translation>1 至 %1%2</translation>
    </message>
    <message>
        <source>, or a label</source>
        <translation>，或标签</translation>
    </message>
    <message>
        <source>index %1 of %2</source>
        <translation>索引 %1，共 %2</translation>
    </message>
    <message>
        <source>label or #index</source>
        <translation>标签或 #索引</translation>
    </message>
    <message>
        <source>label, index %1 · #%2 is index %2</source>
        <translation>标签，索引 %1 · #%2 为索引 %2</translation>
    </message>
    <message>
        <source>no such label · #1 to #%1</source>
        <translation>没有此标签 · #1 至 #%1</translation>
    </message>
</context>
<context>
    <name>ui::LogPanel</name>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>警告和错误</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Levels shown</source>
        <translation>显示的级别</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter the log</source>
        <translation>筛选日志</translation>
    </message>
</context>
<context>
    <name>ui::MainWindow</name>
    <message>
        <source>Polyad</source>
        <translation>Polyad</translation>
    </message>
    <message>
        <source>&amp;Log</source>
        <translation>日志(&amp;L)</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Convergence</source>
        <translation>收敛</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Factors</source>
        <translation>因子</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Opened %1</source>
        <translation>已打开 %1</translation>
    </message>
    <message>
        <source>Loading %1</source>
        <translation>正在加载 %1</translation>
    </message>
    <message>
        <source>Not opened</source>
        <translation>未打开</translation>
    </message>
    <message>
        <source>Cancelled %1</source>
        <translation>已取消 %1</translation>
    </message>
    <message>
        <source>%1 %2: best %3 in iteration %4</source>
        <translation>%1 %2：最佳 %3，第 %4 次迭代</translation>
    </message>
    <message>
        <source>Wrote %1</source>
        <translation>已写入 %1</translation>
    </message>
    <message>
        <source>Not written</source>
        <translation>未写入</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>已复制：%1</translation>
    </message>
    <message>
        <source>Command of %1 copied</source>
        <translation>已复制 %1 的命令</translation>
    </message>
    <message>
        <source>CPU use</source>
        <translation>CPU 使用率</translation>
    </message>
    <message>
        <source>GPU busy</source>
        <translation>GPU 忙碌</translation>
    </message>
    <message>
        <source>SM</source>
        <translation>SM</translation>
    </message>
    <message>
        <source> · DRAM %1</source>
        <translation> · DRAM %1</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>%1 · %2 / %3</source>
        <translation>%1 · %2 / %3</translation>
    </message>
    <message>
        <source>iteration %1 / %2</source>
        <translation>第 %1 / %2 次迭代</translation>
    </message>
    <message>
        <source>%1 elapsed</source>
        <translation>已用时 %1</translation>
    </message>
    <message>
        <source> · %1 left</source>
        <translation> · 剩余 %1</translation>
    </message>
    <message>
        <source>Polyad sessions (%1)</source>
        <translation>Polyad 会话 (%1)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Writing %1</source>
        <translation>正在写入 %1</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Stop writing %1; nothing is left of it.</source>
        <translation>停止写入 %1；不会留下任何内容。</translation>
    </message>
    <message>
        <source>Queued %1</source>
        <translation>已排队 %1</translation>
    </message>
    <message>
        <source>Started %1</source>
        <translation>已开始 %1</translation>
    </message>
    <message>
        <source>Resumed %1</source>
        <translation>已继续 %1</translation>
    </message>
    <message>
        <source>Paused %1</source>
        <translation>已暂停 %1</translation>
    </message>
    <message>
        <source>Stopping %1; its best model is kept</source>
        <translation>正在停止 %1；保留其最佳模型</translation>
    </message>
    <message>
        <source>Remove run</source>
        <translation>移除运行</translation>
    </message>
    <message>
        <source>Stop and remove</source>
        <translation>停止并移除</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Command copied</source>
        <translation>命令已复制</translation>
    </message>
    <message>
        <source>Close Polyad</source>
        <translation>关闭 Polyad</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>停止并关闭</translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation>继续运行</translation>
    </message>
    <message>
        <source>The run of %1 on %2 was interrupted: iteration %3 of %4 is kept.</source>
        <translation>%1 在 %2 上的运行被中断：已保留第 %3 次迭代，共 %4 次。</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>About Polyad</source>
        <translation>关于 Polyad</translation>
    </message>
    <message>
        <source>A workbench for sparse tensor decomposition.

%1
%2
Free software under the GNU General Public License, version 3 or later.</source>
        <translation>稀疏张量分解工作台。

%1
%2
依据 GNU 通用公共许可证第 3 版或更高版本发布的自由软件。</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>New run</source>
        <translation>新运行</translation>
    </message>
    <message>
        <source>session: %1</source>
        <translation>会话：%1</translation>
    </message>
    <message>
        <source>%1; a click on a run&apos;s square shows it in the charts</source>
        <translation>%1；点击运行的方块可在图表中显示它</translation>
    </message>
    <message>
        <source>Remove %1 with their models?</source>
        <translation>要移除 %1 及其模型吗？</translation>
    </message>
    <message>
        <source>Remove runs</source>
        <translation>移除运行</translation>
    </message>
    <message>
        <source>Of these %1 have not ended; they are stopped.</source>
        <translation>其中 %1 尚未结束；它们将被停止。</translation>
    </message>
    <message>
        <source>Remove them</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Keep them</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Removed %1</source>
        <translation>已移除 %1</translation>
    </message>
    <message>
        <source>The words change with the next start of Polyad.</source>
        <translation>下次启动 Polyad 时切换语言。</translation>
    </message>
    <message>
        <source>%1
%2 of %3 bytes</source>
        <translation>%1
%3 字节中的 %2 字节</translation>
    </message>
    <message>
        <source>%1 is back</source>
        <translation>%1 已恢复</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Note on %1</source>
        <translation>%1 的备注</translation>
    </message>
    <message>
        <source>Continued %1</source>
        <translation>已继续 %1</translation>
    </message>
    <message>
        <source>Removed %1; Undo brings it back</source>
        <translation>已移除 %1；“撤销”可将其恢复</translation>
    </message>
    <message>
        <source>%1 is still working. Stop and remove it?</source>
        <translation>%1 仍在运行。要停止并移除它吗？</translation>
    </message>
    <message>
        <source>Undo brings it back as it stopped.</source>
        <translation>“撤销”可将其恢复到停止时的状态。</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1（位于 %2）</translation>
    </message>
    <message>
        <source>%1 shown in the charts</source>
        <translation>%1已在图中显示</translation>
    </message>
    <message>
        <source>%1 hidden in the charts</source>
        <translation>%1已在图中隐藏</translation>
    </message>
    <message>
        <source>Find it…</source>
        <translation>查找…</translation>
    </message>
    <message>
        <source>%1. Its runs have their curves and models.</source>
        <translation>%1。其运行仍保有曲线和模型。</translation>
    </message>
    <message>
        <source>Where is %1 now?</source>
        <translation>%1 现在在哪里？</translation>
    </message>
    <message>
        <source>Choose a run first.</source>
        <translation>请先选择一个运行。</translation>
    </message>
    <message>
        <source>Tensors (%1)</source>
        <translation>张量 (%1)</translation>
    </message>
    <message>
        <source>Add new data to %1</source>
        <translation>向 %1 加入新数据</translation>
    </message>
    <message>
        <source>Add it all the same</source>
        <translation>仍然添加</translation>
    </message>
    <message>
        <source>Nothing added to %1</source>
        <translation>未向 %1 添加任何内容</translation>
    </message>
    <message>
        <source>A folder is watched already: end that first.</source>
        <translation>已在监视一个文件夹：请先结束它。</translation>
    </message>
    <message>
        <source>No single command repeats a run that has learnt files.</source>
        <translation>没有单个命令可以重复学习过文件的运行。</translation>
    </message>
    <message>
        <source>Open all files that %1 has learnt: %2</source>
        <translation>打开 %1 学习过的所有文件：%2</translation>
    </message>
    <message>
        <source>Pass over all entries</source>
        <translation>遍历全部条目</translation>
    </message>
    <message>
        <source>%1: passes over all entries follow when %2 is learnt.</source>
        <translation>%1：学习完 %2 后将遍历全部条目。</translation>
    </message>
    <message>
        <source>All tensors</source>
        <translation>所有张量</translation>
    </message>
    <message>
        <source>Show the runs of all tensors, not only those of the chosen one</source>
        <translation>显示所有张量的运行，而不仅是所选张量的</translation>
    </message>
    <message>
        <source>Drop files to open them</source>
        <translation>拖放文件到此处以打开</translation>
    </message>
    <message>
        <source>All that can be opened (%1)</source>
        <translation>所有可打开的文件 (%1)</translation>
    </message>
    <message>
        <source>Open tensors, tables or a session</source>
        <translation>打开张量、表格或会话</translation>
    </message>
    <message>
        <source>Closed %1; Undo brings it back</source>
        <translation>已关闭 %1；“撤销”可恢复</translation>
    </message>
    <message>
        <source>%1 is open already</source>
        <translation>%1 已经打开</translation>
    </message>
    <message>
        <source>%1 has changed since it was opened. It is opened anew.</source>
        <translation>%1 在打开后已更改。正在重新打开。</translation>
    </message>
    <message>
        <source>The next start offers them again. You can resume them, or restore them and export their models. A run without a finished iteration keeps its settings alone.</source>
        <translation>下次启动时会再次提供它们。您可以继续运行，或恢复它们并导出其模型。没有完成任何迭代的运行仅保留其设置。</translation>
    </message>
    <message>
        <source>There is no folder to keep them in. Save the session, or export the models, to keep them.</source>
        <translation>没有可以保存它们的文件夹。要保留它们，请保存会话或导出模型。</translation>
    </message>
    <message>
        <source>A run that is learning new data stays as it was. Add the file again after the next start.</source>
        <translation>正在学习新数据的运行保持原样。请在下次启动后重新添加该文件。</translation>
    </message>
    <message>
        <source>Stopping the runs and keeping what they have</source>
        <translation>正在停止运行并保留已有结果</translation>
    </message>
    <message>
        <source>Runs still working: %1. Stop them and close?</source>
        <translation>仍在进行的运行：%1。停止它们并关闭？</translation>
    </message>
    <message>
        <source>New data is still being added to a run. Close without it?</source>
        <translation>仍在向一个运行添加新数据。放弃该数据并关闭？</translation>
    </message>
    <message>
        <source>Save %1: %2</source>
        <translation>保存 %1：%2</translation>
    </message>
    <message>
        <source>picture chart export write</source>
        <translation>图片 图表 导出 写入</translation>
    </message>
    <message>
        <source>Tables (%1)</source>
        <translation>表格 (%1)</translation>
    </message>
    <message>
        <source>Import a table</source>
        <translation>导入表格</translation>
    </message>
    <message>
        <source>Choose what becomes of the columns</source>
        <translation>选择如何使用各列</translation>
    </message>
    <message>
        <source>Change import…</source>
        <translation>更改导入…</translation>
    </message>
</context>
<context>
    <name>ui::MessageBar</name>
    <message>
        <source>Dismiss this message</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>ui::ModeRow</name>
    <message>
        <source>Mode %1, %2 indices</source>
        <translation>模态 %1，%2 个索引</translation>
    </message>
    <message>
        <source>Name of the mode</source>
        <translation>模态的名称</translation>
    </message>
</context>
<context>
    <name>ui::ParameterEditor</name>
    <message>
        <source>
From %1 to %2.</source>
        <translation>
从 %1 到 %2。</translation>
    </message>
    <message>
        <source>
On the command line: --param %1=…</source>
        <translation>
命令行：--param %1=…</translation>
    </message>
    <message>
        <source>
Unless you change it: %1.</source>
        <translation>
若不更改：%1。</translation>
    </message>
</context>
<context>
    <name>ui::PointChart</name>
    <message>
        <source>Left and right step from run to run.</source>
        <translation>左右键在运行之间移动。</translation>
    </message>
</context>
<context>
    <name>ui::PredictEntryView</name>
    <message>
        <source>Entry</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>预测值</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>最佳</translation>
    </message>
    <message>
        <source>Best predictions along the open mode</source>
        <translation>沿开放模态的最佳预测</translation>
    </message>
    <message>
        <source>How many</source>
        <translation>多少个</translation>
    </message>
    <message>
        <source>Leave out observed entries</source>
        <translation>不含已观测条目</translation>
    </message>
    <message>
        <source>Lists only what the tensor has no entry for, as recommendations want it.</source>
        <translation>只列出张量中没有的条目，适合推荐。</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the list as CSV</source>
        <translation>将列表复制为 CSV</translation>
    </message>
    <message>
        <source>how many</source>
        <translation>多少个</translation>
    </message>
    <message>
        <source>Fill in the other modes.</source>
        <translation>请填写其他模态。</translation>
    </message>
    <message>
        <source>Fill in every mode.</source>
        <translation>请填写每个模态。</translation>
    </message>
    <message>
        <source>observed</source>
        <translation>观测值</translation>
    </message>
    <message>
        <source>test entry</source>
        <translation>测试条目</translation>
    </message>
    <message>
        <source>training entry</source>
        <translation>训练条目</translation>
    </message>
    <message>
        <source>residual</source>
        <translation>残差</translation>
    </message>
    <message>
        <source>observed − prediction</source>
        <translation>观测值 − 预测值</translation>
    </message>
    <message>
        <source>This cell has %1 entries.</source>
        <translation>此单元有 %1 个条目。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>counts as 0 for this run</source>
        <translation>对此运行计为 0</translation>
    </message>
    <message>
        <source>0 − prediction</source>
        <translation>0 − 预测值</translation>
    </message>
    <message>
        <source>the tensor has no such entry</source>
        <translation>张量中没有此条目</translation>
    </message>
    <message>
        <source>This run fits all cells: one that is held out for testing counted as 0 in training.</source>
        <translation>此运行拟合所有单元：留作测试的单元在训练中计为 0。</translation>
    </message>
    <message>
        <source>typical error</source>
        <translation>典型误差</translation>
    </message>
    <message>
        <source>RMSE of the test entries</source>
        <translation>测试条目的 RMSE</translation>
    </message>
    <message>
        <source>RMSE of the training entries</source>
        <translation>训练条目的 RMSE</translation>
    </message>
    <message>
        <source>Best along %1</source>
        <translation>沿 %1 的最佳</translation>
    </message>
    <message>
        <source>double-click puts one into the field</source>
        <translation>双击可填入字段</translation>
    </message>
    <message>
        <source>index</source>
        <translation>索引</translation>
    </message>
    <message>
        <source>prediction</source>
        <translation>预测值</translation>
    </message>
    <message>
        <source>part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>All of this mode&apos;s indices are observed.</source>
        <translation>此模态的所有索引均已观测。</translation>
    </message>
    <message>
        <source>RMSE of the newest entries</source>
        <translation>最新条目的 RMSE</translation>
    </message>
    <message>
        <source>a label or an index for each mode, or any for one of them; #9 is always index 9</source>
        <translation>每个模态的标签或索引，或其中一个选任意；#9 始终是索引 9</translation>
    </message>
</context>
<context>
    <name>ui::PredictFileView</name>
    <message>
        <source>A file of entries</source>
        <translation>条目文件</translation>
    </message>
    <message>
        <source>a text file, an entry a line</source>
        <translation>文本文件，每行一个条目</translation>
    </message>
    <message>
        <source>a text file, an entry a line, or a table</source>
        <translation>文本文件（每行一个条目）或表格</translation>
    </message>
    <message>
        <source>You can also choose a table with the columns of %1. The predictions become its last column, in a CSV file.</source>
        <translation>也可以选择具有 %1 各列的表格。预测值成为其最后一列，写入 CSV 文件。</translation>
    </message>
    <message>
        <source>where the predictions go</source>
        <translation>预测的保存位置</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose the file of entries</source>
        <translation>选择条目文件</translation>
    </message>
    <message>
        <source>Choose the file of predictions</source>
        <translation>选择预测文件</translation>
    </message>
    <message>
        <source>Predict</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Progress of the predictions</source>
        <translation>预测进度</translation>
    </message>
    <message>
        <source>Entries</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>Predictions</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Wrote %1 · predictions: %2</source>
        <translation>已写入 %1 · 预测数：%2</translation>
    </message>
    <message>
        <source>Cancelled; nothing was written.</source>
        <translation>已取消；没有写入任何内容。</translation>
    </message>
    <message>
        <source>Entries to predict</source>
        <translation>要预测的条目</translation>
    </message>
    <message>
        <source>Text (*.txt *.csv *.tns);;All files (*)</source>
        <translation>文本 (*.txt *.csv *.tns);;所有文件 (*)</translation>
    </message>
    <message>
        <source>%1 · %2 left</source>
        <translation>%1 · 剩余 %2</translation>
    </message>
    <message>
        <source>Choose a file of entries and a name for the predictions.</source>
        <translation>请选择条目文件和预测文件名。</translation>
    </message>
    <message>
        <source>Each line is an entry: a label or an index for each mode, separated by blanks, tabs or commas. A label wins over an index, and #9 is always index 9. Labels that hold blanks or commas need double quotes. Indices count as in the tensor&apos;s own file, or from 1. A value at the end of a line is ignored. For example:
%1</source>
        <translation>每行是一个条目：每个模态的标签或索引，以空格、制表符或逗号分隔。标签优先于索引，#9 始终是索引 9。含有空格或逗号的标签需要加双引号。索引的起始与张量自身的文件相同，否则从 1 开始。行末的值会被忽略。例如：
%1</translation>
    </message>
</context>
<context>
    <name>ui::PredictPage</name>
    <message>
        <source>Run to ask</source>
        <translation>要询问的运行</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Entry</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Residuals</source>
        <translation>残差</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source> · no model</source>
        <translation> · 没有模型</translation>
    </message>
    <message>
        <source>%1 · %2
%3</source>
        <translation>%1 · %2
%3</translation>
    </message>
    <message>
        <source>No run yet. Choose its settings on the right and press Start run; its model is asked here.</source>
        <translation>还没有运行。请在右侧选择设置并按“开始运行”；在此处询问其模型。</translation>
    </message>
    <message>
        <source>%1 failed and left no model. %2</source>
        <translation>%1 失败，没有留下模型。%2</translation>
    </message>
    <message>
        <source>%1 has no model yet. It can be asked when it ends; a stop keeps the best model so far.</source>
        <translation>%1 还没有模型。运行结束后即可询问；停止会保留目前最佳的模型。</translation>
    </message>
    <message>
        <source>%1 was stopped before its first iteration and left no model.</source>
        <translation>%1 在第一次迭代之前已停止，没有留下模型。</translation>
    </message>
    <message>
        <source>%1 is not open; what was observed is in it.</source>
        <translation>%1 未打开；观测值在其中。</translation>
    </message>
    <message>
        <source>Reading the test file …</source>
        <translation>正在读取测试文件 …</translation>
    </message>
    <message>
        <source>iteration %1 · %2</source>
        <translation>第 %1 次迭代 · %2</translation>
    </message>
    <message>
        <source>%1 is closed, its run keeps it · %2</source>
        <translation>%1 已关闭，其运行仍保留它 · %2</translation>
    </message>
    <message>
        <source>Entries of a run that has learnt files are not kept.</source>
        <translation>学习过文件的运行不保留条目。</translation>
    </message>
</context>
<context>
    <name>ui::ResidualView</name>
    <message>
        <source>Cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>Entries shown</source>
        <translation>显示的条目</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>两者</translation>
    </message>
    <message>
        <source>Slices of</source>
        <translation>切片属于</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>slices of</source>
        <translation>切片属于</translation>
    </message>
    <message>
        <source>Progress of the residuals</source>
        <translation>残差计算进度</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Compute again</source>
        <translation>重新计算</translation>
    </message>
    <message>
        <source>Residuals</source>
        <translation>残差</translation>
    </message>
    <message>
        <source>Histogram of the residuals, training and test entries</source>
        <translation>残差直方图，测试与训练条目</translation>
    </message>
    <message>
        <source>Residuals by slice</source>
        <translation>按切片的残差</translation>
    </message>
    <message>
        <source>RMSE and mean residual of every slice of the chosen mode</source>
        <translation>所选模态每个切片的 RMSE 和平均残差</translation>
    </message>
    <message>
        <source>Worst entries</source>
        <translation>最差的条目</translation>
    </message>
    <message>
        <source>Worst slices</source>
        <translation>最差的切片</translation>
    </message>
    <message>
        <source>No entries.</source>
        <translation>没有条目。</translation>
    </message>
    <message>
        <source>Nothing was held out for testing.</source>
        <translation>没有留出任何测试条目。</translation>
    </message>
    <message>
        <source>Computing residuals …</source>
        <translation>正在计算残差 …</translation>
    </message>
    <message>
        <source>Computing residuals · %1 left</source>
        <translation>正在计算残差 · 剩余 %1</translation>
    </message>
    <message>
        <source>train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>share</source>
        <translation>份额</translation>
    </message>
    <message>
        <source>observed − prediction</source>
        <translation>观测值 − 预测值</translation>
    </message>
    <message>
        <source> · dashed: train</source>
        <translation> · 虚线：训练</translation>
    </message>
    <message>
        <source> · beyond: %1</source>
        <translation> · 超出：%1</translation>
    </message>
    <message>
        <source>double-click shows one</source>
        <translation>双击可显示</translation>
    </message>
    <message>
        <source>%1 entries · RMSE %2 · mean %3</source>
        <translation>%1 个条目 · RMSE %2 · 均值 %3</translation>
    </message>
    <message>
        <source> · not a number: %1</source>
        <translation> · 不是数：%1</translation>
    </message>
    <message>
        <source>%1 · dashed: mean</source>
        <translation>%1 · 虚线：均值</translation>
    </message>
    <message>
        <source>RMSE</source>
        <translation>RMSE</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1，共 %2</translation>
    </message>
</context>
<context>
    <name>ui::RunEdits</name>
    <message>
        <source>renaming %1</source>
        <translation>重命名 %1</translation>
    </message>
    <message>
        <source>the note on %1</source>
        <translation>%1 的备注</translation>
    </message>
    <message>
        <source>the colour of %1</source>
        <translation>%1 的颜色</translation>
    </message>
    <message>
        <source>naming component %1</source>
        <translation>命名分量 %1</translation>
    </message>
    <message>
        <source>removing %1</source>
        <translation>移除 %1</translation>
    </message>
    <message>
        <source>closing %1</source>
        <translation>关闭 %1</translation>
    </message>
</context>
<context>
    <name>ui::RunForm</name>
    <message>
        <source>New run</source>
        <translation>新运行</translation>
    </message>
    <message>
        <source>Open or generate a tensor to choose algorithm, format, rank and precision for it.</source>
        <translation>打开或生成一个张量，以便为其选择算法、格式、秩和精度。</translation>
    </message>
    <message>
        <source>as J</source>
        <translation>同 J</translation>
    </message>
    <message>
        <source>Its own</source>
        <translation>自带</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>This build holds no algorithm.</source>
        <translation>此版本不含任何算法。</translation>
    </message>
    <message>
        <source>This may not fit into the memory that is free.</source>
        <translation>空闲内存可能不足。</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Rank of the core matrices; empty: the largest rank</source>
        <translation>核矩阵的秩；留空：最大的秩</translation>
    </message>
    <message>
        <source>Share of the entries held out for testing, in percent; 0: none</source>
        <translation>留作测试的条目份额，以百分比表示；0：无</translation>
    </message>
    <message>
        <source>This tensor brings its own test part: the run is tested on it, or on nothing.</source>
        <translation>此张量自带测试部分：运行在其上测试，或不测试。</translation>
    </message>
    <message>
        <source>Same seed, same split and same start</source>
        <translation>相同种子，相同划分，相同起点</translation>
    </message>
    <message>
        <source>The run ends after so many at the latest</source>
        <translation>运行最多在这么多次迭代后结束</translation>
    </message>
    <message>
        <source>So many iterations in a row below that gain end the run</source>
        <translation>连续这么多次迭代增益低于该值时结束运行</translation>
    </message>
    <message>
        <source>Same numbers every time (slower)</source>
        <translation>每次数值相同（较慢）</translation>
    </message>
    <message>
        <source>Algorithm</source>
        <translation>算法</translation>
    </message>
    <message>
        <source>Settings of</source>
        <translation>设置来源</translation>
    </message>
    <message>
        <source>Variant</source>
        <translation>变体</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Core rank R</source>
        <translation>核秩 R</translation>
    </message>
    <message>
        <source>Test split</source>
        <translation>测试划分</translation>
    </message>
    <message>
        <source>Test part</source>
        <translation>测试部分</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>迭代次数</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Model to start from</source>
        <translation>起始模型</translation>
    </message>
    <message>
        <source>Models (*.h5 *.hdf5 *.ktensor);;All files (*)</source>
        <translation>模型 (*.h5 *.hdf5 *.ktensor);;所有文件 (*)</translation>
    </message>
    <message>
        <source>A CP model of this tensor&apos;s shape and this rank</source>
        <translation>与此张量形状和此秩相符的 CP 模型</translation>
    </message>
    <message>
        <source>Start model</source>
        <translation>起始模型</translation>
    </message>
    <message>
        <source>Patience</source>
        <translation>耐心</translation>
    </message>
    <message>
        <source>Measured: going by the last such run. A guess: by what the device usually does.</source>
        <translation>实测：依据上一次此类运行。估计：依据设备通常的表现。</translation>
    </message>
    <message>
        <source>Start run</source>
        <translation>开始运行</translation>
    </message>
    <message>
        <source>Runs now, or next where its device is at work</source>
        <translation>立即运行；若其设备正忙，则排在下一个</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>Runs when all that waits already is done, and not while the queue is paused</source>
        <translation>等所有已在等待的运行完成后运行，队列暂停期间不运行</translation>
    </message>
    <message>
        <source>Sweep…</source>
        <translation>扫描…</translation>
    </message>
    <message>
        <source>Lists or ranges for any field: a run for each combination</source>
        <translation>任意字段的列表或范围：每种组合一个运行</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>Copy as command: the polyad-cli line that makes this run</source>
        <translation>复制为命令：进行此运行的 polyad-cli 命令行</translation>
    </message>
    <message>
        <source>looking for GPUs…</source>
        <translation>正在查找 GPU…</translation>
    </message>
    <message>
        <source>The driver has not answered yet.</source>
        <translation>驱动程序尚未应答。</translation>
    </message>
    <message>
        <source>Where the run computes</source>
        <translation>运行在何处计算</translation>
    </message>
    <message>
        <source>Defaults</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Rank R</source>
        <translation>秩 R</translation>
    </message>
    <message>
        <source>Rank J</source>
        <translation>秩 J</translation>
    </message>
    <message>
        <source>So many rank-one terms: one number</source>
        <translation>这么多个秩一项：一个数</translation>
    </message>
    <message>
        <source>One rank for all modes, or one per mode: 16, 16, 8</source>
        <translation>所有模态一个秩，或每个模态一个：16, 16, 8</translation>
    </message>
    <message>
        <source>Stop when Δ fit &lt;</source>
        <translation>当 Δ 拟合度 &lt; 时停止</translation>
    </message>
    <message>
        <source>Stop when Δ RMSE &lt;</source>
        <translation>当 Δ RMSE &lt; 时停止</translation>
    </message>
    <message>
        <source>Gain of the fit; 0: never stop early</source>
        <translation>拟合度的增益；0：从不提前停止</translation>
    </message>
    <message>
        <source>Relative gain of the watched RMSE; 0: never stop early</source>
        <translation>所监视 RMSE 的相对增益；0：从不提前停止</translation>
    </message>
    <message>
        <source>How the model is found. The FastTucker family learns from the entries there are; CP-ALS fits all cells, those without an entry as zeros.</source>
        <translation>模型的求解方式。FastTucker 系列从已有条目中学习；CP-ALS 拟合所有单元，没有条目的单元视为零。</translation>
    </message>
    <message>
        <source>Parameters as a paper has them, or the defaults, which are measured by the data.</source>
        <translation>采用论文中的参数，或由数据测定的默认值。</translation>
    </message>
    <message>
        <source>Another way to compute the same steps. The first one is the fastest for most tensors.</source>
        <translation>计算相同步骤的另一种方式。第一种对大多数张量最快。</translation>
    </message>
    <message>
        <source>How the entries lie in memory while the run works. The page Data tells what each one takes.</source>
        <translation>运行期间条目在内存中的布局。“数据”页面说明每种格式所需的内存。</translation>
    </message>
    <message>
        <source>What products are rounded to; rows and sums stay in single (double) precision. Chosen for you until you choose.</source>
        <translation>乘积舍入到的精度；行与求和保持单（双）精度。在您选择之前自动选择。</translation>
    </message>
    <message>
        <source>How much the model can express: columns of every factor. One number, or one per mode. Twice the rank takes about twice the time and memory.</source>
        <translation>模型的表达能力：每个因子的列数。一个数，或每个模态一个。秩加倍，时间和内存约加倍。</translation>
    </message>
    <message>
        <source>Columns of the core matrices of a FastTucker model; empty: the largest rank.</source>
        <translation>FastTucker 模型核矩阵的列数；留空：最大的秩。</translation>
    </message>
    <message>
        <source>Share of the entries that the run never learns from. The test errors are measured on them: they tell how well the model knows what it has not seen.</source>
        <translation>运行从不学习的条目份额。测试误差在其上测量：它说明模型对未见过的内容了解多少。</translation>
    </message>
    <message>
        <source>Where random numbers begin. The same seed gives the same split and the same start; keep it to compare runs.</source>
        <translation>随机数的起点。相同的种子给出相同的划分和起点；比较运行时请保持不变。</translation>
    </message>
    <message>
        <source>The run ends after so many at the latest. Its best model is kept, not its last one.</source>
        <translation>运行最多在这么多次迭代后结束。保留的是最佳模型，而不是最后的模型。</translation>
    </message>
    <message>
        <source>A gain below this counts as none. After as many of those in a row as Patience says the run ends. 0: it never ends early.</source>
        <translation>低于此值的增益视为没有增益。连续出现“耐心”所规定的次数后运行结束。0：从不提前结束。</translation>
    </message>
    <message>
        <source>So many iterations in a row without a gain end the run. With a test part none counts in which the training error still falls by more than 2 %.</source>
        <translation>连续这么多次迭代没有增益时结束运行。有测试部分时，训练误差仍下降超过 2 % 的迭代不计入。</translation>
    </message>
    <message>
        <source>Settings, seed and device decide every bit of the result. Slower: threads do not race for rows.</source>
        <translation>设置、种子和设备决定结果的每一位。较慢：线程不争抢行。</translation>
    </message>
    <message>
        <source>A CP model of this tensor&apos;s shape and this rank to go on from, in place of drawn factors.</source>
        <translation>与此张量形状和此秩相符的 CP 模型，从它继续，代替随机抽取的因子。</translation>
    </message>
    <message>
        <source>cannot be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>a number from %1 to %2</source>
        <translation>从 %1 到 %2 的数</translation>
    </message>
    <message>
        <source>a whole number from %1 to %2</source>
        <translation>从 %1 到 %2 的整数</translation>
    </message>
    <message>
        <source>one rank from 1 to %1</source>
        <translation>从 1 到 %1 的一个秩</translation>
    </message>
    <message>
        <source>one rank from 1 to %1, or %2 of them, one per mode</source>
        <translation>从 1 到 %1 的一个秩，或 %2 个秩，每个模态一个</translation>
    </message>
    <message>
        <source>A run that starts from a model needs its file: choose one below Start, under More.</source>
        <translation>从模型开始的运行需要其文件：请在“更多”中“起始”下方选择。</translation>
    </message>
    <message>
        <source>There is no file %1 to start from.</source>
        <translation>没有可作为起点的文件 %1。</translation>
    </message>
    <message>
        <source>Own</source>
        <translation>自定</translation>
    </message>
    <message>
        <source>This tensor</source>
        <translation>此张量</translation>
    </message>
    <message>
        <source>What comes with %1</source>
        <translation>随 %1 提供的参数</translation>
    </message>
    <message>
        <source>the values are whole numbers that vary as counts do</source>
        <translation>数值是整数，且像计数一样变化</translation>
    </message>
    <message>
        <source>the values are positive, and nine in ten of them spread over a factor of %1</source>
        <translation>数值为正，其中九成分布在 %1 倍的范围内</translation>
    </message>
    <message>
        <source>the values are neither counts nor spread over decades</source>
        <translation>数值既不是计数，也没有跨越多个数量级</translation>
    </message>
    <message>
        <source>Automatic takes %1: %2.</source>
        <translation>自动选择%1：%2。</translation>
    </message>
    <message>
        <source>%1 suits this tensor: %2.</source>
        <translation>%1适合此张量：%2。</translation>
    </message>
    <message>
        <source>%1 would suit this tensor: %2.</source>
        <translation>更适合此张量的是%1：%2。</translation>
    </message>
    <message>
        <source>Itakura-Saito takes no zeros, and this tensor has %1. Choose Kullback-Leibler or Euclidean, or open the tensor without its zeros.</source>
        <translation>Itakura-Saito 散度不接受零，而此张量有 %1 个零。请选择 Kullback-Leibler 散度或欧氏距离，或在打开张量时去掉零。</translation>
    </message>
    <message>
        <source>%1 takes no values below 0, and the least of this tensor is %2. Choose another algorithm, such as CP-ALS, or shift the values in the file.</source>
        <translation>%1不接受小于 0 的数值，而此张量的最小值为 %2。请选择其他算法（例如 CP-ALS），或在文件中平移数值。</translation>
    </message>
    <message>
        <source>Where the run computes. A device works on one run at a time; further runs wait. GPUs joined by + share a run: each holds and works on a part of the entries.</source>
        <translation>运行在何处计算。一个设备同一时间只处理一个运行，其余运行排队等候。用 + 连接的多个 GPU 共同承担一个运行：各自保存并处理一部分条目。</translation>
    </message>
    <message>
        <source>all cells</source>
        <translation>所有单元</translation>
    </message>
    <message>
        <source>stored entries</source>
        <translation>已存储的条目</translation>
    </message>
    <message>
        <source>%1 – fits %2</source>
        <translation>%1 – 拟合%2</translation>
    </message>
</context>
<context>
    <name>ui::RunListModel</name>
    <message>
        <source>number %1 in the paused queue</source>
        <translation>已暂停队列中的第 %1 个</translation>
    </message>
    <message>
        <source>number %1 in the queue</source>
        <translation>队列中的第 %1 个</translation>
    </message>
    <message>
        <source>%1: fits %2</source>
        <translation>%1：拟合 %2</translation>
    </message>
    <message>
        <source>Best: %1</source>
        <translation>最佳：%1</translation>
    </message>
    <message>
        <source>Note: %1</source>
        <translation>备注：%1</translation>
    </message>
</context>
<context>
    <name>ui::RunScope</name>
    <message>
        <source>fit</source>
        <translation>拟合度</translation>
    </message>
    <message>
        <source>RMSE</source>
        <translation>RMSE</translation>
    </message>
    <message>
        <source>MAE</source>
        <translation>MAE</translation>
    </message>
    <message>
        <source>test %1</source>
        <translation>测试 %1</translation>
    </message>
    <message>
        <source>train %1</source>
        <translation>训练 %1</translation>
    </message>
</context>
<context>
    <name>ui::RunTable</name>
    <message>
        <source>Runs beside each other</source>
        <translation>运行并列</translation>
    </message>
    <message>
        <source>Space shows or hides the chosen runs, S sorts by the cursor&apos;s column, Ctrl+C copies.</source>
        <translation>空格键显示或隐藏所选运行，S 按光标所在列排序，Ctrl+C 复制。</translation>
    </message>
</context>
<context>
    <name>ui::RunTableModel</name>
    <message>
        <source>%1. Click to sort by it.</source>
        <translation>%1。点击按此列排序。</translation>
    </message>
    <message>
        <source>Baselines</source>
        <translation>基线</translation>
    </message>
</context>
<context>
    <name>ui::SessionKeeper</name>
    <message>
        <source>The session could not be kept aside: %1</source>
        <translation>无法另行保存会话：%1</translation>
    </message>
    <message>
        <source>not saved</source>
        <translation>未保存</translation>
    </message>
    <message>
        <source>Save session</source>
        <translation>保存会话</translation>
    </message>
    <message>
        <source>Polyad sessions (*.%1)</source>
        <translation>Polyad 会话 (*.%1)</translation>
    </message>
    <message>
        <source>Close all tensors and remove all runs?</source>
        <translation>要关闭所有张量并移除所有运行吗？</translation>
    </message>
    <message>
        <source>Open %1 in place of the runs there are?</source>
        <translation>要打开 %1 以代替现有的运行吗？</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>Runs that are not saved</source>
        <translation>未保存的运行</translation>
    </message>
    <message>
        <source>The runs in the list are in no file.</source>
        <translation>列表中的运行不在任何文件中。</translation>
    </message>
    <message>
        <source>Remove them</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Keep them</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>There is no folder where they could be kept.</source>
        <translation>没有可以保存它们的文件夹。</translation>
    </message>
    <message>
        <source>The runs in the list are in no file, and could not be kept aside. Close all the same?</source>
        <translation>列表中的运行不在任何文件中，也无法另行保存。仍要关闭吗？</translation>
    </message>
    <message>
        <source>Save session…</source>
        <translation>保存会话…</translation>
    </message>
    <message>
        <source>Lose them</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>The session of %1 was not saved to a file. It is kept.</source>
        <translation>%1 的会话没有保存到文件。它已保留。</translation>
    </message>
</context>
<context>
    <name>ui::SpreadChart</name>
    <message>
        <source>Left and right step from place to place.</source>
        <translation>左右键在各处之间移动。</translation>
    </message>
    <message>
        <source>%1, mean</source>
        <translation>%1，均值</translation>
    </message>
    <message>
        <source>lowest</source>
        <translation>最低</translation>
    </message>
    <message>
        <source>highest</source>
        <translation>最高</translation>
    </message>
    <message>
        <source>values</source>
        <translation>值</translation>
    </message>
</context>
<context>
    <name>ui::SweepDialog</name>
    <message>
        <source>Sweep</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>Every combination of these values is run on %1 with the other settings of the form. Values are lists and ranges: 4,8,16 or 2..10, 2..10:2 (every second one), 8..128:x2 (doubling).</source>
        <translation>这些值的每种组合都将在 %1 上运行，其他设置取自表单。值为列表和范围：4,8,16 或 2..10，2..10:2（每隔一个），8..128:x2（加倍）。</translation>
    </message>
    <message>
        <source>Vary another field</source>
        <translation>再改变一个字段</translation>
    </message>
    <message>
        <source>Replicates</source>
        <translation>重复次数</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Plan of the sweep</source>
        <translation>扫描计划</translation>
    </message>
    <message>
        <source>The plan in short</source>
        <translation>计划概要</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>Run these when all that waits already is done</source>
        <translation>等所有已在等待的运行完成后运行</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Run these next, ahead of what waits</source>
        <translation>接下来运行，排在等待的运行之前</translation>
    </message>
    <message>
        <source>Do not vary this field</source>
        <translation>不改变此字段</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>Values of %1</source>
        <translation>%1 的值</translation>
    </message>
    <message>
        <source>one run of each combination, with seed %1</source>
        <translation>每种组合一个运行，种子 %1</translation>
    </message>
    <message>
        <source>None of these combinations can run.</source>
        <translation>这些组合都无法运行。</translation>
    </message>
    <message>
        <source>Start %1 runs</source>
        <translation>开始 %1 个运行</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>Copy as command: the polyad-cli line that makes this sweep</source>
        <translation>复制为命令：进行此扫描的 polyad-cli 命令行</translation>
    </message>
    <message>
        <source>Runs of each combination that differ in their seed: in start, order of visits and random test part</source>
        <translation>每种组合中种子不同的运行：初值、访问顺序和随机测试部分各不相同</translation>
    </message>
    <message>
        <source>runs of each combination, seeds %1 to %2: other starts and test parts</source>
        <translation>每种组合的运行数，种子 %1 到 %2：初值和测试部分各不相同</translation>
    </message>
    <message>
        <source>runs of each combination, seeds %1 to %2: other starts, the same test part</source>
        <translation>每种组合的运行数，种子 %1 到 %2：初值不同，测试部分相同</translation>
    </message>
    <message>
        <source>runs of each combination, seeds %1 to %2: other starts</source>
        <translation>每种组合的运行数，种子 %1 到 %2：初值各不相同</translation>
    </message>
</context>
<context>
    <name>ui::SweepPage</name>
    <message>
        <source>Fit</source>
        <translation>拟合度</translation>
    </message>
    <message>
        <source>Test RMSE</source>
        <translation>测试 RMSE</translation>
    </message>
    <message>
        <source>Train RMSE</source>
        <translation>训练 RMSE</translation>
    </message>
    <message>
        <source>mean of %1: %2, from %3 to %4</source>
        <translation>%1 个的均值：%2，从 %3 到 %4</translation>
    </message>
    <message>
        <source>Sweep…</source>
        <translation>扫描…</translation>
    </message>
    <message>
        <source>Plan runs with lists of settings</source>
        <translation>以设置列表规划运行</translation>
    </message>
    <message>
        <source>Remove these runs…</source>
        <translation>移除这些运行…</translation>
    </message>
    <message>
        <source>Which rank is enough? A sweep runs several ranks, each with some seeds, and tells here what it found.</source>
        <translation>多大的秩足够？扫描以若干种子运行多个秩，并在此说明结果。</translation>
    </message>
    <message>
        <source>Advice</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>What every rank reached</source>
        <translation>每个秩达到的结果</translation>
    </message>
    <message>
        <source>Agreement of replicates</source>
        <translation>重复运行的一致性</translation>
    </message>
    <message>
        <source>How far replicates of every rank agree</source>
        <translation>每个秩的重复运行在多大程度上一致</translation>
    </message>
    <message>
        <source>Core consistency</source>
        <translation>核一致性</translation>
    </message>
    <message>
        <source>Core consistency of every rank</source>
        <translation>每个秩的核一致性</translation>
    </message>
    <message>
        <source>Points appear with the first run that ends.</source>
        <translation>第一个运行结束后出现点。</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>秩</translation>
    </message>
    <message>
        <source>agreement</source>
        <translation>一致性</translation>
    </message>
    <message>
        <source>replicates agree</source>
        <translation>重复运行一致</translation>
    </message>
    <message>
        <source>1: the same model</source>
        <translation>1：相同的模型</translation>
    </message>
    <message>
        <source>core consistency</source>
        <translation>核一致性</translation>
    </message>
    <message>
        <source>data of CP&apos;s form</source>
        <translation>数据符合 CP 形式</translation>
    </message>
    <message>
        <source>It is computed from the first run that ends on.</source>
        <translation>从第一个结束的运行起计算。</translation>
    </message>
    <message>
        <source>percent</source>
        <translation>百分比</translation>
    </message>
    <message>
        <source>Ranks of the sweep</source>
        <translation>扫描的秩</translation>
    </message>
    <message>
        <source>one comparison is under way</source>
        <translation>正在进行一次比较</translation>
    </message>
    <message>
        <source>%1 comparisons are under way</source>
        <translation>正在进行 %1 次比较</translation>
    </message>
    <message>
        <source>higher is better</source>
        <translation>越高越好</translation>
    </message>
    <message>
        <source>lower is better</source>
        <translation>越低越好</translation>
    </message>
    <message>
        <source>How far the spaces of the factors of every pair of replicates coincide: 0 is what chance gives, 1 the same spaces</source>
        <translation>每对重复运行的因子空间重合的程度：0 为随机水平，1 为相同空间</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>秩</translation>
    </message>
    <message>
        <source>Mean of the replicates</source>
        <translation>重复运行的均值</translation>
    </message>
    <message>
        <source>Lowest</source>
        <translation>最低</translation>
    </message>
    <message>
        <source>Highest</source>
        <translation>最高</translation>
    </message>
    <message>
        <source>Agreement</source>
        <translation>一致性</translation>
    </message>
    <message>
        <source>Mean over the pairs of replicates</source>
        <translation>各对重复运行的均值</translation>
    </message>
    <message>
        <source>Core</source>
        <translation>核</translation>
    </message>
    <message>
        <source>Core consistency, mean of the replicates</source>
        <translation>核一致性，重复运行的均值</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>%1 ✓</source>
        <translation>%1 ✓</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1，共 %2</translation>
    </message>
    <message>
        <source>Advice so far</source>
        <translation>目前的建议</translation>
    </message>
    <message>
        <source>Show in charts</source>
        <translation>在图中显示</translation>
    </message>
    <message>
        <source>Hide in charts</source>
        <translation>在图中隐藏</translation>
    </message>
    <message>
        <source>by %1</source>
        <translation>按%1</translation>
    </message>
    <message>
        <source>Runs that differ in one setting and the seed alone</source>
        <translation>只在一项设置和种子上不同的运行</translation>
    </message>
    <message>
        <source>Shows or hides these runs on the tabs Convergence and Compare</source>
        <translation>在“收敛”和“比较”页上显示或隐藏这些运行</translation>
    </message>
    <message>
        <source>Enter or a double click chooses the best run of a row</source>
        <translation>按回车或双击选择该行最好的运行</translation>
    </message>
    <message>
        <source>It takes two seeds of a rank or value.</source>
        <translation>需要同一个秩或取值的两个种子。</translation>
    </message>
    <message>
        <source>Continue %1</source>
        <translation>继续 %1</translation>
    </message>
    <message>
        <source>(%1)</source>
        <comment>a value that does not count</comment>
        <translation>(%1)</translation>
    </message>
    <message>
        <source>Not converged: the error still fell when these runs ended. They do not count.</source>
        <translation>未收敛：这些运行结束时误差仍在下降。它们不计入。</translation>
    </message>
    <message>
        <source>Not defined: any two models of this rank agree as far by chance alone.</source>
        <translation>无定义：此秩的任意两个模型随机就同样一致。</translation>
    </message>
    <message>
        <source>These runs ended while their error still fell. Each gets twice its iterations or time.</source>
        <translation>这些运行结束时误差仍在下降。每个将获得两倍的迭代次数或时间。</translation>
    </message>
    <message>
        <source>unstable</source>
        <translation>不稳定</translation>
    </message>
    <message>
        <source>Factor match score of every pair of replicates beyond chance: 0 is what chance gives, 1 the same model</source>
        <translation>每对重复运行超出随机水平的因子匹配得分：0 为随机水平，1 为相同的模型</translation>
    </message>
    <message>
        <source>Not defined: any two models of these ranks agree by chance alone.</source>
        <translation>无定义：这些秩的任意两个模型随机就一致。</translation>
    </message>
    <message>
        <source>Points appear when two replicates have converged.</source>
        <translation>两个重复运行收敛后才会出现数据点。</translation>
    </message>
    <message>
        <source>left out</source>
        <translation>未计入</translation>
    </message>
    <message>
        <source>That count, of those there are</source>
        <translation>计入数，占现有数</translation>
    </message>
</context>
<context>
    <name>ui::SweepPlanModel</name>
    <message>
        <source>Left out: %1</source>
        <translation>已略去：%1</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Left out because</source>
        <translation>略去的原因</translation>
    </message>
</context>
<context>
    <name>ui::TableFormatDialog</name>
    <message>
        <source>Format of the table</source>
        <translation>表格的格式</translation>
    </message>
    <message>
        <source>Between fields</source>
        <translation>字段之间</translation>
    </message>
    <message>
        <source>comma</source>
        <translation>逗号</translation>
    </message>
    <message>
        <source>semicolon</source>
        <translation>分号</translation>
    </message>
    <message>
        <source>tab</source>
        <translation>制表符</translation>
    </message>
    <message>
        <source>vertical bar</source>
        <translation>竖线</translation>
    </message>
    <message>
        <source>blanks</source>
        <translation>空格</translation>
    </message>
    <message>
        <source>Decimal sign</source>
        <translation>小数点符号</translation>
    </message>
    <message>
        <source>point</source>
        <translation>点</translation>
    </message>
    <message>
        <source>First row</source>
        <translation>第一行</translation>
    </message>
    <message>
        <source>names of the columns</source>
        <translation>列名</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Dates such as 01/02/2024</source>
        <translation>如 01/02/2024 的日期</translation>
    </message>
    <message>
        <source>day first</source>
        <translation>日在前</translation>
    </message>
    <message>
        <source>month first</source>
        <translation>月在前</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>编码</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>应用</translation>
    </message>
    <message>
        <source>automatic: %1</source>
        <translation>自动：%1</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Between thousands</source>
        <translation>千位分隔符</translation>
    </message>
    <message>
        <source>blank</source>
        <translation>空格</translation>
    </message>
    <message>
        <source>apostrophe</source>
        <translation>撇号</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>ui::TensorChoiceDialog</name>
    <message>
        <source>Choose a tensor</source>
        <translation>选择张量</translation>
    </message>
    <message>
        <source>%1 holds several tensors. Which one?</source>
        <translation>%1 含有多个张量。要哪一个？</translation>
    </message>
    <message>
        <source>Tensors in the file</source>
        <translation>文件中的张量</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>ui::TensorListModel</name>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>%1 · %2 entries</source>
        <translation>%1 · %2 个条目</translation>
    </message>
    <message>
        <source>Loading; the × or Delete cancels it.</source>
        <translation>正在加载；按 × 或 Delete 取消。</translation>
    </message>
    <message>
        <source>%1, loading, %2</source>
        <translation>%1，正在加载，%2</translation>
    </message>
    <message>
        <source>%1 entries · density %2</source>
        <translation>%1 个条目 · 密度 %2</translation>
    </message>
    <message>
        <source>%1
%2
%3 entries</source>
        <translation>%1
%2
%3 个条目</translation>
    </message>
</context>
<context>
    <name>ui::TraceChart</name>
    <message>
        <source>Plus and minus zoom, left and right move the crosshair, 0 follows the data again.</source>
        <translation>加减号缩放，左右键移动十字线，0 重新跟随数据。</translation>
    </message>
    <message>
        <source>left out, being ≤ 0 or not a number: %1</source>
        <translation>已略去 ≤ 0 或不是数的：%1</translation>
    </message>
    <message>
        <source>held · double-click to follow</source>
        <translation>已保持 · 双击以跟随</translation>
    </message>
</context>
<context>
    <name>ui::ValueTable</name>
    <message>
        <source>%1 · index %2</source>
        <translation>%1 · 索引 %2</translation>
    </message>
</context>
<context>
    <name>ui::ValueView</name>
    <message>
        <source>Heads of %1</source>
        <translation>%1 的表头</translation>
    </message>
</context>
<context>
    <name>ui::WatchDialog</name>
    <message>
        <source>Folder to watch</source>
        <translation>要监视的文件夹</translation>
    </message>
    <message>
        <source>Also add the files that are there already</source>
        <translation>也添加其中已有的文件</translation>
    </message>
    <message>
        <source>Tensor files that come into the folder are added, one after the other, to a run beside %1, until you end it or close the session. A file is added when it has stopped growing.</source>
        <translation>进入该文件夹的张量文件会依次添加到 %1 旁边的一个运行，直到您结束监视或关闭会话。文件停止增长后才会添加。</translation>
    </message>
    <message>
        <source>Watch a folder for %1</source>
        <translation>为 %1 监视文件夹</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Watch</source>
        <translation>监视</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>%1 is no folder.</source>
        <translation>%1 不是文件夹。</translation>
    </message>
    <message>
        <source>There is no folder %1.</source>
        <translation>没有文件夹 %1。</translation>
    </message>
</context>
<context>
    <name>ui::WatchStrip</name>
    <message>
        <source>Pause the watch</source>
        <translation>暂停监视</translation>
    </message>
    <message>
        <source>End the watch</source>
        <translation>结束监视</translation>
    </message>
    <message>
        <source>Watched folder</source>
        <translation>监视的文件夹</translation>
    </message>
    <message>
        <source>Adding %1, %2 waiting</source>
        <translation>正在添加 %1，%2 个等待中</translation>
    </message>
    <message>
        <source>Adding %1</source>
        <translation>正在添加 %1</translation>
    </message>
    <message>
        <source>Paused, %1 waiting</source>
        <translation>已暂停，%1 个等待中</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Not there; goes on when it is back</source>
        <translation>不存在；恢复后继续</translation>
    </message>
    <message>
        <source>%1 waiting for the run</source>
        <translation>%1 个在等待运行结束</translation>
    </message>
    <message>
        <source>Waiting for files</source>
        <translation>正在等待文件</translation>
    </message>
    <message>
        <source>None added yet</source>
        <translation>尚未添加</translation>
    </message>
    <message>
        <source>%1 added, last %2 at %3</source>
        <translation>已添加 %1 个，最近 %2（%3）</translation>
    </message>
    <message>
        <source> · %1 not taken</source>
        <translation> · %1 个未采用</translation>
    </message>
    <message>
        <source>Go on with the watch</source>
        <translation>继续监视</translation>
    </message>
    <message>
        <source>Not taken: %1</source>
        <translation>未采用：%1</translation>
    </message>
</context>
<context>
    <name>ui::WelcomePage</name>
    <message>
        <source>today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>%1, %2 and %3 more formats</source>
        <translation>%1、%2 以及另外 %3 种格式</translation>
    </message>
    <message>
        <source>%1, threads: %2</source>
        <translation>%1，线程：%2</translation>
    </message>
    <message>
        <source>%1 cannot be used</source>
        <translation>%1 无法使用</translation>
    </message>
    <message>
        <source>%1, %2 free</source>
        <translation>%1，空闲 %2</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>looking for GPUs…</source>
        <translation>正在查找 GPU…</translation>
    </message>
    <message>
        <source>no CUDA device</source>
        <translation>没有 CUDA 设备</translation>
    </message>
    <message>
        <source>Polyad</source>
        <translation>Polyad</translation>
    </message>
    <message>
        <source>Decompose a sparse tensor and watch it converge.</source>
        <translation>分解稀疏张量并观察其收敛。</translation>
    </message>
    <message>
        <source>Open the sample</source>
        <translation>打开示例</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Open a tensor…</source>
        <translation>打开张量…</translation>
    </message>
    <message>
        <source>%1. Or drop files anywhere in this window.</source>
        <translation>%1。或将文件拖放到此窗口的任意位置。</translation>
    </message>
    <message>
        <source>Generate a tensor…</source>
        <translation>生成张量…</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>US flights by origin, destination and hour: %1 entries with labels. Press Start and see charts move.</source>
        <translation>美国航班，按出发地、目的地和小时：%1 个带标签的条目。按“开始”，观看图表变化。</translation>
    </message>
    <message>
        <source>Import a table…</source>
        <translation>导入表格…</translation>
    </message>
    <message>
        <source>CSV and other tables with a row for each event. Choose what becomes of the columns.</source>
        <translation>每个事件占一行的 CSV 和其他表格。请选择如何使用各列。</translation>
    </message>
    <message>
        <source>CP, Tucker or FastTucker ground truth with noise and skew; presets up to %1 entries.</source>
        <translation>带噪声和偏斜的 CP、Tucker 或 FastTucker 真实模型；预设最多 %1 个条目。</translation>
    </message>
</context>
<context>
    <name>ui::WorkspacePanel</name>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Open a tensor</source>
        <translation>打开张量</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Pause queue</source>
        <translation>暂停队列</translation>
    </message>
    <message>
        <source>Nothing open yet.</source>
        <translation>还没有打开任何内容。</translation>
    </message>
    <message>
        <source>Runs appear here, with their colour in every chart.</source>
        <translation>运行显示在此处，其颜色在每个图表中相同。</translation>
    </message>
    <message>
        <source>queue paused · %1</source>
        <translation>队列已暂停 · %1</translation>
    </message>
    <message>
        <source>%1 waiting</source>
        <translation>%1 个等待中</translation>
    </message>
    <message>
        <source>Resume queue</source>
        <translation>恢复队列</translation>
    </message>
    <message>
        <source>Pause queue: what runs goes on, nothing else begins</source>
        <translation>暂停队列：正在运行的继续，其他不再开始</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>取消加载</translation>
    </message>
    <message>
        <source>Close tensor</source>
        <translation>关闭张量</translation>
    </message>
</context>
</TS>
