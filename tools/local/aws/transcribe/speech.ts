/** The hearing of the simulated Amazon Transcribe, and its transcript (its developer guide, "Data input and output"). */

interface Heard {
  readonly seconds: number;
  /** The end of the last sound; 0 for silence. */
  readonly spokenSeconds: number;
}

const SIGNATURES: readonly (readonly [format: string, offset: number, text: string])[] = [
  ['wav', 0, 'RIFF'],
  ['flac', 0, 'fLaC'],
  ['ogg', 0, 'OggS'],
  ['webm', 0, '\x1a\x45\xdf\xa3'],
  ['m4a', 4, 'ftyp'],
  ['m4a', 4, 'moov'],
  ['mp3', 0, 'ID3'],
];

/** Returns the format that the bytes begin like; undefined if it is none. */
export function formatOf(audio: Buffer): string | undefined {
  const found = SIGNATURES.find(
    ([, offset, text]) => audio.toString('latin1', offset, offset + text.length) === text,
  );
  if (found !== undefined) return found[0];
  return audio[0] === 0xff && ((audio[1] ?? 0) & 0xe0) === 0xe0 ? 'mp3' : undefined;
}

/** Reads a WAV file of plain samples; undefined for any other. */
export function heardIn(audio: Buffer): Heard | undefined {
  if (formatOf(audio) !== 'wav') return undefined;
  const data = audio.indexOf('data');
  const bytesPerSecond = audio.readUInt32LE(28);
  if (data === -1 || bytesPerSecond === 0) return undefined;
  const samples = audio.subarray(data + 8);
  const sounds = samples.findLastIndex((byte) => byte !== 0) + 1;
  return { seconds: samples.length / bytesPerSecond, spokenSeconds: sounds / bytesPerSecond };
}

const SPOKEN = ['The', 'quick', 'brown', 'fox', 'jumps', 'over', 'the', 'lazy', 'dog'];

/** The seconds of a file whose length is not read. */
const SENTENCE_SECONDS = SPOKEN.length / 2;

/** Returns the file that a job writes. Numbers are text, as the service writes them. */
export function transcriptOf(jobName: string, language: string, heard: Heard | undefined): object {
  const seconds = heard?.spokenSeconds ?? SENTENCE_SECONDS;
  const count = seconds === 0 ? 0 : Math.max(1, Math.floor(seconds * 2));
  const words = Array.from({ length: count }, (_, at) => SPOKEN[at % SPOKEN.length] as string);
  const step = seconds / Math.max(1, count);
  const items: object[] = words.map((content, id) => ({
    id,
    type: 'pronunciation',
    start_time: (id * step).toFixed(3),
    end_time: ((id + 1) * step).toFixed(3),
    alternatives: [{ confidence: '0.998', content }],
  }));
  if (count > 0)
    items.push({ id: count, type: 'punctuation', alternatives: [{ confidence: '0.0', content: '.' }] });
  const transcript = count === 0 ? '' : `${words.join(' ')}.`;
  return {
    jobName,
    accountId: '000000000000',
    status: 'COMPLETED',
    results: {
      language_code: language,
      transcripts: [{ transcript }],
      items,
      audio_segments:
        count === 0
          ? []
          : [
              {
                id: 0,
                transcript,
                start_time: '0.0',
                end_time: seconds.toFixed(3),
                items: items.map((_, id) => id),
              },
            ],
    },
  };
}
