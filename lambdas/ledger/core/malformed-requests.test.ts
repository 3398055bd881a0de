import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { PEPPERS, type Service, type SurfaceName, startService } from '../../../test/fuzz/running-service.ts';
import { fuzz } from '../../../test/fuzz/spoiled-requests.ts';
import { VALID } from '../../../test/fuzz/valid-requests.ts';
import { Wire } from '../../../test/fuzz/wire.ts';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { formatKey } from '../../access/core/api-key.ts';
import { DynamoReplayStore } from '../../inference/store/replay-store.ts';
import { systemClock } from '../../platform/system/system.ts';
import { ledgerOf, openAccount, openLedger, secretOf, type TestAccount } from '../testing/running-ledger.ts';

/** The number of requests for each surface. */
const REQUESTS = 60;

/** Answers of each kind that the upstream works out. */
const RESPONSES = 20;

/** The number of requests at the same time, each on a separate wallet. */
const LANES = 6;

/** Rates that no fuzz reaches, and credit that it may. */
const POLICY = { rpm: 1_000_000_000 };
const CREDIT = 1_000_000_000_000n;

let database: TestDatabase;
let service: Service;
let accounts: readonly TestAccount[];

beforeAll(async () => {
  database = await startDatabase();
  const store = new DynamoReplayStore(database.client, database.tables.replays);
  const till = { ...openLedger({ clients: database, clock: systemClock }), store };
  service = await startService(till, new Wire(RESPONSES));
  accounts = await Promise.all(
    Array.from({ length: LANES }, () => openAccount(database.client, CREDIT, POLICY)),
  );
});
afterAll(async () => {
  await service.stop();
  await database.stop();
});

const credentialOf = ({ accountId, keys: [{ keyId }] }: TestAccount): string =>
  formatKey({ accountId, keyId, secret: secretOf(keyId) }, PEPPERS);

describe.each(Object.keys(VALID) as SurfaceName[])('malformed requests to %s', (name) => {
  it('leave no hold, and a ledger that balances to the nano-dollar', async () => {
    const credentials = accounts.map(credentialOf);
    const { faults, statuses } = await fuzz(service, name, { requests: REQUESTS, credentials });
    expect(faults.slice(0, 5)).toEqual([]);
    expect(statuses).toMatchObject({ 200: expect.any(Number), 400: expect.any(Number) });
    for (const account of accounts) {
      const { wallet, audit } = await ledgerOf(database.client, account);
      expect(wallet.holds).toEqual([]);
      expect(audit).toMatchObject({ exact: true, drift: 0n, held: 0n });
    }
  });
});
