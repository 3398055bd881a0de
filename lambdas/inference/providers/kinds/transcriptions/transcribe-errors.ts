/** Errors of Amazon Transcribe and of S3 by their names, and the reasons of failed jobs (Amazon Transcribe API reference). */
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { toFailure } from '../../bedrock/errors.ts';
import { rejectionOf } from '../../rejections/rejection.ts';

/** The status of a request that the caller has to change. */
const REJECTED = 400;

const RATE_LIMITED = 429;

/** Transcribe reports a limit of jobs at once by the first, and S3 one of requests by the last. */
const LIMITS: ReadonlySet<unknown> = new Set(['LimitExceededException', 'ThrottlingException', 'SlowDown']);

/** Reasons that concern the recording: its format, size, length, sample rate or channels. */
const ABOUT_THE_FILE =
  /(media|audio) ?format|sample rate|file size|too (small|short|large|long|many channels)|number of channels|file isn.t valid|duration/i;

const rejected = (param: string, message: unknown): UpstreamFailure =>
  new UpstreamFailure('status', {
    status: REJECTED,
    retryable: false,
    param,
    rejection: rejectionOf(REJECTED, message),
  });

/** Returns the failure of an attempt. A request that is rejected for the bucket is the route's fault. */
export function toStartFailure(thrown: unknown, signal: AbortSignal): UpstreamFailure {
  const { name, message } = Object(thrown) as { readonly name?: unknown; readonly message?: unknown };
  if (LIMITS.has(name)) return new UpstreamFailure('status', { status: RATE_LIMITED });
  if (name === 'BadRequestException') {
    const text = String(message);
    if (/languageCode/i.test(text)) return rejected('language', text);
    if (ABOUT_THE_FILE.test(text)) return rejected('file', text);
  }
  return toFailure(thrown, signal);
}

/** Returns the failure of a job that has failed. */
export const toJobFailure = (reason: string): UpstreamFailure =>
  ABOUT_THE_FILE.test(reason) ? rejected('file', reason) : new UpstreamFailure('interrupted');
