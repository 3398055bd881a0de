/** `npm start`: runs the synthesised service on this machine until it is stopped. */

import { readyText, survivePipe } from './process/terminal.ts';
import { type Service, startService } from './service.ts';
import { readSettings, type Settings } from './settings.ts';

const log = (line: string) => console.log(line);

survivePipe(process.stdout);
survivePipe(process.stderr);

let stopping: Promise<void> | undefined;
let service: Service | undefined;

try {
  const settings = readSettings(process.env);
  const starting = startService({ settings, environment: process.env, log });
  stopOn('SIGINT', starting, settings);
  stopOn('SIGTERM', starting, settings);
  service = await starting;
  log(readyText(service, performance.now()));
  await service.failure;
} catch (failure) {
  await (stopping ?? fail(failure as Error));
}

/** Ends an orderly stop with exit code 0. A second signal does not wait. */
function stopOn(signal: NodeJS.Signals, starting: Promise<Service>, settings: Settings): void {
  process.on(signal, () => {
    if (stopping !== undefined) process.exit(1);
    stopping = stop(starting, settings);
  });
}

async function stop(starting: Promise<Service>, { stateDir }: Settings): Promise<void> {
  const started = await starting.catch(() => undefined);
  await started?.close();
  log(`Stopped. The state is in ${stateDir}.`);
  process.exit(0);
}

async function fail(failure: Error): Promise<never> {
  console.error(`Cannot go on: ${failure.message}`);
  await service?.close();
  process.exit(1);
}
