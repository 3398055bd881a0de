/** The OpenAI protocol over HTTP: every server that speaks `POST {base_url}/chat/completions`. */
import { type Attempt, type Provider, type Reply, UpstreamFailure } from '../../core/inference/provider.ts';
import type { SecretReader } from '../../core/ports.ts';
import { sseData } from '../sse-data.ts';
import { toFailure } from './errors.ts';
import { toRequestBody } from './request.ts';
import { toReply } from './response.ts';
import { toReplyEvents } from './stream.ts';

export interface OpenAiDependencies {
  readonly fetch: typeof fetch;
  readonly readSecret: SecretReader;
}

export function createOpenAiProvider({ fetch, readSecret }: OpenAiDependencies): Provider {
  async function readKey(reference: string | undefined): Promise<string | undefined> {
    if (reference === undefined) return undefined;
    try {
      return await readSecret(reference);
    } catch (cause) {
      throw new UpstreamFailure('secret', { cause });
    }
  }

  async function post({ route, payload, signal }: Attempt): Promise<Response> {
    const key = await readKey(route.secret);
    const response = await fetch(`${route.base_url}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: payload.stream ? 'text/event-stream' : 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(toRequestBody(payload, route.upstream_model)),
      // A redirect would carry the prompt to a host that the catalog does not name.
      redirect: 'error',
      signal,
    });
    if (!response.ok) throw await toFailure(response);
    return response;
  }

  async function chat(attempt: Attempt): Promise<Reply> {
    try {
      const response = await post(attempt);
      if (!attempt.payload.stream) return toReply(await json(response), attempt.identity);
      const { body } = response;
      if (body === null || !isEventStream(response)) throw new UpstreamFailure('protocol');
      return { kind: 'stream', events: connected(toReplyEvents(sseData(body), attempt.identity)) };
    } catch (failure) {
      throw asFailure(failure);
    }
  }

  return { chat };
}

const isEventStream = (response: Response) =>
  response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true;

async function json(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new UpstreamFailure('protocol');
  }
}

/** The same events; a connection that breaks while they are read is an upstream failure. */
async function* connected<T>(events: AsyncIterable<T>): AsyncGenerator<T, void> {
  try {
    yield* events;
  } catch (failure) {
    throw failure instanceof UpstreamFailure
      ? failure
      : new UpstreamFailure('interrupted', { cause: failure });
  }
}

function asFailure(failure: unknown): UpstreamFailure {
  return failure instanceof UpstreamFailure ? failure : new UpstreamFailure('connection', { cause: failure });
}
