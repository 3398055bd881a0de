/** The response of a handler as a client has it: written as it is read, and cancelled when its reader leaves. */
import type { TextResponse } from '../core/ports.ts';
import type { Handler, HostResponse } from '../http/request-handler.ts';
import type { StreamedBody } from '../http/streamed-response.ts';

export const webResponse = ({ status, headers, body }: HostResponse): Response =>
  new Response(typeof body === 'string' ? body || null : webBody(body), { status, headers });

export const webText = ({ status = 200, headers, text }: TextResponse): Response =>
  webResponse({ status, headers, body: text });

/** The same handler, as its client sees it. */
export const webHandler =
  (handler: Handler) =>
  async (...call: Parameters<Handler>): Promise<Response> =>
    webResponse(await handler(...call));

export function webBody(body: StreamedBody): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let onRead = () => {};
  let hasLeft = false;
  return new ReadableStream(
    {
      start(controller) {
        const write = (chunk: string | Uint8Array) => {
          if (hasLeft) return undefined;
          controller.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : Uint8Array.from(chunk));
          if ((controller.desiredSize ?? 0) > 0) return undefined;
          return new Promise<void>((resolve) => {
            onRead = resolve;
          });
        };
        body.run({ write }).then(
          () => hasLeft || controller.close(),
          (failure) => controller.error(failure),
        );
      },
      pull: () => onRead(),
      cancel() {
        hasLeft = true;
        onRead();
        return body.cancel();
      },
    },
    { highWaterMark: 1 },
  );
}
