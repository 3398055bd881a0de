import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { LeftTexts, NOWHERE } from './left-texts.ts';
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

it('nothing of what was sent or answered is in a log, a table or a file that is left', async () => {
  const headers = () => ({ 'idempotency-key': randomUUID() });
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
    // The ways of failing: a route that breaks, a route that refuses, an answer that is malformed.
    for (const fault of [{ cut_after_bytes: 1 }, { status: 400 }, { garbage: true }]) {
      await payer.fault(fault);
      await (await call()).arrayBuffer().catch(() => {});
    }
  }
  const [transcript = ''] = transcripts;
  expect(transcript.length).toBeGreaterThan(20);
  const uploads = readdirSync(tmpdir())
    .filter((name) => name.startsWith('upload-'))
    .map((name) => join(tmpdir(), name));
  const left = new LeftTexts(service, uploads);
  // The model's name is no secret: it shows that the log and the database are searched as they are read.
  expect(left.find('requestId=req_').printed).toBe(true);
  expect(left.find('sim/tts').files).not.toEqual([]);
  for (const secret of [CANARY, transcript]) expect([secret, left.find(secret)]).toEqual([secret, NOWHERE]);
});
