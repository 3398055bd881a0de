/** A Responses request as a conversation of no protocol (OpenAI API reference, Create a model response). */
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import {
  type Conversation,
  knownEffort,
  type OutputFormat,
  type ReasoningRequest,
  type Tool,
  type ToolChoice,
} from '../../core/upstream/conversation.ts';
import { identifiersOf } from '../../core/upstream/openai-fields.ts';
import type { ResponsesItem } from './input/items.ts';
import { objectsIn } from './input/references.ts';
import { instructionsOf, isSystem, toTurns } from './input/turns.ts';
import type { ResponsesRequest } from './request.ts';
import { type CallerTool, CUSTOM_ARGUMENT, ToolNames } from './tool-names.ts';
import { chosenNames, isCallable } from './tool-schema.ts';

/**
 * Everything of the request that other protocols can say too; `items` are those of its input with all references
 * resolved; the tools are those that `tool_choice` allows.
 */
export function toConversation(
  request: ResponsesRequest,
  items: readonly ResponsesItem[],
  maxTokens: number,
): Conversation {
  const { instructions, temperature, top_p: topP, parallel_tool_calls: parallelToolCalls } = request;
  const declared = request.tools ?? [];
  const names = new ToolNames(declared);
  const tools = toTools(request, names);
  // Protocols reject a tool choice without tools.
  const toolChoice = tools.length === 0 ? undefined : toToolChoice(request.tool_choice, names);
  const format = toFormat(request.text);
  const reasoning = toReasoning(request.reasoning);
  const conversationStart = items.findIndex((item) => !isSystem(item));
  const leading = conversationStart === -1 ? items : items.slice(0, conversationStart);
  return {
    system: [...(instructions == null ? [] : [instructions]), ...leading.flatMap(instructionsOf)],
    turns: toTurns(items.slice(leading.length), names),
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(parallelToolCalls == null ? {} : { parallelToolCalls }),
    ...(format === undefined ? {} : { format }),
    ...(reasoning === undefined ? {} : { reasoning }),
    maxTokens,
    ...(temperature == null ? {} : { temperature }),
    // A share of 1 drops nothing. Protocols that reject it next to a temperature would lose the temperature.
    ...(topP == null || topP === 1 ? {} : { topP }),
    stop: [],
    ...identifiersOf(request),
  };
}

function toTools({ tools, tool_choice: choice }: ResponsesRequest, names: ToolNames): Tool[] {
  const allowed =
    isJsonObject(choice) && choice.type === 'allowed_tools'
      ? new Set(objectsIn(choice.tools).flatMap((allowedTool) => chosenNames(allowedTool, names)))
      : undefined;
  const descriptions = new Map(
    (tools ?? []).flatMap(({ type, name, description }) =>
      type === 'namespace' && typeof description === 'string' ? [[String(name), description] as const] : [],
    ),
  );
  const offered: Tool[] = [];
  for (const [routeName, tool] of names.offered) {
    if (allowed?.has(routeName) === false) continue;
    // Only the first tool of a namespace contains the namespace's description.
    const about = descriptions.get(tool.namespace ?? '');
    if (tool.namespace !== undefined) descriptions.delete(tool.namespace);
    offered.push(toTool(routeName, tool, about));
  }
  return offered;
}

function toTool(name: string, { type, tool, namespace }: CallerTool, about: string | undefined): Tool {
  const { description, parameters, strict } = tool;
  const paragraphs = [
    ...(namespace === undefined || about === undefined ? [] : [`${namespace}: ${about}`]),
    ...(typeof description === 'string' ? [description] : []),
    ...(type === 'custom' ? grammarInstructionsOf(tool.format) : []),
  ];
  return {
    name,
    ...(paragraphs.length === 0 ? {} : { description: paragraphs.join('\n\n') }),
    parameters: type === 'custom' ? ONE_TEXT : isJsonObject(parameters) ? parameters : NO_PARAMETERS,
    ...(type === 'function' && typeof strict === 'boolean' ? { strict } : {}),
  };
}

const ONE_TEXT: JsonObject = {
  type: 'object',
  properties: { [CUSTOM_ARGUMENT]: { type: 'string' } },
  required: [CUSTOM_ARGUMENT],
  additionalProperties: false,
};

/** A function without parameters takes an empty object (OpenAI API reference, `parameters`). */
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

/** Returns the grammar of a custom tool's text as instructions. Only the model can then follow it. */
function grammarInstructionsOf(format: unknown): string[] {
  if (!isJsonObject(format) || format.type !== 'grammar') return [];
  const { syntax, definition } = format;
  return [`${CUSTOM_ARGUMENT} follows this ${String(syntax ?? '')} grammar:\n${String(definition ?? '')}`];
}

function toToolChoice(choice: unknown, names: ToolNames): ToolChoice | undefined {
  if (choice === 'none' || choice === 'auto') return { type: choice };
  if (choice === 'required') return { type: 'any' };
  if (!isJsonObject(choice)) return undefined;
  if (choice.type === 'allowed_tools') return { type: choice.mode === 'required' ? 'any' : 'auto' };
  const name = isCallable(choice) ? chosenNames(choice, names)[0] : undefined;
  return name === undefined ? undefined : { type: 'tool', name };
}

function toFormat(text: ResponsesRequest['text']): OutputFormat | undefined {
  const format = text?.format;
  if (!isJsonObject(format)) return undefined;
  if (format.type === 'json_object') return { type: 'json' };
  if (format.type !== 'json_schema') return undefined;
  const { name, description, schema, strict } = format;
  return {
    type: 'json-schema',
    schema: isJsonObject(schema) ? schema : { type: 'object' },
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  };
}

function toReasoning(reasoning: ResponsesRequest['reasoning']): ReasoningRequest | undefined {
  const effort = knownEffort(reasoning?.effort);
  return effort === undefined ? undefined : { effort };
}
