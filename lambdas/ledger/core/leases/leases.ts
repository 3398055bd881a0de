/** The leases of a process: a call is admitted by the lease of its key and minute, if it can be. */
import { encodeTime } from 'ulid';
import type { VerifiedKey } from '../../../access/core/api-key.ts';
import { overloaded } from '../../../platform/core/errors.ts';
import type { UlidSource } from '../../../platform/core/ports.ts';
import type { Call } from '../call.ts';
import type { Draw } from './draw.ts';
import { Lease } from './lease.ts';
import type { LeaseDependencies } from './ports.ts';
import { minuteOf } from './times.ts';

/** Leases that a call may meet at their end, one after the other. */
const MAX_LEASES = 6;

/** The characters of a ULID that encode its time (github.com/ulid/spec). */
const TIME_CHARACTERS = 10;

export class Leases {
  readonly #dependencies: LeaseDependencies & { readonly ulid: UlidSource };
  /** The leases that admit calls, by key. */
  readonly #current = new Map<string, Lease>();
  readonly #alive = new Set<Lease>();
  #isStopping = false;
  #onAllEnded = () => {};

  constructor(dependencies: LeaseDependencies & { readonly ulid: UlidSource }) {
    this.#dependencies = dependencies;
  }

  /** Returns whether a lease can admit the call. Another process may settle a transcription, and leases admit no old request ids. */
  accepts({ requestId, key, scope }: Pick<Call, 'requestId' | 'key' | 'scope'>): boolean {
    return scope.kind !== 'audio' && this.#leaseOf(key).span.covers(requestId);
  }

  /** Admits the call from what the lease of its key has; undefined if that takes a request. */
  admitAtOnce(call: Call): Draw | undefined {
    return this.#isStopping ? undefined : this.#leaseOf(call.key).admitAtOnce(call);
  }

  /**
   * Admits a call, with the next request of its lease. Undefined for a call that no lease accepts. Throws 401, 403, 429, 402
   * or 503, with nothing drawn.
   */
  async admit(call: Call): Promise<Draw | undefined> {
    for (let leases = 0; leases < MAX_LEASES && !this.#isStopping; leases += 1) {
      if (!this.accepts(call)) return undefined;
      const result = await this.#leaseOf(call.key).admit(call);
      if (result !== 'again') return result;
    }
    throw overloaded();
  }

  /** Closes each lease with its last call; new calls are rejected with 503. Resolves when all have closed, or after `maxMs`. */
  stop(maxMs: number): Promise<void> {
    this.#isStopping = true;
    for (const lease of this.#alive) lease.stop();
    return new Promise((resolve) => {
      this.#onAllEnded = resolve;
      this.#dependencies.after(maxMs, resolve);
      if (this.#alive.size === 0) resolve();
    });
  }

  #leaseOf({ accountId, keyId }: VerifiedKey): Lease {
    const current = this.#current.get(keyId);
    if (current?.isCurrent === true) return current;
    const startMs = minuteOf(this.#dependencies.clock());
    const id = `${encodeTime(startMs)}${this.#dependencies.ulid().slice(TIME_CHARACTERS)}`;
    const lease = new Lease(this.#dependencies, {
      id,
      accountId,
      keyId,
      startMs,
      onEnd: (ended) => this.#forget(ended),
    });
    this.#current.set(keyId, lease);
    this.#alive.add(lease);
    return lease;
  }

  #forget(lease: Lease): void {
    this.#alive.delete(lease);
    if (this.#alive.size === 0) this.#onAllEnded();
    if (this.#current.get(lease.keyId) === lease) this.#current.delete(lease.keyId);
  }
}
