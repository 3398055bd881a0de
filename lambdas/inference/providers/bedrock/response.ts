/** A complete response of Converse (Amazon Bedrock API reference, Converse, Response Syntax). */
import type { ConverseCommandOutput } from '@aws-sdk/client-bedrock-runtime';
import type { AssistantPart, Finish } from '../../core/upstream/conversation.ts';
import { type RouteResponse, UpstreamFailure } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { argumentsText, type CallIds } from '../../core/upstream/tool-calls.ts';
import { finishOf } from '../ends.ts';
import { signatureOf, writeDocument } from './content.ts';
import type { ConverseCall } from './request.ts';
import { toUsage } from './usage.ts';

/** The properties of a call that are needed to read its response. */
export interface ConverseCallContext extends Pick<ConverseCall, 'request' | 'answerTool' | 'signatures'> {
  readonly callIds: CallIds;
}

/** Throws `UpstreamFailure` when it is no message. */
export function toRouteResponse(
  output: ConverseCommandOutput,
  call: ConverseCallContext,
): Extract<RouteResponse, { kind: 'json' }> {
  const blocks: unknown = output.output?.message?.content;
  if (!Array.isArray(blocks)) throw new UpstreamFailure('protocol');
  const parsedBlocks = blocks.map((block, index) => parseBlock(block, index, call));
  const all = parsedBlocks.flatMap(({ part }) => part ?? []);
  const calls = all.filter(({ type }) => type === 'tool-call');
  const answerPart = parsedBlocks.find(({ isFromAnswerTool }) => isFromAnswerTool)?.part;
  // If the answer is a tool's input, texts and further answers are dropped.
  const parts =
    answerPart === undefined ? all : all.filter((part) => part === answerPart || part.type !== 'text');
  return {
    kind: 'json',
    completeResponse: { output: { parts, finish: toFinish(output, call, calls.length > 0) } },
    outputText: parsedBlocks.map(({ text }) => text).join(''),
    usage: toUsage(output),
  };
}

interface ParsedBlock {
  readonly part?: AssistantPart;
  /** True if the part is the answer that was requested as a tool's input. */
  readonly isFromAnswerTool?: true;
  /** The output that it holds, for counting. */
  readonly text: string;
}

function parseBlock(block: unknown, index: number, call: ConverseCallContext): ParsedBlock {
  const { text, toolUse, reasoningContent, citationsContent } = Object(block) as ConverseContentBlock;
  if (typeof text === 'string') return text === '' ? { text } : { part: { type: 'text', text }, text };
  if (toolUse !== undefined) return parseToolUse(Object(toolUse), index, call);
  const cited = (citationsContent?.content ?? []).map((entry) => stringOf(entry.text)).join('');
  if (cited !== '') return { part: { type: 'text', text: cited }, text: cited };
  return parseReasoning(reasoningContent, call.signatures);
}

/** Returns the reasoning of a block. A block without text and without a signature is dropped. */
function parseReasoning(
  content: ConverseContentBlock['reasoningContent'],
  signatures: Signatures,
): ParsedBlock {
  const { reasoningText, redactedContent: redacted } = content ?? {};
  const text = stringOf(reasoningText?.text);
  const signature = signatureOf({ signature: reasoningText?.signature, redacted }, signatures);
  if (text === '' && signature === undefined) return { text };
  return { part: { type: 'reasoning', text, ...(signature === undefined ? {} : { signature }) }, text };
}

/** Nothing of it is certain: the client passes on what it is sent. */
interface ConverseContentBlock {
  readonly text?: unknown;
  readonly toolUse?: unknown;
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text?: unknown; readonly signature?: unknown };
    readonly redactedContent?: unknown;
  };
  readonly citationsContent?: { readonly content?: readonly { readonly text?: unknown }[] };
}

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function parseToolUse(
  toolUse: Readonly<Record<string, unknown>>,
  index: number,
  { answerTool, callIds }: ConverseCallContext,
): ParsedBlock {
  const { toolUseId: id, name, input } = toolUse;
  if (typeof id !== 'string' || typeof name !== 'string') throw new UpstreamFailure('protocol');
  const text = typeof input === 'string' ? argumentsText(input) : writeDocument(input ?? {});
  if (name === answerTool) return { part: { type: 'text', text }, isFromAnswerTool: true, text };
  return {
    part: { type: 'tool-call', id: callIds.at(index, id), name, arguments: text },
    text: `${name}${text}`,
  };
}

interface Ending {
  readonly stopReason?: unknown;
  readonly additionalModelResponseFields?: unknown;
}

/**
 * Returns the finish of a response. `hasToolCalls` is true for calls of tools other than the answer tool. Throws
 * `UpstreamFailure` for a failure.
 */
export function toFinish(ending: Ending, { request }: ConverseCallContext, hasToolCalls: boolean): Finish {
  const finish = finishOf(ending.stopReason, hasToolCalls);
  if (finish.reason !== 'stop-sequence') return finish;
  const stopSequences = request.inferenceConfig?.stopSequences ?? [];
  const matchedSequence =
    namedSequence(ending.additionalModelResponseFields) ??
    (stopSequences.length === 1 ? stopSequences[0] : undefined);
  return { ...finish, ...(matchedSequence === undefined ? {} : { stopSequence: matchedSequence }) };
}

/** Returns the stop sequence from Claude's response field, as requested. */
function namedSequence(fields: unknown): string | undefined {
  const { stop_sequence: complete, delta } = Object(fields) as { stop_sequence?: unknown; delta?: unknown };
  const { stop_sequence: streamed } = Object(delta) as { stop_sequence?: unknown };
  const named = complete ?? streamed;
  return typeof named === 'string' ? named : undefined;
}
