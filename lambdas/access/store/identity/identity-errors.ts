/** The errors of a failed sign-in. They give no reason: it would show a forger how far it got. */
import { ServiceError } from '../../../platform/core/errors.ts';

/** Long enough for a hiccup of the provider to pass. */
const RETRY_AFTER_SECONDS = 5;

export const invalidToken = (cause?: unknown): ServiceError =>
  new ServiceError('invalid_token', "The identity provider's token is not valid.", { param: 'token', cause });

export const invalidCode = (cause?: unknown): ServiceError =>
  new ServiceError('invalid_token', "The identity provider's authorization code is not valid.", {
    param: 'code',
    cause,
  });

export const providerUnavailable = (cause?: unknown): ServiceError =>
  new ServiceError('identity_provider_unavailable', 'The identity provider does not respond.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
