/** Reading a JSON body and validating it against a schema, with the offending field named. */
import * as z from 'zod';
import { ServiceError } from '../errors.ts';
import type { HttpRequest } from '../ports.ts';
import { describeFault } from './field-faults.ts';
import { checkShape } from './json-shape.ts';
import { parseJson } from './lossless-json.ts';

// Schemas are also run within other schemas, so the words are set for all of them.
z.config({ customError: describeFault });

/** A body as it was sent, and its parsed value. */
export interface JsonBody {
  readonly text: string;
  readonly value: unknown;
}

/**
 * Reads the body as JSON; integers that a double cannot represent keep their digits. Throws 400
 * `unsupported_media_type`, `invalid_json`, or `invalid_value` for more values or digits than any request needs.
 */
export async function readJson(request: HttpRequest): Promise<JsonBody> {
  const text = await request.text();
  return parseBody(request.headers, text);
}

/** Reads a body that may be left out, which then counts as an empty object. */
export async function readOptionalJson(request: HttpRequest): Promise<unknown> {
  const text = await request.text();
  return text.trim() === '' ? {} : parseBody(request.headers, text).value;
}

/** Throws 400 `unsupported_media_type` for a compressed body: its size is unknown until it is decoded. */
export function requirePlainBody(headers: Pick<Headers, 'get'>): void {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return;
  throw new ServiceError(
    'unsupported_media_type',
    'The body is compressed. Send it without "Content-Encoding".',
  );
}

function parseBody(headers: Pick<Headers, 'get'>, text: string): JsonBody {
  requirePlainBody(headers);
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json' && !type.endsWith('+json')) {
    throw new ServiceError(
      'unsupported_media_type',
      'Send the body as JSON with "Content-Type: application/json".',
    );
  }
  if (text.trim() === '') throw new ServiceError('invalid_json', 'The body is empty; send a JSON object.');
  checkShape(text);
  try {
    return { text, value: parseJson(text) };
  } catch (failure) {
    throw new ServiceError('invalid_json', `The body is not valid JSON${placeOf(failure, text)}.`);
  }
}

/** A longer text is not searched for its fault: the search parses it about as often as its length has binary digits. */
const MAX_SEARCHED = 10_000;

/** Returns the place of the first fault, if it can be found. The parser's other words repeat the body. */
function placeOf(failure: unknown, text: string): string {
  const message = messageOf(failure);
  if (message.startsWith('Unexpected end')) return ': it ends too early';
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
  if (line !== undefined) return ` at line ${line}, column ${column}`;
  if (text.length > MAX_SEARCHED) return '';
  const lines = text.slice(0, validLength(text)).split('\n');
  return ` at line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

const messageOf = (failure: unknown): string => (failure instanceof SyntaxError ? failure.message : '');

/** Returns the length of the longest start of the text that could still become valid JSON. */
function validLength(text: string): number {
  let [valid, invalid] = [0, text.length];
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isValidStart(text.slice(0, middle))) valid = middle;
    else invalid = middle;
  }
  return valid;
}

function isValidStart(start: string): boolean {
  try {
    JSON.parse(start);
    return true;
  } catch (failure) {
    const message = messageOf(failure);
    return message.startsWith('Unexpected end') || message.includes(` at position ${start.length} `);
  }
}

/** Validates a value. Throws 400 `missing_field` or `invalid_value` with the path of the first field that is wrong. */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = shallowest(result.error.issues);
  const path = issue === undefined ? '' : shorten(formatPath(issue.path), MAX_PATH);
  if (path === '') throw new ServiceError('invalid_value', 'The body must be a JSON object.');
  if (issue !== undefined && valueAt(value, issue.path) === undefined) {
    throw new ServiceError('missing_field', `${path} is required.`, { param: path });
  }
  const message = shorten(issue?.message ?? 'is not valid', MAX_MESSAGE);
  throw new ServiceError('invalid_value', `${path}: ${message}.`, { param: path });
}

/** A name in the body, and the error about it, may be as long as the body; a response may not. */
const MAX_PATH = 200;
const MAX_MESSAGE = 500;

const shorten = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The first of those with the shortest path. */
function shallowest(issues: readonly z.core.$ZodIssue[]): Issue | undefined {
  let best: Issue | undefined;
  for (const each of issues) {
    const issue = deepest(each);
    if (best === undefined || issue.path.length < best.path.length) best = issue;
  }
  return best;
}

/** Returns the issue of the branch of a union that got furthest, because it describes the fault best. */
function deepest(issue: z.core.$ZodIssue): Issue {
  // Only the body itself has no name: a part that may not have a field is named with it.
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0)
    return { path: issue.keys.slice(0, 1), message: 'is no field of this request' };
  if (issue.code !== 'invalid_union') return issue;
  const branches = issue.errors.flat().map((inner) => {
    const deepestIssue = deepest(inner);
    return { path: [...issue.path, ...deepestIssue.path], message: deepestIssue.message };
  });
  const best = branches.sort((a, b) => b.path.length - a.path.length)[0];
  return best === undefined || best.path.length === issue.path.length
    ? { path: issue.path, message: issue.message }
    : best;
}

/** `messages[2].content`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((segment, index) =>
      typeof segment === 'number' ? `[${segment}]` : `${index === 0 ? '' : '.'}${String(segment)}`,
    )
    .join('');
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (at: unknown, segment) => (at as Record<PropertyKey, unknown> | null | undefined)?.[segment],
    value,
  );
}
