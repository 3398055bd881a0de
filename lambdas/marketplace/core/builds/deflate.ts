/** Streams of deflated bytes, which must end exactly where their container specifies. Source: RFC 1951. */
import { crc32, createInflateRaw } from 'node:zlib';
import { ensure } from './rejection.ts';

/** Inflates a part of an archive. It throws if the stream ends before or after the part. */
export async function* inflate(deflated: Uint8Array): AsyncGenerator<Buffer> {
  const stream = createInflateRaw();
  stream.end(deflated);
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const next = await chunks.next().catch(() => undefined);
      ensure(next !== undefined, 'corrupt');
      if (next.done) break;
      yield next.value;
    }
    ensure(stream.bytesWritten === deflated.length, 'hidden_bytes');
  } finally {
    stream.destroy();
  }
}

/** Passes the chunks on. It throws if they have another size or checksum, at the first byte beyond the size. */
export async function* checked(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  { crc, size }: { readonly crc: number; readonly size: number },
): AsyncGenerator<Buffer> {
  let length = 0;
  let sum = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    ensure(length <= size, 'corrupt');
    sum = crc32(chunk, sum);
    yield chunk;
  }
  ensure(length === size && sum === crc, 'corrupt');
}
