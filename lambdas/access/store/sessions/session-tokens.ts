/**
 * Sessions as signed tokens (JSON Web Token, RFC 7519). Tokens that the service has not signed are rejected without a
 * database request.
 */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { errors, jwtVerify, SignJWT } from 'jose';
import { createSecretsClient, type DynamoClients } from '../../../platform/aws/clients.ts';
import {
  createRotatedSource,
  createSecretReader,
  type RotatedSecret,
} from '../../../platform/aws/secrets.ts';
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';
import { SERVICE_NAME } from '../../../platform/contract/limits.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { QUOTAS } from '../../../platform/core/api/quotas.ts';
import type { Clock, Log } from '../../../platform/core/ports.ts';
import { systemClock, systemUlid } from '../../../platform/system/system.ts';
import { type Session, Sessions, type SessionTokens } from '../../core/sessions/session.ts';
import { DynamoSessionStore } from './session-store.ts';

const ALGORITHM = 'HS256';
/** An operator's tokens have another audience, so that code for one role rejects the other role's tokens. */
const AUDIENCES = { owner: 'session', operator: 'operator' } as const;
const ACCOUNT = /^acc_[0-9A-HJKMNP-TV-Z]{26}$/;
const SESSION = /^ses_[0-9A-HJKMNP-TV-Z]{26}$/;

/**
 * Creates and reads tokens under a key that only the service has. A token under the previous key stays valid until it
 * expires.
 */
export function createSessionTokens(keys: () => Promise<RotatedSecret>, clock: Clock): SessionTokens {
  async function readUnder(token: string, key: string): Promise<Session | undefined> {
    try {
      const { payload } = await jwtVerify(token, new TextEncoder().encode(key), {
        algorithms: [ALGORITHM],
        issuer: SERVICE_NAME,
        audience: Object.values(AUDIENCES),
        requiredClaims: ['sub', 'exp', 'jti', 'auth_time'],
        currentDate: new Date(clock()),
      });
      const { sub: accountId = '', jti: id = '', exp: expires = 0, aud } = payload;
      const role = aud === AUDIENCES.operator ? 'operator' : 'owner';
      if (aud !== AUDIENCES[role] || !ACCOUNT.test(accountId) || !SESSION.test(id)) return undefined;
      return { id, accountId, expires, authTime: Number(payload.auth_time), role };
    } catch (failure) {
      if (failure instanceof errors.JOSEError) return undefined;
      throw failure;
    }
  }

  return {
    async sign({ id, accountId, expires, authTime, role }) {
      const { current } = await keys();
      return new SignJWT({ auth_time: authTime })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setIssuer(SERVICE_NAME)
        .setAudience(AUDIENCES[role])
        .setSubject(accountId)
        .setJti(id)
        .setIssuedAt(Math.floor(clock() / 1000))
        .setExpirationTime(expires)
        .sign(new TextEncoder().encode(current));
    },
    async read(token) {
      const { current, previous } = await keys();
      const session = await readUnder(token, current);
      return session ?? (previous === undefined ? undefined : readUnder(token, previous));
    },
  };
}

export interface SessionsOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly clients: Pick<DynamoClients, 'client'>;
  /** The client that reads the key. Default: a new client. */
  readonly secrets?: SecretsManagerClient;
  /** The maximum number of live sessions of an account. */
  readonly maxSessions?: number;
}

/** Sessions in the table and under the key that the environment names. */
export function createSessions({
  environment,
  log,
  clients,
  secrets: client = createSecretsClient(),
  maxSessions = QUOTAS.sessions_per_account,
}: SessionsOptions) {
  const readSecret = createSecretReader({ client, environment, clock: systemClock, log });
  const secretId = requireVariable(environment, VARIABLES.sessionKeySecret);
  const keys = createRotatedSource(readSecret, secretId, 'the session key');
  const table = requireTable(environment, 'sessions');
  const sessions = new Sessions({
    tokens: createSessionTokens(keys, systemClock),
    store: new DynamoSessionStore(clients.client, table),
    clock: systemClock,
    ulid: systemUlid,
    maxSessions,
  });
  return { sessions, readSecret };
}
