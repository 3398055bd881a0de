/** The output of `npm start` for people. */
import type { CatalogInForce } from '../seed/seed.ts';
import type { SessionFile } from './state-folder.ts';

interface ReadyService {
  readonly session: SessionFile;
  readonly catalog: CatalogInForce;
  /** The environment variables with secrets of the catalog's routes that are not set. */
  readonly missingVariables: readonly string[];
}

/** The line that says the service is ready, a call to try, and what differs from a first start. */
export function readyText({ session, catalog, missingVariables }: ReadyService, elapsedMs: number): string {
  const request = {
    model: catalog.chatModel?.id,
    messages: [{ role: 'user', content: 'Repeat exactly: hello' }],
    ...(catalog.chatModel?.canStream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
  const call = `curl -N ${session.base_url}/v1/chat/completions -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '${JSON.stringify(request)}'`;
  return [
    `Ready in ${(elapsedMs / 1000).toFixed(1)} s: ${session.base_url} (Ctrl-C stops it). In another terminal:`,
    '',
    `export KEY=${session.api_key}`,
    ...(catalog.chatModel === undefined ? [] : [call]),
    '',
    `Its console: ${session.platform_url}/console (continue with the local account)`,
    ...(catalog.isSimulated
      ? []
      : [
          `Its catalog: version ${catalog.version}, of your own. CATALOG=simulated npm start goes back to the simulated models.`,
        ]),
    ...missingVariables.map((name) => `Not set: ${name}, a secret of the catalog. Calls of its routes fail.`),
    '',
  ].join('\n');
}

/** A reader that goes away (`npm start | head`) must not take the service with it. */
export function survivePipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code !== 'EPIPE') throw failure;
  });
}
