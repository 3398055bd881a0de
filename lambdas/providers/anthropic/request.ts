/** A chat call as a server of the Messages protocol takes it (Claude API reference, Create a Message). */
import type { Route } from '../../core/inference/catalog-document.ts';
import type { AnswerFormat, Conversation, Tool, ToolChoice } from '../../core/inference/conversation.ts';
import type { ChatPayload, JsonObject } from '../../core/inference/provider.ts';
import { takesSchema } from './capabilities.ts';
import { toMessages } from './content.ts';

export interface MessagesRequest {
  readonly body: JsonObject;
  /** The tool whose input is the answer, where the caller asked for JSON that the protocol has no other word for. */
  readonly answerTool?: string;
}

type Target = Pick<Route, 'upstream_model' | 'reasoning'>;

/**
 * The request: what the caller sent, unknown fields included, under the route's own model name; or the conversation,
 * where the caller spoke another protocol.
 */
export function toRequest(payload: ChatPayload, route: Target): MessagesRequest {
  const named = { model: route.upstream_model, stream: payload.stream };
  if (payload.protocol === 'anthropic') return { body: { ...payload.body, ...named } };
  const conversation = payload.conversation();
  const answerTool = route.reasoning ? undefined : answerToolOf(conversation);
  return {
    body: { ...named, ...fromConversation(conversation, answerTool) },
    ...(answerTool === undefined ? {} : { answerTool: answerTool.name }),
  };
}

function fromConversation(conversation: Conversation, answerTool: Tool | undefined): JsonObject {
  const { turns, format, maxTokens, temperature, topP, user } = conversation;
  const system = systemTexts(conversation, answerTool).filter(isNotBlank);
  const tools = [...declaredTools(conversation), ...(answerTool === undefined ? [] : [answerTool])];
  const toolChoice = toToolChoice(conversation, answerTool);
  const stop = conversation.stop.filter(isNotBlank);
  return {
    max_tokens: maxTokens,
    ...(system.length === 0 ? {} : { system: textContent(system) }),
    messages: toMessages(turns),
    // Claude models since Opus 4.1 refuse both together; the caller chose this one, where the other may be a default.
    ...(topP === undefined
      ? temperature !== undefined && { temperature: Math.min(temperature, MAX_TEMPERATURE) }
      : { top_p: topP }),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...(isNative(format)
      ? { output_config: { format: { type: 'json_schema', schema: format.schema } } }
      : {}),
    ...(user === undefined || user.length > MAX_USER_ID ? {} : { metadata: { user_id: user } }),
  };
}

/** Bounds of the protocol (Claude API reference, Create a Message). */
const MAX_TEMPERATURE = 1;
const MAX_USER_ID = 256;

/** Texts and stop sequences without anything but white space are refused. */
const isNotBlank = (text: string): boolean => text.trim() !== '';

const textContent = (texts: readonly string[]): unknown =>
  texts.length === 1 ? texts[0] : texts.map((text) => ({ type: 'text', text }));

type SchemaFormat = Extract<AnswerFormat, { type: 'json-schema' }>;

/** Structured outputs say it: there is nothing else for a schema that is not even an object's. */
function isNative(format: AnswerFormat | undefined): format is SchemaFormat {
  return format?.type === 'json-schema' && (takesSchema(format.schema) || !isOfObject(format.schema));
}

const isOfObject = ({ type, anyOf, oneOf, allOf }: JsonObject): boolean =>
  (type === undefined || type === 'object') && [anyOf, oneOf, allOf].every((union) => union === undefined);

/** The caller lets the model answer in words; where it insists on a call, it gets no answer but that. */
const mayAnswer = ({ tools, toolChoice }: Conversation): boolean =>
  toolChoice?.type !== 'tool' && (toolChoice?.type !== 'any' || tools.length === 0);

/** JSON that the model has to be told of: any object, and what structured outputs refuse. */
function looseFormatOf(conversation: Conversation): AnswerFormat | undefined {
  const { format } = conversation;
  return format === undefined || isNative(format) || !mayAnswer(conversation) ? undefined : format;
}

const ANSWER_TOOL = 'json_answer';
const ANSWER_TOOL_USE = 'Call this tool once to give the whole answer: the input is the answer.';

/** The tool that stands for a JSON answer. */
function answerToolOf(conversation: Conversation): Tool | undefined {
  const format = looseFormatOf(conversation);
  if (format === undefined) return undefined;
  const taken = new Set([...conversation.tools.map(({ name }) => name), ...calledNames(conversation)]);
  let name = ANSWER_TOOL;
  for (let next = 2; taken.has(name); next += 1) name = `${ANSWER_TOOL}_${next}`;
  if (format.type === 'json') return { name, description: ANSWER_TOOL_USE, parameters: { type: 'object' } };
  const about = format.description === undefined ? '' : ` ${format.description}`;
  return { name, description: `${ANSWER_TOOL_USE}${about}`, parameters: format.schema };
}

/** Reasoning models refuse to be made to call a tool (Claude API docs, What's new in Claude Opus 5.5): a text asks. */
function systemTexts(conversation: Conversation, answerTool: Tool | undefined): readonly string[] {
  const format = looseFormatOf(conversation);
  if (format === undefined || answerTool !== undefined) return conversation.system;
  const asked = 'Answer with one JSON object and nothing else: no code fence, no words around it.';
  const schema =
    format.type === 'json'
      ? []
      : [`The object conforms to this JSON Schema: ${JSON.stringify(format.schema)}`];
  return [...conversation.system, asked, ...schema];
}

const calledNames = ({ turns }: Conversation): Set<string> =>
  new Set(
    turns.flatMap(({ role, parts }) =>
      role === 'user' ? [] : parts.flatMap((part) => (part.type === 'tool-call' ? part.name : [])),
    ),
  );

/** A conversation with tool calls is refused without tools, so those that it called stand in for none. */
function declaredTools(conversation: Conversation): readonly Tool[] {
  if (conversation.tools.length > 0) return conversation.tools;
  return [...calledNames(conversation)].map((name) => ({ name, parameters: { type: 'object' } }));
}

/** A tool that promises to be strict is refused when its schema is not one of structured outputs'. */
function toTool({ name, description, parameters, strict }: Tool): JsonObject {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: parameters.type === 'object' ? parameters : { ...parameters, type: 'object' },
    ...(strict === true && takesSchema(parameters) ? { strict } : {}),
  };
}

function toToolChoice(conversation: Conversation, answerTool: Tool | undefined): JsonObject | undefined {
  const { tools, toolChoice: choice, parallelToolCalls } = conversation;
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (answerTool !== undefined) {
    const callable = tools.length > 0 && choice?.type !== 'none';
    if (callable) return { type: 'any', ...single };
    return { type: 'tool', name: answerTool.name, disable_parallel_tool_use: true };
  }
  if (tools.length === 0 && !insists(choice))
    return calledNames(conversation).size === 0 ? undefined : { type: 'none' };
  if (choice?.type === 'none') return { type: 'none' };
  if (choice === undefined && parallelToolCalls !== false) return undefined;
  return { ...(choice ?? { type: 'auto' }), ...single };
}

/** Such a choice without tools is left for the server to refuse. */
const insists = (choice: ToolChoice | undefined): boolean =>
  choice?.type === 'any' || choice?.type === 'tool';
