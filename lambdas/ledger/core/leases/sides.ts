/** The two sides of a lease on the stores: its entry in a shard of the wallet, and its entry in the key. */
import type { KeyState } from '../../../access/core/keys/key-state.ts';
import type { Windows } from '../../../access/core/keys/windows.ts';
import { isCallHold, type Wallet } from '../ports.ts';
import type { LeaseDependencies } from './ports.ts';
import { LeaseSide } from './side.ts';

export interface LeaseIdentity {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly windows: Windows;
}

/** The entry stays in one random shard. */
export function walletSide(dependencies: LeaseDependencies, lease: LeaseIdentity): LeaseSide<Wallet> {
  const { wallets } = dependencies;
  const { id: leaseId, accountId, windows } = lease;
  const walletId = wallets.drawShard(accountId);
  return new LeaseSide(
    {
      send: (write, { from, to }) => {
        const costs = [to.settled[0] - from.settled[0], to.settled[1] - from.settled[1]] as const;
        return wallets.writeLease({ ...write, walletId, day: windows.day, costs });
      },
      read: () => wallets.readShard(walletId),
      entryOf: ({ holds }) => holds.filter((hold) => !isCallHold(hold)).find(({ id }) => id === leaseId),
    },
    { leaseId, ...dependencies },
  );
}

/** Once the minute is over, nothing is taken from it or returned to it. */
export function keySide(
  dependencies: LeaseDependencies,
  { id: leaseId, keyId, windows }: LeaseIdentity,
  isCurrent: () => boolean,
): LeaseSide<KeyState> {
  const { keys } = dependencies;
  return new LeaseSide(
    {
      send: (write, { from, to }) => {
        const requests = isCurrent() ? to.requests - from.requests : 0;
        const tokens = isCurrent() ? to.tokens - from.tokens : 0;
        return keys.writeLease({ ...write, keyId, windows, requests, tokens });
      },
      read: () => keys.read(keyId, windows),
      entryOf: ({ leases }) => leases?.get(leaseId),
    },
    { leaseId, ...dependencies },
  );
}
