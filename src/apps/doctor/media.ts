import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { nowMs } from '#platform/clock.ts'
import type { Config } from '#platform/config.ts'
import { createStorage, type Storage, type Upload } from '#platform/storage/storage.ts'
import { type Check, failed, look, off, ok, reasonOf, type Verdict, warning } from './look.ts'

const MIME_TYPE = 'application/octet-stream'
const UPLOAD_MS = 60_000

/** Stores a file, reads it, and deletes it; then the same through an upload address, as browsers do. */
export async function checkMedia(config: Config): Promise<Check[]> {
  const storage = createStorage(config)
  if (!storage) return [{ check: 'media', ...off('MEDIA_STORAGE is not set: nothing can be uploaded') }]
  try {
    const stored = await look('media', placeOf(config).fix, () => checkStore(config, storage))
    if (stored.status !== 'ok') return [stored]
    const fix = 'Uploads go from browsers straight to the store: may they reach it?'
    return [stored, await look('media: uploads', fix, (signal) => checkUpload(config, storage, signal))]
  } finally {
    await storage.close()
  }
}

function placeOf({ media }: Config): { place: string; fix: string } {
  if (media?.storage.kind === 's3') {
    const { endpoint = 'Amazon S3', bucket } = media.storage
    return { place: `the bucket ${bucket} of ${endpoint}`, fix: 'May this machine reach S3_ENDPOINT?' }
  }
  const path = media?.storage.path ?? ''
  return { place: path, fix: `May the user of this process write to ${path}, and is there room?` }
}

async function checkStore(config: Config, storage: Storage): Promise<Verdict> {
  const { key, body } = sample()
  try {
    await storage.put(key, body, { mimeType: MIME_TYPE, size: body.length })
    const found = await storage.get(key)
    if (!found || !body.equals(await buffer(found.body))) return failed('what was stored could not be read again')
    await storage.delete([key])
    if (await storage.get(key)) return failed('what was deleted is still there', 'Is deleting allowed?')
  } catch (error) {
    const fix = FIXES[(error as Error).name]
    if (!fix) throw error
    return failed(`the store refuses: ${reasonOf(error)}`, fix)
  }
  return ok(`${placeOf(config).place} stores, reads and deletes; served from ${config.media?.publicUrl}`)
}

const FIXES: Record<string, string> = {
  NoSuchBucket: 'Create the bucket, or correct S3_BUCKET.',
  InvalidAccessKeyId: 'Correct S3_ACCESS_KEY_ID.',
  SignatureDoesNotMatch: 'Correct S3_SECRET_ACCESS_KEY (and S3_REGION).',
  AccessDenied: 'Allow this key s3:PutObject, s3:GetObject, s3:DeleteObject and s3:ListBucket on the bucket.',
  AuthorizationHeaderMalformed: 'Set S3_REGION to the region of the bucket.',
  PermanentRedirect: 'Set S3_REGION and S3_ENDPOINT to those of the bucket.',
}

async function checkUpload(config: Config, storage: Storage, signal: AbortSignal): Promise<Verdict> {
  const { key, body } = sample()
  const about = { mimeType: MIME_TYPE, size: body.length, sha256: createHash('sha256').update(body).digest('hex') }
  const upload = await storage.presignPut(key, about, new Date(nowMs() + UPLOAD_MS))
  try {
    const other = await send(upload, body.subarray(1), signal)
    if (other < 400)
      return failed('an upload address takes another file, too', 'Use a store that checks what was signed.')
    const status = await send(upload, body, signal)
    if (status >= 400)
      return failed(`an upload address is refused (${status})`, 'Is the clock right, and do proxies leave Host alone?')
    const found = await storage.get(key)
    if (!found || !body.equals(await buffer(found.body)))
      return failed(
        'an upload went elsewhere',
        'Do PUBLIC_URL or S3_ENDPOINT lead to another store than this machine’s?',
      )
    return await checkCors(config, upload, signal)
  } catch (error) {
    // The API may not be running yet, or not be reachable under its public address from here.
    if (config.media?.storage.kind === 'folder' && error instanceof TypeError)
      return warning(
        `the API does not answer at ${config.publicUrl}: ${reasonOf(error)}`,
        'Start it, and check PUBLIC_URL.',
      )
    throw error
  } finally {
    await storage.delete([key])
  }
}

async function send({ url, headers }: Upload, body: Buffer, signal: AbortSignal): Promise<number> {
  const response = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(body), signal, redirect: 'error' })
  await response.body?.cancel()
  return response.status
}

/** Browsers ask the store first whether pages of another origin may upload. */
async function checkCors({ publicUrl }: Config, { url, headers }: Upload, signal: AbortSignal): Promise<Verdict> {
  const asked = {
    origin: publicUrl,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': Object.keys(headers).join(','),
  }
  const response = await fetch(url, { method: 'OPTIONS', headers: asked, signal })
  await response.body?.cancel()
  const origin = response.headers.get('access-control-allow-origin')
  if (response.ok && (origin === '*' || origin === publicUrl))
    return ok('an upload address takes its file, and nothing else')
  return warning(
    `pages of ${publicUrl} may not upload (CORS)`,
    `Allow the bucket PUT from that origin, with the headers ${Object.keys(headers).join(', ')}.`,
  )
}

const sample = () => ({ key: `incoming/doctor/${randomUUID()}`, body: randomBytes(1_000) })
