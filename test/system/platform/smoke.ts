import { afterEach, describe, expect, it } from '@jest/globals';
import type { CheckResult } from '../../../lambdas/operations/core/smoke-test/check.ts';
import { service } from './service.ts';

interface SmokeOutput {
  readonly passed: boolean;
  readonly failed: readonly string[];
  readonly account_id: string;
  readonly key_id: string;
  readonly grant: number;
  readonly dearest: { readonly model: string; readonly at_most: number };
  readonly taken_back: number;
  readonly checks: readonly CheckResult[];
}

/** Returns the output of the smoke test, with any exit code. */
async function smoke(...args: readonly string[]): Promise<SmokeOutput> {
  try {
    return await service.admin<SmokeOutput>('smoke', ...args);
  } catch (failure) {
    const [, printed] = /exit code 1: (\{.*\})$/.exec((failure as Error).message) ?? [];
    if (printed === undefined) throw failure;
    return JSON.parse(printed) as SmokeOutput;
  }
}

const resultsOf = ({ checks }: SmokeOutput) => checks.map(({ check, result }) => [check, result]);

/** In the order of what they cost. */
const CALLED = [
  'transcription',
  'embeddings',
  'speech',
  'chat',
  'chat stream',
  'messages',
  'responses',
  'count tokens',
  'image',
];

describe('a smoke test', () => {
  afterEach(() => service.endFaults());

  it('calls every kind for which the catalog has a model, and leaves an exact ledger without its credit', async () => {
    const reported = service.reported.length;
    const { refunds } = await service.admin<{ refunds: number }>('audit');
    const printed = await smoke();
    const names = ['health', 'models', ...CALLED, 'webhook', 'holds', 'usage', 'books'];
    expect(new Map(resultsOf(printed) as [string, string][])).toEqual(
      new Map(names.map((name) => [name, 'ok'])),
    );
    expect(printed).toMatchObject({ passed: true, failed: [] });
    expect(printed.dearest).toEqual({ model: 'sim/image', at_most: 0.04 });
    expect(printed.grant).toBeLessThanOrEqual(0.05);
    const named = printed.checks.find(({ check }) => check === 'image');
    expect(named).toMatchObject({ model: 'sim/image', route: 'sim-image', ms: expect.any(Number) });
    const [firstLine, ...lines] = service.reported.slice(reported).trimEnd().split('\n');
    expect(firstLine).toMatch(
      /^acc_\w+ is given [\d.]+ USD; the most expensive call is of sim\/image, at most 0\.04$/,
    );
    expect(lines).toHaveLength(names.length);
    expect(lines).toContainEqual(expect.stringMatching(/^ok +image +\d+ ms {2}sim\/image by sim-image$/));
    const wallet = await service.admin('wallet', 'show', '--account', printed.account_id);
    expect(wallet).toMatchObject({ balance: 0, held: 0, owed: 0 });
    const audit = await service.admin<{ refunds: number }>('audit');
    expect(audit).toMatchObject({ exact: true, drift: 0 });
    expect(audit.refunds).toBeCloseTo(refunds + printed.taken_back, 9);
  });

  it('names a provider that is broken by its model, checks the rest and ends its key', async () => {
    await service.fault({ status: 500 }, { model: 'image' }, 0);
    const printed = await smoke();
    expect(printed).toMatchObject({ passed: false, failed: ['image'] });
    const broken = printed.checks.find(({ check }) => check === 'image');
    expect(broken).toMatchObject({ result: 'failed', model: 'sim/image', code: 'all_routes_failed' });
    expect(printed.taken_back).toBeGreaterThan(0.04);
    const policy = service.admin('key', 'policy', '--key', printed.key_id, '--policy', '{}');
    await expect(policy).rejects.toThrow('No API key');
    expect(await service.admin('audit')).toMatchObject({ exact: true, drift: 0 });
  });

  it('detects a stream that breaks off, and calls models that are specified in place of the default ones', async () => {
    const { checks, failed } = await smoke('--models', 'sim/chat-down,sim/image-failover');
    expect(failed).toEqual(['chat', 'chat stream', 'messages', 'responses']);
    const checkNamed = (name: string) => checks.find(({ check }) => check === name);
    expect(checkNamed('chat')).toMatchObject({ model: 'sim/chat-down', code: 'all_routes_failed' });
    expect(checkNamed('image')).toMatchObject({ model: 'sim/image-failover', route: 'sim-image-live' });
  });

  it('reports that no service responds at an address', async () => {
    const { failed, checks } = await smoke('--url', 'http://127.0.0.1:9');
    expect(failed).toEqual(expect.arrayContaining(['health', 'models', 'chat', 'webhook', 'usage']));
    expect(checks.find(({ check }) => check === 'chat')).toMatchObject({ code: 'no_answer' });
    // What was given is still there, and taken back.
    expect(checks.find(({ check }) => check === 'books')).toMatchObject({ result: 'ok' });
  });

  it('rejects a model that the catalog does not have', async () => {
    await expect(service.admin('smoke', '--models', 'nobody/nothing')).rejects.toThrow('nobody/nothing');
  });
});

it('the command that creates the key of the scheduled smoke test requires a deployment', async () => {
  await expect(service.admin('smoke', 'key')).rejects.toThrow('name its --stage');
});
