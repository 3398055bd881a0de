/** The OpenTelemetry Collector, built from its published modules: OTLP over HTTP in, OTLP as JSON out. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installedFolder } from '../harness/installed.ts';

const SOURCES = join(import.meta.dirname, 'collector');

/** Compiling it takes two minutes on two cores. */
const BUILD_TIMEOUT_MS = 900_000;

const START_TIMEOUT_MS = 30_000;
const POLL_MS = 100;

/** Builds the program once; returns its path. Needs Go and the Go module proxy. */
export function buildCollector(): string {
  const folder = installedFolder('collector-0.165.0', (target) => {
    for (const file of ['main.go', 'go.mod', 'go.sum']) copyFileSync(join(SOURCES, file), join(target, file));
    execFileSync('go', ['build', '-o', 'collector', '.'], {
      cwd: target,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: BUILD_TIMEOUT_MS,
    });
  });
  return join(folder, 'collector');
}

export interface Collector {
  /** Ends it at once, with what it has not passed on. */
  kill(): Promise<void>;
}

/** Starts it at the port; what it receives goes to the other address. Resolves once it takes requests. */
export async function startCollector(
  program: string,
  { folder, port, target }: { readonly folder: string; readonly port: number; readonly target: string },
): Promise<Collector> {
  const config = join(folder, 'collector.json');
  const pipeline = { receivers: ['otlp'], exporters: ['otlp_http'] };
  writeFileSync(
    config,
    JSON.stringify({
      receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
      // Without a queue a request is answered once its content was passed on: nothing that was taken is lost by a kill.
      exporters: { otlp_http: { endpoint: target, encoding: 'json', sending_queue: { enabled: false } } },
      service: {
        telemetry: { metrics: { level: 'none' }, logs: { level: 'error' } },
        pipelines: { traces: pipeline, metrics: pipeline },
      },
    }),
  );
  const child = spawn(program, ['--config', config], { stdio: ['ignore', 'inherit', 'inherit'] });
  const closed = once(child, 'close');
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || Date.now() > deadlineMs) throw new Error('the collector did not start');
    await sleep(POLL_MS);
  }
  return {
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

const isListening = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/v1/traces`, { method: 'OPTIONS' }).then(
    () => true,
    () => false,
  );
