/**
 * `npm run test:dynamodb-local`: has Maven fetch DynamoDB Local (from its own settings' repositories; Maven Central without
 * any), starts it in memory and runs the `dynamodb-local` ring on it. Where there is no Java 17, no Maven or no package to
 * be had, the ring is skipped, and says so. Without network once it was fetched.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { launchEngine } from '../../tools/local/dynamodb/engine.ts';
import { runRing, skipRing } from '../optional-ring.ts';

/** The Java version that DynamoDB Local 2 requires. */
const MIN_JAVA_VERSION = 17;

/** Maven fetches about 60 MB; a repository that takes longer is not reachable. */
const FETCH_MS = 120_000;

/** On a busy machine Java takes seconds to start. */
const START_MS = 60_000;

const pom = join(import.meta.dirname, 'pom.xml');

/** The folder with DynamoDB Local and what it needs; throws when it cannot be had. */
function fetchPackages(): string {
  const version = /<artifactId>DynamoDBLocal<\/artifactId>\s*<version>([^<]+)</.exec(
    readFileSync(pom, 'utf8'),
  )?.[1];
  const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'dynamodb-local');
  const folder = join(cache, String(version));
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  try {
    // A file whose checksum is not the repository's fails the build.
    const options = ['--batch-mode', '--quiet', '--strict-checksums', '--file', pom];
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${partial}`];
    execFileSync('mvn', [...options, ...goal], { stdio: ['ignore', 'pipe', 'pipe'], timeout: FETCH_MS });
    renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}

function checkJava(): void {
  const { stderr, error } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (error !== undefined) throw error;
  const version = Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
  if (version < MIN_JAVA_VERSION) throw new Error(`java -version says ${version || 'nothing of use'}`);
}

/** Without a host of its own to listen on, and without the usage data that it sends unless it is forbidden. */
const commandOf = (folder: string): readonly string[] => [
  'java',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  `-Djava.library.path=${folder}`,
  '-cp',
  join(folder, '*'),
  'com.amazonaws.services.dynamodbv2.local.main.ServerRunner',
  '-inMemory',
  '-sharedDb',
  '-disableTelemetry',
  '-port',
];

async function main(): Promise<number> {
  let folder: string;
  try {
    checkJava();
    folder = fetchPackages();
  } catch (failure) {
    skipRing('dynamodb-local', `it needs Java ${MIN_JAVA_VERSION}, Maven and a repository`, failure);
    return 0;
  }
  const engine = await launchEngine('DynamoDB Local', commandOf(folder), START_MS);
  try {
    return runRing('dynamodb-local', { TEST_DYNAMODB_ENDPOINT: engine.endpoint });
  } finally {
    await engine.stop();
  }
}

process.exitCode = await main();
