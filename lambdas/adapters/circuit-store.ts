/** Circuits of failing routes in DynamoDB: one small item a route, gone when nobody has written it for a while. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import type { CircuitStore } from '../core/inference/breaker.ts';
import { type Circuit, closedCircuit } from '../core/inference/circuit.ts';
import { type Item, map, number, readNumber, readText, text } from './attribute-values.ts';

/** A circuit holds nothing for longer than a window or a cooldown; an hour is far beyond both and any clock's skew. */
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

  async save(circuit: Circuit, writer: string): Promise<'saved' | Circuit> {
    try {
      await this.#client.send(
        new PutItemCommand({
          TableName: this.#table,
          Item: { ...encode(circuit), writer: text(writer) },
          // The SDK repeats a request whose answer was lost: the writer knows its own item again.
          ConditionExpression:
            circuit.version === 1
              ? 'attribute_not_exists(route_id) OR writer = :writer'
              : 'version = :before OR writer = :writer',
          ExpressionAttributeValues: {
            ':writer': text(writer),
            ...(circuit.version === 1 ? {} : { ':before': number(circuit.version - 1) }),
          },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return 'saved';
    } catch (failure) {
      if (!(failure instanceof ConditionalCheckFailedException)) throw failure;
      return failure.Item === undefined ? closedCircuit(circuit.routeId) : decode(failure.Item);
    }
  }
}

function encode({ routeId, version, stretches, openUntilMs, probeUntilMs, coolUntilMs }: Circuit): Item {
  const lastMs = Math.max(openUntilMs, probeUntilMs, coolUntilMs, stretches.at(-1)?.startMs ?? 0);
  return {
    route_id: text(routeId),
    version: number(version),
    stretches: {
      L: stretches.map(({ startMs, failures, successes }) =>
        map({ start_ms: number(startMs), failures: number(failures), successes: number(successes) }),
      ),
    },
    open_until_ms: number(openUntilMs),
    probe_until_ms: number(probeUntilMs),
    cool_until_ms: number(coolUntilMs),
    expires: number(Math.ceil(lastMs / 1000) + TTL_SECONDS),
  };
}

function decode(item: Item): Circuit {
  return {
    routeId: readText(item, 'route_id'),
    version: readNumber(item, 'version'),
    stretches: (item.stretches?.L ?? []).map(({ M = {} }) => ({
      startMs: readNumber(M, 'start_ms'),
      failures: readNumber(M, 'failures'),
      successes: readNumber(M, 'successes'),
    })),
    openUntilMs: readNumber(item, 'open_until_ms'),
    probeUntilMs: readNumber(item, 'probe_until_ms'),
    coolUntilMs: readNumber(item, 'cool_until_ms'),
  };
}
