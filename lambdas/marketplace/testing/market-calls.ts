/** Calls of accounts that buy and sell, and the recovery of those whose process died. */
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { hashSecret } from '../../access/core/keys/api-key.ts';
import { encodeNewKey } from '../../access/store/keys/key-item.ts';
import { createKeyStore } from '../../access/store/keys/key-store.ts';
import { isCallHold } from '../../ledger/core/ports.ts';
import { Recovery } from '../../ledger/core/recovery.ts';
import { createUsageStore } from '../../ledger/store/usage-store.ts';
import { createWalletStore } from '../../ledger/store/wallet/store.ts';
import { outcomeOf, SILENT } from '../../ledger/testing/running-ledger.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { NANO_PER_CENT } from '../../platform/core/money.ts';
import type { MarketDatabase, MarketWorld } from './market-world.ts';

const HOLD_SECONDS = 1_200;

const keyOf = (accountId: string): string => accountId.replace('acc', 'key');

export class MarketCalls {
  readonly #database: MarketDatabase;
  readonly #world: MarketWorld;

  constructor(database: MarketDatabase, world: MarketWorld) {
    this.#database = database;
    this.#world = world;
  }

  /** Gives an account the key of its calls. */
  async openKey(accountId: string): Promise<void> {
    const { client, tables } = this.#database;
    const secretHash = hashSecret(accountId);
    const key = { accountId, keyId: keyOf(accountId), secretHash, name: 'test', policy: {}, created: 0 };
    await client.send(new PutItemCommand({ TableName: tables.keys, Item: encodeNewKey(key) }));
  }

  /** A call that costs what is held for it, or nothing. */
  async make(
    accountId: string,
    { cents, isFree = false }: { readonly cents: number; readonly isFree?: boolean },
    clients: DynamoClients = this.#database,
  ): Promise<void> {
    const { tables } = this.#database;
    const { nowSeconds: created, ulid } = this.#world;
    const store = createWalletStore(clients, tables.wallets);
    const [id, amount] = [`req_${ulid()}`, BigInt(cents) * NANO_PER_CENT];
    const expires = created + HOLD_SECONDS;
    const hold = { id, keyId: keyOf(accountId), kind: 'chat', amount, expires } as const;
    const { granted, wallet } = await store.hold(accountId, hold);
    const placed = granted ? wallet.holds.filter(isCallHold).find((each) => each.id === id) : undefined;
    if (placed === undefined) return;
    const { excess, tokens, amount: cost, ...usage } = outcomeOf(isFree ? 0n : amount);
    const call = { id, keyId: hold.keyId, accountId, created, kind: hold.kind };
    await createUsageStore(clients.client, tables.usage).put({
      ...usage,
      ...call,
      cost,
      attempt: placed.attempt,
    });
    await store.endHold(accountId, { ...placed, cost, recorded: created });
  }

  /** Ends the expired holds of an account. */
  async recover(accountId: string): Promise<void> {
    const { tables, client } = this.#database;
    const clock = () => this.#world.nowSeconds * 1000;
    const wallets = createWalletStore(this.#database, tables.wallets);
    const keys = createKeyStore({ clients: this.#database, table: tables.keys, clock });
    const usage = createUsageStore(client, tables.usage);
    const wallet = await wallets.read(accountId);
    if (wallet !== undefined)
      await new Recovery({ keys, wallets, usage, clock, log: SILENT }).recoverWallet(wallet);
  }
}
