/** The state of the sandbox, stored in a file. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writePrivately } from '../private-file.ts';

export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** The clock and the timers of connected accounts and idempotency keys, which a test may set. */
export interface SandboxTime {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Runs something after milliseconds; returns a function that prevents it. */
  readonly after: (ms: number, run: () => void) => () => void;
}

const SYSTEM_TIME: SandboxTime = {
  clock: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

export class PaymentLedger<Records extends object> {
  readonly records: Records;
  readonly time: SandboxTime;
  readonly #file: string;

  constructor(file: string, empty: Records, time = SYSTEM_TIME) {
    this.#file = file;
    this.time = time;
    this.records = existsSync(file) ? { ...empty, ...JSON.parse(readFileSync(file, 'utf8')) } : empty;
  }

  get nowSeconds(): number {
    return Math.floor(this.time.clock() / 1000);
  }

  /** Writes everything down; to be called after each change. */
  save(): void {
    writePrivately(this.#file, this.records);
  }
}
