/** A second of sound to be transcribed, as a WAV file of plain samples: its length is certain, so little is held for it. */

const SAMPLES_A_SECOND = 16_000;
const BYTES_A_SAMPLE = 2;
const HEADER_BYTES = 44;

/** A tone of 440 Hz, not silence: some models reject inaudible audio. */
const HERTZ = 440;
const LOUDNESS = 8_000;

/** Seconds that are held for, and billed at most: a route may count a whole second more. */
export const MAX_RECORDED_SECONDS = 2;

/** One second, mono, 16 bits a sample (Microsoft, "Multimedia Programming Interface and Data Specifications 1.0"). */
export function recording(): Buffer<ArrayBuffer> {
  const data = SAMPLES_A_SECOND * BYTES_A_SAMPLE;
  const file = Buffer.alloc(HEADER_BYTES + data);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(SAMPLES_A_SECOND, 24);
  file.writeUInt32LE(data, 28);
  file.writeUInt16LE(BYTES_A_SAMPLE, 32);
  file.writeUInt16LE(8 * BYTES_A_SAMPLE, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(data, 40);
  for (let at = 0; at < SAMPLES_A_SECOND; at += 1) {
    const level = Math.sin((2 * Math.PI * HERTZ * at) / SAMPLES_A_SECOND) * LOUDNESS;
    file.writeInt16LE(Math.round(level), HEADER_BYTES + at * BYTES_A_SAMPLE);
  }
  return file;
}
