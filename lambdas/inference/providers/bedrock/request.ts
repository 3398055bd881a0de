/** A chat call as Converse takes it (Amazon Bedrock API reference, Converse and ConverseStream). */
import type {
  Tool as BedrockTool,
  ConverseRequest,
  InferenceConfiguration,
  OutputConfig,
  SystemContentBlock,
  ToolConfiguration,
  ToolSpecification,
} from '@aws-sdk/client-bedrock-runtime';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import { markedSystem } from '../../core/upstream/cache-marks.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type { Conversation, Tool } from '../../core/upstream/conversation.ts';
import { effortOf, nearestEffort } from '../../core/upstream/effort.ts';
import { isNotBlank } from '../claude/alternating-turns.ts';
import { calledTools, jsonAnswerOf, type SchemaFormat, soundTool } from '../claude/json-answer.ts';
import { type ClaudeConversation, forClaude } from '../claude/thinking.ts';
import { cachePoint, type Document, parseDocument, toMessages } from './content.ts';

export interface ConverseCall {
  /** The same for an answer at once and a streamed one. */
  readonly request: Omit<ConverseRequest, 'guardrailConfig'>;
  /** The tool whose input is the answer, where the caller asked for JSON, which Converse cannot express otherwise. */
  readonly answerTool?: string;
  /** The signatures of the route that is called. */
  readonly signatures: Signatures;
}

/**
 * The conversation for one model. That an answer may hold only one tool call has no place in Converse. Throws
 * `UpstreamFailure` for an image that no provider takes.
 */
export function toConverseCall(
  given: Conversation,
  {
    upstream_model: modelId,
    reasoning,
    dialect,
  }: Pick<CatalogRoute, 'upstream_model' | 'reasoning' | 'dialect'>,
  signatures: Signatures,
): ConverseCall {
  const way = dialect?.reasoning_request;
  const conversation = forClaude(given, isClaude(modelId) ? way : undefined, signatures);
  const { native, tool: answerTool, texts } = jsonAnswerOf(conversation, reasoning || conversation.thinks);
  const more = isClaude(modelId) ? toClaudeFields(conversation) : toEffortFields(given, way);
  const system = [...markedSystem(conversation), ...texts.map((text) => ({ text }))].filter(({ text }) =>
    isNotBlank(text),
  );
  const toolConfig = toToolConfig(withToolMarksFor(modelId, conversation), answerTool);
  const inferenceConfig = toInference(conversation, modelId);
  const request = {
    modelId,
    messages: toMessages(conversation.turns),
    inferenceConfig,
    ...(system.length === 0 ? {} : { system: system.flatMap(toSystemBlocks) }),
    ...(toolConfig === undefined ? {} : { toolConfig }),
    ...(native === undefined ? {} : { outputConfig: toOutputConfig(native) }),
    ...(more === undefined ? {} : { additionalModelRequestFields: more }),
    ...(inferenceConfig.stopSequences !== undefined && isClaude(modelId)
      ? { additionalModelResponseFieldPaths: STOP_SEQUENCE_PATHS }
      : {}),
  };
  return { request, signatures, ...(answerTool === undefined ? {} : { answerTool: answerTool.name }) };
}

const toSystemBlocks = ({ text, cache }: ReturnType<typeof markedSystem>[number]): SystemContentBlock[] =>
  cache === undefined ? [{ text }] : [{ text }, cachePoint(cache)];

/** Claude alone caches tools; Nova refuses a point there (Amazon Bedrock user guide, Prompt caching, Supported models). */
const withToolMarksFor = (modelId: string, conversation: ClaudeConversation): ClaudeConversation =>
  isClaude(modelId)
    ? conversation
    : { ...conversation, tools: conversation.tools.map(({ cache: _mark, ...tool }) => tool) };

/** Fields of Claude's own (Amazon Bedrock user guide, Extended thinking; Adaptive thinking). */
function toClaudeFields({ thinking, effort }: ClaudeConversation): Document | undefined {
  if (thinking === undefined && effort === undefined) return undefined;
  return {
    ...(thinking === undefined ? {} : { thinking: { ...thinking } }),
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
}

/** Efforts of the open models of OpenAI, and of those that took their field over. */
const EFFORT_STEPS = ['low', 'medium', 'high'] as const;

/** Fields of a model that knows efforts (Amazon Bedrock user guide, OpenAI models). */
function toEffortFields({ reasoning, maxTokens }: Conversation, way: Way): Document | undefined {
  const effort = reasoning === undefined || way !== 'effort' ? undefined : effortOf(reasoning, maxTokens);
  return effort === undefined ? undefined : { reasoning_effort: nearestEffort(effort, EFFORT_STEPS) };
}

type Way = NonNullable<CatalogRoute['dialect']>['reasoning_request'];

/** Paths of the stop sequence that Claude met: in a complete response, and in a stream. */
const STOP_SEQUENCE_PATHS = ['/stop_sequence', '/delta/stop_sequence'];

/** Its own id, or that of an inference profile, or an ARN of either. */
const isClaude = (modelId: string): boolean => /(^|[./])anthropic\./.test(modelId);

/**
 * The temperature ends at 1 here, at 2 elsewhere. It is left out beside `topP`: Claude refuses a request with both,
 * and while the service gives every request a temperature, only a caller gives one `topP`. Claude refuses stop
 * sequences of white space too.
 */
function toInference(conversation: ClaudeConversation, modelId: string): InferenceConfiguration {
  const { maxTokens, temperature, topP } = conversation;
  const stop = conversation.stop.filter((text) => (isClaude(modelId) ? isNotBlank(text) : text !== ''));
  return {
    maxTokens,
    ...(topP === undefined ? {} : { topP }),
    ...(temperature === undefined || topP !== undefined ? {} : { temperature: Math.min(temperature, 1) }),
    ...(stop.length === 0 ? {} : { stopSequences: stop }),
  };
}

function toOutputConfig({ name, description, schema }: SchemaFormat): OutputConfig {
  const jsonSchema = {
    schema: JSON.stringify(schema),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

/**
 * Converse cannot forbid tool calls, so tools that the caller forbids are not declared. A conversation that holds tool
 * calls is refused without tools, though: then the tools that it called are declared, though the model may not call them.
 */
function toToolConfig(
  conversation: ClaudeConversation,
  answerTool: Tool | undefined,
): ToolConfiguration | undefined {
  const { tools, toolChoice } = conversation;
  const offered = toolChoice?.type === 'none' ? [] : tools;
  const others = offered.length > 0 ? offered : calledTools(conversation);
  const declared = answerTool === undefined ? others : [...others, answerTool];
  if (declared.length === 0) return undefined;
  const choice =
    answerTool === undefined ? toToolChoice(toolChoice) : answerToolChoice(answerTool, others, offered);
  return {
    tools: declared.flatMap((tool): BedrockTool[] => [
      { toolSpec: toSpec(tool) },
      ...(tool.cache === undefined ? [] : [cachePoint(tool.cache)]),
    ]),
    ...(choice === undefined ? {} : { toolChoice: choice }),
  };
}

type Choice = ToolConfiguration['toolChoice'];

/** `auto` is the default, and some models refuse the value. */
function toToolChoice(choice: Conversation['toolChoice']): Choice {
  if (choice?.type === 'tool') return { tool: { name: choice.name } };
  return choice?.type === 'any' ? { any: {} } : undefined;
}

/**
 * Returns the choice that forces a tool call. For a single tool, `any` has the same effect, and more models support
 * `any`.
 */
const answerToolChoice = ({ name }: Tool, others: readonly Tool[], offered: readonly Tool[]): Choice =>
  offered.length > 0 || others.length === 0 ? { any: {} } : { tool: { name } };

/** Many models refuse to be strict, so it is asked only of a schema that can be. */
function toSpec(tool: Tool): ToolSpecification {
  const { name, description = '', parameters, strict } = soundTool(tool);
  return {
    name,
    ...(isNotBlank(description) ? { description } : {}),
    inputSchema: { json: parseDocument(JSON.stringify(parameters)) },
    ...(strict === undefined ? {} : { strict }),
  };
}
