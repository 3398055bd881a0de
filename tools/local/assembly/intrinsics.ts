/**
 * Evaluates CloudFormation's intrinsic functions, so that templates can be read without deploying them.
 * Source: AWS CloudFormation user guide, intrinsic function reference.
 */

/** The account, Region and partition that everything local pretends to be in. */
export const ACCOUNT_ID = '000000000000';
export const REGION = 'us-east-1';
export const PARTITION = 'aws';

/** The references of an expression. Each method throws an error that names an unknown reference. */
export interface ReferenceScope {
  ref(logicalId: string): unknown;
  attribute(logicalId: string, name: string): unknown;
  importValue(name: string): unknown;
}

const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::AccountId': ACCOUNT_ID,
  'AWS::Region': REGION,
  'AWS::Partition': PARTITION,
  'AWS::URLSuffix': 'amazonaws.com',
};

type Intrinsic = (argument: unknown, scope: ReferenceScope) => unknown;

const INTRINSICS: Readonly<Record<string, Intrinsic>> = {
  Ref: (name, scope) => reference(String(name), scope),
  'Fn::GetAtt': (argument, scope) => {
    const [logicalId = '', ...name] = Array.isArray(argument) ? argument : String(argument).split('.');
    return scope.attribute(String(logicalId), name.join('.'));
  },
  'Fn::Join': (argument, scope) => {
    const [separator, values] = list(argument, scope);
    return list(values, scope).join(String(separator));
  },
  'Fn::Sub': (argument, scope) => substitute(argument, scope),
  'Fn::ImportValue': (argument, scope) => scope.importValue(String(resolveIntrinsics(argument, scope))),
  'Fn::Select': (argument, scope) => {
    const [index, values] = list(argument, scope);
    return list(values, scope)[Number(index)];
  },
  'Fn::Split': (argument, scope) => {
    const [separator, text] = list(argument, scope);
    return String(text).split(String(separator));
  },
};

/** Returns the value with every intrinsic function in it evaluated; throws an error that names an unknown one. */
export function resolveIntrinsics(value: unknown, scope: ReferenceScope): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveIntrinsics(item, scope));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? ['', undefined];
  if (entries.length === 1 && (name === 'Ref' || name.startsWith('Fn::'))) {
    const intrinsic = INTRINSICS[name];
    if (intrinsic === undefined)
      throw new Error(`the local runtime does not know the intrinsic function ${name}`);
    return intrinsic(argument, scope);
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, resolveIntrinsics(item, scope)]));
}

function reference(name: string, scope: ReferenceScope): unknown {
  return PSEUDO_PARAMETERS[name] ?? scope.ref(name);
}

function list(value: unknown, scope: ReferenceScope): unknown[] {
  const resolved = resolveIntrinsics(value, scope);
  if (!Array.isArray(resolved))
    throw new Error(`expected a list in a template, got ${JSON.stringify(resolved)}`);
  return resolved;
}

function substitute(argument: unknown, scope: ReferenceScope): string {
  const [text, variables] = (Array.isArray(argument) ? argument : [argument, {}]) as [
    string,
    Record<string, unknown>,
  ];
  return text.replace(/\$\{([^}]+)\}/g, (_, expression: string) => {
    if (expression.startsWith('!')) return `\${${expression.slice(1)}}`;
    if (Object.hasOwn(variables, expression)) return String(resolveIntrinsics(variables[expression], scope));
    const [logicalId = '', ...attribute] = expression.split('.');
    return String(
      attribute.length === 0 ? reference(expression, scope) : scope.attribute(logicalId, attribute.join('.')),
    );
  });
}
