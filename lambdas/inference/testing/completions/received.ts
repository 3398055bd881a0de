/** Responses as callers receive them, read by the official SDK of each format. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { type CallFormat, chatCaller, messagesCaller, responsesCaller } from './sdk-callers.ts';

export const FORMAT_NAMES = ['chat', 'messages', 'responses'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** The end of a response, in the words of none of the formats. */
type End = 'stop' | 'length' | 'calls' | 'filter';

export interface ReceivedResponse {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly ids: readonly string[];
  readonly end: End | string;
  readonly prompt: number;
  readonly cached: number;
  readonly output: number;
}

const ENDS: Readonly<Record<string, End>> = {
  stop: 'stop',
  calls: 'calls',
  length: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'filter',
  refusal: 'filter',
};

function callerOf(format: FormatName, text: string, contentType: string): CallFormat {
  const options = {
    apiKey: 'none',
    baseURL: 'http://service.invalid',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': contentType } }),
  };
  if (format === 'messages') return messagesCaller(new Anthropic(options));
  const client = new OpenAI(options);
  return format === 'chat' ? chatCaller(client) : responsesCaller(client);
}

/** Reads a response as its SDK does. Rejects with the SDK's error for one that the SDK does not accept. */
export async function receive(
  format: FormatName,
  text: string,
  isStream: boolean,
): Promise<ReceivedResponse> {
  const call = callerOf(format, text, isStream ? 'text/event-stream' : 'application/json');
  const { finish = '', input, ...heard } = await call({ model: 'a/b', messages: [] }, isStream);
  return { ...heard, end: ENDS[finish] ?? finish, prompt: input };
}

/** Returns whether the SDK reports that the service failed. An error of the SDK itself is no such report. */
export async function receiveFailure(format: FormatName, stream: string): Promise<boolean> {
  try {
    return (await receive(format, stream, true)).end === 'failed';
  } catch (failure) {
    return failure instanceof OpenAI.APIError || failure instanceof Anthropic.APIError;
  }
}

/** Returns the text that a stream has shown, whether or not it ended. */
export function shownText(stream: string): string {
  let shown = '';
  const streamed = new Set<unknown>();
  for (const [, data = ''] of stream.matchAll(/^data: (\{.*)$/gm)) {
    const { choices, type, delta, item, output_index: index } = JSON.parse(data);
    if (Array.isArray(choices)) shown += choices[0]?.delta?.content ?? '';
    else if (delta?.type === 'text_delta') shown += delta.text;
    else if (type === 'response.output_text.delta') {
      streamed.add(index);
      shown += delta;
    } else if (type === 'response.output_item.done' && item.type === 'message' && !streamed.has(index))
      shown += item.content.map(({ text = '' }: { readonly text?: string }) => text).join('');
  }
  return shown;
}
