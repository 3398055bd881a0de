/**
 * The code that a bench measures, as a sample of its statements. A result stores the sample, so that a later commit shows
 * how much of that code has changed since, without the history of the repository. Comments, types, formatting and the
 * paths of the modules are not part of a statement.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { build, type Loader, transform } from 'esbuild';
import type { CodeSample, DatedReport } from '../harness/report.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

const CHAT = 'lambdas/inference/endpoints/create-chat-completion/handler.ts';
const LEDGER = 'lambdas/ledger/store/create-ledger.ts';
const HOST = 'lambdas/servers/inference.ts';

/**
 * The entry points of the measured code by bench, each with all modules that it imports. Results store their names, so
 * that an entry point can move. A part that decides a value is listed in addition to the whole, in which its changes are
 * a small share.
 */
export const MEASURED_CODE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ledger: { chat: CHAT, ledger: LEDGER },
  market: {
    purchases: 'lambdas/marketplace/store/purchases/purchase-store.ts',
    due: 'lambdas/marketplace/store/create-due.ts',
  },
  leases: { leases: 'lambdas/ledger/core/leases/leases.ts' },
  bundles: { chat: CHAT },
  start: { local: 'tools/local/start.ts', app: 'bin/app.ts' },
  stream: { chat: CHAT, messages: 'lambdas/inference/endpoints/create-message/handler.ts' },
  splits: { batches: 'lambdas/inference/providers/event-batches.ts', chat: CHAT },
  peers: { host: HOST, ledger: LEDGER },
  readers: { host: HOST },
  rolling: { host: HOST },
  // The tests decide its values as much as the code does.
  states: { ledger: LEDGER },
  soak: { host: HOST, chat: CHAT, ledger: LEDGER },
  telemetry: {
    batches: 'lambdas/telemetry/core/export-batch.ts',
    records: 'lambdas/telemetry/core/export-calls.ts',
  },
  tokens: { bound: 'lambdas/inference/core/metering/token-bound.ts' },
  wire: {
    providers: 'lambdas/inference/providers/protocols.ts',
    laws: 'lambdas/inference/testing/wire/laws.ts',
  },
  // The tests decide its values as much as the code does.
  mutants: {},
  'without-market': {
    stacks: 'lib/app.ts',
    registered: 'lambdas/app/handlers/registered.ts',
    commands: 'operator/commands/commands.ts',
  },
};

/** Enough to estimate a share of a fifth to within three percent. */
const SAMPLE_SIZE = 256;

/** The share of changed statements above which a result is stale. */
const MAX_CHANGED = 0.2;

const HASH_LENGTH = 6;

const hashOf = (statement: string): string =>
  createHash('sha256').update(statement).digest('hex').slice(0, HASH_LENGTH);

/** Returns the hash of each different statement of a module and of all modules that it imports. */
export async function statementsOf(entryPoint: string, root = ROOT): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
    outdir: root,
  });
  const statements = new Set<string>();
  for (const path of Object.keys(metafile.inputs)) {
    const loader = extname(path).slice(1) as Loader;
    const source = await readFile(join(root, path), 'utf8');
    const { code } = await transform(source, { loader, minifyWhitespace: true, legalComments: 'none' });
    for (const statement of code.split(/[;{}\n]+/)) if (statement !== '') statements.add(hashOf(statement));
  }
  return statements;
}

/** The smallest hashes, which are a random sample that does not depend on the rest of the code. */
export const sampleOf = (statements: ReadonlySet<string>): CodeSample => ({
  statements: statements.size,
  sample: [...statements].sort().slice(0, SAMPLE_SIZE).join(''),
});

/** Returns the removed or the added statements, whichever are more, as a share of the sampled code. */
function changedShare({ statements, sample }: CodeSample, current: ReadonlySet<string>): number {
  const sampled = sample.match(new RegExp(`.{${HASH_LENGTH}}`, 'g')) ?? [];
  const removed = sampled.filter((hash) => !current.has(hash)).length / sampled.length;
  const added = current.size / statements - (1 - removed);
  return Math.max(removed, added);
}

function entryPointsOf(bench: string): Readonly<Record<string, string>> {
  const entryPoints = MEASURED_CODE[bench];
  if (entryPoints === undefined) throw new Error(`list the code that ${bench} measures in MEASURED_CODE`);
  return entryPoints;
}

/** Returns a sample of each measured entry point of a bench. */
export async function sampleCode(bench: string): Promise<Readonly<Record<string, CodeSample>>> {
  const samples: Record<string, CodeSample> = {};
  for (const [name, entryPoint] of Object.entries(entryPointsOf(bench)))
    samples[name] = sampleOf(await statementsOf(entryPoint));
  return samples;
}

/** Returns why a result is stale, and the command that measures it again; undefined if it is not. */
export async function staleness(
  { bench, date, code = {} }: Pick<DatedReport, 'bench' | 'date' | 'code'>,
  entryPoints = entryPointsOf(bench),
  root = ROOT,
): Promise<string | undefined> {
  for (const [name, entryPoint] of Object.entries(entryPoints)) {
    const sample = code[name];
    const changed = sample && changedShare(sample, await statementsOf(entryPoint, root));
    if (changed !== undefined && changed <= MAX_CHANGED) continue;
    const share = changed === undefined ? 'an unknown share' : `${Math.round(100 * changed)} %`;
    return `${bench}: ${share} of "${name}" has changed since ${date}: npm run bench -- ${bench}`;
  }
  return undefined;
}
