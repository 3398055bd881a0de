/**
 * The cloud assembly of a release in one file: the templates of a stage and the code of its functions. The deploy ring
 * updates a stage from it to a later version.
 */
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { SHARED_HOST } from '../../../lib/bundle.ts';

/** In the folder of a release. */
export const ASSEMBLY_FILE = 'assembly.json.br';

/** The settings of the stage. */
export const RELEASED_SETTINGS = { stage: 'ring' };

/** The effort of the compression: a minute. */
const QUALITY = constants.BROTLI_MAX_QUALITY;

export interface StageOptions {
  /** The checkout. */
  readonly root: string;
  /** The folder of the assembly. */
  readonly output: string;
  /** Variables of the process in addition to those of this one. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Synthesizes the stage with the code of a checkout. */
export async function synthesizeStage({ root, output, environment }: StageOptions): Promise<void> {
  const CONFIG = `${output}.settings.json`;
  writeFileSync(CONFIG, JSON.stringify(RELEASED_SETTINGS));
  const cli = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  // `cdk.json` names `node`: the one that runs this.
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const options = { cwd: root, env: { ...process.env, ...environment, CONFIG, PATH } };
  const args = [cli, 'synth', '--quiet', '--no-notices', '--output', output];
  await promisify(execFile)(process.execPath, args, options);
}

/** Writes the assembly of the stage, with the code of a checkout, to a file. */
export async function writeAssembly({
  root,
  file,
}: Readonly<Record<'root' | 'file', string>>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'assembly-'));
  try {
    const output = join(folder, 'cdk.out');
    await synthesizeStage({ root, output });
    packAssembly(output, file, QUALITY);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes the files of an assembly into the directory. */
export function readAssembly(file: string, directory: string): void {
  // A window of the format is smaller by default.
  const params = { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 };
  const files = JSON.parse(String(brotliDecompressSync(readFileSync(file), { params })));
  for (const [name, bytes] of Object.entries<string>(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes, 'latin1');
  }
}

/** Compresses the files of an assembly into one. The bundles repeat each other's code, which the largest window covers. */
export function packAssembly(assembly: string, file: string, quality: number): void {
  const exclude = (name: string) => name.endsWith('.map') || name === SHARED_HOST;
  const names = globSync('**', { cwd: assembly, exclude })
    .filter((name) => statSync(join(assembly, name)).isFile())
    .sort();
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(assembly, name), 'latin1')]));
  const json = Buffer.from(JSON.stringify(files));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_LARGE_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: json.length,
  };
  writeFileSync(file, brotliCompressSync(json, { params }));
}
