import {
  DeleteObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  DeleteTranscriptionJobCommand,
  GetTranscriptionJobCommand,
  type MediaFormat,
  paginateListTranscriptionJobs,
  StartTranscriptionJobCommand,
  TranscribeClient,
} from '@aws-sdk/client-transcribe';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { spoken, wavOfBytes } from '../../../test-kit/recordings.ts';
import { until } from '../../../test-kit/waiting.ts';
import {
  BUCKET,
  BUCKET_ARN,
  type RecordingsAccount,
  startRecordingsAccount,
} from '../../testing/recordings-account.ts';

const JOBS = 'arn:aws:transcribe:us-east-1:000000000000:transcription-job/mine-*';
const allow = (Action: string | readonly string[], Resource: string, Condition?: object) => ({
  Effect: 'Allow' as const,
  Action,
  Resource,
  ...(Condition === undefined ? {} : { Condition }),
});
const START = allow('transcribe:StartTranscriptionJob', '*', {
  StringEquals: { 'transcribe:OutputBucketName': BUCKET },
});

let account: RecordingsAccount;
const clients: { destroy(): void }[] = [];
const s3Of = (role: string) => {
  const client = new S3Client(account.configOf(role));
  clients.push(client);
  return client;
};
const transcribeOf = (role: string) => {
  const client = new TranscribeClient({ ...account.configOf(role), maxAttempts: 1 });
  clients.push(client);
  return client;
};

beforeAll(async () => {
  account = await startRecordingsAccount({
    roles: {
      owner: [
        allow(['s3:PutObject', 's3:GetObject', 's3:DeleteObject'], `${BUCKET_ARN}/*`),
        allow('s3:ListBucket', BUCKET_ARN),
        START,
        allow(['transcribe:GetTranscriptionJob', 'transcribe:DeleteTranscriptionJob'], JOBS),
        allow('transcribe:ListTranscriptionJobs', '*'),
      ],
      blind: [allow('s3:PutObject', `${BUCKET_ARN}/*`), START],
      mute: [allow('s3:GetObject', `${BUCKET_ARN}/*`), START],
    },
  });
});
beforeEach(async () => {
  account.state.plan = { jobMs: 20 };
  for (const key of await account.keys()) await account.objects.remove(BUCKET, key);
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  await account.close();
});

let count = 0;
async function start(
  audio: Buffer,
  { format = 'wav', role = 'owner', bucket = BUCKET, name = `mine-${++count}` } = {},
): Promise<string> {
  await s3Of('owner').send(new PutObjectCommand({ Bucket: BUCKET, Key: `${name}/audio`, Body: audio }));
  await transcribeOf(role).send(
    new StartTranscriptionJobCommand({
      TranscriptionJobName: name,
      Media: { MediaFileUri: `s3://${BUCKET}/${name}/audio` },
      MediaFormat: format as MediaFormat,
      OutputBucketName: bucket,
      OutputKey: `${name}/transcript.json`,
      LanguageCode: 'en-US',
    }),
  );
  return name;
}

const jobOf = async (name: string) =>
  (await transcribeOf('owner').send(new GetTranscriptionJobCommand({ TranscriptionJobName: name })))
    .TranscriptionJob;
const ended = (name: string) =>
  until(
    () => jobOf(name),
    (job) => job?.TranscriptionJobStatus !== 'IN_PROGRESS',
  );

describe('the simulated Amazon Transcribe', () => {
  it('writes a transcript and its check file next to the recording', async () => {
    const name = await start(spoken(2));
    expect(await ended(name)).toMatchObject({ TranscriptionJobStatus: 'COMPLETED', LanguageCode: 'en-US' });
    expect(await account.keys()).toEqual(
      ['.write_access_check_file.temp', 'audio', 'transcript.json'].map((file) => `${name}/${file}`),
    );
    const object = await account.objects.read(BUCKET, `${name}/transcript.json`);
    const { results } = JSON.parse(String(object?.body));
    expect(results.transcripts).toEqual([{ transcript: 'The quick brown fox.' }]);
    expect(results.items.at(-1)).toMatchObject({ type: 'punctuation' });
  });

  it('hears nothing in silence', async () => {
    const name = await start(wavOfBytes(96_044));
    await ended(name);
    const object = await account.objects.read(BUCKET, `${name}/transcript.json`);
    expect(JSON.parse(String(object?.body)).results).toMatchObject({
      transcripts: [{ transcript: '' }],
      items: [],
    });
  });

  it.each([
    ['too short', spoken(0.4), 'wav', 'file size too small'],
    ['named as another format', spoken(2), 'mp3', 'match the detected media format'],
    ['no audio', Buffer.from('no audio at all'), 'wav', 'Unsupported audio format'],
  ])('fails a recording that is %s', async (_, audio, format, reason) => {
    const job = await ended(await start(audio, { format }));
    expect(job).toMatchObject({
      TranscriptionJobStatus: 'FAILED',
      FailureReason: expect.stringContaining(reason),
    });
  });

  it('keeps a running job, and forgets a finished one on request', async () => {
    account.state.plan = { jobMs: Number.POSITIVE_INFINITY };
    const running = await start(spoken(2));
    const remove = (name: string) =>
      transcribeOf('owner').send(new DeleteTranscriptionJobCommand({ TranscriptionJobName: name }));
    await expect(remove(running)).rejects.toMatchObject({ name: 'BadRequestException' });
    account.state.plan = { jobMs: 1 };
    const done = await start(spoken(2));
    await ended(done);
    await remove(done);
    await expect(remove(done)).rejects.toMatchObject({
      name: 'BadRequestException',
      message: expect.stringContaining("couldn't be found"),
    });
    await expect(jobOf(done)).rejects.toMatchObject({ name: 'NotFoundException' });
    const names: unknown[] = [];
    const pages = paginateListTranscriptionJobs(
      { client: transcribeOf('owner') },
      { JobNameContains: running },
    );
    for await (const { TranscriptionJobSummaries: page = [] } of pages)
      names.push(...page.map(({ TranscriptionJobName: name }) => name));
    expect(names).toEqual([running]);
  });

  it('rejects a name that is used, another bucket, and what its caller may neither read nor write', async () => {
    const name = await start(spoken(2));
    await ended(name);
    await expect(start(spoken(2), { name })).rejects.toMatchObject({ name: 'ConflictException' });
    await expect(start(spoken(2), { bucket: 'other' })).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    for (const role of ['blind', 'mute'])
      await expect(start(spoken(2), { role })).rejects.toMatchObject({ name: 'BadRequestException' });
    await expect(jobOf('theirs-1')).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });
});

describe('the simulated Amazon S3', () => {
  it('lists pages of keys with their times, and deletes many at once', async () => {
    const keys = ['a&b', 'a/1', 'b'];
    for (const key of keys) await account.objects.write(BUCKET, key, Buffer.from(key), 'text/plain');
    const listed: unknown[] = [];
    for await (const { Contents: page = [] } of paginateListObjectsV2(
      { client: s3Of('owner'), pageSize: 2 },
      { Bucket: BUCKET },
    ))
      listed.push(
        ...page.map(({ Key: key, Size: size, LastModified: at }) => [key, size, at instanceof Date]),
      );
    expect(listed).toEqual(keys.map((key) => [key, key.length, true]));
    await s3Of('owner').send(
      new DeleteObjectsCommand({
        Bucket: BUCKET,
        Delete: { Objects: keys.slice(0, 2).map((Key) => ({ Key })) },
      }),
    );
    expect(await account.keys()).toEqual(['b']);
  });

  it('does neither for a role without the right', async () => {
    await account.objects.write(BUCKET, 'a', Buffer.from('a'), 'text/plain');
    await expect(s3Of('mute').send(new ListObjectsV2Command({ Bucket: BUCKET }))).rejects.toMatchObject({
      name: 'AccessDenied',
    });
    const removal = new DeleteObjectsCommand({ Bucket: BUCKET, Delete: { Objects: [{ Key: 'a' }] } });
    expect((await s3Of('mute').send(removal)).Errors).toMatchObject([{ Key: 'a', Code: 'AccessDenied' }]);
    expect(await account.keys()).toEqual(['a']);
  });
});
