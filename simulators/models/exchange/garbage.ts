/** An answer that no client can read, as a broken proxy in front of a provider would send it. */
import type { WholeReply } from './reply.ts';

export const NOT_JSON = '<!doctype html><title>502</title><p>upstream sent no JSON</p>';

/** `reply` with its headers and status 200, but unreadable content. */
export const garbled = (reply: WholeReply): WholeReply => ({
  ...reply,
  status: 200,
  body: Buffer.from(NOT_JSON),
});
