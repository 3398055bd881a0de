import { describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { startUpstream } from '../../../simulators/models/server.ts';
import { ask, runningUpstream } from './running-upstream.ts';

const upstream = runningUpstream();

describe('the simulated upstream', () => {
  it('lists models to the official client', async () => {
    const models: string[] = [];
    for await (const model of upstream.openai().models.list()) models.push(model.id);
    expect(models.length).toBeGreaterThan(1);
  });

  it.each([{}, { authorization: 'Bearer' }, { authorization: 'Bearer  ' }, { authorization: 'Basic abc' }])(
    'refuses a request with headers %j as OpenAI does',
    async (headers) => {
      const response = await upstream.post(ask('x'), { headers });
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

  it('raises the error classes of the official client', async () => {
    const wrongPath = new OpenAI({ apiKey: 'k', baseURL: `${upstream.running.url}/v2`, maxRetries: 0 });
    await expect(wrongPath.models.list()).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const response = await fetch(`${upstream.running.url}/v1/chat/completions`, {
      headers: { authorization: 'Bearer k' },
    });
    expect(response.status).toBe(405);
  });

  it('gives every response a request id of its own', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await upstream.post(ask('x'))).headers.get('x-request-id')),
    );
    expect(ids[0]).toMatch(/^req_/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('paces content chunks by the delay it was started with', async () => {
    const pauses: number[] = [];
    const slow = await startUpstream({ chunkDelayMs: 20, wait: async (ms) => void pauses.push(ms) });
    try {
      const client = new OpenAI({ apiKey: 'k', baseURL: `${slow.url}/v1` });
      const stream = await client.chat.completions.create({
        ...ask('Repeat exactly: a b c d e f'),
        stream: true,
      });
      for await (const _chunk of stream);
      expect(pauses).toEqual([20, 20, 20, 20, 20]);
    } finally {
      await slow.close();
    }
  });

  it('closes although clients wait for answers', async () => {
    const other = await startUpstream();
    const waiting = fetch(`${other.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer k' },
      body: JSON.stringify(ask('x', 'hang')),
    });
    const failed = expect(waiting).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await other.close();
    await failed;
  });

  it('refuses to start on a port that is taken', async () => {
    const port = Number(new URL(upstream.running.url).port);
    await expect(startUpstream({ port })).rejects.toThrow('EADDRINUSE');
  });
});
