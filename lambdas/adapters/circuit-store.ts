/** Circuits of failing routes in DynamoDB: one small item a route, gone when nobody has written it for a while. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { type Circuit, type Claim, closedCircuit, type Stretch } from '../core/inference/circuit.ts';
import type { CircuitStore } from '../core/inference/known-circuits.ts';
import { type Item, map, number, readNumber, readText, text } from './attribute-values.ts';

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
      return failure.Item === undefined ? closedCircuit(circuit.routeId) : decode(failure.Item);
    }
  }
}

function encode(circuit: Circuit): Item {
  const { routeId, version, writers, stretches, openUntilMs, probe, sinceMs, coolUntilMs } = circuit;
  const lastCallMs = stretches.at(-1)?.startMs ?? 0;
  const lastMs = Math.max(openUntilMs, probe?.untilMs ?? 0, sinceMs, coolUntilMs, lastCallMs);
  return {
    route_id: text(routeId),
    version: number(version),
    writers: { L: writers.map(text) },
    stretches: { L: stretches.map(encodeStretch) },
    open_until_ms: number(openUntilMs),
    ...(probe === undefined ? {} : { probe: encodeClaim(probe) }),
    since_ms: number(sinceMs),
    cool_until_ms: number(coolUntilMs),
    expires: number(Math.ceil(lastMs / 1000) + TTL_SECONDS),
  };
}

const encodeStretch = ({ startMs, failures, successes, benefit }: Stretch) =>
  map({
    start_ms: number(startMs),
    failures: number(failures),
    successes: number(successes),
    benefit: number(benefit),
  });

const encodeClaim = ({ id, untilMs }: Claim) => map({ id: text(id), until_ms: number(untilMs) });

function decode(item: Item): Circuit {
  const probe = item.probe?.M;
  return {
    routeId: readText(item, 'route_id'),
    version: readNumber(item, 'version'),
    writers: readList(item, 'writers').flatMap(({ S }) => S ?? []),
    stretches: readList(item, 'stretches').map(({ M = {} }) => ({
      startMs: readNumber(M, 'start_ms'),
      failures: readNumber(M, 'failures'),
      successes: readNumber(M, 'successes'),
      benefit: readNumber(M, 'benefit'),
    })),
    openUntilMs: readNumber(item, 'open_until_ms'),
    probe: probe && { id: readText(probe, 'id'), untilMs: readNumber(probe, 'until_ms') },
    sinceMs: readNumber(item, 'since_ms'),
    coolUntilMs: readNumber(item, 'cool_until_ms'),
  };
}

const readList = (item: Item, name: string) => item[name]?.L ?? [];
