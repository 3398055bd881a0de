/** The service of this checkout on the state of a release, with the clock of that release. */
import { renameSync, rmSync } from 'node:fs';
import { shiftedClock } from '../../tools/test-kit/clock-shift.ts';
import { unpackState } from '../../tools/test-kit/state-file.ts';
import { Service } from '../system/service.ts';
import { type Fixture, readFixtureFile } from './fixture/fixture.ts';

export class RestoredService {
  readonly fixture: Fixture;
  #service: Service;
  #shiftMs = 0;

  constructor(file: string) {
    const folder = new Service();
    unpackState(file, folder.directory);
    this.fixture = readFixtureFile(folder.directory);
    this.#service = folder;
  }

  get service(): Service {
    return this.#service;
  }

  /** The clock of the service, milliseconds since the epoch. */
  clock = (): number => Date.now() + this.#shiftMs;

  /** Starts on the folder, that long after the last process of the release was killed. */
  async start(laterMs: number, environment: Record<string, string>): Promise<void> {
    const before = this.#service;
    await before.end('SIGTERM');
    this.#shiftMs = this.fixture.clockMs + laterMs - Date.now();
    const settings = { ...this.fixture.environment, ...shiftedClock(this.#shiftMs), ...environment };
    this.#service = new Service(settings);
    rmSync(this.#service.directory, { recursive: true });
    renameSync(before.directory, this.#service.directory);
    await this.#service.start();
  }
}
