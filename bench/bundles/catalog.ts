/** What a long catalog adds to a cold start: the first read of it, and the reading of the one model that a call names. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COPIES, writeCatalog } from '../../lambdas/adapters/inference/catalog-store.ts';
import { requireVariable } from '../../lambdas/contract/environment.ts';
import { TABLES } from '../../lambdas/contract/tables.ts';
import { parseCatalog } from '../../lambdas/core/inference/catalog/catalog-document.ts';
import type { Figure } from '../harness/report.ts';
import { openDatabase } from '../harness/service/database.ts';
import { median } from '../harness/statistics.ts';

const run = promisify(execFile);

/** As long as the catalogs of this repository, and one imported from all providers that public sources know. */
const SHORT = 15;
const LONG = 5_000;

/** Fresh processes a catalog. */
const STARTS = 7;

/** What the init of the functions that call models, 140 ms, leaves of the 250 ms of a start. */
const LOAD_MS = 110;
/** The CPU of the long one beside the short one, which is 330 times as short. */
const MOST_RATIO = 8;
const MOST_VALIDATION_SECONDS = 5;

/** A document as an import writes it: two routes a model, some with cached input, tiers by length and aliases. */
export function importedCatalog(models: number): string {
  const vendorOf = (at: number) => `vendor-${at % 40}`;
  const ratesOf = (at: number, factor = 1) => ({
    input: ((1 + (at % 97)) * factor) / 100,
    output: ((1 + (at % 89)) * factor) / 20,
    ...(at % 2 === 0 ? {} : { cached_input: ((1 + (at % 97)) * factor) / 1_000 }),
  });
  const routeOf = (at: number, place: string, upstream: string, priority: number) => ({
    ...{ id: `${place}-${at}`, protocol: 'openai', base_url: `https://api.${place}.example.com/v1` },
    ...{ upstream_model: upstream, secret: `secretsmanager:prod/providers/${place}#key`, priority },
    capabilities: ['tools', 'json', 'stream', ...(at % 3 === 0 ? ['vision'] : [])],
  });
  const modelAt = (at: number) => ({
    ...{ id: `${vendorOf(at)}/model-${at}-instruct`, type: 'chat', owned_by: vendorOf(at) },
    ...{ created: 1_700_000_000 + at * 3_607, display_name: `Model ${at} Instruct` },
    aliases: at % 4 === 0 ? [`model-${at}`] : [],
    ...{ context_window: 32_768 * (1 + (at % 8)), max_output_tokens: 4_096 * (1 + (at % 16)) },
    price: {
      unit: 'per_million_tokens',
      ...ratesOf(at),
      ...(at % 5 === 0 ? { tiers: [{ above: 200_000, ...ratesOf(at, 2) }] } : {}),
    },
    routes: [
      routeOf(at, vendorOf(at), `model-${at}-instruct`, 1),
      routeOf(at, 'reseller', `${vendorOf(at)}/model-${at}-instruct`, 2),
    ],
  });
  return JSON.stringify({ models: Array.from({ length: models }, (_, at) => modelAt(at)), defaults: {} });
}

interface Start {
  readonly ms: number;
  readonly cpuMs: number;
  /** What one copy takes in the table. */
  readonly storedKb: number;
}

export async function measureCatalogs(): Promise<readonly Figure[]> {
  const document = JSON.parse(importedCatalog(LONG));
  const begun = performance.now();
  parseCatalog(document);
  const validation = (performance.now() - begun) / 1_000;
  const [short, long] = [await startsWith(SHORT), await startsWith(LONG)];
  return [
    { name: `catalog of ${SHORT} models: CPU of the first read`, value: short.cpuMs, unit: 'ms' },
    {
      name: `catalog of ${LONG} models: CPU of the first read`,
      value: long.cpuMs,
      unit: 'ms',
      most: LOAD_MS,
      goal: true,
      note: 'from the database, on a connection that is open, up to the model that a call names',
    },
    {
      name: `catalog of ${LONG} models: CPU of the first read`,
      value: long.cpuMs / short.cpuMs,
      unit: `of the one of ${SHORT}`,
      most: MOST_RATIO,
    },
    { name: `catalog of ${LONG} models: first read`, value: long.ms, unit: 'ms' },
    { name: `catalog of ${LONG} models: stored, each of ${COPIES} copies`, value: long.storedKb, unit: 'KB' },
    {
      name: `catalog of ${LONG} models: validation`,
      value: validation,
      unit: 's',
      most: MOST_VALIDATION_SECONDS,
      note: 'when it is applied',
    },
  ];
}

async function startsWith(models: number): Promise<Start> {
  const database = await openDatabase({ inMemory: true });
  try {
    const table = requireVariable(database.environment, TABLES.catalog.variable);
    await writeCatalog(database.connect().client, table, importedCatalog(models));
    const program = join(import.meta.dirname, 'open-catalog.ts');
    const starts: Start[] = [];
    for (let start = 0; start < STARTS; start += 1) {
      const { stdout } = await run(process.execPath, [program, database.endpoint, table]);
      starts.push(JSON.parse(stdout));
    }
    return {
      ms: median(starts.map(({ ms }) => ms)),
      cpuMs: median(starts.map(({ cpuMs }) => cpuMs)),
      storedKb: median(starts.map(({ storedKb }) => storedKb)),
    };
  } finally {
    await database.close();
  }
}
