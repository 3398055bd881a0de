/** Issues the text of API keys: for a new key, and for one whose secret is to be replaced. */
import * as z from 'zod';
import { hasAsMany, QUOTAS } from '../../../platform/core/api/quotas.ts';
import type { Body } from '../../../platform/core/api/response-schema.ts';
import type { Clock, UlidSource } from '../../../platform/core/ports.ts';
import { formatKey, hashSecret, type Peppers } from './api-key.ts';
import { type KeyRegistry, keyEntry, keySchema, ownKey, unknownKey } from './api-keys.ts';
import type { KeyState } from './key-state.ts';
import type { Policy } from './policy.ts';

export interface KeyIssuerDependencies {
  readonly registry: KeyRegistry;
  readonly peppers: () => Promise<Peppers>;
  readonly clock: Clock;
  readonly ulid: UlidSource;
  /** Hex of `SECRET_BYTES` random bytes. */
  readonly randomHex: () => string;
}

/** A key with the text that its holder sends: the only copy there will ever be. */
export interface IssuedKey {
  readonly state: KeyState;
  readonly key: string;
}

export const issuedKeySchema = keySchema.extend({
  key: z.string().describe('The key itself, shown this once.'),
});

export const issuedKeyEntry = ({ state, key }: IssuedKey, nowMs: number): Body<typeof issuedKeySchema> => ({
  ...keyEntry(state, nowMs),
  key,
});

export class KeyIssuer {
  readonly #dependencies: KeyIssuerDependencies;

  constructor(dependencies: KeyIssuerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Makes a key, under an id of the caller's choice or a new one. Throws 429 `key_quota` when the account has as many as
   * it may.
   */
  async create(
    accountId: string,
    name: string,
    policy: Policy,
    keyId = `key_${this.#dependencies.ulid()}`,
  ): Promise<IssuedKey> {
    const { registry, randomHex } = this.#dependencies;
    const secret = randomHex();
    const key = await this.#format(accountId, keyId, secret);
    const created = this.#now();
    const added = { keyId, accountId, secretHash: hashSecret(secret), name, policy, created };
    const maxKeys = QUOTAS.api_keys_per_account;
    const state = await registry.add(added, maxKeys);
    if (state === 'full') throw hasAsMany('key_quota', maxKeys, 'API keys of one account');
    return { state, key };
  }

  /**
   * Gives the account's key another secret; the present one stays valid for `overlapSeconds`, an earlier one does not.
   * Throws 404.
   */
  async rotate(accountId: string, keyId: string, overlapSeconds: number): Promise<IssuedKey> {
    const { registry, randomHex } = this.#dependencies;
    await ownKey(registry, accountId, keyId);
    const secret = randomHex();
    const key = await this.#format(accountId, keyId, secret);
    const until = overlapSeconds === 0 ? undefined : this.#now() + overlapSeconds;
    const state = await registry.rotate(keyId, hashSecret(secret), until);
    if (state === undefined) throw unknownKey();
    return { state, key };
  }

  async #format(accountId: string, keyId: string, secret: string): Promise<string> {
    return formatKey({ accountId, keyId, secret }, await this.#dependencies.peppers());
  }

  #now(): number {
    return Math.floor(this.#dependencies.clock() / 1000);
  }
}
