import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../dev/ports.ts'
import { makeCategories } from '../../src/apps/demo/categories.ts'
import { openDemo } from '../../src/apps/demo/demo.ts'
import { makeJournal } from '../../src/apps/demo/journal.ts'
import { makeProducts } from '../../src/apps/demo/products.ts'
import { startStripeTwin } from '../../twins/stripe/server.ts'
import { startChild } from './child.ts'
import { startMailServer } from './mail-server.ts'
import { createMake } from './make.ts'
import { createTestDatabases, startApi } from './start-api.ts'
import { until } from './until.ts'

const ROOT = path.resolve(import.meta.dirname, '../../examples/storefront-next')
const NEXT = path.resolve(import.meta.dirname, '../../node_modules/next/dist/bin/next')
const SECRET = 'what only the follower knows'

export type NextStorefront = Awaited<ReturnType<typeof openNextStorefront>>

/** The shop as it is built, what follows the feed for it, and the service with the demo that both need. */
export async function openNextStorefront() {
  const port = await freePort(5_190)
  const url = `http://127.0.0.1:${port}`
  const [service] = await Promise.all([startService(url), run('build')])
  const env = {
    KONTOR_URL: service.url,
    KONTOR_BUSINESS_ID: service.businessId,
    KONTOR_API_KEY: service.apiKey,
    SHOP_URL: url,
    REVALIDATE_URL: `${url}/revalidate`,
    REVALIDATE_SECRET: SECRET,
  }
  const children = [start([NEXT, 'start', '-H', '127.0.0.1', '-p', String(port)], env)]
  await until('the shop answers', () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  children.push(start(['--conditions=source', 'follow.ts'], env))
  return {
    ...service,
    url,
    /** What the pages and the follower complained about. */
    complaints: () => children.map(({ said }) => said()).join(''),
    async close() {
      await Promise.all(children.map(({ stop }) => stop()))
      await service.close()
    },
  }
}

const nextEnv = (env: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  NODE_ENV: 'production' as const,
  NEXT_TELEMETRY_DISABLED: '1',
  ...env,
})

const run = (command: string) => promisify(execFile)(process.execPath, [NEXT, command], { cwd: ROOT, env: nextEnv() })

function start(args: string[], env: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: ROOT,
    env: nextEnv(env),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
  return {
    said: () => text,
    async stop() {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** API, worker, payments, and the demo's goods and articles. */
async function startService(shopUrl: string) {
  const databases = await createTestDatabases()
  const twin = await startStripeTwin({ secretKey: 'sk_test_twin', webhookSecret: 'whsec_twin' })
  const mailServer = await startMailServer()
  const env = {
    ...databases.env,
    ...mailServer.env,
    ALLOWED_ORIGINS: shopUrl,
    STRIPE_SECRET_KEY: 'sk_test_twin',
    STRIPE_WEBHOOK_SECRET: 'whsec_twin',
    STRIPE_API_URL: twin.url,
    STRIPE_SHARED_ACCOUNT: 'true',
  }
  const [api, worker] = await Promise.all([startApi({ databases, env }), startChild('worker', env)])
  twin.setWebhookUrl(`${api.url}/v1/payments/webhooks/stripe`)
  const demo = await openDemo({ databases: api.services.databases, publicUrl: api.url, slug: 'harbour-goods' })
  for (const make of [makeCategories, makeProducts, makeJournal]) await make(demo, () => {})
  const make = createMake(api)
  const owner = await make.apiKey(demo.owner.userId, demo.business.id)
  const business = `/v1/businesses/${demo.business.id}`
  return {
    url: api.url,
    businessId: demo.business.id,
    apiKey: owner.value,
    /** The merchant, and where the business is. */
    owner,
    business,
    async close() {
      worker.process.kill('SIGTERM')
      await worker.exited
      await api.close()
      await Promise.all([twin.close(), mailServer.close()])
      await databases.drop()
    },
  }
}
