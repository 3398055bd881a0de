/** Whole calls: the bytes of a vendor's answer through a provider and the caller's format. */
import { Readable } from 'node:stream';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import { NO_TOKENS, type TokenUsage } from '../../core/pricing/token-usage.ts';
import type { CallerProtocol, ChatPayload } from '../../core/upstream/provider.ts';
import { chatFormat } from '../../formats/chat/format.ts';
import { messagesFormat } from '../../formats/messages/format.ts';
import { responsesFormat } from '../../formats/responses/format.ts';
import { createProviders } from '../../providers/protocols.ts';
import { framesOf } from '../completions/frames.ts';
import { PLAIN_SEALED_TOKENS } from '../upstream/plain-sealed-tokens.ts';
import { frame, type WireEvent } from './bedrock/frames.ts';
import { DEPENDENCIES, EVENT_STREAM, JSON_TYPE, routeOf } from './http-calls.ts';
import { CONVERSATION, convertedPayload } from './payloads.ts';
import { SIGNATURES } from './sealing.ts';
import { eventsIn, wire } from './streams.ts';

export type RouteProtocol = CatalogRoute['protocol'];

export const ROUTES = ['openai', 'openai-responses', 'anthropic', 'bedrock', 'gemini'] as const;
export const CALLERS = ['openai', 'openai-responses', 'anthropic'] as const;

const FORMATS = { openai: chatFormat, 'openai-responses': responsesFormat, anthropic: messagesFormat };

/** An answer of a vendor: a whole body, or the data of its events. */
export type Wire = { readonly body: unknown } | { readonly events: readonly unknown[] };

/** The answer that a caller reads, in terms that all formats share. */
export interface Heard {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** The format's own word. */
  readonly end: unknown;
  readonly usage: TokenUsage | undefined;
}

export interface PlayedCall {
  readonly caller: CallerProtocol;
  readonly route: RouteProtocol;
  /** The request of the caller's format. */
  readonly request?: JsonObject;
  readonly payload?: ChatPayload;
}

/** Returns what a caller hears of a vendor's answer. Throws the failure of the route. */
export async function play(
  { caller, route, request = {}, payload }: PlayedCall,
  answer: Wire,
): Promise<Heard> {
  const stream = 'events' in answer;
  const format = FORMATS[caller];
  const call = {
    request: { model: 'a/b', messages: [], ...request } as never,
    responseId: format.responseId('01J'),
    createdMs: 0,
    clock: () => 0,
    sealedTokens: PLAIN_SEALED_TOKENS,
    catalog: 'c',
  };
  const { writer: createWriter, encoder } = format.createWriter(call);
  const identity = { id: call.responseId, model: 'a/b' };
  const writer = createWriter({ identity, promptTokens: () => 1 });
  const response = await providersFor(answer)[route].chat({
    route: routeOf({ protocol: route, base_url: 'http://vendor.test/v1' }),
    payload: payload ?? { ...convertedPayload(CONVERSATION, stream, caller), body: request },
    identity,
    signatures: SIGNATURES,
    maxBytes: 1_000_000,
    signal: new AbortController().signal,
  });
  if (response.kind === 'json') {
    const { usage, completeResponse } = response;
    return { ...heardIn(caller, JSON.parse(writer.body(completeResponse, usage ?? NO_TOKENS))), usage };
  }
  let usage: TokenUsage | undefined;
  const events: JsonObject[] = [];
  for await (const event of eventsIn(response.batches)) {
    usage = event.usage ?? usage;
    if (event.nativeEvent !== undefined) events.push(event.nativeEvent);
    for (const part of event.parts ?? []) events.push(...writer.events(part));
  }
  const sse = [...framesOf(encoder, events, { usage: usage ?? NO_TOKENS, cost: 0n })].join('');
  const data = sse
    .split('\n')
    .flatMap((line) => (/^data: [^[]/.test(line) ? [JSON.parse(line.slice(6))] : []));
  return { ...heardInStream(caller, data), usage };
}

function providersFor(answer: Wire) {
  const headers = 'events' in answer ? EVENT_STREAM : JSON_TYPE;
  const bytes = 'events' in answer ? wire(...answer.events) : Buffer.from(JSON.stringify(answer.body));
  const frames = () =>
    'events' in answer ? answer.events.map((event) => frame(event as WireEvent)) : [bytes];
  const converse = {
    'content-type': 'events' in answer ? 'application/vnd.amazon.eventstream' : 'application/json',
  };
  const client = new BedrockRuntimeClient({
    endpoint: 'http://bedrock.test',
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
    requestHandler: {
      handle: async () => ({
        response: {
          statusCode: 200,
          headers: converse,
          body: Readable.from(frames(), { objectMode: false }),
        },
      }),
    },
  });
  return createProviders({
    ...DEPENDENCIES,
    fetch: async () => new Response(bytes, { headers }),
    bedrockClient: () => client,
  });
}

interface ChatFunction {
  readonly name?: string;
  readonly arguments?: string;
}

interface ChatCall {
  readonly index: number;
  readonly id?: string;
  readonly function?: ChatFunction;
}

interface ChatMessage {
  readonly content?: string | null;
  readonly tool_calls?: readonly ChatCall[];
}

interface ChatChoice {
  readonly message: ChatMessage;
  readonly delta: ChatMessage;
  readonly finish_reason: unknown;
}

interface Block {
  readonly type: string;
  readonly text: string;
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

interface Item {
  readonly type: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

type FormatAnswer = Omit<Heard, 'usage'>;

/** A whole body of any of the three formats. */
interface Body {
  readonly choices: readonly ChatChoice[];
  readonly content: readonly Block[];
  readonly stop_reason: unknown;
  readonly output: readonly Item[];
  readonly status: string;
  readonly incomplete_details?: { readonly reason: string } | null;
}

function heardIn(caller: CallerProtocol, body: Body): FormatAnswer {
  if (caller === 'openai') {
    const [choice] = body.choices;
    const { content, tool_calls: calls = [] } = choice?.message ?? {};
    return {
      text: content ?? '',
      calls: calls.map(({ id = '', function: called }) => ({ id, name: '', arguments: '', ...called })),
      end: choice?.finish_reason,
    };
  }
  if (caller === 'anthropic') {
    const calls = body.content.filter(({ type }) => type === 'tool_use');
    return {
      text: body.content.map(({ type, text }) => (type === 'text' ? text : '')).join(''),
      calls: calls.map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) })),
      end: body.stop_reason,
    };
  }
  const calls = body.output.filter(({ type }) => type === 'function_call');
  return {
    text: body.output
      .flatMap(({ content = [] }) => content)
      .map(({ text = '' }) => text)
      .join(''),
    calls: calls.map(({ call_id: id, name, arguments: json }) => ({ id, name, arguments: json })),
    end: body.incomplete_details?.reason ?? body.status,
  };
}

/** One event of any of the three formats. */
interface StreamEvent {
  readonly type: string;
  readonly choices: readonly ChatChoice[];
  readonly index: number;
  readonly delta?: { readonly text?: string; readonly partial_json?: string; readonly stop_reason?: unknown };
  readonly content_block?: Block;
  readonly response?: Body;
}

function heardInStream(caller: CallerProtocol, events: readonly StreamEvent[]): FormatAnswer {
  if (caller === 'openai') return heardInChunks(events);
  if (caller === 'anthropic') return heardInMessage(events);
  const response = events.at(-1)?.response;
  if (response === undefined) throw new Error('the stream has no response at its end');
  return heardIn(caller, response);
}

type HeardCall = { -readonly [Field in keyof Heard['calls'][number]]: string };

/** Joins calls by their numbers, as OpenAI's SDK does. Throws if more than one chunk ends the choice. */
function heardInChunks(chunks: readonly StreamEvent[]): FormatAnswer {
  const calls: HeardCall[] = [];
  const ends: unknown[] = [];
  let text = '';
  for (const { delta, finish_reason: end } of chunks.flatMap(({ choices }) => choices)) {
    text += delta.content ?? '';
    if (end !== null) ends.push(end);
    for (const { index, id = '', function: called } of delta.tool_calls ?? []) {
      calls[index] ??= { id: '', name: '', arguments: '' };
      calls[index].id += id;
      calls[index].name += called?.name ?? '';
      calls[index].arguments += called?.arguments ?? '';
    }
  }
  if (ends.length > 1) throw new Error(`the choice ends more than once: ${ends}`);
  return { text, calls, end: ends[0] };
}

function heardInMessage(events: readonly StreamEvent[]): FormatAnswer {
  const calls = new Map<number, HeardCall>();
  let text = '';
  let end: unknown;
  for (const { index, delta, content_block: block } of events) {
    if (block?.type === 'tool_use') {
      const { id, name, input } = block;
      calls.set(index, {
        id,
        name,
        arguments: Object.keys(input).length === 0 ? '' : JSON.stringify(input),
      });
    }
    text += delta?.text ?? '';
    const call = calls.get(index);
    if (call !== undefined) call.arguments += delta?.partial_json ?? '';
    end = delta?.stop_reason ?? end;
  }
  return { text, calls: [...calls.values()], end };
}
