/** Translates a valid chat completions request into the model's neutral one. */
import type { Fault } from '../control/fault.ts';
import type {
  AnswerFormat,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ToolChoice,
} from '../model/model-request.ts';
import type { ChatMessage } from './content.ts';
import type { ChatRequest } from './request.ts';

type Part = Exclude<NonNullable<ChatMessage['content']>, string>[number];

function textOf(part: Part): string {
  if (part.type === 'text') return part.text;
  return part.type === 'refusal' ? part.refusal : '';
}

function toModelMessage(message: ChatMessage): ModelMessage {
  const content = message.content ?? '';
  const parts: readonly Part[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return {
    role: message.role === 'developer' ? 'system' : message.role,
    text: parts
      .filter((part) => part.type !== 'image_url')
      .map(textOf)
      .join('\n'),
    imageCount: parts.filter((part) => part.type === 'image_url').length,
    name: message.role === 'tool' ? undefined : (message.name ?? undefined),
    toolCalls: calls.map((call) => ({
      id: call.id,
      name: call.function.name,
      arguments: call.function.arguments,
    })),
    toolCallId: message.role === 'tool' ? message.tool_call_id : undefined,
  };
}

function toTools({ tools, tool_choice: choice }: ChatRequest): ModelTool[] {
  const all = (tools ?? []).map(({ function: { name, description, parameters } }) => ({
    name,
    description: description ?? undefined,
    parameters: parameters ?? undefined,
  }));
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return all;
  const allowed = new Set(choice.allowed_tools.tools.map((tool) => tool.function.name));
  return all.filter((tool) => allowed.has(tool.name));
}

function toToolChoice({ tool_choice: choice }: ChatRequest): ToolChoice {
  if (typeof choice === 'string') return { kind: choice };
  if (choice?.type === 'function') return { kind: 'tool', name: choice.function.name };
  return { kind: choice?.allowed_tools.mode ?? 'auto' };
}

function toFormat({ response_format: format }: ChatRequest): AnswerFormat {
  if (format?.type === 'json_object') return { kind: 'json-object' };
  if (format?.type !== 'json_schema') return { kind: 'text' };
  return { kind: 'json-schema', schema: format.json_schema.schema ?? { type: 'object' } };
}

/** The model is asked for what the request says, and for what the fault adds to it. */
export function toModelRequest(request: ChatRequest, fault: Fault): ModelRequest {
  const { stop } = request;
  return {
    model: request.model,
    messages: request.messages.map(toModelMessage),
    tools: toTools(request),
    toolChoice: toToolChoice(request),
    parallelToolCalls: request.parallel_tool_calls !== false,
    format: toFormat(request),
    maxTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    choiceCount: request.n ?? 1,
    exactTokens: fault.content_chunks,
    refuses: fault.refusal,
  };
}
