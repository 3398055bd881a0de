/** Which routes may carry a call whose request asks for what has a price of its own, and on what terms. */
import { ServiceError } from '../../errors.ts';
import type { Route } from '../catalog/catalog-document.ts';
import type { Demand } from '../levers/demand.ts';
import { type Terms, termsOf } from '../pricing/terms.ts';
import { isOff } from '../upstream/effort.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import type { Candidate } from './route-choice.ts';
import { sentMarks } from './sent-marks.ts';

type Asked = Pick<ChatPayload, 'protocol' | 'demands' | 'conversation' | 'limitedTo'>;

/** What is asked of reasoning does not depend on the bound of the output, which may still be open. */
const ANY_BOUND = 1;

export interface PricedCandidate extends Candidate {
  readonly terms: Terms;
}

/**
 * The candidates that can carry everything that the request asks for, at a price. Throws 400 `unpriced_feature`, naming
 * the field, when there are none.
 */
export function pricedCandidates(
  candidates: readonly Candidate[],
  payload: Asked,
): readonly PricedCandidate[] {
  const { protocol, demands } = payload;
  let unpriced: Unpriced | undefined;
  const priced = candidates.flatMap((candidate) => {
    const { model, route } = candidate;
    const isOwn = route.protocol === protocol;
    const foreign = isOwn ? undefined : demands.find(isLost);
    const sent = isOwn ? demands : [...sentMarks(candidate, demands), ...demands.filter(isSpoken)];
    const asked = [...sent, ...thinkingTier(route, payload)];
    const terms = foreign === undefined ? termsOf(model.price, asked) : { unpriced: foreign.param };
    if (!('unpriced' in terms)) return { model, route, terms };
    unpriced ??= { field: terms.unpriced, model: model.id };
    return [];
  });
  if (priced.length > 0 || unpriced === undefined) return priced;
  const { field, model } = unpriced;
  throw new ServiceError('unpriced_feature', `${field}: ${model} has no price for what this asks for.`, {
    param: field,
  });
}

/** Where a host that is asked to think by `enable_thinking` has another price for that (Alibaba Cloud Model Studio, Model pricing). */
function thinkingTier({ dialect }: Route, payload: Asked): readonly Demand[] {
  if (dialect?.reasoning_request !== 'enable_thinking') return [];
  const { reasoning } = (payload.limitedTo?.(ANY_BOUND) ?? payload).conversation();
  if (reasoning === undefined || isOff(reasoning)) return [];
  const isKnown = payload.demands.some(
    (demand) => demand.kind === 'service-tier' && demand.name === 'thinking',
  );
  return isKnown ? [] : [{ kind: 'service-tier', name: 'thinking', param: ASKED_IN[payload.protocol] }];
}

/** The field of each format that asks for reasoning. */
const ASKED_IN = {
  openai: 'reasoning_effort',
  anthropic: 'thinking',
  'openai-responses': 'reasoning',
} as const;

interface Unpriced {
  readonly field: string;
  readonly model: string;
}

/**
 * A route of another protocol gets the conversation alone, with those marks for a cache that have a price there: without
 * the others, and without a prediction, it answers the same.
 */
const isLost = (demand: Demand): boolean =>
  demand.kind !== 'cache-write' && demand.kind !== 'output' && !isSpoken(demand);

/** Audio in a user's message is a part of the conversation. */
const isSpoken = (demand: Demand): boolean =>
  demand.kind === 'tokens' && demand.rate === 'audio_input' && demand.param.endsWith('.input_audio');
