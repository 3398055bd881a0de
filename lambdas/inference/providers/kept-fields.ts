/**
 * The fields of a response that reach a caller of the route's own protocol: those that are listed, each of its type.
 * Anything else that a route sends (its own costs, its backend's name, what its vendor adds next) is left out.
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
export function kept(value: unknown, named: Fields): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(objectOf(value))) {
    const read = given === null && named.has(name) ? null : named.get(name)?.(given);
    if (read !== undefined) found[name] = read;
  }
  return found;
}

/** A field as it is, if it is of a type. */
const only =
  (isOfType: (value: unknown) => boolean): Field =>
  (value) => {
    if (!isOfType(value)) throw new UpstreamFailure('protocol');
    return value;
  };

export const text = only((value) => typeof value === 'string');
export const count = only(isTokenCount);
export const object = only(isJsonObject);
export const list = only(Array.isArray);
export const textOrList = only((value) => typeof value === 'string' || Array.isArray(value));

export const objectWith =
  (named: Fields): Field =>
  (value) =>
    kept(value, named);

/** Throws `UpstreamFailure` when it is no list. */
export const listOf =
  (read: Field): Field =>
  (value) => {
    if (!Array.isArray(value)) throw new UpstreamFailure('protocol');
    return value.map(read);
  };

/** One of a few names; any other is left out. */
export const oneOf = (...names: readonly string[]): Field => {
  const known: ReadonlySet<unknown> = new Set(names);
  return (value) => (known.has(value) ? value : undefined);
};

/** A field of an account, where an invalid figure is left out and fails nothing. */
export const figure: Field = (value) => (isTokenCount(value) ? value : undefined);

/** An account: left out when it is no object. */
export const account =
  (named: Fields) =>
  (value: unknown): Record<string, unknown> | undefined =>
    isJsonObject(value) ? kept(value, named) : undefined;

/** An account of figures alone, under these names. */
export const figures = (...names: readonly string[]): Field =>
  account(new Map(names.map((name) => [name, figure])));

/** The longest names that providers have for why an answer ended, and room to spare. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A provider's own name of a kind or a reason; undefined when empty. Throws `UpstreamFailure` for anything else. */
export function plainName(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' || !NAME.test(value)) throw new UpstreamFailure('protocol');
  return value;
}
