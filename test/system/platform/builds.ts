/** Builds from their upload to their download, with the verdict's event at a receiver that verifies it. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { zip } from '../../../lambdas/marketplace/testing/archives.ts';
import { EICAR } from '../../../lambdas/marketplace/testing/hostile-archives.ts';
import { until } from '../../../tools/test-kit/waiting.ts';
import { Owner } from '../owner.ts';
import { errorOf } from '../payer.ts';
import { service } from './service.ts';
import { type EventReceiver, receiveEvents } from './verified-events.ts';

interface UploadBody {
  readonly id: string;
  readonly digest: string;
  readonly upload: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  };
}

let seller: Owner;
let receiver: EventReceiver;
let listing: string;

beforeAll(async () => {
  seller = await Owner.open(service);
  receiver = await receiveEvents(seller, ['app.build.scanned']);
  const fields = { name: `Build ${seller.id}`, summary: 'One.', category: 'tools' };
  ({ id: listing } = (await (await seller.send('POST', '/apps', fields)).json()) as { readonly id: string });
}, 60_000);

afterAll(() => receiver.close());

/** Uploads with exactly what the service has signed. */
const put = ({ method, url, headers }: UploadBody['upload'], file: Buffer) =>
  fetch(url, { method, headers, body: new Uint8Array(file) });

const withCurl = spawnSync('curl', ['--version']).status === 0 ? it : it.skip;

/** Uploads with the command of the guide for sellers; returns the status. */
async function putByCurl({ url, headers }: UploadBody['upload'], file: Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'upload-'));
  const path = join(folder, 'app.zip');
  await writeFile(path, file);
  const lines = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const { stdout } = await promisify(execFile)('curl', ['-sSw', '%{http_code}', '-T', path, ...lines, url]);
  await rm(folder, { recursive: true });
  return stdout;
}

async function create(file: Buffer): Promise<UploadBody> {
  const sha256 = createHash('sha256').update(file).digest('hex');
  const body = { filename: 'app.zip', size: file.length, sha256 };
  const response = await seller.send('POST', `/apps/${listing}/builds`, body);
  expect(response.status).toBe(201);
  return (await response.json()) as UploadBody;
}

const eventsOf = ({ id }: UploadBody) => receiver.events.filter(({ data }) => data.build_id === id);

const verdict = (build: UploadBody) =>
  until(
    async () => eventsOf(build),
    ({ length }) => length > 0,
  );

const release = (version: string, { id }: UploadBody) =>
  seller.send('POST', `/apps/${listing}/releases`, { version, notes: 'One.', build_id: id });

describe('a build', () => {
  it('passes from one upload through scan, event and release to a download of the same bytes', async () => {
    const file = zip([{ name: 'index.js', content: Buffer.from('console.log(1);\n') }]);
    const build = await create(file);
    expect(await errorOf(await release('0.9.0', build))).toMatchObject({ status: 409, code: 'conflict' });
    const other = Buffer.from(file);
    other[0] = 0;
    expect((await put(build.upload, other)).status).toBe(400);
    expect((await put(build.upload, file)).status).toBe(200);
    expect((await put(build.upload, file)).status).toBe(412);
    const data = { build_id: build.id, listing_id: listing, verdict: 'clean', digest: build.digest };
    expect(await verdict(build)).toMatchObject([
      { type: 'app.build.scanned', data: { ...data, threats: [] } },
    ]);
    expect(await seller.json(`/apps/${listing}/builds/${build.id}`)).toMatchObject({ status: 'clean' });
    const released = await release('1.1.0', build);
    expect([released.status, await released.json()]).toMatchObject([201, { build_id: build.id }]);
    const buyer = await Owner.open(service);
    const path = `/apps/${listing}/releases/1.1.0/artifact`;
    const artifact = await buyer.json<{ readonly url: string }>(path);
    expect(artifact).toMatchObject({ digest: build.digest, size: file.length });
    const downloaded = await fetch(artifact.url);
    expect(Buffer.from(await downloaded.arrayBuffer())).toEqual(file);
    expect(downloaded.headers.get('content-disposition')).toBe('attachment; filename="app.zip"');
  });

  withCurl('is uploaded by curl -T with the headers of its upload', async () => {
    const file = zip([{ name: 'index.js', content: Buffer.from('console.log(2);\n') }]);
    const build = await create(file);
    expect(await putByCurl(build.upload, file)).toBe('200');
    expect(await verdict(build)).toMatchObject([{ data: { verdict: 'clean', digest: build.digest } }]);
    expect(await putByCurl(build.upload, file)).toMatch(/412$/);
  });

  it('causes an event if it has malware, and cannot be released', async () => {
    const file = zip([{ name: 'eicar.com', content: EICAR }]);
    const build = await create(file);
    expect((await put(build.upload, file)).status).toBe(200);
    const [event] = await verdict(build);
    expect(event?.data).toMatchObject({ verdict: 'infected', threats: [expect.stringMatching(/eicar/i)] });
    expect(await errorOf(await release('2.0.0', build))).toMatchObject({ status: 409, code: 'conflict' });
    const path = `/apps/${listing}/releases/2.0.0/artifact`;
    expect((await seller.fetch(path)).status).toBe(404);
  });
});
