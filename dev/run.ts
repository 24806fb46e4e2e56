// npm run dev: all of Kontor on this machine, with nothing but Node. start() lists what it starts.
import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import { startIdentityProvider } from '../twins/identity/identity.ts'
import { startInbox } from '../twins/mail/server.ts'
import { startModelTwin } from '../twins/model/server.ts'
import { startStripeTwin } from '../twins/stripe/server.ts'
import { showBlock } from './block.ts'
import { ensureDashboard } from './dashboard.ts'
import { ensureAdmin } from './first-steps.ts'
import { DevError, lockFolder, openFolder, ROOT } from './folder.ts'
import { freePort } from './ports.ts'
import { ensureDatabase, replaceDatabase, startPostgres } from './postgres.ts'
import { createProgram, type Program } from './program.ts'
import { newSecret, readSettings, type Settings, writeSettings } from './settings.ts'
import { findBusiness, suggest } from './suggestions.ts'

const OPTIONS = ['--demo', '--no-demo', '--verbose']
const STOP_MS = 5_000
const COMMAND_MS = 300_000
/** Where the two example storefronts are. */
const SHOPS = [5173, 5174]

const options = new Set(process.argv.slice(2))
const unknown = [...options].filter((option) => !OPTIONS.includes(option))
if (unknown.length > 0) {
  console.error(`npm run dev knows ${OPTIONS.join(', ')}, not ${unknown.join(', ')}. Write: npm run dev -- --demo`)
  process.exit(2)
}

/** The running parts, the last one started first. */
const running: { what: string; stop(): Promise<void> }[] = []
let isStopping = false

const say = (text: string) => console.log(`${styleText('dim', 'dev:')} ${text}`)

/** Runs a step and prints how long it took. */
async function step<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  if (isStopping) throw new DevError(`Stopped before ${what}.`)
  const since = performance.now()
  if (process.stdout.isTTY) process.stdout.write(`  ${what} …`)
  const result = await work()
  const seconds = `${((performance.now() - since) / 1_000).toFixed(1)} s`
  console.log(process.stdout.isTTY ? ` ${styleText('dim', seconds)}` : `  ${what} … ${seconds}`)
  return result
}

async function start(): Promise<void> {
  const since = performance.now()
  const folder = openFolder()
  const lock = await lockFolder(folder)
  running.push({ what: 'lock', stop: async () => void lock.close() })
  const last = readSettings(folder)
  const isFirst = Object.keys(last).length === 0
  const wantsDemo = await askForDemo(isFirst)

  const databaseUrl = await step(process.env.DATABASE_URL ? 'looking for the database' : 'starting PostgreSQL', () =>
    openDatabase(folder),
  )

  const ports = await choosePorts()
  const publicUrl = `http://localhost:${ports.api}`
  const imageOrigins = [publicUrl, `http://127.0.0.1:${ports.api}`]
  const stripeKeys = { secretKey: newSecret('sk_test_'), webhookSecret: newSecret('whsec_') }
  const { inbox, env } = await step('starting inbox, payments, login and model', async () => {
    const inbox = await startInbox({ port: ports.inbox, smtpPort: ports.smtp, imageOrigins })
    running.push({ what: 'inbox', stop: inbox.close })
    const stripe = await startStripeTwin({
      port: ports.stripe,
      ...stripeKeys,
      webhookUrl: `http://127.0.0.1:${ports.api}/v1/payments/webhooks/stripe`,
      retryMs: [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000], // outlasts a restart of the server
      file: path.join(folder, 'stripe.json'), // the database remembers its sessions, too
    })
    running.push({ what: 'payments', stop: stripe.close })
    const identity = await startIdentityProvider(ports.identity, [`${publicUrl}/v1/users/login/callback`])
    running.push({ what: 'login', stop: identity.close })
    const model = await startModelTwin({ port: ports.model, apiKey: 'twin' })
    running.push({ what: 'model', stop: model.close })
    const inboxUrl = `http://127.0.0.1:${ports.inbox}`
    const env: Settings = {
      NODE_ENV: 'development',
      DATABASE_URL: databaseUrl,
      HOST: '127.0.0.1',
      PORT: String(ports.api),
      PUBLIC_URL: publicUrl,
      METRICS_PORT: '0',
      DATABASE_POOL_SIZE: '10',
      ALLOWED_ORIGINS: SHOPS.flatMap((port) => [`http://localhost:${port}`, `http://127.0.0.1:${port}`]).join(),
      SMTP_URL: `smtp://127.0.0.1:${ports.smtp}`,
      MAIL_FROM: 'Kontor <hello@kontor.example>',
      TWILIO_ACCOUNT_SID: 'ACdevelopment',
      TWILIO_AUTH_TOKEN: 'development',
      TWILIO_FROM: '+15005550006',
      TWILIO_API_URL: inboxUrl,
      STRIPE_SECRET_KEY: stripeKeys.secretKey,
      STRIPE_WEBHOOK_SECRET: stripeKeys.webhookSecret,
      STRIPE_API_URL: stripe.url,
      STRIPE_SHARED_ACCOUNT: 'true',
      ...identity.env,
      AI_API_URL: model.url,
      AI_API_KEY: 'twin',
      AI_MODEL: 'twin',
      MEDIA_STORAGE: `folder:${path.join(folder, 'media')}`,
      // Webhooks, callouts and pictures of the developer's own programs.
      OUTGOING_LOOPBACK: process.env.OUTGOING_LOOPBACK ?? 'on',
      KONTOR_URL: publicUrl,
      KONTOR_INBOX_URL: `http://localhost:${ports.inbox}`,
    }
    return { inbox, env }
  })
  const kept: Settings = {
    KONTOR_BUSINESS_ID: last.KONTOR_BUSINESS_ID,
    KONTOR_API_KEY: last.KONTOR_API_KEY,
    KONTOR_ADMIN_EMAIL: last.KONTOR_ADMIN_EMAIL,
    KONTOR_ADMIN_PASSWORD: last.KONTOR_ADMIN_PASSWORD,
  }
  writeSettings(folder, { ...env, ...kept })

  const childEnv = { ...process.env, LOG_LEVEL: 'info', ...env }
  await step('migrating the database', () => migrateDatabase(databaseUrl, childEnv))
  const programs = (['api', 'worker'] as const).map((name) =>
    createProgram({ name, env: childEnv, isVerbose: options.has('--verbose'), say }),
  )
  for (const program of programs) running.push({ what: 'program', stop: () => program.stop(STOP_MS) })
  await step('starting API and worker', () => Promise.all(programs.map((program) => program.start())))
  watchSources(programs)

  const admin = await step('looking after the account', () =>
    ensureAdmin(publicUrl, inbox.store, {
      email: kept.KONTOR_ADMIN_EMAIL,
      password: kept.KONTOR_ADMIN_PASSWORD,
      apiKey: kept.KONTOR_API_KEY,
    }),
  )
  kept.KONTOR_API_KEY = admin.apiKey
  kept.KONTOR_ADMIN_EMAIL = admin.email
  kept.KONTOR_ADMIN_PASSWORD = admin.password
  writeSettings(folder, { ...env, ...kept })
  if (wantsDemo) await makeDemo(admin.email, childEnv, kept)
  kept.KONTOR_BUSINESS_ID = await findBusiness(publicUrl, admin, kept.KONTOR_BUSINESS_ID)
  writeSettings(folder, { ...env, ...kept })

  await buildDashboard()
  const suggestions = await suggest(publicUrl, admin, kept.KONTOR_BUSINESS_ID)
  if (isStopping) return
  showBlock({ env, admin, businessId: kept.KONTOR_BUSINESS_ID, suggestions, folder, ms: performance.now() - since })
}

/** Runs the migrations. The development database is replaced if it predates the baseline; the old one is kept. */
async function migrateDatabase(url: string, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await runCli(['migrate'], env)
  } catch (error) {
    const isOlder = /^main: failed: This database was created before the first release/m.test((error as Error).message)
    if (process.env.DATABASE_URL || !isOlder) throw error
    const kept = await replaceDatabase(url)
    console.log('')
    say(`The database was created before the first release and cannot be updated. It was renamed to ${kept}.`)
    say('An empty one takes its place. For demo data: npm run dev -- --demo')
    await runCli(['migrate'], env)
  }
}

/** Without it everything else still works. */
async function buildDashboard(): Promise<void> {
  try {
    await step('building the dashboard', ensureDashboard)
  } catch (error) {
    console.log('')
    say(`There is no dashboard: ${(error as Error).message}`)
  }
}

async function askForDemo(isFirst: boolean): Promise<boolean> {
  if (options.has('--demo')) return true
  if (options.has('--no-demo') || !isFirst || !process.stdin.isTTY || !process.stdout.isTTY) return false
  const question = createInterface({ input: process.stdin, output: process.stdout })
  question.once('SIGINT', () => void stop(0)) // during a prompt, readline gets Ctrl-C
  const answer = await question.question('Make a business with demo data, to have something to look at? [Y/n] ')
  question.close()
  return !/^\s*n/i.test(answer)
}

async function openDatabase(folder: string): Promise<string> {
  const given = process.env.DATABASE_URL?.trim()
  if (given) {
    await ensureDatabase(given)
    return given
  }
  // Not for child processes: these settings belong to another database.
  delete process.env.DATABASE_DIRECT_URL
  delete process.env.CELLS
  const server = await startPostgres(folder, await freePort(5433))
  running.push({ what: 'PostgreSQL', stop: server.stop })
  await server.ready
  server.process.once('exit', () => {
    if (!isStopping) fail(new DevError(`PostgreSQL ended by itself.\n${server.lastWords()}`))
  })
  await ensureDatabase(server.url)
  return server.url
}

async function choosePorts() {
  const taken = new Set<number>()
  const choose = async (what: string, wanted: number) => {
    const port = await freePort(wanted, taken)
    taken.add(port)
    if (port !== wanted) say(`port ${wanted} is taken: ${what} is on ${port}`)
    return port
  }
  return {
    api: await choose('the API', Number(process.env.PORT) || 3000),
    inbox: await choose('the inbox', 3025),
    smtp: await choose('mail', 1025),
    stripe: await choose('the Stripe twin', 4242),
    identity: await choose('the identity provider', 4243),
    model: await choose('the model twin', 4244),
  }
}

/** Runs a CLI command and returns its output. */
function runCli(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['bin/kontor.js', 'cli', ...args], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: COMMAND_MS,
    })
    running.push({ what: 'program', stop: async () => void child.kill() })
    let output = ''
    let problems = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      problems = (problems + chunk).slice(-3_000)
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(output)
      else reject(new DevError(`kontor cli ${args.join(' ')} failed:\n${problems.trim() || output.slice(-3_000)}`))
    })
  })
}

async function makeDemo(email: string, env: NodeJS.ProcessEnv, kept: Settings): Promise<void> {
  try {
    const output = await step('making demo data', () => runCli(['demo', '--owner', email, '--json'], env))
    const { businessId } = JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as { businessId?: string }
    kept.KONTOR_BUSINESS_ID = businessId
  } catch (error) {
    console.log('')
    say(`There is no demo data: ${(error as Error).message}`)
  }
}

function watchSources(programs: Program[]): void {
  let waiting: NodeJS.Timeout | undefined
  const watcher = watch(path.join(ROOT, 'src'), { recursive: true }, (_event, file) => {
    if (isStopping || !file || /\.test\.ts$|(^|\/)\.|~$/.test(file)) return
    clearTimeout(waiting)
    waiting = setTimeout(() => {
      say(`src/${file} changed`)
      for (const program of programs) void program.restart()
    }, 150)
  })
  watcher.on('error', (error) => say(`Changes are not noticed any more: ${error.message}`))
  running.push({
    what: 'watcher',
    async stop() {
      clearTimeout(waiting)
      watcher.close()
    },
  })
}

/** Stops API and worker first, PostgreSQL last: the reverse of the start. */
async function stop(code: number): Promise<void> {
  if (isStopping) return
  isStopping = true
  if (process.stdout.isTTY) console.log('')
  console.log('Stopping …')
  const programs = running.filter(({ what }) => what === 'program')
  const watchers = running.filter(({ what }) => what === 'watcher')
  for (const { stop } of watchers) await stop()
  await Promise.all(programs.map(({ stop }) => stop()))
  for (const { what, stop } of running.toReversed()) {
    if (what === 'program' || what === 'watcher') continue
    await stop().catch((error: Error) => say(`${what}: ${error.message}`))
  }
  process.exit(code)
}

function fail(error: unknown): void {
  if (!isStopping) console.error(`\n${error instanceof DevError ? error.message : (error as Error).stack}\n`)
  void stop(1)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0))
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)
start().catch(fail)
