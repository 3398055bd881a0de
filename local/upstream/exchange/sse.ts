/** Server-sent events on the wire (WHATWG HTML, section 9.2 "Server-sent events"). */
import type { StreamEvent } from './reply.ts';

export interface SseStyle {
  readonly crlf: boolean;
  readonly comments: boolean;
}

export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

/** The bytes of one event, with a comment before it where the style asks for comments and the event is content. */
export function encodeSse(event: StreamEvent, style: SseStyle): Buffer {
  const lineEnd = style.crlf ? '\r\n' : '\n';
  const comment = style.comments && event.part === 'content' ? `: keep-alive${lineEnd}${lineEnd}` : '';
  const name = event.name === undefined ? '' : `event: ${event.name}${lineEnd}`;
  return Buffer.from(`${comment}${name}data: ${event.data}${lineEnd}${lineEnd}`);
}
