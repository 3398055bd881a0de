/**
 * `npm run bench -- telemetry [--calls N]`: the real OpenTelemetry Collector receives the calls of a local service, with failures,
 * replays, failover and callers who leave; it is killed in the middle and started again. Sums of what it passed on are
 * compared with the ledger.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { UsageRecord } from '../../../lambdas/ledger/core/usage-record.ts';
import { freePort } from '../../local/process/free-port.ts';
import { closedLoop } from '../harness/load/loops.ts';
import type { BenchMetric } from '../harness/report.ts';
import { MIX } from '../soak/calls.ts';
import { type SoakService, startSoaked } from '../soak/service.ts';
import { measureCalls } from './calls.ts';
import { buildCollector, startCollector } from './collector.ts';
import { type Attributes, CLIENT, SERVER, SpanTally, startSink } from './received.ts';

/** The kinds of calls that leave a usage record, or must not leave a second one. */
const KINDS = [
  'chat',
  'chat streamed',
  'messages',
  'messages streamed',
  'responses',
  'responses streamed',
  'embeddings',
  'images',
  'speech',
  'replays',
  'failing routes',
  'callers who leave',
  'broken JSON',
];

/** Each kind as often as in a minute of the soak, spread over the whole. */
const PLAN = KINDS.flatMap((kind) => {
  const [perMinute] = MIX[kind] ?? [0];
  return Array.from({ length: perMinute }, (_, at) => ({ kind, at: at / perMinute }));
})
  .sort((a, b) => a.at - b.at)
  .map(({ kind }) => kind);

const CALLERS = 16;

/** The collector is away for this long. */
const AWAY_MS = 20_000;

/** Deliveries that failed are tried again within some minutes. */
const DRAIN_MS = 600_000;
const POLL_MS = 1_000;

const MAX_RECORDS = 1_000_000;

interface Sums {
  costNanoUsd: bigint;
  inputTokens: number;
  outputTokens: number;
}

export async function measureTelemetry(options: readonly string[] = []): Promise<readonly BenchMetric[]> {
  const { values } = parseArgs({
    args: [...options],
    options: { calls: { type: 'string', default: '10500' } },
  });
  const calls = Number(values.calls);
  const callMetrics = await measureCalls();
  const program = buildCollector();
  const folder = mkdtempSync(join(tmpdir(), 'bench-telemetry-'));
  const received = new SpanTally();
  const sink = await startSink(received);
  const port = await freePort();
  const collect = () => startCollector(program, { folder, port, target: sink.url });
  let collector = await collect();
  const service = await startSoaked('host', join(folder, 'host'));
  try {
    await service.operator.layouts.finish();
    await service.operator.telemetry.set({
      url: `http://127.0.0.1:${port}`,
      headers: {},
      attribute_names: 'stable',
    });
    const failures = new Map<string, number>();
    const half = callsOf(service, failures);
    await half(Math.ceil(calls / 2));
    await collector.kill();
    const away = sleep(AWAY_MS).then(async () => {
      collector = await collect();
    });
    await half(Math.floor(calls / 2));
    await away;
    return [...(await compared(service, received, failures)), ...callMetrics];
  } finally {
    await service.close();
    await collector.kill();
    sink.server.close();
    sink.server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns a function that makes that many calls of the plan, and counts those that ended otherwise than they should. */
function callsOf(service: SoakService, failures: Map<string, number>): (count: number) => Promise<void> {
  let begun = 0;
  const call = async () => {
    const turn = begun;
    begun += 1;
    const kind = PLAN[turn % PLAN.length] ?? '';
    await MIX[kind]?.[1]({ service, receiverUrl: '', turn }).catch(({ message }: Error) => {
      const reason = `${kind}: ${message}`.replaceAll(/req_\w+/g, 'req').slice(0, 200);
      failures.set(reason, (failures.get(reason) ?? 0) + 1);
    });
  };
  return async (count) => {
    const last = begun + count;
    await closedLoop(CALLERS, () => begun < last, call);
  };
}

async function recordsOf({ operator }: SoakService): Promise<readonly UsageRecord[]> {
  const records: UsageRecord[] = [];
  await operator.usageScan(MAX_RECORDS, (record) => records.push(record));
  return records;
}

/** Waits until each record has arrived and no other call, at most as long as deliveries are tried again soon. */
async function compared(
  service: SoakService,
  received: SpanTally,
  failures: ReadonlyMap<string, number>,
): Promise<readonly BenchMetric[]> {
  const startedMs = performance.now();
  let records = await recordsOf(service);
  // A call whose caller has left ends after its last answer.
  const isDrained = () =>
    records.length >= received.calls.size && records.every(({ id }) => received.calls.has(id));
  while (!isDrained() && performance.now() - startedMs < DRAIN_MS) {
    await sleep(POLL_MS);
    records = await recordsOf(service);
  }
  const drainedSeconds = (performance.now() - startedMs) / 1000;
  const ids = new Set(records.map(({ id }) => id));
  const [ledger, exported] = [sumOfRecords(records), sumOfSpans([...received.of(SERVER).values()])];
  const attempts = records.reduce((sum, record) => sum + (record.attempts ?? 0), 0);
  const count = (status: string) => records.filter((record) => record.status === status).length;
  const audit = await service.operator.audit(true);
  const none = { unit: 'calls', most: 0 };
  return [
    { name: 'calls with a record', value: records.length, unit: 'calls', least: 10_000, goal: true },
    { name: 'of them failed or interrupted', value: count('failed') + count('interrupted'), unit: 'calls' },
    {
      name: 'of them with failover',
      value: records.filter((each) => (each.attempts ?? 0) > 1).length,
      unit: 'calls',
    },
    {
      name: 'calls that ended otherwise than they should',
      value: [...failures.values()].reduce((sum, each) => sum + each, 0),
      unit: 'calls',
      ...(failures.size === 0
        ? {}
        : { note: [...failures].map(([reason, times]) => `${times} ${reason}`).join(' | ') }),
    },
    {
      name: 'records that did not arrive',
      value: [...ids].filter((id) => !received.calls.has(id)).length,
      ...none,
    },
    {
      name: 'spans without a record',
      value: [...received.calls].filter((id) => !ids.has(id)).length,
      ...none,
    },
    { name: 'calls with two spans', value: received.of(SERVER).size - received.calls.size, ...none },
    {
      name: 'cost off the ledger',
      value: Number(exported.costNanoUsd - ledger.costNanoUsd),
      unit: 'nano-USD',
      least: 0,
      most: 0,
    },
    {
      name: 'input tokens off',
      value: exported.inputTokens - ledger.inputTokens,
      unit: 'tokens',
      least: 0,
      most: 0,
    },
    {
      name: 'output tokens off',
      value: exported.outputTokens - ledger.outputTokens,
      unit: 'tokens',
      least: 0,
      most: 0,
    },
    {
      name: 'ledger off',
      value: audit.unproven > 0 ? Number.NaN : Number(audit.drift),
      unit: 'nano-USD',
      least: 0,
      most: 0,
    },
    { name: 'attempts without a span', value: attempts - received.of(CLIENT).size, unit: 'attempts' },
    {
      name: 'spans that came again',
      value: received.repeated,
      unit: 'spans',
      note: 'the collector was killed for 20 s',
    },
    { name: 'from the last call until all had arrived', value: drainedSeconds, unit: 's' },
  ];
}

function sumOfRecords(records: readonly UsageRecord[]): Sums {
  const sums: Sums = { costNanoUsd: 0n, inputTokens: 0, outputTokens: 0 };
  for (const { cost, unit, inputUnits, outputUnits } of records) {
    sums.costNanoUsd += cost;
    if (unit !== 'token') continue;
    sums.inputTokens += inputUnits;
    sums.outputTokens += outputUnits;
  }
  return sums;
}

function sumOfSpans(spans: readonly Attributes[]): Sums {
  const sums: Sums = { costNanoUsd: 0n, inputTokens: 0, outputTokens: 0 };
  for (const attributes of spans) {
    sums.costNanoUsd += BigInt(attributes['unified_inference.cost.nano_usd'] ?? 0);
    sums.inputTokens += Number(attributes['gen_ai.usage.input_tokens'] ?? 0);
    sums.outputTokens += Number(attributes['gen_ai.usage.output_tokens'] ?? 0);
  }
  return sums;
}
