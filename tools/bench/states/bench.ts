/**
 * `npm run bench -- states`: the newest release on a state that this tree has written, as after a way back, and this tree
 * on the state of the release. Before the first release, the commit of this tree stands for it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { readCloudAssembly } from '../../local/assembly/cloud-assembly.ts';
import { Stacks } from '../../local/assembly/stacks.ts';
import { describeTables } from '../../local/assembly/tables.ts';
import { createEngineClient } from '../../local/dynamodb/client.ts';
import { startEngine } from '../../local/dynamodb/engine.ts';
import { ensureTables } from '../../local/dynamodb/tables.ts';
import { packState, unpackState } from '../../test-kit/state-file.ts';
import type { BenchMetric } from '../harness/report.ts';
import { releasedVersion } from '../rolling/programs.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The program of a checkout that has its service write a state. */
const WRITER = join('test', 'releases', 'fixture', 'write.ts');
const TEST = join('test', 'releases', 'fixture.test.ts');
const JEST = join('node_modules', 'jest', 'bin', 'jest.js');

const LOCK = 'package-lock.json';

/** Brings the assembly of a checkout up to date, and prints its folder. */
const ASSEMBLE = `
  import { join } from 'node:path';
  import { ASSEMBLY_FOLDER, ensureAssembly } from './tools/local/build.ts';
  const [root, log] = [process.cwd(), () => {}];
  const outputDir = join(root, ASSEMBLY_FOLDER);
  console.log(await ensureAssembly({ root, outputDir, environment: process.env, log }));
`;

/** Every test of a plain run. */
const MIN_TESTS = 20;

/** Runs a program of a checkout; returns its exit code. */
async function run(root: string, args: readonly string[], state = ''): Promise<number> {
  const env = { ...process.env, RELEASE_STATE: state };
  const [code] = await once(spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' }), 'close');
  return code ?? 1;
}

async function writeState(root: string, file: string): Promise<string> {
  if ((await run(root, [WRITER, file])) !== 0) throw new Error(`${root} has written no state`);
  return file;
}

/** Runs the tests of a checkout on a state. */
async function testState(title: string, root: string, state: string): Promise<readonly BenchMetric[]> {
  const output = join(root, '.build', 'states.json');
  rmSync(output, { force: true });
  await run(
    root,
    [JEST, '--selectProjects', 'system', '--json', `--outputFile=${output}`, '--', TEST],
    state,
  );
  if (!existsSync(output)) throw new Error(`${title}: the tests did not run`);
  const result = JSON.parse(readFileSync(output, 'utf8'));
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return [
    { name: `${title}: passed`, value: result.numPassedTests, unit: 'tests', least: MIN_TESTS },
    { name: `${title}: failed`, value: failed, unit: 'tests', most: 0 },
  ];
}

/** Switches the streams of a state's tables, as the update of the stack to the release does; returns its file. */
async function goBack(folder: string, state: string, assembly: string): Promise<string> {
  const stateDir = join(folder, 'back');
  unpackState(state, stateDir);
  const engine = await startEngine({ databaseFile: join(stateDir, 'dynamodb.sqlite') });
  const client = createEngineClient(engine.endpoint);
  await ensureTables(client, describeTables(new Stacks(readCloudAssembly(assembly))));
  client.destroy();
  await engine.stop();
  const file = join(folder, 'back.br');
  packState(stateDir, file);
  return file;
}

/** A checkout of the release in a temporary folder, whose shared host is the one that the release stored. */
function checkOut(folder: string, release: string) {
  const stored = join(ROOT, 'releases', release);
  const { commit } = existsSync(stored)
    ? JSON.parse(readFileSync(join(stored, 'release.json'), 'utf8'))
    : { commit: 'HEAD' };
  const root = join(folder, 'release');
  execFileSync('git', ['worktree', 'add', '--detach', root, commit], { cwd: ROOT, stdio: 'ignore' });
  const hasSamePackages = readFileSync(join(root, LOCK), 'utf8') === readFileSync(join(ROOT, LOCK), 'utf8');
  if (hasSamePackages) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  else execFileSync('npm', ['ci'], { cwd: root, stdio: 'inherit' });
  const args = ['--input-type=module-typescript', '--eval', ASSEMBLE];
  const assembly = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).trim();
  if (existsSync(stored)) {
    const host = brotliDecompressSync(readFileSync(join(stored, 'host.mjs.br')));
    writeFileSync(join(assembly, 'inference-host', 'host.mjs'), host);
  }
  return { root, assembly };
}

export async function measureStates(): Promise<readonly BenchMetric[]> {
  const folder = mkdtempSync(join(tmpdir(), 'states-'));
  const release = releasedVersion();
  try {
    const old = checkOut(folder, release);
    const stored = join(ROOT, 'releases', release, 'state.br');
    const ours = await goBack(folder, await writeState(ROOT, join(folder, 'ours.br')), old.assembly);
    const theirs = existsSync(stored) ? stored : await writeState(old.root, join(folder, 'theirs.br'));
    return [
      ...(await testState('the release on our state', old.root, ours)),
      ...(await testState('this tree on the state of the release', ROOT, theirs)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
    execFileSync('git', ['worktree', 'prune'], { cwd: ROOT });
  }
}
