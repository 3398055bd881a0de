/** The tables of a deployment in the engine, with expired items leaving them. */
import type { EventEmitter } from 'node:events';
import type { Assembly } from '../assembly/assembly.ts';
import { createEngineClient } from './client.ts';
import { ensureTables } from './tables.ts';
import { startTtlSweeper } from './ttl-sweeper.ts';

/** Makes the tables that are missing; resolves with what stops the upkeep of them. */
export async function startTables(
  tables: Assembly['tables'],
  endpoint: string,
  writes: EventEmitter,
  log: (line: string) => void,
): Promise<() => Promise<void>> {
  const client = createEngineClient(endpoint);
  await ensureTables(client, tables);
  const stopSweeper = startTtlSweeper({ client, tables, writes, log });
  return async () => {
    await stopSweeper();
    client.destroy();
  };
}
