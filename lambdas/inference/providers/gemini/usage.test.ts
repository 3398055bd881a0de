/** The reading of the token usage that a Gemini route reports. */
import { expect, test } from '@jest/globals';
import { toUsage } from './usage.ts';

test('the usage counts thinking as completion in addition to the candidates, tool results as prompt, and the cache within the prompt', () => {
  expect(
    toUsage({
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      toolUsePromptTokenCount: 5,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 30,
      totalTokenCount: 155,
    }),
  ).toMatchObject({ promptTokens: 105, cachedTokens: 40, completionTokens: 50, reasoningTokens: 30 });
});

test('the usage counts each type of content separately', () => {
  const promptTokensDetails = [
    { modality: 'TEXT', tokenCount: 10 },
    { modality: 'IMAGE', tokenCount: 258 },
    { modality: 'AUDIO', tokenCount: 32 },
  ];
  expect(toUsage({ promptTokenCount: 300, promptTokensDetails })).toMatchObject({
    imageInputTokens: 258,
    audioInputTokens: 32,
    videoInputTokens: 0,
    completionTokens: 0,
  });
});

test.each([undefined, null, [], {}, { promptTokenCount: -1 }, { promptTokenCount: '7' }])(
  'usage without a count of the prompt counts as absent: %j',
  (reported) => {
    expect(toUsage(reported)).toBeUndefined();
  },
);
