/** Preloaded into every process of a service: its clock is a minute ahead. */
import { preloadIntoChildren } from '../../tools/test-kit/preload.ts';

const AHEAD_MS = 60_000;

const { now } = Date;
const later = () => now() + AHEAD_MS;

globalThis.Date = new Proxy(Date, {
  construct: (date, values, target) =>
    Reflect.construct(date, values.length === 0 ? [later()] : values, target) as Date,
  get: (date, name) => (name === 'now' ? later : Reflect.get(date, name)),
});

preloadIntoChildren(import.meta.url);
