/** On which part a hold is taken that no part can take alone, and which parts give what it lacks. */
import type { Hold } from '../../../core/ledger/ports.ts';
import { greatest, type NanoUsd } from '../../../core/money.ts';
import { accountOf, indexOf, MAX_HOLDS, type Part, partId } from './item.ts';
import { collect, type Donor, type Target } from './transfer.ts';

/** A part with what it can give. */
export const toDonor = (part: Part): Donor => ({ part, amount: part.balance });

/**
 * The preferred part if it can take the hold with what the others can give, else the next from `start` on that can; it
 * is made if there is none yet. Processes that start elsewhere do not meet.
 */
export function chooseTarget(
  parts: readonly Part[],
  hold: Hold,
  preferred: string,
  start: number,
): Target | 'no money' | 'no place' {
  const all = parts.reduce((total, part) => total + part.balance, 0n);
  const affords = (target: Target): boolean => missingOf(target, hold) <= all - (target.part?.balance ?? 0n);
  const known = new Map(parts.map((part) => [part.walletId, part]));
  const accountId = accountOf(preferred);
  const count = parts[0]?.parts ?? 1;
  const others = Array.from({ length: count }, (_, at) => partId(accountId, (start + at) % count));
  const targets = [...(indexOf(preferred) < count ? [preferred] : []), ...others].map(
    (walletId): Target => ({ walletId, part: known.get(walletId) }),
  );
  const able = targets.find((target) => hasPlace(target) && affords(target));
  if (able !== undefined) return able;
  // A part that there might be, were there more of them.
  return affords({ walletId: partId(accountId, count), part: undefined }) ? 'no place' : 'no money';
}

const hasPlace = ({ part }: Target): boolean => part === undefined || part.holds.length < MAX_HOLDS;

/** What a part lacks to take a hold. */
const missingOf = ({ part }: Target, { amount }: Hold): NanoUsd =>
  greatest(amount - (part?.balance ?? 0n), 0n);

/**
 * What the other parts are to give: what the target lacks and, so that it need not ask soon again, half of what the
 * richest has more, but of a wallet in many parts no more than a few parts' share.
 */
export function chooseDonors(
  parts: readonly Part[],
  hold: Hold,
  target: Target,
): readonly Donor[] | undefined {
  const others = parts.filter(({ walletId }) => walletId !== target.walletId);
  const donors = others.map(toDonor);
  const richest = donors.reduce((most, { amount }) => greatest(most, amount), 0n);
  const own = target.part?.balance ?? 0n;
  const shares = BigInt(Math.max(2, parts[0]?.parts ?? 1));
  const missing = missingOf(target, hold);
  return collect(donors, greatest((richest - own) / shares, missing));
}
