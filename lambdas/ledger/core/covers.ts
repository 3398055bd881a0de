/** The two covers of a call: a hold in the wallet, and a draw from a lease of this process. */
import type { GrantedCharge, KeyStore } from '../../access/core/keys/key-store.ts';
import { overloaded } from '../../platform/core/errors.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Log } from '../../platform/core/ports.ts';
import type { Draw } from './leases/lease.ts';
import type { RecordBatches } from './leases/record-batches.ts';
import type { Hold, UsageStore, WalletStore } from './ports.ts';
import type { CallIdentity, Cover } from './settlement.ts';

export interface HoldCoverDependencies {
  readonly keys: Pick<KeyStore, 'settle'>;
  readonly wallets: Pick<WalletStore, 'endHold'>;
  readonly usage: Pick<UsageStore, 'put'>;
  readonly log: Log;
}

/** A hold in the wallet, and the charge of the key that came with it. */
export interface HeldCall {
  readonly accountId: string;
  readonly hold: Hold;
  readonly charge: GrantedCharge;
  /** The tokens that were charged to the key's tokens per minute. */
  readonly tokens: number;
}

/** The record is written once, by itself. Then the hold ends, and the unused amount returns to the key. */
export const holdCover = (
  { keys, wallets, usage, log }: HoldCoverDependencies,
  { accountId, hold, charge, tokens: chargedTokens }: HeldCall,
): Cover => ({
  amount: hold.amount,
  mark: { attempt: hold.attempt },
  async record(record, onDurable) {
    const written = await usage.put(record);
    if (written === 'written') onDurable();
    return written;
  },
  async end({ cost, created }, tokens) {
    const unused = { requests: 0, tokens: chargedTokens - tokens, amount: hold.amount - cost } as const;
    const [endResult, settled] = await Promise.allSettled([
      wallets.endHold(accountId, { ...hold, cost, recorded: created }),
      keys.settle(hold.keyId, { ...charge, unused, cost }),
    ]);
    // Only the writer of the record settles the charge: an amount lost here is missing until the caps are repaired.
    if (settled.status === 'rejected') log.warn('charge not settled', { requestId: hold.id });
    if (endResult.status === 'fulfilled') return endResult.value;
    log.warn('refund left to recovery', { requestId: hold.id });
    return undefined;
  },
});

/** The identity of a held call. */
export const identityOf = ({ accountId, hold }: Pick<HeldCall, 'accountId' | 'hold'>): CallIdentity => ({
  id: hold.id,
  keyId: hold.keyId,
  accountId,
  kind: hold.kind,
});

export interface DrawCoverDependencies {
  readonly records: RecordBatches;
  readonly wallets: Pick<WalletStore, 'balance'>;
  /** Counts the cost of a call whose process paused for so long that its record cannot be written any more. */
  readonly onLost: (cost: NanoUsd) => void;
  readonly log: Log;
}

/** A database that takes longer is out of order. Then the caller gets 503, and the record is sent until it is durable. */
const MAX_RECORD_MS = 20_000;

/**
 * The record is written in a batch. The next tick of the lease charges it. A record that cannot be signed before the fence is
 * the operator's loss: recovery has returned what the call drew.
 */
export const drawCover = ({ records, wallets, onLost, log }: DrawCoverDependencies, draw: Draw): Cover => ({
  amount: draw.amount,
  mark: { lease: draw.lease.id },
  async record(record, onDurable) {
    const durable = records.put(record, draw.lease.span.fenceMs).then(onDurable, () => {
      log.error('a call was recorded too late', { requestId: record.id, unpaid: String(record.cost) });
      onLost(record.cost);
      throw overloaded();
    });
    await records.within(durable, MAX_RECORD_MS);
    return 'written';
  },
  async end({ accountId, created, cost }, tokens) {
    if (draw.lease.isAlive) draw.lease.settle(draw, { created, cost, tokens });
    return draw.lease.readBalance(() => wallets.balance(accountId)).catch(() => undefined);
  },
});
