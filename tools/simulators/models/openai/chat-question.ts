/** Translates a chat completions request into the model's neutral one, and refuses what breaks a rule between fields. */
import { type BlockContent, checkOffered, checkToolTurns, toMessages } from '../exchange/conversation.ts';
import { requireThat } from '../exchange/request-error.ts';
import type { ModelMessage, ModelRequest } from '../model/model.ts';
import type { ChatMessage, ChatRequest } from './chat-request.ts';
import { checkReasoning, thinks } from './reasoning.ts';

type ContentPart = Exclude<NonNullable<ChatMessage['content']>, string>[number];

function partOf(part: ContentPart): BlockContent {
  if (part.type === 'text') return { text: part.text };
  return part.type === 'refusal' ? { text: part.refusal } : { isImage: true };
}

function toModelMessages(message: ChatMessage, turn: number): ModelMessage[] {
  const { role } = message;
  const content: string | readonly ContentPart[] = message.content ?? [];
  const parts = typeof content === 'string' ? [{ text: content }] : content.map(partOf);
  if (role === 'tool')
    return toMessages(role, [{ result: { toolCallId: message.tool_call_id, isError: false, parts } }], turn);
  const calls = role === 'assistant' ? (message.tool_calls ?? []) : [];
  const toolCalls = calls.map(({ id, function: { name, arguments: text } }) => ({
    call: { id, name, arguments: text },
  }));
  const name = message.name ?? undefined;
  const messages = toMessages(role === 'developer' ? 'system' : role, [...parts, ...toolCalls], turn);
  return messages.map((each) => ({ ...each, name }));
}

/** The tools that the choice names; undefined where it names none. */
function chosenTools({ tool_choice: choice }: ChatRequest): readonly string[] | undefined {
  if (typeof choice !== 'object' || choice === null) return undefined;
  const named = choice.type === 'function' ? [choice] : choice.allowed_tools.tools;
  return named.map((tool) => tool.function.name);
}

function toToolChoice({ tool_choice: choice }: ChatRequest): ModelRequest['toolChoice'] {
  if (typeof choice === 'string') return choice;
  return choice?.type === 'function'
    ? { name: choice.function.name }
    : (choice?.allowed_tools.mode ?? 'auto');
}

function toSchema({ response_format: format }: ChatRequest): ModelRequest['schema'] {
  if (format?.type === 'json_object') return { type: 'object', properties: { answer: { type: 'string' } } };
  return format?.type === 'json_schema' ? (format.json_schema.schema ?? { type: 'object' }) : undefined;
}

function checkFields(request: ChatRequest): void {
  const { stream, stream_options: options, tools, tool_choice: choice, messages } = request;
  requireThat(!options || stream === true, "is only allowed when 'stream' is enabled", ['stream_options']);
  requireThat(
    request.max_tokens == null || request.max_completion_tokens == null,
    "'max_tokens' and 'max_completion_tokens' cannot both be set.",
  );
  requireThat(!choice || choice === 'none' || !!tools, "is only allowed with 'tools'", ['tool_choice']);
  const names = (tools ?? []).map((tool) => tool.function.name);
  checkOffered(names, chosenTools(request) ?? [], ['tool_choice']);
  const silent = messages.findIndex(
    (message) => message.role === 'assistant' && !message.tool_calls && message.content == null,
  );
  requireThat(silent < 0, 'expected a string, got null', ['messages', silent, 'content']);
}

export function toModelRequest(request: ChatRequest): ModelRequest {
  checkFields(request);
  const { stop } = request;
  const messages = request.messages.flatMap(toModelMessages);
  checkToolTurns(messages, false);
  checkReasoning(request);
  const allowed = chosenTools(request);
  const tools = (request.tools ?? []).map(({ function: { name, description, parameters } }) => ({
    name,
    description: description ?? undefined,
    parameters: parameters ?? undefined,
  }));
  return {
    model: request.model,
    messages,
    tools: tools.filter(({ name }) => allowed?.includes(name) ?? true),
    toolChoice: toToolChoice(request),
    parallelToolCalls: request.parallel_tool_calls !== false,
    schema: toSchema(request),
    maxTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    choiceCount: request.n ?? 1,
    thinks: thinks(request),
  };
}
