/** Callers of the three formats, by the SDKs of their vendors. Requests and results have one form. */
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';

/** An answer as a caller of any format understands it. */
export interface Heard {
  readonly text: string;
  readonly reasoning: string;
  /** In order, with arguments as objects. */
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly ids: readonly string[];
  /** `stop`, `calls`, `length`, or the format's own word for another end. */
  readonly finish: string | undefined;
  /** Tokens of the prompt with what was cached of it. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

export type CallFormat = (body: object, stream?: boolean) => Promise<Heard>;

const ENDS: Readonly<Record<string, string>> = {
  tool_calls: 'calls',
  tool_use: 'calls',
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
};
const endOf = (reason: string | null | undefined) => ENDS[reason ?? ''] ?? reason ?? undefined;

/** Under the name that the host has for it: answers of hosts of a caller's own format keep theirs. */
function reasoningOf(reasoningField: unknown): string {
  const { reasoning_content: text, reasoning, reasoning_details: details = [] } = Object(reasoningField);
  return text ?? reasoning ?? details.map((detail: { readonly text?: string }) => detail.text ?? '').join('');
}

export function chatCaller(client: OpenAI): CallFormat {
  return async (body, stream) => {
    const request = body as Omit<OpenAI.ChatCompletionCreateParams, 'stream'>;
    let thought = '';
    const streamed = () =>
      client.chat.completions
        .stream({ ...request, stream_options: { include_usage: true } })
        // The SDK keeps only the last piece of a field that it does not know.
        .on('chunk', ({ choices: [part] }) => {
          thought += reasoningOf(part?.delta);
        });
    const response = stream
      ? await streamed().finalChatCompletion()
      : await client.chat.completions.create({ ...request, stream: false });
    const [choice] = response.choices;
    const { message, finish_reason: reason } = choice ?? {};
    const calls = (message?.tool_calls ?? []).filter((call) => call.type === 'function');
    return {
      text: message?.content ?? '',
      reasoning: stream ? thought : reasoningOf(message),
      calls: calls.map((call) => ({ name: call.function.name, input: JSON.parse(call.function.arguments) })),
      ids: calls.map(({ id }) => id),
      finish: endOf(reason),
      input: response.usage?.prompt_tokens ?? 0,
      cached: response.usage?.prompt_tokens_details?.cached_tokens ?? 0,
      output: response.usage?.completion_tokens ?? 0,
    };
  };
}

export function messagesCaller(client: Anthropic): CallFormat {
  return async (body, stream) => {
    const request = body as Anthropic.MessageCreateParamsNonStreaming;
    const response = stream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    const uses = response.content.filter((block) => block.type === 'tool_use');
    const {
      input_tokens: fresh,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
    } = response.usage;
    return {
      text: response.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      reasoning: response.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      calls: uses.map(({ name, input }) => ({ name, input })),
      ids: uses.map(({ id }) => id),
      finish: endOf(response.stop_reason),
      input: fresh + (read ?? 0) + (written ?? 0),
      cached: read ?? 0,
      output: response.usage.output_tokens,
    };
  };
}

function finishOf(
  { status, incomplete_details: details }: Pick<OpenAI.Responses.Response, 'status' | 'incomplete_details'>,
  hasCalls: boolean,
): string {
  if (status === 'completed') return hasCalls ? 'calls' : 'stop';
  if (status !== 'incomplete') return status ?? '';
  return details?.reason === 'max_output_tokens' ? 'length' : (details?.reason ?? '');
}

export function responsesCaller(client: OpenAI): CallFormat {
  return async (body, stream) => {
    const request = body as Omit<OpenAI.Responses.ResponseCreateParams, 'stream'>;
    const response = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    const items: readonly OpenAI.Responses.ResponseOutputItem[] = response.output;
    const calls = items.flatMap((item) => (item.type === 'function_call' ? item : []));
    const customs = items.flatMap((item) => (item.type === 'custom_tool_call' ? item : []));
    return {
      text: items
        .flatMap((item) => (item.type === 'message' ? item.content : []))
        .map((part) => (part.type === 'output_text' ? part.text : ''))
        .join(''),
      reasoning: items
        .flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
        .map(({ text }) => text)
        .join(''),
      calls: [
        ...calls.map(({ name, arguments: text }) => ({ name, input: JSON.parse(text) })),
        ...customs.map(({ name, input }) => ({ name, input })),
      ],
      ids: [...calls, ...customs].map(({ call_id: id }) => id),
      finish: finishOf(response, calls.length + customs.length > 0),
      input: response.usage?.input_tokens ?? 0,
      cached: response.usage?.input_tokens_details?.cached_tokens ?? 0,
      output: response.usage?.output_tokens ?? 0,
    };
  };
}
