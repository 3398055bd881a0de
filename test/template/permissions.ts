/** The permissions of the roles in a template, action by action, with tables and secrets by name. */
import type { StackName, SynthesizedApp } from './synthesized-app.ts';

export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
  readonly NotAction?: unknown;
  readonly NotResource?: unknown;
}

interface Document {
  readonly Statement: readonly Statement[];
}

const list = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);

/** A resource as `stack:Name.attribute`, the logical id without its hash and `Table` before it, or as a literal ARN. */
export function resourceName(app: SynthesizedApp, stack: StackName, resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const join = (resource as { readonly 'Fn::Join'?: readonly [string, readonly unknown[]] })['Fn::Join'];
  if (join !== undefined) return join[1].map((part) => resourceName(app, stack, part)).join(join[0]);
  const reference = app.reference(stack, resource);
  if (reference === undefined) throw new Error(`${JSON.stringify(resource)} names no resource`);
  if (reference.id.startsWith('AWS::')) return `<${reference.id}>`;
  return `${reference.stack}:${reference.id.replace(/(Table)?[0-9A-F]{8}$/, '')}.${reference.attribute}`;
}

/** The statements of every policy of a stack, by the resource that has them: a policy of its own, or a role. */
export function policiesOf(
  app: SynthesizedApp,
  stack: StackName,
): readonly (readonly [id: string, statements: readonly Statement[]])[] {
  const rolePolicies = app
    .resources(stack, 'AWS::IAM::Policy')
    .map(([id, { Properties }]) => [id, (Properties.PolicyDocument as Document).Statement] as const);
  const inline = app
    .resources(stack, 'AWS::IAM::Role')
    .flatMap(([id, { Properties }]) =>
      ((Properties.Policies ?? []) as readonly { readonly PolicyDocument: Document }[]).map(
        ({ PolicyDocument }) => [id, PolicyDocument.Statement] as const,
      ),
    );
  return [...rolePolicies, ...inline];
}

/** `action resource` for all that the role may do; throws on anything but plain statements. */
export function permissionsOf(app: SynthesizedApp, stack: StackName, roleId: string): string[] {
  const role = app.templates[stack].Resources[roleId]?.Properties;
  const inline = (role?.Policies ?? []) as readonly { readonly PolicyDocument: Document }[];
  const attached = app
    .resources(stack, 'AWS::IAM::Policy')
    .filter(([, { Properties }]) =>
      list(Properties.Roles).some((named) => app.reference(stack, named)?.id === roleId),
    )
    .map(([, { Properties }]) => Properties.PolicyDocument as Document);
  return [...inline.map(({ PolicyDocument }) => PolicyDocument), ...attached]
    .flatMap(({ Statement: statements }) => statements)
    .filter(({ Effect: effect }) => effect !== 'Deny')
    .flatMap((statement) => {
      if (statement.NotAction !== undefined || statement.NotResource !== undefined)
        throw new Error(`${roleId} has a statement of an unexpected shape`);
      return list(statement.Action).flatMap((action) =>
        list(statement.Resource).map((resource) => `${action} ${resourceName(app, stack, resource)}`),
      );
    })
    .sort();
}
