/** Converts turns of a conversation to contents of generateContent (Gemini API reference, Content and Part). */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type {
  AssistantPart,
  ShownPart,
  ToolResultPart,
  Turn,
  UserPart,
} from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { withReminders } from '../../core/upstream/system-reminder.ts';
import { ToolCallIds, toolInput } from '../../core/upstream/tool-calls.ts';

interface Content extends JsonObject {
  readonly role: 'user' | 'model';
  readonly parts: readonly JsonObject[];
}

interface Draft {
  readonly role: 'user' | 'model';
  readonly parts: JsonObject[];
}

/** Stands where a user's content is demanded and the conversation has none. */
const OPENING = { text: 'Begin.' };

/** Stands for the signature of a call that the model did not make (Gemini API docs, Thought signatures, FAQs). */
const PLACEHOLDER = 'skip_thought_signature_validator';

/** The longest id that is sent; the protocol names no bound. */
const MAX_TOOL_CALL_ID = 64;

/** Before the third generation calls had no ids, and no signature was demanded (Gemini API docs, Thought signatures). */
const isBeforeGemini3 = (model: string): boolean => /^gemini-[12](?:\.|-)/.test(model);

/**
 * Returns the turns as contents. Their roles alternate, and a user starts. Results of tools are first in the content
 * after their calls. Throws `UpstreamFailure` for an image that is not included in the request.
 */
export function toContents(turns: readonly Turn[], model: string, signatures: Signatures): Content[] {
  const writer = new ContentWriter(model, signatures);
  const drafts: Draft[] = [];
  for (const turn of withReminders(turns)) {
    const role = turn.role === 'user' ? 'user' : 'model';
    const parts = turn.role === 'user' ? writer.ofUser(turn.parts) : writer.ofModel(turn.parts);
    if (parts.length === 0) continue;
    const last = drafts.at(-1);
    if (last?.role !== role) drafts.push({ role, parts });
    else for (const part of parts) last.parts.push(part);
  }
  if (drafts[0]?.role !== 'user') drafts.unshift({ role: 'user', parts: [OPENING] });
  return drafts.map(({ role, parts }) => ({ role, parts: role === 'user' ? resultsFirst(parts) : parts }));
}

const isResult = (part: JsonObject): boolean => part.functionResponse !== undefined;

const resultsFirst = (parts: readonly JsonObject[]): readonly JsonObject[] => [
  ...parts.filter(isResult),
  ...parts.filter((part) => !isResult(part)),
];

/** Writes the turns of one conversation in their order. */
class ContentWriter {
  readonly #isEarlier: boolean;
  readonly #signatures: Signatures;
  readonly #ids = new ToolCallIds(MAX_TOOL_CALL_ID);
  /** Names of the called tools, by the id of the call that is sent. */
  readonly #names = new Map<string, string>();

  constructor(model: string, signatures: Signatures) {
    this.#isEarlier = isBeforeGemini3(model);
    this.#signatures = signatures;
  }

  ofUser(parts: readonly UserPart[]): JsonObject[] {
    return parts.flatMap((part) => (part.type === 'tool-result' ? this.#result(part) : plainPart(part)));
  }

  /**
   * Returns the model's parts in the format of Gemini. Of the reasoning, only the signatures are sent, each with its
   * call.
   */
  ofModel(parts: readonly AssistantPart[]): JsonObject[] {
    const written: JsonObject[] = [];
    let sealed: string | undefined;
    let isFirst = true;
    for (const part of parts) {
      if (part.type === 'reasoning') {
        sealed = part.signature;
        continue;
      }
      if (part.type === 'tool-call') {
        const id = this.#ids.ofCall(part.id);
        this.#names.set(id, part.name);
        const functionCall = { ...this.#idField(id), name: part.name, args: toolInput(part.arguments) };
        written.push({ functionCall, ...this.#signatureField(sealed, isFirst) });
        isFirst = false;
      } else if (part.text !== '') written.push({ text: part.text });
      sealed = undefined;
    }
    return written;
  }

  /** Only the first of several calls at once has a signature (Gemini API docs, Thought signatures, Parallel function calls). */
  #signatureField(sealed: string | undefined, isFirst: boolean): JsonObject {
    const routeSignature = sealed === undefined ? undefined : openSignature(sealed, this.#signatures);
    const signature = routeSignature ?? (isFirst && !this.#isEarlier ? PLACEHOLDER : undefined);
    return signature === undefined ? {} : { thoughtSignature: signature };
  }

  /** The keys are those that the protocol reads (Gemini API reference, FunctionResponse); images follow the result. */
  #result({ id: callId, content, isError }: ToolResultPart): JsonObject[] {
    const id = this.#ids.ofResult(callId);
    const text = content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n');
    const images = content.flatMap((part) => (part.type === 'image' ? plainPart(part) : []));
    const response = isError ? { error: text } : { output: text };
    const name = this.#names.get(id) ?? UNKNOWN_TOOL;
    // Once: many results of one call would repeat a name that what is held does not count.
    this.#names.delete(id);
    return [{ functionResponse: { ...this.#idField(id), name, response } }, ...images];
  }

  #idField(id: string): JsonObject {
    return this.#isEarlier ? {} : { id };
  }
}

/** The name of a tool whose call is not in the conversation. */
const UNKNOWN_TOOL = 'unknown';

function plainPart(part: ShownPart): JsonObject[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ text: part.text }];
  if (part.type === 'audio') return [{ inlineData: { mimeType: AUDIO_TYPES[part.format], data: part.data } }];
  if (part.source.kind === 'url') throw new UpstreamFailure('status', { status: 415, retryable: false });
  const { mediaType, data } = part.source;
  return [{ inlineData: { mimeType: mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, data } }];
}

/** Gemini API docs, Audio understanding, Supported audio formats. */
const AUDIO_TYPES = { wav: 'audio/wav', mp3: 'audio/mp3' } as const;

/** Seals a thought signature for the caller. */
export const sealSignature = (signature: string, signatures: Signatures): string =>
  signatures.seal(JSON.stringify({ thoughtSignature: signature }));

/** Undefined for what is no signature of this route, or of another protocol that the route spoke before. */
function openSignature(sealed: string, signatures: Signatures): string | undefined {
  const text = signatures.open(sealed);
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isJsonObject(value) && typeof value.thoughtSignature === 'string'
    ? value.thoughtSignature
    : undefined;
}
