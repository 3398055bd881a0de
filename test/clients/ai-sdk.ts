/** The AI SDK as it is without options: it believes that items are stored, and sends their ids in place of them. */
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from '@jest/globals';
import {
  convertToModelMessages,
  generateText,
  isStepCount,
  type ModelMessage,
  readUIMessageStream,
  streamText,
  tool,
  type UIMessage,
} from 'ai';
import * as z from 'zod';
import { describedFetch } from '../system/described-answers.ts';
import { caller } from './caller.ts';
import { PROTOCOLS } from './models.ts';

interface SentItem {
  readonly type?: string;
  readonly id?: string;
}

/** The provider, and the items of each request that it sent. */
function openai() {
  const sentItems: SentItem[][] = [];
  const provider = createOpenAI({
    ...caller(),
    fetch: (address, init) => {
      sentItems.push((JSON.parse(String(init?.body)) as { input: SentItem[] }).input);
      return describedFetch(address, init);
    },
  });
  return { provider, sent: sentItems };
}

const get_weather = tool({
  description: 'The weather in a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: () => 'minus 7 degrees',
});

const turn = (content: string): ModelMessage => ({ role: 'user', content });

const settings = (messages: readonly ModelMessage[]) => ({
  messages: [...messages],
  tools: { get_weather },
  stopWhen: isStepCount(3),
  maxRetries: 0,
});

describe('the AI SDK, on the Responses API without options', () => {
  it.each(PROTOCOLS)('sends the ids of responses in place of all their items, over %s', async (_, model) => {
    const { provider, sent } = openai();
    const messages = [turn('Use get_weather for Oslo.')];
    const first = await generateText({ model: provider(model), ...settings(messages) });
    expect(first.text).toContain('minus 7 degrees');
    messages.push(...first.responseMessages, turn('Use get_weather for Rome.'));
    const second = streamText({ model: provider(model), ...settings(messages) });
    expect(await second.text).toContain('minus 7 degrees');
    messages.push(...(await second.responseMessages), turn('Repeat exactly: third turn'));

    const third = await generateText({ model: provider(model), ...settings(messages) });
    expect(third.text).toBe('third turn');
    const references = sent.at(-1)?.filter(({ type }) => type === 'item_reference') ?? [];
    expect(references.map(({ id }) => id?.slice(0, 3))).toEqual(['msg', 'rs_', 'msg', 'rs_']);
    // What the model was given is what it would have been given whole.
    const providerOptions = { openai: { store: false } };
    const result = await generateText({ model: provider(model), ...settings(messages), providerOptions });
    expect(sent.at(-1)?.filter(({ type }) => type === 'item_reference')).toEqual([]);
    expect(third.usage.inputTokens).toBe(result.usage.inputTokens);
  });

  it.each(PROTOCOLS)('continues from messages of its user interface, over %s', async (_, model) => {
    const { provider, sent } = openai();
    const shown: UIMessage[] = [];
    for (const text of [
      'Use get_weather for Oslo.',
      'Repeat exactly: second turn',
      'Repeat exactly: third turn',
    ]) {
      shown.push({ id: `${shown.length}`, role: 'user', parts: [{ type: 'text', text }] });
      const stream = streamText({ model: provider(model), ...settings(await convertToModelMessages(shown)) });
      let uiMessage: UIMessage | undefined;
      for await (const message of readUIMessageStream({ stream: stream.toUIMessageStream() }))
        uiMessage = message;
      // As a browser keeps it.
      shown.push(JSON.parse(JSON.stringify(uiMessage)) as UIMessage);
    }
    expect(shown.at(-1)?.parts.map((part) => (part.type === 'text' ? part.text : ''))).toContain(
      'third turn',
    );
    const references = sent.at(-1)?.filter(({ type }) => type === 'item_reference') ?? [];
    expect(references.map(({ id }) => id?.slice(0, 3))).toEqual(['msg', 'rs_', 'msg', 'rs_']);
  });

  it('receives an error if it sends ids without the reasoning item that they refer to', async () => {
    const { provider } = openai();
    const [, model] = PROTOCOLS[0] ?? ['', ''];
    const first = await generateText({ model: provider(model), ...settings([turn('Hello.')]) });
    const withoutEnd = first.responseMessages.map((message) =>
      message.role === 'assistant' && typeof message.content !== 'string'
        ? { ...message, content: message.content.filter(({ type }) => type !== 'reasoning') }
        : message,
    );
    const messages = [turn('Hello.'), ...withoutEnd, turn('Go on.')];
    await expect(generateText({ model: provider(model), ...settings(messages) })).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('send the item itself'),
    });
  });
});
