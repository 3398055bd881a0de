import { crc32, inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { errorOf, nano, Payer } from '../payer.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '5');

/** 0.04 USD an image. */
const PRICE = 40_000_000;

const post = (body: object) => payer.post('/v1/images/generations', body);

/** Reads a PNG to its last pixel (W3C PNG specification); throws when it is not one. */
function sizeOfPng(bytes: Buffer): string {
  const data: Buffer[] = [];
  let [width, height] = [0, 0];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const body = bytes.subarray(at + 4, at + 8 + length);
    if (crc32(body) !== bytes.readUInt32BE(at + 8 + length)) throw new Error('a chunk is damaged');
    const type = body.toString('latin1', 0, 4);
    if (type === 'IHDR') [width, height] = [body.readUInt32BE(4), body.readUInt32BE(8)];
    if (type === 'IDAT') data.push(body.subarray(4));
    at += 12 + length;
  }
  if (inflateSync(Buffer.concat(data)).length !== height * (1 + 3 * width))
    throw new Error('pixels are missing');
  return `${width}x${height}`;
}

const sizes = ['512x512', '768x768', '1024x1024', '1024x768', '768x1024'] as const;

describe('images: the official OpenAI SDK', () => {
  it.each(sizes)('gets a real picture of %s and pays for one', async (size) => {
    const before = await payer.wallet();
    const { data, response } = await payer.client.images
      .generate({
        model: 'sim/image',
        prompt: 'a fox',
        response_format: 'b64_json',
        size: size as '1024x1024',
      })
      .withResponse();
    expect(sizeOfPng(Buffer.from(data.data?.[0]?.b64_json ?? '', 'base64'))).toBe(size);
    expect(nano(response, 'x-cost-usd')).toBe(PRICE);
    expect(nano(response, 'x-balance-usd')).toBe(before.balance - PRICE);
    expect(await payer.wallet()).toEqual({ balance: before.balance - PRICE, held: 0 });
  });

  it('gets four pictures, together larger than 6 MB, and pays for four', async () => {
    const { data, response } = await payer.client.images
      .generate({ model: 'sim/image', prompt: 'four foxes', n: 4, response_format: 'b64_json' })
      .withResponse();
    const images = (data.data ?? []).map(({ b64_json: text = '' }) => text);
    expect(images.join('').length).toBeGreaterThan(12_000_000);
    expect(new Set(images).size).toBe(4);
    for (const text of images) expect(sizeOfPng(Buffer.from(text, 'base64'))).toBe('1024x1024');
    expect(nano(response, 'x-cost-usd')).toBe(4 * PRICE);
    expect(await payer.record(response)).toMatchObject({
      model: 'sim/image',
      kind: 'image',
      unit: 'image',
      input_units: 0,
      output_units: 4,
      cost: 0.16,
      estimated: false,
      route: 'sim-image',
      status: 'completed',
    });
  });

  it('gets the vendor’s addresses of a model whose operator allows them', async () => {
    const { data } = await payer.client.images.generate({
      model: 'sim/image-by-url',
      prompt: 'a fox',
      response_format: 'url',
      n: 2,
      size: '512x512',
    });
    for (const { url = '' } of data ?? [])
      expect(sizeOfPng(Buffer.from(await (await fetch(url)).arrayBuffer()))).toBe('512x512');
    expect(data).toHaveLength(2);
  });

  it.each(['sim/image', 'sim/image-by-url', 'sim/image-bedrock'])(
    'gets bytes and no address of %s if it specifies no format',
    async (model) => {
      const { data = [] } = await payer.client.images.generate({ model, prompt: 'a fox' });
      expect(data).toEqual([{ b64_json: expect.any(String) }]);
      expect(sizeOfPng(Buffer.from(data[0]?.b64_json ?? '', 'base64'))).toBe('1024x1024');
    },
  );
});

describe('images: an address of the vendor', () => {
  const request = { model: 'sim/image', prompt: 'a fox', n: 2 };
  const answer = (...urls: readonly string[]) =>
    service.fault({ status: 200, body: { created: 1, data: urls.map((url) => ({ url })) } });

  it('reaches the caller as the image itself, byte for byte', async () => {
    const before = await payer.wallet();
    const { origin } = new URL(service.session.upstream_control_url);
    const urls = ['a-512x512', 'b-512x512'].map((name) => `${origin}/pictures/${name}.png`);
    await answer(...urls);
    const response = await post(request);
    const files = await Promise.all(urls.map(async (url) => (await fetch(url)).arrayBuffer()));
    expect(await response.json()).toEqual({
      created: 1,
      data: files.map((file) => ({ b64_json: Buffer.from(file).toString('base64') })),
    });
    expect(await payer.wallet()).toEqual({ balance: before.balance - 2 * PRICE, held: 0 });
  });

  it('fails the route, without a charge or a hold, if it is on a private network, or of no image', async () => {
    const before = await payer.wallet();
    const { origin } = new URL(service.session.upstream_control_url);
    for (const url of [
      'https://10.0.0.1/a.png',
      'https://169.254.169.254/latest/meta-data/',
      'https://[::ffff:10.0.0.1]/a.png',
      `${origin}/pictures/none.png`,
      'https://image.invalid/a.png',
    ]) {
      await answer(url);
      const failure = await errorOf(await post({ ...request, model: 'sim/image-failover' }));
      expect(failure).toMatchObject({ status: 503, code: 'all_routes_failed' });
      expect(JSON.stringify(failure)).not.toContain(new URL(url).host);
    }
    expect(service.output).toContain('reason=upstream failure: download');
    expect(service.output).not.toContain('10.0.0.1');
    expect(await payer.wallet()).toEqual(before);
  });
});

describe('images: a model of Bedrock', () => {
  it('generates the requested number of different images, and each is charged', async () => {
    const { data, response } = await payer.client.images
      .generate({ model: 'sim/image-bedrock', prompt: 'a fox', n: 2, response_format: 'b64_json' })
      .withResponse();
    const images = (data.data ?? []).map(({ b64_json: text = '' }) => text);
    expect(images.map((text) => sizeOfPng(Buffer.from(text, 'base64')))).toEqual(['1024x1024', '1024x1024']);
    expect(new Set(images).size).toBe(2);
    expect(nano(response, 'x-cost-usd')).toBe(2 * PRICE);
    expect(response.headers.get('x-route')).toBe('sim-image-stability');
  });

  it('costs only the remaining image if its filter stops one, and nothing if it stops all', async () => {
    const before = await payer.wallet();
    const request = { model: 'sim/image-bedrock', prompt: 'a fox' };
    await service.fault({ status: 200, body: { finish_reasons: ['Filter reason: output image'] } });
    const one = await post({ ...request, n: 2 });
    expect(((await one.json()) as { data: unknown[] }).data).toHaveLength(1);
    expect(nano(one, 'x-cost-usd')).toBe(PRICE);
    await service.fault({ status: 200, body: { finish_reasons: ['Filter reason: prompt'] } });
    const none = await post(request);
    expect(await errorOf(none)).toMatchObject({ status: 400, code: 'invalid_value', param: 'prompt' });
    expect(await payer.wallet()).toEqual({ balance: before.balance - PRICE, held: 0 });
  });
});

it('images: a call costs only the images that its route returned, and fails if there is none', async () => {
  const before = await payer.wallet();
  const request = { model: 'sim/image', prompt: 'a fox', n: 3, size: '512x512' };
  await service.fault({
    status: 200,
    body: { created: 1, data: [{ b64_json: 'aGk=' }, { url: 'https://10.0.0.1/2.png' }, {}] },
  });
  const short = await post(request);
  expect(await short.json()).toEqual({ created: 1, data: [{ b64_json: 'aGk=' }] });
  expect(nano(short, 'x-cost-usd')).toBe(PRICE);
  await service.fault({ status: 200, body: { created: 1, data: [] } });
  const none = await post(request);
  expect(await errorOf(none)).toMatchObject({ status: 503, code: 'all_routes_failed' });
  expect(await payer.wallet()).toEqual({ balance: before.balance - PRICE, held: 0 });
});
