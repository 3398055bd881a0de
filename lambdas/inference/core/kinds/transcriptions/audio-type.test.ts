import { describe, expect, it } from '@jest/globals';
import { mp3Frame, wavHeader } from '../../../../../tools/simulators/models/model/voice.ts';
import { requireAudio } from './audio-type.ts';

type FilePieces = readonly (string | Uint8Array<ArrayBuffer>)[];

const file = (name: string, parts: FilePieces) => ({
  name,
  content: new Blob([...parts]),
  sha256: '',
});
const frame = mp3Frame() as Uint8Array<ArrayBuffer>;
const header = wavHeader(10) as Uint8Array<ArrayBuffer>;
const bytes = (...values: number[]) => Uint8Array.from(values);

describe('an accepted audio file', () => {
  it.each([
    ['a.mp3', [frame], 'audio/mpeg'],
    ['a.MP3', ['ID3\u0003'], 'audio/mpeg'],
    ['padded.mp3', [new Uint8Array(300), frame], 'audio/mpeg'],
    ['a.b.wav', [header], 'audio/wav'],
    ['a.m4a', [bytes(0, 0, 0, 32), 'ftypM4A '], 'audio/mp4'],
    ['a.flac', ['fLaC'], 'audio/flac'],
    ['a.ogg', ['OggS'], 'audio/ogg'],
    ['a.webm', [bytes(0x1a, 0x45, 0xdf, 0xa3)], 'audio/webm'],
  ] as readonly (readonly [string, FilePieces, string])[])(
    'receives its type from its name and its first bytes: %s',
    async (name, parts, mimeType) => {
      expect(await requireAudio(file(name, parts))).toMatchObject({ mimeType });
    },
  );
});

describe('a rejected file', () => {
  it.each([
    ['a.exe', ['MZ'], 'unsupported_file_type'],
    ['mp3', [frame], 'unsupported_file_type'],
    ['a.mp3', ['%PDF-1.7 no sound'], 'unsupported_file_type'],
    ['a.wav', [frame], 'unsupported_file_type'],
    ['a.mp3', [header], 'unsupported_file_type'],
    ['a.mp3', [header, bytes(0xff, 0xfb, 0x90, 0x00)], 'unsupported_file_type'],
    ['a.ogg', ['fLaC'], 'unsupported_file_type'],
    ['a.wav', [], 'invalid_value'],
  ] as readonly (readonly [string, FilePieces, string])[])(
    'causes an error because its name or its bytes are not audio of that type: %s, %#',
    async (name, parts, code) => {
      await expect(requireAudio(file(name, parts))).rejects.toMatchObject({
        code,
        param: 'file',
      });
    },
  );

  it('causes an error that names its actual format if that is another accepted one', async () => {
    await expect(requireAudio(file('a.flac', [header]))).rejects.toThrow('its content is wav');
  });
});
