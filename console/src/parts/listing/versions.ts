/** The versions of a listing's releases. */

/** Returns the next patch of the greatest version, which is none of these. A pre-release counts as its version. */
export function nextVersion(versions: readonly string[]): string {
  const [greatest] = versions.map(numbersOf).sort(compareDescending);
  if (greatest === undefined) return '1.0.0';
  const [major, minor, patch] = greatest;
  return `${major}.${minor}.${patch + 1n}`;
}

type VersionNumbers = readonly [major: bigint, minor: bigint, patch: bigint];

function numbersOf(version: string): VersionNumbers {
  const [major = '0', minor = '0', patch = '0'] = version.match(/\d+/g) ?? [];
  return [BigInt(major), BigInt(minor), BigInt(patch)];
}

function compareDescending(one: VersionNumbers, other: VersionNumbers): number {
  const index = one.findIndex((number, at) => number !== other[at]);
  return index === -1 ? 0 : (one[index] ?? 0n) > (other[index] ?? 0n) ? -1 : 1;
}

/** The most versions that a field names. */
const MAX_NAMED = 5;

/** `Taken: 1.0.1, 1.0.0.`: the versions of the releases, newest first. */
export function takenText(versions: readonly string[]): string {
  const rest = versions.length - MAX_NAMED;
  const more = rest > 0 ? `, and ${rest} earlier ${rest === 1 ? 'one' : 'ones'}` : '';
  return `Taken: ${versions.slice(0, MAX_NAMED).join(', ')}${more}.`;
}
