/** A client that writes the given bytes to a socket, and reads until the server closes or the answer is whole. */
import { connect } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
  /** True if the server closed the connection. */
  readonly closed: boolean;
}

/** Sends pieces one after the other; resolves when the answer is whole by its `Content-Length` and `closedMs` have passed. */
export function sendRaw(
  url: string,
  fragments: readonly (string | Buffer)[],
  closedMs = 50,
): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  return new Promise((resolve, reject) => {
    let text = '';
    let closed = false;
    const finish = () => {
      const end = text.indexOf('\r\n\r\n');
      socket.destroy();
      resolve({
        status: Number(text.slice(9, 12)),
        headers: text.slice(0, end).toLowerCase(),
        body: text.slice(end + 4),
        closed,
      });
    };
    socket.on('error', reject);
    socket.on('end', () => {
      closed = true;
    });
    socket.on('data', (chunk) => {
      text += chunk.toString();
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
      const bodyAt = text.indexOf('\r\n\r\n') + 4;
      if (text.length - bodyAt >= length) setTimeout(finish, closedMs);
    });
    for (const fragment of fragments) socket.write(fragment);
  });
}
