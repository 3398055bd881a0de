/** A member of an archive, and the rules of its name. */
import { ARCHIVE_LIMITS, ensure } from './rejection.ts';

export interface ArchiveMember {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly size: number;
  /** The content, once. It throws if the size or the checksum of the archive does not match. */
  readonly content: AsyncIterable<Buffer>;
}

const CONTROL_BYTES = 0x20;
const DELETE = 0x7f;

/** Decodes a name. It throws for bytes that are not UTF-8, and for names that a program may extract elsewhere. */
export function decodeName(bytes: Uint8Array): string {
  ensure(bytes.length > 0 && bytes.length <= ARCHIVE_LIMITS.nameBytes, 'name');
  ensure(!bytes.some((byte) => byte < CONTROL_BYTES || byte === DELETE), 'name');
  const name = Buffer.from(bytes).toString('utf8');
  ensure(Buffer.from(name, 'utf8').equals(bytes), 'name');
  ensure(!name.includes('\\') && !name.startsWith('/') && !/^[a-z]:/i.test(name), 'name');
  return name;
}

/** The names of an archive: two that differ in case alone are one file on some systems. */
export class MemberNames {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  add({ name, isDirectory }: Pick<ArchiveMember, 'name' | 'isDirectory'>): void {
    const segments = name.replace(/\/$/, '').split('/');
    ensure(!segments.includes('..') && !segments.includes(''), 'name');
    const path = segments.filter((segment) => segment !== '.');
    ensure(path.length <= ARCHIVE_LIMITS.folders, 'name');
    const key = path.join('/').normalize('NFC').toLowerCase();
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
