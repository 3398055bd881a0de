import { beforeAll, describe, expect, it } from '@jest/globals';
import { captureLines } from '../../../tools/test-kit/captured-lines.ts';
import { createKeyGate } from '../../access/store/keys/key-store.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { callOf, ledgerOf, openAccount, outcomeOf, SILENT } from '../testing/running-ledger.ts';
import { createLedger } from './create-ledger.ts';

const database = fileDatabase();
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  environment = { ...database.environment, HOLD_TTL_SECONDS: '1200' };
});

describe('the ledger of a function', () => {
  it('uses the tables of its environment and the clock of the machine, and records a metric of the call', async () => {
    const account = await openAccount(database.client, 1_000n, {});
    const { ledger } = createLedger({ clients: database, environment, log: SILENT });
    const seconds = () => Math.floor(Date.now() / 1000);
    const earliest = seconds();
    const { held, settle } = await ledger.admit(callOf(account.keys[0], 500n));
    const createdAt = (held?.hold.expires ?? 0) - 1200;
    expect([createdAt >= earliest, createdAt <= seconds()]).toEqual([true, true]);
    const printed = captureLines();
    await settle(outcomeOf(300n));
    printed.restore();
    expect(printed.lines).toEqual([expect.stringContaining('"CallsSettled":1')]);
    expect((await ledgerOf(database.client, account)).audit).toMatchObject({ exact: true, balances: 700n });
  });

  it.each(['KEYS_TABLE', 'WALLETS_TABLE', 'USAGE_TABLE', 'HOLD_TTL_SECONDS'])(
    'fails with an error that names %s if the variable is missing',
    (name) => {
      const { [name]: _missing, ...rest } = environment;
      expect(() => createLedger({ clients: database, environment: rest, log: SILENT })).toThrow(name);
    },
  );

  it.each(['0', '-1', '1.5', 'soon'])('rejects a hold lifetime of %p seconds', (seconds) => {
    const wrong = { ...environment, HOLD_TTL_SECONDS: seconds };
    expect(() => createLedger({ clients: database, environment: wrong, log: SILENT })).toThrow(
      'HOLD_TTL_SECONDS',
    );
  });

  it('requires only the table of keys for the key gate', async () => {
    const account = await openAccount(database.client, 0n, {});
    const { gate } = createKeyGate({ clients: database, environment: { KEYS_TABLE: database.tables.keys } });
    expect((await gate.touch(account.keys[0])).state.requestsLeft).toBe(99);
  });
});
