import { describe, expect, it } from '@jest/globals';
import { promptSize } from '../../../../lambdas/core/inference/messages/prompt-size.ts';
import { LINKED, PNG, request, toolTurns, withBlocks } from './request-fixture.ts';

const sizeOf = (fields: Record<string, unknown>) => promptSize(request(fields));
const pdf = (bytes: number) => ({
  type: 'document',
  title: 'Title',
  context: 'Context',
  source: { type: 'base64', media_type: 'application/pdf', data: Buffer.alloc(bytes).toString('base64') },
});

describe('the size of a prompt of the Messages surface', () => {
  it('counts the texts of system and messages', () => {
    expect(sizeOf({ system: [{ type: 'text', text: 'Be brief.' }] })).toEqual({
      texts: ['Be brief.', 'Hi'],
      images: 0,
      messages: 2,
    });
  });

  it('counts calls, results, tools and schemas', () => {
    const tools = [{ name: 'f', input_schema: { type: 'object' } }];
    const format = { type: 'json_schema', schema: { type: 'object' } };
    const result = { content: [{ type: 'text', text: 'sunny' }, PNG, LINKED] };
    const { texts, images } = sizeOf({
      messages: toolTurns({ city: 'Oslo' }, result),
      tools,
      output_config: { format },
    });
    expect(texts).toEqual([
      'Weather?',
      'weather',
      '{"city":"Oslo"}',
      'sunny',
      JSON.stringify(tools),
      JSON.stringify(format),
    ]);
    expect(images).toBe(2);
  });

  it('counts a PDF by its pages, as many as its size suggests, at least one and no more than are taken', () => {
    const imagesOf = (bytes: number) => promptSize(withBlocks(pdf(bytes))).images;
    expect([imagesOf(1), imagesOf(90_000), imagesOf(4_000_000)]).toEqual([3, 15, 300]);
    expect(promptSize(withBlocks(pdf(1))).texts).toEqual(['Title', 'Context']);
    expect(
      promptSize(withBlocks({ type: 'document', source: { type: 'url', url: 'https://x' } })).images,
    ).toBe(60);
  });

  it('counts a document of text by its text', () => {
    const inner = { type: 'content', content: [{ type: 'text', text: 'b' }, PNG] };
    const size = promptSize(
      withBlocks(
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' } },
        { type: 'document', source: inner },
        { type: 'document', source: { type: 'content', content: 'c' } },
      ),
    );
    expect(size).toMatchObject({ texts: ['a', 'b', 'c'], images: 1 });
  });

  it('counts the words of thoughts, and all of a block that it does not know', () => {
    const { texts } = sizeOf({
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'long' },
            { type: 'new', words: ['a'] },
          ],
        },
      ],
    });
    expect(texts).toEqual(['Hm.', '{"words":["a"]}']);
  });
});
