/** The inspection of builds next to public programs that list and extract zips. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { describe, expect } from '@jest/globals';
import * as fc from 'fast-check';
import { HOSTILE_ARCHIVES } from '../../lambdas/marketplace/testing/hostile-archives.ts';
import { it } from '../../tools/test-kit/search.ts';
import { SEED } from '../../tools/test-kit/seed.ts';
import { archives, inspectedMembers } from './archives.ts';
import { type Member, type Reading, type Readings, readAll } from './readers.ts';

const TOOLS = process.env.EXTRACTORS ?? '';
const COUNT = 600 * Number(process.env.THOROUGH ?? 1);

/** Those that need no program of the system. */
const ALWAYS = [
  'Python zipfile',
  'libarchive',
  'libarchive from a pipe',
  'stream-unzip',
  'fflate',
  'fflate as a stream',
];

async function readingsOf(files: readonly Buffer[]): Promise<Readings> {
  const folder = mkdtempSync(join(tmpdir(), 'extractors-'));
  try {
    for (const [index, bytes] of files.entries()) writeFileSync(join(folder, `${index}.zip`), bytes);
    return await readAll(TOOLS, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the files by name with size and digest, and the folders with those of the files. */
function treeOf(members: readonly Member[]): readonly string[] {
  const lines = new Set<string>();
  for (const [name, size, digest] of members) {
    // libarchive composes accents, as macOS separates them.
    const path = posix.normalize(name.normalize('NFC'));
    if (path.startsWith('..') || path.startsWith('/')) lines.add(`OUTSIDE ${path}`);
    if (!name.endsWith('/')) lines.add(`${path} ${size} ${digest}`);
    else if (size > 0) lines.add(`${path} IS A FOLDER WITH ${size} BYTES`);
    const folders = path.split('/').slice(0, -1);
    for (const [index] of folders.entries()) lines.add(`${folders.slice(0, index + 1).join('/')}/`);
  }
  return [...lines].filter((line) => line !== './').sort();
}

/** Returns the readers that list other members than expected. */
const differing = (
  expected: readonly Member[],
  readings: Readonly<Record<string, Reading>>,
): readonly string[] =>
  Object.entries(readings)
    .filter(([, { members }]) => {
      return members === undefined || treeOf(members).join('\n') !== treeOf(expected).join('\n');
    })
    .map(([reader, { failure }]) => (failure === undefined ? reader : `${reader}: ${failure}`));

describe('an archive that the inspection accepts', () => {
  it('gives every program the same names, sizes and contents, and none outside the folder', async () => {
    const files = fc.sample(archives, { numRuns: COUNT, seed: SEED });
    const readings = await readingsOf(files);
    let accepted = 0;
    const found: object[] = [];
    for (const [index, file] of files.entries()) {
      const expected = await inspectedMembers(file);
      if (expected === undefined) continue;
      accepted += 1;
      const ofFile = readings[`${index}.zip`] ?? {};
      expect(Object.keys(ofFile)).toEqual(expect.arrayContaining(ALWAYS));
      const readers = differing(expected, ofFile);
      if (readers.length > 0)
        found.push({ readers, expected: treeOf(expected), bytes: file.toString('base64') });
    }
    expect(found).toEqual([]);
    // Neither do all pass, nor do all fail.
    expect(accepted).toBeGreaterThan(COUNT / 10);
    expect(accepted).toBeLessThan(COUNT);
  });
});

describe('an archive that the inspection rejects', () => {
  const TITLES = [
    'a stored member with a descriptor, whose data have another member',
    'an empty stored member with a descriptor',
    'a descriptor without its signature',
    'a folder by its attributes that is a file by its name',
    'a name beyond ASCII without the flag of UTF-8',
    'a local header with another name',
    'a member that the directory does not list',
  ];

  it('differs between the programs, which the comparison detects', async () => {
    const hostile = TITLES.map((title) =>
      HOSTILE_ARCHIVES.find((archive) => archive.title === title)?.file(),
    );
    const files = hostile.map((file) => file ?? Buffer.alloc(0));
    const readings = await readingsOf(files);
    for (const [index, title] of TITLES.entries()) {
      const ofFile = readings[`${index}.zip`] ?? {};
      const { 'Python zipfile': { members = [] } = {} } = ofFile;
      expect([title, differing(members, ofFile)]).toEqual([
        title,
        expect.arrayContaining([expect.any(String)]),
      ]);
      expect([title, await inspectedMembers(files[index] ?? Buffer.alloc(0))]).toEqual([title, undefined]);
    }
    const { members = [] } = readings['0.zip']?.['libarchive from a pipe'] ?? {};
    expect(treeOf(members).join('\n')).toContain('OUTSIDE ../evil.sh');
  });
});
