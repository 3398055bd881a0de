/** A complete response of generateContent (Gemini API reference, GenerateContentResponse). */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { AssistantPart, Finish } from '../../core/upstream/conversation.ts';
import { type ResponseIdentity, type RouteResponse, UpstreamFailure } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { argumentsText, CallIds } from '../../core/upstream/tool-calls.ts';
import { plainName } from '../allowed-fields.ts';
import { finishOf } from '../ends.ts';
import { objectOf } from '../http-upstream.ts';
import { sealSignature } from './content.ts';
import { toUsage } from './usage.ts';

/** The properties of a call that are needed to read its response. */
export interface GeminiCallContext {
  readonly identity: Pick<ResponseIdentity, 'id'>;
  /** The signatures of the route that is called. */
  readonly signatures: Signatures;
}

/** The content of a part of a candidate. */
export type PartContent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** `signature`: the sealed signature of the call. */
  | {
      readonly type: 'call';
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly signature?: string;
    };

/** Returns the response. Throws `UpstreamFailure` if the body is not a response. */
export function toRouteResponse(
  value: unknown,
  context: GeminiCallContext,
): Extract<RouteResponse, { kind: 'json' }> {
  const body = objectOf(value);
  const reader = new GeminiPartReader(context);
  const parsedParts = reader.read(body);
  const finish = toFinish(body, reader.hasCalls);
  if (finish === undefined) throw new UpstreamFailure('protocol');
  return {
    kind: 'json',
    completeResponse: { output: { parts: toParts(parsedParts), finish } },
    outputText: parsedParts.map(textOf).join(''),
    usage: toUsage(body.usageMetadata),
  };
}

/** Returns the output text of a part, for counting. */
export const textOf = (parsedPart: PartContent): string =>
  parsedPart.type === 'call' ? `${parsedPart.name}${parsedPart.arguments}` : parsedPart.text;

/**
 * Merges adjacent texts of one type. A call's signature is stored in the reasoning before it, or in reasoning without
 * text.
 */
function toParts(parsedParts: readonly PartContent[]): AssistantPart[] {
  const parts: AssistantPart[] = [];
  for (const parsedPart of parsedParts) {
    const last = parts.at(-1);
    if (parsedPart.type !== 'call') {
      const isMore = last?.type === parsedPart.type;
      if (isMore) parts.pop();
      parts.push({ type: parsedPart.type, text: `${isMore ? last.text : ''}${parsedPart.text}` });
      continue;
    }
    const { type: _type, signature, ...call } = parsedPart;
    if (signature !== undefined) {
      const text = last?.type === 'reasoning' ? last.text : '';
      if (last?.type === 'reasoning') parts.pop();
      parts.push({ type: 'reasoning', text, signature });
    }
    parts.push({ type: 'tool-call', ...call });
  }
  return parts;
}

/** Reads the parts of one response, which may arrive in several bodies. */
export class GeminiPartReader {
  readonly #signatures: Signatures;
  readonly #ids: CallIds;
  #calls = 0;

  constructor({ identity, signatures }: GeminiCallContext) {
    this.#signatures = signatures;
    this.#ids = new CallIds(`call_${identity.id.replace(/^[a-z]+[_-]/, '')}`);
  }

  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  /**
   * Returns the parts of the first candidate, none of them empty. Throws `UpstreamFailure` if the value is not a list
   * of parts.
   */
  read(body: JsonObject): PartContent[] {
    const content = firstCandidate(body)?.content;
    const parts = isJsonObject(content) ? (content.parts ?? []) : [];
    if (!Array.isArray(parts)) throw new UpstreamFailure('protocol');
    return parts.flatMap((part) => this.#parsePart(objectOf(part)));
  }

  #parsePart({ text, thought, functionCall, thoughtSignature }: JsonObject): PartContent[] {
    if (functionCall !== undefined) return [this.#parseCall(objectOf(functionCall), thoughtSignature)];
    if (typeof text !== 'string' || text === '') return [];
    return [{ type: thought === true ? 'reasoning' : 'text', text }];
  }

  /** Models before Gemini 3 give their calls no ids. */
  #parseCall({ id: callId, name, args }: JsonObject, signature: unknown): PartContent {
    if (typeof name !== 'string' || name === '') throw new UpstreamFailure('protocol');
    const id = this.#ids.at(this.#calls, callId);
    this.#calls += 1;
    const call = { type: 'call', id, name, arguments: argumentsText(args) } as const;
    if (typeof signature !== 'string' || signature === '') return call;
    return { ...call, signature: sealSignature(signature, this.#signatures) };
  }
}

function firstCandidate({ candidates }: JsonObject): JsonObject | undefined {
  const [first]: readonly unknown[] = Array.isArray(candidates) ? candidates : [];
  return isJsonObject(first) ? first : undefined;
}

/**
 * Returns the end of a response, or the refusal of its prompt; undefined while it continues. Throws `UpstreamFailure`
 * for a failure.
 */
export function toFinish(body: JsonObject, hasCalls: boolean): Finish | undefined {
  const reason = plainName(firstCandidate(body)?.finishReason);
  if (reason === undefined || reason === UNSPECIFIED) return toPromptRefusal(body.promptFeedback);
  // Gemini stopped the output for a reason that it does not name. Elsewhere, this word is an unknown end.
  return reason === 'OTHER' ? { reason: 'refusal', raw: reason } : finishOf(reason, hasCalls);
}

const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED';

function toPromptRefusal(feedback: unknown): Finish | undefined {
  const raw = isJsonObject(feedback) ? plainName(feedback.blockReason) : undefined;
  return raw === undefined ? undefined : { reason: 'refusal', raw };
}
