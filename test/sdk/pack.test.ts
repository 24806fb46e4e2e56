import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { build } from 'vite'
import { openShop } from '../support/shop.ts'
import { useWorld } from '../support/world.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const used = useWorld()
/** Nothing of this may need the internet. */
const offline = { ...process.env, npm_config_offline: 'true', npm_config_audit: 'false', npm_config_loglevel: 'error' }

let folder: string
let project: string
let packed: string[]
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kontor-pack-'))
  const { file, names } = await pack(path.join(folder, 'checkout'))
  packed = names
  project = path.join(folder, 'shop')
  await mkdir(path.join(project, 'src'), { recursive: true })
  await writeFile(path.join(project, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }))
  await run('npm', ['install', file], { cwd: project, env: offline })
})
after(() => rm(folder, { recursive: true }))

/** From a checkout as git has it: nothing was built before. */
async function pack(checkout: string) {
  const isSource = (name: string) => !['dist', 'node_modules'].includes(path.basename(name))
  await cp(path.join(ROOT, 'packages/sdk'), path.join(checkout, 'packages/sdk'), { recursive: true, filter: isSource })
  await cp(path.join(ROOT, 'tsconfig.json'), path.join(checkout, 'tsconfig.json'))
  await symlink(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'))
  const { stdout } = await run('npm', ['pack', '--json'], { cwd: path.join(checkout, 'packages/sdk'), env: offline })
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }]
  return { file: path.join(checkout, 'packages/sdk', filename), names: files.map((each) => each.path) }
}

/** What somebody writes who has never seen this repository. */
const PAGE = `
import { createKontor, KontorError, type Product } from '@kontor/sdk'

const kontor = createKontor({ ...SETTINGS, market: 'us', locale: 'en' })
const nameOf = ({ name, variants: [variant] }: Product): string => {
  const price = variant && kontor.priceOf(variant)
  return price ? name + ' ' + kontor.formatPrice(price.price, price.currency) : name
}
for await (const product of kontor.products.list()) console.log(nameOf(product))
try {
  await kontor.products.get('prod_none')
} catch (error) {
  console.log(error instanceof KontorError && error.code)
}
`

test('the package holds what is built, its types and the licence', async () => {
  for (const name of ['dist/index.js', 'dist/index.d.ts', 'README.md', 'LICENSE'])
    assert.ok(packed.includes(name), name)
  const installed = path.join(project, 'node_modules/@kontor/sdk')
  assert.equal(
    await readFile(path.join(installed, 'LICENSE'), 'utf8'),
    await readFile(path.join(ROOT, 'LICENSE'), 'utf8'),
  )
  assert.deepEqual(
    packed.filter((name) => /test|tsconfig|node_modules/.test(name)),
    [],
  )
})

for (const [module, moduleResolution] of [
  ['esnext', 'bundler'],
  ['nodenext', 'nodenext'],
])
  test(`a project of its own compiles against the package, with moduleResolution ${moduleResolution}`, async () => {
    const settings = 'declare const SETTINGS: { baseUrl: string; businessId: string }\n'
    await writeFile(path.join(project, 'src/settings.d.ts'), settings)
    await writeFile(path.join(project, 'src/main.ts'), PAGE)
    const lib = ['es2022', 'dom', 'dom.iterable']
    const compilerOptions = { strict: true, target: 'es2022', module, moduleResolution, lib, types: [], noEmit: true }
    const file = path.join(project, `tsconfig.${moduleResolution}.json`)
    await writeFile(file, JSON.stringify({ compilerOptions, include: ['src'] }))
    const compiled = await run(process.execPath, [path.join(ROOT, 'node_modules/.bin/tsc'), '-p', file]).catch(
      (error: { stdout: string }) => error,
    )
    assert.equal(compiled.stdout, '')
  })

test('Vite builds that project, and what it builds talks to the service', async () => {
  const shop = await openShop(used.make)
  await shop.priced(1_999)
  await writeFile(path.join(project, 'src/main.ts'), PAGE)
  await writeFile(path.join(project, 'index.html'), '<script type="module" src="/src/main.ts"></script>')
  await build({
    root: project,
    configFile: false,
    logLevel: 'error',
    define: { SETTINGS: JSON.stringify({ baseUrl: used.api.url, businessId: shop.id }) },
    build: { modulePreload: false, target: 'es2022' },
  })
  const assets = path.join(project, 'dist/assets')
  const [bundle = ''] = await readdir(assets)
  const { stdout } = await run(process.execPath, [path.join(assets, bundle)])
  assert.match(stdout, /^.+ \$19\.99\nNOT_FOUND\n$/)
})
