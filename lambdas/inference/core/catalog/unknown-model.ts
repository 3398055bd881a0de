/** The error for a model that the catalog does not have, or has for calls of another kind. */
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Kind } from '../../../platform/core/kinds.ts';

/** The part of a catalog that this error needs. */
interface NamedModels {
  /** The ids and aliases. */
  readonly names: Iterable<string>;
  readonly defaults: Readonly<Partial<Record<Kind, string>>>;
  find(name: string): { readonly type: Kind } | undefined;
}

/** A kind of model in a sentence, and the path that takes it. */
const KIND_WORDS: Readonly<Record<Kind, { readonly noun: string; readonly path: string }>> = {
  chat: { noun: 'a chat model', path: '/v1/chat/completions' },
  embeddings: { noun: 'an embeddings model', path: '/v1/embeddings' },
  image: { noun: 'an image model', path: '/v1/images/generations' },
  tts: { noun: 'a speech model', path: '/v1/audio/speech' },
  audio: { noun: 'a transcription model', path: '/v1/audio/transcriptions' },
};

/** Longer names are compared with no other, so that a name from outside costs little. */
const MAX_NAME = 64;

/** Returns 400 `model_not_found`, which names the right path, the model with the most similar name or the default of the kind. */
export function unknownModel(catalog: NamedModels, name: string, kind: Kind, param: string): ServiceError {
  const other = catalog.find(name);
  const quoted = JSON.stringify(name);
  const message =
    other === undefined
      ? `There is no ${kind} model named ${quoted}. ${modelHint(catalog, name, kind)}GET /v1/models lists the models.`
      : `${quoted} is ${KIND_WORDS[other.type].noun}: call POST ${KIND_WORDS[other.type].path}.`;
  return new ServiceError('model_not_found', message, { param });
}

function modelHint(catalog: NamedModels, name: string, kind: Kind): string {
  const similar = mostSimilar(name, catalog.names);
  if (similar !== undefined && catalog.find(similar)?.type === kind)
    return `Did you mean ${JSON.stringify(similar)}? `;
  const usual = catalog.defaults[kind];
  return usual === undefined ? '' : `The default is ${JSON.stringify(usual)}. `;
}

/**
 * Returns the name that differs least from `name`, by at most two edits, or that begins as it does. Vendor prefixes, case
 * and punctuation do not count; a name without a slash may be one whose slash is missing.
 */
function mostSimilar(name: string, names: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME) return undefined;
  const wanted = lettersOf(name);
  const hasVendor = name.includes('/');
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of names) {
    const distance = Math.min(
      distanceOf(wanted, lettersOf(candidate)),
      hasVendor ? Number.POSITIVE_INFINITY : editsWithin(wanted, lettersOf(candidate.replaceAll('/', ''))),
    );
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name: candidate, distance };
  }
  return best?.name;
}

const lettersOf = (name: string) =>
  name
    .replace(/\/+$/, '')
    .replace(/^.*\//, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');

const MAX_EDITS = 2;
const MIN_PREFIX = 4;

/** The number of edits, if there are few; more for names of which one begins with the other; else infinity. */
function distanceOf(a: string, b: string): number {
  const edits = editsWithin(a, b);
  if (edits <= MAX_EDITS) return edits;
  const shorter = Math.min(a.length, b.length);
  const isPrefix = shorter >= MIN_PREFIX && a.slice(0, shorter) === b.slice(0, shorter);
  return isPrefix ? MAX_EDITS + Math.abs(a.length - b.length) : Number.POSITIVE_INFINITY;
}

/** The number of edits, if they are few and fewer than half of the letters; else infinity. */
function editsWithin(a: string, b: string): number {
  // Few mistype the first letter, and the comparison of all others with thousands of names would cost milliseconds.
  if (a[0] !== b[0] || Math.abs(a.length - b.length) > MAX_EDITS) return Number.POSITIVE_INFINITY;
  const edits = editsBetween(a, b);
  return edits <= MAX_EDITS && edits < Math.min(a.length, b.length) / 2 ? edits : Number.POSITIVE_INFINITY;
}

/** The optimal string alignment distance: letters added, removed, replaced, or swapped with the next one. */
function editsBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
