import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Resource, SERVICE_STACKS, STACK_NAMES, SynthesizedApp } from './synthesized-app.ts';

const FILE = join(import.meta.dirname, 'pinned-resources.json');

/** The properties that set a name which only one resource may have. */
const NAMES = [
  'FunctionName',
  'QueueName',
  'StateMachineName',
  'AlarmName',
  'DashboardName',
  'LogGroupName',
  'Name',
  'ScheduleExpression',
  'BackupVaultName',
];

const app = new SynthesizedApp();

const nameOf = ({ Type, Properties = {} }: Resource): string =>
  Type === 'AWS::CloudWatch::Alarm' || Type === 'AWS::CloudWatch::Dashboard'
    ? ''
    : (NAMES.flatMap((name) => (typeof Properties[name] === 'string' ? [Properties[name]] : []))[0] ?? '');

/** Those that keep something, and those with a name of ours: stack, logical id, type and name. */
const resources = STACK_NAMES.flatMap((stack) =>
  Object.entries(app.templates[stack].Resources)
    .filter(
      ([, resource]) => resource.DeletionPolicy?.startsWith('Retain') === true || nameOf(resource) !== '',
    )
    .map(([id, resource]) => [stack, id, resource.Type, nameOf(resource)].filter(Boolean).join(' ')),
).toSorted();

/** The exports of the stacks: CloudFormation deletes none that a stack of the version before still imports. */
const exported = (['data', ...SERVICE_STACKS] as const)
  .flatMap((stack) =>
    Object.entries(app.templates[stack].Outputs)
      .filter(([, { Export: name }]) => name !== undefined)
      .map(([id]) => `${stack} export ${id}`),
  )
  .toSorted();

const lines = [...resources, ...exported];
if (process.env.PIN === 'write') writeFileSync(FILE, `${JSON.stringify(lines, null, 2)}\n`);

describe('a resource that is deployed', () => {
  it('retains its logical id, its name and its exports', () => {
    const pinned = JSON.parse(readFileSync(FILE, 'utf8')) as string[];
    const missing = pinned.filter((line) => !lines.includes(line));
    // Under another id CloudFormation makes it anew: a table without its rows, a secret of another value, or a name that
    // is taken. A resource that shall go, or that is new, is written down with PIN=write; say in the commit what becomes of it.
    // The stack with an export is updated first: an export that nothing imports anymore stays for one release.
    expect(missing).toEqual([]);
    expect(lines.filter((line) => !pinned.includes(line))).toEqual([]);
  });

  it('retains the block that generates a secret: CloudFormation generates another value if anything in it changes', () => {
    const blocks = app
      .resources('data', 'AWS::SecretsManager::Secret')
      .map(([id, { Properties }]) => [id.replace(/[0-9A-F]{8}$/, ''), Properties.GenerateSecretString]);
    const generated = (SecretStringTemplate: string, GenerateStringKey: string) => ({
      SecretStringTemplate,
      GenerateStringKey,
      PasswordLength: 64,
      ExcludePunctuation: true,
    });
    // Every key, session and webhook is void with another value, and the payment provider's keys are overwritten.
    expect(Object.fromEntries(blocks)).toEqual({
      KeyPepper: generated('{}', 'current'),
      SessionKey: generated('{}', 'current'),
      WebhookKey: generated('{}', 'current'),
      IdentitySecret: generated('{}', 'unused'),
      PaymentSecret: generated('{"api_key":"none"}', 'webhook_secret'),
    });
  });
});
