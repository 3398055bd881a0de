/**
 * The quirks of hosts that change an answer: a stream as its chunks, a whole answer as the only one. The changes work on
 * a copy that nobody else has, and a field that becomes undefined is left out.
 */
import type { SimulatedEvent } from '../exchange/reply.ts';
import { isJson, isSet, type Json, objectsIn } from './json.ts';

interface ToolCall {
  readonly id?: string;
  readonly index?: number;
  readonly function?: { readonly name?: string };
}

interface ModelOutput {
  readonly content?: unknown;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCall[];
}

interface Choice {
  readonly message?: ModelOutput;
  readonly delta?: ModelOutput;
  readonly finish_reason?: string | null;
}

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number };
}

interface Chunk {
  readonly choices?: readonly Choice[];
  readonly usage?: Usage | null;
}

/** One event of an answer; `chunk` is absent for what is no chunk, such as `[DONE]`. */
export interface Part {
  readonly event: SimulatedEvent;
  readonly chunk?: Chunk;
}

type Change = (parts: readonly Part[], request: Json) => readonly Part[];

export interface HostQuirk {
  /** Throws `RequestError` for a request that the host refuses. */
  readonly check?: (body: Json) => void;
  /** Returns whether the request asks the model to think; undefined if it has no field that the host reads. */
  readonly thinks?: (body: Json) => boolean | undefined;
  readonly change?: Change;
  /** It gives an account in streams that did not ask for one. */
  readonly counts?: true;
}

const patch =
  <Item extends object>(itemsOf: (chunk: Chunk) => readonly Item[]) =>
  (fieldsOf: (item: Item, request: Json) => object): Change =>
  (parts, request) => {
    for (const { chunk } of parts)
      for (const item of chunk === undefined ? [] : itemsOf(chunk))
        Object.assign(item, fieldsOf(item, request));
    return parts;
  };

const choicesOf = ({ choices = [] }: Chunk): readonly Choice[] => choices;

const saidOf = (chunk: Chunk): readonly ModelOutput[] =>
  choicesOf(chunk).flatMap(({ message, delta }) => [message, delta].flatMap((said) => said ?? []));

const chunks = patch((chunk) => [chunk]);
const choices = patch(choicesOf);
/** Changes the messages, or the deltas of them. */
const said = patch(saidOf);
const calls = patch((chunk) => saidOf(chunk).flatMap(({ tool_calls = [] }) => tool_calls));

const finish = (change: (reason: string) => string): Change =>
  choices(({ finish_reason: reason }) =>
    typeof reason === 'string' ? { finish_reason: change(reason) } : {},
  );

/** Reasoning under another name, of another form. */
const reasoning = (fieldsOf: (text: string) => object): Change =>
  said(({ reasoning_content: text }) =>
    text === undefined ? {} : { reasoning_content: undefined, ...fieldsOf(text) },
  );

/** Other fields in the account in place of the details of the prompt. */
const details = (fieldsOf: (cached: number, prompt: number) => object): Change =>
  chunks(({ usage }) => {
    if (usage === undefined || usage === null) return {};
    const { prompt_tokens: prompt, prompt_tokens_details: { cached_tokens: cached = 0 } = {} } = usage;
    return { usage: { ...usage, prompt_tokens_details: undefined, ...fieldsOf(cached, prompt) } };
  });

const inStreams =
  (change: Change): Change =>
  (parts, request) =>
    request.stream === true ? change(parts, request) : parts;

export const signed = (signatureOf: (name: unknown) => string): Change =>
  said(({ tool_calls: [first, ...rest] = [] }) => {
    if (first?.id === undefined || (first.index ?? 0) > 0) return {};
    const google = { thought_signature: signatureOf(first.function?.name) };
    return { tool_calls: [{ ...first, extra_content: { google } }, ...rest] };
  });

const isAccount = ({ chunk: { usage, choices } = {} }: Part): boolean =>
  isSet(usage) && choices?.length === 0;

/** Moves the account of a stream, which has a chunk of its own, elsewhere. */
const account =
  (change: (usage: Usage | undefined) => readonly Change[]): Change =>
  (parts, request) => {
    const usage = parts.find(isAccount)?.chunk?.usage ?? undefined;
    const rest: readonly Part[] = parts.filter((part) => !isAccount(part));
    return change(usage).reduce((changed, each) => each(changed, request), rest);
  };

const hasEnded = ({ finish_reason: reason }: Choice): boolean => typeof reason === 'string';

const isDone = ({ event }: Part): boolean => event.data === '[DONE]';

/** Events that no format of this kind names: one with a name, and one that is an object of another kind. */
const UNKNOWN: readonly Part[] = [
  { event: { name: 'ping', data: '{"type":"ping"}', part: 'between' } },
  { event: { data: '{"object":"host.heartbeat","elapsed_ms":12}', part: 'between' } },
];

export const dataOf = ({ event, chunk }: Part): string =>
  chunk === undefined ? event.data : JSON.stringify(chunk);

/** Two chunks in the data of one event, a line each. */
const inPairs: Change = (parts) => {
  const paired: Part[] = [];
  let isOpen = false;
  for (const part of parts) {
    const isAlone = isDone(part) || part.event.name !== undefined;
    const first: Part | undefined = isOpen && !isAlone ? paired.pop() : undefined;
    paired.push(
      first === undefined ? part : { event: { ...part.event, data: `${dataOf(first)}\n${dataOf(part)}` } },
    );
    isOpen = !isAlone && first === undefined;
  }
  return paired;
};

const requestsJson = ({ response_format: format }: Json): boolean =>
  isJson(format) && String(format.type).startsWith('json');

const hasParts = ({ messages }: Json): boolean =>
  objectsIn(messages).some(({ content }) => Array.isArray(content));

const isText = (content: unknown): content is string => typeof content === 'string' && content !== '';

export const ANSWER_QUIRKS = {
  /** A JSON answer stands in the reasoning, and the text is empty. */
  'json-in-reasoning': {
    change: said(({ content }, request) => {
      if (!requestsJson(request)) return {};
      return { content: '', reasoning_content: isText(content) ? content : undefined };
    }),
  },
  'reasoning-named-reasoning': { change: reasoning((text) => ({ reasoning: text })) },
  /** OpenRouter docs, "Reasoning tokens", `reasoning_details`. */
  'reasoning-in-details': {
    change: reasoning((text) => ({
      reasoning_details: [{ type: 'reasoning.text', text, format: 'unknown', index: 0 }],
    })),
  },
  /** Texts come as a list of parts where any of the request did. */
  'mirrors-content': {
    change: said(({ content: text }, request) =>
      isText(text) && hasParts(request) ? { content: [{ type: 'text', text }] } : {},
    ),
  },
  'empty-call-ids': { change: calls(({ id }) => (id === undefined ? {} : { id: '' })) },
  /** Only streams number their calls. */
  'no-call-index': { change: inStreams(calls(() => ({ index: undefined }))) },
  'one-call-index': { change: inStreams(calls(() => ({ index: 0 }))) },
  'gaps-in-call-indexes': { change: inStreams(calls(({ index = 0 }) => ({ index: 2 + 3 * index }))) },
  /** Arguments that could be whole are sent before the real ones. */
  'arguments-go-on': {
    change: inStreams(
      calls(({ id, function: called }) =>
        id === undefined ? {} : { function: { ...called, arguments: '{}' } },
      ),
    ),
  },
  'stop-with-calls': { change: finish((reason) => (reason === 'tool_calls' ? 'stop' : reason)) },
  'no-finish-reason': { change: choices(() => ({ finish_reason: undefined })) },
  'empty-finish-reason': { change: finish(() => '') },
  'new-finish-reason': { change: finish(() => 'end') },
  /** DeepSeek API docs, "Context Caching". */
  'cached-as-hits': {
    change: details((cached, prompt) => ({
      prompt_cache_hit_tokens: cached,
      prompt_cache_miss_tokens: prompt - cached,
    })),
  },
  /** Kimi API docs, "Chat", `usage`. */
  'cached-at-top': { change: details((cached) => ({ cached_tokens: cached })) },
  /** Counts tokens as written to the cache in place of read from it (OpenRouter docs, "Prompt caching"). */
  'cache-writes': {
    change: details((cached) => ({
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: cached },
    })),
  },
  /** Whatever tier was asked for, another serves. */
  'standard-tier': { change: chunks(() => ({ service_tier: 'default' })) },
  /** Every chunk has the message so far beside its delta (Perplexity API reference, "Chat completions", streaming). */
  'cumulative-message': {
    change: inStreams((parts, request) => {
      let text = '';
      return choices(({ delta: { content } = {} }) => {
        if (typeof content === 'string') text += content;
        return { message: { role: 'assistant', content: text } };
      })(parts, request);
    }),
  },
  'no-usage': { change: account(() => [chunks(() => ({ usage: undefined }))]) },
  'null-usage': { change: chunks(() => ({ usage: null })) },
  /** Every chunk has the account so far; only that of the last one is whole. */
  'usage-in-every-chunk': {
    counts: true,
    change: account((usage) => {
      const { prompt_tokens: prompt = 0, completion_tokens: all = 0 } = usage ?? {};
      let sent = -1;
      const soFar = (chunk: Chunk) => {
        sent += 1;
        const completion = Math.min(sent, all);
        const now = {
          prompt_tokens: prompt,
          completion_tokens: completion,
          total_tokens: prompt + completion,
        };
        return { usage: choicesOf(chunk).some(hasEnded) ? usage : now };
      };
      return [inStreams(chunks(soFar))];
    }),
  },
  /** The account stands in the choice that it ends, in streams (Kimi API docs, "Chat", streaming). */
  'usage-in-choice': {
    counts: true,
    change: account((usage) => [
      inStreams(chunks(() => ({ usage: undefined }))),
      inStreams(choices((choice) => (hasEnded(choice) ? { usage } : {}))),
    ]),
  },
  /** Unknown events come before everything, and before the end. */
  'unknown-events': {
    change: inStreams((parts) => [
      ...UNKNOWN,
      ...parts.flatMap((part) => (part.event.part === 'end' ? [...UNKNOWN, part] : [part])),
    ]),
  },
  'two-objects-an-event': { change: inPairs },
  'no-done': { change: (parts) => parts.filter((part) => !isDone(part)) },
  /** The body ends within its last event. */
  'no-last-blank-line': {
    change: (parts) =>
      parts.map((part, index) =>
        index < parts.length - 1 ? part : { ...part, event: { ...part.event, isUnended: true } },
      ),
  },
} satisfies Readonly<Record<string, HostQuirk>>;
