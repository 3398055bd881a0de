/**
 * The key's item: identity, policy as flat attributes, and what is left of each window under a name with the window's
 * number. A window that no call has taken anything from has no attribute: all of it is left. So nothing is reset when a
 * window ends, and a clock that is a minute slow counts in the minute that has ended and cannot reopen it.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { KINDS, type Kind } from '../../../platform/core/kinds.ts';
import {
  type Item,
  map,
  number,
  readInteger,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import type { NewKey } from '../../core/keys/api-keys.ts';
import { CAPS, type Cap, capsLeft } from '../../core/keys/caps.ts';
import { capOf, KEY_STATUSES, type KeyState, rpmOf, tpmOf, UNLIMITED } from '../../core/keys/key-state.ts';
import type { Policy } from '../../core/keys/policy.ts';
import type { Windows } from '../../core/keys/windows.ts';
import { decodeLeases } from './lease-entries.ts';

/** A limit that counts down in a window: the letter of its names, and the attribute of the full value, which every key has. */
export interface Counter {
  readonly letter: string;
  readonly window: keyof Windows;
  readonly full: 'rpm' | 'tpm' | Cap['field'];
}

export const REQUESTS: Counter = { letter: 'r', window: 'minute', full: 'rpm' };
export const TOKENS: Counter = { letter: 't', window: 'minute', full: 'tpm' };
/** The counter of a cap has the first letter of its window. */
export const counterOf = ({ window, field }: Cap): Counter => ({
  letter: window.charAt(0),
  window,
  full: field,
});
export const COUNTERS = [REQUESTS, TOKENS, ...CAPS.map(counterOf)];

/** The attribute of a counter in its window of some. */
export const nameOf = ({ letter, window }: Counter, windows: Windows): string =>
  `${letter}${windows[window]}`;

const NAME = /^([a-z])(\d+)$/;

/** A key in steady use has as many names: of its windows, and of those before them. */
const STEADY_NAMES = 2 * COUNTERS.length;

/**
 * The names that are to be removed from an item, because it has too many: those of windows that no clock is in any more.
 * A charge removes those of the windows before the last ones; a key in rare use leaves older names behind.
 */
export function oldNames(item: Item, windows: Windows): readonly string[] {
  const names = Object.keys(item).filter((name) => NAME.test(name));
  if (names.length <= STEADY_NAMES) return [];
  return names.filter((name) => {
    const [, letter, number] = NAME.exec(name) ?? [];
    const counter = COUNTERS.find((each) => each.letter === letter);
    return counter !== undefined && Number(number) < windows[counter.window] - 1;
  });
}

/** A new key, with every window full. */
export function encodeNewKey(key: NewKey): Item {
  return {
    key_id: text(key.keyId),
    account_id: text(key.accountId),
    secret_hash: text(key.secretHash),
    name: text(key.name),
    status: text('active'),
    version: number(1),
    created: number(key.created),
    // The map exists, because the first lease is written into it.
    leases: map({}),
    ...encodePolicy(key.policy),
  };
}

/** The attributes of a policy that an item has only if the policy sets them, but for `rpm_unset`. */
export const OPTIONAL_ATTRIBUTES = ['allowed_models', 'allowed_kinds', 'rpm_unset', 'read_scope'] as const;

/** A set is never empty. */
const NO_KIND = 'none';

export function encodePolicy(policy: Policy): Item {
  const set = (values: readonly string[]): AttributeValue => ({ SS: [...new Set(values)] });
  return {
    ...(policy.allowed_models === undefined ? {} : { allowed_models: set(policy.allowed_models) }),
    ...(policy.allowed_kinds === undefined
      ? {}
      : { allowed_kinds: set(policy.allowed_kinds.length === 0 ? [NO_KIND] : policy.allowed_kinds) }),
    ...(policy.reads === undefined ? {} : { read_scope: text(policy.reads) }),
    rpm: number(rpmOf(policy)),
    ...(policy.rpm === undefined ? { rpm_unset: { BOOL: true } } : {}),
    tpm: number(tpmOf(policy)),
    ...Object.fromEntries(CAPS.map((cap) => [cap.field, number(capOf(policy, cap))])),
  };
}

/** The key as of windows. */
export function decodeKey(item: Item, windows: Windows): KeyState {
  const remainingOf = (counter: Counter): bigint => {
    const name = nameOf(counter, windows);
    return readInteger(item, item[name] === undefined ? counter.full : name);
  };
  const leases = decodeLeases(item);
  return {
    keyId: readText(item, 'key_id'),
    accountId: readText(item, 'account_id'),
    secretHash: readText(item, 'secret_hash'),
    ...(item.previous_hash === undefined
      ? {}
      : {
          previous: {
            secretHash: readText(item, 'previous_hash'),
            until: readNumber(item, 'previous_until'),
          },
        }),
    name: readText(item, 'name'),
    status: readStatus(item),
    policy: decodePolicy(item),
    version: readNumber(item, 'version'),
    created: readNumber(item, 'created'),
    requestsLeft: Number(remainingOf(REQUESTS)),
    tokensLeft: remainingOf(TOKENS),
    ...capsLeft((cap) => remainingOf(counterOf(cap))),
    ...(item.used === undefined ? {} : { used: readNumber(item, 'used') }),
    ...(leases.size === 0 ? {} : { leases }),
    ...(item.repaired === undefined ? {} : { repaired: readNumber(item, 'repaired') }),
  };
}

function readStatus(item: Item): KeyState['status'] {
  const status = KEY_STATUSES.find((candidate) => candidate === readText(item, 'status'));
  if (status === undefined) throw new Error('attribute status is not a key status');
  return status;
}

const isKind = (value: string): value is Kind => (KINDS as readonly string[]).includes(value);

function decodePolicy(item: Item): Policy {
  const limit = (name: Counter['full']): bigint | undefined => {
    const value = readInteger(item, name);
    return value === UNLIMITED ? undefined : value;
  };
  const tpm = limit('tpm');
  const caps = CAPS.map(({ field }) => [field, limit(field)] as const);
  return {
    ...(item.allowed_models?.SS === undefined ? {} : { allowed_models: item.allowed_models.SS }),
    ...(item.allowed_kinds?.SS === undefined ? {} : { allowed_kinds: item.allowed_kinds.SS.filter(isKind) }),
    ...Object.fromEntries(caps.filter(([, cap]) => cap !== undefined)),
    ...(tpm === undefined ? {} : { tpm: Number(tpm) }),
    ...(item.read_scope === undefined ? {} : { reads: 'account' }),
    ...(item.rpm_unset === undefined ? { rpm: readNumber(item, 'rpm') } : {}),
  };
}
