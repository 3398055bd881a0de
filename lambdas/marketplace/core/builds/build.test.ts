import { describe, expect, it } from '@jest/globals';
import { newBuild } from './build.ts';

const issuesOf = (filename: string) =>
  newBuild.safeParse({ filename, size: 1, sha256: '0'.repeat(64) }).error?.issues ?? [];

describe('a new build', () => {
  it('can have the name of a zip', () => {
    expect(issuesOf('quiet-notes_1.2.zip')).toEqual([]);
  });

  it.each(['app.tar.gz', 'app.tgz', 'app.tar', 'app.gz', 'app.zip.gz', 'app', '.zip'])(
    'causes an error with the format that it needs if its name is %s',
    (filename) => {
      expect(issuesOf(filename)).toMatchObject([
        { path: ['filename'], message: 'must be the name of a .zip file: a build is packed as zip' },
      ]);
    },
  );
});
