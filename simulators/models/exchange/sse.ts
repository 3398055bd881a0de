/** Server-sent events on the wire (WHATWG HTML, section 9.2 "Server-sent events"). */
import { NOT_JSON } from './garbage.ts';
import type { StreamEncoding, StreamEvent, StreamStyle } from './reply.ts';

/** The bytes of one event, with a comment before it where the style asks for comments and the event is content. */
function encode(event: StreamEvent, style: StreamStyle): Buffer {
  const lineEnd = style.crlf ? '\r\n' : '\n';
  const comment = style.comments && event.part === 'content' ? `: keep-alive${lineEnd}${lineEnd}` : '';
  const name = event.name === undefined ? '' : `event: ${event.name}${lineEnd}`;
  return Buffer.from(`${comment}${name}data: ${event.data}${lineEnd}${lineEnd}`);
}

const GARBAGE = ['{"id":"chatcmpl-', NOT_JSON, '\u0001\u0002 not json either'];

export const sse: StreamEncoding = {
  headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  encode,
  garbage: GARBAGE.map((data) => Buffer.from(`data: ${data}\n\n`)),
};
