import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  removeLeftJobs,
  removeLeftObjects,
} from '../../lambdas/inference/store/recordings/left-recordings.ts';
import {
  BucketRecordings,
  createJobClient,
  createObjectClient,
  placeIn,
} from '../../lambdas/inference/store/recordings/recordings.ts';
import { describeBuckets } from '../../tools/local/assembly/buckets.ts';
import { readCloudAssembly } from '../../tools/local/assembly/cloud-assembly.ts';
import { describeFunctions } from '../../tools/local/assembly/functions.ts';
import { describeRoles, type PolicyStatement } from '../../tools/local/assembly/roles.ts';
import { Stacks } from '../../tools/local/assembly/stacks.ts';
import {
  type RecordingsAccount,
  startRecordingsAccount,
} from '../../tools/local/testing/recordings-account.ts';
import { spoken } from '../../tools/test-kit/recordings.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import { ENCRYPTION_KEY } from './configurations.ts';
import { SynthesizedApp } from './synthesized-app.ts';

const standard = new SynthesizedApp();
const sealed = new SynthesizedApp('customer-key');
const without = new SynthesizedApp('without-transcribe');

/** The functions of an app, their roles, and its buckets. */
function partsOf({ outdir }: SynthesizedApp) {
  const stacks = new Stacks(readCloudAssembly(outdir));
  const functions = describeFunctions(stacks);
  const roles = describeRoles(
    stacks,
    functions.map(({ roleArn }) => roleArn),
  );
  return { functions, roles, buckets: describeBuckets(stacks) };
}

const parts = partsOf(standard);
const sealedParts = partsOf(sealed);

type Parts = typeof parts;

function functionOf({ functions, roles }: Parts, name: string) {
  const found = functions.find((each) => each.name.endsWith(`-${name}`));
  const role = roles.find(({ arn }) => arn === found?.roleArn);
  if (found === undefined || role === undefined) throw new Error(`there is no function ${name}`);
  return { environment: found.environment, statements: role.statements };
}

const placeOf = (of: Parts) => {
  const place = placeIn(functionOf(of, 'create-transcription').environment);
  if (place === undefined) throw new Error('transcriptions have no bucket');
  return place;
};

const withoutAction = (statements: readonly PolicyStatement[], action: string): readonly PolicyStatement[] =>
  statements.map((statement) => {
    const actions = [statement.Action ?? []].flat().filter((each) => each !== action);
    return { ...statement, Action: actions.length === 0 ? 'none:None' : actions };
  });

let account: RecordingsAccount | undefined;
afterEach(async () => {
  await account?.close();
  account = undefined;
});

const AUDIO = spoken(1);
const FILE = { content: new Blob([AUDIO]), sha256: createHash('sha256').update(AUDIO).digest('hex') };
const SIGNAL = new AbortController().signal;
const job = { id: 'a', extension: 'wav', language: 'en-US' } as const;

/** Makes a job as a call does, in a role with these statements. Throws what fails, or what is left. */
async function call(statements: readonly PolicyStatement[], of: Parts): Promise<void> {
  const place = placeOf(of);
  const bucket = { name: place.bucket, keyArn: place.keyArn };
  account = await startRecordingsAccount({ bucket, roles: { call: statements } });
  account.state.plan = { jobMs: 50 };
  const config = { ...account.configOf('call'), maxAttempts: 1 };
  const clients = { objects: createObjectClient(config), jobs: createJobClient(config) };
  const warnings: unknown[] = [];
  const log = { info: () => {}, error: () => {}, warn: (...line: unknown[]) => void warnings.push(line) };
  const recordings = new BucketRecordings(clients, place, log);
  try {
    await recordings.put(job, FILE, SIGNAL);
    await recordings.start(job, SIGNAL);
    // Not there yet: to learn that takes the right to list.
    await recordings.read(job, 1_000_000, SIGNAL);
    await recordings.failureOf(job, SIGNAL);
    await until(
      () => recordings.read(job, 1_000_000, SIGNAL),
      (text) => text !== undefined,
    );
    await recordings.remove(job);
    if (warnings.length > 0 || (await account.keys()).length > 0) throw new Error('something is left');
  } finally {
    for (const client of Object.values(clients)) client.destroy();
  }
}

const CALL_ACTIONS = [
  's3:PutObject',
  's3:GetObject',
  's3:DeleteObject',
  's3:ListBucket',
  'transcribe:StartTranscriptionJob',
  'transcribe:GetTranscriptionJob',
  'transcribe:DeleteTranscriptionJob',
];

describe('the function of transcriptions', () => {
  const { statements } = functionOf(parts, 'create-transcription');

  it('runs a job from its upload to its removal', async () => {
    await expect(call(statements, parts)).resolves.toBeUndefined();
  });

  it.each(CALL_ACTIONS)('needs %s', async (action) => {
    await expect(call(withoutAction(statements, action), parts)).rejects.toThrow();
  });

  it('accesses neither recordings nor jobs of another stage', async () => {
    const other = placeOf(parts).bucket.replace('-prod-', '-prod-2-');
    const place = { bucket: other, keyArn: undefined };
    account = await startRecordingsAccount({ bucket: { name: other }, roles: { call: statements } });
    const config = { ...account.configOf('call'), maxAttempts: 1 };
    const clients = { objects: createObjectClient(config), jobs: createJobClient(config) };
    const log = { info: () => {}, error: () => {}, warn: () => {} };
    const recordings = new BucketRecordings(clients, place, log);
    await account.objects.write(other, 'a/transcript.json', Buffer.from('{}'), 'application/json');
    for (const attempt of [
      () => recordings.put(job, FILE, SIGNAL),
      () => recordings.read(job, 1_000_000, SIGNAL),
      () => recordings.start(job, SIGNAL),
      () => recordings.failureOf(job, SIGNAL),
    ])
      await expect(attempt()).rejects.toMatchObject({ name: expect.stringMatching(/^AccessDenied/) });
    for (const client of Object.values(clients)) client.destroy();
  });

  it('seals recordings and transcripts with the key of the customer, and needs its use', async () => {
    const sealedStatements = functionOf(sealedParts, 'create-transcription').statements;
    expect(placeOf(sealedParts).keyArn).toBe(ENCRYPTION_KEY);
    const { bucket } = placeOf(sealedParts);
    expect(sealedParts.buckets).toContainEqual(
      expect.objectContaining({ name: bucket, keyArn: ENCRYPTION_KEY }),
    );
    await expect(call(sealedStatements, sealedParts)).resolves.toBeUndefined();
    for (const action of ['kms:Decrypt', 'kms:GenerateDataKey']) {
      await account?.close();
      await expect(call(withoutAction(sealedStatements, action), sealedParts)).rejects.toThrow();
    }
  });
});

describe('the sweeper of recordings', () => {
  const { statements } = functionOf(parts, 'sweep-recordings');
  const { bucket } = placeOf(parts);

  const sweep = async (of: readonly PolicyStatement[]) => {
    account = await startRecordingsAccount({
      bucket: { name: bucket },
      roles: { sweep: of, call: callStatements },
    });
    account.state.plan = { jobMs: 1 };
    const clientsOf = (role: string) => ({
      objects: createObjectClient({ ...account?.configOf(role), maxAttempts: 1 }),
      jobs: createJobClient({ ...account?.configOf(role), maxAttempts: 1 }),
    });
    const log = { info: () => {}, error: () => {}, warn: () => {} };
    const recordings = new BucketRecordings(clientsOf('call'), { bucket, keyArn: undefined }, log);
    await recordings.put(job, FILE, SIGNAL);
    await recordings.start(job, SIGNAL);
    await until(
      () => account?.keys(),
      (keys) => keys?.length === 3,
    );
    const clients = clientsOf('sweep');
    const later = Date.now() + 35 * 60_000;
    const objects = await removeLeftObjects(clients, bucket, later);
    return objects + (await removeLeftJobs(clients, bucket, later));
  };
  const callStatements = functionOf(parts, 'create-transcription').statements;

  it('deletes objects and jobs that are left', async () => {
    expect(await sweep(statements)).toBe(4);
  });

  it.each([
    's3:ListBucket',
    's3:DeleteObject',
    'transcribe:ListTranscriptionJobs',
    'transcribe:DeleteTranscriptionJob',
  ])('needs %s', async (action) => {
    await expect(sweep(withoutAction(statements, action))).rejects.toThrow();
  });

  it('cannot read a recording', () => {
    const actions = statements.flatMap(({ Action: each }) => each ?? []);
    expect(actions.filter((action) => /^s3:(Get|Put)/.test(action))).toEqual([]);
  });
});

describe('the bucket of recordings', () => {
  it('deletes what is a day old, is private and keeps no versions', () => {
    const buckets = standard.properties('data', 'AWS::S3::Bucket');
    const bucket = buckets.find(({ BucketName: name }) => JSON.stringify(name)?.includes('-rec-'));
    expect(bucket).toMatchObject({
      LifecycleConfiguration: {
        Rules: [
          {
            Status: 'Enabled',
            ExpirationInDays: 1,
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
          },
        ],
      },
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
    });
    expect(bucket).not.toHaveProperty('VersioningConfiguration');
  });

  it('belongs to the function of transcriptions and to the sweeper alone', () => {
    const names = parts.functions
      .filter(({ environment, roleArn }) => {
        const role = parts.roles.find(({ arn }) => arn === roleArn);
        return JSON.stringify([environment, role?.statements]).includes('-rec-');
      })
      .map(({ name }) => name.replace('prod-inference-', ''));
    expect(names.sort()).toEqual(['create-transcription', 'sweep-recordings']);
  });

  it('disappears with its sweeper, its alarm and all rights if the setting is off', () => {
    expect(JSON.stringify(standard.templates)).toContain('-rec-');
    expect(JSON.stringify(without.templates)).not.toMatch(/-rec-|RECORDINGS|sweep-recordings|transcribe:/);
  });
});
