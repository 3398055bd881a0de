/** Streams of chat completions (OpenAI API reference, Chat, Streaming), and of hosts that differ. */
import { type Block, type Counts, countsAt, type Meaning } from '../meaning.ts';
import {
  endIndex,
  inserted,
  type Style,
  sseOf,
  type WireEvent,
  type WireProtocol,
} from '../wire-protocol.ts';

const TOP = {
  id: 'chatcmpl-7',
  object: 'chat.completion.chunk',
  created: 1_764_661_832,
  model: 'host-model',
  system_fingerprint: 'fp_1',
};

const chunkOf = (delta: object, fields: object = {}, finish: string | null = null) => ({
  ...TOP,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  ...fields,
});

const content = (delta: object, text = ''): WireEvent => ({
  role: 'content',
  data: chunkOf(delta),
  text,
  ...('tool_calls' in delta ? { opensCall: true } : {}),
});

const usageOf = ({ prompt, cached, output }: Counts) => ({
  prompt_tokens: prompt,
  completion_tokens: output,
  total_tokens: prompt + output,
  prompt_tokens_details: { cached_tokens: cached },
});

const FINISH = { stop: 'stop', length: 'length', calls: 'tool_calls', filter: 'content_filter' } as const;

interface Form {
  readonly thought: string;
  readonly hasIndexes: boolean;
  readonly isWhole: boolean;
  readonly hasObjects: boolean;
}

function callEvents(
  { id, name, pieces }: Extract<Block, { type: 'call' }>,
  index: number,
  form: Form,
): WireEvent[] {
  const number = form.hasIndexes ? { index } : {};
  const opening = { ...number, id, type: 'function' };
  const text = pieces.join('');
  if (form.hasObjects)
    return [content({ tool_calls: [{ ...opening, function: { name, arguments: JSON.parse(text) } }] })];
  if (form.isWhole) return [content({ tool_calls: [{ ...opening, function: { name, arguments: text } }] })];
  return [
    content({ tool_calls: [{ ...opening, function: { name, arguments: '' } }] }),
    ...pieces.map((piece) => content({ tool_calls: [{ ...number, function: { arguments: piece } }] })),
  ];
}

function contentEvents({ blocks }: Meaning, form: Form): WireEvent[] {
  let calls = 0;
  return blocks.flatMap((block) => {
    if (block.type === 'text') return block.pieces.map((piece) => content({ content: piece }, piece));
    if (block.type === 'reasoning') return block.pieces.map((piece) => content({ [form.thought]: piece }));
    calls += 1;
    return callEvents(block, calls - 1, form);
  });
}

const DONE: WireEvent = { role: 'marker', data: '[DONE]' };

const usageChunk = (counts: Counts): WireEvent => ({
  role: 'usage',
  data: { ...TOP, choices: [], usage: usageOf(counts) },
});

/** The end and the usage: apart, in one chunk, in Groq's place, in the choice as Kimi has it, or in every chunk. */
function endingOf(
  { end, counts }: Meaning,
  contents: readonly WireEvent[],
  style: Style,
): readonly WireEvent[] {
  const usage = usageOf(counts);
  const finish: WireEvent = { role: 'end', data: chunkOf({}, {}, FINISH[end]) };
  switch (style(5)) {
    case 0:
      return [...contents, { role: 'end', data: chunkOf({}, { usage }, FINISH[end]) }];
    case 1:
      return [
        ...contents,
        { role: 'end', data: chunkOf({}, { x_groq: { id: 'req_1', usage } }, FINISH[end]) },
      ];
    case 2: {
      const [choice] = chunkOf({}, {}, FINISH[end]).choices;
      return [...contents, { role: 'end', data: { ...TOP, choices: [{ ...choice, usage }] } }];
    }
    case 3:
      return [
        ...contents.map((event, index) => ({
          ...event,
          data: { ...(event.data as object), usage: usageOf(countsAt(counts, index / contents.length)) },
        })),
        finish,
        usageChunk(counts),
      ];
    default:
      return [...contents, finish, usageChunk(counts)];
  }
}

export const OPENAI: WireProtocol = {
  protocol: 'openai',
  contentType: 'text/event-stream',
  isOpenEnded: false,
  encode: (events) => sseOf(events),
  write(meaning, style) {
    const start: WireEvent = { role: 'start', data: chunkOf({ role: 'assistant', content: '' }) };
    const form: Form = {
      thought: style(2) === 0 ? 'reasoning_content' : 'reasoning',
      hasIndexes: style(4) > 0,
      isWhole: style(2) === 0,
      hasObjects: style(8) === 0,
    };
    const events = endingOf(meaning, [start, ...contentEvents(meaning, form)], style);
    return style(4) === 0 ? events : [...events, DONE];
  },
  usageEvent: usageChunk,
  earlyUsage: usageChunk,
  repeated: ({ data, opensCall: _once, ...end }) => {
    const { choices } = data as { readonly choices: readonly { readonly finish_reason: string }[] };
    return { ...end, data: chunkOf({}, {}, choices[0]?.finish_reason) };
  },
  optionalMembers: [
    'id',
    'object',
    'created',
    'model',
    'system_fingerprint',
    'choices.0.logprobs',
    'choices.0.delta.role',
    'choices.0.delta.tool_calls.0.type',
  ],
  omittedMembers: ['choices.0.index'],
  noise: [
    { role: 'noise', data: ': keep-alive' },
    { role: 'noise', data: { object: 'host.heartbeat' } },
    { role: 'noise', name: 'ping', data: { type: 'ping' } },
    content({}),
    content({ content: '' }),
    content({ content: null, tool_calls: null, reasoning_content: null, refusal: null }),
    content({ tool_calls: [] }),
  ].map((event) => ({ ...event, role: 'noise' })),
  errors: [
    { role: 'noise', data: { error: { message: 'out of memory', code: 500 } } },
    { role: 'noise', data: { error: 'out of memory' } },
    { role: 'noise', name: 'error', data: { code: 500, message: 'out of memory' } },
    { role: 'noise', data: { object: 'error', message: 'out of memory', code: 500 } },
    { role: 'noise', data: { ...chunkOf({ content: '' }, {}, 'error') } },
    { role: 'noise', data: '{"choices":[{"del' },
  ],
  badEnds: ({ data }) =>
    ['abort', 'error', 'cancelled', 'timeout', 'network_error', 'malformed_function_call'].flatMap(
      (reason) =>
        typeof data === 'string' || !Array.isArray(data.choices) || data.choices.length === 0
          ? []
          : [
              {
                role: 'end' as const,
                data: { ...data, choices: [{ ...data.choices[0], finish_reason: reason }] },
              },
            ],
    ),
  faults: {
    'an end before the last content': {
      outcome: 'whole',
      apply(events) {
        const index = endIndex(events);
        const [end, last] = [events[index], events[index - 1]];
        if (end?.role !== 'end' || last?.role !== 'content' || !events.some(({ role }) => role === 'marker'))
          return undefined;
        return [...events.slice(0, index - 1), end, last, ...events.slice(index + 1)];
      },
    },
    'an end in every chunk': {
      outcome: 'whole',
      apply: (events) =>
        events.map((event, index) =>
          event.role === 'content' && typeof event.data === 'object' && index < endIndex(events)
            ? {
                ...event,
                role: 'end' as const,
                data: {
                  ...event.data,
                  choices: (event.data.choices as readonly object[]).map((choice) => ({
                    ...choice,
                    finish_reason: 'stop',
                  })),
                },
              }
            : event,
        ),
    },
    'content after the marker': {
      outcome: 'whole',
      apply: (events) =>
        events.at(-1)?.role === 'marker'
          ? inserted(events, events.length, content({ content: 'late' }))
          : undefined,
    },
    'one id for all calls': {
      outcome: 'whole',
      apply: (events) =>
        events.map(({ data, ...event }) => ({
          ...event,
          data:
            typeof data === 'string'
              ? data
              : JSON.parse(JSON.stringify(data).replaceAll(/"call_\d"/g, '"call_0"')),
        })),
    },
    'no reason': {
      outcome: 'unclean',
      apply: (events) =>
        events.some(({ role }) => role === 'marker')
          ? undefined
          : events.filter(({ role }) => role !== 'end'),
    },
  },
};
