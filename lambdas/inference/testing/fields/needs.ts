/** The needs of a payload by their kinds, and payloads that have given needs. */
import { isPriced, type Need, type PricedFeature } from '../../core/fields/need.ts';
import type { Providers } from '../../core/routing/route-support.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';
import type { ChatPayload } from '../../core/upstream/provider.ts';
import { features as anthropic } from '../../providers/anthropic/provider.ts';
import { features as bedrock } from '../../providers/bedrock/provider.ts';
import { features as gemini } from '../../providers/gemini/provider.ts';
import { features as openai } from '../../providers/openai/provider.ts';
import { features as responses } from '../../providers/responses/provider.ts';
import { NO_FIELDS } from './no-fields.ts';

type Read = Pick<ChatPayload, 'fields'>;

const namesOf = ({ fields }: Read, kind: 'capability' | 'feature'): string[] =>
  fields.needs.flatMap((need) => (need.kind === kind ? [need.name] : []));

export const capabilitiesOf = (payload: Read): string[] => namesOf(payload, 'capability');
export const featuresOf = (payload: Read): string[] => namesOf(payload, 'feature');
export const pricedFeaturesOf = ({ fields }: Read): PricedFeature[] => fields.needs.filter(isPriced);

const PLAIN: Conversation = { system: [], turns: [], tools: [], maxTokens: 256, stop: [] };

/** A payload that has these needs and says nothing else. */
export const payloadNeeding = (needs: readonly Need[], fields: Partial<ChatPayload> = {}): ChatPayload => ({
  protocol: 'openai',
  body: {},
  conversation: () => PLAIN,
  stream: false,
  fields: { ...NO_FIELDS, needs },
  ...fields,
});

/** The features that the service's providers support. */
export const PROVIDERS: Providers = {
  openai: { features: openai },
  'openai-responses': { features: responses },
  anthropic: { features: anthropic },
  bedrock: { features: bedrock },
  gemini: { features: gemini },
};

/** A request that needs nothing, as routes are chosen for it. */
export const PLAIN_REQUEST = { payload: payloadNeeding([]), providers: PROVIDERS, request: {} };
