/** A request for each lever, with what it asks for: every field of each table is in at least one of them. */
import { type Lever, patternsOf } from '../../../../../lambdas/core/inference/levers/table.ts';
import type { JsonObject } from '../../../../../lambdas/core/json/lossless-json.ts';
import type { Protocol } from '../schemas/published.ts';
import { OF_ANTHROPIC_MESSAGES } from './anthropic-messages.ts';
import { OF_BEDROCK_CONVERSE } from './bedrock-converse.ts';
import { OF_GEMINI } from './gemini.ts';
import { OF_OPENAI_CHAT } from './openai-chat.ts';
import { OF_OPENAI_RESPONSES } from './openai-responses.ts';
import { type Row, type Sample, said } from './request-sample.ts';

/** A request that asks for nothing: the least that each protocol takes. */
export const PLAIN: Readonly<Record<Protocol, JsonObject>> = {
  'openai-chat': { model: 'm', messages: said },
  'openai-responses': { model: 'm', input: 'Hi', store: false },
  'anthropic-messages': { model: 'm', max_tokens: 16, messages: said },
  'bedrock-converse': { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
};

const rows = (protocol: Protocol, list: readonly Row[]): readonly Sample[] =>
  list.map(([fields, ...demands]) => ({ protocol, fields, demands }));

export const SAMPLES: readonly Sample[] = [
  ...rows('openai-chat', OF_OPENAI_CHAT),
  ...rows('openai-responses', OF_OPENAI_RESPONSES),
  ...rows('anthropic-messages', OF_ANTHROPIC_MESSAGES),
  ...rows('bedrock-converse', OF_BEDROCK_CONVERSE),
  ...rows('gemini', OF_GEMINI),
];

/** Whether a path in a request is that of a lever. */
export const asksBy = (lever: Lever, param: string): boolean =>
  patternsOf(lever).some((pattern) => {
    const path = pattern.replaceAll('.', '\\.').replaceAll('[]', '(\\[\\d+\\])?').replace('*', '\\w+');
    return new RegExp(`^${path}$`).test(param);
  });

/** The samples that use a lever of a protocol's table. */
export const samplesOf = (protocol: Protocol, lever: Lever): readonly Sample[] =>
  SAMPLES.filter(
    (sample) => sample.protocol === protocol && sample.demands.some(({ param }) => asksBy(lever, param)),
  );
