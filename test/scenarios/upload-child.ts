// Uploads from a process of its own: what is measured beside them must not wait for these clients.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPictures, type NumberedFile } from './numbered-pictures.ts'

/**
 * Each number is one upload: begun, sent and completed; every `duplicateEvery`th is one of the first `known` once more, and
 * every `hostileEvery`th is no picture. `beginOnly`: nothing is sent.
 */
export type Uploads = {
  url: string
  publicUrl: string
  /** One list of media for all, or one for each client. */
  lists: string[]
  headers: Record<string, string>
  clients: number
  from: number
  count: number
  known: number
  duplicateEvery: number
  hostileEvery: number
  beginOnly?: boolean
}
export type Uploaded = {
  seconds: number
  files: { id: string; becomes: NumberedFile['becomes'] }[]
  duplicates: number
  beginMs: number[]
  failed: string[]
}

async function uploadAll(options: Uploads): Promise<Uploaded> {
  const { url, publicUrl, lists, headers, clients, from, count, known, duplicateEvery, hostileEvery } = options
  const pictures = await createPictures()
  const done: Uploaded = { seconds: 0, files: [], duplicates: 0, beginMs: [], failed: [] }
  let next = from
  async function ask(path: string, init: RequestInit): Promise<{ status: number; text: string }> {
    const answer = await fetch(path, init)
    const text = await answer.text()
    if (answer.status !== 429) return { status: answer.status, text }
    // As whoever uploads much does it: when told to wait, they wait.
    await sleep(Number(answer.headers.get('retry-after')) * 1_000)
    return ask(path, init)
  }
  const post = (path: string, body?: object) =>
    ask(url + path, {
      method: 'POST',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })

  async function upload(list: string, number: number): Promise<void> {
    const isDuplicate = known > 0 && number % duplicateEvery === 0
    const isHostile = !isDuplicate && number % hostileEvery === 1
    const { bytes, mimeType, becomes } = isDuplicate
      ? pictures.picture(number % known)
      : isHostile
        ? pictures.hostile(number)
        : pictures.picture(number)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const begun = performance.now()
    const started = await post(list, { fileName: `Picture ${number}.jpg`, mimeType, size: bytes.length, sha256 })
    done.beginMs.push(performance.now() - begun)
    if (started.status !== (isDuplicate ? 200 : 201)) throw new Error(`begin: ${started.status} ${started.text}`)
    if (isDuplicate) return void done.duplicates++
    const file = JSON.parse(started.text) as { id: string; upload: { url: string; headers: Record<string, string> } }
    done.files.push({ id: file.id, becomes })
    if (options.beginOnly) return
    const address = file.upload.url.replace(publicUrl, url)
    const sent = await ask(address, { method: 'PUT', headers: file.upload.headers, body: new Uint8Array(bytes) })
    if (sent.status !== 200) throw new Error(`send: ${sent.status} ${sent.text}`)
    const completed = await post(`${list}/${file.id}/complete`)
    if (completed.status !== 200) throw new Error(`complete: ${completed.status} ${completed.text}`)
  }

  const begun = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const list = lists[client % lists.length] as string
      while (next < from + count) await upload(list, next++).catch((error: Error) => done.failed.push(error.message))
    }),
  )
  done.seconds = (performance.now() - begun) / 1_000
  return done
}

process.once('message', (options: Uploads) => {
  void uploadAll(options).then((done) => process.send?.(done, () => process.exit(0)))
})
process.once('disconnect', () => process.exit(1))
