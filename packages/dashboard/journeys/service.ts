import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { caller } from '../../../dev/first-steps.ts'
import { freePort } from '../../../dev/ports.ts'
import { withScratchDatabase } from '../../../test/support/database.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const READY = 'Kontor is running'
const START_MS = 600_000

/** Who works here, with a password that a person would type. */
const PERSON = { email: 'ada@quay.example', password: 'harbour lantern tea' }

export type Service = {
  url: string
  businessId: string
  /** Of the business, in addresses. */
  slug: string
  apiKey: string
  email: string
  password: string
  /** Of control and the only cell, for what no route can bring about. */
  databaseUrl: string
}

/**
 * All of `npm run dev` with demo data, in a folder and a database of its own: API and worker as processes, payments, mail.
 * Nothing of it is left afterwards.
 */
export async function withService<Result>(work: (service: Service) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(path.join(tmpdir(), 'journeys-'))
  const settings = `KONTOR_ADMIN_EMAIL=${PERSON.email}\nKONTOR_ADMIN_PASSWORD='${PERSON.password}'\n`
  writeFileSync(path.join(folder, 'dev.env'), settings)
  try {
    return await withScratchDatabase(async (databaseUrl) => {
      const stop = await start(folder, databaseUrl)
      try {
        const env = parseEnv(readFileSync(path.join(folder, 'dev.env'), 'utf8'))
        const { KONTOR_URL: url = '', KONTOR_BUSINESS_ID: businessId = '', KONTOR_API_KEY: apiKey = '' } = env
        const { body } = await caller(url, { 'x-api-key': apiKey })('GET', `/v1/businesses/${businessId}`)
        const service = { url, businessId, slug: body.slug, apiKey, databaseUrl, ...PERSON }
        return await Promise.race([work(service), interrupted()])
      } finally {
        await stop()
      }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Ctrl-C: ends the work, so that all is tidied up. */
const interrupted = () =>
  new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error('Interrupted.')))
  })

async function start(folder: string, databaseUrl: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['dev/run.ts', '--demo'], {
    cwd: ROOT,
    env: {
      ...process.env,
      KONTOR_DEV_DIR: folder,
      DATABASE_URL: databaseUrl,
      PORT: String(await freePort(32_000)),
      RATE_LIMITS: 'off', // one person signs in more often here than people do
      COMPRESSION: 'on', // as behind any proxy
      NEWSLETTER_BUSINESS_RATE: '12', // a letter to fifty is under way long enough to be paused
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    await closed
  }
  let said = ''
  const ready = new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-5_000)
      if (said.includes(READY)) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    void closed.then(() => reject(new Error(`The service has ended:\n${said}`)))
    setTimeout(() => reject(new Error(`The service has not started:\n${said}`)), START_MS).unref()
  })
  try {
    await ready
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}
