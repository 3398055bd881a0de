/**
 * The keys that sign entitlement tokens, one for each value of the session key. They are derived from it, so that they
 * are rotated with it, and no further secret exists. A value that is announced or was replaced has its public key listed.
 */
import { createECDH, createHash, createPrivateKey, hkdfSync } from 'node:crypto';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SignJWT } from 'jose';
import { createSecretsClient } from '../../../platform/aws/clients.ts';
import {
  createRotatedSource,
  createSecretReader,
  type RotatedSecret,
} from '../../../platform/aws/secrets.ts';
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';
import { SERVICE_NAME } from '../../../platform/contract/limits.ts';
import type { Log } from '../../../platform/core/ports.ts';
import { systemClock } from '../../../platform/system/system.ts';
import type { EntitlementClaims, PublicKey } from '../../core/subscriptions/entitlement-token.ts';

const ALGORITHM = 'ES256';

/** The order of P-256 (SP 800-186, section 3.2.1.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** 64 bits more than the order: the remainder is then unbiased (FIPS 186-5, A.2.1). */
const SEED_BYTES = 40;

const PURPOSE = 'the key of entitlement tokens';

interface SigningKey {
  readonly publicJwk: PublicKey;
  readonly d: string;
}

function deriveKey(secret: string): SigningKey {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, SEED_BYTES)).toString('hex');
  const scalar = (BigInt(`0x${seed}`) % (ORDER - 1n)) + 1n;
  const d = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(d);
  // An uncompressed point: 4, x and y.
  const point = curve.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url'));
  const fields = { crv: 'P-256', kty: 'EC', x: x ?? '', y: y ?? '' } as const;
  // The thumbprint (RFC 7638) is over these fields in this order.
  const kid = createHash('sha256').update(JSON.stringify(fields)).digest('base64url');
  return { publicJwk: { ...fields, kid, alg: ALGORITHM, use: 'sig' }, d: d.toString('base64url') };
}

export function createEntitlementKeys(secrets: () => Promise<RotatedSecret>) {
  return {
    /** The keys by which tokens are verified (RFC 7517). */
    async publicKeys() {
      const { current, previous } = await secrets();
      const values = previous === undefined ? [current] : [current, previous];
      return { keys: values.map((value) => deriveKey(value).publicJwk) };
    },
    async sign({ audience, subject, source, plan, issued, expires }: EntitlementClaims): Promise<string> {
      const { publicJwk, d } = deriveKey((await secrets()).current);
      return new SignJWT({ source, plan })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: publicJwk.kid })
        .setIssuer(SERVICE_NAME)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt(issued)
        .setExpirationTime(expires)
        .sign(createPrivateKey({ key: { ...publicJwk, d }, format: 'jwk' }));
    },
  };
}

export interface EntitlementKeyOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly secrets?: SecretsManagerClient;
}

/** The keys under the secret that the environment names. */
export function entitlementKeysOf({
  environment,
  log,
  secrets = createSecretsClient(),
}: EntitlementKeyOptions) {
  const readSecret = createSecretReader({ client: secrets, environment, clock: systemClock, log });
  const secretId = requireVariable(environment, VARIABLES.sessionKeySecret);
  return createEntitlementKeys(createRotatedSource(readSecret, secretId, 'the session key'));
}
