/** The state of the sandbox, stored in a file. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writePrivately } from '../private-file.ts';

export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

export class PaymentLedger<Records extends object> {
  readonly records: Records;
  readonly #file: string;

  constructor(file: string, empty: Records) {
    this.#file = file;
    this.records = existsSync(file) ? { ...empty, ...JSON.parse(readFileSync(file, 'utf8')) } : empty;
  }

  /** Writes everything down; to be called after each change. */
  save(): void {
    writePrivately(this.#file, this.records);
  }
}
