/** Streams of the Responses protocol (OpenAI API reference, Streaming events), and of servers that differ. */
import type { Block, Counts, Meaning } from '../meaning.ts';
import {
  endIndex,
  inserted,
  type Style,
  sseOf,
  type WireEvent,
  type WireProtocol,
} from '../wire-protocol.ts';

type Json = Readonly<Record<string, unknown>>;

const event = (role: WireEvent['role'], data: Json, text = ''): WireEvent => ({
  role,
  name: String(data.type),
  data,
  text,
});

const responseOf = (status: string, fields: Json = {}): Json => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_763_474_589,
  status,
  error: null,
  incomplete_details: null,
  model: 'host-model',
  output: [],
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  usage: null,
  ...fields,
});

const usageOf = ({ prompt, cached, output }: Counts): Json => ({
  input_tokens: prompt,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: prompt + output,
});

/** The whole item of a block. */
function itemOf(block: Block, index: number): Json {
  const text = block.pieces.join('');
  if (block.type === 'call')
    return {
      id: `fc_${index}`,
      type: 'function_call',
      status: 'completed',
      call_id: block.id,
      name: block.name,
      arguments: text,
    };
  if (block.type === 'reasoning')
    return { id: `rs_${index}`, type: 'reasoning', summary: [{ type: 'summary_text', text }] };
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  return { id: `msg_${index}`, type: 'message', status: 'completed', role: 'assistant', content };
}

const EMPTY: Readonly<Record<Block['type'], Json>> = {
  call: { arguments: '', status: 'in_progress' },
  reasoning: { summary: [] },
  text: { content: [], status: 'in_progress' },
};

function deltasOf(block: Block, place: Json): WireEvent[] {
  if (block.type === 'call')
    return block.pieces.map((delta) =>
      event('content', { type: 'response.function_call_arguments.delta', ...place, delta }),
    );
  if (block.type === 'reasoning')
    return block.pieces.map((delta) =>
      event('content', { type: 'response.reasoning_summary_text.delta', ...place, summary_index: 0, delta }),
    );
  return block.pieces.map((delta) =>
    event('content', { type: 'response.output_text.delta', ...place, content_index: 0, delta }, delta),
  );
}

function partEvents(block: Block, place: Json, moment: 'added' | 'done'): WireEvent[] {
  if (block.type === 'call') return [];
  const isText = block.type === 'text';
  const text = moment === 'added' ? '' : block.pieces.join('');
  const name = isText ? 'content_part' : 'reasoning_summary_part';
  const number = isText ? { content_index: 0 } : { summary_index: 0 };
  const part = isText ? { type: 'output_text', text, annotations: [] } : { type: 'summary_text', text };
  return [event('content', { type: `response.${name}.${moment}`, ...place, ...number, part })];
}

interface Form {
  /** The events that a server sends of an item. */
  readonly items: 'all' | 'whole' | 'deltas';
  readonly hasNumbers: boolean;
}

function blockEvents(block: Block, index: number, { items, hasNumbers }: Form): WireEvent[] {
  const item = itemOf(block, index);
  const number = hasNumbers ? { output_index: index } : {};
  const place = { item_id: item.id, ...number };
  const done = event(
    'content',
    { type: 'response.output_item.done', ...number, item },
    items === 'whole' && block.type === 'text' ? block.pieces.join('') : '',
  );
  const added: WireEvent = {
    ...event('content', {
      type: 'response.output_item.added',
      ...number,
      item: { ...item, ...EMPTY[block.type] },
    }),
    ...(block.type === 'call' ? { opensCall: true } : {}),
  };
  if (items === 'whole') return [added, done];
  const deltas = deltasOf(block, place);
  if (items === 'deltas') return [added, ...deltas, done];
  return [added, ...partEvents(block, place, 'added'), ...deltas, ...partEvents(block, place, 'done'), done];
}

const DETAILS = { length: 'max_output_tokens', filter: 'content_filter' } as const;

function endOf({ end, counts, blocks }: Meaning, hasOutput: boolean): WireEvent {
  const output = hasOutput ? blocks.map(itemOf) : [];
  const isIncomplete = end === 'length' || end === 'filter';
  const fields = {
    output,
    usage: usageOf(counts),
    ...(isIncomplete ? { incomplete_details: { reason: DETAILS[end] } } : {}),
  };
  const status = isIncomplete ? 'incomplete' : 'completed';
  return event('end', { type: `response.${status}`, response: responseOf(status, fields) });
}

const numbered = (events: readonly WireEvent[]): readonly WireEvent[] =>
  events.map((each, sequence_number) => ({ ...each, data: { ...(each.data as Json), sequence_number } }));

const formOf = (style: Style): Form => ({
  items: (['all', 'deltas', 'whole'] as const)[style(3)] ?? 'all',
  hasNumbers: style(4) > 0,
});

export const RESPONSES: WireProtocol = {
  protocol: 'openai-responses',
  contentType: 'text/event-stream',
  isOpenEnded: false,
  encode: (events) => sseOf(events),
  write(meaning, style) {
    const form = formOf(style);
    const opening = [
      event('start', { type: 'response.created', response: responseOf('in_progress') }),
      event('noise', { type: 'response.in_progress', response: responseOf('in_progress') }),
    ];
    const contents = meaning.blocks.flatMap((block, index) => blockEvents(block, index, form));
    return numbered([...opening, ...contents, endOf(meaning, style(3) > 0)]);
  },
  usageEvent: (counts) =>
    event('usage', {
      type: 'response.completed',
      response: responseOf('completed', { usage: usageOf(counts) }),
    }),
  optionalMembers: [
    'sequence_number',
    'response.id',
    'response.object',
    'response.model',
    'response.parallel_tool_calls',
    'response.usage.total_tokens',
    'response.usage.output_tokens_details',
  ],
  omittedMembers: [
    'item_id',
    'content_index',
    'summary_index',
    'item.id',
    'item.status',
    'response.created_at',
  ],
  noise: [
    { role: 'noise', data: ': keep-alive' },
    event('noise', { type: 'keepalive', sequence_number: 3 }),
    event('noise', { type: 'response.queued', response: responseOf('queued') }),
  ],
  errors: [
    event('noise', { type: 'error', code: 'server_error', message: 'Broken.', param: null }),
    event('noise', { type: 'error', error: { type: 'server_error', message: 'Broken.' } }),
    event('noise', {
      type: 'response.failed',
      response: responseOf('failed', { error: { code: 'server_error', message: 'Broken.' } }),
    }),
    { role: 'noise', data: { error: { message: 'out of memory', code: 500 } } },
    { role: 'noise', name: 'error', data: { code: 500, message: 'out of memory' } },
    { role: 'noise', data: '[DONE]' },
    { role: 'noise', data: '{"type":"response.outp' },
  ],
  badEnds: ({ data }) => {
    const { response } = Object(data) as { readonly response?: Json };
    if (response === undefined) return [];
    const withReason = (reason: string | null) =>
      event('end', {
        type: 'response.incomplete',
        response: {
          ...response,
          status: 'incomplete',
          incomplete_details: reason === null ? null : { reason },
        },
      });
    return [
      withReason('server_shutdown'),
      withReason(null),
      event('end', { type: 'response.cancelled', response: { ...response, status: 'cancelled' } }),
    ];
  },
  faults: {
    'the marker of chat completions at the end': {
      outcome: 'whole',
      apply: (events) => inserted(events, events.length, { role: 'marker', data: '[DONE]' }),
    },
    'content after the end': {
      outcome: 'whole',
      apply: (events) =>
        inserted(
          events,
          endIndex(events) + 1,
          event('content', {
            type: 'response.output_text.delta',
            output_index: 0,
            item_id: 'x',
            content_index: 0,
            delta: 'late',
          }),
        ),
    },
    'one id for all calls': {
      outcome: 'whole',
      apply: (events) =>
        events.map((each) => ({
          ...each,
          data:
            typeof each.data === 'string'
              ? each.data
              : JSON.parse(JSON.stringify(each.data).replaceAll(/"call_\d"/g, '"call_0"')),
        })),
    },
    'another id in every event': {
      outcome: 'whole',
      apply(events) {
        let ids = 0;
        const next = () => {
          ids += 1;
          return `own_${ids}`;
        };
        return events.map((each) => ({
          ...each,
          data:
            typeof each.data === 'string'
              ? each.data
              : JSON.parse(JSON.stringify(each.data).replaceAll(/"(fc|msg|rs)_\d"/g, () => `"${next()}"`)),
        }));
      },
    },
  },
};
