import { describe, expect, it } from '@jest/globals';
import { openAccount as openListedAccount } from '../../../tools/bench/harness/service/account.ts';
import { NO_COST } from '../../access/core/keys/key-leases.ts';
import { windowsAt } from '../../access/core/keys/windows.ts';
import { systemUlid } from '../../platform/system/system.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { NO_EARNINGS } from '../core/audit/no-earnings.ts';
import { Recovery } from '../core/recovery.ts';
import { hostOptions, newCall, openHost } from '../testing/leases/running-host.ts';
import { callOf, ledgerOf, openAccount, outcomeOf, SILENT } from '../testing/running-ledger.ts';
import { createAudit } from './create-audit.ts';
import { createLedger } from './create-ledger.ts';

const database = fileDatabase();

const MANY = { rpm: 100_000 };

describe('leases on the real engine', () => {
  it('leave a ledger that is exact when a process dies, before its leases are recovered and after', async () => {
    const account = await openAccount(database.client, 1_000_000n, { ...MANY, daily_usd: 10_000n });
    const host = openHost(database);
    const admissions = await Promise.all(
      Array.from({ length: 8 }, () => host.ledger.admit(newCall(account.keys[0], 50n))),
    );
    // No tick charges these, because the process ends right after them.
    await Promise.all(admissions.slice(0, 5).map((admission) => admission.settle(outcomeOf(30n))));
    const atDeath = await ledgerOf(database.client, account);
    expect(atDeath.wallet.holds).toHaveLength(1);
    expect(atDeath.audit).toMatchObject({ exact: true });
    const { wallets, usage, keys } = createLedger(hostOptions(database));
    const clock = () => Date.now() + 30 * 60_000;
    const recovery = new Recovery({ keys, wallets, usage, clock, log: SILENT });
    expect(await recovery.recoverWallet(atDeath.wallet)).toEqual({ settled: 1, released: 0 });
    expect(await recovery.recoverWallet(atDeath.wallet)).toEqual({ settled: 0, released: 0 });
    const { wallet, audit } = await ledgerOf(database.client, account);
    expect(wallet).toMatchObject({ balance: 1_000_000n - 150n, holds: [] });
    expect(audit).toMatchObject({ exact: true });
    expect(await keys.read(account.keys[0].keyId)).toMatchObject({ dayLeft: 10_000n - 150n });
  });

  it('return at night to the caps of a key the amounts of a process that died before it took credit', async () => {
    const { environment } = database;
    const policy = { ...MANY, daily_usd: 10_000n };
    const { accountId, key } = await openListedAccount(database, environment, policy);
    const { keyId } = key;
    const expires = Math.floor(Date.now() / 1000) + 60;
    const { keys } = openHost(database);
    await keys.writeLease({
      leaseId: systemUlid(),
      keyId,
      windows: windowsAt(Date.now()),
      from: undefined,
      asks: true,
      change: 400n,
      requests: 4,
      tokens: 0,
      to: { keyId, amount: 400n, expires, sequence: 1, settled: NO_COST },
    });
    const repair = async (clock: () => number) => {
      const audit = createAudit({
        clients: database,
        environment,
        clock,
        log: SILENT,
        earnings: NO_EARNINGS,
      });
      await audit.repairCaps?.(accountId, Number.POSITIVE_INFINITY);
      return keys.read(keyId);
    };
    expect(await repair(Date.now)).toMatchObject({ dayLeft: 9_600n, leases: expect.anything() });
    const later = () => Date.now() + 120_000;
    const repaired = await repair(later);
    expect(repaired).toMatchObject({ dayLeft: 10_000n });
    expect(repaired).not.toHaveProperty('leases');
  });

  it('place a separate hold for a transcription, and for a call that arrived long before', async () => {
    const account = await openAccount(database.client, 1_000n, MANY);
    const { ledger, close } = openHost(database);
    const [key] = account.keys;
    const audio = {
      ...newCall(account.keys[0], 50n),
      scope: { kind: 'audio' as const, models: [['sim/audio']] },
    };
    const old = callOf(key, 50n, { atMs: Date.now() - 90_000 });
    for (const call of [audio, old]) {
      const admission = await ledger.admit(call);
      expect(admission.held).toBeDefined();
      await admission.settle(outcomeOf(10n));
    }
    await close();
    expect((await ledgerOf(database.client, account)).wallet).toMatchObject({ balance: 980n, holds: [] });
  });
});
