/** The steps of a history of builds: uploads, the events of the bucket and of the scanner, and overdue scans. */
import { createHash } from 'node:crypto';
import type { Build } from '../../lambdas/marketplace/core/builds/build.ts';
import { createBuild } from '../../lambdas/marketplace/core/builds/builds.ts';
import type { PresignedUpload } from '../../lambdas/marketplace/core/builds/ports.ts';
import {
  buildProcessor,
  type ObjectScan,
  recordScan,
  recordUpload,
} from '../../lambdas/marketplace/core/builds/scans.ts';
import type { DueProcessor } from '../../lambdas/marketplace/core/due.ts';
import { createBuildStore } from '../../lambdas/marketplace/store/create-builds.ts';
import { zip } from '../../lambdas/marketplace/testing/archives.ts';
import { EICAR } from '../../lambdas/marketplace/testing/hostile-archives.ts';
import type { DynamoClients } from '../../lambdas/platform/aws/clients.ts';
import type { HistoryWorld } from './history-world.ts';
import { type HistoryWorker, timedOut } from './interleaving.ts';
import type { MarketState } from './market-state.ts';
import type { WeightedStep } from './money-steps.ts';

interface UploadedFile {
  readonly build: Build;
  readonly upload: PresignedUpload;
  readonly bytes: Buffer;
  readonly hasMalware: boolean;
}

type BuildMessage = { readonly build: Build } & (
  | { readonly scan: ObjectScan }
  | { readonly scan: undefined }
);

export class BuildSteps {
  readonly #history: HistoryWorld;
  readonly #created: UploadedFile[] = [];
  readonly #uploaded = new Set<string>();
  /** Every event of the bucket and of the scanner: each may arrive in any order, and repeatedly. */
  readonly #messages: BuildMessage[] = [];

  constructor(history: HistoryWorld) {
    this.#history = history;
  }

  get steps(): readonly WeightedStep[] {
    return [
      [3, () => this.#create()],
      [4, () => this.#upload()],
      [6, () => this.deliver()],
    ];
  }

  #system({ clients, call }: { readonly clients: DynamoClients; readonly call: HistoryWorker['call'] }) {
    const { world, log, bucket, options } = this.#history;
    const { database } = options;
    return {
      clock: () => world.nowSeconds * 1000,
      ulid: world.ulid,
      log,
      engine: 'history',
      store: createBuildStore({ clients, environment: database.environment }),
      files: {
        read: (build: Build) => call(() => bucket.files.read(build), timedOut),
        publish: (build: Build, file: Buffer) => call(() => bucket.files.publish(build, file), timedOut),
        remove: (build: Build) => call(() => bucket.files.remove(build), timedOut),
      },
      scanner: {
        request: ({ id }: Pick<Build, 'id'>) =>
          call(async () => {
            const file = this.#created.find(({ build }) => build.id === id);
            if (file === undefined || !this.#uploaded.has(id)) return 'no upload' as const;
            this.#scan(file);
            return 'requested' as const;
          }, timedOut),
      },
      isListed: async () => true,
    };
  }

  async #create(): Promise<void> {
    const { draw } = this.#history.options;
    const hasMalware = draw() < 0.3;
    const content = hasMalware ? EICAR : Buffer.from(`build ${this.#created.length}`);
    const bytes = zip([{ name: 'app', content }]);
    const seller = this.#history.pick(this.#history.sellers);
    if (seller === undefined) return;
    const { world, bucket } = this.#history;
    const { subscribed, id: accountId } = seller;
    await this.#history.start('build', async (worker) => {
      const { listings } = world.subscriptions(worker.clients);
      const system = { ...this.#system(worker), listings, signer: bucket.files, isEnabled: true };
      const body = {
        filename: 'app.zip',
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      };
      const created = await createBuild(system, { kind: 'app', id: subscribed.id, accountId }, body);
      this.#created.push({ ...created, bytes, hasMalware });
    });
  }

  /** A client uploads the file, or other bytes, or uploads once more. */
  async #upload(): Promise<void> {
    const file = this.#history.pick(this.#created);
    if (file === undefined) return;
    const isOther = this.#history.options.draw() < 0.2;
    const other = Buffer.from(file.bytes);
    other[other.length - 1] = 1;
    const { url, headers } = file.upload;
    const { 'content-length': _, ...rest } = headers;
    const body = Uint8Array.from(isOther ? other : file.bytes);
    const { status } = await fetch(url, { method: 'PUT', headers: rest, body });
    const { id } = file.build;
    const expected = isOther ? 400 : this.#uploaded.has(id) ? 412 : 200;
    if (status !== expected) throw new Error(`an upload is ${status} instead of ${expected}`);
    if (status !== 200) return;
    this.#uploaded.add(id);
    this.#messages.push({ build: file.build, scan: undefined });
    this.#scan(file);
  }

  /** The scanner reports its result, or that it failed. */
  #scan({ build, hasMalware }: UploadedFile): void {
    const { listingId, id } = build;
    const verdict = hasMalware ? 'THREATS_FOUND' : 'NO_THREATS_FOUND';
    const result = this.#history.options.draw() < 0.2 ? 'FAILED' : verdict;
    const threats = result === 'THREATS_FOUND' ? ['EICAR'] : [];
    this.#messages.push({ build, scan: { listingId, id, result, threats } });
  }

  async deliver(): Promise<void> {
    const message = this.#history.pick(this.#messages);
    if (message === undefined) return;
    await this.#history.start(message.scan === undefined ? 'event: upload' : 'event: scan', (worker) =>
      message.scan === undefined
        ? recordUpload(this.#system(worker), message.build)
        : recordScan(this.#system(worker), message.scan),
    );
  }

  /** Processes the builds that the schedule of a worker finds due. */
  processor(worker: HistoryWorker): DueProcessor {
    return buildProcessor(this.#system(worker));
  }

  /** Returns a law of builds that does not hold. */
  broken({ builds, events }: MarketState): string | undefined {
    for (const { id, status } of builds) {
      const reports = events.filter(({ type, data }) => type === 'app.build.scanned' && data.build_id === id);
      const isPublished = ['clean', 'infected', 'unsupported', 'failed'].includes(status);
      if (reports.length > 1 || (isPublished && reports.length === 0))
        return '11: a build has one event of its verdict';
      const file = this.#created.find(({ build }) => build.id === id);
      if (status === 'clean' && file?.hasMalware !== false) return '11: a clean build has no malware';
    }
    return undefined;
  }

  /** Verifies that each clean build is served with the bytes of its digest. */
  async brokenFile({ builds }: MarketState): Promise<string | undefined> {
    for (const build of builds.filter(({ status }) => status === 'clean')) {
      const response = await fetch(await this.#history.bucket.files.download(build));
      const bytes = Buffer.from(await response.arrayBuffer());
      if (createHash('sha256').update(bytes).digest('hex') !== build.sha256)
        return `11: a clean build is served as it was hashed: ${response.status}`;
    }
    return undefined;
  }
}
