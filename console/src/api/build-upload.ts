/** Uploads of builds: straight to their bucket, under a signature of exactly these bytes. */
import { call } from './client.ts';
import type { BuildUploadBody } from './types.ts';
import { MAX_BUILD_BYTES } from './values.ts';

/** Creates a build of the file and uploads it; reports the part that is uploaded, from 0 to 1. */
export async function uploadBuild(
  listingPath: string,
  file: File,
  onProgress: (part: number) => void,
): Promise<void> {
  if (file.size > MAX_BUILD_BYTES) throw new Error('A build is a zip of at most 50 MB.');
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  const body = { filename: file.name, size: file.size, sha256: hex(digest) };
  const { upload } = await call<BuildUploadBody>(`${listingPath}/builds`, { method: 'POST', body });
  await put(upload, file, onProgress);
}

/** The API of browsers that reports the progress of an upload. */
const put = (
  { url, headers }: BuildUploadBody['upload'],
  file: File,
  onProgress: (part: number) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    // A browser sets the length by itself.
    for (const [name, value] of Object.entries(headers))
      if (name !== 'content-length') request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () =>
      request.status === 200
        ? resolve()
        : reject(new Error(`The upload was rejected with ${request.status}. Try again.`));
    request.onerror = () => reject(new Error('The upload was interrupted. Try again.'));
    request.send(file);
  });

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
