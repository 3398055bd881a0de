import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { parseConfig } from '../../lib/config/config.ts';
import { NEW_ACCOUNT } from '../../tools/simulators/models/bedrock/control-plane.ts';
import { readAccountCatalog } from '../catalog/bedrock/account-catalog.ts';
import { SHIPPED_CATALOG } from '../deployment/settings.ts';
import { accountAccess, bedrockOfTests } from '../testing/bedrock-account.ts';
import { applyFirstCatalog } from './steps.ts';

const { fault } = bedrockOfTests();

let accessKeyId: string;
let versions: string[];

beforeEach(() => {
  accessKeyId = 'AKIATEST';
  versions = [];
});

/** A stage whose catalog is kept here. */
const up = (file?: string, settings: object = {}) =>
  applyFirstCatalog(
    {
      routes: accountAccess('us-east-1', accessKeyId),
      catalog: async () => {
        const json = versions.at(-1);
        return json === undefined ? undefined : ({ version: `v${versions.length}`, json } as never);
      },
      applyCatalog: async (json: string) => `v${versions.push(json)}`,
    },
    { catalog: file, config: parseConfig({ stage: 'prod', ...settings }) },
  );

const applied = () =>
  JSON.parse(versions.at(-1) ?? '{"models":[]}') as {
    models: { id: string; price: Record<string, unknown> }[];
  };

const idsOf = ({ models }: { readonly models: readonly { readonly id: string }[] }) =>
  models.map(({ id }) => id);

describe('the first catalog of a stage', () => {
  it('contains all models of the account after one run, and names the others', async () => {
    const lines = await up();
    const { json } = await readAccountCatalog(accountAccess('us-east-1', accessKeyId), { now: new Date() });
    expect(idsOf(applied())).toEqual(idsOf(JSON.parse(json)));
    expect(lines[0]).toBe(`version v1 with ${applied().models.length} models applied`);
    expect(lines).toContain('residency of prompts: global');
    expect(lines).toContainEqual(
      expect.stringMatching(/^left out: anthropic\.claude-sonnet-4-5-.*: AWS says LEGACY/),
    );
  });

  it('changes nothing in a second run', async () => {
    await up();
    expect((await up())[0]).toMatch(/^version v1 with \d+ models is active$/);
    expect(versions).toHaveLength(1);
  });

  it('gains the models that the account has agreed to since', async () => {
    accessKeyId = `${NEW_ACCOUNT}1`;
    const lines = await up();
    expect(lines).toContainEqual(
      expect.stringMatching(/^left out: anthropic\/claude-opus-5\.5: open it once/),
    );
    expect(idsOf(applied()).every((id) => /^(amazon|openai)\//.test(id))).toBe(true);
    accessKeyId = 'AKIATEST';
    expect((await up())[0]).toMatch(/^version v2 with \d+ models applied$/);
    expect(idsOf(applied())).toContain('anthropic/claude-opus-5.5');
  });

  it('stays as it is after a change of a price, with the command that shows the difference', async () => {
    await up();
    const changed = applied();
    const [first] = changed.models;
    if (first === undefined) throw new Error('there is no model');
    first.price.input = '0.31';
    versions.push(JSON.stringify(changed));
    expect(await up()).toEqual([
      'version v2 is active and not of what Bedrock offers to the account: left as it is',
      '"npm run admin -- catalog bedrock --stage prod", then "npm run admin -- catalog diff bedrock-catalog.json --stage prod" shows the difference',
    ]);
    expect(versions).toHaveLength(2);
  });

  it('equals the shipped one if the operator may not read the models', async () => {
    await fault({ path: '/foundation-models' }, 403, 0);
    const lines = await up();
    expect(lines).toContain(
      `the models of the account could not be read (bedrock in us-east-1 answered 403): ${SHIPPED_CATALOG} instead`,
    );
    const shipped = idsOf(JSON.parse(readFileSync(SHIPPED_CATALOG, 'utf8')));
    expect(shipped).toEqual(expect.arrayContaining(idsOf(applied())));
  });

  it('keeps the models of Amazon Transcribe if the stage and its region have it, and names them if not', async () => {
    const transcribe = createServer((_, response) => response.end('{"TranscriptionJobSummaries":[]}'));
    await new Promise<void>((resolve) => transcribe.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(transcribe.address() as AddressInfo).port}`;
    const leftOut = (lines: readonly string[]) => lines.filter((line) => line.includes('amazon/transcribe'));
    try {
      process.env.AWS_ENDPOINT_URL_TRANSCRIBE = url;
      expect(leftOut(await up(SHIPPED_CATALOG))).toEqual([]);
      expect(idsOf(applied())).toContain('amazon/transcribe');
      versions = [];
      expect(leftOut(await up(SHIPPED_CATALOG, { transcribe: false }))).toEqual([
        'left out: amazon/transcribe: this stage is without transcribe',
      ]);
    } finally {
      delete process.env.AWS_ENDPOINT_URL_TRANSCRIBE;
      await new Promise((resolve) => transcribe.close(resolve));
    }
    versions = [];
    // The account of these tests has no Transcribe.
    expect(leftOut(await up(SHIPPED_CATALOG))).toEqual([
      expect.stringMatching(/^left out: amazon\/transcribe: transcribe in us-east-1 answered 401; /),
    ]);
    expect(idsOf(applied())).not.toContain('amazon/transcribe');
  });

  it('equals a file that is named', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'first-catalog-'));
    const file = join(folder, 'catalog.json');
    const { models } = JSON.parse(readFileSync(SHIPPED_CATALOG, 'utf8'));
    writeFileSync(file, JSON.stringify({ models: models.slice(0, 1) }));
    expect(await up(file)).toEqual(['version v1 with 1 models applied']);
    expect((await up())[0]).toContain('left as it is');
    rmSync(folder, { recursive: true });
  });
});
