/**
 * Circuits as they were within the last second, for any number of processes. A process whose calls take longer than its
 * looks last looks at every call, and a scan of the table counts on the partitions that hold it: 3,000 read units a second
 * are 6,000 scans. So a look reads one of `COPIES` snapshots of the table by chance; who finds it old scans the table, and
 * one in `TAKERS` of those writes it anew. At 10,000 calls a second with two looks each, a snapshot of up to 4 KB takes
 * 20,000 / 16 * 0.5 = 625 units a second, its writes a few units, and the table a few hundred scans.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { RouteCircuits } from '../../core/inference/circuit/circuit.ts';
import type { CircuitStore } from '../../core/inference/circuit/circuit-cache.ts';
import type { Clock, RandomSource } from '../../core/ports.ts';
import { number, readNumber, text } from '../dynamodb/attribute-values.ts';
import { readRecentItem } from '../dynamodb/reads.ts';

export interface CircuitSnapshotsOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly store: CircuitStore;
  readonly clock: Clock;
  readonly random: RandomSource;
}

const COPIES = 16;
const TAKERS = 8;
const FRESH_MS = 1_000;
const TTL_SECONDS = 3_600;

/** `load` may lag a second behind the table; `save` goes to the table. */
export class CircuitSnapshots implements CircuitStore {
  readonly #options: CircuitSnapshotsOptions;

  constructor(options: CircuitSnapshotsOptions) {
    this.#options = options;
  }

  async load(): Promise<readonly RouteCircuits[]> {
    const { client, table, store, clock, random } = this.#options;
    // An item without circuits: a scan passes it over.
    const key = { route_id: text(`snapshot#${Math.floor(random() * COPIES)}`) };
    const item = await readRecentItem(client, { TableName: table, Key: key });
    const routes = item?.routes?.B;
    // Another process's clock may be ahead.
    if (
      item !== undefined &&
      routes !== undefined &&
      Math.abs(clock() - readNumber(item, 'taken')) < FRESH_MS
    )
      return JSON.parse((await promisify(gunzip)(routes)).toString()) as readonly RouteCircuits[];
    const takenMs = clock();
    const found = await store.load();
    if (random() < 1 / TAKERS) {
      const bytes = await promisify(gzip)(JSON.stringify(found));
      const content = { taken: number(takenMs), routes: { B: bytes } };
      const expires = number(Math.ceil(takenMs / 1000) + TTL_SECONDS);
      const put = new PutItemCommand({ TableName: table, Item: { ...key, ...content, expires } });
      // What was read is good without it.
      await client.send(put).catch(() => {});
    }
    return found;
  }

  save(route: RouteCircuits): Promise<RouteCircuits> {
    return this.#options.store.save(route);
  }
}
