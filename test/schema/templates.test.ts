import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { NAMES, synthesize, THOROUGH } from './templates.ts';
import { runTool } from './tools.ts';

/** A thorough run lints for a second region. */
const REGIONS = THOROUGH > 1 ? ['us-east-1', 'eu-central-1'] : ['us-east-1'];

/** Warnings that are not acted on, each with its reason. */
const IGNORED: Readonly<Record<string, string>> = {
  W3005: 'The CDK writes dependencies that a reference has already; they change nothing.',
  W3010: 'Zones are in a template only where the setting `availabilityZones` names them.',
};

interface Finding {
  readonly Filename: string;
  readonly Level: string;
  readonly Message: string;
  readonly Rule: { readonly Id: string };
}

const folder = mkdtempSync(join(tmpdir(), 'linted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function lint(templates: readonly string[]): Promise<readonly string[]> {
  const ignored = Object.keys(IGNORED).flatMap((rule) => ['--ignore-checks', rule]);
  const words = [...ignored, '--format', 'json', '--regions', ...REGIONS, '--', ...templates];
  const { output } = await runTool('cfn-lint', words);
  return (JSON.parse(output) as readonly Finding[]).map(
    ({ Filename, Level, Message, Rule }) => `${Level} ${Rule.Id} ${Filename}: ${Message}`,
  );
}

describe('cfn-lint', () => {
  it(`finds no fault in the templates of ${NAMES.join(', ')}, in ${REGIONS.join(' and ')}`, async () => {
    const templates = await synthesize(folder);
    expect(templates.length).toBeGreaterThanOrEqual(NAMES.length + 4);
    expect(await lint(templates)).toEqual([]);
  }, 1_800_000);

  it('detects a property that no resource of the type has', async () => {
    const file = join(folder, 'wrong.json');
    const topic = { Type: 'AWS::SNS::Topic', Properties: { TopicNme: 'a' } };
    writeFileSync(file, JSON.stringify({ Resources: { Topic: topic } }));
    expect(await lint([file])).toEqual([expect.stringContaining('Error E3002')]);
  });
});
