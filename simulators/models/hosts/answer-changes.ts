/** What each quirk does to an answer, and all of them together, in the order of `ANSWER_QUIRKS`. */
import { jsonReply, type Reply, type StreamEvent } from '../exchange/reply.ts';
import type { AnswerChange, ChunkEvent } from './answer-form.ts';
import {
  argumentsGoOn,
  emptyCallIds,
  emptyFinishReason,
  gapsInCallIndexes,
  newFinishReason,
  noCallIndex,
  noFinishReason,
  oneCallIndex,
  signsCalls,
  stopWithCalls,
} from './call-changes.ts';
import { noDone, noLastBlankLine, twoObjectsAnEvent, unknownEvents } from './event-changes.ts';
import { isJson, type Json } from './json-body.ts';
import { ANSWER_QUIRKS, type AnswerQuirk, type Quirk } from './quirks.ts';
import {
  cumulativeMessage,
  jsonInReasoning,
  mirrorsContent,
  reasoningInDetails,
  reasoningNamedReasoning,
} from './said-changes.ts';
import {
  cachedAsHits,
  cachedAtTop,
  cacheWrites,
  noUsage,
  nullUsage,
  standardTier,
  usageInChoice,
  usageInEveryChunk,
} from './usage-changes.ts';

const CHANGES: Readonly<Record<AnswerQuirk, AnswerChange>> = {
  'json-in-reasoning': jsonInReasoning,
  'reasoning-named-reasoning': reasoningNamedReasoning,
  'reasoning-in-details': reasoningInDetails,
  'mirrors-content': mirrorsContent,
  'empty-call-ids': emptyCallIds,
  'no-call-index': noCallIndex,
  'one-call-index': oneCallIndex,
  'gaps-in-call-indexes': gapsInCallIndexes,
  'arguments-go-on': argumentsGoOn,
  'stop-with-calls': stopWithCalls,
  'no-finish-reason': noFinishReason,
  'empty-finish-reason': emptyFinishReason,
  'new-finish-reason': newFinishReason,
  'cached-as-hits': cachedAsHits,
  'cached-at-top': cachedAtTop,
  'cache-writes': cacheWrites,
  'standard-tier': standardTier,
  'cumulative-message': cumulativeMessage,
  'no-usage': noUsage,
  'null-usage': nullUsage,
  'usage-in-every-chunk': usageInEveryChunk,
  'usage-in-choice': usageInChoice,
  'unknown-events': unknownEvents,
  'two-objects-an-event': twoObjectsAnEvent,
  'no-done': noDone,
  'no-last-blank-line': noLastBlankLine,
};

const changesOf = (quirks: ReadonlySet<Quirk>): readonly AnswerChange[] => [
  ...(quirks.has('wants-thought-signature') ? [signsCalls] : []),
  ...ANSWER_QUIRKS.filter((quirk) => quirks.has(quirk)).map((quirk) => CHANGES[quirk]),
];

function parsed(event: StreamEvent): ChunkEvent {
  if (!event.data.startsWith('{')) return { event };
  const chunk: unknown = JSON.parse(event.data);
  return isJson(chunk) ? { event, chunk } : { event };
}

function* written(events: Iterable<ChunkEvent>): Generator<StreamEvent> {
  for (const { event, chunk } of events)
    yield chunk === undefined ? event : { ...event, data: JSON.stringify(chunk) };
}

export interface Host {
  readonly quirks: ReadonlySet<Quirk>;
  /** What was asked, as it came. */
  readonly request: Json;
}

/** The answer as the host gives it. */
export function changedAnswer(reply: Reply, { quirks, request }: Host): Reply {
  const changes = changesOf(quirks);
  if (reply.kind === 'whole') {
    const completion: Json = { ...JSON.parse(reply.body.toString('utf8')), model: request.model };
    const changed = changes.reduce((answer, { whole }) => whole?.(answer, request) ?? answer, completion);
    return jsonReply(reply.status, changed, reply.headers);
  }
  let events: Iterable<ChunkEvent> = renamed(reply.events, request.model);
  for (const { stream } of changes) events = stream?.(events, request) ?? events;
  return { ...reply, events: written(events) };
}

/** The model has the name that was asked for. */
function* renamed(events: Iterable<StreamEvent>, model: unknown): Generator<ChunkEvent> {
  for (const event of events) {
    const each = parsed(event);
    yield each.chunk === undefined ? each : { event, chunk: { ...each.chunk, model } };
  }
}
