/** The answer as a stream of events (OpenAI API reference, "Responses", "Streaming events"). */
import { piecesOf } from '../exchange/blocks.ts';
import type { SimulatedEvent } from '../exchange/reply.ts';
import type { ModelChoice, ModelUsage } from '../model/model.ts';
import { tokenPieces } from '../model/tokens.ts';
import {
  type AnswerItem,
  answerItems,
  openDocument,
  type ResponseFrame,
  responseDocument,
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
interface Place {
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index?: number;
  readonly summary_index?: number;
}

function* summaryDrafts(text: string, place: Place): Generator<Draft> {
  const whole = { type: 'summary_text', text };
  yield draft('between', 'reasoning_summary_part.added', { ...place, part: { ...whole, text: '' } });
  for (const delta of tokenPieces(text))
    yield draft('content', 'reasoning_summary_text.delta', { ...place, delta });
  yield draft('between', 'reasoning_summary_text.done', { ...place, text });
  yield draft('between', 'reasoning_summary_part.done', { ...place, part: whole });
}

function* messageDrafts({ block, item }: AnswerItem, where: Place): Generator<Draft> {
  const place = { ...where, content_index: 0 };
  const [part = {}] = item.content as Fields[];
  const isRefusal = part.type === 'refusal';
  const [name, field] = isRefusal ? ['refusal', 'refusal'] : ['output_text', 'text'];
  const logprobs = isRefusal ? {} : { logprobs: [] };
  yield draft('between', 'content_part.added', { ...place, part: { ...part, [field]: '' } });
  for (const delta of piecesOf(block))
    yield draft('content', `${name}.delta`, { ...place, delta, ...logprobs });
  yield draft('between', `${name}.done`, { ...place, [field]: block.text, ...logprobs });
  yield draft('between', 'content_part.done', { ...place, part });
}

function* callDrafts({ block, item }: AnswerItem, place: Place): Generator<Draft> {
  const isCustom = item.type === 'custom_tool_call';
  const [name, field] = isCustom
    ? ['custom_tool_call_input', 'input']
    : ['function_call_arguments', 'arguments'];
  for (const delta of tokenPieces(block.text)) yield draft('content', `${name}.delta`, { ...place, delta });
  yield draft('between', `${name}.done`, { ...place, [field]: block.text });
}

/** The item as it is announced, before anything of it is said. */
function announced({ item }: AnswerItem): Fields {
  const empty = {
    message: { content: [] },
    function_call: { arguments: '' },
    custom_tool_call: { input: '' },
  };
  if (item.type === 'reasoning') return { ...item, summary: [] };
  return { ...item, status: 'in_progress', ...empty[item.type as keyof typeof empty] };
}

function* itemDrafts(answered: AnswerItem, index: number): Generator<Draft> {
  const { item } = answered;
  const place = { item_id: item.id, output_index: index };
  yield draft('between', 'output_item.added', { output_index: index, item: announced(answered) });
  if (item.type === 'message') yield* messageDrafts(answered, place);
  else if (item.type === 'reasoning')
    for (const [summary_index, part] of (item.summary as { text: string }[]).entries())
      yield* summaryDrafts(part.text, { ...place, summary_index });
  else yield* callDrafts(answered, place);
  yield draft('between', 'output_item.done', { output_index: index, item });
}

function* drafts(choice: ModelChoice, usage: ModelUsage, frame: ResponseFrame): Generator<Draft> {
  yield draft('start', 'created', { response: openDocument(frame) });
  yield draft('start', 'in_progress', { response: openDocument(frame) });
  for (const [index, item] of answerItems(choice, frame).entries()) yield* itemDrafts(item, index);
  const response = responseDocument(choice, usage, frame);
  yield draft('end', String(response.status), { response });
}

const PADDING = 'aZ3kQ9xW7bT1mR5c';

/** Some deltas carry a padding of some length, so that the size of a frame does not reveal its content. */
const PADDED_EVERY = 3;

/** All events of the answer, numbered from 0. */
export function* responseEvents(
  choice: ModelChoice,
  usage: ModelUsage,
  frame: ResponseFrame,
): Generator<SimulatedEvent> {
  const pads = frame.request.stream_options?.include_obfuscation !== false;
  let number = 0;
  for (const { part, type, fields } of drafts(choice, usage, frame)) {
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
