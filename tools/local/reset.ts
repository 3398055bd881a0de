/** `npm run local:reset`: removes the state folder, so that the next start begins with nothing. */
import { rmSync } from 'node:fs';
import { runningService } from './process/state-folder.ts';
import { readSettings } from './settings.ts';

try {
  const { stateDir } = readSettings(process.env);
  const pid = runningService(stateDir);
  if (pid !== undefined) throw new Error(`a service runs on ${stateDir} (process ${pid}); stop it first`);
  rmSync(stateDir, { recursive: true, force: true });
  console.log(`Removed ${stateDir}`);
} catch (failure) {
  console.error(`Cannot reset: ${(failure as Error).message}`);
  process.exitCode = 1;
}
