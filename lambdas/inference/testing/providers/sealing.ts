/** Signatures of routes in real sealed tokens, and what answers say once these are opened. */

import { type Signatures, signaturesOf } from '../../core/upstream/sealed-tokens.ts';
import { createSealedTokens } from '../../store/sealed-tokens.ts';

const sealedTokens = createSealedTokens({ current: 'a pepper that only this test knows' }, Date.now)('acc_1');

/** Those of one route of the account. */
export const signaturesFor = (routeId: string): Signatures => signaturesOf(sealedTokens, routeId);

/** Those of the route that tests call. */
export const SIGNATURES = signaturesFor('sim-a');

/** No two sealed tokens are equal, so each is replaced by the proof that it holds, in angle brackets: a replacer of JSON. */
export function withOpenedSignature(_name: string, value: unknown): unknown {
  const opened = typeof value === 'string' ? SIGNATURES.open(value) : undefined;
  return opened === undefined ? value : `<${opened}>`;
}

/** A copy in which every sealed token is replaced so. */
export const withProofs = <T>(value: T): T => JSON.parse(JSON.stringify(value, withOpenedSignature)) as T;
