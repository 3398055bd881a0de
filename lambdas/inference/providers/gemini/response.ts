/** A whole answer of generateContent (Gemini API reference, GenerateContentResponse). */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type { AssistantPart, Finish, FinishReason } from '../../core/upstream/conversation.ts';
import { type AnswerIdentity, type Reply, UpstreamFailure } from '../../core/upstream/provider.ts';
import { objectOf } from '../http-upstream.ts';
import { plainName } from '../kept-fields.ts';
import { sealSignature } from './content.ts';
import { toUsage } from './usage.ts';

/** The properties of a call that are needed to read its response. */
export interface GeminiCallContext {
  readonly identity: Pick<AnswerIdentity, 'id'>;
  /** The signatures of the route that is called. */
  readonly signatures: Signatures;
}

/** The content of a part of a candidate. */
export type PartContent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** `signature`: what proves the call, sealed. */
  | {
      readonly type: 'call';
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly signature?: string;
    };

/** Throws `UpstreamFailure` when it is no answer. */
export function toReply(answer: unknown, context: GeminiCallContext): Extract<Reply, { kind: 'json' }> {
  const body = objectOf(answer);
  const reader = new PieceReader(context);
  const pieces = reader.read(body);
  const finish = toFinish(body, reader.hasCalls);
  if (finish === undefined) throw new UpstreamFailure('protocol');
  return {
    kind: 'json',
    answer: { reply: { parts: toParts(pieces), finish } },
    text: pieces.map(textOf).join(''),
    usage: toUsage(body.usageMetadata),
  };
}

/** The output that a piece holds, for counting. */
export const textOf = (piece: PartContent): string =>
  piece.type === 'call' ? `${piece.name}${piece.arguments}` : piece.text;

/** Neighbours of one kind are one text; what proves a call stands with the reasoning before it, or as one without text. */
function toParts(pieces: readonly PartContent[]): AssistantPart[] {
  const parts: AssistantPart[] = [];
  for (const piece of pieces) {
    const last = parts.at(-1);
    if (piece.type !== 'call') {
      const isMore = last?.type === piece.type;
      if (isMore) parts.pop();
      parts.push({ type: piece.type, text: `${isMore ? last.text : ''}${piece.text}` });
      continue;
    }
    const { type: _type, signature, ...call } = piece;
    if (signature !== undefined) {
      const text = last?.type === 'reasoning' ? last.text : '';
      if (last?.type === 'reasoning') parts.pop();
      parts.push({ type: 'reasoning', text, signature });
    }
    parts.push({ type: 'tool-call', ...call });
  }
  return parts;
}

/** Reads the parts of one answer, which may come in several bodies. */
export class PieceReader {
  readonly #context: GeminiCallContext;
  #calls = 0;

  constructor(context: GeminiCallContext) {
    this.#context = context;
  }

  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  /** The pieces of the first candidate, none of them empty. Throws `UpstreamFailure` for what is not a list of parts. */
  read(body: JsonObject): PartContent[] {
    const content = firstCandidate(body)?.content;
    const parts = isJsonObject(content) ? (content.parts ?? []) : [];
    if (!Array.isArray(parts)) throw new UpstreamFailure('protocol');
    return parts.flatMap((part) => this.#piece(objectOf(part)));
  }

  #piece({ text, thought, functionCall, thoughtSignature }: JsonObject): PartContent[] {
    if (functionCall !== undefined) return [this.#call(objectOf(functionCall), thoughtSignature)];
    if (typeof text !== 'string' || text === '') return [];
    return [{ type: thought === true ? 'reasoning' : 'text', text }];
  }

  /** Models before Gemini 3 give their calls no ids. */
  #call({ id: given, name, args }: JsonObject, signature: unknown): PartContent {
    if (typeof name !== 'string' || name === '') throw new UpstreamFailure('protocol');
    const base = this.#context.identity.id.replace(/^[a-z]+[_-]/, '');
    const id = typeof given === 'string' && given !== '' ? given : `call_${base}_${this.#calls}`;
    this.#calls += 1;
    const call = { type: 'call', id, name, arguments: JSON.stringify(objectOf(args ?? {})) } as const;
    if (typeof signature !== 'string' || signature === '') return call;
    return { ...call, signature: sealSignature(signature, this.#context.signatures) };
  }
}

function firstCandidate({ candidates }: JsonObject): JsonObject | undefined {
  const [first]: readonly unknown[] = Array.isArray(candidates) ? candidates : [];
  return isJsonObject(first) ? first : undefined;
}

/**
 * Returns the end of a response, or the refusal of its prompt; undefined while it continues. Throws `UpstreamFailure`
 * for a reason that is not a plain name.
 */
export function toFinish(body: JsonObject, hasCalls: boolean): Finish | undefined {
  const named = plainName(firstCandidate(body)?.finishReason);
  const raw = named === UNSPECIFIED ? undefined : named;
  if (raw === undefined) return toBlock(body.promptFeedback);
  const reason = FINISH_REASONS.get(raw) ?? 'stop';
  return { reason: reason === 'stop' && hasCalls ? 'tool-calls' : reason, raw };
}

const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED';

function toBlock(feedback: unknown): Finish | undefined {
  const raw = isJsonObject(feedback) ? plainName(feedback.blockReason) : undefined;
  return raw === undefined ? undefined : { reason: 'refusal', raw };
}

/** Gemini API reference, FinishReason; whatever is not named here is the model's own end. */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'refusal'],
  ['RECITATION', 'refusal'],
  ['LANGUAGE', 'refusal'],
  ['BLOCKLIST', 'refusal'],
  ['PROHIBITED_CONTENT', 'refusal'],
  ['SPII', 'refusal'],
  ['IMAGE_SAFETY', 'refusal'],
]);
