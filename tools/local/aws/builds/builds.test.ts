import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Build, UPLOAD_SECONDS } from '../../../../lambdas/marketplace/core/builds/build.ts';
import {
  BucketFiles,
  createFileClient,
  uploadKey,
} from '../../../../lambdas/marketplace/store/builds/build-files.ts';
import {
  createScanClient,
  createScanner,
} from '../../../../lambdas/marketplace/store/builds/build-scanner.ts';
import { zip } from '../../../../lambdas/marketplace/testing/archives.ts';
import {
  EICAR,
  HOSTILE_ARCHIVES,
  UNSCANNED,
} from '../../../../lambdas/marketplace/testing/hostile-archives.ts';
import { systemUlid } from '../../../../lambdas/platform/system/system.ts';
import { until } from '../../../test-kit/waiting.ts';
import type { BucketDescription } from '../../assembly/buckets.ts';
import type { PolicyStatement } from '../../assembly/roles.ts';
import type { BusEvent } from '../../messaging/event-bus.ts';
import { createCallers } from '../callers.ts';
import { type AwsEndpoint, startAwsEndpoint } from '../endpoint.ts';
import { MalwareProtection } from './malware-protection.ts';
import { createObjectStore } from './object-store.ts';
import { createS3Service } from './s3-service.ts';
import { TEST_SIGNATURE } from './scan-engine.ts';

const NAME = 'builds';
const ARN = `arn:aws:s3:::${NAME}`;
const log = () => {};

const BUCKET: BucketDescription = {
  name: NAME,
  arn: ARN,
  notifies: true,
  cors: [
    {
      AllowedMethods: ['PUT'],
      AllowedOrigins: ['https://console.example.com'],
      AllowedHeaders: ['content-type', 'if-none-match', 'x-amz-checksum-sha256'],
    },
  ],
  statements: [
    {
      Effect: 'Deny',
      Action: 's3:PutObject',
      Resource: [`${ARN}/uploads/*`, `${ARN}/artifacts/*`],
      Condition: { Null: { 's3:if-none-match': 'true' } },
    },
    {
      Effect: 'Deny',
      Action: 's3:*',
      Resource: ARN,
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    },
  ],
};

const roleOf = (name: string, statements: readonly PolicyStatement[]) => ({
  name,
  arn: `arn:aws:iam::000000000000:role/${name}`,
  statements,
  trust: [
    {
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Principal: { Service: 'malware-protection-plan.guardduty.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': '000000000000' } },
    },
  ],
});

const allow = (Action: string, Resource: string): PolicyStatement => ({ Effect: 'Allow', Action, Resource });
const ROLES = {
  signer: roleOf('signer', [allow('s3:PutObject', `${ARN}/uploads/*`)]),
  recorder: roleOf('recorder', [
    allow('s3:GetObject', `${ARN}/uploads/*`),
    allow('s3:PutObject', `${ARN}/artifacts/*`),
  ]),
  remover: roleOf('remover', [allow('s3:DeleteObject', `${ARN}/artifacts/*`)]),
  reader: roleOf('reader', [
    allow('s3:GetObject', `${ARN}/artifacts/*`),
    allow('guardduty:SendObjectMalwareScan', '*'),
  ]),
  stranger: roleOf('stranger', []),
  scanner: roleOf('scanner', [allow('s3:GetObject', `${ARN}/uploads/lst_*`)]),
};

let endpoint: AwsEndpoint;
let folder: string;
/** The time by which the clock of S3 is ahead. */
let aheadMs = 0;
const events: BusEvent[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'builds-'));
  const roles = Object.values(ROLES);
  const functions = roles.map(({ name, arn }) => ({ name, roleArn: arn }));
  const authorizeAs = createCallers({ functions, roles, enforce: true, log });
  const objects = createObjectStore(folder);
  const plan = { arn: 'arn:plan', roleArn: ROLES.scanner.arn, bucketName: NAME, prefixes: ['uploads/'] };
  const protection = new MalwareProtection({
    assembly: { roles },
    enforceIam: true,
    log,
    plans: [plan],
    objects,
    engine: TEST_SIGNATURE,
    put: (event) => void events.push(event),
  });
  const { onCreated } = protection;
  const services = {
    s3: createS3Service({
      buckets: [BUCKET],
      objects,
      authorizeAs,
      onCreated,
      clock: () => Date.now() + aheadMs,
    }),
    guardduty: protection.service,
  };
  endpoint = await startAwsEndpoint({ services, authorizeAs, log });
});

afterAll(async () => {
  await endpoint.close();
  await rm(folder, { recursive: true, force: true });
});

const configOf = (role: keyof typeof ROLES) => ({
  endpoint: endpoint.url,
  region: 'us-east-1',
  credentials: { accessKeyId: `local-${role}`, secretAccessKey: 'local' },
});

const filesOf = (role: keyof typeof ROLES) => new BucketFiles(createFileClient(configOf(role)), NAME);

const buildOf = (file: Buffer): Build => ({
  listingId: `lst_${systemUlid()}`,
  id: `build_${systemUlid()}`,
  ownerId: 'acc_owner',
  filename: 'app.zip',
  size: file.length,
  sha256: createHash('sha256').update(file).digest('hex'),
  status: 'awaiting_upload',
  threats: [],
  requests: 0,
  released: false,
  created: 0,
  version: 1,
});

const FILE = zip([{ name: 'a', content: Buffer.from('a') }]);

async function send(build: Build, body: Buffer, change: Readonly<Record<string, string>> = {}, url?: string) {
  const upload = await filesOf('signer').upload(build);
  const { 'content-length': _, ...headers } = { ...upload.headers, ...change };
  const response = await fetch(url ?? upload.url, { method: 'PUT', headers, body: Uint8Array.from(body) });
  return { status: response.status, code: /<Code>(\w+)/.exec(await response.text())?.[1] };
}

const resultOf = async (build: Build, count = 1) => {
  const results = () =>
    events.filter(
      ({ source, detail }) => source === 'aws.guardduty' && JSON.stringify(detail).includes(uploadKey(build)),
    );
  const all = await until(
    async () => results(),
    (found) => found.length >= count,
  );
  return all.at(-1)?.detail as { readonly scanResultDetails: { readonly scanResultStatus: string } };
};

describe('a presigned upload', () => {
  it('signs the size, the digest and that there is no object yet', async () => {
    const { url } = await filesOf('signer').upload(buildOf(FILE));
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe(
      'content-length;content-type;host;if-none-match;x-amz-checksum-sha256',
    );
    expect(url).not.toContain('x-amz-checksum-sha256=');
  });

  it('stores the file, notifies the bus, and rejects a second upload', async () => {
    const build = buildOf(FILE);
    expect(await send(build, FILE)).toMatchObject({ status: 200 });
    expect(events).toContainEqual(
      expect.objectContaining({ source: 'aws.s3', detailType: 'Object Created' }),
    );
    expect(await filesOf('recorder').read(build)).toEqual(FILE);
    expect(await send(build, FILE)).toEqual({ status: 412, code: 'PreconditionFailed' });
  });

  it('rejects other bytes, another length, and headers that were not signed so', async () => {
    const build = buildOf(FILE);
    const other = Buffer.from(FILE);
    other[40] = 1;
    expect(await send(build, other)).toEqual({ status: 400, code: 'BadDigest' });
    const checksum = createHash('sha256').update(other).digest('base64');
    const forged = { status: 403, code: 'SignatureDoesNotMatch' };
    expect(await send(build, other, { 'x-amz-checksum-sha256': checksum })).toEqual(forged);
    expect(await send(build, FILE.subarray(1))).toEqual(forged);
    expect(await send(build, FILE, { 'if-none-match': '"1"' })).toEqual(forged);
    expect(await send(build, FILE, { 'x-amz-acl': 'public-read' })).toEqual({
      status: 403,
      code: 'AccessDenied',
    });
  });

  it('rejects another key, another method and another bucket', async () => {
    const [build, other] = [buildOf(FILE), buildOf(FILE)];
    const { url } = await filesOf('signer').upload(build);
    expect(await send(build, FILE, {}, url.replace(build.id, other.id))).toMatchObject({ status: 403 });
    expect((await fetch(url)).status).toBe(403);
    expect(await send(build, FILE, {}, url.replace('/builds/', '/other/'))).toMatchObject({ status: 403 });
  });

  it('rejects an upload after its time', async () => {
    const build = buildOf(FILE);
    const { url } = await filesOf('signer').upload(build);
    aheadMs = (UPLOAD_SECONDS + 1) * 1000;
    const late = await send(build, FILE, {}, url);
    aheadMs = 0;
    expect(late).toEqual({ status: 403, code: 'AccessDenied' });
  });

  it('rejects an upload whose signer lost its permission, or never had it', async () => {
    const build = buildOf(FILE);
    const { url, headers } = await filesOf('stranger').upload(build);
    const { 'content-length': _, ...rest } = headers;
    const response = await fetch(url, { method: 'PUT', headers: rest, body: Uint8Array.from(FILE) });
    expect(response.status).toBe(403);
  });

  it('cannot be replaced by a role that omits the condition', async () => {
    const build = buildOf(FILE);
    await send(build, FILE);
    const command = new PutObjectCommand({ Bucket: NAME, Key: uploadKey(build), Body: EICAR });
    await expect(createFileClient(configOf('signer')).send(command)).rejects.toMatchObject({
      name: 'AccessDenied',
    });
  });
});

describe('an artifact', () => {
  it('disappears by a role that may remove it, repeatedly, and by no other', async () => {
    const build = buildOf(FILE);
    await filesOf('recorder').publish(build, FILE);
    await expect(filesOf('recorder').remove(build)).rejects.toMatchObject({ name: 'AccessDenied' });
    const download = await filesOf('reader').download(build);
    expect((await fetch(download)).status).toBe(200);
    await filesOf('remover').remove(build);
    await filesOf('remover').remove(build);
    expect((await fetch(download)).status).toBe(403);
  });

  it.each([
    ['https://console.example.com', 'PUT', 'content-type, if-none-match', 200],
    ['http://127.0.0.1:8787', 'PUT', 'x-amz-checksum-sha256', 200],
    ['https://other.example.com', 'PUT', 'content-type', 403],
    ['https://console.example.com', 'GET', 'content-type', 403],
    ['https://console.example.com', 'PUT', 'content-type, authorization', 403],
  ])('answers a browser at %s that asks to %s with %s: %i', async (origin, method, names, status) => {
    const { url } = await filesOf('signer').upload(buildOf(FILE));
    const response = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': names,
      },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      status,
      status === 200 ? origin : null,
    ]);
  });

  it('rejects the signature of another role, and uploads in quarantine have no download', async () => {
    const build = buildOf(FILE);
    await send(build, FILE);
    const command = new GetObjectCommand({ Bucket: NAME, Key: uploadKey(build) });
    await expect(createFileClient(configOf('reader')).send(command)).rejects.toMatchObject({
      name: 'AccessDenied',
    });
    expect((await fetch(await filesOf('stranger').download(build))).status).toBe(403);
  });
});

describe('the malware protection', () => {
  it.each([
    ['a clean file', FILE, 'NO_THREATS_FOUND'],
    ['the test file', EICAR, 'THREATS_FOUND'],
    ['the test file in an archive', zip([{ name: 'a', content: EICAR }]), 'THREATS_FOUND'],
  ])('reports of %s what its engine finds', async (_, file, status) => {
    const build = buildOf(file);
    await send(build, file);
    expect((await resultOf(build)).scanResultDetails.scanResultStatus).toBe(status);
  });

  it('scans again on request, and only an object that exists', async () => {
    const build = buildOf(FILE);
    const scanner = createScanner(createScanClient(configOf('reader')), NAME);
    expect(await scanner.request(build)).toBe('no upload');
    await send(build, FILE);
    await resultOf(build);
    expect(await scanner.request(build)).toBe('requested');
    expect((await resultOf(build, 2)).scanResultDetails.scanResultStatus).toBe('NO_THREATS_FOUND');
  });

  it('reports a permission that its role lacks', async () => {
    const build = { ...buildOf(FILE), listingId: 'other' };
    await send(build, FILE);
    expect((await resultOf(build)).scanResultDetails.scanResultStatus).toBe('ACCESS_DENIED');
  });

  it('needs the inspection: without it, hostile archives are clean', async () => {
    const missed = await Promise.all(
      UNSCANNED.map(async ({ file }) => (await TEST_SIGNATURE.scan(file())).status),
    );
    expect(missed).toContain('NO_THREATS_FOUND');
    expect(HOSTILE_ARCHIVES.length).toBeGreaterThan(16);
  });
});
