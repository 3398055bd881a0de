/** Usage as generateContent reports it (Gemini API reference, UsageMetadata and ModalityTokenCount). */

import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import { isTokenCount, type TokenUsage } from '../../core/pricing/token-usage.ts';
import { countIn, countOf, detailsOf, sumOf } from '../usage-counts.ts';

/**
 * Returns undefined for usage without a prompt count. The prompt includes tokens read from the cache, but not the
 * results of server tools. The candidates exclude the thoughts. In a stream, every chunk counts from the start, so the
 * last one is the total. A response without candidates has no completion.
 */
export function toUsage(reported: unknown): TokenUsage | undefined {
  if (!isJsonObject(reported) || !isTokenCount(reported.promptTokenCount)) return undefined;
  const of = (list: string, kind: string) => tokensOf(reported[list], kind);
  const reasoning = countIn(reported, 'thoughtsTokenCount');
  return {
    promptTokens: sumOf(reported.promptTokenCount, countIn(reported, 'toolUsePromptTokenCount')),
    cachedTokens: countIn(reported, 'cachedContentTokenCount'),
    completionTokens: sumOf(countIn(reported, 'candidatesTokenCount'), reasoning),
    reasoningTokens: reasoning,
    audioInputTokens: of('promptTokensDetails', 'AUDIO'),
    cachedAudioTokens: of('cacheTokensDetails', 'AUDIO'),
    audioOutputTokens: of('candidatesTokensDetails', 'AUDIO'),
    imageInputTokens: of('promptTokensDetails', 'IMAGE'),
    cachedImageTokens: of('cacheTokensDetails', 'IMAGE'),
    imageOutputTokens: of('candidatesTokensDetails', 'IMAGE'),
    videoInputTokens: of('promptTokensDetails', 'VIDEO'),
  };
}

/** The tokens of one kind of content. */
const tokensOf = (details: unknown, modality: string): number =>
  sumOf(
    ...(Array.isArray(details) ? details : [])
      .map(detailsOf)
      .filter(({ modality: kind }) => kind === modality)
      .map(({ tokenCount }) => countOf(tokenCount)),
  );
