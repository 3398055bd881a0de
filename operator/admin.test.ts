import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { OPERATED } from './target.ts';

const folder = mkdtempSync(join(tmpdir(), 'admin-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the operator's command as a person does, with a local service that was stopped, and without AWS. */
function run(...args: string[]) {
  const { PATH } = process.env;
  const env = { PATH, LOCAL_DIR: folder, AWS_CONFIG_FILE: '/dev/null', AWS_EC2_METADATA_DISABLED: 'true' };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'admin.ts'), ...args],
    { encoding: 'utf8', env },
  );
  return { status, text: (stdout + stderr).trim() };
}

describe('the command of the operator', () => {
  it('says that the local service of the folder was stopped', () => {
    const environment = Object.fromEntries(
      Object.values(OPERATED).flatMap((names) => names.map((name) => [name, 'x'])),
    );
    const runtime = { aws_endpoint: 'http://127.0.0.1:1', environment };
    writeFileSync(join(folder, 'runtime.json'), JSON.stringify(runtime));
    expect(run('audit')).toEqual({
      status: 2,
      text: `error: the local service of ${folder} is not running: start it with npm start`,
    });
  });

  it.each([
    ['quotas', [], 'the local service has no AWS account, and so no quotas: name a --stage'],
    ['call', ['find', '--id', 'req_1'], 'the log of the local service is what "npm start" prints'],
  ])('exits with 1 and the reason without a stage: %s', (name, args, reason) => {
    expect(run(name, ...args)).toEqual({ status: 1, text: expect.stringContaining(reason) });
  });

  it('names the options of a policy that needs no region', () => {
    expect(run('policy', '--for', 'up', '--stage', 'prod')).toEqual({
      status: 2,
      text: 'error: no AWS region: set AWS_REGION, or a profile that has one; or name --account and --region',
    });
  });

  it('names a file that does not exist', () => {
    const args = ['--from', 'models.dev=none.json', '--providers', 'openai', '--markup', '0%'];
    expect(run('catalog', 'import', ...args)).toEqual({
      status: 2,
      text: 'error: there is no file none.json',
    });
  });
});
