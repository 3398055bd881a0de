/**
 * Refusals of the current minute, in memory. A key that keeps knocking is answered from a read, which costs a fifth
 * of a refused write and never delays the others on its wallet; a change of policy or a top-up shows in that read,
 * so it binds on the next call.
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
   * Throws the refusal that a remembered key still deserves for the least that a call asks for. Returns the output to
   * begin with: the largest that is left, and at once the most that is asked for by every other key.
   */
  async check(call: Omit<Call, 'requestId'>, nowMs: number): Promise<number> {
    const { key, scope, output } = call;
    const until = this.#until.get(key.keyId);
    if (until === undefined) return output.most;
    if (until <= nowMs) {
      this.#until.delete(key.keyId);
      return output.most;
    }
    const { keys, wallets } = this.#dependencies;
    const [state, wallet] = await Promise.all([keys.read(key.keyId), wallets.read(key.accountId)]);
    const windows = windowsAt(nowMs);
    const at = { charge: { key, windows, tokens: 0, amount: 0n, scope } satisfies KeyCharge, nowMs };
    if (state === undefined) throw invalidKey();
    // Credit in a hold may be back by the time of the admission.
    const reason = preflight(call, { state, wallet: wallet?.holds.length === 0 ? wallet : undefined }, at);
    if (reason !== undefined) throw reason;
    const first = largestOutput(call, output, { state, wallet }, at) ?? output.most;
    // The key is in order again: its next call need not be looked at beforehand.
    if (first === output.most) this.#until.delete(key.keyId);
    return first;
  }
}
