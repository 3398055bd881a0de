import { describe, expect, it } from '@jest/globals';
import { newRelease, newReview } from './activity.ts';
import { category, newListing } from './fields.ts';
import { kindOf } from './listing.ts';

const accepted = (fields: object) =>
  newListing.safeParse({ name: 'A name', summary: 'A summary.', category: 'tools', ...fields }).success;

/** Shows nothing, or turns the order of what is shown. */
const UNSEEN = [
  ...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u200b\u200c',
  ...'\u200d\u2060\ufeff\u00ad\u034f\u061c\u180e\u{e0041}',
  ...'\u0000\u0007\u001b\u007f\u0085\u2028\u2029\n\t\u115f\u1160\u3164\uffa0\ue000\ud800',
];

describe('the fields of a listing', () => {
  it.each(UNSEEN.map((character) => [character.codePointAt(0)?.toString(16), character]))(
    'reject invisible characters if they are shown in lists: U+%s',
    (_code, character) => {
      for (const value of [`a${character}b`, `${character}ab`.padEnd(6, 'x'), `x${character}${character}x`]) {
        // What is trimmed away is not in the field.
        if (value.trim() !== value) continue;
        expect([accepted({ name: value }), accepted({ summary: value })]).toEqual([false, false]);
        expect(category.safeParse(value).success).toBe(false);
      }
    },
  );

  it.each(['Ünïcödé', '漢字', 'ไทย', 'עברית', 'العربية', 'हिन्दी', 'C++ & C#: 100 %', '❤️ 🇩🇪 🚀', 'x — y'])(
    'accept any script: %s',
    (value) => {
      expect(accepted({ name: value, summary: value })).toBe(true);
    },
  );
});

describe('text that is stored', () => {
  const half = 'half \ud83d';
  const rejections = () => [
    newListing.safeParse({ name: 'A', summary: 'B.', category: 'tools', description: half, tags: [] }),
    newReview.safeParse({ rating: 5, text: half }),
    newRelease.safeParse({ version: '1.0.0', notes: half }),
  ];

  it('cannot end in half of a character', () => {
    expect(rejections().map(({ success }) => success)).toEqual([false, false, false]);
    const url = 'https://a.example/\ud83d';
    for (const field of ['url', 'icon_url', 'contact']) expect(accepted({ [field]: url })).toBe(false);
    expect(accepted({ description: 'whole 🚀', url: 'https://a.example/🚀' })).toBe(true);
  });
});

describe('the kind of a path', () => {
  it.each(['//apps', '/', '/x/apps', '//', '/%61pps', '/apps%2f'])(
    'causes a 404 if the path is %s',
    (path) => {
      const request = new Request(`https://localhost${path}`);
      expect(() => kindOf(request)).toThrow(expect.objectContaining({ code: 'unknown_path', status: 404 }));
    },
  );
});
