/** Says what is wrong with a request in the words of the Claude API (`messages.0.content: Input should be a valid list`). */
import type { z } from 'zod';
import { type Finding, firstIssue, type Issue, valueAt } from '../exchange/first-issue.ts';

/** Fields whose value is one of several kinds, each of which the API names in the path. */
const VARIANT_FIELDS: ReadonlySet<PropertyKey> = new Set([
  'source',
  'tool_choice',
  'thinking',
  'cache_control',
]);

/** The kind of the variant at `path`, such as `tool_use`; undefined where the path names none. */
function variantAt(body: unknown, path: readonly PropertyKey[]): string | undefined {
  const [list, key] = [path.at(-2), path.at(-1)];
  const listed = typeof key === 'number' && (list === 'content' || list === 'tools');
  if (!listed && !VARIANT_FIELDS.has(key ?? '')) return undefined;
  const type = valueAt(body, [...path, 'type']);
  if (list === 'tools' && (type === undefined || type === null)) return 'custom';
  return typeof type === 'string' ? type : undefined;
}

/** `messages.0.content.1.tool_use.id`, as the API writes the path of a field. */
function locationOf(path: readonly PropertyKey[], body: unknown): string {
  return path
    .flatMap((key, index) => {
      const variant = index < path.length - 1 ? variantAt(body, path.slice(0, index + 1)) : undefined;
      return variant === undefined ? [String(key)] : [String(key), variant];
    })
    .join('.');
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'string',
  int: 'integer',
  number: 'number',
  boolean: 'boolean',
  array: 'list',
  object: 'dictionary',
  record: 'dictionary',
};

const quoted = (options: readonly unknown[]): string[] => options.map((option) => `'${String(option)}'`);

function oneOf(options: readonly unknown[]): string {
  const all = quoted(options);
  const last = all.pop() ?? '';
  return all.length === 0 ? last : `${all.join(', ')} or ${last}`;
}

function sizeMessage(
  issue: Issue & { code: 'too_small' | 'too_big' },
  name: PropertyKey | undefined,
): string {
  const [side, comparison, limit] =
    issue.code === 'too_small'
      ? (['at least', 'greater', issue.minimum] as const)
      : (['at most', 'less', issue.maximum] as const);
  if (issue.origin === 'string')
    return `String should have ${side} ${limit} character${limit === 1 ? '' : 's'}`;
  if (name === 'temperature' || name === 'top_p') return 'range: 0..1';
  return `Input should be ${comparison} than or equal to ${limit}`;
}

function unionMessage(issue: Issue & { code: 'invalid_union' }, value: unknown): string {
  if (issue.discriminator === undefined) return 'Input should be a valid list';
  const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
  return (
    `Input tag '${String(value)}' found using '${issue.discriminator}' does not match any of the expected tags: ` +
    quoted(options).join(', ')
  );
}

function messageOf({ issue, path, value }: Finding): string {
  if (issue.code === 'unrecognized_keys') return 'Extra inputs are not permitted';
  if (value === undefined) return 'Field required';
  if (issue.code === 'invalid_union') return unionMessage(issue, value);
  if (issue.code === 'invalid_type')
    return `Input should be a valid ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `Input should be ${oneOf(issue.values)}`;
  if (issue.code === 'too_small' || issue.code === 'too_big') return sizeMessage(issue, path.at(-1));
  if (
    issue.code === 'invalid_format' &&
    issue.format === 'regex' &&
    issue.message.startsWith('Invalid string')
  )
    return `String should match pattern '${String(issue.pattern).replace(/^\/|\/u?$/gu, '')}'`;
  return issue.message;
}

/** The first thing wrong with `body`, as the API would report it. */
export function validationError(error: z.ZodError, body: unknown): string {
  const finding = firstIssue(error, body);
  const { issue, path, value } = finding;
  if (path.length === 0 && issue.code !== 'unrecognized_keys')
    return 'Input should be a valid dictionary or object to extract fields from';
  if (path[0] === 'messages' && path[2] === 'role' && value === 'system')
    return "role 'system' is not supported on this model";
  const isWrongTag =
    issue.code === 'invalid_union' && issue.discriminator === path.at(-1) && value !== undefined;
  if (isWrongTag) return `${locationOf(path.slice(0, -1), body)}: ${messageOf(finding)}`;
  const extra = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  return `${locationOf([...path, ...extra], body)}: ${messageOf(finding)}`;
}
