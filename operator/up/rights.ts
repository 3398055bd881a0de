/** The IAM rights that a deployment creates, as one summary of its synthesized templates. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { POLICY_TYPES } from '../policies/execution.ts';

const oneOrMore = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());

const statement = z.looseObject({
  Effect: z.string(),
  Action: oneOrMore.optional(),
  Resource: z.unknown().optional(),
  Principal: z.looseObject({ Service: z.unknown() }).optional(),
});

const template = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string(), Properties: z.unknown() })),
});

type Statement = z.infer<typeof statement>;

/** Returns the summary as lines: who may act, with which actions of each service, and on what if it is everything. */
export function rightsOf(assembly: string): readonly string[] {
  const resources = globSync(join(assembly, '*.template.json')).flatMap((file) =>
    Object.values(template.parse(JSON.parse(readFileSync(file, 'utf8'))).Resources),
  );
  const roles = resources.filter(({ Type }) => Type === 'AWS::IAM::Role');
  const trusts = statementsIn(
    roles.map(({ Properties }) => (Properties as object)['AssumeRolePolicyDocument' as never]),
  );
  const policies = resources.filter(({ Type }) => POLICY_TYPES.includes(Type));
  const statements = statementsIn(
    policies.flatMap(({ Properties }) => {
      const { Policies: inline = [], PolicyDocument: own } = Properties as {
        readonly Policies?: readonly { readonly PolicyDocument: unknown }[];
        readonly PolicyDocument?: unknown;
      };
      return [...inline.map(({ PolicyDocument }) => PolicyDocument), ...(own === undefined ? [] : [own])];
    }),
  );
  const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
  return [
    `${roles.length} roles, which only AWS services can assume: ${servicesIn(trusts).join(', ')}`,
    'they may, on the resources of the stage:',
    ...byService(allowed.filter(({ Resource }) => !isEverything(Resource))).map((line) => `  ${line}`),
    'they may, on every resource, because the action takes none:',
    ...byService(allowed.filter(({ Resource }) => isEverything(Resource))).map((line) => `  ${line}`),
  ];
}

const statementsIn = (documents: readonly unknown[]): readonly Statement[] =>
  documents.flatMap((document) =>
    z.array(statement).parse([(document as { readonly Statement: unknown }).Statement].flat()),
  );

const isEverything = (resource: unknown): boolean => [resource].flat().includes('*');

function servicesIn(trusts: readonly Statement[]): readonly string[] {
  const names = trusts.flatMap(({ Principal }) => [Principal?.Service].flat());
  return [...new Set(names.filter((name) => typeof name === 'string'))].sort();
}

/** Returns a line for each service: its actions, without its name. */
function byService(statements: readonly Statement[]): readonly string[] {
  const actions = [...new Set(statements.flatMap(({ Action }) => Action ?? []))].sort();
  const services = Map.groupBy(actions, (action) => action.slice(0, action.indexOf(':')));
  return [...services].map(
    ([service, names]) => `${service}: ${names.map((name) => name.slice(service.length + 1)).join(', ')}`,
  );
}
