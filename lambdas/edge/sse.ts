/** Server-sent events as a response: one write a frame, back-pressure honoured, comments while nothing happens. */
import type { After } from '../core/ports.ts';

/** Proxies and clients commonly give up on a connection idle for 30 to 60 s. */
export const HEARTBEAT_MS = 15_000;

export interface SseOptions {
  readonly after: After;
  readonly headers: Readonly<Record<string, string>>;
  readonly heartbeatMs?: number;
  /** Sent when idle; a comment unless the surface has an event for it (WHATWG HTML, section 9.2.6). */
  readonly heartbeat?: string;
}

const COMMENT = ': keep-alive\n\n';

const firstFrames = new WeakMap<Response, Promise<void>>();

/** Resolves when an event stream's first frame has come, or its end; undefined for any other response. */
export const firstFrameOf = (response: Response): Promise<void> | undefined => firstFrames.get(response);

/**
 * Streams frames, each complete with its blank line. The frames are asked for one at a time as the reader takes
 * them; they must not throw, because by now there is no status left to say so.
 */
export function sseResponse(frames: AsyncIterable<string>, options: SseOptions): Response {
  const { after, headers, heartbeatMs = HEARTBEAT_MS, heartbeat = COMMENT } = options;
  const encoder = new TextEncoder();
  const iterator = frames[Symbol.asyncIterator]();
  let quiet = true;
  let stop = () => {};
  let arrived = () => {};
  const firstFrame = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const beat = () => {
        if (quiet && (controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(heartbeat));
        quiet = true;
        stop = after(heartbeatMs, beat);
      };
      stop = after(heartbeatMs, beat);
    },
    async pull(controller) {
      const next = await iterator.next().catch((failure: unknown) => {
        stop();
        arrived();
        throw failure;
      });
      quiet = false;
      arrived();
      if (next.done) {
        stop();
        controller.close();
      } else {
        controller.enqueue(encoder.encode(next.value));
      }
    },
    async cancel() {
      stop();
      arrived();
      await iterator.return?.();
    },
  });
  const response = new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers },
  });
  firstFrames.set(response, firstFrame);
  return response;
}
