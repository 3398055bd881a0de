/** Answers that no client can read, as a broken proxy in front of a provider would send them. */
import type { Reply, StreamEvent } from './reply.ts';

const NOT_JSON = '<!doctype html><title>502</title><p>upstream sent no JSON</p>';

const EVENTS: readonly StreamEvent[] = [
  { data: '{"id":"chatcmpl-', part: 'content' },
  { data: NOT_JSON, part: 'content' },
  { data: '\u0001\u0002 not json either', part: 'content' },
];

/** `reply` with its status and headers, but unreadable content. */
export function garbled(reply: Reply): Reply {
  if (reply.kind === 'stream') return { ...reply, events: EVENTS };
  return { ...reply, status: 200, body: Buffer.from(NOT_JSON) };
}
