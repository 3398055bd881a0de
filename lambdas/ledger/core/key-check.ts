/**
 * The check of a key and its wallet by a read. It counts nothing and holds nothing, and admission repeats it. It runs before
 * the body of a call is read, and before a call of a key that was rejected in the same minute: such a call costs a fifth of a
 * rejected write and never delays other calls on the wallet. A change of policy or a top-up is visible in the read, so it
 * takes effect on the next call.
 */
import { invalidKey, type VerifiedKey } from '../../access/core/keys/api-key.ts';
import { isCapRejection, type KeyCharge, type KeyState } from '../../access/core/keys/key-state.ts';
import type { KeyStore } from '../../access/core/keys/key-store.ts';
import { minuteEndsInMs, windowsAt } from '../../access/core/keys/windows.ts';
import { BoundedMap } from '../../platform/core/bounded-map.ts';
import { overloaded, ServiceError } from '../../platform/core/errors.ts';
import type { Kind } from '../../platform/core/kinds.ts';
import type { Clock } from '../../platform/core/ports.ts';
import { type Call, NO_OUTPUT } from './call.ts';
import { needsRepair } from './key-rest.ts';
import type { Leases } from './leases/leases.ts';
import { isCallHold, type Wallet, type WalletStore } from './ports.ts';
import { largestOutput, preflight } from './preflight.ts';

export interface KeyCheckDependencies {
  readonly keys: Pick<KeyStore, 'read'>;
  readonly wallets: Pick<WalletStore, 'read'>;
  /** The leases of the process; undefined if it has none. */
  readonly leases?: (() => Pick<Leases, 'owns' | 'hasSlack'> | undefined) | undefined;
  readonly clock: Clock;
}

export interface KindCheck {
  readonly kind: Kind;
  /** True if the call has a cost, whichever model it requests. */
  readonly isPaid: boolean;
  /** True if a call without a cost needs credit nevertheless, and is 503 without. */
  readonly needsCredit: boolean;
  /** Returns whether the call may be a replay, which costs nothing. Called only if nothing but credit is missing. */
  readonly isReplay: () => Promise<boolean>;
}

/** Bounds the memory: about 100 bytes an entry. */
const MAX_REMEMBERED = 10_000;

/** The least that a call can come to. */
const MIN_AMOUNT = 1n;

/** Returns whether a call was rejected because credit or a limit is short: more of it may be there later. */
export const isShortage = (failure: unknown): failure is ServiceError =>
  failure instanceof ServiceError && (failure.status === 402 || failure.status === 429);

export class KeyCheck {
  readonly #dependencies: KeyCheckDependencies;
  /** Keys that were rejected, to the time (ms) at which the memory fades. */
  readonly #rejectedUntil = new BoundedMap<string, number>(MAX_REMEMBERED);

  constructor(dependencies: KeyCheckDependencies) {
    this.#dependencies = dependencies;
  }

  /** Records that the key was rejected, until the minute ends. */
  remember(keyId: string, nowMs: number): void {
    this.#rejectedUntil.set(keyId, nowMs + minuteEndsInMs(nowMs));
  }

  /**
   * Throws the error with which admission would reject any call of this kind now: 401, 403, 429 or 402, in this order.
   * Returns true if the account has credit, false if the call may cost nothing.
   */
  async checkKind(key: VerifiedKey, { kind, isPaid, needsCredit, isReplay }: KindCheck): Promise<boolean> {
    const call = {
      key,
      scope: { kind, models: [] },
      output: NO_OUTPUT,
      tokens: () => 0,
      cost: () => (isPaid || needsCredit ? MIN_AMOUNT : 0n),
    };
    const { reason } = await this.#read(call);
    if (reason === undefined) return isPaid || needsCredit;
    const isFree = reason.status === 402 && ((needsCredit && !isPaid) || (await isReplay()));
    if (!isFree) throw reason;
    if (needsCredit) throw overloaded();
    return false;
  }

  /**
   * Throws the rejection that still applies to a remembered key at the call's smallest output. Returns the output to start
   * with: the largest that is covered. For every other key, returns at once the largest output that the call requests.
   */
  async check(call: Omit<Call, 'requestId'>): Promise<number> {
    const { keyId } = call.key;
    const { max } = call.output;
    const until = this.#rejectedUntil.get(keyId);
    if (until === undefined) return max;
    if (until > this.#dependencies.clock()) {
      const { reason, output } = await this.#read(call);
      if (reason !== undefined) throw reason;
      if (output < max) return output;
    }
    // The key covers full outputs again: its next call needs no check in advance.
    this.#rejectedUntil.delete(keyId);
    return max;
  }

  /** Returns whether leases of the account may give back credit or limits that they do not use. */
  mayReturn({ accountId }: VerifiedKey, state: KeyState | undefined, wallet: Wallet | undefined): boolean {
    const own = this.#dependencies.leases?.();
    if (own?.hasSlack(accountId) === true) return true;
    const ids = [
      ...(state?.leases?.keys() ?? []),
      ...(wallet?.holds ?? []).filter((hold) => !isCallHold(hold)).map(({ id }) => id),
    ];
    return ids.some((id) => own?.owns(id) !== true);
  }

  /**
   * Credit in an expired hold, in leases, and in a cap that needs a repair counts as available: admission recovers the first,
   * waits for the second and repairs the third.
   */
  async #read(call: Omit<Call, 'requestId'>) {
    const { keys, wallets, clock } = this.#dependencies;
    const { key, scope, output } = call;
    const nowMs = clock();
    const charge: KeyCharge = { key, windows: windowsAt(nowMs), tokens: 0, amount: 0n, scope };
    const [state, wallet] = await Promise.all([keys.read(key.keyId), wallets.read(key.accountId)]);
    if (state === undefined) throw invalidKey();
    const at = { charge, nowMs };
    const known = { state, wallet: wallet ?? { balance: 0n } };
    const rejection = preflight(call, known, at);
    const hasExpired = wallet?.holds.some(({ expires }) => expires * 1000 <= nowMs) === true;
    const mayChange =
      (rejection?.code === 'insufficient_credit' && hasExpired) ||
      (isCapRejection(rejection) && needsRepair(state, nowMs)) ||
      (isShortage(rejection) && this.mayReturn(key, state, wallet));
    return {
      reason: mayChange ? undefined : rejection,
      output: mayChange ? output.max : (largestOutput(call, output, known, at) ?? output.max),
    };
  }
}
