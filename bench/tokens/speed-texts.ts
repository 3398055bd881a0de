/** Texts that the bound's speed is measured on: small and large ones, honest and hostile. */

import { seeded } from '../harness/seeded.ts';
import { CODE, ENGLISH_CHAT, PROSE } from './honest.ts';

const CHAT = ENGLISH_CHAT.join('\n');
const LARGE = 1_000_000;

const filled = (unit: string): string => unit.repeat(Math.ceil(LARGE / unit.length)).slice(0, LARGE);

function randomLetters(): string {
  const chance = seeded(3);
  return filled(
    Array.from({ length: 10_000 }, () => String.fromCharCode(97 + Math.floor(chance() * 26))).join(''),
  );
}

export const SPEED_TEXTS: Readonly<Record<string, string>> = {
  'a question of 32 characters': ENGLISH_CHAT[3] ?? '',
  'a turn of 400 characters': ENGLISH_CHAT[17] ?? '',
  'a conversation of 3.5 KB': CHAT,
  'TypeScript of 0.5 KB': CODE.TypeScript ?? '',
  'JSON of 0.4 KB': CODE.JSON ?? '',
  'German of 0.4 KB': PROSE.German ?? '',
  'Russian of 0.7 KB': PROSE.Russian ?? '',
  'Chinese of 0.9 KB': PROSE.Chinese ?? '',
  'English of 1 MB': filled(CHAT),
  'JSON of 1 MB': filled(CODE.JSON ?? ''),
  'hostile: 1 MB of random letters': randomLetters(),
  'hostile: 1 MB of words of two letters': filled('zq xj '),
  'hostile: 1 MB of one letter': filled('a'),
  'hostile: 1 MB of changing case': filled('aB'),
  'hostile: 1 MB of signs': filled('!@#'),
  'hostile: 1 MB of blanks': filled(' '),
  'hostile: 1 M code units of rare scripts': filled('ꙮ𓀀é\u0301'),
};
