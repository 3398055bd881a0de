/** Forms with an upload: whole, and cut and changed at random; and what they leave behind. */
import { readdirSync, readlinkSync } from 'node:fs';
import fc from 'fast-check';
import { wav } from '../../../tools/test-kit/recordings.ts';

export const BOUNDARY = 'xyz';
export const FORM_TYPE = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

export const audio = wav(0.048);

export const part = (headers: string, content: Buffer | string) =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
export const field = (name: string, content: string) =>
  part(`content-disposition: form-data; name="${name}"`, content);
export const file = (content: Buffer, name = 'speech.wav') =>
  part(`content-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: audio/wav`, content);
export const formOf = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);

export interface MutatedForm {
  readonly body: ReadableStream<Uint8Array>;
  reads: number;
}

/** A body in pieces, that ends or breaks off at its end; counts how often it is asked for more. */
export function bodyOf(bytes: Buffer, { piece = 1 << 16, breaksOff = false } = {}): MutatedForm {
  let at = 0;
  const request: { body?: ReadableStream<Uint8Array>; reads: number } = { reads: 0 };
  request.body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        request.reads += 1;
        if (at < bytes.length) controller.enqueue(new Uint8Array(bytes.subarray(at, at + piece)));
        else if (breaksOff) controller.error(new Error('the client left'));
        else controller.close();
        at += piece;
      },
    },
    { highWaterMark: 0 },
  );
  return request as MutatedForm;
}

/** Text that is inserted into a form at random: its own grammar in the wrong place, and text that no form has. */
const INSERTS = [
  '\r\n',
  '\r\n\r\n',
  `--${BOUNDARY}`,
  `\r\n--${BOUNDARY}\r\n`,
  `\r\n--${BOUNDARY}--\r\n`,
  `\r\n--${BOUNDARY}\r\ncontent-disposition: form-data\r\n\r\nnameless\r\n`,
  `\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; filename="a.wav"\r\n\r\nnameless\r\n`,
  `\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; name=""\r\n\r\nnameless\r\n`,
  `\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; name="a"\r\ncontent-type: text/plain; charset=none\r\n\r\na\r\n`,
  `\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; name="a"\r\ncontent-type: text/plain; charset=utf-16le\r\n\r\na\r\n`,
  `\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; name*=utf-8''%0d%0a%22%00\r\n\r\na\r\n`,
  `\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; name="__proto__"\r\n\r\na\r\n`,
  `\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; name="model"\r\n\r\ntest/ears\r\n`,
  `\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="b.wav"\r\n\r\nb\r\n`,
  `\r\n--${BOUNDARY}\r\n\r\nbare\r\n`,
  `content-disposition: form-data; name="${'n'.repeat(20_000)}"\r\n`,
  `${'a: b\r\n'.repeat(3_000)}`,
  '; name=',
  "; filename*=utf-8''%zz%",
  '"',
  '\\',
  '\0',
  '\xff\xfe',
];

/** With a model that the forms name, and what else callers send. */
const completeForm = formOf(
  field('model', 'test/ears'),
  field('language', 'de'),
  file(audio),
  field('temperature', '0'),
  field('response_format', 'verbose_json'),
);

/** A place, as a part of the whole. */
const position = fc.noBias(fc.integer({ min: 0, max: 9_999 })).map((part) => part / 10_000);

const mutations = fc.record({
  changes: fc.array(
    fc.record({
      at: position,
      /** Bytes that are taken out there. */
      out: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.integer({ min: 1, max: 400 })),
      /** The text that is inserted there. */
      insert: fc.option(fc.constantFrom(...INSERTS), { nil: '' }),
    }),
    { maxLength: 4 },
  ),
  /** The position at which the form ends. */
  cut: fc.option(position, { nil: 1 }),
  piece: fc.constantFrom(1, 64, 64, 250, 250, 1_000, 1_000, 1 << 16, 1 << 16),
  breaksOff: fc.oneof({ arbitrary: fc.constant(false), weight: 3 }, fc.constant(true)),
});

type Mutation = typeof mutations extends fc.Arbitrary<infer Value> ? Value : never;

function mutate({ changes, cut }: Mutation): Buffer {
  let form = completeForm;
  for (const { at, out, insert } of changes) {
    // Half of them among the fields and headers, of which there are far fewer bytes than of sound.
    const offset = Math.floor((at < 0.5 ? at * 0.4 : at) * form.length);
    form = Buffer.concat([
      form.subarray(0, offset),
      Buffer.from(insert, 'latin1'),
      form.subarray(offset + out),
    ]);
  }
  return form.subarray(0, Math.floor(cut * form.length));
}

/** Bodies of forms that were cut and changed at random. */
export const mutatedForms = (count: number): readonly MutatedForm[] =>
  fc.sample(mutations, { numRuns: count }).map((mutation) => bodyOf(mutate(mutation), mutation));

/** Uploads that this process has open, with or without a name. Without Linux's `/proc` none is counted. */
export const openUploads = (): number =>
  (process.platform === 'linux' ? readdirSync('/proc/self/fd') : []).filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('/upload-');
    } catch {
      // It was the listing's own.
      return false;
    }
  }).length;

/** Does a piece of work for each, a number of them at once. */
export async function forEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  atOnce = 25,
): Promise<void> {
  const next = items.values();
  const worker = async () => {
    for (const item of next) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
