import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Peppers } from '../../lambdas/access/core/keys/api-key.ts';
import { changeKey } from '../../lambdas/access/core/keys/api-keys.ts';
import { KeyIssuer } from '../../lambdas/access/core/keys/key-issuer.ts';
import { DynamoAccountStore } from '../../lambdas/access/store/accounts/account-store.ts';
import { DynamoKeyRegistry } from '../../lambdas/access/store/keys/key-registry.ts';
import { Credits } from '../../lambdas/ledger/core/credits.ts';
import { DynamoCreditStore } from '../../lambdas/ledger/store/credit-store.ts';
import { createWalletStore } from '../../lambdas/ledger/store/wallet/store.ts';
import { systemUlid } from '../../lambdas/platform/system/system.ts';
import { fileDatabase } from '../../lambdas/platform/testing/file-database.ts';
import { createCustomers } from '../customers/customers.ts';
import type { Operator } from '../operator.ts';
import { CREDIT_COMMANDS } from './credit.ts';
import { CUSTOMER_COMMANDS, findKey } from './customers.ts';

const NOW_MS = Date.parse('2026-11-26T12:00:00Z');
const OVERLAP_SECONDS = 3_600;
const POLICY = { rpm: 7 };

const database = fileDatabase();

/** Customers and their keys, with a clock and peppers that change. */
function setUp() {
  let nowMs = NOW_MS;
  let peppers: Peppers = { current: 'the first pepper' };
  let secrets = 0;
  const clock = () => nowMs;
  const registry = new DynamoKeyRegistry(database.client, database.tables, clock);
  const wallets = createWalletStore(database, database.tables.wallets);
  const customers = createCustomers({
    client: database.client,
    tables: database.tables,
    registry,
    peppers: async () => peppers,
    wallet: async (accountId) => {
      const wallet = await wallets.read(accountId);
      if (wallet === undefined) throw new Error(`there is no account ${accountId}`);
      return wallet;
    },
    clock,
  });
  const issuer = new KeyIssuer({
    registry,
    peppers: async () => peppers,
    clock,
    ulid: systemUlid,
    randomHex: () => {
      secrets += 1;
      return String(secrets).padStart(40, '0');
    },
  });
  const run = async (name: string, ...args: string[]) =>
    JSON.parse(
      JSON.stringify(
        await { ...CUSTOMER_COMMANDS, ...CREDIT_COMMANDS }[name]?.run(
          { customers } as unknown as Operator,
          args,
        ),
      ),
    ) as { exitCode: number; output: Record<string, unknown>; text: string };
  return {
    customers,
    registry,
    issuer,
    run,
    advance: (seconds: number) => {
      nowMs += 1_000 * seconds;
    },
    rotatePepper: (next: Peppers) => {
      peppers = next;
    },
  };
}

async function openAccount(email?: string): Promise<string> {
  const id = `acc_${systemUlid()}`;
  const account = { id, created: 5, ...(email === undefined ? {} : { email }) };
  await new DynamoAccountStore(database.client, database.tables).open(account);
  return id;
}

describe('the search for the key of a text', () => {
  it('returns the key with its account, for the current secret', async () => {
    const { customers, issuer } = setUp();
    const accountId = await openAccount();
    const { key, state } = await issuer.create(accountId, 'laptop', POLICY);
    const found = await customers.keyOf(key);
    expect(found).toMatchObject({
      secret: 'current',
      key: { keyId: state.keyId, accountId, name: 'laptop' },
    });
  });

  it('recognizes the previous secret during its time, and the key of a replaced one', async () => {
    const { customers, issuer, advance } = setUp();
    const accountId = await openAccount();
    const { key, state } = await issuer.create(accountId, 'a', {});
    const { key: next } = await issuer.rotate(accountId, state.keyId, OVERLAP_SECONDS);
    expect(await customers.keyOf(key)).toMatchObject({ secret: 'previous' });
    expect(await customers.keyOf(next)).toMatchObject({ secret: 'current' });
    advance(OVERLAP_SECONDS);
    expect(await customers.keyOf(key)).toMatchObject({ secret: undefined, key: { keyId: state.keyId } });
    await issuer.rotate(accountId, state.keyId, 0);
    expect(await customers.keyOf(next)).toMatchObject({ secret: undefined });
  });

  it('finds a revoked key', async () => {
    const { customers, issuer, registry } = setUp();
    const { key, state } = await issuer.create(await openAccount(), 'a', {});
    await registry.revoke(state);
    expect(await customers.keyOf(key)).toMatchObject({ key: { status: 'revoked' } });
  });

  it('finds keys of both peppers during a rotation, and none of another deployment', async () => {
    const { customers, issuer, rotatePepper } = setUp();
    const { key } = await issuer.create(await openAccount(), 'a', {});
    rotatePepper({ current: 'the second pepper', previous: 'the first pepper' });
    expect(await customers.keyOf(key)).toMatchObject({ secret: 'current' });
    rotatePepper({ current: 'another deployment' });
    expect(await customers.keyOf(key)).toBeUndefined();
    expect(await customers.keyOf(`${key}\n`)).toBeUndefined();
  });
});

describe('key find', () => {
  it('tells whose key it is and if calls are accepted with it, without text or hash', async () => {
    const { customers, issuer, registry } = setUp();
    const find = async (text: string) => {
      const { output, exitCode } = await findKey({ customers }, Readable.from([`${text}\n`]));
      return { exitCode, ...output };
    };
    const account = await openAccount();
    const { key, state } = await issuer.create(account, 'laptop', {});
    const { key: next, state: rotated } = await issuer.rotate(account, state.keyId, OVERLAP_SECONDS);
    const common = { exitCode: 0, found: true, account_id: account, id: state.keyId, name: 'laptop' };
    expect(await find(next)).toMatchObject({ ...common, secret: 'current', accepted: true });
    const until = NOW_MS / 1000 + OVERLAP_SECONDS;
    const previous = { secret: 'previous', accepted: true, previous_secret_expires: until };
    expect(await find(key)).toMatchObject({ ...common, ...previous });
    expect(JSON.stringify(await find(key))).not.toMatch(
      new RegExp(`uis_|${state.secretHash}|${rotated.secretHash}`),
    );
    await changeKey(registry, account, state.keyId, { disabled: true });
    expect(await find(next)).toMatchObject({ ...common, status: 'disabled', accepted: false });
    await registry.revoke(state);
    expect(await find(next)).toMatchObject({ ...common, status: 'revoked', accepted: false });
    expect(await find(key)).toMatchObject({ ...common, secret: 'replaced', accepted: false });
  });

  it('exits with 1 for a key that was not issued here', async () => {
    const other = setUp();
    other.rotatePepper({ current: 'another deployment' });
    const { key } = await other.issuer.create(await openAccount(), 'a', {});
    const result = await findKey({ customers: setUp().customers }, Readable.from([key]));
    expect(result).toMatchObject({ exitCode: 1, output: { found: false } });
  });

  it('takes no key as an argument, and repeats none', async () => {
    const { issuer, run } = setUp();
    const { key } = await issuer.create(await openAccount(), 'a', {});
    const failure = await run('key find', key).catch(String);
    expect(failure).toContain('takes no arguments');
    expect(failure).not.toContain(key.slice(4));
  });
});

describe('key list', () => {
  it('prints the keys that are not revoked, with their policies and without secrets', async () => {
    const { issuer, registry, run } = setUp();
    const account = await openAccount();
    const { state: revoked } = await issuer.create(account, 'old', {});
    await registry.revoke(revoked);
    const { state } = await issuer.create(account, 'new', POLICY);
    const result = await run('key list', '--account', account);
    expect(result).toMatchObject({
      exitCode: 0,
      output: { account_id: account, keys: [{ id: state.keyId, status: 'active', policy: { rpm: 7 } }] },
    });
    expect(result.output.keys).toHaveLength(1);
    expect(JSON.stringify(result)).not.toContain(state.secretHash);
    await expect(run('key list', '--account', 'acc_x')).rejects.toThrow('there is no account acc_x');
  });
});

describe('credit list', () => {
  it('prints each entry, the oldest first, with caller and reason if they are recorded', async () => {
    const { run } = setUp();
    const accountId = await openAccount();
    let seconds = 10;
    const clock = () => {
      seconds += 1;
      return 1_000 * seconds;
    };
    const credits = new Credits({
      store: new DynamoCreditStore(database.client, database.tables),
      clock,
      ulid: systemUlid,
    });
    await credits.topUp({ accountId, amount: 5n, source: 'grant', id: 'g' });
    const note = { by: 'ada', reason: 'granted twice' };
    await credits.takeFree({ accountId, amount: 2n, source: 'grant', id: 'take_t', note });
    const { text, ...listed } = await run('credit list', '--account', accountId);
    expect(text).toMatch(/amount \(USD\)\n/);
    expect(text).toMatch(/^g .* top_up +0\.000000005$/m);
    expect(text).toMatch(/^take_t .* taken +-0\.000000002$/m);
    expect(listed).toEqual({
      exitCode: 0,
      output: {
        account_id: accountId,
        entries: [
          { id: 'g', kind: 'top_up', amount: 5e-9, created: 11, source: 'grant', by: null, reason: null },
          { id: 'take_t', kind: 'refund', amount: 2e-9, created: 12, source: 'grant', ...note },
        ],
      },
    });
    await expect(run('credit list', '--account', 'acc_x')).rejects.toThrow('there is no account acc_x');
  });
});

describe('account find', () => {
  it('finds an account by its id, by the id of a key, and by its address in any case', async () => {
    const { issuer, run } = setUp();
    const [first, second] = [await openAccount('Ada@Example.com'), await openAccount('ada@example.com')];
    const nameless = await openAccount();
    const { state } = await issuer.create(nameless, 'a', {});
    const entry = { balance: 0, owed: 0, held: 0, created: 5, operator_since: null };
    const keys = [{ id: state.keyId, name: 'a', status: 'active' }];
    for (const [option, value] of [
      ['--account', nameless],
      ['--key', state.keyId],
    ] as const)
      expect(await run('account find', option, value)).toEqual({
        text: expect.stringContaining(`keys\naccount_id`),
        exitCode: 0,
        output: { accounts: [{ ...entry, account_id: nameless, email: null, keys }] },
      });
    const { output } = await run('account find', '--email', ' ADA@example.com');
    const ids = (output.accounts as readonly { account_id: string }[]).map(({ account_id: id }) => id);
    expect(ids.toSorted()).toEqual([first, second].toSorted());
  });

  it.each([['--account'], ['--email'], ['--key']])('exits with 1 if there is none by %s', async (option) => {
    expect(await setUp().run('account find', option, 'nobody')).toEqual({
      text: 'accounts  -\nkeys      -',
      exitCode: 1,
      output: { accounts: [] },
    });
  });

  it('prints a line for each key', async () => {
    const { issuer, run } = setUp();
    const accountId = await openAccount();
    const names = ['one', 'two'];
    for (const name of names) await issuer.create(accountId, name, {});
    const { text } = await run('account find', '--account', accountId);
    for (const name of names)
      expect(text).toMatch(new RegExp(`^${accountId}  key_\\w+  ${name}   active$`, 'm'));
    expect(text).toContain(' 1970-01-01T00:00:05.000Z ');
  });

  it('rejects anything but one option', async () => {
    const { run } = setUp();
    for (const args of [[], ['--email', ''], ['--email', 'a', '--key', 'b']])
      await expect(run('account find', ...args)).rejects.toThrow('name one of');
  });
});
