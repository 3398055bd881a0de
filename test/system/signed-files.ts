/**
 * Media files with Content Credentials in the places of the C2PA technical specification (appendix "Embedding manifests
 * into various file formats"): the chunk `caBX` of a PNG, the chunk `C2PA` of a WAV, the ID3 frame `GEOB` of an MP3. The
 * manifest store is reduced to a JUMBF box with the hash of the file, as in the assertion `c2pa.hash.data`.
 */
import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

const LABEL = Buffer.from('c2pa.hash.data\0');
const HASH_BYTES = 32;

const ascii = (text: string) => Buffer.from(text, 'latin1');
const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const little32 = (value: number) => uint32(value).reverse();

/** The manifest store before it has the hash: a superbox with its description, whose UUID stands for C2PA. */
function manifestStore(): Buffer {
  const box = (type: string, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([uint32(8 + body.length), ascii(type), body]);
  };
  const uuid = Buffer.from('6332706100110010800000aa00389b71', 'hex');
  return box(
    'jumb',
    box('jumd', uuid, Buffer.from([3]), ascii('c2pa\0')),
    box('free', LABEL, Buffer.alloc(HASH_BYTES)),
  );
}

const hashAt = (file: Buffer): number => file.indexOf(LABEL) + LABEL.length;

/** Returns the hash of a file without the bytes of the hash. */
function hashOf(file: Buffer): Buffer {
  const zeroed = Buffer.from(file);
  zeroed.subarray(hashAt(file), hashAt(file) + HASH_BYTES).fill(0);
  return createHash('sha256').update(zeroed).digest();
}

function signed(...parts: Buffer[]): Buffer {
  const file = Buffer.concat(parts);
  hashOf(file).copy(file, hashAt(file));
  return file;
}

/** Returns whether a file still has its manifest store, and no other byte than those that were signed. */
export const isSigned = (file: Buffer): boolean =>
  file.includes(LABEL) && hashOf(file).equals(file.subarray(hashAt(file), hashAt(file) + HASH_BYTES));

/** Every byte, so that a text decoder in between would change some. */
const EVERY_BYTE = Buffer.from(Array.from({ length: 1024 }, (_, index) => index % 256));

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([ascii(type), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
};

/** Rows of 15 pixels, each after its filter: none. */
const ROWS = EVERY_BYTE.map((byte, index) => (index % 16 === 0 ? 0 : byte));

/** A PNG of 15 by 64 grey pixels; `level` is that of the compression. */
export const pngWith = (level: number): Buffer =>
  signed(
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.concat([uint32(15), uint32(64), Buffer.from([8, 0, 0, 0, 0])])),
    chunk('caBX', manifestStore()),
    chunk('IDAT', deflateSync(ROWS, { level })),
    chunk('IEND', Buffer.alloc(0)),
  );

const riff = (id: string, data: Buffer) => Buffer.concat([ascii(id), little32(data.length), data]);

/** A WAV of 8-bit samples. */
export function wavFile(): Buffer {
  const format = Buffer.from('01000100401f0000401f000001000800', 'hex');
  const chunks = [riff('fmt ', format), riff('data', EVERY_BYTE), riff('C2PA', manifestStore())];
  const body = Buffer.concat([ascii('WAVE'), ...chunks]);
  return signed(ascii('RIFF'), little32(body.length), body);
}

/** An ID3 tag, version 2.4, and bytes in place of frames of sound. */
export function mp3File(): Buffer {
  const mime = ascii('application/x-c2pa-manifest-store\0');
  const object = Buffer.concat([Buffer.from([0]), mime, ascii('c2pa\0\0'), manifestStore()]);
  const size = (length: number) => Buffer.from([21, 14, 7, 0].map((shift) => (length >> shift) & 127));
  const frame = Buffer.concat([ascii('GEOB'), size(object.length), Buffer.alloc(2), object]);
  return signed(ascii('ID3\x04\0\0'), size(frame.length), frame, Buffer.from('fffb9064', 'hex'), EVERY_BYTE);
}
