/** Translates a Responses request into the model's neutral one, and refuses what breaks a rule between fields. */
import { type BlockContent, checkOffered, toMessages } from '../exchange/conversation.ts';
import { requireThat } from '../exchange/request-error.ts';
import type { ModelMessage, ModelRequest } from '../model/model.ts';
import { rejectionAs } from '../openai/protocol.ts';
import type { InputItem, InputPart } from './input.ts';
import { callersTools, type ResponsesRequest, thinks } from './request.ts';
import { checkStrict } from './strict-schema.ts';

function partOf(part: InputPart): BlockContent {
  if (part.type === 'input_image' || part.type === 'input_file') return { isImage: true };
  return { text: part.type === 'refusal' ? part.refusal : part.text };
}

const partsOf = (content: string | readonly InputPart[]): BlockContent[] =>
  typeof content === 'string' ? [{ text: content }] : content.map(partOf);

/** Reasoning says nothing here. */
function toModelMessages(item: InputItem, turn: number): ModelMessage[] {
  if (item.type === 'message')
    return toMessages(item.role === 'developer' ? 'system' : item.role, partsOf(item.content), turn);
  if (item.type === 'function_call' || item.type === 'custom_tool_call') {
    const { call_id: id, name } = item;
    const text = item.type === 'function_call' ? item.arguments : item.input;
    return toMessages('assistant', [{ call: { id, name, arguments: text } }], turn);
  }
  if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
    const result = { toolCallId: item.call_id, isError: false, parts: partsOf(item.output) };
    return toMessages('tool', [{ result }], turn);
  }
  return [];
}

/** The tools that the choice names; undefined where it names none. */
function chosenTools({ tool_choice: choice }: ResponsesRequest): readonly string[] | undefined {
  if (typeof choice !== 'object' || choice === null) return undefined;
  if (choice.type === 'allowed_tools') return choice.tools.flatMap(({ name }) => name ?? []);
  return [choice.name];
}

function toToolChoice(request: ResponsesRequest): ModelRequest['toolChoice'] {
  const { tool_choice: choice } = request;
  if (typeof choice === 'string') return choice;
  const [name] = chosenTools(request) ?? [];
  if (choice?.type === 'allowed_tools') return choice.mode === 'required' ? 'required' : 'auto';
  return name === undefined ? 'auto' : { name };
}

function toSchema({ text }: ResponsesRequest): ModelRequest['schema'] {
  const format = text?.format;
  if (format?.type === 'json_object') return { type: 'object', properties: { answer: { type: 'string' } } };
  return format?.type === 'json_schema' ? format.schema : undefined;
}

/** A model that thinks chooses by itself how it samples (OpenAI's guide "Using GPT-5.2", "Parameter compatibility"). */
function checkSampling(request: ResponsesRequest): void {
  const { model, reasoning } = request;
  if (model.includes('reasoner') && reasoning?.effort === 'none')
    throw rejectionAs(
      `Unsupported value: 'none' is not supported with the '${model}' model.`,
      'reasoning.effort',
      'unsupported_value',
    );
  const field = (['temperature', 'top_p', 'top_logprobs'] as const).find((name) => request[name] != null);
  if (thinks(request) && field !== undefined)
    throw rejectionAs(`Unsupported parameter: '${field}' is not supported with this model.`, field);
}

function checkTools(request: ResponsesRequest): void {
  const tools = callersTools(request);
  const path = ['tool_choice'];
  const isNamed = typeof request.tool_choice === 'object' && request.tool_choice !== null;
  requireThat(!isNamed || tools.length > 0, "is only allowed with 'tools'", path);
  const names = tools.map(({ name }) => name);
  checkOffered(names, chosenTools(request) ?? [], path);
  for (const [index, tool] of tools.entries())
    if (tool.type === 'function' && tool.strict === true)
      checkStrict(tool.parameters, `function '${tool.name}'`, `tools[${index}].parameters`);
}

function checkFormat({ text }: ResponsesRequest, messages: readonly ModelMessage[]): void {
  const format = text?.format;
  if (format?.type === 'json_schema' && format.strict === true)
    checkStrict(format.schema, `response_format '${format.name}'`, 'text.format.schema');
  const mentionsJson = messages.some((message) => /json/iu.test(message.text));
  if (format?.type === 'json_object' && !mentionsJson)
    throw rejectionAs(
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
      'input',
    );
}

export function toModelRequest(request: ResponsesRequest, items: readonly InputItem[]): ModelRequest {
  requireThat(items.length > 0, 'One of "input" must be provided', ['input']);
  const { stream, stream_options: options, instructions } = request;
  requireThat(!options || stream === true, "is only allowed when 'stream' is enabled", ['stream_options']);
  checkSampling(request);
  checkTools(request);
  const messages = items.flatMap((item, turn) => toModelMessages(item, turn));
  checkFormat(request, messages);
  const allowed = request.tool_choice === 'none' ? undefined : chosenTools(request);
  const tools = callersTools(request).map((tool) => ({
    name: tool.name,
    description: tool.description ?? undefined,
    parameters: tool.type === 'function' ? (tool.parameters ?? undefined) : undefined,
    freeform: tool.type === 'custom' ? (true as const) : undefined,
  }));
  return {
    model: request.model,
    messages: [...toMessages('system', instructions ? [{ text: instructions }] : []), ...messages],
    tools: tools.filter(({ name }) => allowed?.includes(name) ?? true),
    toolChoice: toToolChoice(request),
    parallelToolCalls: request.parallel_tool_calls !== false,
    schema: toSchema(request),
    maxTokens: request.max_output_tokens ?? undefined,
    stop: [],
    choiceCount: 1,
    thinks: thinks(request),
  };
}
