import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LAYOUTS, type StageLayouts } from '../../lambdas/platform/contract/layouts.ts';
import { RELEASE } from '../../lambdas/platform/contract/release.ts';
import { fileDatabase } from '../../lambdas/platform/testing/file-database.ts';
import { recordLayouts } from '../../lambdas/platform/testing/record-layouts.ts';

const database = fileDatabase();

/** CloudFormation and STS, in the forms of their API references, for an account with the stacks of some stages. */
let account: Server;
let accountUrl = '';
let stages: readonly string[] = [];
let release = RELEASE;

const stackOf = (stage: string) =>
  `<member><StackName>Inference-${stage}-data</StackName><StackStatus>UPDATE_COMPLETE</StackStatus>
  <CreationTime>2026-11-28T00:00:00Z</CreationTime><Outputs><member><OutputKey>CATALOGTABLE</OutputKey>
  <OutputValue>${database.tables.catalog}</OutputValue></member><member><OutputKey>RELEASE</OutputKey>
  <OutputValue>${release}</OutputValue></member></Outputs></member>`;

const IDENTITY = `<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/o</Arn>
  <Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;

beforeAll(async () => {
  account = createServer(async (request, response) => {
    const isIdentity = (await text(request)).includes('GetCallerIdentity');
    const stacks = `<DescribeStacksResponse><DescribeStacksResult><Stacks>${stages.map(stackOf).join('')}
      </Stacks></DescribeStacksResult></DescribeStacksResponse>`;
    response.writeHead(200, { 'content-type': 'text/xml' }).end(isIdentity ? IDENTITY : stacks);
  }).listen(0, '127.0.0.1');
  await once(account, 'listening');
  accountUrl = `http://127.0.0.1:${(account.address() as AddressInfo).port}`;
});

afterAll(() => {
  account.closeAllConnections();
  account.close();
});

const record = (layouts: StageLayouts) => recordLayouts(database.client, database.tables.catalog, layouts);

/** Runs the step around them with these settings; returns its exit code and its error output. */
async function run(settings: object): Promise<readonly [number | null, string]> {
  const folder = mkdtempSync(join(tmpdir(), 'check-'));
  const file = join(folder, 'settings.json');
  writeFileSync(file, JSON.stringify(settings));
  const child = spawn(process.execPath, [join(import.meta.dirname, 'check.ts')], {
    env: {
      ...process.env,
      CONFIG: file,
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_ENDPOINT_URL: accountUrl,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'none',
      AWS_SECRET_ACCESS_KEY: 'none',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const printed = await text(child.stderr);
  if (child.exitCode === null) await once(child, 'exit');
  rmSync(folder, { recursive: true });
  return [child.exitCode, printed];
}

describe('a deployment or a comparison by npm', () => {
  it('fails with what a restored table in use lacks, and where to read on', async () => {
    const [code, printed] = await run({
      restoredTables: { wallets: { name: 'Inference-prod-data-nowhere' } },
    });
    expect([code, printed]).toEqual([
      1,
      expect.stringContaining('wallets (Inference-prod-data-nowhere): does not exist'),
    ]);
    expect(printed).toContain('"tables return" in docs/operate/backup.md');
  });

  it('begins for a new stage, and for one with layouts that this version reads', async () => {
    await record({ keys: LAYOUTS.keys.reads });
    for (const deployed of [[], ['prod']]) {
      stages = deployed;
      expect(await run({ stage: 'prod' })).toEqual([0, '']);
    }
  });

  it('fails if the data of the stage has a newer layout, and not for another stage', async () => {
    await record({ keys: LAYOUTS.keys.reads + 1, 'later/kind': 2 });
    stages = ['prod'];
    expect(await run({ stage: 'prod' })).toEqual([
      1,
      expect.stringMatching(
        /newer than version [\d.]+ \(keys, later\/kind\): use the version that is deployed/,
      ),
    ]);
    expect(await run({ stage: 'other' })).toEqual([0, '']);
  });

  const [major = 0, minor = 0, patch = 0] = RELEASE.split('.').map(Number);

  it.each([`${major}.${minor}.${patch + 10}`, `${major}.${minor + 10}.0`, `${major + 11}.0.0`])(
    'fails over a later version: %s',
    async (later) => {
      await record({});
      [stages, release] = [['prod'], later];
      const expected = `version ${later} is deployed: go back to ${RELEASE} by "npm run up"`;
      expect(await run({ stage: 'prod' })).toEqual([1, expect.stringContaining(expected)]);
      release = '0.9.9';
      expect(await run({ stage: 'prod' })).toEqual([0, '']);
    },
    30_000,
  );

  it('includes this step', () => {
    const file = join(import.meta.dirname, '..', '..', 'package.json');
    const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { scripts: Record<string, string> };
    const step = 'node operator/deployment/check.ts';
    expect([scripts.predeploy, scripts.postdiff]).toEqual([step, step]);
  });
});
