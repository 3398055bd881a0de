/** A clean build whose object was removed from the bucket, as after the end of its release. */
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Emulator } from './emulator.ts';

const LISTING = 'lst_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const BUILD = 'build_01ARZ3NDEKTSV4RRFFQ69G5FAV';

export class RemovedBuild {
  readonly #emulator: Emulator;
  readonly #object: { readonly Bucket: string; readonly Key: string };
  readonly #table: string;

  constructor(
    emulator: Emulator,
    { BUILDSBUCKET: bucket = '', MARKETTABLE: table = '' }: Readonly<Record<string, string>>,
  ) {
    this.#emulator = emulator;
    this.#object = { Bucket: bucket, Key: `artifacts/${LISTING}/${BUILD}` };
    this.#table = table;
  }

  async create(bytes: string): Promise<void> {
    const database = new DynamoDBClient(this.#emulator.client);
    const item = { owner_id: { S: LISTING }, item: { S: `build#${BUILD}` }, status: { S: 'clean' } };
    await database.send(new PutItemCommand({ TableName: this.#table, Item: item }));
    database.destroy();
    const files = new S3Client(this.#emulator.client);
    await files.send(new PutObjectCommand({ ...this.#object, Body: bytes, IfNoneMatch: '*' }));
    await files.send(new DeleteObjectCommand(this.#object));
    files.destroy();
  }

  /** Returns the content of the object; throws if there is none. */
  async read(): Promise<string | undefined> {
    const files = new S3Client(this.#emulator.client);
    try {
      return await (await files.send(new GetObjectCommand(this.#object))).Body?.transformToString();
    } finally {
      files.destroy();
    }
  }
}
