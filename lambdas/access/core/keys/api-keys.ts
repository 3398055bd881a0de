/** An account's API keys: listed, changed and revoked, effective for the next call. */
import * as z from 'zod';
import { type Body, seconds } from '../../../platform/core/api/response-schema.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { storedText } from '../../../platform/core/json/stored-text.ts';
import type { KeyState } from './key-state.ts';
import { type Policy, policyEntry, policyEntrySchema } from './policy.ts';

/** A try fails only when the same key is changed concurrently. */
const MAX_CHANGE_ATTEMPTS = 5;

/** A label for people; long enough for a sentence, and bounded because it is part of the key's item. */
export const keyName = storedText().trim().min(1).max(100);

const KEY_ID = /^key_[0-9A-HJKMNP-TV-Z]{26}$/;

export type NewKey = Pick<KeyState, 'keyId' | 'accountId' | 'secretHash' | 'name' | 'policy' | 'created'>;

export interface KeyChange {
  readonly name?: string | undefined;
  /** Replaces the whole policy. */
  readonly policy?: Policy | undefined;
  readonly disabled?: boolean | undefined;
}

export interface KeyRegistry {
  /** Adds a key to its account, unless that has `maxKeys` already. Throws when there is no such account. */
  add(key: NewKey, maxKeys: number): Promise<KeyState | 'full'>;
  find(keyId: string): Promise<KeyState | undefined>;
  /**
   * Changes a key that is still as it was read. What was used of each window stays used: the new cap less the spend
   * is left. Undefined when it is not as it was read: then nothing has changed.
   */
  change(from: KeyState, change: KeyChange): Promise<KeyState | undefined>;
  /**
   * Replaces the secret of a key. The previous secret, and no older one, stays valid until `previousUntil` (seconds
   * since the epoch). Returns undefined if the key is revoked. Repeating the call has no further effect.
   */
  rotate(keyId: string, secretHash: string, previousUntil: number | undefined): Promise<KeyState | undefined>;
}

/**
 * Returns the account's key with that id. Throws the same 404 for a key of another account and for an id that does not
 * exist.
 */
export async function ownKey(
  registry: Pick<KeyRegistry, 'find'>,
  accountId: string,
  keyId: string,
): Promise<KeyState> {
  const state = KEY_ID.test(keyId) ? await registry.find(keyId) : undefined;
  if (state === undefined || state.accountId !== accountId || state.status === 'revoked') throw unknownKey();
  return state;
}

/** Changes a key of the account. Throws 404, or 409 `conflict` when every try meets a concurrent change. */
export async function changeKey(
  registry: KeyRegistry,
  accountId: string,
  keyId: string,
  change: KeyChange,
): Promise<KeyState> {
  for (let attempts = 0; attempts < MAX_CHANGE_ATTEMPTS; attempts += 1) {
    const changed = await registry.change(await ownKey(registry, accountId, keyId), change);
    if (changed !== undefined) return changed;
  }
  throw new ServiceError('conflict', 'The API key was modified concurrently; retry.');
}

/** Returns the error for every id that is not a key of the account. */
export const unknownKey = (): ServiceError =>
  new ServiceError('not_found', 'No API key with this id belongs to your account.', { param: 'id' });

export const keySchema = z.object({
  id: z.string(),
  object: z.literal('api_key'),
  name: z.string(),
  policy: policyEntrySchema,
  disabled: z.boolean(),
  created: seconds,
  previous_secret_expires: seconds.nullable(),
});

/**
 * Returns the public entry of a key, as returned to its owner. It contains no secret and no data to derive one from.
 */
export function keyEntry(state: KeyState, nowMs: number): Body<typeof keySchema> {
  const { keyId, name, policy, status, created, previous } = state;
  return {
    id: keyId,
    object: 'api_key',
    name,
    policy: policyEntry(policy),
    disabled: status === 'disabled',
    created,
    previous_secret_expires: previous !== undefined && previous.until * 1000 > nowMs ? previous.until : null,
  };
}
