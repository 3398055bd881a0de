/** What a call takes, from the newest results of the benches. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostMeasured } from './computes.ts';

const RESULTS = join(import.meta.dirname, '..', 'results');

/** Of the main thread, a streamed call of 20 events, by V8's sampling profiler on 2026-11-23. */
const HOST_CPU_MS = 6.095;

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** The figures of a bench's newest run; files are named by their day. */
function figuresOf(bench: string): readonly Figure[] {
  const newest = readdirSync(RESULTS)
    .filter((name) => name.endsWith(`-${bench}.json`))
    .sort()
    .at(-1);
  if (newest === undefined)
    throw new Error(`the bench ${bench} has left no results: npm run bench -- ${bench}`);
  return (JSON.parse(readFileSync(join(RESULTS, newest), 'utf8')) as { figures: Figure[] }).figures;
}

export function readMeasured(): HostMeasured {
  const [ledger, bundles] = [figuresOf('ledger'), figuresOf('bundles')];
  const stream = figuresOf('stream');
  const value = (figures: readonly Figure[], name: string, unit: string): number => {
    const found = figures.find((figure) => figure.name === name && figure.unit === unit);
    if (found === undefined) throw new Error(`the results of the benches have no figure "${name}"`);
    return found.value;
  };
  return {
    writeUnits: value(ledger, 'endpoint: a call', 'write units'),
    writeUnitsIdempotent: value(ledger, 'endpoint, with an Idempotency-Key: a call', 'write units'),
    cpuMs: value(ledger, 'endpoint: own CPU a call', 'ms CPU'),
    hostCpuMs: HOST_CPU_MS,
    chunkCpuMs: value(stream, 'chat over openai: CPU a chunk', 'microseconds') / 1000,
    initMs: value(bundles, 'create-chat-completion: init', 'ms'),
  };
}
