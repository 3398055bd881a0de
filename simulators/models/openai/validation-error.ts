/** Says what is wrong with a request in the words, `param` and `code` OpenAI uses, which clients match on. */
import type { z } from 'zod';
import { type Issue, valueAt } from '../exchange/first-issue.ts';
import type { OpenAiError } from './protocol.ts';

type RangeIssue = Issue & { code: 'too_small' | 'too_big' };

/** `messages[0].content`, as OpenAI writes the path of a field. */
function paramOf(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./u, '');
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  int: 'an integer',
  number: 'a decimal',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (Number.isInteger(value)) return 'an integer';
  return TYPE_NAMES[typeof value] ?? typeof value;
}

const missing = (param: string): OpenAiError => ({
  message: `Missing required parameter: '${param}'.`,
  param,
  code: 'missing_required_parameter',
});

const wrongType = (param: string, expected: string, value: unknown): OpenAiError => ({
  message: `Invalid type for '${param}': expected ${expected}, but got ${typeName(value)} instead.`,
  param,
  code: 'invalid_type',
});

function unsupportedValue(param: string, supported: readonly unknown[], value: unknown): OpenAiError {
  const list = supported.map((option) => `'${String(option)}'`).join(', ');
  return {
    message: `Invalid value: '${String(value)}'. Supported values are: ${list}.`,
    param,
    code: 'invalid_value',
  };
}

/** Whether OpenAI calls the number in a range error an integer or a decimal depends on the field. */
const INTEGER_FIELDS = new Set(['n', 'max_tokens', 'max_completion_tokens']);

function lengthError(issue: RangeIssue, param: string): OpenAiError {
  const kind = issue.origin;
  const article = kind === 'array' ? 'an' : 'a';
  if (issue.code === 'too_big') {
    const message = `Invalid '${param}': ${kind} too long. Expected ${article} ${kind} with maximum length ${issue.maximum}.`;
    return { message, param, code: `${kind}_above_max_length` };
  }
  const message =
    `Invalid '${param}': empty ${kind}. Expected ${article} ${kind} with minimum length ${issue.minimum}, ` +
    `but got an empty ${kind} instead.`;
  return { message, param, code: `empty_${kind}` };
}

function rangeError(issue: RangeIssue, param: string, value: unknown): OpenAiError {
  if (issue.origin === 'array' || issue.origin === 'string') return lengthError(issue, param);
  const number = INTEGER_FIELDS.has(param) ? 'integer' : 'decimal';
  const [side, limit, code] =
    issue.code === 'too_small'
      ? ['below minimum', `>= ${issue.minimum}`, `${number}_below_min_value`]
      : ['above maximum', `<= ${issue.maximum}`, `${number}_above_max_value`];
  const message = `Invalid '${param}': ${number} ${side} value. Expected a value ${limit}, but got ${String(value)} instead.`;
  return { message, param, code };
}

/** The roles as OpenAI lists them; the validator's own list has them in another order. */
const ROLES = ['system', 'assistant', 'user', 'tool', 'developer'];

/** Of a union, the error inside the branch that got furthest, or that none of the types fits. */
function unionError(
  issue: Issue & { code: 'invalid_union' },
  path: readonly PropertyKey[],
  body: unknown,
): OpenAiError {
  const param = paramOf(path);
  const value = valueAt(body, path);
  if (issue.discriminator !== undefined) {
    const key = issue.path.at(-1) === issue.discriminator ? path : [...path, issue.discriminator];
    if (value === undefined) return missing(paramOf(key));
    const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
    const supported = issue.discriminator === 'role' ? ROLES : options;
    return unsupportedValue(paramOf(key), supported, valueAt(body, key));
  }
  if (value === undefined) return missing(param);
  const candidates = issue.errors.flat();
  const inner =
    candidates.find((candidate) => candidate.path.length > 0) ??
    candidates.find((candidate) => candidate.code !== 'invalid_type');
  if (inner !== undefined) return issueError(inner, path, body);
  const items = param === 'stop' ? 'strings' : 'objects';
  return wrongType(param, `one of a string or array of ${items}`, value);
}

function issueError(issue: Issue, prefix: readonly PropertyKey[], body: unknown): OpenAiError {
  const path = [...prefix, ...issue.path];
  const param = paramOf(path);
  const value = valueAt(body, path);
  if (issue.code === 'invalid_union') return unionError(issue, path, body);
  if (value === undefined) return missing(param);
  if (issue.code === 'invalid_type')
    return wrongType(param, TYPE_NAMES[issue.expected] ?? issue.expected, value);
  if (issue.code === 'invalid_value') return unsupportedValue(param, issue.values, value);
  if (issue.code === 'too_small' || issue.code === 'too_big') return rangeError(issue, param, value);
  return { message: `Invalid '${param}': ${issue.message}.`, param, code: 'invalid_value' };
}

/** The first thing wrong with `body`, as OpenAI would report it. */
export function validationError(error: z.ZodError, body: unknown): OpenAiError {
  const first = error.issues[0];
  if (first?.path[0] === 'model' && valueAt(body, ['model']) === undefined) {
    return { message: 'you must provide a model parameter' };
  }
  if (first === undefined || first.path.length === 0)
    return { message: 'The request body must be a JSON object.' };
  return issueError(first, [], body);
}
