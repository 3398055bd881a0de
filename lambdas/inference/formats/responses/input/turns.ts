/**
 * Converts items of a Responses request to turns of a protocol-independent conversation (OpenAI API reference, Create a
 * model response).
 */
import type {
  AssistantPart,
  ImagePart,
  ReasoningPart,
  ShownPart,
  TextPart,
  ToolResultPart,
  Turn,
  UserPart,
} from '../../../core/upstream/conversation.ts';
import { detailOf } from '../../../core/upstream/openai-fields.ts';
import { sourceOf } from '../../../core/upstream/sources.ts';
import { CUSTOM_ARGUMENT, type ToolNames } from '../tool-names.ts';
import { isPdfPart, itemType, partsOf, type ResponsesItem, type ResponsesPart } from './items.ts';
import { objectsIn } from './references.ts';

/** Returns whether an item instructs the model. */
export const isSystem = (item: ResponsesItem): boolean =>
  itemType(item) === 'message' && (item.role === 'system' || item.role === 'developer');

/** The texts of a system or developer message, in order. */
export const instructionsOf = ({ content }: ResponsesItem): string[] => partsOf(content).map(textOf);

/** Returns the turns of the items. The model's output between two inputs is one turn. */
export function toTurns(items: readonly ResponsesItem[], names: ToolNames): Turn[] {
  const turns: Turn[] = [];
  let modelParts: AssistantPart[] = [];
  const endTurn = () => {
    if (modelParts.length > 0) turns.push({ role: 'assistant', parts: modelParts });
    modelParts = [];
  };
  for (const item of items) {
    if (isSystem(item)) {
      endTurn();
      turns.push({ role: 'system', parts: instructionsOf(item).map((text) => ({ type: 'text', text })) });
      continue;
    }
    const callerParts = userParts(item);
    if (callerParts === undefined) {
      for (const part of assistantParts(item, names)) modelParts.push(part);
      continue;
    }
    endTurn();
    if (callerParts.length > 0) turns.push({ role: 'user', parts: callerParts });
  }
  endTurn();
  return turns;
}

/** Returns the content parts of a caller's item; undefined for an item of the model. */
function userParts(item: ResponsesItem): UserPart[] | undefined {
  const type = itemType(item);
  if (type === 'message' && item.role !== 'assistant') return partsOf(item.content).flatMap(toShownOrFile);
  return type === 'function_call_output' || type === 'custom_tool_call_output' ? [toResult(item)] : undefined;
}

const toResult = ({ call_id: id, output }: ResponsesItem): ToolResultPart => ({
  type: 'tool-result',
  id: String(id),
  content: partsOf(output).flatMap(toShown),
  isError: false,
});

function assistantParts(item: ResponsesItem, names: ToolNames): AssistantPart[] {
  const type = itemType(item);
  if (type === 'message') return partsOf(item.content).map(toOutputPart);
  if (type === 'reasoning') return toReasoning(item);
  if (type !== 'function_call' && type !== 'custom_tool_call') return [];
  const { call_id: id, name, namespace, input } = item;
  const text = type === 'function_call' ? item.arguments : JSON.stringify({ [CUSTOM_ARGUMENT]: input });
  const routeName = names.routeNameOf(String(name), typeof namespace === 'string' ? namespace : undefined);
  return [{ type: 'tool-call', id: String(id), name: routeName, arguments: String(text) }];
}

const toOutputPart = (part: ResponsesPart): AssistantPart =>
  part.type === 'refusal'
    ? { type: 'refusal', text: string(part.refusal) }
    : { type: 'text', text: textOf(part) };

/** Returns the summary, which responses of this service contain, or else the reasoning's own text. */
function toReasoning({ summary, content, encrypted_content: signature }: ResponsesItem): ReasoningPart[] {
  const visibleContent = objectsIn(summary).length > 0 ? summary : content;
  const text = objectsIn(visibleContent)
    .map((part) => string(part.text))
    .join(PARAGRAPH);
  if (text === '' && signature === undefined) return [];
  return [{ type: 'reasoning', text, ...(typeof signature === 'string' ? { signature } : {}) }];
}

/** Between the parts of one summary. */
const PARAGRAPH = '\n\n';

/** Returns the part. A file that no other protocol supports only occurs in requests for routes of its own protocol. */
function toShownOrFile(part: ResponsesPart): ShownPart[] {
  if (!isPdfPart(part)) return toShown(part);
  const name = string(part.filename);
  const source = sourceOf(string(part.file_url ?? part.file_data));
  return [{ type: 'document', source, ...(name === '' ? {} : { name }) }];
}

const toShown = (part: ResponsesPart): (TextPart | ImagePart)[] => {
  if (part.type === 'input_image')
    return [{ type: 'image', source: sourceOf(string(part.image_url)), ...detailOf(part) }];
  return part.type === 'input_text' ? [{ type: 'text', text: textOf(part) }] : [];
};

const textOf = ({ text }: ResponsesPart): string => string(text);

const string = (value: unknown): string => (typeof value === 'string' ? value : '');
