/** `provider.max_price` and `provider.sort: "price"`: models by what a million of their tokens costs. */
import { ServiceError } from '../../errors.ts';
import { greatest, type NanoUsd } from '../../money.ts';
import type { Model } from '../catalog/catalog-document.ts';
import type { RouteControls, TokenPrice } from './route-controls.ts';

/** The dearest standard rates of text, whatever the length of the prompt; undefined where no tokens are billed. */
function tokenPriceOf({ price }: Model): TokenPrice | undefined {
  if (price.unit !== 'per_million_tokens') return undefined;
  const { tiers = [] } = 'tiers' in price ? price : {};
  const rates = [price, ...tiers];
  const outputs = rates.flatMap(({ input, output = input, reasoning_output: reasoning = output }) => [
    output,
    reasoning,
  ]);
  return {
    prompt: rates.map(({ input }) => input).reduce(greatest),
    completion: outputs.reduce(greatest),
  };
}

/** The models that cost no more than the caller allows. Throws 400 `invalid_value` when there are none. */
export function affordable(
  models: readonly Model[],
  { maxPrice }: Pick<RouteControls, 'maxPrice'>,
): readonly Model[] {
  if (maxPrice === undefined) return models;
  const { prompt, completion } = maxPrice;
  const within = models.filter((model) => {
    const price = tokenPriceOf(model);
    if (price === undefined) return false;
    const isPrompt = prompt === undefined || price.prompt <= prompt;
    return isPrompt && (completion === undefined || price.completion <= completion);
  });
  const [first] = models;
  if (within.length > 0 || first === undefined) return within;
  const reason =
    tokenPriceOf(first) === undefined ? 'is not billed by tokens of text' : 'costs more a million tokens';
  throw new ServiceError('invalid_value', `provider.max_price: ${first.id} ${reason}.`, {
    param: 'provider.max_price',
  });
}

/** The cheapest first, by what a prompt token and a completion token cost together; equal ones as they were. */
export function byPrice(models: readonly Model[]): readonly Model[] {
  const sum = (model: Model): NanoUsd | undefined => {
    const price = tokenPriceOf(model);
    return price && price.prompt + price.completion;
  };
  return [...models].sort((a, b) => {
    const [first, second] = [sum(a), sum(b)];
    if (first === undefined || second === undefined || first === second) return 0;
    return first < second ? -1 : 1;
  });
}
