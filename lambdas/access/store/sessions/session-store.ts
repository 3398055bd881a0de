/**
 * The live sessions of each account, in one item: a set of ids with their ends. One write starts a session, ends it or
 * ends all. One read checks if a session is live. The size of the set bounds their number under every race.
 */
import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type Item, number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../../platform/dynamodb/reads.ts';
import { updateItem } from '../../../platform/dynamodb/update-item.ts';
import { LONGEST_SESSION_SECONDS, type Session, type SessionStore } from '../../core/sessions/session.ts';

/** An account's item outlives its last session by a day, for clocks that differ. */
const RETENTION_SECONDS = LONGEST_SESSION_SECONDS + 86_400;

/** Each further attempt means that sessions have expired, or that other sessions have started meanwhile. */
const MAX_ATTEMPTS = 5;

const HAS_CAPACITY = 'attribute_not_exists(live) OR size(live) < :most';

/** In the same write that enters the next: a sign-out before it leaves nothing to follow. */
const FOLLOWING = '(contains(live, :previous) AND size(live) < :most)';

interface Entering {
  readonly session: Session;
  readonly maxSessions: number;
  readonly nowSeconds: number;
  /** The one that it follows, which must be live. */
  readonly previous: Session | undefined;
}

export class DynamoSessionStore implements SessionStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async start(
    session: Session,
    maxSessions: number,
    nowSeconds: number,
    previous?: Session,
  ): ReturnType<SessionStore['start']> {
    let first = 1;
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const live = await this.#enter({ session, maxSessions, nowSeconds, previous });
      if (live === 'entered') return 'started';
      if (previous !== undefined && !live.includes(entryOf(previous))) return 'ended';
      const over = live.filter((entry) => endOf(entry) <= nowSeconds);
      if (over.length === 0) {
        first = Math.max(1, Math.min(...live.map(endOf)) - nowSeconds);
        if (live.length >= maxSessions) return first;
      } else await this.#remove(session.accountId, over);
    }
    return first;
  }

  async isLive(session: Session): Promise<boolean> {
    const item = await readItem(this.#client, this.#key(session.accountId));
    return item?.live?.SS?.includes(entryOf(session)) === true;
  }

  end(session: Session): Promise<void> {
    return this.#remove(session.accountId, [entryOf(session)]);
  }

  async endAll(accountId: string): Promise<void> {
    await this.#client.send(
      new UpdateItemCommand({ ...this.#key(accountId), UpdateExpression: 'REMOVE live' }),
    );
  }

  /** The live ones, when there are as many as there may be. Repeating it enters the same one. */
  async #enter({
    session,
    maxSessions,
    nowSeconds,
    previous,
  }: Entering): Promise<'entered' | readonly string[]> {
    const entry = entryOf(session);
    const { applied, item } = await updateItem(this.#client, {
      ...this.#key(session.accountId),
      UpdateExpression: 'SET expires = :kept ADD live :entry',
      ConditionExpression: `${previous === undefined ? HAS_CAPACITY : FOLLOWING} OR contains(live, :name)`,
      ExpressionAttributeValues: {
        ':entry': { SS: [entry] },
        ':name': text(entry),
        ':most': number(maxSessions),
        ':kept': number(nowSeconds + RETENTION_SECONDS),
        ...(previous === undefined ? {} : { ':previous': text(entryOf(previous)) }),
      },
    });
    return applied ? 'entered' : (item?.live?.SS ?? []);
  }

  async #remove(accountId: string, entries: readonly string[]): Promise<void> {
    await this.#client.send(
      new UpdateItemCommand({
        ...this.#key(accountId),
        UpdateExpression: 'DELETE live :entries',
        ExpressionAttributeValues: { ':entries': { SS: [...entries] } },
      }),
    );
  }

  #key(accountId: string) {
    const key: Item = { account_id: text(accountId) };
    return { TableName: this.#table, Key: key };
  }
}

const entryOf = ({ id, expires }: Session): string => `${expires}#${id}`;
const endOf = (entry: string): number => Number.parseInt(entry, 10);
