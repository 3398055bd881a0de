/** Which routes may carry a call whose request asks for what has a price of its own, and on what terms. */
import { ServiceError } from '../../errors.ts';
import type { Demand } from '../levers/demand.ts';
import { type Terms, termsOf } from '../pricing/terms.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import type { Candidate } from './route-choice.ts';
import { sentMarks } from './sent-marks.ts';

export interface PricedCandidate extends Candidate {
  readonly terms: Terms;
}

/**
 * The candidates that can carry everything that the request asks for, at a price. Throws 400 `unpriced_feature`, naming
 * the field, when there are none.
 */
export function pricedCandidates(
  candidates: readonly Candidate[],
  { protocol, demands }: Pick<ChatPayload, 'protocol' | 'demands'>,
): readonly PricedCandidate[] {
  let unpriced: Unpriced | undefined;
  const priced = candidates.flatMap((candidate) => {
    const { model, route } = candidate;
    const isOwn = route.protocol === protocol;
    const foreign = isOwn ? undefined : demands.find(isLost);
    const terms =
      foreign === undefined
        ? termsOf(model.price, isOwn ? demands : sentMarks(candidate, demands))
        : { unpriced: foreign.param };
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

interface Unpriced {
  readonly field: string;
  readonly model: string;
}

/**
 * A route of another protocol gets the conversation alone, with those marks for a cache that have a price there: without
 * the others, and without a prediction, it answers the same.
 */
const isLost = ({ kind }: Demand): boolean => kind !== 'cache-write' && kind !== 'output';
