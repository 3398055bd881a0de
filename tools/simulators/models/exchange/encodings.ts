/** The encodings of stream events as bytes: server-sent events, and the binary frames of AWS. */
import { EventStreamCodec } from '@smithy/eventstream-codec';
import type { StreamEncoding } from './reply.ts';

/** The body that a broken proxy in front of a provider would send. */
export const NOT_JSON = '<!doctype html><title>502</title><p>upstream sent no JSON</p>';

/** WHATWG HTML, section 9.2 "Server-sent events". */
export const sse: StreamEncoding = {
  headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  encode({ name, data, isUnended }) {
    const lines = `data: ${data.replaceAll('\n', '\ndata: ')}${isUnended === true ? '' : '\n\n'}`;
    return Buffer.from(name === undefined ? lines : `event: ${name}\n${lines}`);
  },
  garbage: [Buffer.from('data: {"id":"chatcmpl-\n\n'), Buffer.from(`data: ${NOT_JSON}\n\n`)],
};

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

const header = (value: string) => ({ type: 'string' as const, value });

/** Smithy, "Amazon Event Stream Specification"; a failure is an exception, whose name is its type. */
const encodeFrame: StreamEncoding['encode'] = ({ name = '', data, failure }) => {
  const kind = failure === true ? 'exception' : 'event';
  const headers = {
    [`:${kind}-type`]: header(name),
    ':content-type': header('application/json'),
    ':message-type': header(kind),
  };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(data, 'utf8') }));
};

function damagedFrame(): Buffer {
  const frame = encodeFrame({ name: 'contentBlockDelta', data: '{}', part: 'content' });
  frame.writeUInt8(frame.readUInt8(frame.length - 1) ^ 1, frame.length - 1);
  return frame;
}

export const eventStream: StreamEncoding = {
  headers: { 'content-type': 'application/vnd.amazon.eventstream' },
  encode: encodeFrame,
  garbage: [damagedFrame(), Buffer.from(NOT_JSON)],
};
