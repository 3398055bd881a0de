/** Calls of the playground, with a temporary key with a small cap. The key exists only in the memory of this page. */
import { createParser } from 'eventsource-parser';
import { ApiError, call, SERVICE } from './client.ts';
import type { NewApiKey } from './types.ts';
import { KIND_PATHS } from './values.ts';

/** The most that a playground's key may spend. */
export const PLAYGROUND_CAP_USD = '0.25';

let key: Promise<NewApiKey> | undefined;

/** Returns the key of this page load; created at its first use, revoked when the user leaves the page. */
function playgroundKey(): Promise<NewApiKey> {
  key ??= makeKey();
  key.catch(() => {
    key = undefined;
  });
  return key;
}

async function makeKey(): Promise<NewApiKey> {
  const body = { name: 'Playground', policy: { daily_usd: PLAYGROUND_CAP_USD } };
  const newKey = await call<NewApiKey>('/api-keys', { method: 'POST', body });
  addEventListener('pagehide', endPlaygroundKey, { once: true });
  return newKey;
}

/** Ends the key, if there is one, even while the page goes away. */
export async function endPlaygroundKey(): Promise<void> {
  const createdKey = await key?.catch(() => undefined);
  key = undefined;
  if (createdKey === undefined) return;
  await fetch(`${SERVICE}/api-keys/${encodeURIComponent(createdKey.id)}`, {
    method: 'DELETE',
    headers: { 'x-requested-with': 'console' },
    keepalive: true,
  }).catch(() => {});
}

/** The metrics of a call of the playground, in addition to its output. */
export interface PlaygroundMetrics {
  readonly requestId: string;
  /** Milliseconds until the first text, or until the complete response of a call that is not streamed. */
  readonly firstMs: number;
  readonly totalMs: number;
  /** The output ended at its limit, not by itself. */
  readonly cut: boolean;
}

/** Sends a call with the playground's key; rejects with an `ApiError` for an error of the service. */
export async function inference(
  path: string,
  body: unknown,
  signal: AbortSignal,
): Promise<{ readonly response: Response; readonly requestId: string }> {
  const { key: secret } = await playgroundKey();
  const response = await fetch(`${SERVICE}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
    },
    body: body instanceof FormData ? body : JSON.stringify(body),
    credentials: 'omit',
    signal,
  });
  if (response.ok) return { response, requestId: response.headers.get('x-request-id') ?? '' };
  const { error } = await response.json().catch(() => ({ error: {} }));
  const { code = '', message = `The service returned ${response.status}.`, param = null } = error ?? {};
  throw new ApiError(response.status, code, message, param);
}

interface Chunk {
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly delta?: {
      readonly content?: string | null;
      readonly tool_calls?: readonly {
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
  }[];
  readonly error?: { readonly message?: string };
}

/** The text of a chunk of a streamed chat completion; calls of tools as text. */
function textOf({ choices = [], error }: Chunk): string {
  if (error !== undefined) throw new Error(error.message ?? 'The stream ended in an error.');
  const { content, tool_calls: tools = [] } = choices[0]?.delta ?? {};
  const called = tools.map(({ function: { name, arguments: callArguments = '' } = {} }) =>
    name === undefined ? callArguments : `\n${name}(${callArguments}`,
  );
  return (content ?? '') + called.join('');
}

/** Streams a chat completion; hands each text on as it comes. */
export async function streamChat(
  body: object,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<PlaygroundMetrics> {
  const startedMs = performance.now();
  const { response, requestId } = await inference(KIND_PATHS.chat, { ...body, stream: true }, signal);
  let firstMs: number | undefined;
  let failure: Error | undefined;
  let cut = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]' || failure !== undefined) return;
      try {
        const chunk = JSON.parse(data) as Chunk;
        const text = textOf(chunk);
        cut ||= chunk.choices?.[0]?.finish_reason === 'length';
        if (text === '') return;
        firstMs ??= performance.now() - startedMs;
        onText(text);
      } catch (reason) {
        failure = reason as Error;
      }
    },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    parser.feed(value);
  }
  if (failure !== undefined) throw failure;
  const totalMs = performance.now() - startedMs;
  return { requestId, firstMs: firstMs ?? totalMs, totalMs, cut };
}
