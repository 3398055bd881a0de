/** PDF documents and audio from callers of every format over routes of every protocol that has a form for them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CountingTill, CREDENTIAL } from '../fuzz/counting-till.ts';
import {
  modelOf,
  PROTOCOLS,
  routeTo,
  type Service,
  type SurfaceName,
  startService,
  TOKEN_PRICE,
} from '../fuzz/running-service.ts';
import { Wire } from '../fuzz/wire.ts';

const PRICE = { ...TOKEN_PRICE, audio_input: 3 };

const catalogOf = (origin: string) => {
  const models = (owner: string, capabilities: readonly string[]) =>
    PROTOCOLS.map((protocol) => {
      const id = `${owner}/${protocol}`;
      const routes = [routeTo(origin, protocol, { id, capabilities })];
      return modelOf(id, 'chat', PRICE, { context_window: 100_000, max_output_tokens: 1_000, routes });
    });
  return { models: [...models('sim', ['documents', 'audio', 'stream']), ...models('seeing', ['vision'])] };
};

const till = new CountingTill();
let service: Service;
beforeAll(async () => {
  service = await startService(till, Object.assign(new Wire(1_000_000), { catalog: catalogOf }));
});
afterAll(() => service.stop());

const PDF = 'JVBERi0xLjQK';
const DATA_URL = `data:application/pdf;base64,${PDF}`;
const QUESTION = 'Say exactly: seen';

/** A request with a PDF in the bytes of which nothing is read. */
const DOCUMENTS: Readonly<Record<'chat' | 'messages' | 'responses', object>> = {
  chat: {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'a.pdf', file_data: DATA_URL } },
          { type: 'text', text: QUESTION },
        ],
      },
    ],
  },
  messages: {
    max_tokens: 100,
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: PDF },
            title: 'a.pdf',
          },
          { type: 'text', text: QUESTION },
        ],
      },
    ],
  },
  responses: {
    max_output_tokens: 100,
    store: false,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_file', filename: 'a.pdf', file_data: DATA_URL },
          { type: 'input_text', text: QUESTION },
        ],
      },
    ],
  },
};

async function send(format: SurfaceName, model: string, body: object) {
  const headers = { authorization: `Bearer ${CREDENTIAL}`, 'content-type': 'application/json' };
  const response = await service.send(format, { headers, body: JSON.stringify({ model, ...body }) });
  return { status: response.status, text: await response.text() };
}

const FORMATS = ['chat', 'messages', 'responses'] as const;

describe.each(FORMATS)('a PDF from a caller of %s', (format) => {
  it.each(PROTOCOLS)('reaches a model behind a route of %s', async (protocol) => {
    const { status, text } = await send(format, `sim/${protocol}`, DOCUMENTS[format]);
    expect(`${status} ${text}`).toMatch(/^200 .*"seen"/s);
    expect(till.open).toEqual(new Map());
  });

  it.each(PROTOCOLS)(
    'needs only the vision capability if all routes with vision read it: %s',
    async (protocol) => {
      const { status, text } = await send(format, `seeing/${protocol}`, DOCUMENTS[format]);
      const reads = ['anthropic', 'openai-responses', 'gemini'].includes(protocol);
      expect(status).toBe(reads ? 200 : 400);
      if (!reads) expect(text).toContain('documents');
    },
  );
});

describe('audio from a caller of chat', () => {
  const content = [
    { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
    { type: 'text', text: QUESTION },
  ];

  it.each(PROTOCOLS)(
    'reaches the model if the protocol has a format for it, and is rejected with 400 otherwise: %s',
    async (protocol) => {
      const { status, text } = await send('chat', `sim/${protocol}`, {
        messages: [{ role: 'user', content }],
      });
      if (protocol === 'openai' || protocol === 'gemini')
        expect(`${status} ${text}`).toMatch(/^200 .*"seen"/s);
      else expect(`${status} ${text}`).toMatch(/^400 .*audio/s);
      expect(till.open).toEqual(new Map());
    },
  );
});
