/** The answer as a stream of events (OpenAI API reference, "Responses", "Streaming events"). */
import { fragmentsOf } from '../exchange/blocks.ts';
import type { SimulatedEvent } from '../exchange/reply.ts';
import type { ModelChoice, ModelUsage } from '../model/model.ts';
import { splitIntoTokens } from '../model/tokens.ts';
import {
  openDocument,
  outputItemsOf,
  type ResponseEnvelope,
  responseDocument,
  type SimulatedOutputItem,
} from './answer.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An event before it has its number. */
interface Draft {
  readonly part: SimulatedEvent['part'];
  readonly type: string;
  readonly fields: Fields;
}

const draft = (part: Draft['part'], type: string, fields: Fields): Draft => ({
  part,
  type: `response.${type}`,
  fields,
});

/** The position of an item, and the position inside it. */
interface EventAddress {
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index?: number;
  readonly summary_index?: number;
}

function* summaryDrafts(text: string, location: EventAddress): Generator<Draft> {
  const summaryPart = { type: 'summary_text', text };
  yield draft('between', 'reasoning_summary_part.added', { ...location, part: { ...summaryPart, text: '' } });
  for (const delta of splitIntoTokens(text))
    yield draft('content', 'reasoning_summary_text.delta', { ...location, delta });
  yield draft('between', 'reasoning_summary_text.done', { ...location, text });
  yield draft('between', 'reasoning_summary_part.done', { ...location, part: summaryPart });
}

function* messageDrafts({ block, item }: SimulatedOutputItem, where: EventAddress): Generator<Draft> {
  const location = { ...where, content_index: 0 };
  const [part = {}] = item.content as Fields[];
  const isRefusal = part.type === 'refusal';
  const [name, field] = isRefusal ? ['refusal', 'refusal'] : ['output_text', 'text'];
  const logprobs = isRefusal ? {} : { logprobs: [] };
  yield draft('between', 'content_part.added', { ...location, part: { ...part, [field]: '' } });
  for (const delta of fragmentsOf(block))
    yield draft('content', `${name}.delta`, { ...location, delta, ...logprobs });
  yield draft('between', `${name}.done`, { ...location, [field]: block.text, ...logprobs });
  yield draft('between', 'content_part.done', { ...location, part });
}

function* callDrafts({ block, item }: SimulatedOutputItem, location: EventAddress): Generator<Draft> {
  const isCustom = item.type === 'custom_tool_call';
  const [name, field] = isCustom
    ? ['custom_tool_call_input', 'input']
    : ['function_call_arguments', 'arguments'];
  for (const delta of splitIntoTokens(block.text))
    yield draft('content', `${name}.delta`, { ...location, delta });
  yield draft('between', `${name}.done`, { ...location, [field]: block.text });
}

/** The item as it is announced, before anything of it is said. */
function announced({ item }: SimulatedOutputItem): Fields {
  const empty = {
    message: { content: [] },
    function_call: { arguments: '' },
    custom_tool_call: { input: '' },
  };
  if (item.type === 'reasoning') return { ...item, summary: [] };
  return { ...item, status: 'in_progress', ...empty[item.type as keyof typeof empty] };
}

function* itemDrafts(outputItem: SimulatedOutputItem, index: number): Generator<Draft> {
  const { item } = outputItem;
  const location = { item_id: item.id, output_index: index };
  yield draft('between', 'output_item.added', { output_index: index, item: announced(outputItem) });
  if (item.type === 'message') yield* messageDrafts(outputItem, location);
  else if (item.type === 'reasoning')
    for (const [summary_index, part] of (item.summary as { text: string }[]).entries())
      yield* summaryDrafts(part.text, { ...location, summary_index });
  else yield* callDrafts(outputItem, location);
  yield draft('between', 'output_item.done', { output_index: index, item });
}

function* drafts(choice: ModelChoice, usage: ModelUsage, envelope: ResponseEnvelope): Generator<Draft> {
  yield draft('start', 'created', { response: openDocument(envelope) });
  yield draft('start', 'in_progress', { response: openDocument(envelope) });
  for (const [index, item] of outputItemsOf(choice, envelope).entries()) yield* itemDrafts(item, index);
  const response = responseDocument(choice, usage, envelope);
  yield draft('end', String(response.status), { response });
}

const PADDING = 'aZ3kQ9xW7bT1mR5c';

/** Some deltas carry a padding of some length, so that the size of a frame does not reveal its content. */
const PADDED_EVERY = 3;

/** All events of the answer, numbered from 0. */
export function* responseEvents(
  choice: ModelChoice,
  usage: ModelUsage,
  envelope: ResponseEnvelope,
): Generator<SimulatedEvent> {
  const pads = envelope.request.stream_options?.include_obfuscation !== false;
  let number = 0;
  for (const { part, type, fields } of drafts(choice, usage, envelope)) {
    const isPadded = pads && part === 'content' && number % PADDED_EVERY === 0;
    const padding = isPadded ? { obfuscation: PADDING.slice(number % PADDING.length) } : {};
    yield {
      part,
      name: type,
      data: JSON.stringify({ type, sequence_number: number, ...fields, ...padding }),
    };
    number += 1;
  }
}
