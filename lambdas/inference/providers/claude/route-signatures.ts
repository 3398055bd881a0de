/**
 * Signatures of Claude's reasoning, on Anthropic and on Bedrock. They are sealed in responses and opened in requests.
 */

import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { AssistantPart, ReasoningPart, Turn } from '../../core/upstream/conversation.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import type { SpokenTurn } from '../../core/upstream/system-reminder.ts';

/** The signature of a text that Claude thought, or all of a thought whose text it does not show. */
export type RouteSignature = { readonly signature: string } | { readonly redacted: string };

/** A reasoning that the route itself gave, as it gave it. */
export interface RouteReasoning {
  readonly type: 'reasoning';
  readonly text: string;
  readonly routeSignature: RouteSignature;
}

export type ClaudePart = Exclude<AssistantPart, ReasoningPart> | RouteReasoning;

/** A turn in the form that Claude accepts. Reasoning without its signature is rejected. */
export type ClaudeTurn =
  | Extract<Turn, { role: 'user' }>
  | { readonly role: 'assistant'; readonly parts: readonly ClaudePart[] };

export const sealRouteSignature = (signature: RouteSignature, signatures: Signatures): string =>
  signatures.seal(JSON.stringify(signature));

/** Undefined for a text that is no signature of this route. */
export function openRouteSignature(sealed: unknown, signatures: Signatures): RouteSignature | undefined {
  const text = typeof sealed === 'string' ? signatures.open(sealed) : undefined;
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  // The signature may be from a time when the route used another protocol.
  if (!isJsonObject(value)) return undefined;
  const { signature, redacted } = value;
  if (typeof signature === 'string') return { signature };
  return typeof redacted === 'string' ? { redacted } : undefined;
}

/** Returns the turns without the reasoning of other routes. */
export const toClaudeTurns = (turns: readonly SpokenTurn[], signatures: Signatures): ClaudeTurn[] =>
  turns.map((turn) =>
    turn.role === 'user'
      ? turn
      : { role: 'assistant', parts: turn.parts.flatMap((part) => toClaudeParts(part, signatures)) },
  );

function toClaudeParts(part: AssistantPart, signatures: Signatures): ClaudePart[] {
  if (part.type !== 'reasoning') return [part];
  const routeSignature = openRouteSignature(part.signature, signatures);
  return routeSignature === undefined ? [] : [{ type: 'reasoning', text: part.text, routeSignature }];
}
