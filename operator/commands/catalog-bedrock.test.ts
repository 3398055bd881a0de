import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { NEW_ACCOUNT } from '../../tools/simulators/models/bedrock/control-plane.ts';
import type { Operator } from '../operator.ts';
import { accountAccess, bedrockOfTests } from '../testing/bedrock-account.ts';
import { COMMANDS } from './commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'catalog-bedrock-'));
const out = join(folder, 'out.json');

let active: string | undefined;
let reference: string | undefined;

bedrockOfTests();

afterAll(() => rmSync(folder, { recursive: true }));

function run(args: readonly string[], accessKeyId?: string) {
  const operator = {
    routes: accountAccess('us-east-1', accessKeyId),
    catalog: async () => (active === undefined ? undefined : { version: 'v1', json: active }),
    watchPrices: async (json: string | undefined) => {
      reference = json;
      return 'r1';
    },
  };
  const command = COMMANDS['catalog bedrock'];
  if (command === undefined) throw new Error('there is no such command');
  return command.run(operator as unknown as Operator, args);
}

interface CatalogFile {
  readonly models: readonly { readonly id: string; readonly price: Record<string, unknown> }[];
}

const written = () => JSON.parse(readFileSync(out, 'utf8')) as CatalogFile;

describe('catalog bedrock', () => {
  it('writes a catalog file, and prints each model that it leaves out', async () => {
    const { output, text = '', exitCode } = await run(['--out', out]);
    const { models } = written();
    const { counts, left_out: leftOut } = output as {
      readonly counts: object;
      readonly left_out: readonly { readonly model: string; readonly reason: string }[];
    };
    expect([exitCode, counts]).toEqual([0, { models: models.length, left_out: leftOut.length }]);
    expect(leftOut.length).toBeGreaterThan(5);
    expect(text.split('\n')[0]).toBe(
      `${out}: ${models.length} models, ${leftOut.length} left out; residency global, from us-east-1, us-west-2`,
    );
    for (const { model, reason } of leftOut) expect(text).toContain(`left out: ${model}: ${reason}`);
  });

  it('leaves out the models that the account has not agreed to, with the remedy', async () => {
    const { text } = await run(['--out', out], `${NEW_ACCOUNT}1`);
    expect(written().models.every(({ id }) => /^(amazon|openai)\//.test(id))).toBe(true);
    expect(text).toMatch(/left out: anthropic\/claude-opus-4-8: open it once in the playground/);
  });

  it('reads the regions that are named, and applies the markup', async () => {
    const { output } = await run(['--region', 'us-west-1', '--markup', '50%', '--out', out]);
    expect(output).toMatchObject({ regions: ['us-east-1', 'us-west-1'] });
    expect(written().models.find(({ id }) => id === 'zai/glm-5')?.price).toMatchObject({ input: '1.5' });
  });

  it.each([
    [['--residency', 'nowhere'], '--residency must be global, geography, region'],
    [['--region', 'Frankfurt'], '--region must be a region such as us-west-2'],
    [['--region', 'eu-west-1', '--residency', 'region'], '--region must be absent'],
    [['--region', 'eu-west-1', '--residency', 'geography'], 'is not in the geography of us-east-1'],
    [['--markup', '-5%'], '--markup'],
    [['--prices', 'nothing.json'], 'nothing.json'],
  ])('rejects %j, and names the option', async (args, message) => {
    await expect(run([...args, '--out', out])).rejects.toThrow(message);
  });

  it('gives the prices to the watch, which finds a rate below them', async () => {
    await run(['--out', out]);
    const models = written().models.map((model) =>
      model.id === 'zai/glm-5' ? { ...model, price: { ...model.price, input: '0.9' } } : model,
    );
    active = JSON.stringify({ models });
    const { output } = await run(['--watch']);
    expect(JSON.parse(reference ?? '').models.length).toBe(models.length);
    const { findings } = JSON.parse(JSON.stringify(output)) as {
      readonly findings: readonly { readonly model: string }[];
    };
    expect([...new Set(findings.map(({ model }) => model))]).toEqual(['zai/glm-5']);
    expect(findings[0]).toMatchObject({
      prices_passed: [{ rate: 'input', catalog: 0.9, reference: 1 }],
    });
  });
});
