/** A real upstream on a free port for one test file, with the clients tests use. */
import { setTimeout } from 'node:timers/promises';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';
import type { RequestRecord } from '../../models/control/request-log.ts';
import { startUpstream, type Upstream } from '../../models/server.ts';

const POLL_MS = 5;

const jsonText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

export const CLAUDE_HEADERS = { 'x-api-key': 'test', 'anthropic-version': '2023-06-01' };

/** A signature in the right form, which is all that the upstream can check. */
export const SIGNED_HEADERS = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20261101/eu-central-1/bedrock/aws4_request, ' +
    `SignedHeaders=content-type;host;x-amz-date, Signature=${'0a'.repeat(32)}`,
  'x-amz-date': '20261101T120000Z',
};

export class RunningUpstream {
  running!: Upstream;

  openai(): OpenAI {
    const baseURL = `${this.running.url}/v1`;
    return new OpenAI({ apiKey: 'test', baseURL, maxRetries: 0, logLevel: 'off' });
  }

  /** Over HTTP/1.1, where the client's own choice would be HTTP/2. */
  bedrock(): BedrockRuntimeClient {
    return new BedrockRuntimeClient({
      endpoint: this.running.url,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'test' },
      maxAttempts: 1,
      requestHandler: new NodeHttpHandler(),
    });
  }

  /** A request over plain HTTP to any route; a body that is a string is sent as it is. */
  postTo(path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
    return fetch(`${this.running.url}${path}`, { method: 'POST', body: jsonText(body), ...init, headers });
  }

  /** A request to the Messages API as version 2023-06-01 has it. */
  postMessage(body: unknown): Promise<Response> {
    return this.postTo('/v1/messages', body, { headers: CLAUDE_HEADERS });
  }

  postConverse(operation: 'converse' | 'converse-stream', body: unknown, model = 'sim'): Promise<Response> {
    const path = `/model/${encodeURIComponent(model)}/${operation}`;
    return this.postTo(path, body, { headers: SIGNED_HEADERS });
  }

  /** A chat request over plain HTTP; a body that is a string is sent as it is. */
  post(body: unknown, init: RequestInit = {}): Promise<Response> {
    return this.postTo('/v1/chat/completions', body, { headers: { authorization: 'Bearer test' }, ...init });
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

  /** The newest record once `done` holds for it. */
  async lastRequest(done: (record: RequestRecord) => boolean = () => true): Promise<RequestRecord> {
    for (; ; await setTimeout(POLL_MS)) {
      const listed = await (await this.control('GET', '/requests')).json();
      const last = (listed as { requests: RequestRecord[] }).requests.at(-1);
      if (last !== undefined && done(last)) return last;
    }
  }
}

/** An upstream that runs while the tests of this file do, and forgets faults between them. */
export function runningUpstream(): RunningUpstream {
  const upstream = new RunningUpstream();
  beforeAll(async () => {
    upstream.running = await startUpstream({ chunkDelayMs: 0 });
  });
  afterEach(() => upstream.control('DELETE', '/faults'));
  afterAll(() => upstream.running.close());
  return upstream;
}

export const chatRequest = (content: string, model = 'sim-small') => ({
  model,
  messages: [{ role: 'user' as const, content }],
});
