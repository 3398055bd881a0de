/**
 * The simulated quirks of hosts: changes that make a response of the simulator deviate from its format as a real host's does.
 * They apply in the order of the table.
 */
import {
  type AnswerChange,
  type ChunkEvent,
  type Events,
  everywhere,
  inStreams,
  type PartChange,
  withChoices,
  withChunk,
  withSaid,
} from './answer-form.ts';
import { isJson, type Json, messagesOf, objectsIn } from './json-body.ts';
import { callProof } from './strict-quirks.ts';

/** Changes tool calls; each is given with its place in the list. */
const calls = (change: (call: Json, place: number) => Json): Required<AnswerChange> =>
  everywhere((answer) =>
    withSaid(answer, (said) =>
      Array.isArray(said.tool_calls) ? { ...said, tool_calls: objectsIn(said.tool_calls).map(change) } : said,
    ),
  );

/** Changes the numbers of calls in a stream; a whole answer has none. */
const numbered = (change: (index: number) => Json): AnswerChange =>
  inStreams(calls(({ index, ...call }) => ({ ...change(Number(index)), ...call })));

/** Changes the reason why an answer ended. */
const ended = (change: (reason: string) => Json): AnswerChange =>
  everywhere((answer) =>
    withChoices(answer, ({ finish_reason: reason, ...choice }) => ({
      ...choice,
      ...(typeof reason === 'string' ? change(reason) : { finish_reason: reason }),
    })),
  );

/** Reasoning under another name, of another form. */
const reasoningAs = (toField: (text: string) => Json): AnswerChange =>
  everywhere((answer) =>
    withSaid(answer, ({ reasoning_content: text, ...said }) =>
      typeof text === 'string' ? { ...said, ...toField(text) } : said,
    ),
  );

const asksForJson = ({ response_format: format }: Json): boolean =>
  isJson(format) && String(format.type).startsWith('json');

/** The text as reasoning, in place of both. */
const textAsReasoning: PartChange = ({ content, reasoning_content: _thought, ...said }) =>
  typeof content === 'string' && content !== ''
    ? { ...said, content: '', reasoning_content: content }
    : { ...said, content: '' };

const hasParts = (request: Json): boolean =>
  messagesOf(request).some(({ content }) => Array.isArray(content));

const asParts: PartChange = (said) =>
  typeof said.content === 'string' && said.content !== ''
    ? { ...said, content: [{ type: 'text', text: said.content }] }
    : said;

/** Puts other fields into the account in place of the details of the prompt. */
const inPlaceOfDetails = (fieldsOf: (cached: number, prompt: number) => Json): AnswerChange =>
  everywhere((answer) => {
    if (!isJson(answer.usage)) return answer;
    const { prompt_tokens_details: details, ...usage } = answer.usage;
    const cached = Number((isJson(details) ? details.cached_tokens : undefined) ?? 0);
    return { ...answer, usage: { ...usage, ...fieldsOf(cached, Number(usage.prompt_tokens)) } };
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

export const ANSWERS = {
  /** A JSON answer stands in the reasoning, and the text is empty. */
  'json-in-reasoning': everywhere((answer, request) =>
    asksForJson(request) ? withSaid(answer, textAsReasoning) : answer,
  ),
  'reasoning-named-reasoning': reasoningAs((text) => ({ reasoning: text })),
  /** OpenRouter docs, "Reasoning tokens", `reasoning_details`. */
  'reasoning-in-details': reasoningAs((text) => ({
    reasoning_details: [{ type: 'reasoning.text', text, format: 'unknown', index: 0 }],
  })),
  /** Texts come as a list of parts where any of the request did. */
  'mirrors-content': everywhere((answer, request) =>
    hasParts(request) ? withSaid(answer, asParts) : answer,
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
  'stop-with-calls': ended((reason) => ({ finish_reason: reason === 'tool_calls' ? 'stop' : reason })),
  'no-finish-reason': everywhere((answer) =>
    withChoices(answer, ({ finish_reason: _reason, ...choice }) => choice),
  ),
  'empty-finish-reason': ended(() => ({ finish_reason: '' })),
  'new-finish-reason': ended(() => ({ finish_reason: 'end' })),
  /** DeepSeek API docs, "Context Caching". */
  'cached-as-hits': inPlaceOfDetails((cached, prompt) => ({
    prompt_cache_hit_tokens: cached,
    prompt_cache_miss_tokens: prompt - cached,
  })),
  /** Kimi API docs, "Chat", `usage`. */
  'cached-at-top': inPlaceOfDetails((cached) => ({ cached_tokens: cached })),
  /** Counts tokens as written to the cache in place of read from it (OpenRouter docs, "Prompt caching"). */
  'cache-writes': inPlaceOfDetails((cached) => ({
    prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: cached },
  })),
  /** Whatever tier was asked for, another serves. */
  'standard-tier': everywhere((answer) => ({ ...answer, service_tier: 'default' })),
  /** Every chunk has the message so far beside its delta (Perplexity API reference, "Chat completions", streaming). */
  'cumulative-message': {
    stream(events) {
      let said = '';
      const withMessage: PartChange = (choice) => {
        const { content } = isJson(choice.delta) ? choice.delta : {};
        if (typeof content === 'string') said += content;
        return { ...choice, message: { role: 'assistant', content: said } };
      };
      return events.map((each) => withChunk(each, (chunk) => withChoices(chunk, withMessage)));
    },
  },
  'no-usage': {
    whole: withoutUsage,
    stream: (events) => withoutAccount(events).map((each) => withChunk(each, withoutUsage)),
  },
  'null-usage': everywhere((answer) => ({ ...answer, usage: null })),
  /** Every chunk has the account so far; only that of the last one is whole. */
  'usage-in-every-chunk': {
    stream(events) {
      const usage = accountIn(events);
      const prompt = Number(usage.prompt_tokens);
      const soFar = (completion: number): Json => ({
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
      });
      const upTo = (index: number) => soFar(Math.min(index, Number(usage.completion_tokens)));
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
} satisfies Readonly<Record<string, AnswerChange>>;

/** Quirks that give an account in streams that did not ask for one. */
export const UNASKED_USAGE = ['usage-in-every-chunk', 'usage-in-choice'] as const;

/** The signatures that a host of `wants-thought-signature` wants back: of the first call of a message. */
export const SIGNS_CALLS: AnswerChange = calls((call, place) => {
  const { name } = isJson(call.function) ? call.function : {};
  const isFirst = place === 0 && (call.index === undefined || call.index === 0);
  if (!isFirst || !('id' in call)) return call;
  return { ...call, extra_content: { google: { thought_signature: callProof(name) } } };
});
