/** A chat call as Converse takes it (Amazon Bedrock API reference, Converse and ConverseStream). */
import type {
  Tool as BedrockTool,
  ConverseRequest,
  GuardrailConfiguration,
  InferenceConfiguration,
  OutputConfig,
  SystemContentBlock,
  ToolConfiguration,
  ToolSpecification,
} from '@aws-sdk/client-bedrock-runtime';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import { systemTextsOf } from '../../core/upstream/cache-breakpoints.ts';
import { isClaudeOnBedrock, isNotBlank } from '../../core/upstream/claude.ts';
import type { Conversation, Tool } from '../../core/upstream/conversation.ts';
import { effortOf, nearestEffort } from '../../core/upstream/effort.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { calledTools, jsonOutputRequestOf, type SchemaFormat, toValidTool } from '../claude/json-output.ts';
import { type ClaudeConversation, forClaude } from '../claude/thinking.ts';
import { cachePoint, type Document, parseDocument, toMessages } from './content.ts';

export interface ConverseCall {
  /** The request, the same for a complete and a streamed response. */
  readonly request: ConverseRequest;
  /** The tool whose input is the answer, if the caller requests JSON. Converse has no other method to request it. */
  readonly answerTool?: string;
  /** The signatures of the route that is called. */
  readonly signatures: Signatures;
}

/**
 * Returns the call for one model. Converse has no field that limits an output to one tool call. Throws
 * `UpstreamFailure` for an image that no provider supports.
 */
export function toConverseCall(
  callerConversation: Conversation,
  {
    upstream_model: modelId,
    reasoning,
    dialect,
    guardrail,
  }: Pick<CatalogRoute, 'upstream_model' | 'reasoning' | 'dialect' | 'guardrail'>,
  signatures: Signatures,
): ConverseCall {
  const reasoningMode = dialect?.reasoning_request;
  const conversation = forClaude(
    callerConversation,
    isClaudeOnBedrock(modelId) ? reasoningMode : undefined,
    signatures,
  );
  // A guardrail does not judge the input of a tool (Amazon Bedrock user guide, Include a guardrail with the Converse API).
  const {
    native,
    tool: answerTool,
    instructions,
  } = jsonOutputRequestOf(conversation, reasoning || conversation.thinks || guardrail !== undefined);
  const modelFields = isClaudeOnBedrock(modelId)
    ? toClaudeFields(conversation)
    : toEffortFields(callerConversation, reasoningMode);
  const system = [...systemTextsOf(conversation), ...instructions.map((text) => ({ text }))].filter(
    ({ text }) => isNotBlank(text),
  );
  const toolConfig = toToolConfig(withToolCachePointsFor(modelId, conversation), answerTool);
  const inferenceConfig = toInference(conversation, modelId);
  const request = {
    modelId,
    messages: toMessages(conversation.turns),
    inferenceConfig,
    ...(system.length === 0 ? {} : { system: system.flatMap(toSystemBlocks) }),
    ...(toolConfig === undefined ? {} : { toolConfig }),
    ...(native === undefined ? {} : { outputConfig: toOutputConfig(native) }),
    ...(modelFields === undefined ? {} : { additionalModelRequestFields: modelFields }),
    ...(inferenceConfig.stopSequences !== undefined && isClaudeOnBedrock(modelId)
      ? { additionalModelResponseFieldPaths: STOP_SEQUENCE_PATHS }
      : {}),
    ...(guardrail === undefined ? {} : { guardrailConfig: toGuardrailConfig(guardrail) }),
  };
  return { request, signatures, ...(answerTool === undefined ? {} : { answerTool: answerTool.name }) };
}

/** Without a trace, which would repeat the text that the guardrail matched. */
const toGuardrailConfig = ({
  id,
  version,
}: NonNullable<CatalogRoute['guardrail']>): GuardrailConfiguration => ({
  guardrailIdentifier: id,
  guardrailVersion: version,
  trace: 'disabled',
});

const toSystemBlocks = ({ text, cache }: ReturnType<typeof systemTextsOf>[number]): SystemContentBlock[] =>
  cache === undefined ? [{ text }] : [{ text }, cachePoint(cache)];

/**
 * Returns the conversation with the supported cache breakpoints on tools. Only Claude caches tools, and Nova rejects a
 * cache point there (Amazon Bedrock user guide, Prompt caching, Supported models).
 */
const withToolCachePointsFor = (modelId: string, conversation: ClaudeConversation): ClaudeConversation =>
  isClaudeOnBedrock(modelId)
    ? conversation
    : { ...conversation, tools: conversation.tools.map(({ cache: _cache, ...tool }) => tool) };

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

/** Returns the fields of a model that supports efforts (Amazon Bedrock user guide, OpenAI models). */
function toEffortFields(
  { reasoning, maxTokens }: Conversation,
  reasoningMode: ConverseReasoningMode,
): Document | undefined {
  const effort =
    reasoning === undefined || reasoningMode !== 'effort' ? undefined : effortOf(reasoning, maxTokens);
  return effort === undefined ? undefined : { reasoning_effort: nearestEffort(effort, EFFORT_STEPS) };
}

type ConverseReasoningMode = NonNullable<CatalogRoute['dialect']>['reasoning_request'];

/** Paths of the stop sequence that Claude met: in a complete response, and in a stream. */
const STOP_SEQUENCE_PATHS = ['/stop_sequence', '/delta/stop_sequence'];

/**
 * Returns the inference configuration. The maximum temperature is 1 here and 2 elsewhere. The temperature is dropped if
 * `topP` is set, because Claude rejects both together. The service adds a temperature to every request, but only a
 * caller sets `topP`. Claude also rejects stop sequences of white space.
 */
function toInference(conversation: ClaudeConversation, modelId: string): InferenceConfiguration {
  const { maxTokens, temperature, topP } = conversation;
  const stop = conversation.stop.filter((text) =>
    isClaudeOnBedrock(modelId) ? isNotBlank(text) : text !== '',
  );
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
 * Returns the tool configuration. Converse cannot forbid tool calls, so tools that the caller forbids are not declared.
 * A conversation with tool calls is rejected without tools. In that case, the called tools are declared, although the
 * model may not call them.
 */
function toToolConfig(
  conversation: ClaudeConversation,
  answerTool: Tool | undefined,
): ToolConfiguration | undefined {
  const { tools, toolChoice } = conversation;
  const offered = toolChoice?.type === 'none' ? [] : tools;
  const otherTools = offered.length > 0 ? offered : calledTools(conversation);
  const declared = answerTool === undefined ? otherTools : [...otherTools, answerTool];
  if (declared.length === 0) return undefined;
  const choice =
    answerTool === undefined ? toToolChoice(toolChoice) : answerToolChoice(answerTool, otherTools, offered);
  return {
    tools: declared.flatMap((tool): BedrockTool[] => [
      { toolSpec: toSpec(tool) },
      ...(tool.cache === undefined ? [] : [cachePoint(tool.cache)]),
    ]),
    ...(choice === undefined ? {} : { toolChoice: choice }),
  };
}

type Choice = ToolConfiguration['toolChoice'];

/** Returns the tool choice. `auto` is the default and is not sent, because some models reject the value. */
function toToolChoice(choice: Conversation['toolChoice']): Choice {
  if (choice?.type === 'tool') return { tool: { name: choice.name } };
  return choice?.type === 'any' ? { any: {} } : undefined;
}

/**
 * Returns the choice that forces a tool call. For a single tool, `any` has the same effect, and more models support
 * `any`.
 */
const answerToolChoice = ({ name }: Tool, otherTools: readonly Tool[], offered: readonly Tool[]): Choice =>
  offered.length > 0 || otherTools.length === 0 ? { any: {} } : { tool: { name } };

/**
 * Returns the specification of a tool. Many models reject strict mode, so it is only requested for a schema that
 * supports it.
 */
function toSpec(tool: Tool): ToolSpecification {
  const { name, description = '', parameters, strict } = toValidTool(tool);
  return {
    name,
    ...(isNotBlank(description) ? { description } : {}),
    inputSchema: { json: parseDocument(JSON.stringify(parameters)) },
    ...(strict === undefined ? {} : { strict }),
  };
}
