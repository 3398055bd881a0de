/** Streams of deflated bytes, which must end exactly where their container specifies. Sources: RFC 1951, RFC 1952. */
import { crc32, createInflateRaw } from 'node:zlib';
import { ensure } from './rejection.ts';

/** Inflates a part of an archive. It throws if the stream ends before or after the part. */
export async function* inflate(deflated: Uint8Array): AsyncGenerator<Buffer> {
  const consumed = yield* inflateFirst(deflated);
  ensure(consumed === deflated.length, 'hidden_bytes');
}

/** Inflates the stream at the start of the bytes, and returns its length. */
async function* inflateFirst(bytes: Uint8Array): AsyncGenerator<Buffer, number> {
  const stream = createInflateRaw();
  stream.end(bytes);
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    for (;;) {
      const next = await chunks.next().catch(() => undefined);
      ensure(next !== undefined, 'corrupt');
      if (next.done) return stream.bytesWritten;
      yield next.value;
    }
  } finally {
    stream.destroy();
  }
}

/** RFC 1952, 2.3: magic, method 8, flags, time (4), extra flags, system. */
const GZIP_HEADER = 10;
const GZIP_TRAILER = 8;
const FLAG_NAME = 8;

/** Returns whether the bytes start as a gzip file. */
export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Decompresses a gzip file of one member, whose header has at most a name. */
export async function* gunzip(file: Buffer): AsyncGenerator<Buffer> {
  ensure(file.length >= GZIP_HEADER + GZIP_TRAILER, 'corrupt');
  ensure(file[2] === 8, 'compression_method');
  const flags = file[3] ?? 0;
  ensure((flags & ~FLAG_NAME) === 0, 'hidden_bytes');
  let start = GZIP_HEADER;
  if (flags === FLAG_NAME) {
    start = file.indexOf(0, GZIP_HEADER) + 1;
    ensure(start > 0 && start - GZIP_HEADER <= 256, 'hidden_bytes');
  }
  const trailer = file.length - GZIP_TRAILER;
  ensure(start <= trailer, 'corrupt');
  yield* checked(inflate(file.subarray(start, trailer)), {
    crc: file.readUInt32LE(trailer),
    size: file.readUInt32LE(trailer + 4),
  });
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
