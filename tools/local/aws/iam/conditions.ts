/**
 * IAM conditions (IAM user guide, JSON policy elements: Condition): every operator and every key of a block must hold, one
 * of its values each. A key that the request does not carry does not hold. What is not known here is refused when the
 * policy is read: to guess might allow what AWS denies, or the other way round where the statement denies.
 */

/** The values of a request by condition key; several of a key with many, as `dynamodb:Attributes`. */
export type RequestContext = Readonly<Partial<Record<ConditionKey, string | readonly string[]>>>;

/** The keys that this service's policies use; AWS compares their names in any case. */
const KEYS = [
  'aws:SecureTransport',
  'aws:SourceAccount',
  'aws:SourceArn',
  'dynamodb:Attributes',
  'events:ManagedBy',
  'iam:PassedToService',
  'iam:PermissionsBoundary',
  'kms:GrantIsForAWSResource',
  'kms:ViaService',
  's3:if-none-match',
  'ses:FromAddress',
  'transcribe:OutputBucketName',
] as const;

type ConditionKey = (typeof KEYS)[number];

/** Returns whether a request meets a condition. */
export type IamCondition = (context: RequestContext) => boolean;

const OPERATORS: Readonly<Record<string, (pattern: string) => (value: string) => boolean>> = {
  StringEquals: (pattern) => (value) => value === pattern,
  Bool: (pattern) => (value) => value === pattern,
  // One of the request's values has to match (IAM user guide, Set operators for multivalued context keys).
  'ForAnyValue:StringEquals': (pattern) => (value) => value === pattern,
  // Both read wildcards (IAM user guide, ARN condition operators).
  ArnLike: (pattern) => arnMatcher(pattern),
  ArnEquals: (pattern) => arnMatcher(pattern),
};

/** Prepares the `IamCondition` of a statement; throws an error that names what is not known. */
export function compileCondition(block: unknown): IamCondition {
  if (block === undefined) return () => true;
  const tests = fieldsOf(block, block).flatMap(([operator, keys]) => {
    if (operator === 'Null') return fieldsOf(keys, block).map(nullTest(block));
    const test = OPERATORS[operator];
    if (test === undefined) throw unknown(`the operator ${operator}`, block);
    return fieldsOf(keys, block).map(([name, values]) => {
      const key = keyOf(name, block);
      const matchers = valuesOf(values, block).map(test);
      return (context: RequestContext) => {
        const requestValues = [context[key] ?? []].flat();
        return requestValues.some((value) => matchers.some((matches) => matches(value)));
      };
    });
  });
  return (context) => tests.every((holds) => holds(context));
}

/** The key is absent from the request for `true`, present for `false` (IAM user guide, Null condition operator). */
const nullTest =
  (block: unknown) =>
  ([name, value]: [string, unknown]): IamCondition => {
    const key = keyOf(name, block);
    return (context) => String(context[key] === undefined) === value;
  };

function keyOf(name: string, block: unknown): ConditionKey {
  const key = KEYS.find((knownKey) => knownKey.toLowerCase() === name.toLowerCase());
  if (key === undefined) throw unknown(`the key ${name}`, block);
  return key;
}

function fieldsOf(value: unknown, block: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unknown('its form', block);
  const fields = Object.entries(value);
  // AWS takes an empty one for met; nobody means that.
  if (fields.length === 0) throw unknown('an empty block', block);
  return fields;
}

function valuesOf(value: unknown, block: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((each) => {
    if (typeof each !== 'string') throw unknown(`the value ${JSON.stringify(each)}`, block);
    if (each.includes('${')) throw unknown(`the policy variable in ${each}`, block);
    return each;
  });
}

const unknown = (what: string, block: unknown) =>
  new Error(`the local runtime does not know ${what} of the IAM condition ${JSON.stringify(block)}`);

/** The six parts of an ARN are matched one by one, so that a wildcard of one takes nothing of the next. */
function arnMatcher(pattern: string): (value: string) => boolean {
  const parts = partsOf(pattern).map((part) => wildcard(part));
  return (value) => {
    const valueParts = partsOf(value);
    return valueParts.length === parts.length && parts.every((part, at) => part.test(valueParts[at] ?? ''));
  };
}

const ARN_PARTS = 6;

function partsOf(arn: string): readonly string[] {
  const parts = arn.split(':');
  return [...parts.slice(0, ARN_PARTS - 1), parts.slice(ARN_PARTS - 1).join(':')];
}

/** `*` is any text, `?` one character. */
export function wildcard(pattern: string, flags = ''): RegExp {
  const escaped = pattern
    .replace(/[.+^$()|[\]{}\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${escaped}$`, `s${flags}`);
}
