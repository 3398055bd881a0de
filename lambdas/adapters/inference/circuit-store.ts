/** Circuits of failing routes in DynamoDB: a few small items a route, gone when nobody has written it for a while. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { ACCOUNT_HASH_LENGTH } from '../../core/inference/circuit/call-circuits.ts';
import type { Bucket } from '../../core/inference/circuit/call-window.ts';
import { type Circuit, type Claim, closedCircuit, type Mark } from '../../core/inference/circuit/circuit.ts';
import type { CircuitStore } from '../../core/inference/circuit/circuit-cache.ts';
import { type Item, map, number, readNumber, readText, text } from '../dynamodb/attribute-values.ts';

/** A circuit says nothing for longer than a window, a cooldown or the longest call; an hour is far beyond all three. */
const TTL_SECONDS = 3_600;

export class DynamoCircuitStore implements CircuitStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** Reads the whole table, eventually consistent: it holds routes in trouble only. */
  async load(): Promise<readonly Circuit[]> {
    const circuits: Circuit[] = [];
    for await (const { Items = [] } of paginateScan({ client: this.#client }, { TableName: this.#table }))
      circuits.push(...Items.map(decode));
    return circuits;
  }

  async save(circuit: Circuit): Promise<Circuit> {
    const isFirst = circuit.version === 1;
    try {
      await this.#client.send(
        new PutItemCommand({
          TableName: this.#table,
          Item: encode(circuit),
          ConditionExpression: isFirst ? 'attribute_not_exists(route_id)' : 'version = :before',
          ...(isFirst ? {} : { ExpressionAttributeValues: { ':before': number(circuit.version - 1) } }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return circuit;
    } catch (failure) {
      if (!(failure instanceof ConditionalCheckFailedException)) throw failure;
      return failure.Item === undefined ? closedCircuit(circuit.id) : decode(failure.Item);
    }
  }
}

function encode(circuit: Circuit): Item {
  const { account, buckets, failed, limited, openUntilMs, probe, probers, sinceMs, coolUntilMs } = circuit;
  const lastCallMs = buckets.at(-1)?.startMs ?? 0;
  const limitsMs = limited.map(({ atMs }) => atMs);
  const lastMs = Math.max(openUntilMs, probe?.untilMs ?? 0, sinceMs, coolUntilMs, lastCallMs, ...limitsMs);
  return {
    route_id: text(circuit.id),
    ...(account === undefined ? {} : { account: text(account) }),
    version: number(circuit.version),
    writers: { L: circuit.writers.map(text) },
    stretches: { L: buckets.map(encodeBucket) },
    ...(failed.length === 0 ? {} : { failed: { L: failed.map(encodeMark) } }),
    ...(limited.length === 0 ? {} : { limited: { L: limited.map(encodeMark) } }),
    open_until_ms: number(openUntilMs),
    ...(probe === undefined ? {} : { probe: encodeClaim(probe) }),
    ...(probers.length === 0 ? {} : { probers: { L: probers.map(text) } }),
    since_ms: number(sinceMs),
    cool_until_ms: number(coolUntilMs),
    expires: number(Math.ceil(lastMs / 1000) + TTL_SECONDS),
  };
}

const encodeBucket = ({ startMs, failures, successes, assumed }: Bucket) =>
  map({
    start_ms: number(startMs),
    failures: number(failures),
    successes: number(successes),
    benefit: number(assumed),
  });

/** The account, and the time in as few characters. */
const encodeMark = ({ account, atMs }: Mark) => text(`${account}${atMs.toString(36)}`);

const encodeClaim = ({ id, untilMs }: Claim) => map({ id: text(id), until_ms: number(untilMs) });

function decode(item: Item): Circuit {
  const probe = item.probe?.M;
  return {
    id: readText(item, 'route_id'),
    account: item.account?.S,
    version: readNumber(item, 'version'),
    writers: readTexts(item, 'writers'),
    buckets: readList(item, 'stretches').map(({ M: bucket = {} }) => ({
      startMs: readNumber(bucket, 'start_ms'),
      failures: readNumber(bucket, 'failures'),
      successes: readNumber(bucket, 'successes'),
      assumed: readNumber(bucket, 'benefit'),
    })),
    failed: readMarks(item, 'failed'),
    limited: readMarks(item, 'limited'),
    openUntilMs: readNumber(item, 'open_until_ms'),
    probe: probe && { id: readText(probe, 'id'), untilMs: readNumber(probe, 'until_ms') },
    probers: readTexts(item, 'probers'),
    sinceMs: readNumber(item, 'since_ms'),
    coolUntilMs: readNumber(item, 'cool_until_ms'),
  };
}

/** Items of earlier versions have fewer lists. */
const readList = (item: Item, name: string) => item[name]?.L ?? [];

const readTexts = (item: Item, name: string) => readList(item, name).flatMap(({ S }) => S ?? []);

const readMarks = (item: Item, name: string): Mark[] =>
  readTexts(item, name).map((mark) => ({
    account: mark.slice(0, ACCOUNT_HASH_LENGTH),
    atMs: Number.parseInt(mark.slice(ACCOUNT_HASH_LENGTH), 36),
  }));
