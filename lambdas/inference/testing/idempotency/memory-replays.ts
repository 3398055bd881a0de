/** The store of replays by its contract, in memory; answers are kept as they are, under the credential they were kept with. */
import type { KeptAnswer, ReplayClaim, ReplayStore, StoredClaim } from '../../core/idempotency/ports.ts';

export class MemoryReplays implements ReplayStore {
  readonly claims = new Map<string, StoredClaim>();
  readonly #answers = new Map<string, { readonly credential: string; readonly answer: KeptAnswer }>();

  async claim(claim: ReplayClaim, nowMs: number): Promise<'claimed' | StoredClaim> {
    const found = await this.find(claim.id, nowMs);
    const dead = found !== undefined && !found.done && !found.stream && found.leaseMs < nowMs;
    if (found !== undefined && !dead) return found;
    this.claims.set(claim.id, { ...claim, done: false });
    return 'claimed';
  }

  async find(id: string, nowMs: number): Promise<StoredClaim | undefined> {
    const found = this.claims.get(id);
    return found === undefined || found.expires <= nowMs / 1000 ? undefined : found;
  }

  async keep(claim: ReplayClaim, credential: string, answer: KeptAnswer): Promise<void> {
    if (this.claims.get(claim.id)?.requestId !== claim.requestId)
      throw new Error('not the claim of this call');
    this.claims.set(claim.id, { ...claim, done: true });
    this.#answers.set(claim.id, { credential, answer });
  }

  async open({ id }: StoredClaim, credential: string): Promise<KeptAnswer> {
    const kept = this.#answers.get(id);
    if (kept?.credential !== credential) throw new Error('sealed with another credential');
    return kept.answer;
  }

  async free({ id, requestId }: ReplayClaim): Promise<void> {
    if (this.claims.get(id)?.requestId === requestId) this.claims.delete(id);
  }
}
