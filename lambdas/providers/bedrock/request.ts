/** A chat call as Converse takes it (Amazon Bedrock API reference, Converse and ConverseStream). */
import type {
  ConverseRequest,
  InferenceConfiguration,
  OutputConfig,
  ToolConfiguration,
  ToolSpecification,
} from '@aws-sdk/client-bedrock-runtime';
import type { Route } from '../../core/inference/catalog-document.ts';
import type { AnswerFormat, Conversation, Tool } from '../../core/inference/conversation.ts';
import type { JsonObject } from '../../core/inference/provider.ts';
import { takesSchema } from './capabilities.ts';
import { parseDocument, toMessages } from './content.ts';

export interface ConverseCall {
  /** The same for an answer at once and a streamed one. */
  readonly request: Omit<ConverseRequest, 'guardrailConfig'>;
  /** The tool whose input is the answer, where the caller asked for JSON that Converse has no other word for. */
  readonly answerTool?: string;
}

/**
 * The conversation for one model. That an answer may hold only one tool call has no place in Converse. Throws
 * `UpstreamFailure` for an image that no provider takes.
 */
export function toConverseCall(
  conversation: Conversation,
  { upstream_model: modelId, reasoning }: Pick<Route, 'upstream_model' | 'reasoning'>,
): ConverseCall {
  const { system, turns, format } = conversation;
  const loose = looseFormatOf(conversation);
  const answerTool = loose === undefined || reasoning ? undefined : toAnswerTool(loose, conversation);
  // Claude does not think when it is made to call a tool, and a model that always thinks refuses: a text asks it.
  const texts = [...system, ...(loose !== undefined && reasoning ? formatTexts(loose) : [])].filter(
    isNotBlank,
  );
  const toolConfig = toToolConfig(conversation, answerTool);
  const inferenceConfig = toInference(conversation, modelId);
  const request = {
    modelId,
    messages: toMessages(turns),
    inferenceConfig,
    ...(texts.length === 0 ? {} : { system: texts.map((text) => ({ text })) }),
    ...(toolConfig === undefined ? {} : { toolConfig }),
    ...(isNative(format) ? { outputConfig: toOutputConfig(format) } : {}),
    ...(inferenceConfig.stopSequences !== undefined && isClaude(modelId)
      ? { additionalModelResponseFieldPaths: STOP_SEQUENCE_PATHS }
      : {}),
  };
  return { request, ...(answerTool === undefined ? {} : { answerTool: answerTool.name }) };
}

const isNotBlank = (text: string): boolean => text.trim() !== '';

/** Where Claude names the stop sequence that it met: in an answer at once, and in a stream. */
const STOP_SEQUENCE_PATHS = ['/stop_sequence', '/delta/stop_sequence'];

/** Its own id, or that of an inference profile, or an ARN of either. */
const isClaude = (modelId: string): boolean => /(^|[./])anthropic\./.test(modelId);

/**
 * The temperature ends at 1 here, at 2 elsewhere. It is left out beside `topP`: Claude refuses a request with both,
 * and while the service gives every request a temperature, only a caller gives one `topP`. Claude refuses stop
 * sequences of white space too.
 */
function toInference(conversation: Conversation, modelId: string): InferenceConfiguration {
  const { maxTokens, temperature, topP } = conversation;
  const stop = conversation.stop.filter((text) => (isClaude(modelId) ? isNotBlank(text) : text !== ''));
  return {
    maxTokens,
    ...(topP === undefined ? {} : { topP }),
    ...(temperature === undefined || topP !== undefined ? {} : { temperature: Math.min(temperature, 1) }),
    ...(stop.length === 0 ? {} : { stopSequences: stop }),
  };
}

type SchemaFormat = Extract<AnswerFormat, { type: 'json-schema' }>;

/** Structured outputs say it: there is nothing else for a schema that is not even an object's. */
const isNative = (format: AnswerFormat | undefined): format is SchemaFormat =>
  format?.type === 'json-schema' && (takesSchema(format.schema) || !isOfObject(format.schema));

const isOfObject = ({ type, anyOf, oneOf, allOf }: JsonObject): boolean =>
  (type === undefined || type === 'object') && [anyOf, oneOf, allOf].every((union) => union === undefined);

function toOutputConfig({ name, description, schema }: SchemaFormat): OutputConfig {
  const jsonSchema = {
    schema: JSON.stringify(schema),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

/** JSON of any schema, or of one that structured outputs refuse; not where the caller insists on a call of its tools. */
function looseFormatOf({ format, tools, toolChoice }: Conversation): AnswerFormat | undefined {
  const insists = toolChoice?.type === 'tool' || (toolChoice?.type === 'any' && tools.length > 0);
  return isNative(format) || insists ? undefined : format;
}

function formatTexts(format: AnswerFormat): string[] {
  const asked = 'Answer with one JSON object and nothing else: no code fence, no words around it.';
  if (format.type === 'json') return [asked];
  return [asked, `The object conforms to this JSON Schema: ${JSON.stringify(format.schema)}`];
}

const ANSWER_TOOL = 'json_answer';
const ANSWER_TOOL_USE = 'Call this tool once to give the whole answer: its input is the answer.';

function toAnswerTool(format: AnswerFormat, { tools, turns }: Conversation): Tool {
  const taken = new Set([...tools.map(({ name }) => name), ...calledNames(turns)]);
  let name = ANSWER_TOOL;
  for (let next = 2; taken.has(name); next += 1) name = `${ANSWER_TOOL}_${next}`;
  if (format.type === 'json') return { name, description: ANSWER_TOOL_USE, parameters: ANY_OBJECT };
  const about = format.description === undefined ? '' : ` ${format.description}`;
  return { name, description: `${ANSWER_TOOL_USE}${about}`, parameters: format.schema };
}

const ANY_OBJECT: JsonObject = { type: 'object' };

const calledNames = (turns: Conversation['turns']): ReadonlySet<string> =>
  new Set(
    turns.flatMap(({ parts }) => [...parts].flatMap((part) => (part.type === 'tool-call' ? part.name : []))),
  );

/**
 * Converse cannot forbid tool calls, so tools that the caller forbids are not declared. A conversation that holds tool
 * calls is refused without tools, though: then those that it called are, for the model to leave alone.
 */
function toToolConfig(
  conversation: Conversation,
  answerTool: Tool | undefined,
): ToolConfiguration | undefined {
  const { tools, toolChoice, turns } = conversation;
  const offered = toolChoice?.type === 'none' ? [] : tools;
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const called = [...calledNames(turns)].map((name) => known.get(name) ?? { name, parameters: ANY_OBJECT });
  const others = offered.length > 0 ? offered : called;
  const declared = answerTool === undefined ? others : [...others, answerTool];
  if (declared.length === 0) return undefined;
  const choice =
    answerTool === undefined ? toToolChoice(toolChoice) : answerToolChoice(answerTool, others, offered);
  return {
    tools: declared.map((tool) => ({ toolSpec: toSpec(tool) })),
    ...(choice === undefined ? {} : { toolChoice: choice }),
  };
}

type Choice = ToolConfiguration['toolChoice'];

/** `auto` is the default, and some models refuse the word. */
function toToolChoice(choice: Conversation['toolChoice']): Choice {
  if (choice?.type === 'tool') return { tool: { name: choice.name } };
  return choice?.type === 'any' ? { any: {} } : undefined;
}

/** Of one tool, any is that one, and more models know `any`. */
const answerToolChoice = ({ name }: Tool, others: readonly Tool[], offered: readonly Tool[]): Choice =>
  offered.length > 0 || others.length === 0 ? { any: {} } : { tool: { name } };

/** Many models refuse to be strict, so it is asked only of a schema that can be. */
function toSpec({ name, description = '', parameters, strict }: Tool): ToolSpecification {
  const schema = parameters.type === 'object' ? parameters : { ...parameters, type: 'object' };
  return {
    name,
    ...(isNotBlank(description) ? { description } : {}),
    inputSchema: { json: parseDocument(JSON.stringify(schema)) },
    ...(strict === true && takesSchema(schema) ? { strict } : {}),
  };
}
