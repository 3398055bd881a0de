import { expect } from '@jest/globals';
import { MPEGDecoder } from 'mpg123-decoder';

/** The sound of an MP3, by a decoder that plays it to its end without an error. */
export async function decodedMp3(
  mp3: Uint8Array,
): Promise<{ readonly seconds: number; readonly sampleRate: number }> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const { samplesDecoded, sampleRate, errors } = decoder.decode(mp3);
  decoder.free();
  expect(errors).toEqual([]);
  return { seconds: samplesDecoded / sampleRate, sampleRate };
}
