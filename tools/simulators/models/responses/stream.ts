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

/** An event before it has its number: without the `response.` of its type. */
type Draft = readonly [part: SimulatedEvent['part'], type: string, fields: Fields];

/** The events of a text that comes in pieces: its deltas, and the whole. */
function* textDrafts(
  name: string,
  field: string,
  pieces: Iterable<string>,
  fields: Fields,
): Generator<Draft> {
  let text = '';
  for (const delta of pieces) {
    text += delta;
    yield ['content', `${name}.delta`, { ...fields, delta }];
  }
  yield ['between', `${name}.done`, { ...fields, [field]: text }];
}

function* summaryDrafts(text: string, location: Fields): Generator<Draft> {
  const part = { type: 'summary_text', text };
  yield ['between', 'reasoning_summary_part.added', { ...location, part: { ...part, text: '' } }];
  yield* textDrafts('reasoning_summary_text', 'text', splitIntoTokens(text), location);
  yield ['between', 'reasoning_summary_part.done', { ...location, part }];
}

function* messageDrafts({ block, item }: SimulatedOutputItem, where: Fields): Generator<Draft> {
  const location = { ...where, content_index: 0 };
  const [part = {}] = item.content as Fields[];
  const isRefusal = part.type === 'refusal';
  const [name, field] = isRefusal ? ['refusal', 'refusal'] : ['output_text', 'text'];
  const fields = isRefusal ? location : { ...location, logprobs: [] };
  yield ['between', 'content_part.added', { ...location, part: { ...part, [field]: '' } }];
  yield* textDrafts(name, field, fragmentsOf(block), fields);
  yield ['between', 'content_part.done', { ...location, part }];
}

function announced({ item }: SimulatedOutputItem): Fields {
  if (item.type === 'reasoning') return { ...item, summary: [] };
  const empty = {
    message: { content: [] },
    function_call: { arguments: '' },
    custom_tool_call: { input: '' },
  };
  return { ...item, status: 'in_progress', ...empty[item.type as keyof typeof empty] };
}

function* itemDrafts(outputItem: SimulatedOutputItem, index: number): Generator<Draft> {
  const { block, item } = outputItem;
  const location = { item_id: item.id, output_index: index };
  yield ['between', 'output_item.added', { output_index: index, item: announced(outputItem) }];
  if (item.type === 'message') yield* messageDrafts(outputItem, location);
  else if (item.type === 'reasoning')
    for (const [summary_index, part] of (item.summary as { text: string }[]).entries())
      yield* summaryDrafts(part.text, { ...location, summary_index });
  else {
    const isCustom = item.type === 'custom_tool_call';
    const name = isCustom ? 'custom_tool_call_input' : 'function_call_arguments';
    yield* textDrafts(name, isCustom ? 'input' : 'arguments', splitIntoTokens(block.text), location);
  }
  yield ['between', 'output_item.done', { output_index: index, item }];
}

function* drafts(choice: ModelChoice, usage: ModelUsage, envelope: ResponseEnvelope): Generator<Draft> {
  yield ['start', 'created', { response: openDocument(envelope) }];
  yield ['start', 'in_progress', { response: openDocument(envelope) }];
  for (const [index, item] of outputItemsOf(choice, envelope).entries()) yield* itemDrafts(item, index);
  const response = responseDocument(choice, usage, envelope);
  yield ['end', String(response.status), { response }];
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
  for (const [part, name, fields] of drafts(choice, usage, envelope)) {
    const type = `response.${name}`;
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
