/** Circuits of failing routes in DynamoDB: one item a route, gone when nobody has written it for a while. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  PutItemCommand,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { closedCircuits, type RouteCircuits, spentMs } from '../../core/inference/circuit/circuit.ts';
import type { CircuitStore } from '../../core/inference/circuit/circuit-cache.ts';
import { type Item, number, readNumber, readText, text } from '../dynamodb/attribute-values.ts';

/** After the item's last time; far beyond the longest call. */
const TTL_SECONDS = 3_600;

export class DynamoCircuitStore implements CircuitStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** Reads the whole table, eventually consistent: it holds failing routes only. */
  async load(): Promise<readonly RouteCircuits[]> {
    const routes: RouteCircuits[] = [];
    for await (const { Items = [] } of paginateScan({ client: this.#client }, { TableName: this.#table }))
      routes.push(...Items.map(decode).filter(({ version }) => version > 0));
    return routes;
  }

  async save(route: RouteCircuits): Promise<RouteCircuits> {
    const isFirst = route.version === 1;
    try {
      await this.#client.send(
        new PutItemCommand({
          TableName: this.#table,
          Item: encode(route),
          // An item of an earlier format has no circuits.
          ConditionExpression: isFirst ? 'attribute_not_exists(circuits)' : 'version = :before',
          ...(isFirst ? {} : { ExpressionAttributeValues: { ':before': number(route.version - 1) } }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return route;
    } catch (failure) {
      if (!(failure instanceof ConditionalCheckFailedException)) throw failure;
      return failure.Item === undefined ? closedCircuits(route.id) : decode(failure.Item);
    }
  }
}

const encode = ({ id, version, ...circuits }: RouteCircuits): Item => ({
  route_id: text(id),
  version: number(version),
  circuits: text(JSON.stringify(circuits)),
  expires: number(Math.ceil(spentMs(circuits) / 1000) + TTL_SECONDS),
});

function decode(item: Item): RouteCircuits {
  const id = readText(item, 'route_id');
  const circuits = item.circuits?.S;
  return circuits === undefined
    ? closedCircuits(id)
    : { id, version: readNumber(item, 'version'), ...JSON.parse(circuits) };
}
