/** Proofs of Claude's reasoning, of Anthropic and of Bedrock alike: sealed on their way to a caller, opened on the way back. */

import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type { AssistantPart, ReasoningPart, Turn } from '../../core/upstream/conversation.ts';
import type { SpokenTurn } from '../../core/upstream/system-reminder.ts';

/** The signature of a text that Claude thought, or all of a thought whose text it does not show. */
export type Proof = { readonly signature: string } | { readonly redacted: string };

/** A reasoning that the route itself gave, as it gave it. */
export interface RouteReasoning {
  readonly type: 'reasoning';
  readonly text: string;
  readonly proof: Proof;
}

export type ClaudePart = Exclude<AssistantPart, ReasoningPart> | RouteReasoning;

/** A turn as Claude takes it: a reasoning without its proof is refused. */
export type ClaudeTurn =
  | Extract<Turn, { role: 'user' }>
  | { readonly role: 'assistant'; readonly parts: readonly ClaudePart[] };

export const sealProof = (proof: Proof, signatures: Signatures): string =>
  signatures.seal(JSON.stringify(proof));

/** Undefined for a text that is no signature of this route. */
export function openProof(sealed: unknown, signatures: Signatures): Proof | undefined {
  const text = typeof sealed === 'string' ? signatures.open(sealed) : undefined;
  if (text === undefined) return undefined;
  const proof: unknown = JSON.parse(text);
  // The route may have spoken another protocol when it was made.
  if (!isJsonObject(proof)) return undefined;
  const { signature, redacted } = proof;
  if (typeof signature === 'string') return { signature };
  return typeof redacted === 'string' ? { redacted } : undefined;
}

/** The turns without the reasoning of other routes. */
export const provenTurns = (turns: readonly SpokenTurn[], signatures: Signatures): ClaudeTurn[] =>
  turns.map((turn) =>
    turn.role === 'user'
      ? turn
      : { role: 'assistant', parts: turn.parts.flatMap((part) => provenPart(part, signatures)) },
  );

function provenPart(part: AssistantPart, signatures: Signatures): ClaudePart[] {
  if (part.type !== 'reasoning') return [part];
  const proof = openProof(part.signature, signatures);
  return proof === undefined ? [] : [{ type: 'reasoning', text: part.text, proof }];
}
