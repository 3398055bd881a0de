/** `node tools/release/archive/build.ts DIRECTORY`: builds the archive of this checkout's version. */
import { buildArchive } from './archive.ts';

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('name the folder for the archive');
const { file, sha256 } = await buildArchive({ directory });
console.log(`${sha256}  ${file}`);
