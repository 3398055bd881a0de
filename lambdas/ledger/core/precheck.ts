/**
 * The checks of a call before its body is read: an active key within its limits, and some credit. They read, count
 * nothing and hold nothing. Admission repeats all of them.
 */
import { invalidKey, type VerifiedKey } from '../../access/core/api-key.ts';
import { isCapRejection, type KeyCharge } from '../../access/core/key-state.ts';
import type { KeyStore } from '../../access/core/key-store.ts';
import { windowsAt } from '../../access/core/windows.ts';
import type { Kind } from '../../platform/core/kinds.ts';
import type { Clock } from '../../platform/core/ports.ts';
import { NO_OUTPUT } from './call.ts';
import { needsRepair } from './key-rest.ts';
import type { Wallet, WalletStore } from './ports.ts';
import { preflight } from './preflight.ts';

export interface PrecheckDependencies {
  readonly keys: Pick<KeyStore, 'read'>;
  readonly wallets: Pick<WalletStore, 'read'>;
  readonly clock: Clock;
}

export interface PrecheckOptions {
  /** True if the call has a cost, whichever model it requests. */
  readonly paid: boolean;
  /** Returns whether the call may be a replay, which costs nothing. Called only if nothing but credit is missing. */
  readonly isReplay: () => Promise<boolean>;
}

/** The least that a call can come to. */
const MIN_AMOUNT = 1n;

export class Precheck {
  readonly #dependencies: PrecheckDependencies;

  constructor(dependencies: PrecheckDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Throws the error with which admission would reject any call of this kind now: 401, 403, 429 or 402, in this order.
   * Credit in an expired hold counts as available, because admission recovers it and repairs caps.
   */
  async check(key: VerifiedKey, kind: Kind, { paid, isReplay }: PrecheckOptions): Promise<void> {
    const { keys, wallets, clock } = this.#dependencies;
    const nowMs = clock();
    const windows = windowsAt(nowMs);
    const charge: KeyCharge = { key, windows, tokens: 0, amount: 0n, scope: { kind, models: [] } };
    const call = { output: NO_OUTPUT, tokens: () => 0, cost: () => (paid ? MIN_AMOUNT : 0n) };
    const [state, wallet] = await Promise.all([keys.read(key.keyId), wallets.read(key.accountId)]);
    if (state === undefined) throw invalidKey();
    const snapshot = {
      state,
      wallet: hasExpired(wallet, nowMs) ? undefined : (wallet ?? { balance: 0n }),
    };
    const reason = preflight(call, snapshot, { charge, nowMs });
    if (reason === undefined || (isCapRejection(reason) && needsRepair(state, nowMs))) return;
    if (reason.status === 402 && (await isReplay())) return;
    throw reason;
  }
}

const hasExpired = (wallet: Wallet | undefined, nowMs: number): boolean =>
  wallet?.holds.some(({ expires }) => expires * 1000 <= nowMs) === true;
