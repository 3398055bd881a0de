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
});

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

async function create(file: Buffer, of = listing): Promise<UploadBody> {
  const sha256 = createHash('sha256').update(file).digest('hex');
  const body = { filename: 'app.zip', size: file.length, sha256 };
  const response = await seller.send('POST', `/apps/${of}/builds`, body);
  expect(response.status).toBe(201);
  return (await response.json()) as UploadBody;
}

const eventsOf = ({ id }: UploadBody) => receiver.events.filter(({ data }) => data.build_id === id);

const verdict = (build: UploadBody) =>
  until(
    async () => eventsOf(build),
    ({ length }) => length > 0,
  );

const release = (version: string, { id }: UploadBody, of = listing) =>
  seller.send('POST', `/apps/${of}/releases`, { version, notes: 'One.', build_id: id });

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

describe('a listing with plans and no price', () => {
  const plans = [{ id: 'pro', name: 'Pro', interval: 'month', amount: 499, currency: 'USD', trial_days: 30 }];
  const file = zip([{ name: 'index.js', content: Buffer.from('console.log(3);\n') }]);
  const downloadStatus = async (account: Owner, id: string) =>
    (await account.fetch(`/apps/${id}/releases/1.1.0/artifact`)).status;
  const entitlements = async (account: Owner, id: string) =>
    (await account.json<{ readonly data: unknown }>(`/api/v1/entitlements?listing_id=${id}`)).data;

  it('serves its build to subscribers, and to no account that purchases it for nothing, now or earlier', async () => {
    const fields = { name: `Plans ${seller.id}`, summary: 'One.', category: 'tools' };
    const { id } = (await (await seller.send('POST', '/apps', fields)).json()) as { readonly id: string };
    const build = await create(file, id);
    expect((await put(build.upload, file)).status).toBe(200);
    await verdict(build);
    expect((await release('1.1.0', build, id)).status).toBe(201);
    const [early, stranger] = [await Owner.open(service), await Owner.open(service)];
    const purchasePath = `/apps/${id}/purchase`;
    expect((await early.send('POST', purchasePath, { amount: 0 })).status).toBe(201);
    expect(await entitlements(early, id)).toMatchObject([{ source: 'purchase', active: true }]);

    const listed = await seller.send('PUT', `/apps/${id}`, { plans });
    expect(listed.status).toBe(200);
    const zero = await seller.send('PUT', `/apps/${id}`, { price: { amount: 0, currency: 'USD' } });
    expect(await errorOf(zero)).toMatchObject({ status: 400, code: 'invalid_value', param: 'price' });

    const etag = listed.headers.get('etag') ?? '';
    const purchase = (account: Owner, ifMatch: string | undefined, body: object) =>
      account.fetch(purchasePath, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        },
        body: JSON.stringify(body),
      });
    const rejection = { status: 409, type: 'conflict_error', code: 'subscription_only', param: 'id' };
    for (const account of [stranger, early, seller]) {
      for (const [ifMatch, body] of [
        [undefined, { amount: 0 }],
        [undefined, { amount: 499, currency: 'USD' }],
        [etag, {}],
        ['*', { amount: 0 }],
      ] as const)
        expect(await errorOf(await purchase(account, ifMatch, body))).toMatchObject(rejection);
      expect(await errorOf(await purchase(account, '*', {}))).toMatchObject({ code: 'missing_field' });
      expect((await account.send('POST', `/apps/${id}/install`)).status).toBe(201);
      expect(await entitlements(account, id)).toEqual([]);
    }
    expect([await downloadStatus(stranger, id), await downloadStatus(early, id)]).toEqual([403, 403]);
    expect(await downloadStatus(seller, id)).toBe(200);

    const trial = await stranger.send('POST', `/apps/${id}/subscribe`, { plan: 'pro', amount: 499 });
    expect(trial.status).toBe(201);
    expect(await entitlements(stranger, id)).toMatchObject([{ source: 'subscription', active: true }]);
    expect(await downloadStatus(stranger, id)).toBe(200);
  });
});
