import { describe, expect, it } from '@jest/globals';
import { until } from '../../../tools/test-kit/waiting.ts';
import { Payer } from '../payer.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '5');

/** Prompts whose tokens are many more than their characters suggest, and one that has no surprise. */
const PROMPTS: Readonly<Record<string, string>> = {
  'blank lines': '\n'.repeat(16_000),
  Cherokee: 'ᎠᎡᎢᎣᎤ'.repeat(1_000),
  Deseret: '𐐀𐐁𐐂𐐃'.repeat(500),
  Amharic: 'ሰላም እንደምን '.repeat(330),
  pictographs: '🌍🦊🪐🎻'.repeat(500),
  base64: Buffer.from(Array.from({ length: 6_000 }, (_, at) => (at * 7_919) % 251)).toString('base64'),
  English: 'The quick brown fox jumps over the lazy dog. '.repeat(100),
};

const CHUNKS = 3;

/** The number of prompt tokens that a call was billed for, once it has settled. */
async function billedTokens(response: Response): Promise<number> {
  const settled = await until(
    () => payer.record<{ readonly input_units?: number }>(response),
    ({ input_units: tokens }) => tokens !== undefined,
  );
  return settled.input_units ?? 0;
}

describe.each(Object.entries(PROMPTS))('a caller that leaves its stream: %s', (_name, prompt) => {
  const streamed = (model: string) =>
    payer.post('/v1/chat/completions', {
      model,
      messages: [{ role: 'user', content: `${prompt}\nwrite 60 words` }],
      max_tokens: 100,
      stream: true,
    });

  /** Reads the first events of a stream, then closes the connection. */
  async function leave(model: string): Promise<Response> {
    const response = await streamed(model);
    expect(response.status).toBe(200);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (text.split('data: ').length <= CHUNKS) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the stream ended after ${text}`);
      text += Buffer.from(value).toString();
    }
    await reader.cancel();
    return response;
  }

  it.each(['sim/chat-large', 'sim/chat-anthropic'])(
    'pays for its prompt what a caller that stays pays for it: %s',
    async (model) => {
      const stayed = await streamed(model);
      await stayed.text();
      const tokens = await billedTokens(stayed);
      expect(tokens).toBeGreaterThan(500);
      expect(await billedTokens(await leave(model))).toBe(tokens);
    },
  );
});
