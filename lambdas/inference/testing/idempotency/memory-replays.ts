/** The store of replays by its contract, in memory; answers are kept as they are, under the credential they were kept with. */
import type { ReplayClaim, ReplayStore, StoredClaim, StoredResponse } from '../../core/idempotency/ports.ts';

export class MemoryReplays implements ReplayStore {
  readonly claims = new Map<string, StoredClaim>();
  readonly #responses = new Map<string, { readonly credential: string; readonly response: StoredResponse }>();

  async claim(claim: ReplayClaim, nowMs: number): Promise<'claimed' | StoredClaim> {
    const replay = await this.read(claim.id, nowMs);
    const dead = replay !== undefined && !replay.isDone && !replay.stream && replay.leaseMs < nowMs;
    if (replay !== undefined && !dead) return replay;
    this.claims.set(claim.id, { ...claim, isDone: false });
    return 'claimed';
  }

  async read(id: string, nowMs: number): Promise<StoredClaim | undefined> {
    const replay = this.claims.get(id);
    return replay === undefined || replay.expires <= nowMs / 1000 ? undefined : replay;
  }

  async storeResponse(claim: ReplayClaim, credential: string, response: StoredResponse): Promise<void> {
    if (this.claims.get(claim.id)?.requestId !== claim.requestId)
      throw new Error('not the claim of this call');
    this.claims.set(claim.id, { ...claim, isDone: true });
    this.#responses.set(claim.id, { credential, response });
  }

  async open({ id }: StoredClaim, credential: string): Promise<StoredResponse> {
    const stored = this.#responses.get(id);
    if (stored?.credential !== credential) throw new Error('sealed with another credential');
    return stored.response;
  }

  async free({ id, requestId }: ReplayClaim): Promise<void> {
    if (this.claims.get(id)?.requestId === requestId) this.claims.delete(id);
  }
}
