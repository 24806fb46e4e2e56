import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { accountJobs } from '#modules/accounts/index.ts'
import { makeCategories } from '../../src/apps/demo/categories.ts'
import { type Demo, openDemo } from '../../src/apps/demo/demo.ts'
import { makeJournal } from '../../src/apps/demo/journal.ts'
import { makeNewsletter } from '../../src/apps/demo/newsletter.ts'
import { makeProducts } from '../../src/apps/demo/products.ts'
import { makePromos } from '../../src/apps/demo/promos.ts'
import { startTestWorker } from './start-worker.ts'
import { startWorld } from './world.ts'

const ROOT = path.resolve(import.meta.dirname, '../../examples/storefront')
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

export type Storefront = Awaited<ReturnType<typeof openStorefront>>

/** The shop front as it is built, and all that it needs: API, worker, mail, payment twin, and goods to sell. */
export async function openStorefront() {
  const outDir = await mkdtemp(path.join(tmpdir(), 'storefront-'))
  const front = serve(outDir).listen(0, '127.0.0.1')
  await once(front, 'listening')
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  const service = await startWorld({
    providers: ['stripe', 'mail'],
    worker: 'newsletter',
    env: { ALLOWED_ORIGINS: url },
  })
  const { api, make } = service
  const worker = startTestWorker({ ...api.databases.env, ...service.env }, accountJobs)
  const demo = await openDemo({ databases: api.services.databases, publicUrl: api.url, slug: 'harbour-goods' })
  // The file of settings reads them.
  Object.assign(process.env, { KONTOR_URL: api.url, KONTOR_BUSINESS_ID: demo.business.id })
  await Promise.all([buildForUse(outDir), fill(demo)])
  const owner = await make.apiKey(demo.owner.userId, demo.business.id)
  const business = `/v1/businesses/${demo.business.id}`
  const find = async (place: string) => (await owner.get(`${business}/${place}`)).body.items[0].id as string
  const lettersId = await find('collections?slug=harbour-letter')
  const entryId = await find('entries?query=boathouse')
  const door = `${api.url}/v1/storefront/harbour-goods`
  const newest = async (count: number): Promise<string[]> =>
    (await owner.get(`${business}/products?limit=${count}`)).body.items.map(({ name }: { name: string }) => name)

  return {
    url,
    mailServer: service.mailServer,
    entryId,
    /** Where pages and mails of the service lead to: mails name its public address, which is another port here. */
    here: (link: URL) => String(link).replace(api.config.publicUrl, api.url),
    newest,
    /** What the public door answers, as anybody gets it. */
    read: async (place: string) => {
      const answer = await fetch(`${door}/${place}`)
      if (answer.status !== 200) throw new Error(await answer.text())
      return answer.json()
    },
    addShelf: async (name: string) => {
      const { status, text } = await owner.post(`${business}/categories`, { name })
      if (status !== 201) throw new Error(text)
    },
    /** The merchant ships all of an order. */
    ship: async (orderId: string, parcel: object) => {
      const { status, text } = await owner.post(`${business}/orders/${orderId}/shipments`, parcel)
      if (status !== 201) throw new Error(text)
    },
    subscribers: async (): Promise<{ email: string; status: string }[]> => {
      const { body } = await owner.get(`${business}/collections/${lettersId}/subscribers`)
      return body.items
    },
    /** All JavaScript, as a browser fetches it. */
    async scriptBytes() {
      const files = (await readdir(path.join(outDir, 'assets'))).filter((file) => file.endsWith('.js'))
      const sizes = files.map(async (file) => gzipSync(await readFile(path.join(outDir, 'assets', file))).length)
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    },
    async close() {
      front.close()
      await worker.stop()
      await service.close()
      await rm(outDir, { recursive: true })
    },
  }
}

/** As it is for shoppers: otherwise what is meant for developers is built in. */
async function buildForUse(outDir: string) {
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  try {
    await build({ root: ROOT, logLevel: 'error', build: { outDir, emptyOutDir: true } })
  } finally {
    process.env.NODE_ENV = before
  }
}

/** The demo without its past: no orders. */
async function fill(demo: Demo) {
  for (const make of [makeCategories, makeProducts, makePromos, makeJournal, makeNewsletter]) await make(demo, () => {})
}

/** Files, and for every other path the page itself: it looks at the address. */
const serve = (folder: string) =>
  createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://front')
    const file = pathname.startsWith('/assets/') ? path.basename(pathname) : ''
    readFile(file ? path.join(folder, 'assets', file) : path.join(folder, 'index.html')).then(
      (content) =>
        response
          .writeHead(200, { 'content-type': `${TYPES[path.extname(file || 'index.html')]}; charset=utf-8` })
          .end(content),
      () => response.writeHead(404).end(),
    )
  })
