/**
 * Rejections of the current minute, in memory. A key that repeats rejected calls gets its response from a read. It
 * costs a fifth of a rejected write and never delays other calls on the wallet. A change of policy or a top-up is
 * visible in that read, so it takes effect on the next call.
 */
import { invalidKey } from '../../access/core/api-key.ts';
import type { KeyCharge } from '../../access/core/key-state.ts';
import type { KeyStore } from '../../access/core/key-store.ts';
import { minuteEndsInMs, windowsAt } from '../../access/core/windows.ts';
import { BoundedMap } from '../../platform/core/bounded-map.ts';
import type { Clock } from '../../platform/core/ports.ts';
import type { Call } from './call.ts';
import type { WalletStore } from './ports.ts';
import { largestOutput, preflight } from './preflight.ts';

/** Bounds the memory: about 100 bytes an entry. */
const MAX_REMEMBERED = 10_000;

interface RecentRejectionDependencies {
  readonly keys: KeyStore;
  readonly wallets: WalletStore;
  readonly clock: Clock;
}

export class RecentRejections {
  readonly #dependencies: RecentRejectionDependencies;
  /** Key id to the time (ms) at which the memory fades. */
  readonly #until = new BoundedMap<string, number>(MAX_REMEMBERED);

  constructor(dependencies: RecentRejectionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Records that the key was rejected, until the minute ends. */
  remember(keyId: string, nowMs: number): void {
    this.#until.set(keyId, nowMs + minuteEndsInMs(nowMs));
  }

  /**
   * Throws the rejection that still applies to a remembered key at the call's smallest output. Returns the output to
   * start with: the largest that is covered. For every other key, returns at once the largest output that the call
   * requests.
   */
  async check(call: Omit<Call, 'requestId'>, nowMs: number): Promise<number> {
    const { key, scope, output } = call;
    const until = this.#until.get(key.keyId);
    if (until === undefined) return output.max;
    if (until <= nowMs) {
      this.#until.delete(key.keyId);
      return output.max;
    }
    const { keys, wallets } = this.#dependencies;
    const [state, wallet] = await Promise.all([keys.read(key.keyId), wallets.read(key.accountId)]);
    const windows = windowsAt(nowMs);
    const at = { charge: { key, windows, tokens: 0, amount: 0n, scope } satisfies KeyCharge, nowMs };
    if (state === undefined) throw invalidKey();
    // What a lease has taken from the key may be back by the time of the admission.
    if (state.hasLeases === true) return output.max;
    // Credit in a hold may be back by the time of the admission.
    const reason = preflight(call, { state, wallet: wallet?.holds.length === 0 ? wallet : undefined }, at);
    if (reason !== undefined) throw reason;
    const first = largestOutput(call, output, { state, wallet }, at) ?? output.max;
    // The key covers full outputs again: its next call needs no check in advance.
    if (first === output.max) this.#until.delete(key.keyId);
    return first;
  }
}
