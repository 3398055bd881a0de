import { afterAll, beforeAll } from '@jest/globals';
import { TABLE_VARIABLES } from '../../../tools/test-kit/database.ts';
import { DATABASE_TABLES, startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';

/** A database that runs while the tests of the file do; nothing of it can be read before they begin. */
export function fileDatabase(): TestDatabase {
  let running: TestDatabase | undefined;
  const database = (): TestDatabase => {
    if (running === undefined) throw new Error('the database is not running');
    return running;
  };
  beforeAll(async () => {
    running = await startDatabase();
  });
  afterAll(() => running?.stop());
  return {
    get client() {
      return database().client;
    },
    get onceClient() {
      return database().onceClient;
    },
    get endpoint() {
      return database().endpoint;
    },
    tables: DATABASE_TABLES,
    environment: TABLE_VARIABLES,
    stop: () => database().stop(),
  };
}
