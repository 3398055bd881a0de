/** Streams of the Messages protocol (Claude API docs, Streaming), and of servers that differ. */
import { type Block, type Counts, countsAt, type Meaning } from '../meaning.ts';
import {
  endIndex,
  inserted,
  type Style,
  sseOf,
  type WireEvent,
  type WireProtocol,
} from '../wire-protocol.ts';

const event = (role: WireEvent['role'], data: { readonly type: string }, text = ''): WireEvent => ({
  role,
  name: data.type,
  data,
  text,
});

const usageOf = ({ prompt, cached, output }: Counts) => ({
  input_tokens: prompt - cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  output_tokens: output,
});

const startOf = (usage: object, id = 'msg_1'): WireEvent =>
  event('start', {
    type: 'message_start',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'host-model',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  } as never);

const delta = (index: number, changed: object, text = ''): WireEvent =>
  event('content', { type: 'content_block_delta', index, delta: changed } as never, text);

const opened = (index: number, content_block: Readonly<Record<string, unknown>>): WireEvent => ({
  ...event('content', { type: 'content_block_start', index, content_block } as never),
  ...(content_block.type === 'tool_use' ? { opensCall: true } : {}),
});

const closed = (index: number): WireEvent => event('content', { type: 'content_block_stop', index } as never);

function blockEvents(block: Block, index: number, isWhole: boolean): WireEvent[] {
  if (block.type === 'call') {
    const { id, name, pieces } = block;
    if (isWhole)
      return [
        opened(index, { type: 'tool_use', id, name, input: JSON.parse(pieces.join('')) }),
        closed(index),
      ];
    const deltas = pieces.map((piece) => delta(index, { type: 'input_json_delta', partial_json: piece }));
    return [opened(index, { type: 'tool_use', id, name, input: {} }), ...deltas, closed(index)];
  }
  if (block.type === 'text')
    return [
      opened(index, { type: 'text', text: '' }),
      ...block.pieces.map((piece) => delta(index, { type: 'text_delta', text: piece }, piece)),
      closed(index),
    ];
  return [
    opened(index, { type: 'thinking', thinking: '', signature: '' }),
    ...block.pieces.map((piece) => delta(index, { type: 'thinking_delta', thinking: piece })),
    delta(index, { type: 'signature_delta', signature: 'c2ln' }),
    closed(index),
  ];
}

const REASONS = { stop: 'end_turn', length: 'max_tokens', calls: 'tool_use', filter: 'refusal' } as const;

const endOf = (end: Meaning['end'], usage: object): WireEvent =>
  event('end', {
    type: 'message_delta',
    delta: { stop_reason: REASONS[end], stop_sequence: null },
    usage,
  } as never);

const STOP = event('marker', { type: 'message_stop' });

/** The counts: all twice, the input at the start, the input at the end, or the input at the start and 0 at the end. */
function countsIn(counts: Counts, style: Style): readonly [start: object, end: object] {
  const usage = usageOf(counts);
  const { output_tokens: output, ...input } = usage;
  const started = { ...input, output_tokens: 1 };
  const zeros = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  switch (style(4)) {
    case 0:
      return [started, usage];
    case 1:
      return [started, { output_tokens: output }];
    case 2:
      return [{ ...zeros, output_tokens: 0 }, usage];
    default:
      return [started, { ...zeros, output_tokens: output }];
  }
}

export const ANTHROPIC: WireProtocol = {
  protocol: 'anthropic',
  contentType: 'text/event-stream',
  isOpenEnded: false,
  encode: (events) => sseOf(events),
  write(meaning, style) {
    const [start, end] = countsIn(meaning.counts, style);
    const isWhole = style(4) === 0;
    const contents = meaning.blocks.flatMap((block, index) => blockEvents(block, index, isWhole));
    return [startOf(start), ...contents, endOf(meaning.end, end), STOP];
  },
  usageEvent: (counts) =>
    event('usage', { type: 'message_delta', delta: {}, usage: usageOf(counts) } as never),
  earlyUsage: (counts) =>
    event('usage', { type: 'message_delta', delta: { stop_reason: null }, usage: usageOf(counts) } as never),
  optionalMembers: [
    'message.type',
    'message.role',
    'message.model',
    'message.content',
    'message.stop_reason',
    'message.stop_sequence',
    'delta.stop_sequence',
    'content_block.signature',
  ],
  omittedMembers: ['content_block.text', 'content_block.thinking'],
  noise: [
    event('noise', { type: 'ping' }),
    event('noise', { type: 'vendor_event' }),
    { role: 'noise', data: ': keep-alive' },
  ],
  errors: [
    event('noise', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as never),
    { role: 'noise', data: { type: 'error', error: { type: 'api_error', message: 'Broken' } } },
    { role: 'noise', data: { error: { message: 'out of memory', code: 500 } } },
    { role: 'noise', name: 'error', data: { code: 500, message: 'out of memory' } },
    { role: 'noise', data: '{"type":"content_bl' },
  ],
  badEnds: ({ data }) =>
    ['error', 'abort', 'cancelled', 'timeout'].flatMap((reason) =>
      typeof data === 'string' || data.type !== 'message_delta'
        ? []
        : [
            {
              role: 'end' as const,
              name: 'message_delta',
              data: { ...data, delta: { stop_reason: reason } },
            },
          ],
    ),
  faults: {
    'a repeated start': {
      outcome: 'whole',
      apply: (events) => (events[0]?.role === 'start' ? inserted(events, 1, events[0]) : undefined),
    },
    'another message within the first': {
      outcome: 'failed',
      apply(events, { at }) {
        const end = endIndex(events);
        const other = { ...startOf({ input_tokens: 5, output_tokens: 1 }, 'msg_2'), fails: true as const };
        const first = events.findIndex(({ role }) => role === 'content') + 1;
        return first === 0 ? undefined : inserted(events, first + at(end - first), other);
      },
    },
    'end_turn beside calls': {
      outcome: 'whole',
      apply: (events, { meaning }) =>
        meaning.end === 'calls'
          ? events.map((each) => ({
              ...each,
              data: JSON.parse(
                JSON.stringify(each.data).replace('"stop_reason":"tool_use"', '"stop_reason":"end_turn"'),
              ),
            }))
          : undefined,
    },
    'one id for all calls': {
      outcome: 'whole',
      apply: (events) =>
        events.map((each) => ({
          ...each,
          data: JSON.parse(JSON.stringify(each.data).replaceAll(/"call_\d"/g, '"call_0"')),
        })),
    },
    'a block that is not closed': {
      outcome: 'either',
      apply(events, { at }) {
        const stops = events.flatMap(({ name }, index) => (name === 'content_block_stop' ? index : []));
        const removed = stops[at(stops.length)];
        return events.filter((_event, index) => index !== removed);
      },
    },
    'a block that is closed twice': {
      outcome: 'either',
      apply(events, { at }) {
        const stops = events.flatMap(({ name }, index) => (name === 'content_block_stop' ? index : []));
        const index = stops[at(stops.length)];
        const stop = index === undefined ? undefined : events[index];
        return index === undefined || stop === undefined ? undefined : inserted(events, index, stop);
      },
    },
    'content after the marker': {
      outcome: 'whole',
      apply: (events) => inserted(events, events.length, delta(0, { type: 'text_delta', text: 'late' })),
    },
    'counts in every event': {
      outcome: 'whole',
      apply: (events, { meaning, protocol }) =>
        events.flatMap((each, index) =>
          each.name === 'content_block_stop' && protocol.earlyUsage !== undefined
            ? [each, protocol.earlyUsage(countsAt(meaning.counts, index / events.length))]
            : [each],
        ),
    },
  },
};
