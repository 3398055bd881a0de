/** Alerts in DynamoDB: an item for each account, all in one partition, so that the sweep reads no other accounts. */
import { type DynamoDBClient, paginateQuery, type UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { createEventPublisher } from '../../platform/aws/event-publisher.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Clock, Log } from '../../platform/core/ports.ts';
import type { StageCheck } from '../../platform/core/stage-check.ts';
import {
  type Item,
  number,
  readInteger,
  readNumber,
  readText,
  text,
} from '../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { updateItem } from '../../platform/dynamodb/update-item.ts';
import { systemUlid } from '../../platform/system/system.ts';
import { type AlertsDependencies, sweepAlerts } from '../core/alerts/alerts.ts';
import type {
  AccountAlerts,
  AccountCredit,
  AlertStore,
  AlertThresholds,
  MoneyEvent,
} from '../core/alerts/ports.ts';
import { receivedBy } from '../core/credit-shortage.ts';
import { createUsageReader } from './usage/credit-history.ts';
import { dayOf, toWallet } from './wallet/item.ts';
import { WalletReads } from './wallet/reads.ts';

const PREFIX = 'alerts#';

/** Accounts that the sweep visits at once: each takes up to four reads. */
const PAGE = 50;

/** The start of the attributes with events to be published. */
const EVENT = 'event#';

const namesOf = ({ id }: MoneyEvent) => ({ ExpressionAttributeNames: { '#event': `${EVENT}${id}` } });

const encodeEvent = (event: MoneyEvent) => text(JSON.stringify(event));

function decodeAlerts(item: Item): AccountAlerts {
  return {
    accountId: readText(item, 'item').slice(PREFIX.length),
    lowUsd: item.low_usd?.N === undefined ? undefined : readInteger(item, 'low_usd'),
    lowDays: item.low_days?.N === undefined ? undefined : readNumber(item, 'low_days'),
    turns: item.turns === undefined ? 0 : readNumber(item, 'turns'),
    unpublished: Object.keys(item)
      .filter((name) => name.startsWith(EVENT))
      .map((name) => JSON.parse(readText(item, name)) as MoneyEvent),
  };
}

export class DynamoAlertStore implements AlertStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async get(accountId: string): Promise<AccountAlerts> {
    const key = this.#key(accountId);
    return decodeAlerts((await readItem(this.#client, key)) ?? key.Key);
  }

  async setThresholds(accountId: string, { lowUsd, lowDays }: AlertThresholds): Promise<void> {
    const thresholdOf = (value: bigint | number | undefined) =>
      value === undefined ? { NULL: true as const } : number(value);
    await this.#update(accountId, {
      UpdateExpression: 'SET low_usd = :usd, low_days = :days',
      ExpressionAttributeValues: { ':usd': thresholdOf(lowUsd), ':days': thresholdOf(lowDays) },
    });
  }

  async *pages(): AsyncGenerator<readonly AccountAlerts[], void> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#table,
        KeyConditionExpression: 'account_id = :alerts',
        ExpressionAttributeValues: { ':alerts': text('alerts') },
        Limit: PAGE,
      },
    );
    for await (const { Items: items = [] } of pages) yield items.map(decodeAlerts);
  }

  turn({ accountId, turns }: AccountAlerts, event?: MoneyEvent): Promise<boolean> {
    const isFirst = turns === 0;
    return this.#update(accountId, {
      UpdateExpression: `SET turns = :next${event === undefined ? '' : ', #event = :event'}`,
      ConditionExpression: isFirst ? 'attribute_not_exists(turns)' : 'turns = :turns',
      ...(event === undefined ? {} : namesOf(event)),
      ExpressionAttributeValues: {
        ':next': number(turns + 1),
        ...(isFirst ? {} : { ':turns': number(turns) }),
        ...(event === undefined ? {} : { ':event': encodeEvent(event) }),
      },
    });
  }

  exhaust(event: MoneyEvent, received: NanoUsd): Promise<boolean> {
    return this.#update(event.accountId, {
      UpdateExpression: 'SET exhausted = :received, #event = :event',
      ConditionExpression: 'attribute_not_exists(exhausted) OR exhausted < :received',
      ...namesOf(event),
      ExpressionAttributeValues: { ':received': number(received), ':event': encodeEvent(event) },
    });
  }

  async markPublished(event: MoneyEvent): Promise<void> {
    await this.#update(event.accountId, { UpdateExpression: 'REMOVE #event', ...namesOf(event) });
  }

  async #update(accountId: string, input: Omit<UpdateItemCommandInput, 'TableName' | 'Key'>) {
    return (await updateItem(this.#client, { ...this.#key(accountId), ...input })).applied;
  }

  #key(accountId: string) {
    return {
      TableName: this.#table,
      Key: { account_id: text('alerts'), item: text(`${PREFIX}${accountId}`) },
    };
  }
}

export interface CreditReaderOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface AlertOptions extends CreditReaderOptions {
  readonly log: Log;
  readonly stage: Pick<StageCheck, 'layoutOf'>;
}

/** Throws an error that names a variable that is not set. */
export const createAlerts = ({ clients, environment, log, stage }: AlertOptions): AlertsDependencies => ({
  store: new DynamoAlertStore(clients.client, requireTable(environment, 'accounts')),
  publish: createEventPublisher(clients.client, environment),
  isFinished: () => stage.layoutOf('accounts/alerts#') > 1,
  ulid: systemUlid,
  log,
});

/** Returns the reader of the credit of accounts. Throws an error that names a variable that is not set. */
export function createCreditReader({ clients: { client }, environment }: CreditReaderOptions, clock: Clock) {
  const wallets = new WalletReads(client, requireTable(environment, 'wallets'));
  const readUsage = createUsageReader(client, requireTable(environment, 'accounts'));
  return async (accountId: string, days: number): Promise<AccountCredit> => {
    const shards = await wallets.readAll(accountId);
    const wallet = toWallet(accountId, shards);
    const from = dayOf(clock() / 1000) - days + 1;
    const usage = days === 0 ? [] : (await readUsage(accountId, shards, from)).values();
    return {
      remaining: receivedBy(wallet) - wallet.spentAmount,
      spent: [...usage].reduce((sum, cost) => sum + cost, 0n),
    };
  };
}

/** Returns the sweep of alerts. Throws an error that names a variable that is not set. */
export function createAlertSweep(options: AlertOptions & { readonly clock: Clock }): () => Promise<void> {
  const dependencies = { ...createAlerts(options), readCredit: createCreditReader(options, options.clock) };
  return () => sweepAlerts(dependencies);
}
