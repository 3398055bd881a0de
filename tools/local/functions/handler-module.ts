/** Finds and imports a function's handler as Lambda's Node.js runtime does. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { STREAMING } from './response-stream.ts';

export interface LoadedHandler {
  /** The handler takes a stream after its event, to which it writes its answer. */
  readonly streams: boolean;
  readonly handle: (...args: readonly unknown[]) => unknown;
}

/** In the order in which Lambda looks for the module. */
const EXTENSIONS = ['', '.js', '.mjs', '.cjs'];

/** Imports `file.export` from the bundle's folder; throws an error with Lambda's name for what is missing. */
export async function loadHandler(taskRoot: string, handler: string): Promise<LoadedHandler> {
  const dot = handler.indexOf('.', handler.lastIndexOf('/') + 1);
  const file = EXTENSIONS.map((extension) => join(taskRoot, `${handler.slice(0, dot)}${extension}`)).find(
    existsSync,
  );
  if (dot < 0 || file === undefined)
    throw failure('Runtime.ImportModuleError', `there is no module for the handler ${handler}`);
  const exported: unknown = await import(pathToFileURL(file).href);
  const handlerExport = handler
    .slice(dot + 1)
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], exported);
  if (typeof handlerExport !== 'function')
    throw failure('Runtime.HandlerNotFound', `${handler} is undefined or not a function`);
  return {
    streams: (handlerExport as { [STREAMING]?: unknown })[STREAMING] === 'response',
    handle: handlerExport as LoadedHandler['handle'],
  };
}

function failure(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
