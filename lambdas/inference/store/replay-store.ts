/** Idempotency claims and sealed answers in DynamoDB; a large answer spills into further items. */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type Item, number, readNumber, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { splitBytes } from '../../platform/dynamodb/parts.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { putItem } from '../../platform/dynamodb/update-item.ts';
import { type Seal, seal, unseal } from '../../platform/system/sealing.ts';
import type { KeptAnswer, ReplayClaim, ReplayStore, StoredClaim } from '../core/idempotency/ports.ts';

export class DynamoReplayStore implements ReplayStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async claim(wanted: ReplayClaim, nowMs: number): Promise<'claimed' | StoredClaim> {
    const found = await putItem(this.#client, {
      TableName: this.#table,
      Item: encodeClaim(wanted),
      // Another call may take a dead call's claim, but never a streamed one's: its key is good for one call.
      ConditionExpression:
        'attribute_not_exists(replay_id) OR expires <= :now OR request_id = :request ' +
        'OR (#done = :no AND #stream = :no AND lease < :now_ms)',
      ExpressionAttributeNames: { '#done': 'done', '#stream': 'stream' },
      ExpressionAttributeValues: {
        ':now': number(Math.floor(nowMs / 1000)),
        ':now_ms': number(nowMs),
        ':request': text(wanted.requestId),
        ':no': { BOOL: false },
      },
    });
    return found === undefined ? 'claimed' : decodeClaim(found);
  }

  async find(id: string, nowMs: number): Promise<StoredClaim | undefined> {
    const item = await this.#read(id);
    const found = item === undefined ? undefined : decodeClaim(item);
    return found === undefined || found.expires <= nowMs / 1000 ? undefined : found;
  }

  async keep({ id, requestId, expires }: ReplayClaim, credential: string, answer: KeptAnswer): Promise<void> {
    const sealed = await seal(sealOf(credential, id), JSON.stringify(answer));
    const [first = sealed, ...others] = splitBytes(sealed);
    await Promise.all(
      others.map((part, index) =>
        this.#client.send(
          new PutItemCommand({
            TableName: this.#table,
            Item: {
              replay_id: text(partId(id, requestId, index + 1)),
              answer: { B: part },
              expires: number(expires),
            },
          }),
        ),
      ),
    );
    await this.#client.send(
      new UpdateItemCommand({
        ...this.#keyOf(id),
        UpdateExpression: 'SET #done = :yes, answer = :answer, parts = :parts',
        ConditionExpression: 'request_id = :request',
        ExpressionAttributeNames: { '#done': 'done' },
        ExpressionAttributeValues: {
          ':yes': { BOOL: true },
          ':answer': { B: first },
          ':parts': number(1 + others.length),
          ':request': text(requestId),
        },
      }),
    );
  }

  async open({ id, requestId }: StoredClaim, credential: string): Promise<KeptAnswer> {
    const first = await this.#read(id);
    if (first === undefined) throw new Error('the answer to replay is gone');
    const rest = Array.from({ length: readNumber(first, 'parts') - 1 }, (_, index) =>
      this.#read(partId(id, requestId, index + 1)),
    );
    const pieces = [first, ...(await Promise.all(rest))].map((item) => {
      const bytes = item?.answer?.B;
      if (bytes === undefined) throw new Error('a part of the answer to replay is gone');
      return bytes;
    });
    return JSON.parse(await unseal(sealOf(credential, id), Buffer.concat(pieces))) as KeptAnswer;
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

/** Under the caller's own API key, which the service keeps only a hash of: at rest nobody can read an answer. */
const sealOf = (credential: string, id: string): Seal => ({
  secret: credential,
  purpose: 'uis-replay-1',
  id,
});

/** Parts carry their call's id, so that a dead call's parts never mix with those of the one that took its claim. */
const partId = (id: string, requestId: string, index: number): string => `${id}#${requestId}#${index}`;

function encodeClaim(claim: ReplayClaim): Item {
  return {
    replay_id: text(claim.id),
    request_hash: text(claim.requestHash),
    request_id: text(claim.requestId),
    stream: { BOOL: claim.stream },
    done: { BOOL: false },
    lease: number(claim.leaseMs),
    expires: number(claim.expires),
  };
}

function decodeClaim(item: Item): StoredClaim {
  return {
    id: readText(item, 'replay_id'),
    requestHash: readText(item, 'request_hash'),
    requestId: readText(item, 'request_id'),
    stream: item.stream?.BOOL === true,
    done: item.done?.BOOL === true,
    leaseMs: readNumber(item, 'lease'),
    expires: readNumber(item, 'expires'),
  };
}
