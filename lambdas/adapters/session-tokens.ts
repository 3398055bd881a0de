/** Sessions as signed tokens (JSON Web Token, RFC 7519), so that no database is asked who has signed in. */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { errors, jwtVerify, SignJWT } from 'jose';
import { requireVariable, VARIABLES } from '../contract/environment.ts';
import { SERVICE_NAME } from '../contract/limits.ts';
import type { SessionTokens } from '../core/access/session.ts';
import type { Clock, Log } from '../core/ports.ts';
import { createSecretsClient } from './clients.ts';
import { createRotatedSource, createSecretReader, type RotatedSecret } from './secrets.ts';
import { systemClock } from './system.ts';

const ALGORITHM = 'HS256';
const AUDIENCE = 'session';
const ACCOUNT = /^acc_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Tokens under a key that only the service has; one signed under the key before it is good until it ends. */
export function createSessionTokens(keys: () => Promise<RotatedSecret>, clock: Clock): SessionTokens {
  async function verifyUnder(token: string, key: string): Promise<string | undefined> {
    try {
      const { payload } = await jwtVerify(token, new TextEncoder().encode(key), {
        algorithms: [ALGORITHM],
        issuer: SERVICE_NAME,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'exp'],
        currentDate: new Date(clock()),
      });
      return payload.sub;
    } catch (failure) {
      if (failure instanceof errors.JOSEError) return undefined;
      throw failure;
    }
  }

  return {
    async issue(accountId, ttlSeconds) {
      const { current } = await keys();
      const nowSeconds = Math.floor(clock() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setIssuer(SERVICE_NAME)
        .setAudience(AUDIENCE)
        .setSubject(accountId)
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + ttlSeconds)
        .sign(new TextEncoder().encode(current));
    },
    async verify(token) {
      const { current, previous } = await keys();
      const found =
        (await verifyUnder(token, current)) ??
        (previous === undefined ? undefined : await verifyUnder(token, previous));
      return found !== undefined && ACCOUNT.test(found) ? found : undefined;
    },
  };
}

export interface SessionsOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly client?: SecretsManagerClient;
}

/** Sessions under the key whose secret the environment names. */
export function createSessions({ environment, log, client = createSecretsClient() }: SessionsOptions) {
  const readSecret = createSecretReader({ client, environment, clock: systemClock, log });
  const secretId = requireVariable(environment, VARIABLES.sessionKeySecret);
  const keys = createRotatedSource(readSecret, secretId, 'the session key');
  return { tokens: createSessionTokens(keys, systemClock), readSecret };
}
