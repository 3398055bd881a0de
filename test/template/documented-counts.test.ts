import { describe, expect, it } from '@jest/globals';
import { countAssembly } from '../../operator/deployment/assembly.ts';
import { readPage } from '../docs/pages.ts';
import { assemblyOf } from './assemblies.ts';
import { CONFIGURATIONS, type ConfigurationName } from './configurations.ts';
import { SynthesizedApp } from './synthesized-app.ts';

const NAMES = Object.keys(CONFIGURATIONS) as ConfigurationName[];
const counts = new Map(NAMES.map((name) => [name, countAssembly(assemblyOf(name))]));

describe('the counts that quotas are compared with', () => {
  it.each(NAMES)('contain every stack of the assembly, nested ones included: %s', (name) => {
    const resources = Object.values(new SynthesizedApp(name).templates).flatMap((template) =>
      Object.values(template.Resources),
    );
    const { roles, resources: byStack } = counts.get(name) ?? {};
    expect(roles).toBe(resources.filter(({ Type }) => Type === 'AWS::IAM::Role').length);
    // The resource of a nested stack is one of its parent's.
    const total = [...(byStack?.values() ?? [])].reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThanOrEqual(resources.length);
  });
});

it('docs/operate/evidence.md states the number of roles that the templates have', () => {
  const roles = [...counts.values()].map((each) => each.roles);
  expect(readPage('docs/operate/evidence.md')).toContain(
    `has ${Math.min(...roles)} to ${Math.max(...roles)} roles`,
  );
});
