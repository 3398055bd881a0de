/** The check of a key before the body of its request is read. */
import type { VerifiedKey } from '../../access/core/api-key.ts';
import type { KeyCheck } from '../../ledger/core/key-check.ts';
import type { Kind } from '../../platform/core/kinds.ts';
import type { Catalog, CatalogSource } from './catalog/catalog.ts';
import type { Idempotency } from './idempotency/idempotency.ts';
import { measuredCost } from './metering/priced-usage.ts';
import { imageItem } from './pricing/bill.ts';

/** Throws the error with which admission would reject any call of this kind now. */
export type CheckKey = (request: Request, key: VerifiedKey, kind: Kind) => Promise<void>;

export interface CheckKeyDependencies {
  readonly keyCheck: Pick<KeyCheck, 'checkKind'>;
  readonly catalog: CatalogSource;
  readonly idempotency: Pick<Idempotency, 'isClaimed'>;
}

export const createKeyCheck =
  ({ keyCheck, catalog, idempotency }: CheckKeyDependencies): CheckKey =>
  async (request, key, kind) =>
    keyCheck.checkKind(key, {
      kind,
      isPaid: isPaid(await catalog(), kind),
      // A call that has been paid for may be replayed with nothing left.
      isReplay: () => idempotency.isClaimed(request, key),
    });

/** The least that a call can count, whichever unit its model is billed by. */
const LEAST = { tokens: 1, characters: 1, seconds: 1, images: new Map([[imageItem('', ''), 1]]) };

/** Returns whether every model of the kind has a price, so that no call is free. */
const isPaid = ({ models }: Catalog, kind: Kind): boolean =>
  models.filter(({ type }) => type === kind).every((model) => measuredCost(model, LEAST) > 0n);
