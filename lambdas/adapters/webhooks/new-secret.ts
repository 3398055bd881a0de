/** Makes signing secrets. */
import { randomBytes } from 'node:crypto';
import { SECRET_PREFIX, SIGNING_SECRET_BYTES } from '../../core/webhooks/signature.ts';

/** `whsec_` and base64, as Standard Webhooks writes them. */
export const newSigningSecret = (): string =>
  `${SECRET_PREFIX}${randomBytes(SIGNING_SECRET_BYTES).toString('base64')}`;
