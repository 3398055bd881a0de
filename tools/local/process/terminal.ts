/** The output of `npm start` for people. */
import type { SessionFile } from './state-folder.ts';

/** The line that says the service is ready, and a call to try. */
export function readyText(session: SessionFile, elapsedMs: number): string {
  const request = {
    model: 'sim/chat',
    stream: true,
    messages: [{ role: 'user', content: 'Say hello in five words.' }],
  };
  return [
    `Ready in ${(elapsedMs / 1000).toFixed(1)} s: ${session.base_url} (Ctrl-C stops it). Try:`,
    '',
    `curl -N ${session.base_url}/v1/chat/completions -H 'Authorization: Bearer ${session.api_key}' -H 'Content-Type: application/json' -d '${JSON.stringify(request)}'`,
    '',
    `Its console: ${session.platform_url}/console (continue with the local account)`,
    '',
  ].join('\n');
}

/** A reader that goes away (`npm start | head`) must not take the service with it. */
export function survivePipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code !== 'EPIPE') throw failure;
  });
}
