/**
 * Decides whether an error response of an OpenAI-compatible server is the fault of the route or of the request (OpenAI
 * docs, Error codes).
 */
import type { UpstreamResponse } from '../../../platform/core/ports.ts';
import type { UpstreamFailure } from '../../core/upstream/provider.ts';
import { isFieldPath } from '../rejections/field-names.ts';
import { toStatusFailure } from '../rejections/status-failure.ts';

/** A field path as OpenAI writes them; nothing else of the upstream's text is passed on. */
const FIELD_PATH = /^[a-z_]{1,64}(\[\d{1,4}\]|\.[a-z_]{1,64}|\.\d{1,4}){0,8}$/;

/** Returns the failure that an error response means. Its body is read only if the request itself was rejected. */
export const toFailure = (response: UpstreamResponse): Promise<UpstreamFailure> =>
  toStatusFailure(response, { paramOf });

interface ErrorBody {
  readonly error?: { readonly param?: unknown } | null;
  readonly detail?: unknown;
}

function paramOf(body: unknown): string | undefined {
  const { error, detail } = Object(body) as ErrorBody;
  const param = error?.param ?? locationOf(detail);
  return typeof param === 'string' && FIELD_PATH.test(param) && isFieldPath(param) ? param : undefined;
}

/** Returns the path of the first error that a FastAPI server reports, whose status is 422 (FastAPI docs, Handling errors). */
function locationOf(detail: unknown): string | undefined {
  const [first] = Array.isArray(detail) ? (detail as readonly unknown[]) : [];
  const { loc } = Object(first) as { readonly loc?: unknown };
  if (!Array.isArray(loc) || loc[0] !== 'body') return undefined;
  return loc.slice(1).reduce<string>((path, name: unknown) => {
    if (typeof name === 'number') return `${path}[${name}]`;
    return path === '' ? String(name) : `${path}.${name}`;
  }, '');
}
