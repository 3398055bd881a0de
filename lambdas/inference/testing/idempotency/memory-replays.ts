/** The store of replays by its contract, in memory; answers are kept as they are, under the credential they were kept with. */
import type { ReplayClaim, ReplayStore, StoredClaim, StoredResponse } from '../../core/idempotency/ports.ts';

export class MemoryReplays implements ReplayStore {
  readonly claims = new Map<string, StoredClaim>();
  readonly #responses = new Map<string, { readonly credential: string; readonly response: StoredResponse }>();

  async claim(
    claim: ReplayClaim,
    { nowMs, claimedUntilMs }: Parameters<ReplayStore['claim']>[1],
  ): Promise<'claimed' | StoredClaim> {
    const stored = this.#unexpired(claim.id, nowMs);
    const isFree =
      stored === undefined ||
      (!stored.isDone &&
        (stored.requestId === claim.requestId || (!stored.stream && stored.claimedUntilMs < nowMs)));
    if (!isFree) return stored;
    this.claims.set(claim.id, { ...claim, claimedUntilMs, isDone: false });
    return 'claimed';
  }

  async renew(claim: ReplayClaim, claimedUntilMs: number): Promise<boolean> {
    const held = this.#heldBy(claim);
    if (held === undefined || held.isDone) return false;
    this.claims.set(claim.id, { ...held, claimedUntilMs });
    return true;
  }

  async read(id: string, nowMs: number): Promise<StoredClaim | undefined> {
    return this.#unexpired(id, nowMs);
  }

  async storeResponse(claim: ReplayClaim, credential: string, response: StoredResponse): Promise<boolean> {
    const held = this.#heldBy(claim);
    if (held === undefined) return false;
    this.claims.set(claim.id, { ...held, isDone: true });
    this.#responses.set(claim.id, { credential, response });
    return true;
  }

  async open({ id }: StoredClaim, credential: string): Promise<StoredResponse> {
    const stored = this.#responses.get(id);
    if (stored?.credential !== credential) throw new Error('sealed with another credential');
    return stored.response;
  }

  async free(claim: ReplayClaim): Promise<void> {
    if (this.#heldBy(claim)?.isDone === false) this.claims.delete(claim.id);
  }

  #unexpired(id: string, nowMs: number): StoredClaim | undefined {
    const claim = this.claims.get(id);
    return claim === undefined || claim.expires <= nowMs / 1000 ? undefined : claim;
  }

  #heldBy({ id, requestId }: ReplayClaim): StoredClaim | undefined {
    const claim = this.claims.get(id);
    return claim?.requestId === requestId ? claim : undefined;
  }
}
