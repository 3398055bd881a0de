/**
 * A form with a file as a request body, read from disk while it is sent (RFC 7578). `fetch` would take a `FormData`,
 * but a connection that fails while it reads one ends the process (Node 24.21: an enqueue into a closed stream).
 */
import { randomUUID } from 'node:crypto';

export interface FormFile {
  readonly name: string;
  readonly type: string;
  readonly content: Blob;
}

export interface FormBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bytes of the file that are in memory at once. */
const SLICE_BYTES = 256 * 1024;

/** WHATWG HTML, "multipart/form-data encoding algorithm". */
const escaped = (name: string) => name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');

export function formBody(
  fields: readonly (readonly [name: string, value: string])[],
  file: FormFile,
): FormBody {
  const boundary = `form-${randomUUID()}`;
  const encodedFields = fields.map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${escaped(name)}"\r\n\r\n${value}\r\n`,
  );
  const head = Buffer.from(
    `${encodedFields.join('')}--${boundary}\r\ncontent-disposition: form-data; name="file"; ` +
      `filename="${escaped(file.name)}"\r\ncontent-type: ${file.type}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    stream: streamOf(readFormBytes(head, file.content, tail)),
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.content.size + tail.length),
    },
  };
}

async function* readFormBytes(
  head: Uint8Array,
  content: Blob,
  tail: Uint8Array,
): AsyncGenerator<Uint8Array, void> {
  yield head;
  for (let start = 0; start < content.size; start += SLICE_BYTES)
    yield new Uint8Array(await content.slice(start, start + SLICE_BYTES).arrayBuffer());
  yield tail;
}

const streamOf = (source: AsyncGenerator<Uint8Array, void>): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      async pull(controller) {
        const next = await source.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await source.return();
      },
    },
    { highWaterMark: 0 },
  );
