/** Signatures of routes in real capsules, and what answers say once these are opened. */

import { type Signatures, signaturesOf } from '../../core/upstream/capsules.ts';
import { createCapsules } from '../../store/capsules.ts';

const capsules = createCapsules({ current: 'a pepper that only this test knows' }, Date.now)('acc_1');

/** Those of one route of the account. */
export const signaturesFor = (routeId: string): Signatures => signaturesOf(capsules, routeId);

/** Those of the route that tests call. */
export const SIGNATURES = signaturesFor('sim-a');

/** No two capsules are equal, so each is replaced by the proof that it holds, in angle brackets: a replacer of JSON. */
export function withProof(_name: string, value: unknown): unknown {
  const proof = typeof value === 'string' ? SIGNATURES.open(value) : undefined;
  return proof === undefined ? value : `<${proof}>`;
}

/** A copy in which every capsule is replaced so. */
export const withProofs = <T>(value: T): T => JSON.parse(JSON.stringify(value, withProof)) as T;
