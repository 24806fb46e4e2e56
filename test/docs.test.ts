import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Command } from 'commander'
import { freePort } from '../dev/ports.ts'
import { createProgram } from '../src/apps/cli/program.ts'
import { type StripeTwin, startStripeTwin } from '../twins/stripe/server.ts'
import { type Child, startChild } from './support/child.ts'
import { startMailServer } from './support/mail-server.ts'
import { createMake } from './support/make.ts'
import { brokenLinks, type Fence, inlineCode, type Page, ROOT, readPages } from './support/markdown.ts'
import { PACKED_FLAGS } from './support/packed.ts'
import { createTestDatabases, startApi, type TestApi, type TestDatabases } from './support/start-api.ts'

/** Blocks with these marks are not run: they need Docker, the internet, or would change the machine. */
const NOT_RUN = ['docker', 'internet', 'example']
const PAGE_MS = 150_000

const program = await createProgram()
const scripts = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).scripts as Record<string, string>
const pages = readPages()
/** How to set up and work on the project is what CI does; the rest is for users. */
const forUsers = pages.filter(({ file }) => file !== 'CONTRIBUTING.md')
const blocksOf = (page: Page, ...languages: string[]) => page.fences.filter((each) => languages.includes(each.language))
const toRun = (page: Page) => blocksOf(page, 'sh', 'bash', 'shell').filter(({ mark }) => mark === '')

describe('what the pages say', () => {
  for (const page of pages) {
    test(`${page.file}: its links lead somewhere`, () => assert.deepEqual(brokenLinks(page), []))
    test(`${page.file}: the commands and files that it names are there`, () => {
      const unknown = inlineCode(page).filter((code) => isUnknown(code, path.dirname(page.file)))
      assert.deepEqual(unknown, [])
    })
  }

  test('a block is run, or says why not', (t) => {
    const shell = forUsers.flatMap((page) => blocksOf(page, 'sh', 'bash', 'shell').map(({ mark }) => mark || 'run'))
    assert.deepEqual(
      shell.filter((mark) => mark !== 'run' && !NOT_RUN.includes(mark)),
      [],
    )
    const counts = Object.entries(Object.groupBy(shell, (mark) => mark)).map(([mark, all]) => `${mark} ${all?.length}`)
    t.diagnostic(`blocks of shell: ${counts.join(', ')}`)
  })
})

describe('what the pages have people do', { concurrency: 2 }, () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  for (const page of forUsers.filter((each) => toRun(each).length > 0))
    test(`${page.file}: its commands work, one after another`, () => runShell(service, toRun(page)))

  for (const page of forUsers.filter((each) => isProgram(blocksOf(each, 'ts'))))
    test(`${page.file}: its program compiles and runs`, () => runProgram(service, blocksOf(page, 'ts')))
})

/** Pieces of code with things left out are to be read, not run. */
function isProgram(blocks: Fence[]): boolean {
  const code = blocks.map((block) => block.code).join('')
  return code.includes("from '@kontor/sdk'") && !code.includes('…')
}

type Service = Awaited<ReturnType<typeof startService>>

/** What `npm run dev` gives: API, worker, stand-ins, a shop with something to buy, and a folder with its settings. */
async function startService() {
  const databases: TestDatabases = await createTestDatabases()
  const twin: StripeTwin = await startStripeTwin({ secretKey: 'sk_test_twin', webhookSecret: 'whsec_twin' })
  const mailServer = await startMailServer()
  const port = await freePort(3_400)
  const publicUrl = `http://127.0.0.1:${port}`
  const media = await mkdtemp(path.join(tmpdir(), 'kontor-docs-media-'))
  const env = {
    ...databases.env,
    ...mailServer.env,
    PUBLIC_URL: publicUrl, // uploads go there
    MEDIA_STORAGE: `folder:${media}`,
    STRIPE_SECRET_KEY: 'sk_test_twin',
    STRIPE_WEBHOOK_SECRET: 'whsec_twin',
    STRIPE_API_URL: twin.url,
    STRIPE_SHARED_ACCOUNT: 'true',
    BOUNCE_WEBHOOK_SECRET: 'a secret of the mail server',
  }
  const [api, worker] = await Promise.all([startApi({ databases, env, port, publicUrl }), startChild('worker', env)])
  twin.setWebhookUrl(`${api.url}/v1/payments/webhooks/stripe`)
  const settings = { NODE_ENV: 'test', RATE_LIMITS: 'off', ...env, ...(await openShop(api)), KONTOR_URL: api.url }

  // The checkout as a newcomer has it, but what is written there is gone afterwards.
  const folder = await mkdtemp(path.join(tmpdir(), 'kontor-docs-'))
  const kept = readdirSync(ROOT).filter((name) => !['.git', '.kontor', '.env'].includes(name))
  await Promise.all(kept.map((name) => symlink(path.join(ROOT, name), path.join(folder, name))))
  await mkdir(path.join(folder, '.kontor'))
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`)
  await writeFile(path.join(folder, '.kontor/dev.env'), lines.join(''))
  return {
    folder,
    settings,
    close: () => stopService({ api, worker, twin, mailServer, databases, folders: [folder, media] }),
  }
}

async function stopService(parts: {
  api: TestApi
  worker: Child
  twin: StripeTwin
  mailServer: { close(): Promise<void> }
  databases: TestDatabases
  folders: string[]
}) {
  parts.worker.process.kill('SIGTERM')
  await parts.worker.exited
  await parts.api.close()
  await Promise.all([parts.twin.close(), parts.mailServer.close()])
  await Promise.all(parts.folders.map((folder) => rm(folder, { recursive: true })))
  await parts.databases.drop()
}

/** A business with two markets, something to buy and something to read, and a key of its ADMIN. */
async function openShop(api: TestApi) {
  const make = createMake(api)
  const { id, path: shop, admin } = await make.business({ name: 'Harbour Goods' })
  const market = { taxBps: 800, taxShipping: false, paymentMethods: [] }
  const shippingMethods = [{ id: 'standard', name: 'Standard', price: 500 }]
  const made = await Promise.all([
    admin.put(shop, {
      storefront: { isPublic: true },
      markets: [
        { ...market, id: 'us', name: 'United States', currency: 'USD', shippingMethods },
        { ...market, id: 'eu', name: 'Europe', currency: 'EUR', shippingMethods },
      ],
    }),
    admin.post(`${shop}/collections`, {
      name: 'Journal',
      statuses: [{ status: 'PUBLISHED' }],
      blocks: [{ id: 'title', type: 'TEXT' }],
    }),
  ])
  made.push(
    await admin.post(`${shop}/products`, {
      name: 'Storm lantern',
      statuses: [{ status: 'ACTIVE' }],
      variants: [{ id: 'one', pricing: { markets: [{ marketId: 'us', price: 4_900 }] }, inventory: { quantity: 9 } }],
    }),
    await admin.post(`${shop}/entries`, {
      collectionId: made[1]?.body.id,
      statuses: [{ status: 'PUBLISHED' }],
      blocks: [{ id: 'title', type: 'TEXT', value: 'How lanterns are made' }],
    }),
  )
  for (const { status, text } of made) assert.ok(status < 300, text)
  return { KONTOR_BUSINESS_ID: id, KONTOR_API_KEY: (await make.apiKey(admin.id)).value }
}

/** In one shell, as somebody would paste them. A status of 400 or more counts as a failure, whatever the page shows. */
async function runShell({ folder, settings }: Service, blocks: Fence[]): Promise<void> {
  const script = `
    set -euo pipefail
    curl() { command curl --fail-with-body --max-time 20 "$@"; }
    trap 'echo "FAILED: $BASH_COMMAND" >&2' ERR
    ${blocks.map(({ code }) => `cd '${folder}'\n${code}`).join('\n')}`
  await run('bash', ['-c', script], folder, { ...settings, NODE_OPTIONS: PACKED_FLAGS.join(' ') })
}

async function runProgram({ folder, settings }: Service, blocks: Fence[]): Promise<void> {
  const own = await mkdtemp(path.join(folder, 'program-'))
  await writeFile(path.join(own, 'shop.ts'), blocks.map(({ code }) => code).join('\n'))
  await writeFile(path.join(own, 'package.json'), '{ "type": "module" }')
  const compilerOptions = {
    customConditions: ['source'],
    typeRoots: [`${ROOT}/node_modules/@types`],
    lib: ['es2024', 'dom', 'dom.iterable'],
  }
  const tsconfig = { extends: `${ROOT}/tsconfig.json`, compilerOptions, files: ['shop.ts'], include: [] }
  await writeFile(path.join(own, 'tsconfig.json'), JSON.stringify(tsconfig))
  await run(`${ROOT}/node_modules/.bin/tsc`, ['--noEmit', '-p', own], folder, settings)
  await run(process.execPath, ['--conditions=source', path.join(own, 'shop.ts')], folder, settings)
}

function run(command: string, args: string[], cwd: string, settings: Record<string, string>): Promise<void> {
  const { HOME = '', PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const bins = `${ROOT}/node_modules/.bin:${path.dirname(process.execPath)}`
  const env = { HOME, PATH: `${bins}:${PATH}`, NODE_COMPILE_CACHE, ...settings }
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env, timeout: PAGE_MS, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (!error) return resolve()
      reject(new Error(`${error.killed ? 'It took too long.' : ''}\n${stdout.slice(-3_000)}\n${stderr.slice(-3_000)}`))
    })
  })
}

/** Is this a command that there is not, or a file that there is not? */
function isUnknown(code: string, folder: string): boolean {
  const [, script, rest = ''] = /^npm run ([\w:]+)(?: -- (.*))?$/.exec(code) ?? []
  if (script === 'bench' || script === 'proof')
    return !['', '<name>'].includes(rest) && !existsSync(partOf(script, rest))
  if (script === 'cli') return !isCommand(program, rest.split(' '))
  if (script) return !scripts[script]
  if (
    /^(src|test|scripts|docs|lab|dev|bin|twins|migrations|packages|examples)\/[\w./*-]+$/.test(code) &&
    !code.includes('NNNN')
  )
    return ![ROOT, path.join(ROOT, folder)].some((cwd) => globSync(code, { cwd }).length > 0)
  // A page beside the code names the files around it.
  if (folder.startsWith('src/') && /^[\w./-]+\.(ts|sql|liquid)$/.test(code))
    return globSync(`**/${code}`, { cwd: path.join(ROOT, folder) }).length === 0
  return false
}

const partOf = (kind: string, rest: string) => path.join(ROOT, 'lab', kind, `${rest.split(' ')[0]}.${kind}.ts`)

/** Its words are those of a command, and its options are that command's. */
function isCommand(top: Command, words: string[]): boolean {
  let command = top
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word)
    if (!next) break
    command = next
  }
  const isWhole = command.commands.length === 0 || words.every((word) => word.startsWith('-'))
  const known = ['--help', '--version', ...command.options.map(({ long }) => long)]
  const options = words.map((word) => word.replaceAll(/[[\]]/g, '')).filter((word) => word.startsWith('--'))
  return isWhole && options.every((option) => known.includes(option))
}
