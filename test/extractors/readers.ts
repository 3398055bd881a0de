/** The programs that list an archive: each gives its members, or why it cannot. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_OUTPUT = 256 * 1024 * 1024;

/** The name, the size, and the SHA-256 of the content. */
export type Member = readonly [name: string, size: number, digest: string];

export interface Reading {
  readonly members?: readonly Member[];
  readonly failure?: string;
}

/** Readings by file, then by reader. */
export type Readings = Record<string, Record<string, Reading>>;

export const memberOf = (name: string, content: Uint8Array): Member => [
  name,
  content.length,
  createHash('sha256').update(content).digest('hex'),
];

async function readWithPython(tools: string, folder: string): Promise<Readings> {
  const python = join(tools, 'bin', 'python');
  const program = join(import.meta.dirname, 'readers', 'list-zips.py');
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const { stdout } = await run(python, [program, folder], { env, maxBuffer: MAX_OUTPUT });
  return JSON.parse(stdout) as Readings;
}

/** Returns nothing without Java. */
async function readWithJava(folder: string): Promise<Readings> {
  const readings: Record<string, Record<string, { members?: Member[]; failure?: string }>> = {};
  const args = ['-Dfile.encoding=UTF-8', join(import.meta.dirname, 'readers', 'list-zips.java'), folder];
  const java = await run('java', args, { maxBuffer: MAX_OUTPUT }).catch((failure: NodeJS.ErrnoException) => {
    if (failure.code !== 'ENOENT') throw failure;
  });
  for (const line of java?.stdout.split('\n') ?? []) {
    const [file = '', reader = '', kind, ...values] = line.split('\t');
    if (file === '') continue;
    readings[file] ??= {};
    const ofFile = readings[file];
    ofFile[reader] ??= {};
    const reading = ofFile[reader];
    if (kind === 'failure') reading.failure = values[0] ?? '';
    else reading.members ??= [];
    const [name = '', size, digest = ''] = values;
    if (kind === 'member') reading.members?.push([Buffer.from(name, 'hex').toString(), Number(size), digest]);
  }
  return readings;
}

interface UnzipFile {
  readonly name: string;
  ondata: (failure: Error | null, chunk: Uint8Array, isLast: boolean) => void;
  start(): void;
}

interface Fflate {
  readonly Unzip: new (
    onFile: (file: UnzipFile) => void,
  ) => { register(decoder: unknown): void; push(chunk: Uint8Array, isLast?: boolean): void };
  readonly UnzipInflate: unknown;
  unzipSync(file: Uint8Array): Record<string, Uint8Array>;
}

/** Reads by the local headers, as a stream. */
function readStream({ Unzip, UnzipInflate }: Fflate, bytes: Uint8Array): readonly Member[] {
  const files: { readonly name: string; readonly chunks: Uint8Array[]; isWhole: boolean }[] = [];
  const unzip = new Unzip((file) => {
    const found = { name: file.name, chunks: [] as Uint8Array[], isWhole: false };
    files.push(found);
    file.ondata = (failure, chunk, isLast) => {
      if (failure) throw failure;
      found.chunks.push(chunk);
      found.isWhole ||= isLast;
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  unzip.push(bytes, true);
  if (!files.every(({ isWhole }) => isWhole)) throw new Error('a member does not end');
  return files.map(({ name, chunks }) => memberOf(name, Buffer.concat(chunks)));
}

function readingOf(read: () => readonly Member[]): Reading {
  try {
    return { members: read() };
  } catch (failure) {
    return { failure: String(failure) };
  }
}

function readWithNode(tools: string, folder: string): Readings {
  const fflate = createRequire(join(tools, 'package.json'))('fflate') as Fflate;
  const byDirectory = (bytes: Uint8Array) =>
    Object.entries(fflate.unzipSync(bytes)).map(([name, content]) => memberOf(name, content));
  return Object.fromEntries(
    readdirSync(folder).map((file) => {
      const bytes = new Uint8Array(readFileSync(join(folder, file)));
      const readings = {
        fflate: readingOf(() => byDirectory(bytes)),
        'fflate as a stream': readingOf(() => readStream(fflate, bytes)),
      };
      return [file, readings];
    }),
  );
}

/** Reads the archives of a folder with every reader. */
export async function readAll(tools: string, folder: string): Promise<Readings> {
  const all = [await readWithPython(tools, folder), await readWithJava(folder), readWithNode(tools, folder)];
  return Object.fromEntries(
    readdirSync(folder).map((file) => [file, Object.assign({}, ...all.map((readings) => readings[file]))]),
  );
}
