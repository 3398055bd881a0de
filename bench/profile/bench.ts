/** Where our own CPU goes: our functions under load with V8's sampling profiler, summed by part and by function. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CASES, type Case } from '../harness/load/cases.ts';
import { closedLoop } from '../harness/load/loops.ts';
import type { Figure } from '../harness/report.ts';
import { openAccount } from '../harness/service/account.ts';
import { applyCatalog, catalogOf } from '../harness/service/bench-catalog.ts';
import { openDatabase } from '../harness/service/database.ts';
import { startBenchUpstream } from '../harness/upstream/process.ts';
import { bundleHost } from '../host/bundle.ts';
import { startSecrets } from '../host/process.ts';
import { OURS, ourContestant } from '../peers/ours.ts';
import { sourceMapOf } from './readable-bundle.ts';
import { type CpuProfile, type ProfileSummary, summarize } from './summary.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const WARM_UP_MS = 2_000;
const WINDOW_MS = 6_000;
const CALLERS = 8;
const ACCOUNTS = 8;

/** As many of each list as say something. */
const PARTS = 12;
const FUNCTIONS = 25;

export async function measureProfile(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const asked of CASES.filter(({ surface }) => surface === 'chat')) {
    for (const money of [true, false]) figures.push(...(await profileOf(asked, money)));
  }
  return figures;
}

async function profileOf(asked: Case, money: boolean): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-profile-'));
  const [upstream, database, secrets] = [
    await startBenchUpstream(),
    await openDatabase({ inMemory: true }),
    await startSecrets(),
  ];
  try {
    await bundleHost(folder, { money, readable: true });
    await applyCatalog(database, catalogOf(upstream.url));
    const credentials: string[] = [];
    for (let account = 0; account < ACCOUNTS; account += 1)
      credentials.push((await openAccount(database.connect(), database.environment)).credential);
    const execArgv = ['--cpu-prof', '--cpu-prof-dir', folder];
    const ours = ourContestant({
      ...{ name: OURS, credentials, database, folder, secretsUrl: secrets.url, execArgv },
    });
    const running = await ours.start();
    const load = { url: running.url, next: () => ours.request(asked, 0) };
    const warm = await closedLoop({ ...load, windowMs: WARM_UP_MS }, CALLERS);
    const { calls } = await closedLoop({ ...load, windowMs: WINDOW_MS }, CALLERS);
    await running.stop();
    const name = `${asked.name}, ledger ${money ? 'on' : 'off'}`;
    return figuresOf(name, read(folder), warm.calls.length + calls.length);
  } finally {
    secrets.close();
    await database.close();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(folder: string): ProfileSummary {
  const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) throw new Error('no profile was written');
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile;
  const maps = new Map<string, (line: number) => string>();
  return summarize(profile, (url, line) => {
    if (!url.startsWith('file:')) return url;
    const path = fileURLToPath(url);
    if (!path.startsWith(folder + sep)) return path.slice(ROOT.length + 1);
    const map = maps.get(path) ?? sourceMapOf(readFileSync(path, 'utf8'));
    maps.set(path, map);
    return map(line);
  });
}

/** The profile holds the start and the warm-up too, so its calls are all there were. */
function figuresOf(profiled: string, summary: ProfileSummary, calls: number): Figure[] {
  const unit = 'microseconds a call';
  const figure = (name: string, microseconds: number) => ({
    name: `${profiled}: ${name}`,
    value: microseconds / calls,
    unit,
  });
  return [
    figure('main thread, all but idle', summary.busyMicroseconds),
    ...summary.parts.slice(0, PARTS).map(({ name, microseconds }) => figure(`part ${name}`, microseconds)),
    ...summary.functions.slice(0, FUNCTIONS).map(({ name, microseconds }) => figure(name, microseconds)),
  ];
}
