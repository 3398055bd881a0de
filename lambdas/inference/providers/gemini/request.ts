/** A conversation as generateContent takes it (Gemini API reference, models.generateContent). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import type { Conversation, OutputFormat, Tool } from '../../core/upstream/conversation.ts';
import { budgetOf, effortOf, nearestEffort } from '../../core/upstream/effort.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { toContents } from './content.ts';

type Target = Pick<CatalogRoute, 'upstream_model' | 'reasoning' | 'dialect'>;

const JSON_TYPE = 'application/json';

/**
 * Returns the body of the request. The address contains the model. The protocol has no field for the limit of one tool
 * call, nor for the caller's name of its user. Throws `UpstreamFailure` for an image that is not included in the
 * request.
 */
export function toRequestBody(conversation: Conversation, route: Target, signatures: Signatures): JsonObject {
  const { tools } = conversation;
  const system = conversation.system.filter((text) => text !== '');
  const toolConfig = toToolConfig(conversation);
  return {
    contents: toContents(conversation.turns, route.upstream_model, signatures),
    ...(system.length === 0 ? {} : { systemInstruction: { parts: system.map((text) => ({ text })) } }),
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools.map(toDeclaration) }] }),
    ...(toolConfig === undefined ? {} : { toolConfig }),
    generationConfig: toGeneration(conversation, route),
  };
}

/** The bound of the output counts what is thought too (Gemini API docs, Thinking). */
function toGeneration(conversation: Conversation, route: Target): JsonObject {
  const { maxTokens, temperature, topP, format } = conversation;
  const stop = conversation.stop.filter((text) => text !== '');
  const thinkingConfig = toThinking(conversation, route.dialect);
  return {
    maxOutputTokens: maxTokens,
    ...(temperature === undefined || route.reasoning ? {} : { temperature }),
    ...(topP === undefined || route.reasoning ? {} : { topP }),
    ...(stop.length === 0 ? {} : { stopSequences: stop }),
    ...(format === undefined ? {} : formatFields(format)),
    ...(thinkingConfig === undefined ? {} : { thinkingConfig }),
  };
}

const formatFields = (format: OutputFormat): JsonObject => ({
  responseMimeType: JSON_TYPE,
  ...(format.type === 'json' ? {} : { responseJsonSchema: format.schema }),
});

/** Levels of Gemini 3 (Gemini API reference, ThinkingLevel). */
const LEVELS = ['minimal', 'low', 'medium', 'high'] as const;

/** A budget for models before Gemini 3, a level for those since (Gemini API docs, Thinking). */
function toThinking(
  { reasoning, maxTokens }: Conversation,
  dialect: Target['dialect'],
): JsonObject | undefined {
  const reasoningMode = dialect?.reasoning_request;
  if (reasoning === undefined) return undefined;
  if (reasoningMode === 'budget') {
    const thinkingBudget = budgetOf(reasoning, maxTokens);
    return thinkingBudget === undefined ? { thinkingBudget: 0 } : { includeThoughts: true, thinkingBudget };
  }
  if (reasoningMode !== 'effort') return undefined;
  const effort = effortOf(reasoning, maxTokens);
  if (effort === undefined) return { includeThoughts: true };
  const levels = LEVELS.filter((level) => dialect?.reasoning_efforts?.includes(level) ?? true);
  const [first = 'low', ...rest] = levels;
  const thinkingLevel = nearestEffort(effort, [first, ...rest]).toUpperCase();
  return { ...(effort === 'none' ? {} : { includeThoughts: true }), thinkingLevel };
}

/** The schema as JSON Schema, not in the protocol's own form of it (Gemini API reference, FunctionDeclaration). */
const toDeclaration = ({ name, description, parameters }: Tool): JsonObject => ({
  name,
  ...(description === undefined || description === '' ? {} : { description }),
  parametersJsonSchema: parameters,
});

/**
 * Returns the tool configuration. Without tools, only a choice that requires one is sent, so that the vendor rejects
 * it.
 */
function toToolConfig({ tools, toolChoice: choice }: Conversation): JsonObject | undefined {
  if (choice === undefined) return undefined;
  const insists = choice.type === 'any' || choice.type === 'tool';
  if (tools.length === 0 && !insists) return undefined;
  if (choice.type === 'tool')
    return { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [choice.name] } };
  return { functionCallingConfig: { mode: choice.type.toUpperCase() } };
}
