/** A real upstream on a free port for one test file, with the clients tests use. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import OpenAI from 'openai';
import type { RequestRecord } from '../../../local/upstream/control/request-log.ts';
import { startUpstream, type Upstream, type UpstreamOptions } from '../../../local/upstream/server.ts';

const POLL_MS = 5;
const PATIENCE_MS = 2000;
/** Long enough for a server on this machine to answer, were it going to. */
const SILENCE_MS = 50;

const jsonText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

export class RunningUpstream {
  #upstream: Upstream | undefined;

  async start(options: UpstreamOptions): Promise<void> {
    this.#upstream = await startUpstream({ chunkDelayMs: 0, ...options });
  }

  get running(): Upstream {
    if (this.#upstream === undefined) throw new Error('the upstream is not running');
    return this.#upstream;
  }

  openai(): OpenAI {
    const baseURL = `${this.running.url}/v1`;
    return new OpenAI({ apiKey: 'test', baseURL, maxRetries: 0, logLevel: 'off' });
  }

  /** A chat request over plain HTTP; a body that is a string is sent as it is. */
  post(body: unknown, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.running.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer test', 'content-type': 'application/json' },
      body: jsonText(body),
      ...init,
    });
  }

  control(method: string, path: string, body?: unknown): Promise<Response> {
    const init = body === undefined ? { method } : { method, body: jsonText(body) };
    return fetch(`${this.running.controlUrl}${path}`, init);
  }

  /** Queues a fault; `model` limits it to requests that name that model. */
  async fault(
    fault: Record<string, unknown>,
    options: { model?: string; times?: number } = {},
  ): Promise<void> {
    const rule = { match: { model: options.model }, fault, times: options.times };
    const response = await this.control('POST', '/faults', rule);
    if (response.status !== 201) throw new Error(await response.text());
  }

  /** The newest record once `done` holds for it; fails after two seconds. */
  async lastRequest(done: (record: RequestRecord) => boolean = () => true): Promise<RequestRecord> {
    for (const start = Date.now(); Date.now() - start < PATIENCE_MS; await setTimeout(POLL_MS)) {
      const listed = await (await this.control('GET', '/requests')).json();
      const last = (listed as { requests: RequestRecord[] }).requests.at(-1);
      if (last !== undefined && done(last)) return last;
    }
    throw new Error('no such request was recorded');
  }

  /** Fails when the request is answered; gives up on it shortly after it has arrived. */
  async expectNoAnswer(body: unknown): Promise<void> {
    const controller = new AbortController();
    const rejected = expect(this.post(body, { signal: controller.signal })).rejects.toThrow('aborted');
    await this.lastRequest((record) => record.body !== null);
    await setTimeout(SILENCE_MS);
    controller.abort();
    await rejected;
  }
}

/** An upstream that runs while the tests of this file do, and forgets faults and requests between them. */
export function runningUpstream(options: UpstreamOptions = {}): RunningUpstream {
  const upstream = new RunningUpstream();
  beforeAll(() => upstream.start(options));
  afterEach(async () => {
    await upstream.control('DELETE', '/faults');
    await upstream.control('DELETE', '/requests');
  });
  afterAll(() => upstream.running.close());
  return upstream;
}

/** A chat request of one user message. */
export const ask = (content: string, model = 'sim-small') => ({
  model,
  messages: [{ role: 'user' as const, content }],
});
