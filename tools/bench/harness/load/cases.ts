/** The calls of every contestant: the same prompt and the same response, on four surfaces. */
import { modelNamed, type UpstreamAnswer } from '../upstream/model-name.ts';

/** The arrival of a stream's events: all in one read, or one by one with pauses, as models write them. */
type Pace = 'in one read' | 'one by one';

export type CaseName =
  | 'chat'
  | 'chat streamed'
  | `chat streamed, ${Pace}`
  | 'messages streamed'
  | 'messages over openai';

export interface Case {
  readonly name: CaseName;
  readonly surface: 'chat' | 'messages';
  readonly stream: boolean;
  /** The protocol of the upstream that serves it. */
  readonly protocol: 'openai' | 'anthropic';
  /** Absent if the upstream writes one event after another without a pause. */
  readonly pace?: Pace;
}

export const CHAT: Case = { name: 'chat', surface: 'chat', stream: false, protocol: 'openai' };
export const CHAT_STREAMED: Case = { ...CHAT, name: 'chat streamed', stream: true };

export const CASES: readonly Case[] = [
  CHAT,
  CHAT_STREAMED,
  { name: 'messages streamed', surface: 'messages', stream: true, protocol: 'anthropic' },
  { name: 'messages over openai', surface: 'messages', stream: true, protocol: 'openai' },
];

const pacedCase = (pace: Pace): Case => ({ ...CHAT_STREAMED, name: `chat streamed, ${pace}`, pace });

/** The limits between which a stream of the same events lies: as few reads as possible, and as many. */
export const PACED_CASES: readonly Case[] = [pacedCase('in one read'), pacedCase('one by one')];

/** A short answer of a chat model: what a gateway adds to a call shows best in one. */
const CHUNKS = 20;

/** Time to the first byte of a fast hosted model on a near host, where a load of a fixed rate is measured. */
export const PAUSE_MS = 60;

/** Time between two events of a fast hosted model. */
const EVERY_MS = 3;

const PACES: Readonly<Record<Pace, Pick<UpstreamAnswer, 'everyMs' | 'isOneWrite'>>> = {
  'in one read': { isOneWrite: true },
  'one by one': { everyMs: EVERY_MS },
};

/** The upstream's name of the model that answers the case after so long. */
export const upstreamModel = ({ pace }: Pick<Case, 'pace'>, pauseMs: number): string =>
  modelNamed({ chunks: CHUNKS, pauseMs, ...(pace === undefined ? {} : PACES[pace]) });

/** The upstream's names of all models of the cases. */
export const UPSTREAM_MODELS = [
  ...[0, PAUSE_MS].map((pauseMs) => upstreamModel({}, pauseMs)),
  ...PACED_CASES.map((testCase) => upstreamModel(testCase, 0)),
];

export const PATHS = { chat: '/v1/chat/completions', messages: '/v1/messages' } as const;

const PROMPT = 'What does a gateway do between a caller and the models that it can reach?';
const SYSTEM = 'Answer in one sentence.';

/** The request's body for a model, by the name that the contestant knows it by. */
export function bodyOf({ surface, stream }: Case, model: string): string {
  const user = { role: 'user', content: PROMPT };
  const messages = surface === 'chat' ? [{ role: 'system', content: SYSTEM }, user] : [user];
  return JSON.stringify({
    model,
    max_tokens: 64,
    messages,
    ...(surface === 'messages' ? { system: SYSTEM } : {}),
    ...(stream ? { stream: true } : {}),
    ...(stream && surface === 'chat' ? { stream_options: { include_usage: true } } : {}),
  });
}

/** Returns the end of a complete response. */
export function endOf({ surface, stream }: Case): string {
  if (!stream) return '"total_tokens"';
  return surface === 'chat' ? 'data: [DONE]' : 'message_stop';
}
