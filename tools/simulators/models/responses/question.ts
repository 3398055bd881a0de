/** Translates a Responses request into the model's neutral one, and refuses what breaks a rule between fields. */
import type { Fault } from '../control/fault.ts';
import { type BlockContent, checkOffered, toMessages } from '../exchange/conversation.ts';
import { requireThat } from '../exchange/request-error.ts';
import type { ModelMessage, ModelRequest } from '../model/model.ts';
import { rejectionAs } from '../openai/protocol.ts';
import type { InputItem, InputPart } from './input.ts';
import { callersTools, type ResponsesRequest, thinks } from './request.ts';
import { checkStrict } from './strict-schema.ts';

function partOf(part: InputPart): BlockContent {
  if (part.type === 'input_image' || part.type === 'input_file') return { isImage: true };
  if (part.type === 'refusal') return { text: part.refusal };
  return 'text' in part ? { text: String(part.text) } : {};
}

const partsOf = (content: string | readonly InputPart[]): BlockContent[] =>
  typeof content === 'string' ? [{ text: content }] : content.map(partOf);

/** Items of tools that the provider runs, and reasoning, say nothing here. */
function toModelMessages(item: InputItem, turn: number): ModelMessage[] {
  if (item.type === 'message' && 'role' in item) {
    const { role, content } = item as Extract<InputItem, { role: 'user' | 'system' | 'developer' }>;
    return toMessages(role === 'developer' ? 'system' : role, partsOf(content), turn);
  }
  if (item.type === 'function_call' || item.type === 'custom_tool_call') {
    const { call_id: id, name } = item as { call_id: string; name: string };
    const text = 'arguments' in item ? String(item.arguments) : String(Object(item).input);
    return toMessages('assistant', [{ call: { id, name, arguments: text } }], turn);
  }
  if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
    const { call_id: toolCallId, output } = item as { call_id: string; output: string | InputPart[] };
    const result = { toolCallId, isError: false, parts: partsOf(output) };
    return toMessages('tool', [{ result }], turn);
  }
  return [];
}

/** The tools that the choice names; undefined where it names none. */
function chosenTools({ tool_choice: choice }: ResponsesRequest): readonly string[] | undefined {
  if (typeof choice !== 'object' || choice === null) return undefined;
  if (choice.type === 'function' || choice.type === 'custom') return [String(choice.name)];
  if (choice.type !== 'allowed_tools' || !Array.isArray(choice.tools)) return undefined;
  return choice.tools.flatMap(({ name }: { name?: string }) => name ?? []);
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
  requireThat(!isNamed || (request.tools ?? []).length > 0, "is only allowed with 'tools'", path);
  checkOffered(
    tools.map(({ name }) => name),
    chosenTools(request) ?? [],
    path,
  );
  for (const [index, tool] of tools.entries())
    if (tool.type === 'function' && tool.strict === true)
      checkStrict(tool.parameters, {
        owner: `function '${tool.name}'`,
        param: `tools[${index}].parameters`,
        code: 'invalid_function_parameters',
      });
}

function checkFormat({ text }: ResponsesRequest, messages: readonly ModelMessage[]): void {
  const format = text?.format;
  if (format?.type === 'json_schema' && format.strict === true)
    checkStrict(format.schema, {
      owner: `response_format '${format.name}'`,
      param: 'text.format.schema',
      code: 'invalid_json_schema',
    });
  const mentionsJson = messages.some((message) => /json/iu.test(message.text));
  if (format?.type === 'json_object' && !mentionsJson)
    throw rejectionAs(
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
      'input',
    );
}

/** The model is asked for what the request says, and for what the fault adds to it. Throws `RequestError`. */
export function toModelRequest(
  request: ResponsesRequest,
  items: readonly InputItem[],
  fault: Fault,
): ModelRequest {
  requireThat(items.length > 0 || request.prompt !== undefined, 'One of "input" must be provided', ['input']);
  const { stream, stream_options: options, instructions } = request;
  requireThat(!options || stream === true, "is only allowed when 'stream' is enabled", ['stream_options']);
  const isBackground = request.background === true && request.store === false;
  requireThat(!isBackground, "requires 'store' to be true", ['background']);
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
    refuses: fault.refusal,
    thinks: thinks(request),
  };
}
