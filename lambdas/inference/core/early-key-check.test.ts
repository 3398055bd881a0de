import { describe, expect, it } from '@jest/globals';
import { formatKey, invalidKey } from '../../access/core/keys/api-key.ts';
import type { KeyGate } from '../../access/core/keys/key-gate.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { IncomingBody } from '../../platform/core/ports.ts';
import type { StageCheck } from '../../platform/core/stage-check.ts';
import { createPaidEndpoint, type PaidEndpointDependencies } from './paid-endpoint.ts';

const PEPPERS = { current: 'a pepper of this test' };
const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const KEY = formatKey({ accountId: `acc_${ULID}`, keyId: `key_${ULID}`, secret: '0'.repeat(40) }, PEPPERS);

/** A call of a revoked key on a host that reports that of its body. Returns what happened, in order. */
async function call(
  body: (Pick<IncomingBody, 'isLarge'> & { needsCredit?: boolean }) | undefined,
  checksFirst: boolean,
  key = KEY,
  prepare: StageCheck['prepare'] = () => undefined,
) {
  const steps: string[] = [];
  const keyCheck: PaidEndpointDependencies['keyCheck'] = {
    checkKind: async ({ accountId }, { kind, needsCredit }) => {
      steps.push(`check ${kind} ${accountId === `acc_${ULID}`}${needsCredit ? ' with credit' : ''}`);
      throw invalidKey();
    },
  };
  const endpoint = createPaidEndpoint(
    {
      kind: 'chat',
      checksFirst,
      read: async () => {
        steps.push('read');
        throw new ServiceError('invalid_json', 'The body is read.');
      },
    },
    {
      peppers: async () => PEPPERS,
      mayServe: { prepare, check: () => undefined },
      keyCheck,
      catalog: async () => ({ models: [] }),
      gate: { checked: (_key: unknown, check: () => Promise<unknown>) => check() } as unknown as KeyGate,
    } as unknown as PaidEndpointDependencies,
  );
  const incoming = body && {
    ...body,
    claim: (accountId: string) => {
      steps.push(`claim ${accountId === `acc_${ULID}`}`);
      return body.needsCredit === true;
    },
    prove: () => void steps.push('prove'),
    sent: () => void steps.push('sent'),
  };
  const headers = { authorization: `Bearer ${key}` };
  const failure = await endpoint(new Request('http://localhost/', { method: 'POST', headers }), {
    requestId: 'req_1',
    remainingTimeMs: () => 1_000,
    pathParameters: {},
    body: incoming,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  }).catch((reason: ServiceError) => reason.code);
  return [...steps, failure];
}

describe('a paid endpoint', () => {
  it('rejects a call of a closed service before it reads the key or the body', async () => {
    const closed = () => {
      throw new ServiceError('maintenance', 'Closed.');
    };
    expect(await call({ isLarge: true }, true, 'no key', closed)).toEqual(['maintenance']);
  });

  it('rejects a call of a new process that cannot serve before it reads the key or the body', async () => {
    const outdated = () => Promise.reject(new ServiceError('outdated_version', 'Old.'));
    expect(await call({ isLarge: true }, true, 'no key', outdated)).toEqual(['outdated_version']);
  });

  it('rejects a revoked key before it reads the body, if that is large', async () => {
    expect(await call({ isLarge: true }, false)).toEqual([
      'claim true',
      'check chat true',
      'invalid_api_key',
    ]);
  });

  it('checks key and credit before it reads a body of any size, if the host requires it', async () => {
    expect(await call({ isLarge: false, needsCredit: true }, false)).toEqual([
      'claim true',
      'check chat true with credit',
      'invalid_api_key',
    ]);
  });

  it('checks a key with the admission alone if the body is small, or complete already', async () => {
    expect(await call({ isLarge: false }, false)).toEqual(['claim true', 'read', 'invalid_json']);
    expect(await call(undefined, false)).toEqual(['read', 'invalid_json']);
  });

  it('rejects a revoked key before it reads an upload, whatever its size', async () => {
    expect(await call(undefined, true)).toEqual(['check chat true', 'invalid_api_key']);
  });

  it('rejects a key that the service has not issued before it reads or asks anything', async () => {
    const forged = `${KEY.slice(0, -1)}${KEY.endsWith('0') ? '1' : '0'}`;
    expect(await call({ isLarge: true }, false, forged)).toEqual(['invalid_api_key']);
  });
});
