/** The error in a request's body; each protocol puts it into its own error envelope. */
import type { z } from 'zod';

export type FieldPath = readonly PropertyKey[];

/** `messages[0].content`, as OpenAI and Google write the path of a field. */
export const fieldPath = (path: FieldPath): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./u, '');

export class RequestError extends Error {
  /** The path of the error in the body; empty for the whole body. */
  readonly path: FieldPath;
  readonly reason: 'missing' | 'wrong_type' | 'invalid' | 'unknown';
  readonly status: number;
  /** The whole body of the refusal, where the provider's differs from its usual envelope. */
  readonly body: unknown;

  constructor(
    message: string,
    path: FieldPath = [],
    {
      reason = 'invalid',
      status = 400,
      body,
    }: Partial<Pick<RequestError, 'reason' | 'status' | 'body'>> = {},
  ) {
    super(message);
    this.name = 'RequestError';
    this.path = path;
    this.reason = reason;
    this.status = status;
    this.body = body;
  }
}

const valueAt = (body: unknown, path: FieldPath): unknown =>
  path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    body,
  );

/** The first issue; of a union, the one inside the branch that got furthest. */
function toRequestError(issue: z.core.$ZodIssue, prefix: FieldPath, body: unknown): RequestError {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return new RequestError('Extra inputs are not permitted', [...path, ...issue.keys.slice(0, 1)], {
      reason: 'unknown',
    });
  const isMissing = valueAt(body, path) === undefined;
  if (isMissing) return new RequestError('Field required', path, { reason: 'missing' });
  const inner =
    issue.code === 'invalid_union' ? issue.errors.flat().find((each) => each.path.length > 0) : undefined;
  if (inner !== undefined) return toRequestError(inner, path, body);
  const isType = issue.code === 'invalid_type';
  return new RequestError(issue.message, path, { reason: isType ? 'wrong_type' : 'invalid' });
}

/** The request that `body` is. Throws `RequestError` for a body that is not one. */
export function readRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  if (body === undefined)
    throw new RequestError('The request body is not valid JSON.', [], { reason: 'wrong_type' });
  const parsed = schema.safeParse(body);
  const [issue] = parsed.error?.issues ?? [];
  if (issue !== undefined) throw toRequestError(issue, [], body);
  return parsed.data as z.infer<Schema>;
}

export function requireThat(holds: boolean, message: string, path: FieldPath = []): void {
  if (!holds) throw new RequestError(message, path);
}
