/** The gate every keyed request passes: the key is active, and the request counts against its windows. */

import { CallerLeft, overloaded, ServiceError } from '../../../platform/core/errors.ts';
import type { Clock } from '../../../platform/core/ports.ts';
import type { VerifiedKey } from './api-key.ts';
import { type KeyCharge, type KeyState, rateLimitHeaders, rejectionOf } from './key-state.ts';
import type { KeyStore } from './key-store.ts';
import { windowsAt } from './windows.ts';

export class KeyGate {
  readonly #keys: Pick<KeyStore, 'charge'>;
  readonly #clock: Clock;

  constructor(keys: Pick<KeyStore, 'charge'>, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /**
   * Counts a request that runs no model against the key. Throws 401 or 429; returns the key's state and its
   * rate-limit headers.
   */
  async touch(
    key: VerifiedKey,
  ): Promise<{ readonly state: KeyState; readonly headers: Record<string, string> }> {
    const nowMs = this.#clock();
    const charge: KeyCharge = { key, windows: windowsAt(nowMs), tokens: 0, amount: 0n };
    const result = await this.#keys.charge(charge);
    if (result.granted) return { state: result.state, headers: rateLimitHeaders(result.state, nowMs) };
    const reason = rejectionOf(result.state, charge, nowMs) ?? overloaded();
    if (result.state === undefined || reason.status === 401) throw reason;
    throw reason.withHeaders(rateLimitHeaders(result.state, nowMs));
  }

  /**
   * Runs the checks of a request's content. A request that fails them, or whose caller leaves meanwhile, counts against
   * its key all the same, and for a key that is not active the error is 401, whatever the content.
   */
  async checked<T>(key: VerifiedKey, check: () => Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (failure) {
      const hasLeft = failure instanceof CallerLeft;
      if (!hasLeft && !(failure instanceof ServiceError)) throw failure;
      const touched = await this.touch(key).catch((reason: unknown) => reason);
      if (hasLeft) throw failure;
      if (touched instanceof ServiceError && touched.status === 401) throw touched;
      throw failure.withHeaders((touched as { headers?: Record<string, string> }).headers ?? {});
    }
  }
}
