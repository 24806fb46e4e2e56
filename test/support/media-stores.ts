import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { startS3Twin } from '../../twins/s3/server.ts'
import { otherStoreSettings } from './storages.ts'

/** A store as it is, past the service: what really lies in it. */
export type MediaStore = {
  /** The settings of a service that uses it. */
  env: Record<string, string>
  /** Puts bytes where an upload would have put them, whatever its address would have said to them. */
  place(started: { businessId: string; id: string }, bytes: Buffer): Promise<void>
  /** All keys of a business. */
  keys(businessId: string): Promise<string[]>
  read(key: string): Promise<Buffer>
  /** What HTTP is to say about a public file. */
  about(key: string): Promise<About>
  close(): Promise<void>
}
type About = { mimeType: string; isAttachment: boolean; isImmutable: boolean }

export type StoreKind = 'folder' | 's3'
const KINDS: readonly StoreKind[] = ['folder', 's3']
const AREAS = ['incoming', 'private', 'public']

/**
 * The stores that media are tested on: the one that TEST_MEDIA_STORE names, or both. `s3` is our twin, or the store that
 * TEST_S3_ENDPOINT and its like lead to.
 */
export function storesToTest(): readonly StoreKind[] {
  const named = process.env.TEST_MEDIA_STORE
  const found = KINDS.filter((kind) => named === undefined || kind === named)
  if (found.length === 0) throw new Error(`TEST_MEDIA_STORE must be one of ${KINDS.join(', ')}, not ${named}`)
  return found
}

export const openStore = (kind: StoreKind): Promise<MediaStore> =>
  kind === 'folder' ? openFolderStore() : openS3Store()

const uploadKey = ({ businessId, id }: { businessId: string; id: string }) => `incoming/${businessId}/${id}`

/** All keys in a folder. */
export const keysIn = (folder: string, below = ''): string[] =>
  existsSync(path.join(folder, below))
    ? readdirSync(path.join(folder, below), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith('~'))
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
        .sort()
    : []

async function openFolderStore(): Promise<MediaStore> {
  const folder = mkdtempSync(path.join(tmpdir(), 'kontor-media-test-'))
  const fileOf = (key: string) => path.join(folder, key)
  return {
    env: { MEDIA_STORAGE: `folder:${folder}` },
    async place(started, bytes) {
      const file = fileOf(uploadKey(started))
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, bytes)
    },
    keys: async (businessId) => AREAS.flatMap((area) => keysIn(folder, path.join(area, businessId))),
    read: async (key) => readFileSync(fileOf(key)),
    async about(key) {
      const {
        mimeType,
        isAttachment = false,
        isImmutable = false,
      } = JSON.parse(readFileSync(fileOf(`${key}~`), 'utf8'))
      return { mimeType, isAttachment, isImmutable }
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function openS3Store(): Promise<MediaStore> {
  const other = otherStoreSettings()
  const twin = other ? undefined : await startS3Twin()
  const env: Record<string, string> = other ?? twin?.env ?? {}
  const Bucket = env.S3_BUCKET
  const client = new S3Client({
    endpoint: env.S3_ENDPOINT ?? '',
    region: env.S3_REGION ?? '',
    forcePathStyle: env.S3_FORCE_PATH_STYLE !== 'false',
    credentials: { accessKeyId: env.S3_ACCESS_KEY_ID ?? '', secretAccessKey: env.S3_SECRET_ACCESS_KEY ?? '' },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  async function list(Prefix: string): Promise<string[]> {
    const keys: string[] = []
    let ContinuationToken: string | undefined
    do {
      const page: ListObjectsV2CommandOutput = await client.send(
        new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }),
      )
      keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key))
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (ContinuationToken)
    return keys
  }
  return {
    env,
    async place(started, bytes) {
      await client.send(new PutObjectCommand({ Bucket, Key: uploadKey(started), Body: bytes }))
    },
    keys: async (businessId) => (await Promise.all(AREAS.map((area) => list(`${area}/${businessId}/`)))).flat().sort(),
    async read(Key) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    },
    async about(Key) {
      const head = await client.send(new HeadObjectCommand({ Bucket, Key }))
      return {
        mimeType: head.ContentType ?? '',
        isAttachment: head.ContentDisposition === 'attachment',
        isImmutable: /immutable/.test(head.CacheControl ?? ''),
      }
    },
    async close() {
      client.destroy()
      await twin?.close()
    },
  }
}
