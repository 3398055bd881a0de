/** The stores of builds, and the scanner. */
import type { Page, PageQuery } from '../../../platform/core/api/paging.ts';
import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import type { Build, BuildKey } from './build.ts';

export interface BuildQuotas {
  /** Builds of an account on a day (UTC). */
  readonly perDay: number;
  /** Bytes of an account, except those of builds that cannot be released. */
  readonly bytes: number;
}

/** `day full` and `bytes full`: the quota that does not allow the build. */
export type BuildCreation = 'done' | 'day full' | 'bytes full';

export interface BuildStore {
  /** Counts the build and its bytes with it. */
  create(build: Build, quotas: BuildQuotas): Promise<BuildCreation>;
  find(key: BuildKey): Promise<Build | undefined>;
  /** Newest first. */
  list(listingId: string, query: PageQuery): Promise<Page<Build>>;
  /**
   * Replaces the build by `to`, together with an event, if it has not changed. The bytes of a build that becomes final
   * without being clean no longer count.
   */
  replace(build: Build, to: Build, event?: PublishedEvent): Promise<boolean>;
}

export interface PresignedUpload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface UploadSigner {
  /** Signs an upload of exactly these bytes, once. */
  upload(build: Build): Promise<PresignedUpload>;
}

export interface DownloadSigner {
  download(build: Build): Promise<string>;
}

/** The bytes of builds. */
export interface BuildFiles {
  /** Undefined if the upload has another size. It throws if there is none. */
  read(build: Build): Promise<Buffer | undefined>;
  /** Stores the bytes that were inspected as what is downloaded. */
  publish(build: Build, file: Buffer): Promise<void>;
  /** Removes what is downloaded; it may be gone already. */
  remove(build: Build): Promise<void>;
}

export interface BuildScanner {
  /** Requests a scan of the upload; the result arrives as an event. */
  request(key: BuildKey): Promise<'requested' | 'no upload'>;
}
