/** Measures the search index in a fresh process: builds it, stores it, loads it, asks it; prints JSON. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { SearchIndex } from '../../lambdas/core/listings/discovery/search-index.ts';
import { makeCorpus } from './corpus.ts';
import { CASES, KNOWN } from './relevance.ts';

/** What `load.ts` prints. */
export interface LoadMeasurement {
  readonly listings: number;
  readonly loadMs: number;
  readonly peakMb: number;
  readonly heapMb: number;
}

/** Milliseconds. */
export interface QueryTimes {
  readonly p50: number;
  readonly p95: number;
  /** CPU time, which other work on the machine does not lengthen. */
  readonly cpuP50: number;
  readonly cpuP95: number;
}

export interface SearchMeasurement {
  readonly buildMs: number;
  readonly storeMs: number;
  readonly storedMb: number;
  readonly jsonMb: number;
  readonly residentMb: number;
  readonly query: QueryTimes;
  readonly typo: QueryTimes;
  readonly changeMs: number;
  readonly missedCases: readonly string[];
}

const SIZE = Number(process.argv[2] ?? 50_000);
const QUERIES = 300;
const CHANGES = 500;
const MB = 1e6;
const FOLDER = mkdtempSync(join(tmpdir(), 'search-'));
const FILE = join(FOLDER, 'index.gz');

const timed = <T>(run: () => T): readonly [T, number] => {
  const startedMs = performance.now();
  const result = run();
  return [result, performance.now() - startedMs];
};

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;

/** A query with its last letter wrong. */
const mistyped = (query: string): string => `${query.slice(0, -1)}${query.endsWith('x') ? 'y' : 'x'}`;

function measure(): SearchMeasurement {
  const { documents, queries } = makeCorpus(SIZE, QUERIES);
  const [built, buildMs] = timed(() => {
    const index = SearchIndex.empty();
    for (const document of [...documents, ...KNOWN]) index.apply({ document });
    return index;
  });
  const [[json, stored], storeMs] = timed(() => {
    const text = built.toJSON();
    return [text, gzipSync(text)] as const;
  });
  const residentMb = process.memoryUsage().rss / MB;
  writeFileSync(FILE, stored);
  const index = SearchIndex.parse(gunzipSync(stored).toString('utf8'));
  const missedCases = CASES.filter(({ q, kind, first }) => {
    const found = index.search({ q, kind }).slice(0, first.length);
    return found.join() !== first.map((place) => KNOWN[place]?.id).join();
  }).map(({ why }) => why);
  const ask = (asked: readonly string[]) => {
    for (const q of asked.slice(0, 50)) index.search({ q });
    const cpuMs: number[] = [];
    const wallMs = asked.map((q) => {
      const before = process.cpuUsage();
      const [, ms] = timed(() => index.search({ q }));
      const { user, system } = process.cpuUsage(before);
      cpuMs.push((user + system) / 1000);
      return ms;
    });
    const at = (values: readonly number[], share: number) => percentile(values, share);
    return { p50: at(wallMs, 0.5), p95: at(wallMs, 0.95), cpuP50: at(cpuMs, 0.5), cpuP95: at(cpuMs, 0.95) };
  };
  const [query, typo] = [ask(queries), ask(queries.map(mistyped))];
  const [, changedMs] = timed(() => {
    for (const document of documents.slice(0, CHANGES))
      index.apply({ document: { ...document, revision: 2 } });
  });
  return {
    buildMs,
    storeMs,
    storedMb: stored.length / MB,
    jsonMb: json.length / MB,
    residentMb,
    query,
    typo,
    changeMs: changedMs / CHANGES,
    missedCases,
  };
}

/** In a process of its own, where nothing else takes memory. */
function load(): LoadMeasurement {
  const script = join(import.meta.dirname, 'load.ts');
  return JSON.parse(String(execFileSync(process.execPath, ['--expose-gc', script, FILE]))) as LoadMeasurement;
}

try {
  console.log(JSON.stringify({ build: measure(), load: load() }));
} finally {
  rmSync(FOLDER, { recursive: true, force: true });
}
