/**
 * Allow-list of upstream fields returned to a caller of the route's protocol. Each field has its listed type. Any other
 * field of a route is dropped, such as its costs, its backend's name, or future fields of its vendor.
 */

import { isJsonObject } from '../../platform/core/json/lossless-json.ts';
import { isTokenCount } from '../core/pricing/token-usage.ts';
import { UpstreamFailure } from '../core/upstream/provider.ts';
import { objectOf } from './http-upstream.ts';

/** Gives what the caller gets of a field; undefined leaves it out. Throws `UpstreamFailure` for a wrong type. */
export type Field = (value: unknown) => unknown;

export type Fields = ReadonlyMap<string, Field>;

export const fields = (named: Readonly<Record<string, Field>>): Fields => new Map(Object.entries(named));

/** The named fields of an object; null stands for nothing in any of them. Throws `UpstreamFailure`. */
export function pickFields(value: unknown, named: Fields): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  const received = objectOf(value);
  for (const name of Object.keys(received)) {
    const read = named.get(name);
    if (read === undefined) continue;
    const fieldValue = received[name];
    const allowedValue = fieldValue === null ? null : read(fieldValue);
    if (allowedValue !== undefined) picked[name] = allowedValue;
  }
  return picked;
}

/** Returns a field unchanged if it has one of the types. */
const only =
  (isOfType: (value: unknown) => boolean): Field =>
  (value) => {
    if (!isOfType(value)) throw new UpstreamFailure('protocol');
    return value;
  };

export const text = only((value) => typeof value === 'string');
export const count = only(isTokenCount);
/** A count that some servers send as text, or with a fraction. */
export const looseCount: Field = (value) => {
  const number = typeof value === 'string' && /^\d{1,15}(\.\d*)?$/.test(value) ? Number(value) : value;
  return count(typeof number === 'number' ? Math.trunc(number) : number);
};

export const object = only(isJsonObject);
export const list = only(Array.isArray);
export const textOrList = only((value) => typeof value === 'string' || Array.isArray(value));

/** The image itself, in base64 or as a data URL. An address of it would be the vendor's. */
export const imageData = only((value) => typeof value === 'string' && !/^\s*https?:/i.test(value));

export const objectWith =
  (named: Fields): Field =>
  (value) =>
    pickFields(value, named);

/** Throws `UpstreamFailure` when it is no list. */
export const listOf =
  (read: Field): Field =>
  (value) => {
    if (!Array.isArray(value)) throw new UpstreamFailure('protocol');
    return value.map(read);
  };

/** One of a few names; any other is left out. */
export const oneOf = (...names: readonly string[]): Field => {
  const allowedNames: ReadonlySet<unknown> = new Set(names);
  return (value) => (allowedNames.has(value) ? value : undefined);
};

/** A usage field. An invalid value is dropped without an error. */
export const usageCount: Field = (value) => (isTokenCount(value) ? value : undefined);

/** An account: left out when it is no object. */
export const account =
  (named: Fields) =>
  (value: unknown): Record<string, unknown> | undefined =>
    isJsonObject(value) ? pickFields(value, named) : undefined;

/** Returns a usage object with only these numeric fields. */
export const usageCounts = (...names: readonly string[]): Field =>
  account(new Map(names.map((name) => [name, usageCount])));

/** The longest names of finish reasons that providers use, with a margin. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A provider's own name of a kind or a reason; undefined when empty. Throws `UpstreamFailure` for anything else. */
export function plainName(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' || !NAME.test(value)) throw new UpstreamFailure('protocol');
  return value;
}
