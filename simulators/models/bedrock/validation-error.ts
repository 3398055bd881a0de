/** Says what is wrong with a request in the words of AWS's own validation (`Value '' at 'system.1.member' failed to ...`). */
import type { z } from 'zod';
import { type Finding, firstIssue, type Issue } from '../exchange/first-issue.ts';

export interface AwsError {
  readonly type: string;
  readonly message: string;
}

/** `messages.1.member.content.2.member.text`: members of lists count from one. */
const locationOf = (path: readonly PropertyKey[]): string =>
  path.map((key) => (typeof key === 'number' ? `${key + 1}.member` : String(key))).join('.');

/** What the reader of JSON calls a value. */
function tokenOf(value: unknown): string {
  if (Array.isArray(value)) return 'START_ARRAY';
  if (typeof value === 'object') return 'START_OBJECT';
  if (typeof value === 'boolean') return value ? 'TRUE_VALUE' : 'FALSE_VALUE';
  return `${typeof value}_VALUE`.toUpperCase();
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a String',
  int: 'an Integer',
  number: 'a Float',
  boolean: 'a Boolean',
  array: 'a List',
  object: 'a Structure',
  record: 'a Map',
};

function sizeConstraint(issue: Issue & { code: 'too_small' | 'too_big' }): string {
  const measure = issue.origin === 'string' || issue.origin === 'array' ? 'length' : 'value';
  return issue.code === 'too_small'
    ? `Member must have ${measure} greater than or equal to ${issue.minimum}`
    : `Member must have ${measure} less than or equal to ${issue.maximum}`;
}

function constraintOf({ issue, value }: Finding): string {
  if (value === undefined || value === null) return 'Member must not be null';
  if (issue.code === 'too_small' || issue.code === 'too_big') return sizeConstraint(issue);
  if (issue.code === 'invalid_value')
    return `Member must satisfy enum value set: [${issue.values.map(String).join(', ')}]`;
  if (issue.code === 'invalid_format' && issue.format === 'regex')
    return `Member must satisfy regular expression pattern: ${String(issue.pattern).replace(/^\/\^?|\$?\/u?$/gu, '')}`;
  return issue.message;
}

const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';

function valueText(value: unknown): string {
  if (value === undefined || value === null) return 'Value null';
  return isScalar(value) ? `Value '${String(value)}'` : 'Value';
}

/** The first thing wrong with a body, as the service would report it. */
export function validationError(error: z.ZodError, body: unknown): AwsError {
  const finding = firstIssue(error, body);
  const { issue, path, value } = finding;
  if (issue.code === 'unrecognized_keys')
    return {
      type: 'ValidationException',
      message: `Malformed input request: extraneous key [${issue.keys.join(', ')}] is not permitted, please reformat your input and try again.`,
    };
  if (issue.code === 'invalid_type' && value !== undefined && value !== null)
    return {
      type: 'SerializationException',
      message: `${tokenOf(value)} can not be converted to ${TYPE_NAMES[issue.expected] ?? issue.expected}`,
    };
  const complaint = `${valueText(value)} at '${locationOf(path)}' failed to satisfy constraint: ${constraintOf(finding)}`;
  return { type: 'ValidationException', message: `1 validation error detected: ${complaint}` };
}
