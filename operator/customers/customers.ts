/** Searches for the accounts and keys of a customer, by the data that a report of a problem contains. */
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import type { Account } from '../../lambdas/access/core/accounts/accounts.ts';
import { type Peppers, verifyKey } from '../../lambdas/access/core/keys/api-key.ts';
import {
  type KeyState,
  type MatchingSecret,
  matchingSecret,
} from '../../lambdas/access/core/keys/key-state.ts';
import { readAccount } from '../../lambdas/access/store/accounts/account-item.ts';
import type { DynamoKeyRegistry } from '../../lambdas/access/store/keys/key-registry.ts';
import type { EntryKind } from '../../lambdas/ledger/core/ledger-entry.ts';
import type { Wallet } from '../../lambdas/ledger/core/ports.ts';
import { decodeEntry, ENTRY_RANGE } from '../../lambdas/ledger/store/ledger-entry.ts';
import type { NanoUsd } from '../../lambdas/platform/core/money.ts';
import type { Clock } from '../../lambdas/platform/core/ports.ts';
import { type Item, readNumber, readText, text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { scanAccounts } from './operator-accounts.ts';

export interface CustomersOptions {
  readonly client: DynamoDBClient;
  readonly tables: { readonly accounts: string };
  readonly registry: Pick<DynamoKeyRegistry, 'find' | 'list'>;
  readonly peppers: () => Promise<Peppers>;
  /** Throws if there is no such account. */
  readonly wallet: (accountId: string) => Promise<Wallet>;
  readonly clock: Clock;
}

/** A key, and which of its secrets a text has; `undefined` for one that was replaced. */
export interface IssuedText {
  readonly key: KeyState;
  readonly secret: MatchingSecret | undefined;
}

/** An account as it is stored, with its wallet and its keys that are not revoked. */
export interface Customer {
  readonly account: Account;
  readonly wallet: Wallet;
  readonly keys: readonly KeyState[];
}

/** The options of which one names an account. */
export const REFERENCES = ['account', 'email', 'key'] as const;
export type AccountReference = Readonly<Record<(typeof REFERENCES)[number], string | undefined>>;

/** A ledger entry as an operator reads it. */
export interface StoredEntry {
  readonly id: string;
  readonly kind: EntryKind;
  readonly amount: NanoUsd;
  readonly created: number;
  readonly source: string;
  /** Null unless a command has recorded its caller. */
  readonly by: string | null;
  readonly reason: string | null;
}

function storedEntry(item: Item): StoredEntry {
  const { kind, amount } = decodeEntry(item);
  return {
    id: readText(item, 'item').slice(`${kind}#`.length),
    kind,
    amount,
    created: readNumber(item, 'created'),
    source: readText(item, 'source'),
    by: item.by?.S ?? null,
    reason: item.reason?.S ?? null,
  };
}

export function createCustomers({ client, tables, registry, peppers, wallet, clock }: CustomersOptions) {
  const sameAddress = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();

  async function accountsOf({ account, email, key }: AccountReference): Promise<readonly Account[]> {
    if (email !== undefined)
      return (await scanAccounts(client, tables.accounts, 'email')).filter((each) =>
        sameAddress(each.email ?? '', email),
      );
    const accountId = key === undefined ? account : (await registry.find(key))?.accountId;
    const found = accountId === undefined ? undefined : await readAccount(client, tables.accounts, accountId);
    return found === undefined ? [] : [found];
  }

  return {
    /** Returns the key of a text; undefined if this deployment has not issued the text, or does not store its key. */
    async keyOf(text: string): Promise<IssuedText | undefined> {
      const verified = verifyKey(text, await peppers());
      const key = verified && (await registry.find(verified.keyId));
      if (verified === undefined || key?.accountId !== verified.accountId) return undefined;
      return { key, secret: matchingSecret(key, verified.secretHash, clock()) };
    },
    /** Lists the keys of an account that are not revoked. Throws if there is no such account. */
    async keysOf(accountId: string): Promise<readonly KeyState[]> {
      await wallet(accountId);
      return registry.list(accountId);
    },
    /** Lists the ledger entries of an account, the oldest first. Throws if there is no such account. */
    async entriesOf(accountId: string): Promise<readonly StoredEntry[]> {
      await wallet(accountId);
      const entries: StoredEntry[] = [];
      const input = {
        TableName: tables.accounts,
        KeyConditionExpression: 'account_id = :account AND #item BETWEEN :first AND :last',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':account': text(accountId), ...ENTRY_RANGE },
      };
      for await (const { Items: items = [] } of paginateQuery({ client }, input))
        entries.push(...items.map(storedEntry));
      return entries.toSorted((a, b) => a.created - b.created);
    },
    /** Returns the accounts of an id, of a key, or of an address. By address the whole table of accounts is read. */
    async find(reference: AccountReference): Promise<readonly Customer[]> {
      const accounts = await accountsOf(reference);
      return Promise.all(
        accounts.map(async (account) => ({
          account,
          wallet: await wallet(account.id),
          keys: await registry.list(account.id),
        })),
      );
    },
  };
}
