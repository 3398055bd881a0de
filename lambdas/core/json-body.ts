/** Reading a JSON body and validating it against a schema, with the offending field named. */
import type * as z from 'zod';
import { ServiceError } from './errors.ts';
import { isTooDeep, MAX_DEPTH, parseJson } from './lossless-json.ts';

/** A body as it was sent, and what it says. */
export interface JsonBody {
  readonly text: string;
  readonly value: unknown;
}

/**
 * Reads the body as JSON; whole numbers that a double cannot hold keep their digits. Throws 400
 * `unsupported_media_type` or `invalid_json`.
 */
export async function readJson(request: Request): Promise<JsonBody> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json' && !type.endsWith('+json')) {
    throw new ServiceError(
      'unsupported_media_type',
      'Send the body as JSON with "Content-Type: application/json".',
    );
  }
  const text = await request.text();
  if (text.trim() === '') throw new ServiceError('invalid_json', 'The body is empty; send a JSON object.');
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw new ServiceError('invalid_json', 'The body is not valid JSON.', { cause });
  }
  if (isTooDeep(value)) {
    throw new ServiceError('invalid_json', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  return { text, value };
}

/** Reads a body that may be left out, which then counts as an empty object. */
export async function readOptionalJson(request: Request): Promise<unknown> {
  const text = await request.clone().text();
  return text.trim() === '' ? {} : (await readJson(request)).value;
}

/** Validates a value. Throws 400 `missing_field` or `invalid_value` with the path of the first field that is wrong. */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues.map(deepest).sort((a, b) => a.path.length - b.path.length)[0];
  const path = issue === undefined ? '' : formatPath(issue.path);
  if (path === '') throw new ServiceError('invalid_value', 'The body must be a JSON object.');
  if (issue !== undefined && valueAt(value, issue.path) === undefined) {
    throw new ServiceError('missing_field', `${path} is required.`, { param: path });
  }
  throw new ServiceError('invalid_value', `${path}: ${issue?.message ?? 'is not valid'}.`, { param: path });
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Of a union's branches, the one that got furthest says best what is wrong. */
function deepest(issue: z.core.$ZodIssue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const branches = issue.errors.flat().map((inner) => {
    const found = deepest(inner);
    return { path: [...issue.path, ...found.path], message: found.message };
  });
  const best = branches.sort((a, b) => b.path.length - a.path.length)[0];
  return best === undefined || best.path.length === issue.path.length
    ? { path: issue.path, message: issue.message }
    : best;
}

/** `messages[2].content`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (at: unknown, part) => (at as Record<PropertyKey, unknown> | null | undefined)?.[part],
    value,
  );
}
