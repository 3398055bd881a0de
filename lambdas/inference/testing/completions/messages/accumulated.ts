/** Event streams as a client of the protocol sees them: read by the accumulator of the official SDK. */
import Anthropic from '@anthropic-ai/sdk';
import { expect } from '@jest/globals';
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';

/** The message that the SDK makes of the frames. Rejects with its error when it accepts no message. */
export async function accumulated(sseEvents: readonly string[]): Promise<Anthropic.Message> {
  const client = new Anthropic({
    apiKey: 'none',
    baseURL: 'http://upstream.invalid',
    maxRetries: 0,
    fetch: async () =>
      new Response(sseEvents.join(''), { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }),
  });
  return client.messages
    .stream({ model: 'a/b', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })
    .finalMessage();
}

export interface ObservedBlock {
  readonly start: JsonObject;
  text: string;
}

/**
 * The blocks that the events make, each with the text of its deltas. Fails unless the events are in legal order: one
 * start, one block open at a time and numbered without gaps, one end.
 */
export function contentBlocksIn(events: readonly JsonObject[]): readonly ObservedBlock[] {
  const blocks: ObservedBlock[] = [];
  let open = false;
  expect(events[0]?.type).toBe('message_start');
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['message_delta', 'message_stop']);
  for (const event of events.slice(1, -2)) {
    const starts = event.type === 'content_block_start';
    expect(open).toBe(!starts);
    if (starts) blocks.push({ start: event.content_block as JsonObject, text: '' });
    expect(event.index).toBe(blocks.length - 1);
    const block = blocks.at(-1);
    if (event.type === 'content_block_delta' && block !== undefined) block.text += deltaText(block, event);
    else if (!starts) expect(event.type).toBe('content_block_stop');
    open = event.type !== 'content_block_stop';
  }
  expect(open).toBe(false);
  return blocks;
}

function deltaText({ start }: ObservedBlock, { delta }: JsonObject): string {
  const { type, text, partial_json: json } = delta as Readonly<Record<string, string>>;
  expect(type).toBe(start.type === 'text' ? 'text_delta' : 'input_json_delta');
  const content = start.type === 'text' ? text : json;
  expect(content).not.toBe('');
  return content ?? '';
}
