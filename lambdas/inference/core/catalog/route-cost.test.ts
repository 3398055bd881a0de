import { describe, expect, it } from '@jest/globals';
import { modelDocument } from '../../testing/catalog/models.ts';
import { pricesOf } from '../../testing/pricing/arbitraries.ts';
import { billOf, imageItem } from '../pricing/bill.ts';
import { type UnitCounts, unitCounts } from '../pricing/counts.ts';
import { parseCatalog } from './catalog-document.ts';

const LISTS = {
  embeddings: [
    { unit: 'per_million_tokens', input: '1' },
    { unit: 'per_request', request: '0.02' },
  ],
  tts: [
    { unit: 'per_million_tokens', input: '1' },
    { unit: 'per_million_characters', character: '15' },
    { unit: 'per_request', request: '0.02' },
  ],
  image: [
    { unit: 'per_image', image: '0.04' },
    { unit: 'per_request', request: '0.02' },
  ],
  audio: [
    { unit: 'per_second', second: '0.0001' },
    { unit: 'per_minute', minute: '0.006' },
    { unit: 'per_hour', hour: '0.36' },
    { unit: 'per_request', request: '0.02' },
  ],
} as const;

/** All measurements that calls of any kind are billed by. */
const MEASURED: UnitCounts = {
  tokens: 1_000,
  characters: 4_000,
  seconds: 12.5,
  images: new Map([[imageItem('high', '1024x1024'), 2]]),
};

const documentOf = (type: string, price: object, cost: object) => ({
  models: [modelDocument({ type, price, routes: [{ cost }] })],
});

const PAIRS = Object.entries(LISTS).flatMap(([type, lists]) =>
  lists.flatMap((price) => lists.map((cost) => [type, price.unit, cost.unit, price, cost] as const)),
);

describe('the cost of a route', () => {
  it.each(PAIRS)(
    'accepts for type %s with the price unit %s the cost unit %s if the counts determine the cost',
    (type, _sold, _acceptedPrice, price, cost) => {
      const [list, counted] = [pricesOf(cost), unitCounts(price.unit, MEASURED)];
      const measuredAmount = billOf(list, unitCounts(cost.unit, MEASURED)).amount;
      const parse = () => parseCatalog(documentOf(type, price, cost));
      // Speech counts tokens and characters, whatever its price.
      if (type === 'tts' || billOf(list, counted).amount === measuredAmount) expect(parse).not.toThrow();
      else
        expect(parse).toThrow(
          new RegExp(
            `count what "${price.unit}" of the price counts\\s+→ at models\\[0\\]\\.routes\\[0\\]\\.cost\\.unit`,
          ),
        );
    },
  );
});
