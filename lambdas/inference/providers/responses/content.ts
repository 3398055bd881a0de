/** Converts turns of a conversation to input items (OpenAI API reference, Create a model response, `input`). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type {
  AssistantPart,
  ReasoningPart,
  ShownPart,
  ToolResultPart,
  Turn,
  UserPart,
} from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { urlOf } from '../../core/upstream/sources.ts';
import { ToolCallIds } from '../../core/upstream/tool-calls.ts';
import { openSignature } from '../openai-formats/reasoning-signatures.ts';

/** OpenAI rejects longer ids of tool calls. */
const MAX_TOOL_CALL_ID = 64;

/**
 * Returns the input items. Only reasoning items have ids, because the server stores no items that an id could
 * reference.
 */
export function toInput(turns: readonly Turn[], signatures: Signatures): JsonObject[] {
  const ids = new ToolCallIds(MAX_TOOL_CALL_ID);
  return turns.flatMap(({ role, parts }) => {
    if (role === 'assistant') return assistantItems(parts, ids, signatures);
    return role === 'user' ? userItems(parts, ids) : [messageItem(role, parts)];
  });
}

function userItems(parts: readonly UserPart[], ids: ToolCallIds): JsonObject[] {
  const results = parts.filter((part) => part.type === 'tool-result');
  const shownParts = parts.filter((part) => part.type !== 'tool-result');
  return [
    ...results.map((result) => resultItem(result, ids)),
    ...(shownParts.length === 0 ? [] : [messageItem('user', shownParts)]),
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
      return { type: 'input_image', image_url: urlOf(part.source), detail: part.detail ?? 'auto' };
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
  const resultContent: ToolResultPart['content'] = isError ? withErrorPrefix(content) : content;
  const [first] = resultContent;
  const isText = resultContent.length === 1 && first?.type === 'text';
  const output = resultContent.length === 0 ? '' : isText ? first.text : resultContent.map(inputPart);
  return { type: 'function_call_output', call_id: ids.ofResult(id), output };
}

function withErrorPrefix(content: ToolResultPart['content']): ToolResultPart['content'] {
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

/**
 * Drops reasoning at the end of a turn. A reasoning item is rejected if no other item of its turn follows (OpenAI docs,
 * Reasoning models).
 */
function withoutTrailingReasoning(parts: readonly AssistantPart[]): readonly AssistantPart[] {
  const lastIndex = parts.findLastIndex(({ type }) => type !== 'reasoning');
  return parts.slice(0, lastIndex + 1);
}

/** Returns the reasoning that this route has signed, under the id of the signature; nothing else. */
function reasoningItem({ text, signature }: ReasoningPart, signatures: Signatures): JsonObject[] {
  const { id, encrypted_content: encryptedContent } = openSignature(signatures, signature) ?? {};
  if (typeof encryptedContent !== 'string') return [];
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return [
    {
      type: 'reasoning',
      ...(typeof id === 'string' ? { id } : {}),
      summary,
      encrypted_content: encryptedContent,
    },
  ];
}
