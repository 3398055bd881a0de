/**
 * Decides whether an error response of an OpenAI-compatible server is the fault of the route or of the request (OpenAI
 * docs, Error codes).
 */
import type { UpstreamFailure } from '../../core/upstream/provider.ts';
import { isFieldPath } from '../rejections/field-names.ts';
import { toStatusFailure } from '../rejections/status-failure.ts';

/** A field path as OpenAI writes them; nothing else of the upstream's text is passed on. */
const FIELD_PATH = /^[a-z_]{1,64}(\[\d{1,4}\]|\.[a-z_]{1,64}|\.\d{1,4}){0,8}$/;

/** Returns the failure that an error response means. Its body is read only if the request itself was rejected. */
export const toFailure = (response: Response): Promise<UpstreamFailure> =>
  toStatusFailure(response, { paramOf });

function paramOf(body: unknown): string | undefined {
  const param = (body as { error?: { param?: unknown } | null } | null | undefined)?.error?.param;
  return typeof param === 'string' && FIELD_PATH.test(param) && isFieldPath(param) ? param : undefined;
}
