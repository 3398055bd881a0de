/** A chat request as a conversation of no protocol (OpenAI API reference, Create chat completion). */
import type {
  AnswerFormat,
  AssistantPart,
  Conversation,
  ImagePart,
  TextPart,
  Tool,
  ToolChoice,
  Turn,
} from '../../upstream/conversation.ts';
import {
  type ChatMessage,
  type ChatRequest,
  type ContentPart,
  DEFAULT_TEMPERATURE,
  maxTokensOf,
} from './request.ts';

/**
 * Everything of the request that other protocols can say too. System texts are gathered wherever they stand, because
 * other protocols know them only at the start; names of participants are dropped.
 */
export function toConversation(request: ChatRequest): Conversation {
  const { messages, stop, tools, top_p: topP, parallel_tool_calls: parallelToolCalls, user } = request;
  const toolChoice = toToolChoice(request.tool_choice);
  const format = toFormat(request.response_format);
  return {
    system: messages.filter(isSystem).flatMap(({ content }) => textsOf(content)),
    turns: messages.filter((message) => !isSystem(message)).map(toTurn),
    tools: (tools ?? []).map(toTool),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(parallelToolCalls == null ? {} : { parallelToolCalls }),
    ...(format === undefined ? {} : { format }),
    maxTokens: maxTokensOf(request),
    temperature: request.temperature ?? DEFAULT_TEMPERATURE,
    // A share of 1 leaves nothing out, and protocols that refuse it beside a temperature would lose the latter.
    ...(topP == null || topP === 1 ? {} : { topP }),
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    ...(user == null ? {} : { user }),
  };
}

const isSystem = ({ role }: ChatMessage) => role === 'system' || role === 'developer';

const textsOf = (content: ChatMessage['content']): string[] =>
  typeof content === 'string' ? [content] : (content ?? []).map(({ text }) => text ?? '');

function toTurn(message: ChatMessage): Turn {
  const { role, content } = message;
  if (role === 'assistant') return { role, parts: assistantParts(message) };
  if (role !== 'tool') return { role: 'user', parts: partsOf(content).map(toUserPart) };
  const id = message.tool_call_id ?? '';
  const texts = textsOf(content).map((text): TextPart => ({ type: 'text', text }));
  return { role: 'user', parts: [{ type: 'tool-result', id, content: texts, isError: false }] };
}

const partsOf = (content: ChatMessage['content']): readonly ContentPart[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);

function toUserPart({ text, image_url: image }: ContentPart): TextPart | ImagePart {
  return image == null ? { type: 'text', text: text ?? '' } : { type: 'image', source: sourceOf(image.url) };
}

/** `data:<media type>;base64,<data>` (RFC 2397); the media type may have parameters, which no provider takes. */
const DATA_URL = /^data:([^;,]+)(?:;[^;,]*)*;base64,(.*)$/is;

function sourceOf(url: string): ImagePart['source'] {
  const [, mediaType, data] = DATA_URL.exec(url) ?? [];
  if (mediaType === undefined || data === undefined) return { kind: 'url', url };
  return { kind: 'base64', mediaType: mediaType.toLowerCase(), data };
}

function assistantParts({ content, refusal, tool_calls: calls }: ChatMessage): AssistantPart[] {
  const said = partsOf(content).map(
    ({ text, refusal: declined }): AssistantPart =>
      declined == null ? { type: 'text', text: text ?? '' } : { type: 'refusal', text: declined },
  );
  if (typeof refusal === 'string') said.push({ type: 'refusal', text: refusal });
  const called = (calls ?? []).map(
    ({ id, function: { name, arguments: text } }): AssistantPart => ({
      type: 'tool-call',
      id,
      name,
      arguments: text,
    }),
  );
  return [...said, ...called];
}

function toTool({ function: tool }: NonNullable<ChatRequest['tools']>[number]): Tool {
  const { name, description, parameters, strict } = tool;
  return {
    name,
    ...(description == null ? {} : { description }),
    // A function without parameters takes an empty object (OpenAI API reference, function.parameters).
    parameters: parameters ?? { type: 'object', properties: {} },
    ...(strict == null ? {} : { strict }),
  };
}

function toToolChoice(choice: ChatRequest['tool_choice']): ToolChoice | undefined {
  if (choice == null) return undefined;
  if (typeof choice !== 'string') return { type: 'tool', name: choice.function.name };
  if (choice === 'required') return { type: 'any' };
  return { type: choice === 'none' ? 'none' : 'auto' };
}

function toFormat(format: ChatRequest['response_format']): AnswerFormat | undefined {
  if (format?.type === 'json_object') return { type: 'json' };
  if (format?.type !== 'json_schema') return undefined;
  const { name, description, schema, strict } = format.json_schema ?? {};
  return {
    type: 'json-schema',
    schema: schema ?? { type: 'object' },
    ...(name === undefined ? {} : { name }),
    ...(typeof description === 'string' ? { description } : {}),
    ...(strict == null ? {} : { strict }),
  };
}
