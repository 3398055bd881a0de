/**
 * What can be said of a call before its body is read: whether its key is active and within its limits, and whether
 * there is any credit. It reads, counts nothing and holds nothing; admission decides all of it once more.
 */
import type { VerifiedKey } from '../access/api-key.ts';
import { type KeyCharge, refusal, rollWindows } from '../access/key-state.ts';
import type { Kind } from '../access/policy.ts';
import { rateLimitHeaders } from '../access/rate-limit-headers.ts';
import { windowsAt } from '../access/windows.ts';
import { ServiceError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import type { KeyStore, Wallet, WalletStore } from './ports.ts';

export interface PrecheckDependencies {
  readonly keys: Pick<KeyStore, 'read'>;
  readonly wallets: Pick<WalletStore, 'read'>;
  readonly clock: Clock;
}

export interface PrecheckOptions {
  /** Whether the call costs anything, whichever model it names. */
  readonly paid: boolean;
  /** Whether the call may turn out to be a replay, which costs nothing; asked only when credit is what is missing. */
  readonly isReplay: () => Promise<boolean>;
}

/** The least that a call can come to. */
const LEAST_AMOUNT = 1n;

export class Precheck {
  readonly #dependencies: PrecheckDependencies;

  constructor(dependencies: PrecheckDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Throws what admission would refuse any call of this kind with at this moment: 401, 403, 429 or 402, in this order.
   * Credit in a hold that has expired is not missing: admission recovers it.
   */
  async check(key: VerifiedKey, kind: Kind, { paid, isReplay }: PrecheckOptions): Promise<void> {
    const { keys, wallets, clock } = this.#dependencies;
    const nowMs = clock();
    const windows = windowsAt(nowMs);
    const amount = paid ? LEAST_AMOUNT : 0n;
    const charge: KeyCharge = { key, windows, tokens: 0, amount, scope: { kind, models: [] } };
    const [found, wallet] = await Promise.all([keys.read(key.keyId), wallets.read(key.accountId)]);
    const state = found && rollWindows(found, windows);
    const reason = refusal(state, charge, nowMs) ?? (paid ? creditRefusal(wallet, nowMs) : undefined);
    if (reason === undefined) return;
    // A key that is not active gets no word of its limits.
    if (state === undefined || reason.status === 401) throw reason;
    if (reason.status === 402 && (await isReplay())) return;
    throw reason.withHeaders(rateLimitHeaders(state, nowMs));
  }
}

function creditRefusal(wallet: Wallet | undefined, nowMs: number): ServiceError | undefined {
  if (wallet !== undefined && wallet.balance >= LEAST_AMOUNT) return undefined;
  if (wallet?.holds.some(({ expires }) => expires * 1000 <= nowMs)) return undefined;
  return new ServiceError('insufficient_credit', 'The account has no credit.');
}
