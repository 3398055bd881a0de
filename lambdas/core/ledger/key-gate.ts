/** The gate every keyed request passes: the key is in force, and the request counts against its windows. */
import type { VerifiedKey } from '../access/api-key.ts';
import { isStale, type KeyCharge, type KeyState, refusal, rollWindows } from '../access/key-state.ts';
import { rateLimitHeaders } from '../access/rate-limit-headers.ts';
import { windowsAt } from '../access/windows.ts';
import { ServiceError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import type { ChargeResult, KeyStore } from './ports.ts';

/**
 * A window that rolls between two tries is lost to another call; each further try needs another roll or another
 * change of policy within milliseconds, so a handful of tries is plenty.
 */
const MAX_CHARGE_TRIES = 8;

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
    const result = await this.charge(charge);
    if (!result.granted) throw this.explain(result, charge, nowMs);
    return { state: result.state, headers: rateLimitHeaders(result.state, nowMs) };
  }

  /**
   * Runs the checks of a request's content. A request that fails them counts against its key all the same, and a
   * key that is not in force is told so before anything about the content.
   */
  async checked<T>(key: VerifiedKey, check: () => Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (failure) {
      if (!(failure instanceof ServiceError)) throw failure;
      const touched = await this.touch(key).catch((reason: unknown) => reason);
      if (touched instanceof ServiceError && touched.status === 401) throw touched;
      throw failure.withHeaders((touched as { headers?: Record<string, string> }).headers ?? {});
    }
  }

  /** Charges the key, beginning ended windows afresh; a refused state has current windows. */
  async charge(charge: KeyCharge): Promise<ChargeResult> {
    let result = await this.#keys.charge(charge);
    for (let tries = 1; tries < MAX_CHARGE_TRIES; tries += 1) {
      if (result.granted || result.state === undefined) return result;
      const found = result.state;
      const nowMs = this.#clock();
      const state = rollWindows(found, charge.windows);
      if (refusal(state, charge, nowMs) !== undefined) return { granted: false, state };
      result = await this.#keys.charge(
        charge,
        isStale(found, charge.windows) ? { from: found, to: state } : undefined,
      );
    }
    return result;
  }

  /** What the caller is told of a refused charge. */
  explain(result: ChargeResult, charge: KeyCharge, nowMs: number): ServiceError {
    const reason = refusal(result.state, charge, nowMs);
    if (reason === undefined)
      return new ServiceError('internal_error', 'The service is too busy with this API key.');
    if (result.state === undefined || reason.status === 401) return reason;
    return reason.withHeaders(rateLimitHeaders(result.state, nowMs));
  }
}
