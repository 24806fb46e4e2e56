import type { Readable } from 'node:stream'
import type { Config } from '../config.ts'
import { createSecretBox } from '../crypto/secret-box.ts'
import { createFolder, type Folder } from './folder.ts'
import { createS3 } from './s3.ts'

/**
 * `headers` must be sent as they are. The length is signed, too, and stands in no list: browsers set Content-Length by
 * themselves, and let no page do it.
 */
export type Upload = { method: 'PUT'; url: string; headers: Record<string, string>; expiresAt: Date }
/** What is no raster image is always an attachment. */
export type Stored = { mimeType: string; isAttachment?: boolean | undefined; isImmutable?: boolean | undefined }

/** A store of files, by key: `public/…`, `private/…` or `incoming/…`. README.md says who may read which. */
export type Storage = {
  /**
   * An address that takes exactly this body, once signed: its key, length, type and hash (sha256, hex) are part of it.
   * Only below `incoming/`, which nothing serves.
   */
  presignPut(key: string, about: { mimeType: string; size: number; sha256: string }, expiresAt: Date): Promise<Upload>
  /** Replaces what is there. A body of another size is an error, and stores nothing. */
  put(key: string, body: Buffer | Readable, about: Stored & { size: number }): Promise<void>
  /**
   * For what is too large to be held, and of a size that nobody knows yet. Returns the size. Replaces what is there; a body that
   * fails stores nothing.
   */
  putLarge(key: string, body: AsyncIterable<Buffer>, about: Stored): Promise<number>
  /** An address at which whoever has it saves the file under this name, until then; only for keys below `private/`. */
  presignGet(key: string, about: { fileName: string }, expiresAt: Date): Promise<string>
  /** Read the body to its end, or destroy it: it holds a connection or a file. */
  get(key: string): Promise<{ body: Readable; size: number } | undefined>
  /** Deleting what is not there is fine. */
  delete(keys: readonly string[]): Promise<void>
  /** In no order that could be relied on. */
  list(prefix: string): AsyncIterable<{ key: string; size: number; changedAt: Date }>
  /** Where everybody can read it; only for keys below `public/`. */
  publicUrl(key: string): string
  close(): Promise<void>
}

/** The store that MEDIA_STORAGE names; undefined when it names none. */
export function createStorage(config: Pick<Config, 'media' | 'publicUrl' | 'secretKeys'>): Storage | undefined {
  const { media } = config
  return media?.storage.kind === 's3' ? createS3(media.storage, media.publicUrl) : openFolder(config)
}

/** The folder, where that is the store: the API takes its uploads and serves its files. */
export function openFolder({
  media,
  publicUrl,
  secretKeys,
}: Pick<Config, 'media' | 'publicUrl' | 'secretKeys'>): Folder | undefined {
  if (media?.storage.kind !== 'folder') return undefined
  return createFolder({
    path: media.storage.path,
    uploadUrl: `${publicUrl}/v1/media-uploads`,
    downloadUrl: `${publicUrl}/media-downloads`,
    publicUrl: media.publicUrl,
    box: createSecretBox(secretKeys),
  })
}
