/**
 * The simulated quirks of hosts: changes that make a response of the simulator deviate from its format as a real host's does.
 * They apply in the order of the table.
 */
import {
  type ChunkEvent,
  type CompletionChange,
  type Events,
  everywhere,
  inStreams,
  type PartChange,
  withChoices,
  withChunk,
  withContent,
} from './answer-form.ts';
import { isJson, type Json, messagesOf, objectsIn } from './json-body.ts';
import { callSignature } from './strict-quirks.ts';

/** Changes tool calls; each is given with its place in the list. */
const calls = (change: (call: Json, index: number) => Json): Required<CompletionChange> =>
  everywhere((completion) =>
    withContent(completion, (text) =>
      Array.isArray(text.tool_calls) ? { ...text, tool_calls: objectsIn(text.tool_calls).map(change) } : text,
    ),
  );

/** Changes the numbers of calls in a stream; a whole answer has none. */
const numbered = (change: (index: number) => Json): CompletionChange =>
  inStreams(calls(({ index, ...call }) => ({ ...change(Number(index)), ...call })));

/** Changes the reason why an answer ended. */
const changeFinish = (change: (reason: string) => Json): CompletionChange =>
  everywhere((completion) =>
    withChoices(completion, ({ finish_reason: reason, ...choice }) => ({
      ...choice,
      ...(typeof reason === 'string' ? change(reason) : { finish_reason: reason }),
    })),
  );

/** Reasoning under another name, of another form. */
const reasoningAs = (toField: (text: string) => Json): CompletionChange =>
  everywhere((completion) =>
    withContent(completion, ({ reasoning_content: text, ...said }) =>
      typeof text === 'string' ? { ...said, ...toField(text) } : said,
    ),
  );

const requestsJson = ({ response_format: format }: Json): boolean =>
  isJson(format) && String(format.type).startsWith('json');

/** The text as reasoning, in place of both. */
const textAsReasoning: PartChange = ({ content, reasoning_content: _thought, ...said }) =>
  typeof content === 'string' && content !== ''
    ? { ...said, content: '', reasoning_content: content }
    : { ...said, content: '' };

const hasParts = (request: Json): boolean =>
  messagesOf(request).some(({ content }) => Array.isArray(content));

const asParts: PartChange = (text) =>
  typeof text.content === 'string' && text.content !== ''
    ? { ...text, content: [{ type: 'text', text: text.content }] }
    : text;

/** Puts other fields into the account in place of the details of the prompt. */
const replaceDetails = (fieldsOf: (cached: number, prompt: number) => Json): CompletionChange =>
  everywhere((completion) => {
    if (!isJson(completion.usage)) return completion;
    const { prompt_tokens_details: details, ...usage } = completion.usage;
    const cached = Number((isJson(details) ? details.cached_tokens : undefined) ?? 0);
    return { ...completion, usage: { ...usage, ...fieldsOf(cached, Number(usage.prompt_tokens)) } };
  });

const withoutUsage: PartChange = ({ usage: _usage, ...answer }) => answer;

/** A chunk of usage alone. */
const isAccount = ({ chunk }: ChunkEvent): boolean =>
  isJson(chunk?.usage) && Array.isArray(chunk.choices) && chunk.choices.length === 0;

const withoutAccount = (events: Events): Events => events.filter((each) => !isAccount(each));

const accountIn = (events: Events): Json => {
  const usage = events.find(isAccount)?.chunk?.usage;
  return isJson(usage) ? usage : {};
};

const hasReason = ({ choices }: Json): boolean =>
  objectsIn(choices).some((choice) => typeof choice.finish_reason === 'string');

const isDone = ({ event }: ChunkEvent): boolean => event.data === '[DONE]';

/** Events that no format of this kind names: one with a name, and one that is an object of another kind. */
const UNKNOWN: Events = [
  { event: { name: 'ping', data: '{"type":"ping"}', part: 'between' } },
  { event: { data: '{"object":"host.heartbeat","elapsed_ms":12}', part: 'between' } },
];

const textOf = ({ event, chunk }: ChunkEvent): string =>
  chunk === undefined ? event.data : JSON.stringify(chunk);

/** Two chunks in the data of one event, a line each. */
function inPairs(events: Events): Events {
  const paired: ChunkEvent[] = [];
  let isOpen = false;
  for (const each of events) {
    const isAlone = isDone(each) || each.event.name !== undefined;
    const first: ChunkEvent | undefined = isOpen && !isAlone ? paired.pop() : undefined;
    const data: string | undefined = first === undefined ? undefined : `${textOf(first)}\n${textOf(each)}`;
    paired.push(data === undefined ? each : { event: { ...each.event, data } });
    isOpen = !isAlone && data === undefined;
  }
  return paired;
}

export const RESPONSES = {
  /** A JSON answer stands in the reasoning, and the text is empty. */
  'json-in-reasoning': everywhere((completion, request) =>
    requestsJson(request) ? withContent(completion, textAsReasoning) : completion,
  ),
  'reasoning-named-reasoning': reasoningAs((text) => ({ reasoning: text })),
  /** OpenRouter docs, "Reasoning tokens", `reasoning_details`. */
  'reasoning-in-details': reasoningAs((text) => ({
    reasoning_details: [{ type: 'reasoning.text', text, format: 'unknown', index: 0 }],
  })),
  /** Texts come as a list of parts where any of the request did. */
  'mirrors-content': everywhere((completion, request) =>
    hasParts(request) ? withContent(completion, asParts) : completion,
  ),
  'empty-call-ids': calls((call) => ('id' in call ? { ...call, id: '' } : call)),
  'no-call-index': numbered(() => ({})),
  'one-call-index': numbered(() => ({ index: 0 })),
  'gaps-in-call-indexes': numbered((index) => ({ index: 2 + 3 * index })),
  /** Arguments that could be whole are sent before the real ones. */
  'arguments-go-on': inStreams(
    calls((call) =>
      'id' in call && isJson(call.function)
        ? { ...call, function: { ...call.function, arguments: '{}' } }
        : call,
    ),
  ),
  'stop-with-calls': changeFinish((reason) => ({ finish_reason: reason === 'tool_calls' ? 'stop' : reason })),
  'no-finish-reason': everywhere((completion) =>
    withChoices(completion, ({ finish_reason: _reason, ...choice }) => choice),
  ),
  'empty-finish-reason': changeFinish(() => ({ finish_reason: '' })),
  'new-finish-reason': changeFinish(() => ({ finish_reason: 'end' })),
  /** DeepSeek API docs, "Context Caching". */
  'cached-as-hits': replaceDetails((cached, prompt) => ({
    prompt_cache_hit_tokens: cached,
    prompt_cache_miss_tokens: prompt - cached,
  })),
  /** Kimi API docs, "Chat", `usage`. */
  'cached-at-top': replaceDetails((cached) => ({ cached_tokens: cached })),
  /** Counts tokens as written to the cache in place of read from it (OpenRouter docs, "Prompt caching"). */
  'cache-writes': replaceDetails((cached) => ({
    prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: cached },
  })),
  /** Whatever tier was asked for, another serves. */
  'standard-tier': everywhere((completion) => ({ ...completion, service_tier: 'default' })),
  /** Every chunk has the message so far beside its delta (Perplexity API reference, "Chat completions", streaming). */
  'cumulative-message': {
    stream(events) {
      let text = '';
      const withMessage: PartChange = (choice) => {
        const { content } = isJson(choice.delta) ? choice.delta : {};
        if (typeof content === 'string') text += content;
        return { ...choice, message: { role: 'assistant', content: text } };
      };
      return events.map((each) => withChunk(each, (chunk) => withChoices(chunk, withMessage)));
    },
  },
  'no-usage': {
    completion: withoutUsage,
    stream: (events) => withoutAccount(events).map((each) => withChunk(each, withoutUsage)),
  },
  'null-usage': everywhere((completion) => ({ ...completion, usage: null })),
  /** Every chunk has the account so far; only that of the last one is whole. */
  'usage-in-every-chunk': {
    stream(events) {
      const usage = accountIn(events);
      const prompt = Number(usage.prompt_tokens);
      const usageSoFar = (completion: number): Json => ({
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
      });
      const upTo = (index: number) => usageSoFar(Math.min(index, Number(usage.completion_tokens)));
      return withoutAccount(events).map((each, index) =>
        withChunk(each, (chunk) => ({ ...chunk, usage: hasReason(chunk) ? usage : upTo(index) })),
      );
    },
  },
  /** The account stands in the choice that it ends, in streams (Kimi API docs, "Chat", streaming). */
  'usage-in-choice': {
    stream(events) {
      const usage = accountIn(events);
      return withoutAccount(events).map((each) =>
        withChunk(each, ({ usage: _null, ...chunk }) =>
          hasReason(chunk) ? withChoices(chunk, (choice) => ({ ...choice, usage })) : chunk,
        ),
      );
    },
  },
  /** Unknown events come before everything, and before the end. */
  'unknown-events': {
    stream: (events) => [
      ...UNKNOWN,
      ...events.flatMap((each) => (each.event.part === 'end' ? [...UNKNOWN, each] : [each])),
    ],
  },
  'two-objects-an-event': { stream: inPairs },
  'no-done': { stream: (events) => events.filter((each) => !isDone(each)) },
  /** The body ends within its last event. */
  'no-last-blank-line': {
    stream: (events) =>
      events.map((each, index) =>
        index < events.length - 1 ? each : { ...each, event: { ...each.event, isUnended: true } },
      ),
  },
} satisfies Readonly<Record<string, CompletionChange>>;

/** Quirks that give an account in streams that did not ask for one. */
export const UNASKED_USAGE = ['usage-in-every-chunk', 'usage-in-choice'] as const;

/** The signatures that a host of `wants-thought-signature` wants back: of the first call of a message. */
export const SIGNS_CALLS: CompletionChange = calls((call, index) => {
  const { name } = isJson(call.function) ? call.function : {};
  const isFirst = index === 0 && (call.index === undefined || call.index === 0);
  if (!isFirst || !('id' in call)) return call;
  return { ...call, extra_content: { google: { thought_signature: callSignature(name) } } };
});
