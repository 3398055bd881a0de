/** AWS event streams on the wire: binary frames with checksums (Smithy, "Amazon Event Stream Specification"). */
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { NOT_JSON } from './garbage.ts';
import type { StreamEncoding, StreamEvent } from './reply.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

const header = (value: string) => ({ type: 'string' as const, value });

/** One frame; a failure is an exception, whose name is its type. */
function encode({ name = '', data, failure }: StreamEvent): Buffer {
  const kind = failure === true ? 'exception' : 'event';
  const headers = {
    [`:${kind}-type`]: header(name),
    ':content-type': header('application/json'),
    ':message-type': header(kind),
  };
  return Buffer.from(codec.encode({ headers, body: Buffer.from(data, 'utf8') }));
}

/** A frame whose checksum is wrong by one bit. */
function damaged(frame: Buffer): Buffer {
  const copy = Buffer.from(frame);
  copy.writeUInt8(copy.readUInt8(copy.length - 1) ^ 1, copy.length - 1);
  return copy;
}

const delta = (data: string): Buffer => encode({ name: 'contentBlockDelta', data, part: 'content' });

/** Comments and line ends are nothing that frames have. */
export const eventStream: StreamEncoding = {
  headers: { 'content-type': 'application/vnd.amazon.eventstream' },
  encode,
  garbage: [delta('{"contentBlockIndex":'), damaged(delta('{}')), Buffer.from(NOT_JSON)],
};
