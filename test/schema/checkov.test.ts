import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ACCEPTED, DEPENDENT_ON_NAMES } from './checkov-findings.ts';
import { synthesize } from './templates.ts';
import { runTool } from './tools.ts';

interface Report {
  readonly results: { readonly failed_checks: readonly { readonly check_id: string }[] };
}

/** Only a thorough run has it. */
const CHECKOV = process.env.CHECKOV_TOOLS;

const folder = mkdtempSync(join(tmpdir(), 'checked-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The kinds of findings in the templates. */
async function kindsIn(templates: readonly string[]): Promise<readonly string[]> {
  const files = templates.flatMap((template) => ['--file', template]);
  const words = [
    ...files,
    '--framework',
    'cloudformation',
    '--output',
    'json',
    '--quiet',
    '--compact',
    '--skip-download',
  ];
  const { output } = await runTool('checkov', words, { folder: CHECKOV });
  const { results } = JSON.parse(output) as Report;
  return [...new Set(results.failed_checks.map(({ check_id: kind }) => kind))].sort();
}

(CHECKOV === undefined ? describe.skip : describe)('checkov', () => {
  it('reports for all configurations only findings that are accepted with a reason', async () => {
    const found = await kindsIn(await synthesize(folder));
    expect(found.filter((kind) => !(kind in ACCEPTED))).toEqual([]);
    const gone = Object.keys(ACCEPTED).filter((kind) => !found.includes(kind));
    expect(gone.filter((kind) => !DEPENDENT_ON_NAMES.includes(kind))).toEqual([]);
  }, 1_800_000);

  it('detects a finding that is not accepted', async () => {
    const file = join(folder, 'wrong.json');
    const bucket = { Type: 'AWS::S3::Bucket', Properties: { AccessControl: 'PublicReadWrite' } };
    writeFileSync(file, JSON.stringify({ Resources: { Bucket: bucket } }));
    const kinds = await kindsIn([file]);
    expect(kinds.filter((kind) => !(kind in ACCEPTED))).toContain('CKV_AWS_57');
  });
});
