/** Speech of a simulated model: audio whose length follows the text, as frames of 24 ms that any decoder takes. */

/** Both formats below have a whole number of bytes and samples in it. */
const FRAME_MS = 24;

/** A brisk reader: 60 ms a character. */
const FRAMES_PER_CHARACTER = 2.5;
/** Decoders want a few frames before they believe an MP3. */
const MIN_FRAMES = 10;

export function frameCount(text: string, speed: number): number {
  return Math.max(MIN_FRAMES, Math.ceil(([...text].length * FRAMES_PER_CHARACTER) / speed));
}

const WAV_RATE_HZ = 24_000;
const BYTES_PER_SAMPLE = 2;
const SAMPLES_PER_FRAME = (WAV_RATE_HZ * FRAME_MS) / 1000;
/** RIFF header of 16-bit mono PCM (Microsoft, "Multiple channel audio data and WAVE files"). */
export function wavHeader(frames: number): Buffer {
  const dataBytes = frames * SAMPLES_PER_FRAME * BYTES_PER_SAMPLE;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(WAV_RATE_HZ, 24);
  header.writeUInt32LE(WAV_RATE_HZ * BYTES_PER_SAMPLE, 28);
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  header.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

export const wavFrame = (): Buffer => Buffer.alloc(SAMPLES_PER_FRAME * BYTES_PER_SAMPLE);

/**
 * A frame of silence: MPEG-1 layer III, 64 kbit/s, 48 kHz, mono, so 1152 samples in 192 bytes (ISO 11172-3, 2.4.2.3);
 * side information of zeros says that there are no frequencies.
 */
export function mp3Frame(): Buffer {
  const frame = Buffer.alloc(192);
  frame.set([0xff, 0xfb, 0x54, 0xc4]);
  return frame;
}
