/** Authorization codes: each is good once, for a minute, and for whoever has the verifier (RFC 6749, 4.1.2; RFC 7636). */
import { createHash, randomBytes } from 'node:crypto';

export interface Grant {
  readonly email: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly nonce: string | undefined;
}

const CODE_MS = 60_000;

export class Codes {
  readonly #clock: () => number;
  readonly #grants = new Map<string, Grant & { readonly endsMs: number }>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  issue(grant: Grant): string {
    const nowMs = this.#clock();
    for (const [code, { endsMs }] of this.#grants) if (endsMs <= nowMs) this.#grants.delete(code);
    const code = randomBytes(24).toString('base64url');
    this.#grants.set(code, { ...grant, endsMs: nowMs + CODE_MS });
    return code;
  }

  /** Returns the grant of the code; undefined if it is unknown, expired, used, or of another verifier or address. */
  redeem(code: string, verifier: string, redirectUri: string): Grant | undefined {
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (grant === undefined || grant.endsMs <= this.#clock()) return undefined;
    return grant.redirectUri === redirectUri && grant.codeChallenge === challenge ? grant : undefined;
  }
}
