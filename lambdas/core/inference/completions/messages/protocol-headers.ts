/** What a caller's headers say of the Messages protocol (Claude API docs, Versions; Beta headers). */
import { ServiceError } from '../../../errors.ts';
import { beta } from '../../catalog/betas.ts';
import type { ProtocolHeaders } from '../../upstream/provider.ts';

/** More than any client sends: Claude Code sends about ten. */
const MAX_BETAS = 50;

const VERSION = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The version, if it is one, and the flags, each once. Throws 400 `invalid_value` for what can be no flag, and for too
 * many of them.
 */
export function protocolHeadersOf(headers: Pick<Headers, 'get'>): ProtocolHeaders {
  const version = headers.get('anthropic-version')?.trim() ?? '';
  const flags = (headers.get(FIELD) ?? '')
    .split(',')
    .map((flag) => flag.trim())
    .filter((flag) => flag !== '');
  if (flags.length > MAX_BETAS) throw invalid(`${FIELD}: must be at most ${MAX_BETAS} flags.`);
  if (flags.some((flag) => !beta.safeParse(flag).success))
    throw invalid(`${FIELD}: must be names of betas, separated by commas.`);
  return { ...(VERSION.test(version) ? { version } : {}), betas: [...new Set(flags)] };
}

const FIELD = 'anthropic-beta';

const invalid = (message: string) => new ServiceError('invalid_value', message, { param: FIELD });
