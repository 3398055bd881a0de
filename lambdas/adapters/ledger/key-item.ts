/** The key's item: identity, policy as flat attributes, and what is left of each window. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  dailyOf,
  KEY_STATUSES,
  type KeyState,
  monthlyOf,
  rpmOf,
  tpmOf,
} from '../../core/access/key-state.ts';
import { KINDS, type Kind, type Policy } from '../../core/access/policy.ts';
import { type Item, number, readInteger, readNumber, readText, text } from '../dynamodb/attribute-values.ts';

/** A new key, with every window full. */
export function encodeNewKey(
  key: Pick<KeyState, 'keyId' | 'accountId' | 'secretHash' | 'name' | 'policy' | 'created'>,
): Item {
  const { policy } = key;
  return {
    key_id: text(key.keyId),
    account_id: text(key.accountId),
    secret_hash: text(key.secretHash),
    name: text(key.name),
    status: text('active'),
    version: number(1),
    created: number(key.created),
    ...encodePolicy(policy),
    // Window 0 has long ended: the first call rolls every window.
    minute: number(0),
    day: number(0),
    month: number(0),
    requests_left: number(rpmOf(policy)),
    tokens_left: number(tpmOf(policy)),
    day_left: number(dailyOf(policy)),
    month_left: number(monthlyOf(policy)),
  };
}

/** Where a policy's fields are kept; an absent field has no attribute. */
export const POLICY_ATTRIBUTES = [
  'allowed_models',
  'allowed_kinds',
  'daily_cap',
  'monthly_cap',
  'tpm',
  'rpm',
] as const;

export function encodePolicy(policy: Policy): Item {
  const set = (values: readonly string[]): AttributeValue => ({ SS: [...new Set(values)] });
  return {
    ...(policy.allowed_models === undefined ? {} : { allowed_models: set(policy.allowed_models) }),
    ...(policy.allowed_kinds === undefined ? {} : { allowed_kinds: set(policy.allowed_kinds) }),
    ...(policy.daily_usd === undefined ? {} : { daily_cap: number(policy.daily_usd) }),
    ...(policy.monthly_usd === undefined ? {} : { monthly_cap: number(policy.monthly_usd) }),
    ...(policy.tpm === undefined ? {} : { tpm: number(policy.tpm) }),
    ...(policy.rpm === undefined ? {} : { rpm: number(policy.rpm) }),
  };
}

export function decodeKey(item: Item): KeyState {
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
    windows: {
      minute: readNumber(item, 'minute'),
      day: readNumber(item, 'day'),
      month: readNumber(item, 'month'),
    },
    requestsLeft: readNumber(item, 'requests_left'),
    tokensLeft: readInteger(item, 'tokens_left'),
    dayLeft: readInteger(item, 'day_left'),
    monthLeft: readInteger(item, 'month_left'),
  };
}

function readStatus(item: Item): KeyState['status'] {
  const status = KEY_STATUSES.find((known) => known === readText(item, 'status'));
  if (status === undefined) throw new Error('attribute status is not a key status');
  return status;
}

const isKind = (value: string): value is Kind => (KINDS as readonly string[]).includes(value);

function decodePolicy(item: Item): Policy {
  return {
    ...(item.allowed_models?.SS === undefined ? {} : { allowed_models: item.allowed_models.SS }),
    ...(item.allowed_kinds?.SS === undefined ? {} : { allowed_kinds: item.allowed_kinds.SS.filter(isKind) }),
    ...(item.daily_cap === undefined ? {} : { daily_usd: readInteger(item, 'daily_cap') }),
    ...(item.monthly_cap === undefined ? {} : { monthly_usd: readInteger(item, 'monthly_cap') }),
    ...(item.tpm === undefined ? {} : { tpm: readNumber(item, 'tpm') }),
    ...(item.rpm === undefined ? {} : { rpm: readNumber(item, 'rpm') }),
  };
}
