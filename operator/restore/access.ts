/**
 * Access after a restore. The restored tables do not contain what was taken away since: a revocation, a rotation, a
 * lower cap, a sign-out. So each restored right is compared with the current tables:
 *
 * | Since the restored time | After the restore |
 * |---|---|
 * | granted | lost, like every change since |
 * | taken away | stays taken away |
 * | replaced | the secrets of a key and of a webhook are the current ones; of everything else neither is valid |
 *
 * Each step leaves less access than it found, so that it is safe to repeat after a crash anywhere.
 */
import { isDeepStrictEqual } from 'node:util';
import { DeleteItemCommand, type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { CAPS } from '../../lambdas/access/core/keys/caps.ts';
import { type KeyState, rpmOf } from '../../lambdas/access/core/keys/key-state.ts';
import type { Policy } from '../../lambdas/access/core/keys/policy.ts';
import { windowsAt } from '../../lambdas/access/core/keys/windows.ts';
import { decodeKey } from '../../lambdas/access/store/keys/key-item.ts';
import { DynamoKeyRegistry } from '../../lambdas/access/store/keys/key-registry.ts';
import { DynamoSessionStore } from '../../lambdas/access/store/sessions/session-store.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import type { Clock } from '../../lambdas/platform/core/ports.ts';
import { readText, text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { createOperatorAccounts } from '../customers/operator-accounts.ts';
import { keyIn, pagesOf, pairsOf } from './pairs.ts';

/** The tables that grant access. */
export const ACCESS_TABLES = ['accounts', 'keys', 'sessions', 'identities', 'webhooks'] as const;

type AccessTable = (typeof ACCESS_TABLES)[number];
export type AccessTableNames = Readonly<Record<AccessTable, string>>;

export interface AccessComparison {
  readonly client: DynamoDBClient;
  readonly current: AccessTableNames;
  readonly restored: AccessTableNames;
  readonly clock: Clock;
}

/** The number of restored rights that the command has changed. */
export interface ReducedAccess {
  readonly keys_revoked: number;
  readonly keys_rotated: number;
  readonly keys_limited: number;
  readonly accounts_signed_out: number;
  readonly operators_removed: number;
  readonly identities_removed: number;
  readonly webhooks_disabled: number;
}

/** Removes from the restored tables the access that the current tables do not grant. */
export async function reduceAccess(comparison: AccessComparison): Promise<ReducedAccess> {
  return {
    ...(await reduceKeys(comparison)),
    accounts_signed_out: await endSessions(comparison),
    operators_removed: await removeOperators(comparison),
    identities_removed: await removeIdentities(comparison),
    webhooks_disabled: await reduceWebhooks(comparison),
  };
}

async function reduceKeys(comparison: AccessComparison) {
  const { client, restored, clock } = comparison;
  const registry = new DynamoKeyRegistry(client, restored, clock);
  const counts = { keys_revoked: 0, keys_rotated: 0, keys_limited: 0 };
  for await (const [item, currentItem] of restoredPairs(comparison, 'keys')) {
    const windows = windowsAt(clock());
    const key = decodeKey(item, windows);
    const current = currentItem === undefined ? undefined : decodeKey(currentItem, windows);
    if (key.status === 'revoked') continue;
    if (current === undefined || current.accountId !== key.accountId || current.status === 'revoked') {
      await registry.revoke(key);
      counts.keys_revoked += 1;
      continue;
    }
    if (current.secretHash !== key.secretHash) {
      const { previous } = current;
      const until = previous?.secretHash === key.secretHash ? previous.until : undefined;
      await registry.rotate(key.keyId, current.secretHash, until);
      counts.keys_rotated += 1;
    }
    if (await limitKey(registry, key, current)) counts.keys_limited += 1;
  }
  return counts;
}

/** Reduces the policy and the status of a key to what both allow; returns whether it has changed. */
async function limitKey(registry: DynamoKeyRegistry, key: KeyState, current: KeyState): Promise<boolean> {
  const policy = commonPolicy(key.policy, current.policy);
  const disabled = key.status === 'disabled' || current.status === 'disabled' || policy === undefined;
  const isUnchanged = policy === undefined || isDeepStrictEqual(policy, commonPolicy(key.policy, key.policy));
  if (isUnchanged && disabled === (key.status === 'disabled')) return false;
  const change = { disabled, ...(isUnchanged ? {} : { policy }) };
  if ((await registry.change(key, change)) === undefined)
    throw new Error(`the restored key ${key.keyId} is in use: close the service, and repeat the command`);
  return true;
}

/** Returns the policy that allows what both allow; undefined if they have no model in common. */
function commonPolicy(one: Policy, other: Policy): Policy | undefined {
  const models = inBoth(one.allowed_models, other.allowed_models);
  if (models?.length === 0) return undefined;
  const { rpm } = rpmOf(one) <= rpmOf(other) ? one : other;
  const common = {
    allowed_models: models,
    allowed_kinds: inBoth(one.allowed_kinds, other.allowed_kinds),
    ...Object.fromEntries(CAPS.map(({ field }) => [field, least(one[field], other[field])])),
    tpm: least(one.tpm, other.tpm),
    rpm,
    reads: one.reads === other.reads ? one.reads : undefined,
  };
  return Object.fromEntries(Object.entries(common).filter(([, value]) => value !== undefined));
}

/** Absent: every value. */
function inBoth<T>(one: readonly T[] | undefined, other: readonly T[] | undefined): T[] | undefined {
  if (one === undefined || other === undefined) return (one ?? other)?.toSorted();
  return one.filter((value) => other.includes(value)).toSorted();
}

/** Absent: no limit. */
const least = <T extends number | bigint>(one: T | undefined, other: T | undefined): T | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;

/** Everyone signs in again: which sessions had ended by the restored time is of no use to anyone. */
async function endSessions({ client, restored }: AccessComparison): Promise<number> {
  const sessions = new DynamoSessionStore(client, restored.sessions);
  let accounts = 0;
  for await (const page of pagesOf(client, restored.sessions)) {
    for (const item of page.filter(({ live }) => live !== undefined)) {
      await sessions.endAll(readText(item, 'account_id'));
      accounts += 1;
    }
  }
  return accounts;
}

async function removeOperators({ client, current, restored, clock }: AccessComparison): Promise<number> {
  const operators = createOperatorAccounts(client, restored.accounts, clock);
  const currentOperators = await createOperatorAccounts(client, current.accounts, clock).list();
  const ids = new Set(currentOperators.map(({ id }) => id));
  const removed = (await operators.list()).filter(({ id }) => !ids.has(id));
  for (const { id } of removed) await operators.remove(id);
  return removed.length;
}

async function removeIdentities(comparison: AccessComparison): Promise<number> {
  const { client, restored } = comparison;
  let removed = 0;
  for await (const [item, current] of restoredPairs(comparison, 'identities')) {
    if (isDeepStrictEqual(item.account_id, current?.account_id)) continue;
    await client.send(
      new DeleteItemCommand({ TableName: restored.identities, Key: keyIn(TABLES.identities, item) }),
    );
    removed += 1;
  }
  return removed;
}

/** The attributes of a subscription that determine who receives what. */
const DELIVERED = ['url', 'events', 'status'] as const;

/**
 * Disables what differs, and takes over the current secrets: the restored ones may have been rotated, or be sealed under a
 * key that nobody has any more.
 */
async function reduceWebhooks(comparison: AccessComparison): Promise<number> {
  const { client, restored } = comparison;
  let disabled = 0;
  for await (const [item, current] of restoredPairs(comparison, 'webhooks')) {
    // The count of an account's webhooks has no secret.
    const { status, secret, replaced } = item;
    if (status === undefined || secret === undefined || replaced === undefined) continue;
    const isSame = DELIVERED.every((name) => isDeepStrictEqual(item[name], current?.[name]));
    const after = {
      ':status': isSame ? status : text('disabled'),
      ':secret': current?.secret ?? secret,
      ':replaced': current?.replaced ?? replaced,
    };
    if (isDeepStrictEqual(Object.values(after), [status, secret, replaced])) continue;
    await client.send(
      new UpdateItemCommand({
        TableName: restored.webhooks,
        Key: keyIn(TABLES.webhooks, item),
        UpdateExpression: 'SET #status = :status, secret = :secret, replaced = :replaced',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: after,
      }),
    );
    if (status.S === 'active' && !isSame) disabled += 1;
  }
  return disabled;
}

/** Yields each item of a restored table with the current item of its key. */
const restoredPairs = ({ client, current, restored }: AccessComparison, name: AccessTable) =>
  pairsOf(client, TABLES[name], { from: restored[name], other: current[name] });
