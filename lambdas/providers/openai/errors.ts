/** An error answer of an OpenAI-compatible server: is the route at fault, or the request (OpenAI docs, Error codes)? */
import { UpstreamFailure } from '../../core/inference/provider.ts';

/** Statuses by which a route that understood the request says that no other route will do better. */
const CALLER_FAULTS: ReadonlySet<number> = new Set([400, 413, 422]);

/** A field path as OpenAI writes them; nothing else of the upstream's text is passed on. */
const FIELD_PATH = /^[a-z_]{1,64}(\[\d{1,4}\]|\.[a-z_]{1,64}|\.\d{1,4}){0,8}$/;

/** An error body is small; more than this is not read. */
const MAX_ERROR_BYTES = 64 * 1024;

/** What an error answer means; only a refusal of the request itself is read. */
export async function toFailure(response: Response): Promise<UpstreamFailure> {
  const { status } = response;
  const retryable = !CALLER_FAULTS.has(status);
  return new UpstreamFailure('status', {
    status,
    retryable,
    retryAfterSeconds: retryAfter(response.headers.get('retry-after')),
    param: retryable ? undefined : await refusedParam(response),
  });
}

/** Delay-seconds form (RFC 9110, section 10.2.3); a date or nonsense counts as absent. */
function retryAfter(value: string | null): number | undefined {
  if (value === null || !/^\d{1,6}$/.test(value.trim())) return undefined;
  return Math.max(1, Number(value));
}

async function refusedParam(response: Response): Promise<string | undefined> {
  try {
    const body = JSON.parse(await readBounded(response)) as { error?: { param?: unknown } | null } | null;
    const param = body?.error?.param;
    return typeof param === 'string' && FIELD_PATH.test(param) ? param : undefined;
  } catch {
    return undefined;
  }
}

/** The body's text; throws when there is more of it than an error has. */
async function readBounded({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MAX_ERROR_BYTES) throw new Error('not an error body');
  }
  return text;
}
