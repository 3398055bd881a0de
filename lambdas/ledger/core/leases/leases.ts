/** The leases of a process: read-ahead in front of the holds of its calls, one for each key and minute. */
import { encodeTime } from 'ulid';
import type { VerifiedKey } from '../../../access/core/keys/api-key.ts';
import type { UlidSource } from '../../../platform/core/ports.ts';
import type { Call } from '../call.ts';
import { minuteOf } from '../lease-times.ts';
import { type Draw, Lease } from './lease.ts';
import type { LeaseDependencies } from './ports.ts';

/** The characters of a ULID that encode its time (github.com/ulid/spec). */
const TIME_CHARACTERS = 10;

export class Leases {
  readonly #dependencies: LeaseDependencies & { readonly ulid: UlidSource };
  /** The leases that admit calls, by key. */
  readonly #current = new Map<string, Lease>();
  /** All leases that have not ended, by id. */
  readonly #alive = new Map<string, Lease>();
  #isStopping = false;
  #onAllEnded = () => {};

  constructor(dependencies: LeaseDependencies & { readonly ulid: UlidSource }) {
    this.#dependencies = dependencies;
  }

  /** Admits the call from what the lease of its key has; undefined if that takes a request. */
  draw(call: Call): Draw | undefined {
    return this.#leaseFor(call)?.draw(call);
  }

  /** Admits the call with the next tick of the lease of its key; undefined if it is to take a hold. Does not throw. */
  async drawNext(call: Call): Promise<Draw | undefined> {
    return this.#leaseFor(call)?.drawNext(call);
  }

  /** Returns whether a lease is of this process. */
  owns(leaseId: string): boolean {
    return this.#alive.has(leaseId);
  }

  /** Returns whether leases of the account may have taken more than their calls need. */
  hasSlack(accountId: string): boolean {
    return this.#of(accountId).some(({ mayHaveSlack }) => mayHaveSlack);
  }

  /** Returns to an account what its leases do not need for their calls. Does not throw. */
  async returnSlack(accountId: string): Promise<void> {
    await Promise.all(this.#of(accountId).map((lease) => lease.returnSlack()));
  }

  /** Closes each lease with its last call; new calls take holds. Resolves when all have closed, or after `maxMs`. */
  stop(maxMs: number): Promise<void> {
    this.#isStopping = true;
    for (const lease of this.#alive.values()) lease.stop();
    return new Promise((resolve) => {
      this.#onAllEnded = resolve;
      this.#dependencies.after(maxMs, resolve);
      if (this.#alive.size === 0) resolve();
    });
  }

  #of(accountId: string): readonly Lease[] {
    return [...this.#alive.values()].filter((lease) => lease.accountId === accountId);
  }

  /** Another process may settle a transcription, and leases admit no old request ids: these take holds. */
  #leaseFor({ requestId, key, scope }: Call): Lease | undefined {
    if (this.#isStopping || scope.kind === 'audio') return undefined;
    const lease = this.#leaseOf(key);
    return lease.span.covers(requestId) ? lease : undefined;
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
    this.#alive.set(id, lease);
    return lease;
  }

  #forget(lease: Lease): void {
    this.#alive.delete(lease.id);
    if (this.#alive.size === 0) this.#onAllEnded();
    if (this.#current.get(lease.keyId) === lease) this.#current.delete(lease.keyId);
  }
}
