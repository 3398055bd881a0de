/** Plays so many histories and races, and prints the first that breaks a law. */
import { playHistory, playRace } from './history.ts';

const histories = Number(process.argv[2]);

/** One in four is a race. */
const RACE_EVERY = 4;

function print(broken: string): never {
  process.stdout.write(broken);
  process.exit(0);
}

process.on('unhandledRejection', (failure) => print(String(failure)));
for (let seed = 1; seed <= histories; seed += 1) {
  const { failure } = await (seed % RACE_EVERY === 0 ? playRace(seed) : playHistory(seed));
  if (failure !== undefined) print(`history ${seed}: ${String(failure)}`);
}
