/** Recordings to transcribe, real enough for any decoder. */
import { mp3Frame, wavFrame, wavHeader } from '../simulators/models/model/voice.ts';

/** 24 ms a frame. */
const framesOf = (seconds: number): number => Math.round(seconds / 0.024);

export function wav(seconds: number): Buffer<ArrayBuffer> {
  const frames = framesOf(seconds);
  return Buffer.concat([wavHeader(frames), ...Array.from({ length: frames }, wavFrame)]);
}

export const mp3 = (seconds: number): Buffer<ArrayBuffer> =>
  Buffer.concat(Array.from({ length: framesOf(seconds) }, () => mp3Frame()));

/** Silence of exactly that many bytes, header included: 16-bit mono PCM at 24 kHz. */
export function wavOfBytes(bytes: number): Buffer<ArrayBuffer> {
  const file = Buffer.alloc(bytes);
  wavHeader(1).copy(file);
  file.writeUInt32LE(bytes - 8, 4);
  file.writeUInt32LE(bytes - 44, 40);
  return file;
}

/** A recording that is not silent, in that format: a simulator hears words in it. */
export function spoken(seconds: number): Buffer<ArrayBuffer> {
  const file = wavOfBytes(44 + Math.round(seconds * 48_000));
  return file.fill(1, 44);
}

/** Only the header of a FLAC file, which gives its length (RFC 9639, section 8.2). */
export function flac(seconds: number): Buffer<ArrayBuffer> {
  const rate = 16_000n;
  const info = Buffer.alloc(34);
  info.writeUInt16BE(4096, 0);
  info.writeUInt16BE(4096, 2);
  // 20 bits of sample rate, 3 of channels less one, 5 of bits less one, 36 of samples.
  info.writeBigUInt64BE((rate << 44n) | (15n << 36n) | (BigInt(Math.round(seconds)) * rate), 10);
  return Buffer.concat([Buffer.from('fLaC'), Buffer.from([0x80, 0, 0, 34]), info]);
}

/** A form with a file. */
export function form(
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
  fields: Readonly<Record<string, string>> = {},
): FormData {
  const data = new FormData();
  for (const [field, value] of Object.entries(fields)) data.set(field, value);
  data.set('file', new Blob([bytes]), name);
  return data;
}
