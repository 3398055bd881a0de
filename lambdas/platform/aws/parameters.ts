/** Parameters of AWS Systems Manager. */
import { createJsonService, type JsonServiceOptions } from './json-service.ts';

/** Reads take about 10 ms. A call waits for two attempts at most. */
const REQUEST_MS = 1_000;

export interface Parameters {
  /** Returns the value, or undefined if the parameter does not exist. */
  read(name: string): Promise<string | undefined>;
  /** Creates the parameter, or replaces its value. */
  write(name: string, value: string): Promise<void>;
}

interface Answer {
  readonly Parameter?: { readonly Value?: string };
}

/** Creates the client (Systems Manager API reference, Common Parameters). */
export function createParameters(options: Pick<JsonServiceOptions, 'client' | 'endpoint'>): Parameters {
  const send = createJsonService({ ...options, name: 'ssm', target: 'AmazonSSM', timeoutMs: REQUEST_MS });
  return {
    async read(name) {
      try {
        return ((await send('GetParameter', { Name: name })) as Answer).Parameter?.Value;
      } catch (failure) {
        if ((failure as Error).name === 'ParameterNotFound') return undefined;
        throw failure;
      }
    },
    async write(name, value) {
      await send('PutParameter', { Name: name, Value: value, Type: 'String', Overwrite: true });
    },
  };
}
