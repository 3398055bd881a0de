/** Rankings in DynamoDB, one item per scope and window, computed from the counts of installs by day. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { number, text } from '../../../platform/dynamodb/attribute-values.ts';
import type {
  InstallBucket,
  Ranking,
  TrendingRank,
  TrendingScope,
  TrendingStore,
  TrendingWindow,
} from '../../core/discovery/trending.ts';
import { readDay } from '../listings/install-buckets.ts';

const PART = 'trending';

/** Days read at once: a month's in a few rounds, with no burst that a small table would feel. */
const PARALLEL_DAYS = 8;

export class DynamoTrendingStore implements TrendingStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  /** Counts of days that are over and will not change; an install takes seconds, so the day before today stays out. */
  readonly #past = new Map<number, readonly InstallBucket[]>();

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async counts(fromDay: number, toDay: number): Promise<readonly InstallBucket[]> {
    for (const day of this.#past.keys()) if (day < fromDay) this.#past.delete(day);
    const days = Array.from({ length: toDay - fromDay + 1 }, (_, index) => fromDay + index);
    const buckets: InstallBucket[] = [];
    for (let start = 0; start < days.length; start += PARALLEL_DAYS) {
      const group = days.slice(start, start + PARALLEL_DAYS);
      buckets.push(...(await Promise.all(group.map((day) => this.#day(day, toDay)))).flat());
    }
    return buckets;
  }

  async write(rankings: readonly Ranking[], rankedMs: number): Promise<void> {
    await Promise.all(rankings.map((ranking) => this.#write(ranking, rankedMs)));
  }

  async read(scope: TrendingScope, window: TrendingWindow): Promise<readonly TrendingRank[]> {
    const { Item: item } = await this.#client.send(
      new GetItemCommand({ TableName: this.#table, Key: keyOf(scope, window) }),
    );
    return item?.ranked?.S === undefined ? [] : (JSON.parse(item.ranked.S) as TrendingRank[]);
  }

  async #day(day: number, today: number): Promise<readonly InstallBucket[]> {
    const cachedBuckets = this.#past.get(day);
    if (cachedBuckets !== undefined) return cachedBuckets;
    const buckets = await readDay(this.#client, this.#table, day);
    if (day < today - 1) this.#past.set(day, buckets);
    return buckets;
  }

  async #write({ scope, window, ranked }: Ranking, rankedMs: number): Promise<void> {
    try {
      await this.#client.send(
        new PutItemCommand({
          TableName: this.#table,
          Item: {
            ...keyOf(scope, window),
            ranked: text(JSON.stringify(ranked)),
            ranked_ms: number(rankedMs),
          },
          ConditionExpression: 'attribute_not_exists(ranked_ms) OR ranked_ms <= :now',
          ExpressionAttributeValues: { ':now': number(rankedMs) },
        }),
      );
    } catch (failure) {
      if (!(failure instanceof ConditionalCheckFailedException)) throw failure;
    }
  }
}

const keyOf = (scope: TrendingScope, window: TrendingWindow) => ({
  part: text(PART),
  entry: text(`${scope}#${window}`),
});
