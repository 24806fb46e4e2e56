import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { preview } from 'vite'
import { orderJobs } from '#modules/orders/index.ts'
import { freePort } from '../../dev/ports.ts'
import { makeCustomers } from '../../src/apps/demo/customers.ts'
import { openDemo } from '../../src/apps/demo/demo.ts'
import { makeOrders } from '../../src/apps/demo/orders.ts'
import { makeProducts } from '../../src/apps/demo/products.ts'
import { makePromos } from '../../src/apps/demo/promos.ts'
import { follow } from './customers.ts'
import { startNewsletterApi } from './newsletter-api.ts'
import { createPeople, PASSWORD } from './people.ts'
import { startTestWorker } from './start-worker.ts'

const SEQUENCE_MS = 200
const ROOT = path.resolve(import.meta.dirname, '../../packages/dashboard')

export type Dashboard = Awaited<ReturnType<typeof openDashboard>>

/** The dashboard as it is built, on the real service with demo data, and the owner of the demo to sign in as. */
export async function openDashboard() {
  const outDir = await mkdtemp(path.join(tmpdir(), 'dashboard-'))
  await buildForUse(outDir) // first: it takes all of the machine
  const service = await startNewsletterApi({})
  const { api, make } = service
  process.env.KONTOR_URL = api.url // the settings of the page's server read it
  const worker = startTestWorker({ ...api.databases.env, ...service.env }, orderJobs)
  const person = await createPeople(api).person()
  const port = await freePort(29_000)
  const url = `http://127.0.0.1:${port}`
  const demo = await openDemo({
    databases: api.services.databases,
    publicUrl: url, // of the pictures: the policy of the page lets in those of its own origin
    ownerEmail: person.email,
    slug: 'harbour-goods',
  })
  for (const part of [makeProducts, makePromos, makeCustomers, makeOrders]) await part(demo, () => {})
  const server = await preview({
    root: ROOT,
    logLevel: 'error',
    build: { outDir },
    preview: { port, strictPort: true, host: '127.0.0.1', proxy: { '/demo': api.url } },
  })
  // The worker does it in a loop of its own.
  const sequencer = setInterval(() => void follow(api, demo.cell).catch(() => {}), SEQUENCE_MS)
  const owner = await make.apiKey(demo.owner.userId, demo.business.id)
  const business = `/v1/businesses/${demo.business.id}`
  return {
    /** Of the page; with a path below the business. */
    url: (place = '') => `${url}/admin/harbour-goods${place}`,
    door: `${url}/admin/login`,
    email: person.email,
    password: PASSWORD,
    owner,
    business,
    async close() {
      clearInterval(sequencer)
      await server.close()
      await worker.stop()
      await service.close()
      await rm(outDir, { recursive: true })
    },
  }
}

/** In a process of its own: it would hold up everything else in this one. */
async function buildForUse(outDir: string) {
  const vite = path.resolve(ROOT, '../../node_modules/vite/bin/vite.js')
  const env = { ...process.env, NODE_ENV: 'production' }
  const args = [vite, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error']
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number]
  if (code !== 0) throw new Error('The dashboard cannot be built.')
}
