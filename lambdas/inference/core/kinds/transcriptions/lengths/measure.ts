/** The length of a recording according to its own header, for every accepted format. */
import type { After } from '../../../../../platform/core/ports.ts';
import { within } from '../../../../../platform/core/within.ts';
import type { AudioExtension } from '../audio-type.ts';
import { lengthOfFlac } from './flac.ts';
import { lengthOfM4a } from './m4a.ts';
import { lengthOfMp3 } from './mp3.ts';
import { lengthOfOgg } from './ogg.ts';
import { lengthOfWav } from './wav.ts';
import { lengthOfWebm } from './webm.ts';
import { ByteWindows, type Length, type ReadLength } from './windows.ts';

const READERS: Readonly<Record<AudioExtension, ReadLength>> = {
  mp3: lengthOfMp3,
  wav: lengthOfWav,
  m4a: lengthOfM4a,
  flac: lengthOfFlac,
  ogg: lengthOfOgg,
  webm: lengthOfWebm,
};

/** The time limit for an unresponsive disk. Reading a header takes a few milliseconds. */
const WITHIN_MS = 250;

/**
 * Returns the length in the file's header. Undefined if it is not found within the limits: 256 KB in four reads, 1,000
 * elements, 250 ms. Does not throw.
 */
export function measureAudio(
  content: Blob,
  extension: AudioExtension,
  after: After,
): Promise<Length | undefined> {
  const read = READERS[extension](new ByteWindows(content)).catch(() => undefined);
  return within(after, WITHIN_MS, read);
}
