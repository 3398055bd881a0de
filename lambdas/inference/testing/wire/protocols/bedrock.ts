/** Streams of Converse (Amazon Bedrock API reference, ConverseStreamOutput), as frames that AWS's client decodes. */
import { exceptionFrame, frame } from '../../providers/bedrock/frames.ts';
import type { Block, Counts, Meaning } from '../meaning.ts';
import { endIndex, inserted, type WireEvent, type WireProtocol } from '../wire-protocol.ts';

/** One event: a type with its payload, as the client yields it. */
const event = (role: WireEvent['role'], name: string, data: object, text = ''): WireEvent => ({
  role,
  name,
  data: data as Readonly<Record<string, unknown>>,
  text,
});

const delta = (contentBlockIndex: number, changed: object, text = ''): WireEvent =>
  event('content', 'contentBlockDelta', { contentBlockIndex, delta: changed, p: 'abc' }, text);

const closed = (contentBlockIndex: number): WireEvent =>
  event('content', 'contentBlockStop', { contentBlockIndex, p: 'ab' });

function blockEvents(block: Block, index: number): WireEvent[] {
  if (block.type === 'text')
    return [...block.pieces.map((text) => delta(index, { text }, text)), closed(index)];
  if (block.type === 'reasoning')
    return [
      ...block.pieces.map((text) => delta(index, { reasoningContent: { text } })),
      delta(index, { reasoningContent: { signature: 'c2ln' } }),
      closed(index),
    ];
  const toolUse = { toolUseId: block.id, name: block.name };
  return [
    {
      ...event('content', 'contentBlockStart', { contentBlockIndex: index, start: { toolUse } }),
      opensCall: true,
    },
    ...block.pieces.map((input) => delta(index, { toolUse: { input } })),
    closed(index),
  ];
}

const REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  calls: 'tool_use',
  filter: 'content_filtered',
} as const;

const endOf = (end: Meaning['end']): WireEvent =>
  event('end', 'messageStop', { stopReason: REASONS[end], additionalModelResponseFields: {} });

const usageOf = ({ prompt, cached, output }: Counts): WireEvent =>
  event('usage', 'metadata', {
    usage: {
      inputTokens: prompt - cached,
      outputTokens: output,
      totalTokens: prompt + output,
      cacheReadInputTokens: cached,
      cacheWriteInputTokens: 0,
    },
    metrics: { latencyMs: 551 },
  });

const toFrame = ({ name = '', data }: WireEvent): Buffer =>
  name.endsWith('Exception')
    ? exceptionFrame(name, String((data as { readonly message?: unknown }).message))
    : frame([name, data]);

export const BEDROCK: WireProtocol = {
  protocol: 'bedrock',
  contentType: 'application/vnd.amazon.eventstream',
  isOpenEnded: false,
  encode: (events) => Buffer.concat(events.map(toFrame)),
  write(meaning, style) {
    const contents = meaning.blocks.flatMap(blockEvents);
    const [end, usage] = [endOf(meaning.end), usageOf(meaning.counts)];
    const ending = style(4) === 0 ? [usage, end] : [end, usage];
    return [event('start', 'messageStart', { role: 'assistant', p: 'abcd' }), ...contents, ...ending];
  },
  usageEvent: usageOf,
  earlyUsage: usageOf,
  optionalMembers: ['p', 'role', 'metrics', 'additionalModelResponseFields'],
  omittedMembers: [],
  noise: [
    event('noise', 'vendorEvent', { a: 1 }),
    delta(7, { text: '' }),
    delta(7, {}),
    event('noise', 'contentBlockStart', { contentBlockIndex: 8, start: {} }),
    event('noise', 'messageStart', { role: 'assistant' }),
  ].map((each) => ({ ...each, role: 'noise' })),
  errors: [
    event('noise', 'throttlingException', { message: 'Slow down.' }),
    event('noise', 'modelStreamErrorException', { message: 'Broken.' }),
    event('noise', 'internalServerException', { message: 'Broken.' }),
    event('noise', 'serviceUnavailableException', { message: 'Broken.' }),
    { role: 'noise', name: 'contentBlockDelta', data: '{"contentBlockIndex":' },
  ],
  badEnds: ({ data }) =>
    typeof data === 'string' || data.stopReason === undefined
      ? []
      : ['malformed_tool_use', 'malformed_model_output'].map((stopReason) =>
          event('end', 'messageStop', { ...data, stopReason }),
        ),
  faults: {
    'end_turn beside calls': {
      outcome: 'whole',
      apply: (events, { meaning }) =>
        meaning.end === 'calls'
          ? events.map((each) => (each.role === 'end' ? endOf('stop') : each))
          : undefined,
    },
    'no counts': {
      outcome: 'whole',
      hidesCounts: true,
      apply: (events) => events.filter(({ role }) => role !== 'usage'),
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
      outcome: 'whole',
      apply(events, { at }) {
        const stops = events.flatMap(({ name }, index) => (name === 'contentBlockStop' ? index : []));
        const removed = stops[at(stops.length)];
        return events.filter((_each, index) => index !== removed);
      },
    },
    'content after the end': {
      outcome: 'whole',
      apply: (events) => inserted(events, endIndex(events) + 1, delta(9, { text: 'late' })),
    },
  },
};
