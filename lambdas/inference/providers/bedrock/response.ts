/** A whole answer of Converse (Amazon Bedrock API reference, Converse, Response Syntax). */
import type { ConverseCommandOutput } from '@aws-sdk/client-bedrock-runtime';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type { AssistantPart, Finish, FinishReason } from '../../core/upstream/conversation.ts';
import { type Reply, UpstreamFailure } from '../../core/upstream/provider.ts';
import { plainName } from '../kept-fields.ts';
import { signatureOf, writeDocument } from './content.ts';
import type { ConverseCall } from './request.ts';
import { toUsage } from './usage.ts';

/** The properties of a call that are needed to read its response. */
export type ConverseCallContext = Pick<ConverseCall, 'request' | 'answerTool' | 'signatures'>;

/** Throws `UpstreamFailure` when it is no message. */
export function toReply(
  output: ConverseCommandOutput,
  call: ConverseCallContext,
): Extract<Reply, { kind: 'json' }> {
  const blocks: unknown = output.output?.message?.content;
  if (!Array.isArray(blocks)) throw new UpstreamFailure('protocol');
  const pieces = blocks.map((block) => toPiece(block, call));
  const all = pieces.flatMap(({ part }) => part ?? []);
  const calls = all.filter(({ type }) => type === 'tool-call');
  const answer = pieces.find(({ isAnswer }) => isAnswer)?.part;
  // Beside the answer that was asked for as a tool's input, texts and further ones are left out.
  const parts = answer === undefined ? all : all.filter((part) => part === answer || part.type !== 'text');
  return {
    kind: 'json',
    answer: { reply: { parts, finish: toFinish(output, call, calls.length > 0) } },
    text: pieces.map(({ text }) => text).join(''),
    usage: toUsage(output),
  };
}

interface Piece {
  readonly part?: AssistantPart;
  /** The part is the answer that was asked for as a tool's input. */
  readonly isAnswer?: true;
  /** The output that it holds, for counting. */
  readonly text: string;
}

function toPiece(block: unknown, { answerTool, signatures }: ConverseCallContext): Piece {
  const { text, toolUse, reasoningContent, citationsContent } = Object(block) as Block;
  if (typeof text === 'string') return text === '' ? { text } : { part: { type: 'text', text }, text };
  if (toolUse !== undefined) return toToolPiece(Object(toolUse), answerTool);
  const cited = (citationsContent?.content ?? []).map((piece) => stringOf(piece.text)).join('');
  if (cited !== '') return { part: { type: 'text', text: cited }, text: cited };
  return toReasoningPiece(reasoningContent, signatures);
}

/** A thought that shows nothing and proves nothing is left out. */
function toReasoningPiece(content: Block['reasoningContent'], signatures: Signatures): Piece {
  const { reasoningText, redactedContent: redacted } = content ?? {};
  const text = stringOf(reasoningText?.text);
  const signature = signatureOf({ signature: reasoningText?.signature, redacted }, signatures);
  if (text === '' && signature === undefined) return { text };
  return { part: { type: 'reasoning', text, ...(signature === undefined ? {} : { signature }) }, text };
}

/** Nothing of it is certain: the client passes on what it is sent. */
interface Block {
  readonly text?: unknown;
  readonly toolUse?: unknown;
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text?: unknown; readonly signature?: unknown };
    readonly redactedContent?: unknown;
  };
  readonly citationsContent?: { readonly content?: readonly { readonly text?: unknown }[] };
}

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function toToolPiece(toolUse: Readonly<Record<string, unknown>>, answerTool: string | undefined): Piece {
  const { toolUseId: id, name, input } = toolUse;
  if (typeof id !== 'string' || typeof name !== 'string') throw new UpstreamFailure('protocol');
  const text = writeDocument(input ?? {});
  if (name === answerTool) return { part: { type: 'text', text }, isAnswer: true, text };
  return { part: { type: 'tool-call', id, name, arguments: text }, text: `${name}${text}` };
}

interface Ending {
  readonly stopReason?: unknown;
  readonly additionalModelResponseFields?: unknown;
}

/** `hasToolCalls`: beside that of the answer's own tool. Throws `UpstreamFailure` for a reason that is not a plain name. */
export function toFinish(
  ending: Ending,
  { request, answerTool }: ConverseCallContext,
  hasToolCalls: boolean,
): Finish {
  const raw = plainName(ending.stopReason) ?? '';
  const reason = FINISH_REASONS.get(raw) ?? 'stop';
  if (reason === 'tool-calls' && answerTool !== undefined && !hasToolCalls) return { reason: 'stop', raw };
  if (raw === 'end_turn' && hasToolCalls) return { reason: 'tool-calls', raw };
  if (reason !== 'stop-sequence') return { reason, raw };
  const given = request.inferenceConfig?.stopSequences ?? [];
  const met =
    namedSequence(ending.additionalModelResponseFields) ?? (given.length === 1 ? given[0] : undefined);
  return { reason, raw, ...(met === undefined ? {} : { stopSequence: met }) };
}

/** Amazon Bedrock API reference, `stopReason`; whatever is not named here is the model's own end. */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop_sequence', 'stop-sequence'],
  ['max_tokens', 'length'],
  ['tool_use', 'tool-calls'],
  ['content_filtered', 'refusal'],
  ['guardrail_intervened', 'refusal'],
  ['model_context_window_exceeded', 'context'],
]);

/** Claude's own field, as it was asked for. */
function namedSequence(fields: unknown): string | undefined {
  const { stop_sequence: whole, delta } = Object(fields) as { stop_sequence?: unknown; delta?: unknown };
  const { stop_sequence: streamed } = Object(delta) as { stop_sequence?: unknown };
  const named = whole ?? streamed;
  return typeof named === 'string' ? named : undefined;
}
