/** The transcription endpoint over Amazon S3 and Amazon Transcribe, both simulated, with the waits of a job shortened. */
import { sweepRecordings } from '../../../lambdas/inference/consumers/sweep-recordings/consumer.ts';
import {
  MIN_AGE_MS,
  removeLeftJobs,
  removeLeftObjects,
} from '../../../lambdas/inference/store/recordings/left-recordings.ts';
import {
  BucketRecordings,
  createJobClient,
  createObjectClient,
} from '../../../lambdas/inference/store/recordings/recordings.ts';
import type { After } from '../../../lambdas/platform/core/ports.ts';
import { systemAfter } from '../../../lambdas/platform/system/system.ts';
import { bodyOf, FORM_TYPE, field, file, formOf } from '../../../lambdas/platform/testing/mutated-forms.ts';
import {
  BUCKET,
  type RecordingsAccount,
  type RecordingsAccountOptions,
  startRecordingsAccount,
} from '../../../tools/local/testing/recordings-account.ts';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { type HeldKey, UploadService } from './upload-service.ts';

/** The waits of a job, milliseconds; every other timer keeps its time. */
const WAITS: ReadonlySet<number> = new Set([1_000, 2_000]);
const after: After = (ms, run) => systemAfter(WAITS.has(ms) ? 10 : ms, run);

/** 0.006 USD a minute. */
export const NANO_USD_PER_SECOND = 100_000n;

export const routeOf = (id: string, fields: object = {}) => ({
  id,
  protocol: 'transcribe',
  upstream_model: 'standard',
  max_seconds: 600,
  timeout_ms: 45_000,
  cost: { unit: 'per_second', second: '0.0001' },
  ...fields,
});

export interface DrillOptions extends RecordingsAccountOptions {
  readonly routes?: readonly object[];
}

export class TranscribeDrill {
  readonly account: RecordingsAccount;
  readonly service: UploadService;
  readonly recordings: BucketRecordings;
  readonly logged: unknown[] = [];
  readonly #database: TestDatabase;
  readonly #clients;

  private constructor(account: RecordingsAccount, database: TestDatabase) {
    this.account = account;
    this.#database = database;
    this.#clients = {
      objects: createObjectClient(account.configOf()),
      jobs: createJobClient(account.configOf()),
    };
    const keep = (...line: unknown[]) => void this.logged.push(line);
    const log = { info: keep, warn: keep, error: keep };
    this.recordings = new BucketRecordings(this.#clients, { bucket: BUCKET, keyArn: undefined }, log);
    this.service = new UploadService(database, Date.now, after);
  }

  static async start({
    routes = [routeOf('transcribe')],
    ...options
  }: DrillOptions = {}): Promise<TranscribeDrill> {
    const [account, database] = await Promise.all([startRecordingsAccount(options), startDatabase()]);
    const drill = new TranscribeDrill(account, database);
    drill.service.recordings = drill.recordings;
    drill.service.routes = routes;
    await drill.service.start();
    return drill;
  }

  async stop(): Promise<void> {
    this.service.stop();
    for (const client of Object.values(this.#clients)) client.destroy();
    await Promise.all([this.account.close(), this.#database.stop()]);
  }

  post(
    key: HeldKey,
    audio: Buffer,
    fields: Readonly<Record<string, string>> = {},
    { name = 'speech.wav', silenceMs = undefined as number | undefined } = {},
  ): Promise<Response> {
    const parts = Object.entries(fields).map(([field_, value]) => field(field_, value));
    const form = bodyOf(formOf(...parts, file(audio, name)), { piece: 1 << 20 });
    return this.service.post(key, form.body, FORM_TYPE, { silenceMs });
  }

  /** Runs the sweeper as if that time had passed; returns the number of what it has deleted. */
  async sweep(aheadMs = MIN_AGE_MS + 1): Promise<number> {
    let swept = 0;
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    await sweepRecordings({
      objects: (nowMs) => removeLeftObjects(this.#clients, BUCKET, nowMs),
      jobs: (nowMs) => removeLeftJobs(this.#clients, BUCKET, nowMs),
      onSwept: (count) => {
        swept = count;
      },
      clock: () => Date.now() + aheadMs,
      log,
    })();
    return swept;
  }

  /** The wallet of an account: its balance, and the number of its holds. */
  async walletOf({ accountId }: HeldKey) {
    const { balance, holds = [] } = (await this.service.ledger.wallets.read(accountId)) ?? {};
    return { balance, holds: holds.length };
  }
}

export const costIn = ({ headers }: Response): bigint =>
  BigInt(Math.round(Number(headers.get('x-cost-usd') ?? 0) * 1e9));
