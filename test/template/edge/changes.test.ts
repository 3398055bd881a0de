import { describe, expect, it } from '@jest/globals';
import type { ConfigurationName } from '../configurations.ts';
import { type Resource, type StackName, SynthesizedApp } from '../synthesized-app.ts';

const EDGES: readonly ConfigurationName[] = ['web-function-ingress', 'fargate-ingress', 'fargate'];
const CHANGES = EDGES.flatMap((from) => EDGES.filter((to) => to !== from).map((to) => [from, to] as const));

const exportsOf = (app: SynthesizedApp, stack: StackName): string[] =>
  Object.values(app.templates[stack].Outputs ?? {})
    .flatMap(({ Export }) => Export?.Name ?? [])
    .sort();

const importsOf = (app: SynthesizedApp): string[] =>
  [...JSON.stringify(app.templates.ingress).matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(
    ([, name = '']) => name,
  );

/**
 * The types that change in place: they send calls to the new host when it exists, or contain the log names of both.
 */
const IN_PLACE = ['AWS::CloudFront::Distribution', 'AWS::Logs::QueryDefinition'];

const REGION = 'eu-central-1';

/** A resource's properties, as they are in the region that one of the settings names. */
const settled = (resource: Resource | undefined): string =>
  JSON.stringify(resource?.Properties)
    .replaceAll('",{"Ref":"AWS::Region"},"', REGION)
    .replaceAll('[{"Ref":"AWS::Region"},"', `["${REGION}`)
    .replaceAll('",{"Ref":"AWS::Region"}]', `${REGION}"]`)
    .replaceAll(/\{"Fn::Join":\["",\["([^"]*)"\]\]\}/g, '"$1"')
    .replaceAll(/\$\{AWS::Region\}/g, REGION);

describe('the stacks before the ingress', () => {
  const standard = new SynthesizedApp();

  it.each(['data', 'inference', 'platform'] as const)(
    'export the same under every setting of hosts, none included, so that any change of them can be deployed: %s',
    (stack) => {
      const expected = exportsOf(standard, stack);
      expect(expected.length).toBeGreaterThan(0);
      for (const edge of EDGES)
        expect([edge, exportsOf(new SynthesizedApp(edge), stack)]).toEqual([edge, expected]);
    },
  );
});

describe.each(CHANGES)('a change of the settings from %s to %s', (from, to) => {
  const [before, after] = [new SynthesizedApp(from), new SynthesizedApp(to)];

  it('leaves every export that the previous ingress imports, so that it can be deployed', () => {
    const retained = new Set(
      (['data', 'inference', 'platform'] as const).flatMap((stack) => exportsOf(after, stack)),
    );
    expect(importsOf(before).length).toBeGreaterThan(5);
    expect(importsOf(before).filter((name) => !retained.has(name))).toEqual([]);
  });

  it('preserves the hostname', () => {
    const id = (app: SynthesizedApp) =>
      app.resources('ingress', 'AWS::CloudFront::Distribution').map(([each]) => each);
    expect(id(after)).toEqual(id(before));
  });

  it('changes nothing of the old host while calls still come to it', () => {
    const [old, fresh] = [before.templates.ingress.Resources, after.templates.ingress.Resources];
    const changed = Object.keys(old).filter(
      (id) =>
        id in fresh && !IN_PLACE.includes(old[id]?.Type ?? '') && settled(old[id]) !== settled(fresh[id]),
    );
    expect(changed).toEqual([]);
  });
});
