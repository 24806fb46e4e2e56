import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  S3Client as Client,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { now, nowMs } from '../clock.ts'
import type { S3Settings } from '../config.ts'
import { exactly } from './exact-body.ts'
import { assertIncoming, assertKey, assertPrefix, assertPrivate, cacheControlOf, isRaster } from './keys.ts'
import type { Storage } from './storage.ts'

export type S3Client = Omit<Storage, 'publicUrl'>

const CONNECT_MS = 3_000
/** Without a byte in either direction. */
const SILENCE_MS = 30_000
const MAX_ATTEMPTS = 3
const DELETED_AT_ONCE = 8
/** Held in memory, one at a time. Ten thousand of them are the most that S3 takes: 160 GB. */
const PART_BYTES = 16 * 1024 * 1024

/** Signed as headers: the uploader has to send them, and the store has to look at them. */
const SIGNED = ['content-type', 'content-length', 'x-amz-checksum-sha256']

export function openS3({
  bucket: Bucket,
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
  forcePathStyle,
}: S3Settings): S3Client {
  const client = new Client({
    region,
    forcePathStyle,
    ...(endpoint && { endpoint }),
    credentials: { accessKeyId, secretAccessKey },
    // By default the SDK signs the CRC32 of an empty body into upload addresses, and sends bodies in a framing that not
    // every store reads.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
  })

  return {
    async presignPut(key, { mimeType, size, sha256 }, expiresAt) {
      assertIncoming(key)
      const checksum = Buffer.from(sha256, 'hex').toString('base64')
      const command = new PutObjectCommand({
        Bucket,
        Key: key,
        ContentType: mimeType,
        ContentLength: size,
        ChecksumSHA256: checksum,
      })
      const url = await getSignedUrl(client, command, {
        signingDate: now(),
        expiresIn: Math.max(1, Math.floor((expiresAt.getTime() - nowMs()) / 1_000)),
        signableHeaders: new Set(SIGNED),
        unhoistableHeaders: new Set(SIGNED),
      })
      const headers = { 'content-type': mimeType, 'x-amz-checksum-sha256': checksum }
      return { method: 'PUT', url, headers, expiresAt }
    },
    async put(key, body, { mimeType, isAttachment, isImmutable, size }) {
      assertKey(key)
      const isShown = isRaster(mimeType) && !isAttachment
      // In memory: it can be sent again after a failure, and a stream that breaks would leave a request that never ends.
      const bytes = Buffer.concat(await Readable.from(exactly(body, size)).toArray())
      await client.send(
        new PutObjectCommand({
          Bucket,
          Key: key,
          Body: bytes,
          ContentLength: size,
          ContentType: mimeType,
          CacheControl: cacheControlOf(isImmutable),
          ...(!isShown && { ContentDisposition: 'attachment' }),
        }),
      )
    },
    async putLarge(key, body, { mimeType, isAttachment, isImmutable }) {
      assertKey(key)
      const isShown = isRaster(mimeType) && !isAttachment
      const { UploadId } = await client.send(
        new CreateMultipartUploadCommand({
          Bucket,
          Key: key,
          ContentType: mimeType,
          CacheControl: cacheControlOf(isImmutable),
          ...(!isShown && { ContentDisposition: 'attachment' }),
        }),
      )
      const upload = { Bucket, Key: key, UploadId }
      try {
        const parts: { ETag: string | undefined; PartNumber: number }[] = []
        let size = 0
        for await (const part of inParts(body, PART_BYTES)) {
          const PartNumber = parts.length + 1
          const { ETag } = await client.send(
            new UploadPartCommand({ ...upload, PartNumber, Body: part, ContentLength: part.length }),
          )
          parts.push({ ETag, PartNumber })
          size += part.length
        }
        await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }))
        return size
      } catch (error) {
        // What was uploaded of it costs money until it is given up; a store that cannot is to expire it by itself.
        await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {})
        throw error
      }
    },
    async presignGet(key, { fileName }, expiresAt) {
      assertPrivate(key)
      const ResponseContentDisposition = `attachment; filename="${fileName}"`
      return getSignedUrl(client, new GetObjectCommand({ Bucket, Key: key, ResponseContentDisposition }), {
        signingDate: now(),
        expiresIn: Math.max(1, Math.floor((expiresAt.getTime() - nowMs()) / 1_000)),
      })
    },
    async get(key) {
      assertKey(key)
      try {
        const { Body, ContentLength = 0 } = await client.send(new GetObjectCommand({ Bucket, Key: key }))
        return Body instanceof Readable ? { body: Body, size: ContentLength } : undefined
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
    async delete(keys) {
      for (const key of keys) assertKey(key)
      // One by one: deleting many at once needs checksums that not every store knows.
      const queue = keys.values()
      const work = async () => {
        for (const Key of queue) {
          await client.send(new DeleteObjectCommand({ Bucket, Key })).catch((error: unknown) => {
            if (!isMissing(error)) throw error
          })
        }
      }
      await Promise.all(Array.from({ length: DELETED_AT_ONCE }, work))
    },
    async *list(prefix) {
      assertPrefix(prefix)
      let token: string | undefined
      do {
        const page: ListObjectsV2CommandOutput = await client.send(
          new ListObjectsV2Command({ Bucket, Prefix: prefix, ...(token && { ContinuationToken: token }) }),
        )
        for (const { Key, Size = 0, LastModified = now() } of page.Contents ?? [])
          if (Key) yield { key: Key, size: Size, changedAt: LastModified }
        token = page.IsTruncated ? page.NextContinuationToken : undefined
      } while (token)
    },
    async close() {
      client.destroy()
    },
  }
}

/** Pieces of exactly this size, but for the last; an empty body is one empty piece. */
async function* inParts(body: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let [waiting, length, isFirst]: [Buffer[], number, boolean] = [[], 0, true]
  for await (const chunk of body) {
    waiting.push(chunk)
    length += chunk.length
    while (length >= bytes) {
      const all = Buffer.concat(waiting)
      yield all.subarray(0, bytes)
      waiting = [all.subarray(bytes)]
      length -= bytes
      isFirst = false
    }
  }
  if (length > 0 || isFirst) yield Buffer.concat(waiting)
}

/** A missing bucket is a mistake of the operator, not a missing file. */
const isMissing = (error: unknown) =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404 && error.name !== 'NoSuchBucket'
