import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { stacksOnTheWayBack } from './assembly.ts';

describe('the way back to a version', () => {
  it('changes every stack of its assembly but the data stack and nested ones', () => {
    const assembly = mkdtempSync(join(tmpdir(), 'assembly-'));
    const parts = ['data', 'inference', 'platform', 'ingress', 'operations', 'edge-alarms-eu-west-1'];
    const names = [...parts.map((part) => `Inference-prod-${part}`), 'InferenceprodplatformMarket.nested'];
    for (const name of names) writeFileSync(join(assembly, `${name}.template.json`), '{"Resources": {}}');
    const changed = stacksOnTheWayBack(assembly, 'prod');
    rmSync(assembly, { recursive: true });
    expect([...changed].sort()).toEqual(names.slice(1, -1).sort());
  });
});
