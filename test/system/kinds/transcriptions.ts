import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { toFile } from 'openai';
import { form, mp3, wav } from '../../../tools/test-kit/recordings.ts';
import { errorOf, nano, Payer } from '../payer.ts';
import { service } from './service.ts';

const folder = mkdtempSync(join(tmpdir(), 'recordings-'));
const payer = Payer.ofTests(service, '5');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PATH = '/v1/audio/transcriptions';
const post = (data: FormData, headers?: Record<string, string>) => payer.post(PATH, data, headers);

/** 0.006 USD a minute, rounded up to the nano-dollar once. */
const costOf = (seconds: number) => Math.ceil((seconds * 6_000_000) / 60);

describe('transcriptions: the official OpenAI SDK', () => {
  it('gets a transcript of a file on disk, and pays for its seconds to the nano-dollar', async () => {
    const before = await payer.wallet();
    const path = join(folder, 'speech.wav');
    writeFileSync(path, wav(12));
    const { data, response } = await payer.client.audio.transcriptions
      .create({ model: 'sim/stt', file: createReadStream(path), prompt: 'foxes' })
      .withResponse();
    expect(data.text.split(' ').length).toBeGreaterThan(10);
    expect(Object.keys(data)).toEqual(['text']);
    expect(response.headers.get('x-route')).toBe('sim-stt');
    expect(nano(response, 'x-cost-usd')).toBe(costOf(12));
    expect(nano(response, 'x-balance-usd')).toBe(before.balance - costOf(12));
    expect(await payer.wallet()).toEqual({ balance: before.balance - costOf(12), held: 0 });
    expect(await payer.record(response)).toMatchObject({
      model: 'sim/stt',
      kind: 'audio',
      unit: 'second',
      input_units: 12,
      output_units: 0,
      cost: costOf(12) / 1e9,
      estimated: false,
      status: 'completed',
    });
  });

  it('gets segments that span the true length of the file', async () => {
    const verbose = await payer.client.audio.transcriptions.create({
      model: 'sim/stt',
      file: await toFile(mp3(7.2), 'speech.mp3'),
      response_format: 'verbose_json',
    });
    expect(verbose).toMatchObject({ task: 'transcribe', language: 'english', duration: 7.2 });
    expect(verbose.segments).toMatchObject([
      { id: 0, start: 0, end: 5 },
      { id: 1, start: 5, end: 7.2 },
    ]);
    expect(verbose.segments?.map(({ text }) => text.trim()).join(' ')).toBe(verbose.text);
    expect(verbose).not.toHaveProperty('words');
  });

  it.each<[('word' | 'segment')[]]>([[['word']], [['word', 'segment']]])(
    'gets the time of each word if it requests %j',
    async (timestamp_granularities) => {
      const verbose = await payer.client.audio.transcriptions.create({
        model: 'sim/stt',
        file: await toFile(mp3(7.2), 'speech.mp3'),
        response_format: 'verbose_json',
        timestamp_granularities,
      });
      const { words = [], segments = [], text } = verbose;
      expect(words.map(({ word }) => word).join(' ')).toBe(text);
      expect(words[0]).toMatchObject({ start: 0, end: expect.any(Number) });
      expect(words.at(-1)?.end).toBeCloseTo(7.2);
      expect(segments).toHaveLength(timestamp_granularities.includes('segment') ? 2 : 1);
    },
  );
});

it('transcriptions: a route receives the unchanged file without its name, and the fields after the file', async () => {
  const data = new FormData();
  const bytes = wav(1.2);
  data.set('file', new Blob([bytes]), 'my private meeting.wav');
  data.set('model', 'sim/stt-failover');
  data.set('language', 'de');
  data.set('response_format', 'verbose_json');
  data.set('timestamp_granularities[]', 'segment');
  data.set('vad[filter]', 'true');
  const response = await post(data);
  expect(response.headers.get('x-ignored-fields')).toBe('vad');
  expect(response.headers.get('x-route')).toBe('sim-stt-live');
  expect(await response.json()).toMatchObject({ language: 'de' });
  const body = (await service.received()).at(-1)?.body;
  expect(Object.keys(body ?? {}).filter((name) => name.startsWith('vad'))).toEqual([]);
  expect(body).toMatchObject({
    model: 'stt',
    language: 'de',
    'timestamp_granularities[]': 'segment',
    file: { name: 'audio.wav', type: 'audio/wav', size: bytes.length },
  });
});

it('transcriptions: the service charges the duration of the file if a route reports none, and records that', async () => {
  await service.fault({ no_usage: true });
  const response = await post(form(wav(6), 'speech.wav'));
  expect(nano(response, 'x-cost-usd')).toBe(costOf(6));
  expect(await payer.record(response)).toMatchObject({ estimated: true, input_units: 6 });
});

it('transcriptions: the service charges nothing for a failed route or a rejection', async () => {
  const before = await payer.wallet();
  for (const fault of [{ status: 500 }, { garbage: true }, { cut_after_bytes: 10 }, { reset: true }]) {
    await service.fault(fault);
    expect((await post(form(wav(6), 'speech.wav'))).status).toBe(503);
  }
  await service.fault({ status: 400 });
  expect((await post(form(wav(6), 'speech.wav'))).status).toBe(400);
  expect(await payer.wallet()).toEqual(before);
});

it('transcriptions: the service replays a repeated upload at no charge, whatever its boundary, and rejects another file under the same key', async () => {
  const headers = { 'idempotency-key': 'upload-once' };
  const first = await (await post(form(wav(3), 'speech.wav'), headers)).text();
  const paid = await payer.wallet();
  const second = await post(form(wav(3), 'speech.wav'), headers);
  expect([second.headers.get('idempotent-replayed'), await second.text()]).toEqual(['true', first]);
  const other = await post(form(wav(6), 'speech.wav'), headers);
  expect(await errorOf(other)).toMatchObject({ status: 400, code: 'idempotency_key_reused' });
  expect(await payer.wallet()).toEqual(paid);
});

/** A form written by hand, for what no library writes. */
const raw = (parts: readonly string[]): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
  body: Buffer.from(`${parts.map((part) => `--x\r\n${part}\r\n`).join('')}--x--\r\n`, 'latin1'),
});
const filePart = (name: string, content: string) =>
  `content-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: audio/wav\r\n\r\n${content}`;
const audio = wav(0.24).toString('latin1');

describe('transcriptions: an upload', () => {
  it.each<readonly [string, FormData | RequestInit, string, string | null]>([
    [
      'no file',
      raw(['content-disposition: form-data; name="model"\r\n\r\nsim/stt']),
      'missing_field',
      'file',
    ],
    [
      'a text in place of the file',
      raw(['content-disposition: form-data; name="file"\r\n\r\na']),
      'missing_field',
      'file',
    ],
    ['two files', raw([filePart('a.wav', audio), filePart('b.wav', audio)]), 'invalid_value', 'file'],
    [
      'no boundary',
      { method: 'POST', headers: { 'content-type': 'multipart/form-data' }, body: 'a' },
      'invalid_value',
      'file',
    ],
    [
      'JSON',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"model":"sim/stt"}' },
      'unsupported_media_type',
      null,
    ],
  ])('%s', async (_name, fields, code, param) => {
    const before = await payer.wallet();
    const response =
      fields instanceof FormData
        ? await post(fields)
        : await service.fetch(PATH, { ...fields, key: payer.key });
    expect(await errorOf(response)).toMatchObject({ status: 400, code, param });
    expect(await payer.wallet()).toEqual(before);
  });

  it('causes an error at no charge if the wallet does not cover the estimate', async () => {
    const poor = await Payer.open(service, '0.0001');
    const response = await poor.post(PATH, form(wav(12), 'speech.wav'));
    expect(await errorOf(response)).toMatchObject({ status: 402, code: 'insufficient_credit' });
    expect(await poor.wallet()).toEqual({ balance: 100_000, held: 0 });
  });
});

it('transcriptions: the workflow settles each of them, and the ledger balances', async () => {
  expect(service.output).not.toContain('not settled by the workflow');
  expect(await service.audit()).toMatchObject({ exact: true, drift: 0, held: 0 });
});
