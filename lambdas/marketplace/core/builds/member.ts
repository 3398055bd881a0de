/** A member of an archive, and the rules of its name. */
import { ARCHIVE_LIMITS, ensure } from './rejection.ts';

export interface ArchiveMember {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly size: number;
  /** The content, once. It throws if the size or the checksum of the archive does not match. */
  readonly content: AsyncIterable<Buffer>;
}

/** Characters that show another name than the one that is extracted: of control and format, and separators of lines. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Windows replaces them, reads `:` as a drive or a stream, and drops a blank or a dot at the end (Win32, "Naming Files"). */
const OTHER_ON_WINDOWS = /[\\:*?"<>|]|[ .]$/;

/** Windows opens a device, whatever follows a dot. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/i;

const isSafe = (segment: string): boolean =>
  segment === '.' || !(segment === '' || OTHER_ON_WINDOWS.test(segment) || DEVICE.test(segment));

/** Decodes a name. It throws for bytes that are not UTF-8, and for names that a program may extract elsewhere. */
export function decodeName(bytes: Uint8Array): string {
  ensure(bytes.length > 0 && bytes.length <= ARCHIVE_LIMITS.nameBytes, 'name');
  const name = Buffer.from(bytes).toString('utf8');
  ensure(Buffer.from(name, 'utf8').equals(bytes), 'name');
  ensure(!INVISIBLE.test(name) && name.replace(/\/$/, '').split('/').every(isSafe), 'name');
  return name;
}

/** Capitals first: `ß` becomes `SS`, as systems compare names. */
const foldCase = (name: string): string => name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');

/** The names of an archive: two that differ in case or in Unicode's forms alone are one file on some systems. */
export class MemberNames {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  add({ name, isDirectory }: Pick<ArchiveMember, 'name' | 'isDirectory'>): void {
    const path = name.split('/').filter((segment) => segment !== '' && segment !== '.');
    ensure(path.length <= ARCHIVE_LIMITS.folders, 'name');
    const key = foldCase(path.join('/'));
    // The folder of the archive itself, as `bsdtar -a -cf app.zip .` writes it.
    if (key === '') {
      ensure(isDirectory, 'name');
      return;
    }
    ensure(!this.#files.has(key) && !(this.#folders.has(key) && !isDirectory), 'repeated_name');
    for (let end = key.indexOf('/'); end !== -1; end = key.indexOf('/', end + 1)) {
      const folder = key.slice(0, end);
      ensure(!this.#files.has(folder), 'repeated_name');
      this.#folders.add(folder);
    }
    (isDirectory ? this.#folders : this.#files).add(key);
  }
}
