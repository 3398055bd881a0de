import { describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { chatRequest, runningUpstream } from '../testing/models/running-upstream.ts';
import { startUpstream } from './server.ts';

const upstream = runningUpstream();

describe('the simulated upstream', () => {
  it.each([{}, { authorization: 'Bearer' }, { authorization: 'Bearer  ' }, { authorization: 'Basic abc' }])(
    'rejects a request with headers %j as OpenAI does',
    async (headers) => {
      const response = await upstream.post(chatRequest('x'), { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({
        error: {
          message: expect.stringContaining('API key'),
          type: 'invalid_request_error',
          param: null,
          code: null,
        },
      });
      expect((await fetch(`${upstream.running.url}/v1/models`, { headers })).status).toBe(401);
    },
  );

  it('paces content chunks by the delay it was started with', async () => {
    const pauses: number[] = [];
    const slow = await startUpstream({ chunkDelayMs: 20, wait: async (ms) => void pauses.push(ms) });
    try {
      const client = new OpenAI({ apiKey: 'k', baseURL: `${slow.url}/v1` });
      const stream = await client.chat.completions.create({
        ...chatRequest('Repeat exactly: a b c d e f'),
        stream: true,
      });
      for await (const _chunk of stream);
      expect(pauses).toEqual([20, 20, 20, 20, 20]);
    } finally {
      await slow.close();
    }
  });

  it('closes although clients wait for responses', async () => {
    const other = await startUpstream();
    const waiting = fetch(`${other.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer k' },
      body: JSON.stringify(chatRequest('x', 'hang')),
    });
    const failed = expect(waiting).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await other.close();
    await failed;
  });
});
