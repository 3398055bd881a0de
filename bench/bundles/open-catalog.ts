/** Reads a catalog and one model of it as a function does at its first call, and prints what that took. */
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { createDynamoClients } from '../../lambdas/adapters/aws/clients.ts';
import { createCatalogSource, readPointer } from '../../lambdas/adapters/inference/catalog-store.ts';
import { systemClock } from '../../lambdas/adapters/system/system.ts';
import { REGION } from '../../local/assembly/intrinsics.ts';
import { ENGINE_CREDENTIALS } from '../../local/dynamodb/client.ts';

const [endpoint = '', table = ''] = process.argv.slice(2);
const { client } = createDynamoClients({ endpoint, region: REGION, credentials: ENGINE_CREDENTIALS });
const log = { info: () => {}, warn: () => {}, error: () => {} };
const random = () => 0;
const source = createCatalogSource({ client, table, clock: systemClock, random, log });
// The connection and the client's own start are no part of the catalog.
const pointer = await readPointer(client, table);

const startedMs = performance.now();
const used = process.cpuUsage();
const catalog = await source();
const model = catalog.find('vendor-7/model-7-instruct');
const ms = performance.now() - startedMs;
const { user, system } = process.cpuUsage(used);
if (model === undefined) throw new Error('the catalog has no such model');

let stored = 0;
for (let part = 0; part < (pointer?.parts ?? 0); part += 1) {
  const key = { part: { S: `${pointer?.version}#${part}` } };
  const { Item: item } = await client.send(new GetItemCommand({ TableName: table, Key: key }));
  stored += item?.bytes?.B?.length ?? 0;
}
console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1_000, storedKb: stored / 1_000 }));
process.exit();
