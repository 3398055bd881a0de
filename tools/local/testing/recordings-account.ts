/** Amazon S3 with one bucket, and Amazon Transcribe, for tests: with faults by operation, and a clock that can be moved. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BucketDescription } from '../assembly/buckets.ts';
import type { PolicyStatement } from '../assembly/roles.ts';
import { createObjectStore, type ObjectStore } from '../aws/builds/object-store.ts';
import { createS3Service } from '../aws/builds/s3-service.ts';
import { createCallers } from '../aws/callers.ts';
import { type AwsCall, type AwsServiceHandler, startAwsEndpoint } from '../aws/endpoint.ts';
import { AwsError } from '../aws/errors.ts';
import { createTranscribeService, type JobPlan } from '../aws/transcribe/transcribe-service.ts';

export const BUCKET = 'inference-test-data-recordings';
export const BUCKET_ARN = `arn:aws:s3:::${BUCKET}`;

/** An error in place of the next response of an operation, or a delay of it. */
interface AccountFault {
  /** Such as `PUT`, `GET`, `POST` of S3, or `StartTranscriptionJob`. */
  readonly operation: string;
  /** Delays the operation by that time, milliseconds, and does not fail it. */
  readonly delayMs?: number;
  readonly type: string;
  readonly status: number;
  /** Carries the operation out all the same. */
  readonly isLost?: boolean;
}

export interface RecordingsAccountOptions {
  readonly bucket?: Pick<BucketDescription, 'name' | 'keyArn'>;
  /** The statements of each role by its name; without it the one role may do everything. */
  readonly roles?: Readonly<Record<string, readonly PolicyStatement[]>>;
}

export async function startRecordingsAccount({
  roles: statementsByRole,
  bucket: named = { name: BUCKET },
}: RecordingsAccountOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'recordings-'));
  const state = {
    /** The time by which the clock of the objects and the jobs is ahead. */
    aheadMs: 0,
    plan: { jobMs: 20 } as JobPlan,
    /** The courses of the next jobs, before those of `plan`. */
    nextPlans: [] as JobPlan[],
    faults: [] as AccountFault[],
    /** The operations of all calls, in their order. */
    operations: [] as string[],
  };
  const stored = createObjectStore(folder, () => Date.now() + state.aheadMs);
  // A job goes on after the test that started it: the folder is removed after its last write.
  let isClosed = false;
  let written: Promise<unknown> = Promise.resolve();
  const objects: ObjectStore = {
    ...stored,
    async write(...object) {
      if (isClosed) return '';
      const writing = stored.write(...object);
      written = Promise.allSettled([written, writing]);
      return writing;
    },
  };
  const roles = Object.entries(statementsByRole ?? {}).map(([name, statements]) => ({
    name,
    arn: `arn:aws:iam::000000000000:role/${name}`,
    statements,
  }));
  const functions = roles.map(({ name, arn }) => ({ name, roleArn: arn }));
  const log = () => {};
  const authorizeAs = createCallers({ functions, roles, enforce: roles.length > 0, log });
  const bucket = { ...named, arn: `arn:aws:s3:::${named.name}`, statements: [], notifies: false, cors: [] };
  const failing =
    (service: AwsServiceHandler, nameOf: (call: AwsCall) => string): AwsServiceHandler =>
    async (call, response) => {
      const operation = nameOf(call);
      state.operations.push(operation);
      const at = state.faults.findIndex((fault) => fault.operation === operation);
      const [fault] = at === -1 ? [] : state.faults.splice(at, 1);
      if (fault?.delayMs !== undefined) await sleep(fault.delayMs);
      if (fault === undefined || fault.delayMs !== undefined) return service(call, response);
      if (fault.isLost) await service(call, response);
      if (call.target !== '') throw new AwsError(fault.type, fault.type, fault.status);
      response.writeHead(fault.status, { 'content-type': 'application/xml' });
      response.end(`<Error><Code>${fault.type}</Code><Message>${fault.type}</Message></Error>`);
      return undefined;
    };
  const clock = () => Date.now() + state.aheadMs;
  const endpoint = await startAwsEndpoint({
    services: {
      s3: failing(
        createS3Service({ buckets: [bucket], objects, authorizeAs, clock: Date.now, onCreated: () => {} }),
        ({ method }) => method,
      ),
      Transcribe: failing(
        createTranscribeService({ objects, clock, plan: () => state.nextPlans.shift() ?? state.plan }),
        ({ operation }) => operation,
      ),
    },
    authorizeAs,
    log,
  });
  return {
    state,
    objects,
    /** The configuration of an SDK's client that acts in a role. */
    configOf: (role = 'any') => ({
      endpoint: endpoint.url,
      region: 'us-east-1',
      credentials: { accessKeyId: `local-${role}`, secretAccessKey: 'local' },
    }),
    keys: async () => (await objects.list(named.name)).map(({ key }) => key),
    async close() {
      await endpoint.close();
      isClosed = true;
      await written;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type RecordingsAccount = Awaited<ReturnType<typeof startRecordingsAccount>>;
