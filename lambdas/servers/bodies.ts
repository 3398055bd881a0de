/** The bounds of bodies that a program takes by itself, without API Gateway before it. */
import { HOST_BODY_BYTES, TRANSCRIPTION_FILE_BYTES } from '../platform/contract/limits.ts';
import { SharedBytes } from '../platform/http/body-budget.ts';
import type { BodyBounds } from '../platform/http/bounded-body.ts';

/** The form around a file: its boundaries and fields. */
const FORM_BYTES = 1024 * 1024;

/** A tenth of what the slowest mobile networks send: less is no upload, but a connection held open. */
const MIN_RATE = { bytesPerSecond: 8 * 1024, overMs: 10_000 };

const TIMES = {
  /** Slightly longer than the local gateway and CloudFront wait for a silent client. */
  idleMs: 20_000,
  /** The largest file at 1.75 Mbit/s; the maximum time that a call may spend before it reaches a route. */
  totalMs: 120_000,
  minRate: MIN_RATE,
} as const;

/** The part of bodies whose accounts may have no credit: the largest body of an account that has some fits beside them. */
const UNPROVEN_BYTES = 24 * 1024 * 1024;

/** Files go to the disk of the host, of which a Web Function has 512 MB; the rest of it is room. */
const UPLOAD_BYTES = new SharedBytes(400 * 1024 * 1024);

/** A body that arrives is there once, as bytes. */
const ARRIVING_BYTES = 128 * 1024 * 1024;

/** A complete body is there as bytes, as text, as values and as the route's request: about eight times its size in all. */
const COMPLETE_BYTES = 96 * 1024 * 1024;

export const UPLOADS: BodyBounds = {
  ...TIMES,
  maxBytes: TRANSCRIPTION_FILE_BYTES + FORM_BYTES,
  budget: {
    arriving: UPLOAD_BYTES,
    slow: new SharedBytes(200 * 1024 * 1024),
    larger: UPLOAD_BYTES,
    unproven: new SharedBytes(UNPROVEN_BYTES),
    complete: UPLOAD_BYTES,
    // The file is on the disk until the end of the call.
    afterSending: 1,
  },
};

export const JSON_BODIES: BodyBounds = {
  ...TIMES,
  maxBytes: HOST_BODY_BYTES,
  budget: {
    arriving: new SharedBytes(ARRIVING_BYTES),
    slow: new SharedBytes(ARRIVING_BYTES / 2),
    larger: new SharedBytes(ARRIVING_BYTES * (7 / 8)),
    unproven: new SharedBytes(UNPROVEN_BYTES),
    complete: new SharedBytes(COMPLETE_BYTES),
    // The writer and the meter of a stream keep its values, of about twice its size, and nothing else does.
    afterSending: 1 / 4,
  },
};
