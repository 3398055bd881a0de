/** Turns of a conversation as input items (OpenAI API reference, Create a model response, `input`). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type {
  AssistantPart,
  ReasoningPart,
  ShownPart,
  ToolResultPart,
  Turn,
  UserPart,
} from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { urlOf } from '../../core/upstream/sources.ts';
import { ToolCallIds } from '../../core/upstream/tool-calls.ts';
import { openProof } from '../openai-formats/proofs.ts';

/** OpenAI refuses longer ids of tool calls. */
const MAX_TOOL_CALL_ID = 64;

/** The items, none with an id but reasoning: the server keeps none that could be meant. */
export function toInput(turns: readonly Turn[], signatures: Signatures): JsonObject[] {
  const ids = new ToolCallIds(MAX_TOOL_CALL_ID);
  return turns.flatMap(({ role, parts }) => {
    if (role === 'assistant') return assistantItems(parts, ids, signatures);
    return role === 'user' ? userItems(parts, ids) : [messageItem(role, parts)];
  });
}

function userItems(parts: readonly UserPart[], ids: ToolCallIds): JsonObject[] {
  const results = parts.filter((part) => part.type === 'tool-result');
  const said = parts.filter((part) => part.type !== 'tool-result');
  return [
    ...results.map((result) => resultItem(result, ids)),
    ...(said.length === 0 ? [] : [messageItem('user', said)]),
  ];
}

const messageItem = (role: 'user' | 'system', parts: readonly ShownPart[]): JsonObject => ({
  type: 'message',
  role,
  content: parts.map(inputPart),
});

function inputPart(part: ShownPart): JsonObject {
  switch (part.type) {
    case 'image':
      return { type: 'input_image', image_url: urlOf(part.source), detail: 'auto' };
    case 'document':
      return part.source.kind === 'url'
        ? { type: 'input_file', file_url: part.source.url }
        : { type: 'input_file', filename: part.name ?? FILE_NAME, file_data: urlOf(part.source) };
    case 'audio':
      // Routes of this protocol are no candidates for it.
      throw new UpstreamFailure('status', { status: 415, retryable: false });
    default:
      return { type: 'input_text', text: part.text };
  }
}

/** OpenAI takes no file without a name. */
const FILE_NAME = 'document.pdf';

/** Returns the item for a tool result. The text reports a failure of the tool, because there is no field for it. */
function resultItem({ id, content, isError }: ToolResultPart, ids: ToolCallIds): JsonObject {
  const marked: ToolResultPart['content'] = isError ? markedAsError(content) : content;
  const [first] = marked;
  const isText = marked.length === 1 && first?.type === 'text';
  const output = marked.length === 0 ? '' : isText ? first.text : marked.map(inputPart);
  return { type: 'function_call_output', call_id: ids.ofResult(id), output };
}

function markedAsError(content: ToolResultPart['content']): ToolResultPart['content'] {
  const [first, ...rest] = content;
  return first?.type === 'text'
    ? [{ type: 'text', text: `Error: ${first.text}` }, ...rest]
    : [{ type: 'text', text: 'Error: ' }, ...content];
}

function assistantItems(
  parts: readonly AssistantPart[],
  ids: ToolCallIds,
  signatures: Signatures,
): JsonObject[] {
  const items: JsonObject[] = [];
  let content: JsonObject[] | undefined;
  for (const part of withoutTrailingReasoning(parts)) {
    if (part.type === 'text' || part.type === 'refusal') {
      if (content === undefined) {
        content = [];
        items.push({ type: 'message', role: 'assistant', content });
      }
      content.push(
        part.type === 'text'
          ? { type: 'output_text', text: part.text }
          : { type: 'refusal', refusal: part.text },
      );
      continue;
    }
    content = undefined;
    if (part.type === 'reasoning') items.push(...reasoningItem(part, signatures));
    else
      items.push({
        type: 'function_call',
        call_id: ids.ofCall(part.id),
        name: part.name,
        arguments: part.arguments === '' ? '{}' : part.arguments,
      });
  }
  return items;
}

/** A reasoning item that nothing of its turn follows is refused (OpenAI docs, Reasoning models). */
function withoutTrailingReasoning(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const end = parts.findLastIndex(({ type }) => type !== 'reasoning');
  return parts.slice(0, end + 1);
}

/** Returns the reasoning that this route has signed, under the id of the signature; nothing else. */
function reasoningItem({ text, signature }: ReasoningPart, signatures: Signatures): JsonObject[] {
  const { id, encrypted_content: proof } = openProof(signatures, signature) ?? {};
  if (typeof proof !== 'string') return [];
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return [
    { type: 'reasoning', ...(typeof id === 'string' ? { id } : {}), summary, encrypted_content: proof },
  ];
}
