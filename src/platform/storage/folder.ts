import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { nowMs } from '../clock.ts'
import type { SecretBox } from '../crypto/secret-box.ts'
import { fault } from '../faults.ts'
import { exactly } from './exact-body.ts'
import { assertIncoming, assertKey, assertPrefix, assertPrivate, isKey, isPublic, publicPathOf } from './keys.ts'
import { isDownloadSigned, type SignedDownload, signDownload } from './signed-download.ts'
import { areSigned, type SignedTerms, signTerms } from './signed-upload.ts'
import type { Storage, Stored } from './storage.ts'

export type FolderOptions = {
  path: string
  /** The route of the API that takes uploads. */
  uploadUrl: string
  /** The route of the API that hands out private files. */
  downloadUrl: string
  /** Where `public/` is served. */
  publicUrl: string
  box: SecretBox
}

export type PublicFile = Stored & { size: number; changedAt: Date; read(): Readable }

/** A folder as a store: for one machine, or several that share it. The API takes the uploads and serves the files. */
export type Folder = Storage & {
  isSigned(terms: SignedTerms): boolean
  isDownloadSigned(terms: SignedDownload): boolean
  /** Stores the body of an upload; false, and nothing stored, if its hash is another. */
  takeUpload(terms: SignedTerms, body: Readable): Promise<boolean>
  findPublic(publicPath: string): Promise<PublicFile | undefined>
}

/** Files are written here, then renamed: nobody ever reads half of one. */
const UNFINISHED = 'unfinished'
const STALE_MS = 24 * 60 * 60 * 1_000

export function createFolder({ path: root, uploadUrl, downloadUrl, publicUrl, box }: FolderOptions): Folder {
  const fileOf = (key: string) => {
    assertKey(key)
    return path.join(root, ...key.split('/'))
  }
  const unfinished = path.join(root, UNFINISHED)
  let opened: Promise<void> | undefined
  let tidiedMs = 0
  const openUnfinished = () => {
    if (nowMs() - tidiedMs > STALE_MS) opened = undefined
    if (opened) return opened
    tidiedMs = nowMs()
    opened = mkdir(unfinished, { recursive: true }).then(() => removeStale(unfinished))
    opened.catch(() => {
      opened = undefined
    })
    return opened
  }

  /** `finish` sees that the whole file is there, and may still refuse it. */
  async function write(key: string, body: AsyncIterable<Buffer>, finish: () => Promise<boolean>): Promise<boolean> {
    const target = fileOf(key)
    await openUnfinished()
    const file = path.join(unfinished, randomUUID())
    try {
      await pipeline(body, createWriteStream(file, { flags: 'wx', flush: true }))
      if (!(await finish())) return false
      await fault('folder.before-stored')
      await moveTo(file, target)
      await fault('folder.stored')
      return true
    } finally {
      await rm(file, { force: true })
    }
  }

  async function writeAbout(key: string, about: Stored): Promise<void> {
    const file = path.join(unfinished, randomUUID())
    await writeFile(file, JSON.stringify(about), { flush: true })
    await moveTo(file, aboutOf(fileOf(key)))
  }

  return {
    async presignPut(key, { mimeType, size, sha256 }, expiresAt) {
      assertIncoming(key)
      const terms = { key, mimeType, size, sha256, expiresAt: Math.floor(expiresAt.getTime() / 1_000) }
      const query = new URLSearchParams()
      for (const [name, value] of Object.entries(signTerms(box, terms))) query.set(name, String(value))
      const url = `${uploadUrl}?${query.toString()}`
      return { method: 'PUT', url, headers: { 'content-type': mimeType }, expiresAt }
    },
    isSigned: (terms) => areSigned(box, terms),
    async presignGet(key, { fileName }, expiresAt) {
      assertPrivate(key)
      const terms = signDownload(box, { key, fileName, expiresAt: Math.floor(expiresAt.getTime() / 1_000) })
      const query = new URLSearchParams()
      for (const [name, value] of Object.entries(terms)) query.set(name, String(value))
      return `${downloadUrl}?${query.toString()}`
    },
    isDownloadSigned: (terms) => isDownloadSigned(box, terms),
    async takeUpload({ key, size, sha256 }, body) {
      assertIncoming(key)
      const hash = createHash('sha256')
      const hashed = exactly(body, size, (chunk) => hash.update(chunk))
      return write(key, hashed, async () => hash.digest('hex') === sha256)
    },
    async put(key, body, { mimeType, isAttachment, isImmutable, size }) {
      await write(key, exactly(body, size), async () => {
        if (isPublic(key)) await writeAbout(key, { mimeType, isAttachment, isImmutable })
        return true
      })
    },
    async putLarge(key, body, about) {
      let size = 0
      async function* counted() {
        for await (const chunk of body) {
          size += chunk.length
          yield chunk
        }
      }
      await write(key, counted(), async () => {
        if (isPublic(key)) await writeAbout(key, about)
        return true
      })
      return size
    },
    async get(key) {
      return openFile(fileOf(key))
    },
    async delete(keys) {
      for (const key of keys) {
        const target = fileOf(key)
        await rm(target, { force: true })
        await rm(aboutOf(target), { force: true })
        await removeEmpty(root, path.dirname(target))
      }
    },
    async *list(prefix) {
      assertPrefix(prefix)
      const start = prefix.slice(0, prefix.lastIndexOf('/'))
      for await (const key of walk(root, start)) {
        if (!key.startsWith(prefix)) continue
        const found = await stat(path.join(root, key)).catch(missing)
        if (found) yield { key, size: found.size, changedAt: found.mtime }
      }
    },
    async findPublic(publicPath) {
      const key = `public/${publicPath}`
      if (!isKey(key)) return undefined
      const file = fileOf(key)
      const found = await stat(file).catch(missing)
      if (!found?.isFile()) return undefined
      return {
        ...(await readAbout(file)),
        size: found.size,
        changedAt: found.mtime,
        read: () => createReadStream(file),
      }
    },
    publicUrl: (key) => `${publicUrl}/${publicPathOf(key)}`,
    async close() {},
  }
}

/** What HTTP says about a public file, beside it: `~` is in no key. */
const aboutOf = (file: string) => `${file}~`

/** A file that came here by another way is of no known type. */
async function readAbout(file: string): Promise<Stored> {
  const text = await readFile(aboutOf(file), 'utf8').catch(missing)
  return text ? (JSON.parse(text) as Stored) : { mimeType: 'application/octet-stream', isAttachment: true }
}

async function openFile(file: string): Promise<{ body: Readable; size: number } | undefined> {
  const handle = await open(file).catch(missing)
  if (!handle) return undefined
  const found = await handle.stat()
  if (!found.isFile()) {
    await handle.close()
    return undefined
  }
  return { body: handle.createReadStream(), size: found.size }
}

/** Somebody may remove the folder, empty at that moment, between the two steps. */
async function moveTo(file: string, target: string, attempts = 5): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true })
  try {
    await rename(file, target)
  } catch (error) {
    if (attempts === 0 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await moveTo(file, target, attempts - 1)
  }
}

/** Removes folders that are empty, up to the one of the area. */
async function removeEmpty(root: string, folder: string): Promise<void> {
  if (path.relative(root, folder).split(path.sep).length < 2) return
  try {
    await rmdir(folder)
  } catch {
    return // not empty, or gone
  }
  await removeEmpty(root, path.dirname(folder))
}

async function* walk(root: string, folder: string): AsyncGenerator<string> {
  const entries = (await readdir(path.join(root, folder), { withFileTypes: true }).catch(missing)) ?? []
  for (const entry of entries) {
    const key = `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* walk(root, key)
    else if (isKey(key)) yield key
  }
}

/** What a process left that ended in the middle of a file. */
async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name)
    const found = await stat(file).catch(missing)
    if (found && nowMs() - found.mtimeMs > STALE_MS) await rm(file, { force: true })
  }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
