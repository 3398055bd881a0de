/** The processes with a sampler, and what they hold in each round. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldResources, ProcessSamples } from './growth.ts';

const SAMPLER = new URL('sampler.ts', import.meta.url).href;

/** A process that does not answer for so long cannot be measured. */
const ANSWER_MS = 60_000;
const POLL_MS = 100;

/** The variables of a process that is to be sampled into the folder. */
export const samplerVariables = (folder: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${SAMPLER}`,
  SAMPLES_FOLDER: folder,
});

interface SampleFile {
  readonly pid: number;
  readonly process: string;
  readonly samples: readonly (HeldResources & { readonly round: number })[];
}

export class SampledProcesses {
  readonly folder: string;
  #round = 0;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Has every process sample itself once; resolves when all that are alive have. */
  async sample(): Promise<void> {
    this.#round += 1;
    const file = join(this.folder, 'round');
    writeFileSync(`${file}.next`, String(this.#round));
    renameSync(`${file}.next`, file);
    const deadlineMs = performance.now() + ANSWER_MS;
    const isMissing = ({ pid, samples }: SampleFile) => samples.at(-1)?.round !== this.#round && isAlive(pid);
    for (;;) {
      const missing = this.#read().filter(isMissing);
      if (missing.length === 0) return;
      if (performance.now() > deadlineMs) throw new Error(`no sample of ${missing[0]?.process}`);
      await sleep(POLL_MS);
    }
  }

  /** The processes of which there is a sample. */
  measured(): readonly ProcessSamples[] {
    return this.#read()
      .filter(({ samples }) => samples.length > 0)
      .map(({ pid, process, samples }) => ({ process, samples, isAlive: isAlive(pid) }));
  }

  #read(): readonly SampleFile[] {
    return readdirSync(this.folder)
      .filter((name) => /^\d+$/.test(name))
      .map((name) => {
        const [first, ...samples] = readFileSync(join(this.folder, name), 'utf8')
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line));
        return { pid: Number(name), process: first?.process ?? '', samples };
      });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
