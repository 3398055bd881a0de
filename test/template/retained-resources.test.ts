import { describe, expect, it } from '@jest/globals';
import { CONFIGURATIONS, type ConfigurationName } from './configurations.ts';
import { type StackName, SynthesizedApp } from './synthesized-app.ts';

const configurations = (Object.keys(CONFIGURATIONS) as ConfigurationName[]).map(
  (name) => [name, new SynthesizedApp(name)] as const,
);

/** Returns the resources that a stack leaves behind when it is deleted. */
const retainedIn = ({ templates }: SynthesizedApp) =>
  (Object.keys(templates) as StackName[]).flatMap((stack) =>
    Object.entries(templates[stack].Resources).filter(([, { DeletionPolicy: policy = '' }]) =>
      policy.startsWith('Retain'),
    ),
  );

/** The types that are retained even if the creation of their stack fails, and the reason. */
const ALWAYS = {
  'AWS::DynamoDB::GlobalTable': 'Nothing can delete a table that is protected from deletion.',
  'AWS::ApiGateway::Account': 'It is a setting of the region, which other APIs may use by then.',
  'AWS::IAM::Role': 'The setting of the region names the role.',
  'AWS::Logs::LogGroup': 'The CDK creates it for the copy of the code of a Web Function.',
} as const;

describe.each(configurations)('with the settings "%s", a retained resource', (_, app) => {
  it('leaves no name taken that the next deployment of the stage needs', () => {
    const names = retainedIn(app).flatMap(([id, { Type, Properties = {} }]) =>
      Object.entries(Properties)
        .filter(([property]) => /Name$/.test(property))
        // The id of a stack is another one in each deployment.
        .filter(([, value]) => !JSON.stringify(value).includes('{"Ref":"AWS::StackId"}'))
        .map(([property, value]) => ({ id, Type, property, value })),
    );
    expect(names).toEqual([]);
  });

  it('remains after a failed creation for a reason only', () => {
    const kept = retainedIn(app).filter(([, { DeletionPolicy: policy }]) => policy === 'Retain');
    const unexplained = kept.filter(([, { Type }]) => !(Type in ALWAYS));
    expect(unexplained.map(([id, { Type }]) => `${Type} ${id}`)).toEqual([]);
  });
});

it('the list of reasons contains only resources that the templates have', () => {
  const types = new Set(configurations.flatMap(([, app]) => retainedIn(app).map(([, { Type }]) => Type)));
  expect(Object.keys(ALWAYS).filter((type) => !types.has(type))).toEqual([]);
});

describe('the plan of GuardDuty', () => {
  it('exists with builds alone, outside of the stack with the tables', () => {
    const plans = configurations.map(([name, app]) => [
      name,
      app.resources('data', 'AWS::GuardDuty::MalwareProtectionPlan').length,
      app.resources('platform', 'AWS::GuardDuty::MalwareProtectionPlan').length,
    ]);
    expect(plans).toEqual(
      configurations.map(([name]) => [name, 0, 'buildScan' in CONFIGURATIONS[name] ? 1 : 0]),
    );
  });
});
