import { readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Payer } from './payer.ts';
import { form, wav } from './recordings.ts';
import { Service } from './service.ts';

const CANARY = 'quetzalcoatlus';
const service = new Service({ LOG_LEVEL: 'DEBUG' });
let payer: Payer;

beforeAll(async () => {
  await service.start();
  payer = await Payer.open(service, '5');
}, 90_000);
afterAll(() => service.dispose());

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());

it('nothing of what was sent or answered is in a log, a table or a file that is left', async () => {
  const headers = () => ({ 'idempotency-key': `${Math.random()}` });
  const calls = [
    () => payer.post('/v1/embeddings', { input: `${CANARY} embedding` }, headers()),
    () =>
      payer.post(
        '/v1/images/generations',
        { model: 'sim/image', prompt: CANARY, size: '512x512' },
        headers(),
      ),
    () => payer.post('/v1/embeddings', { model: 'sim/embed-bedrock', input: CANARY }, headers()),
    () => payer.post('/v1/images/generations', { model: 'sim/image-bedrock', prompt: CANARY }, headers()),
    () => payer.post('/v1/audio/speech', { model: 'sim/tts', input: CANARY }, headers()),
    () =>
      payer.post('/v1/audio/transcriptions', form(wav(1.2), `${CANARY}.wav`, { prompt: CANARY }), headers()),
  ];
  const transcripts: string[] = [];
  for (const call of calls) {
    const response = await call();
    expect(response.status).toBe(200);
    const body = await response.text();
    if (body.startsWith('{"text"')) transcripts.push((JSON.parse(body) as { text: string }).text);
    // The ways of failing: a route that breaks, a route that refuses, an answer that is none.
    for (const fault of [{ cut_after_bytes: 1 }, { status: 400 }, { garbage: true }]) {
      await payer.fault(fault);
      await (await call()).arrayBuffer().catch(() => {});
    }
  }
  const [transcript = ''] = transcripts;
  expect(transcript.length).toBeGreaterThan(20);
  const left = [
    ...filesIn(service.directory),
    ...readdirSync(tmpdir())
      .filter((name) => name.startsWith('upload-'))
      .map((name) => join(tmpdir(), name)),
  ];
  expect(left.length).toBeGreaterThan(1);
  const texts = [service.output, ...left.map((path) => readFileSync(path, 'latin1'))];
  for (const secret of [CANARY, transcript])
    expect(texts.filter((text) => text.includes(secret)).length).toBe(0);
}, 60_000);
