/** Idempotency claims and sealed responses in DynamoDB. A large response is split over further items. */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type Item, number, readNumber, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { splitBytes } from '../../platform/dynamodb/parts.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { putItem, updateItem } from '../../platform/dynamodb/update-item.ts';
import { type Seal, seal, unseal } from '../../platform/system/sealing.ts';
import type { ReplayClaim, ReplayStore, StoredClaim, StoredResponse } from '../core/idempotency/ports.ts';

export class DynamoReplayStore implements ReplayStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async claim(
    claim: ReplayClaim,
    { nowMs, claimedUntilMs }: Parameters<ReplayStore['claim']>[1],
  ): Promise<'claimed' | StoredClaim> {
    const storedItem = await putItem(this.#client, {
      TableName: this.#table,
      Item: encodeClaim({ ...claim, claimedUntilMs, isDone: false }),
      // Another call may take a crashed call's claim, but never a streamed call's: its key is valid for one call. A
      // repeated request of this claim that arrives late never replaces the stored response.
      ConditionExpression:
        'attribute_not_exists(replay_id) OR expires <= :now ' +
        'OR (#done = :no AND (request_id = :request OR (#stream = :no AND claimed_until < :now_ms)))',
      ExpressionAttributeNames: { '#done': 'done', '#stream': 'stream' },
      ExpressionAttributeValues: {
        ':now': number(Math.floor(nowMs / 1000)),
        ':now_ms': number(nowMs),
        ':request': text(claim.requestId),
        ':no': { BOOL: false },
      },
    });
    return storedItem === undefined ? 'claimed' : decodeClaim(storedItem);
  }

  async renew({ id, requestId }: ReplayClaim, claimedUntilMs: number): Promise<boolean> {
    const { applied } = await updateItem(this.#client, {
      ...this.#keyOf(id),
      UpdateExpression: 'SET claimed_until = :until',
      ConditionExpression: 'request_id = :request AND #done = :no',
      ExpressionAttributeNames: { '#done': 'done' },
      ExpressionAttributeValues: {
        ':until': number(claimedUntilMs),
        ':request': text(requestId),
        ':no': { BOOL: false },
      },
    });
    return applied;
  }

  async read(id: string, nowMs: number): Promise<StoredClaim | undefined> {
    const item = await this.#read(id);
    const claim = item === undefined ? undefined : decodeClaim(item);
    return claim === undefined || claim.expires <= nowMs / 1000 ? undefined : claim;
  }

  async storeResponse(
    { id, requestId, expires }: ReplayClaim,
    credential: string,
    response: StoredResponse,
  ): Promise<boolean> {
    const sealed = await seal(sealOf(credential, id), JSON.stringify(response));
    const [first = sealed, ...otherFragments] = splitBytes(sealed);
    await Promise.all(
      otherFragments.map((fragment, index) =>
        this.#client.send(
          new PutItemCommand({
            TableName: this.#table,
            Item: {
              replay_id: text(partId(id, requestId, index + 1)),
              answer: { B: fragment },
              expires: number(expires),
            },
          }),
        ),
      ),
    );
    const { applied } = await updateItem(this.#client, {
      ...this.#keyOf(id),
      UpdateExpression: 'SET #done = :yes, answer = :answer, parts = :parts',
      ConditionExpression: 'request_id = :request',
      ExpressionAttributeNames: { '#done': 'done' },
      ExpressionAttributeValues: {
        ':yes': { BOOL: true },
        ':answer': { B: first },
        ':parts': number(1 + otherFragments.length),
        ':request': text(requestId),
      },
    });
    return applied;
  }

  async open({ id, requestId }: StoredClaim, credential: string): Promise<StoredResponse> {
    const first = await this.#read(id);
    if (first === undefined) throw new Error('the response to replay is gone');
    const rest = Array.from({ length: readNumber(first, 'parts') - 1 }, (_, index) =>
      this.#read(partId(id, requestId, index + 1)),
    );
    const fragments = [first, ...(await Promise.all(rest))].map((item) => {
      const bytes = item?.answer?.B;
      if (bytes === undefined) throw new Error('a fragment of the response to replay is gone');
      return bytes;
    });
    return JSON.parse(await unseal(sealOf(credential, id), Buffer.concat(fragments))) as StoredResponse;
  }

  async free({ id, requestId }: ReplayClaim): Promise<void> {
    try {
      await this.#client.send(
        new DeleteItemCommand({
          ...this.#keyOf(id),
          ConditionExpression: 'request_id = :request AND #done = :no',
          ExpressionAttributeNames: { '#done': 'done' },
          ExpressionAttributeValues: { ':request': text(requestId), ':no': { BOOL: false } },
        }),
      );
    } catch (failure) {
      if (!(failure instanceof ConditionalCheckFailedException)) throw failure;
    }
  }

  async #read(id: string): Promise<Item | undefined> {
    return readItem(this.#client, this.#keyOf(id));
  }

  #keyOf(id: string) {
    return { TableName: this.#table, Key: { replay_id: text(id) } };
  }
}

/**
 * Seals under the caller's API key. The service stores only a hash of that key, so stored responses cannot be decrypted
 * without it.
 */
const sealOf = (credential: string, id: string): Seal => ({
  secret: credential,
  purpose: 'uis-replay-1',
  id,
});

/**
 * Returns the id of a fragment. It contains the call's id, so that fragments of a crashed call never mix with those of
 * the call that took its claim.
 */
const partId = (id: string, requestId: string, index: number): string => `${id}#${requestId}#${index}`;

function encodeClaim(claim: StoredClaim): Item {
  return {
    replay_id: text(claim.id),
    request_hash: text(claim.requestHash),
    request_id: text(claim.requestId),
    stream: { BOOL: claim.stream },
    done: { BOOL: claim.isDone },
    claimed_until: number(claim.claimedUntilMs),
    expires: number(claim.expires),
  };
}

function decodeClaim(item: Item): StoredClaim {
  return {
    id: readText(item, 'replay_id'),
    requestHash: readText(item, 'request_hash'),
    requestId: readText(item, 'request_id'),
    stream: item.stream?.BOOL === true,
    isDone: item.done?.BOOL === true,
    claimedUntilMs: readNumber(item, 'claimed_until'),
    expires: readNumber(item, 'expires'),
  };
}
