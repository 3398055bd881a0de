import { describe, expect, it } from '@jest/globals';
import { operatorIdentity } from '../aws-account.ts';
import type { Operator } from '../operator.ts';
import { CREDIT_COMMANDS } from './credit.ts';

const WALLET = { balance: 2_000_000_000n, debt: 0n, holds: [{ amount: 500_000_000n }] };

/** Runs a command on a wallet with that result; returns its output and what it has requested. */
async function run(result: string, name: string, ...args: readonly string[]) {
  const requests: unknown[] = [];
  const operator = {
    takeFree: async (...request: unknown[]) => {
      requests.push(request);
      return { by: 'arn:aws:iam::1:user/ada', result, wallet: WALLET };
    },
    grantNoted: async (...request: unknown[]) => {
      requests.push(request);
      return { by: 'arn:aws:iam::1:user/ada', result, wallet: WALLET };
    },
  } as unknown as Operator;
  const outcome = await CREDIT_COMMANDS[name]?.run(operator, args);
  return { ...(JSON.parse(JSON.stringify(outcome)) as object), requests };
}

const take = (result: string, amount: string, ...more: string[]) =>
  run(
    result,
    'credit take',
    '--account',
    'acc_1',
    `--amount=${amount}`,
    '--reason',
    ' granted twice ',
    ...more,
  );

describe('the recorded identity', () => {
  const arn = 'arn:aws:sts::123456789012:assumed-role/Operators/ada';
  const read = async () => ({ accountId: '123456789012', arn, region: 'eu-central-1' });

  it('names the caller of AWS, and the local service where there is none', async () => {
    expect(await operatorIdentity({ client: {} }, read)).toBe(arn);
    const local = { client: { endpoint: 'http://127.0.0.1:1' } };
    expect(await operatorIdentity(local, read)).toBe('operator of the local service');
  });
});

describe('credit take', () => {
  it('takes an exact amount, and prints what remains and what is held', async () => {
    expect(await take('taken', '0.000000001', '--id', 'ticket-7')).toEqual({
      exitCode: 0,
      requests: [['acc_1', 1n, { id: 'ticket-7', reason: 'granted twice' }]],
      output: {
        account_id: 'acc_1',
        id: 'ticket-7',
        result: 'taken',
        taken: 0.000000001,
        balance: 2,
        held: 0.5,
        owed: 0,
        by: 'arn:aws:iam::1:user/ada',
        reason: 'granted twice',
      },
    });
  });

  it('exits with 1 if the balance does not cover the amount, and with 0 if an earlier run took the amount', async () => {
    expect(await take('not covered', '5')).toMatchObject({ exitCode: 1, output: { taken: 0, held: 0.5 } });
    expect(await take('repeated', '5')).toMatchObject({ exitCode: 0, output: { taken: 0 } });
  });

  it('gives each request without an id one of its own', async () => {
    const [first, second] = [await take('taken', '1'), await take('taken', '1')];
    expect(first.requests).not.toEqual(second.requests);
  });

  it.each(['', ' ', 'a\nb', 'x'.repeat(201)])('rejects the reason %j', async (reason) => {
    const args = ['--account', 'acc_1', '--amount', '1', '--reason', reason];
    await expect(run('taken', 'credit take', ...args)).rejects.toThrow('--reason must be');
  });

  it.each(['', 'a b', 'x'.repeat(65), 'ord#1'])('rejects the id %j', async (id) => {
    await expect(take('taken', '1', '--id', id)).rejects.toThrow('--id must be');
  });

  it('requires a reason', async () => {
    const args = ['--account', 'acc_1', '--amount', '1'];
    await expect(run('taken', 'credit take', ...args)).rejects.toThrow('--reason is required');
  });
});

describe('credit grant', () => {
  const grant = (result: string, ...more: string[]) =>
    run(result, 'credit grant', '--account', 'acc_1', '--amount', '5', ...more);

  it('records why, and prints what was added', async () => {
    expect(await grant('credited', '--reason', ' prize ', '--id', 'ticket-8')).toEqual({
      exitCode: 0,
      requests: [['acc_1', 5_000_000_000n, { id: 'ticket-8', reason: 'prize' }]],
      output: {
        account_id: 'acc_1',
        id: 'ticket-8',
        result: 'credited',
        added: 5,
        balance: 2,
        by: 'arn:aws:iam::1:user/ada',
        reason: 'prize',
      },
    });
  });

  it('adds nothing under the id of an earlier run', async () => {
    expect(await grant('repeated')).toMatchObject({ exitCode: 0, output: { added: 0, reason: '' } });
  });
});

describe.each(['credit take', 'credit grant'])('an amount of %s', (name) => {
  const reason = name === 'credit take' ? ['--reason', 'r'] : [];

  it.each([
    '-1',
    '0',
    '0.0',
    '1e30',
    '1000000.000000001',
    '0.0000000001',
    '1e-10',
    'NaN',
    'Infinity',
    '1,5',
    '',
  ])('causes an error if it equals %s', async (amount) => {
    const args = ['--account', 'acc_1', `--amount=${amount}`, ...reason];
    await expect(run('taken', name, ...args)).rejects.toThrow('--amount must be');
  });

  it.each(['1e-9', '1000000', '1e6'])('passes if it equals %s', async (amount) => {
    const { requests } = await run('taken', name, '--account', 'acc_1', `--amount=${amount}`, ...reason);
    expect(requests).toHaveLength(1);
  });
});
