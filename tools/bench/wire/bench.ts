/**
 * 10,000 generated streams of each protocol against the laws of streams: `npm run bench -- wire [--count 10000] [--seed 1]`.
 * The first sequence that breaks a law in its way is printed.
 */
import { parseArgs } from 'node:util';
import { FORMAT_NAMES } from '../../../lambdas/inference/testing/completions/received.ts';
import { play, sampleOf } from '../../../lambdas/inference/testing/wire/laws.ts';
import { WIRE_PROTOCOLS } from '../../../lambdas/inference/testing/wire/protocols/all.ts';
import type { WireProtocol } from '../../../lambdas/inference/testing/wire/wire-protocol.ts';
import type { BenchMetric } from '../harness/report.ts';

interface Search {
  readonly count: number;
  readonly seed: number;
}

const withBigInts = (_name: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);

/** Returns the number of sequences that break a law. Each is played to a caller of one format, in turn. */
async function breaksOf(protocol: WireProtocol, { count, seed }: Search): Promise<number> {
  const seen = new Set<string>();
  let breaks = 0;
  for (const [index, sequence] of sampleOf(protocol, count, seed).entries()) {
    const format = FORMAT_NAMES[index % FORMAT_NAMES.length] ?? 'chat';
    const violations = await play(protocol, format, sequence);
    if (violations.length > 0) breaks += 1;
    for (const violation of violations) {
      const kind = `law ${violation.law}, ${format} over ${protocol.protocol}: ${sequence.faults.join(', ')}`;
      if (!seen.has(kind)) console.error(kind, JSON.stringify({ violation, sequence }, withBigInts));
      seen.add(kind);
    }
  }
  return breaks;
}

export async function measureWire(options: readonly string[]): Promise<readonly BenchMetric[]> {
  const { values } = parseArgs({
    args: [...options],
    options: { count: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
  });
  const search = { count: Number(values.count), seed: Number(values.seed) };
  const metrics: BenchMetric[] = [
    {
      name: 'sequences of each protocol',
      value: search.count,
      unit: 'sequences',
      note: `seed ${search.seed}`,
    },
  ];
  for (const protocol of WIRE_PROTOCOLS) {
    const value = await breaksOf(protocol, search);
    metrics.push({ name: `${protocol.protocol}: break a law`, value, unit: 'sequences', most: 0 });
  }
  return metrics;
}
