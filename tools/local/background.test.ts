import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AUDIT_SCHEDULE, CONSUMERS, type Consumer } from '../../lambdas/platform/contract/consumers.ts';
import { createOperator, type Operator } from '../../operator/operator.ts';
import { localTarget } from '../../operator/target.ts';
import { readAssembly } from './assembly/assembly.ts';
import { ensureAssembly } from './build.ts';
import { nextTime } from './messaging/schedule-expression.ts';
import { type Runtime, startRuntime } from './runtime.ts';
import { temporaryFolder } from './testing/fixture/synthesize.ts';

const root = join(import.meta.dirname, '..', '..');
const SILENT = { info: () => {}, warn: () => {}, error: () => {} };

let runtime: Runtime;
let operator: Operator;
let stateDir: string;
let workflow: string;
let assembly: ReturnType<typeof readAssembly>;
const lines: string[] = [];

beforeAll(async () => {
  stateDir = await temporaryFolder('state');
  const log = (line: string) => lines.push(line);
  const outputDir = join(root, '.build', 'assembly');
  const assemblyDir = await ensureAssembly({ root, outputDir, environment: process.env, log });
  assembly = readAssembly(assemblyDir);
  workflow = assembly.workflows.find(({ arn }) => arn.endsWith('audit-books'))?.arn ?? '';
  runtime = await startRuntime({ assemblyDir, stateDir, port: 0, environment: {}, overrides: {}, log });
  operator = createOperator(localTarget(runtime.awsEndpoint, runtime.environment), SILENT);
  // On a fresh checkout, it bundles and synthesizes the app.
}, 600_000);

afterAll(async () => {
  operator.close();
  await runtime.close();
  rmSync(stateDir, { recursive: true, force: true });
});

describe('the schedules of the app', () => {
  it('match those of the consumers and of the audit, each with a next time and an existing target', () => {
    const expected = Object.values(CONSUMERS as Readonly<Record<string, Consumer>>).flatMap(
      ({ schedule = [] }) => schedule,
    );
    const { schedules, functions, workflows } = assembly;
    expect(schedules.map(({ expression }) => expression).sort()).toEqual(
      [...expected, AUDIT_SCHEDULE].sort(),
    );
    const targets = new Set([...functions, ...workflows].map(({ arn }) => arn));
    for (const { name, expression, targets: expectedTargets } of schedules) {
      expect([name, nextTime(expression, Date.now())]).toEqual([name, expect.any(Number)]);
      expect([name, expectedTargets.every(({ arn }) => targets.has(arn))]).toEqual([name, true]);
    }
    expect(schedules.map(({ targets: [target] }) => target?.arn.split(':').at(-1))).toContainEqual(
      expect.stringMatching(/watch-prices$/),
    );
  });
});

describe('the audit workflow of the app', () => {
  it('runs through every segment of the accounts, in its own role, and succeeds while the ledger balances', async () => {
    for (let account = 0; account < 30; account += 1) {
      await operator.grant(await operator.openAccount(), 1_000_000_000n);
    }
    expect(await runtime.runWorkflow(workflow, {})).toMatchObject({
      complete: true,
      balanced: true,
      accounts: 30,
      books: { exact: true, unproven: 0, drift: '0', topUps: '30000000000', balances: '30000000000' },
    });
  });

  it('fails when a balance is off by a nano-dollar, and the log names the account', async () => {
    const account = await operator.openAccount();
    const client = new DynamoDBClient({
      endpoint: runtime.dynamodbEndpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    });
    await client.send(
      new UpdateItemCommand({
        TableName: runtime.environment.WALLETS_TABLE,
        Key: { wallet_id: { S: account } },
        UpdateExpression: 'SET balance = balance + :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      }),
    );
    client.destroy();
    await expect(runtime.runWorkflow(workflow, {})).rejects.toThrow();
    expect(lines.join('\n')).toContain(account);
    expect(await operator.audit()).toMatchObject({ exact: false, drift: 1n });
  });
});
