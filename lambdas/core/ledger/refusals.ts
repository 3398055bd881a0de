/**
 * Refusals of the current minute, in memory. A key that keeps knocking is answered from a read, which costs a fifth
 * of a refused write and never delays the others on its wallet; a change of policy or a top-up shows in that read,
 * so it binds on the next call.
 */
import { type KeyCharge, refusal, rollWindows } from '../access/key-state.ts';
import { rateLimitHeaders } from '../access/rate-limit-headers.ts';
import { minuteEndsInMs, windowsAt } from '../access/windows.ts';
import { BoundedMap } from '../bounded-map.ts';
import { ServiceError } from '../errors.ts';
import { formatUsd, type NanoUsd } from '../money.ts';
import type { Clock } from '../ports.ts';
import type { CallRequest } from './call.ts';
import { firstLeft, leastOf } from './offers/offer.ts';
import type { KeyStore, WalletStore } from './ports.ts';

/** Bounds the memory: about 100 bytes an entry. */
const MAX_REMEMBERED = 10_000;

interface RefusalDependencies {
  readonly keys: KeyStore;
  readonly wallets: WalletStore;
  readonly clock: Clock;
}

export class Refusals {
  readonly #dependencies: RefusalDependencies;
  /** Key id to the time (ms) at which the memory fades. */
  readonly #until = new BoundedMap<string, number>(MAX_REMEMBERED);

  constructor(dependencies: RefusalDependencies) {
    this.#dependencies = dependencies;
  }

  /** Notes that the key was refused, until the minute ends. */
  remember(keyId: string, nowMs: number): void {
    this.#until.set(keyId, nowMs + minuteEndsInMs(nowMs));
  }

  /**
   * Throws the refusal that a remembered key still deserves for the least of a call's offers. Returns the index of the
   * offer to begin with: the first that is left, and at once the first of all for every other key.
   */
  async check({ key, scope, offers }: Omit<CallRequest, 'requestId'>, nowMs: number): Promise<number> {
    const { keyId, accountId } = key;
    const until = this.#until.get(keyId);
    if (until === undefined) return 0;
    if (until <= nowMs) {
      this.#until.delete(keyId);
      return 0;
    }
    const { keys, wallets } = this.#dependencies;
    const [found, wallet] = await Promise.all([keys.read(keyId), wallets.read(accountId)]);
    const windows = windowsAt(nowMs);
    const { tokens, amount } = leastOf(offers);
    const charge: KeyCharge = { key, windows, tokens, amount, scope };
    const state = found === undefined ? undefined : rollWindows(found, windows);
    const reason = refusal(state, charge, nowMs);
    if (reason !== undefined) {
      // The limits of a key that is not active are not shown.
      if (state === undefined || reason.status === 401) throw reason;
      throw reason.withHeaders(rateLimitHeaders(state, nowMs));
    }
    if (state !== undefined && wallet !== undefined && wallet.balance < amount && wallet.holds.length === 0) {
      throw insufficientCredit(amount).withHeaders(rateLimitHeaders(state, nowMs));
    }
    const first = firstLeft(offers, 0, { state, wallet }, { charge, nowMs }) ?? 0;
    // The key is in order again: its next call need not be looked at beforehand.
    if (first === 0) this.#until.delete(keyId);
    return first;
  }
}

/** The refusal of a wallet that does not cover a hold. */
export function insufficientCredit(amount: NanoUsd): ServiceError {
  return new ServiceError(
    'insufficient_credit',
    `The account's credit does not cover the estimate for this call, ${formatUsd(amount)} USD.`,
  );
}
