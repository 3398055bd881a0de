/**
 * Preloaded into every process: `Date`, and the header `Date` of responses, by which clients of AWS correct their clocks,
 * are `CLOCK_SHIFT_MS` ahead of the machine's clock, or behind it if that is negative.
 */
import { ServerResponse } from 'node:http';
import { preloadIntoChildren } from './preload.ts';

const shiftMs = Number(process.env.CLOCK_SHIFT_MS || Number.NaN);
if (!Number.isSafeInteger(shiftMs))
  throw new Error('CLOCK_SHIFT_MS must be a whole number of milliseconds: set it with the preloaded clock');

const { now } = Date;
const shifted = () => now() + shiftMs;

globalThis.Date = new Proxy(Date, {
  construct: (date, values, target) =>
    Reflect.construct(date, values.length === 0 ? [shifted()] : values, target) as Date,
  get: (date, name) => (name === 'now' ? shifted : Reflect.get(date, name)),
});

const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function writeShiftedHead(this: ServerResponse, ...head: unknown[]) {
  if (this.sendDate && !this.hasHeader('date')) this.setHeader('date', new Date().toUTCString());
  return Reflect.apply(writeHead, this, head) as ServerResponse;
};

preloadIntoChildren(import.meta.url);
