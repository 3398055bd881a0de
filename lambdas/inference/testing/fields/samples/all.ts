/** A request for each priced field, with what it asks for: every such field of each table is in at least one of them. */

import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import { isPriced, type PricedFeature } from '../../../core/fields/need.ts';
import { readFields, type TakesField } from '../../../core/fields/read-fields.ts';
import { type FieldRule, patternsOf } from '../../../core/fields/table.ts';
import type { CallerProtocol } from '../../../core/upstream/provider.ts';
import { CHAT_FIELDS } from '../../../formats/chat/fields.ts';
import { MESSAGES_FIELDS } from '../../../formats/messages/fields.ts';
import { RESPONSES_FIELDS } from '../../../formats/responses/fields.ts';
import { CHAT } from './chat.ts';
import { MESSAGES } from './messages.ts';
import { messages, type Row, type Sample } from './request-sample.ts';
import { RESPONSES } from './responses.ts';

export const TABLES = {
  openai: CHAT_FIELDS,
  'openai-responses': RESPONSES_FIELDS,
  anthropic: MESSAGES_FIELDS,
} as const;

export const PROTOCOLS = Object.keys(TABLES) as readonly CallerProtocol[];

/** A request that asks for nothing: the least that each protocol takes. */
export const PLAIN: Readonly<Record<CallerProtocol, JsonObject>> = {
  openai: { model: 'm', messages: messages },
  'openai-responses': { model: 'm', input: 'Hi', store: false },
  anthropic: { model: 'm', max_tokens: 16, messages: messages },
};

const rows = (protocol: CallerProtocol, list: readonly Row[]): readonly Sample[] =>
  list.map(([fields, ...features]) => ({ protocol, fields, features }));

export const SAMPLES: readonly Sample[] = [
  ...rows('openai', CHAT),
  ...rows('openai-responses', RESPONSES),
  ...rows('anthropic', MESSAGES),
];

/** Returns the priced features of a request on a route that supports every field. */
export function pricedFeaturesIn(protocol: CallerProtocol, body: JsonObject): readonly PricedFeature[] {
  const everything: TakesField = () => true;
  const { needs, undocumented } = readFields(TABLES[protocol], body, everything);
  return [...needs, ...undocumented.flatMap((field) => field.needs)].filter(isPriced);
}

/** Returns whether a path in a request is that of a field of the rule. */
export const isAt = (rule: FieldRule, param: string): boolean =>
  patternsOf(rule).some((pattern) => {
    const path = pattern.replaceAll('.', '\\.').replaceAll('[]', '(\\[\\d+\\])?');
    return new RegExp(`^${path}$`).test(param);
  });

/** The samples that ask for something by a field of the rule. */
export const samplesOf = (protocol: CallerProtocol, rule: FieldRule): readonly Sample[] =>
  SAMPLES.filter(
    (sample) => sample.protocol === protocol && sample.features.some(({ param }) => isAt(rule, param)),
  );
