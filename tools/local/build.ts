/** Brings the cloud assembly up to date with the sources, and does nothing when it is. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock, LockHeld } from './process/process-lock.ts';

export interface BuildOptions {
  /** The checkout. */
  readonly root: string;
  /** The folder of the assemblies, with one folder for each state of the sources. */
  readonly outputDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
}

/** The folder of the service's assemblies, from the root of the checkout. */
export const ASSEMBLY_FOLDER = join('.build', 'assembly');

/** The settings without a file of others: what is simulated is on. */
const LOCAL_CONFIG = join(import.meta.dirname, 'config.json');

/** Everything that an assembly depends on; packages by their lock file. */
const SOURCES = ['bin', 'console', 'lib', 'lambdas', 'package-lock.json', 'cdk.json'];

/** Enough to go back and forth between two branches without a build. */
const MAX_ASSEMBLIES = 3;

/** Written into an assembly at each use: the file system dates it, whatever the clock of this process is. */
const USED = 'used';

/** Between two looks at another build. */
const POLL_MS = 100;

/** Returns the folder of the current assembly, made if it is missing; throws what the build complained of. */
export async function ensureAssembly({ environment, ...rest }: BuildOptions): Promise<string> {
  const options = { ...rest, environment: { ...environment, CONFIG: environment.CONFIG || LOCAL_CONFIG } };
  const { outputDir } = options;
  let assembly = currentAssembly(options);
  while (!existsSync(assembly)) {
    await buildOnce(assembly, options);
    assembly = currentAssembly(options);
  }
  writeFileSync(join(assembly, USED), '');
  deleteOld(outputDir);
  return assembly;
}

function currentAssembly({ root, outputDir, environment }: BuildOptions): string {
  return join(outputDir, hashSources(root, environment.CONFIG));
}

/** A hash of the sources' names and contents, the deployment's settings file and the version of Node. */
export function hashSources(root: string, configFile: string | undefined): string {
  const hash = createHash('sha256').update(process.version);
  const files = SOURCES.flatMap((source) => listFiles(join(root, source)));
  for (const file of [...files, ...(configFile ? [configFile] : [])]) {
    const content = readFileSync(file);
    hash.update(`\n${file.slice(root.length)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 20);
}

function listFiles(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : [])).sort();
}

/** One build at a time: the bundler writes to a folder of the checkout that all builds share. */
async function buildOnce(assembly: string, options: BuildOptions): Promise<void> {
  mkdirSync(options.outputDir, { recursive: true });
  const release = await waitForLock(join(options.outputDir, 'build.lock'));
  try {
    if (existsSync(assembly)) return;
    options.log('Building the service (half a minute to two minutes; only after a change) ...');
    const temporary = `${assembly}.${process.pid}`;
    await synthesize(temporary, options);
    // What was edited meanwhile may be in it or not, so it stands for neither state.
    if (currentAssembly(options) === assembly) renameSync(temporary, assembly);
    else rmSync(temporary, { recursive: true });
  } finally {
    release();
  }
}

async function waitForLock(file: string): Promise<() => void> {
  for (;;) {
    try {
      return acquireLock(file);
    } catch (failure) {
      if (!(failure instanceof LockHeld)) throw failure;
      await sleep(POLL_MS);
    }
  }
}

/** The CDK CLI passes the context of `cdk.json` in the same way; the rules that judge the template are for `npm run synth`. */
function synthesize(outdir: string, { root, environment }: BuildOptions): Promise<void> {
  const { context = {} } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8')) as { context?: object };
  const cdk = { CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(context), CDK_VALIDATION: 'false' };
  const env = { ...environment, ...cdk };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [join('bin', 'app.ts')], { cwd: root, env }, (failure, stdout, stderr) => {
      if (failure === null) return resolve();
      rmSync(outdir, { recursive: true, force: true });
      reject(new Error(`the service does not build:\n${`${stdout}\n${stderr}`.trim()}`));
    });
  });
}

function deleteOld(outputDir: string): void {
  const assemblies = readdirSync(outputDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[0-9a-f]{20}$/.test(entry.name))
    .map(({ name }) => join(outputDir, name))
    // One that has just been built has no use yet.
    .map((path) => ({ path, usedMs: modifiedMs(join(path, USED)) || modifiedMs(path) }))
    .sort((a, b) => b.usedMs - a.usedMs);
  for (const { path } of assemblies.slice(MAX_ASSEMBLIES)) rmSync(path, { recursive: true, force: true });
}

/** Another start may delete the same folder meanwhile. */
function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
