/**
 * `npm run bench [-- name [options]]`: runs one bench, or all but the slow ones; exit code 1 when a
 * budget is broken or a bench fails.
 */
import { measureBundles } from './bundles/bench.ts';
import { sampleCode } from './figures/measured-code.ts';
import { writePages } from './figures/pages.ts';
import {
  type BenchMetric,
  describeCommit,
  describeMachine,
  formatReport,
  isBroken,
  round,
  writeReport,
} from './harness/report.ts';
import { RESULTS } from './harness/results.ts';
import { measureReaders } from './host/stalled-readers.ts';
import { measureLedger } from './ledger/bench.ts';
import { measureLeases } from './ledger/leases.ts';
import { measureMarket } from './market/bench.ts';
import { measureMutants } from './mutants/bench.ts';
import { measurePeers } from './peers/bench.ts';
import { measureRolling } from './rolling/bench.ts';
import { measureSoak } from './soak/bench.ts';
import { measureSplits } from './splits/bench.ts';
import { measureStart } from './start/bench.ts';
import { measureStates } from './states/bench.ts';
import { measureStream } from './stream/bench.ts';
import { measureTelemetry } from './telemetry/bench.ts';
import { measureTokens } from './tokens/bench.ts';
import { measureWire } from './wire/bench.ts';
import { measureWithoutMarket } from './without-market/bench.ts';

const BENCHES: Readonly<Record<string, (options: readonly string[]) => Promise<readonly BenchMetric[]>>> = {
  ledger: measureLedger,
  leases: measureLeases,
  market: measureMarket,
  bundles: measureBundles,
  start: measureStart,
  stream: measureStream,
  splits: measureSplits,
  peers: measurePeers,
  tokens: measureTokens,
  wire: measureWire,
  soak: measureSoak,
  mutants: measureMutants,
  readers: measureReaders,
  rolling: measureRolling,
  states: measureStates,
  telemetry: measureTelemetry,
  'without-market': measureWithoutMarket,
};

/** The benches that run the tests of the whole, or for an hour, or build a program of another language. */
const SLOW: ReadonlySet<string> = new Set(['mutants', 'without-market', 'soak', 'states', 'telemetry']);

/** The commit at the start, which the results and pages of this run do not make dirty. */
const COMMIT = describeCommit();

/** Returns whether every budget holds. */
async function run(name: string, measure: () => Promise<readonly BenchMetric[]>): Promise<boolean> {
  const machine = describeMachine();
  const code = await sampleCode(name);
  const startedMs = performance.now();
  const metrics = (await measure()).map((metric) => ({ ...metric, value: round(metric.value) }));
  const report = {
    bench: name,
    commit: COMMIT,
    machine,
    code,
    seconds: round((performance.now() - startedMs) / 1000),
    figures: metrics,
  };
  console.log(formatReport(report));
  writeReport(report, RESULTS, new Date());
  return !metrics.some(isBroken);
}

const [benchName, ...options] = process.argv.slice(2);
const chosen = Object.entries(BENCHES).filter(([name]) =>
  benchName === undefined ? !SLOW.has(name) : name === benchName,
);
if (chosen.length === 0) {
  console.error(`There is no bench ${benchName}: choose from ${Object.keys(BENCHES).join(', ')}.`);
  process.exitCode = 1;
}
for (const [name, measure] of chosen) {
  try {
    if (!(await run(name, () => measure(options)))) process.exitCode = 1;
  } catch (failure) {
    console.error(`${name} could not be measured:`, failure);
    process.exitCode = 1;
  }
}
writePages();
