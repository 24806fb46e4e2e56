import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const FOLDER = '.results/tests'
// These must be themselves: natives, what tracing hooks into, what has threads or files of its own, and tools.
const KEPT =
  /^(pg|pino|pino-pretty|graphile-worker|playwright-core|typescript|vite|rolldown|oidc-provider|smtp-server|@kontor\/.*|@opentelemetry\/.*|@node-rs\/.*|@hey-api\/.*|@scalar\/fastify-api-reference|sharp)(\/|$)/
const OURS = /^[./#\0]/

// What tests start as processes of their own, and what they load into them.
const CHILDREN = [
  'src/apps/{api,worker,cli}.ts',
  'test/support/{child-preload,kill-at-fault,accounts-worker,worker-fixture}.ts',
]

const MEASURE = 'test/support/record-times.ts'
const WORLD = 'test/support/world.ts'

const nameOf = (file: string) => file.replaceAll('/', '~').replace(/\.ts$/, '')
const placeOf = (name: string) => path.resolve(FOLDER, `${name}.mjs`)

// Files of one kind run one after another in one process: starting it costs more than many of them take. Not those that wait long
// or hold the clock of the whole process.
const GROUPED = /^(test\/api|src)\//
const ALONE = /kills|races|tidy\.test|over-days/
const GROUP_SIZE = 10
// More where files share a world: each process starts its own.
const SHARED_GROUP_SIZE = 20

type PackOptions = {
  sourcemap: boolean
  /** How many processes run at a time, so that a few files use all of them. */
  processes: number
}

type Packed = {
  tests: string[]
  /** To be loaded into children first: they then run what is packed, too. */
  redirect: string
}

/**
 * Each test file is a process, and so is all that it starts; loading two thousand modules was a third of their time. So they are
 * packed, with what they share in common files. What asks where it is (for migrations, threads, children) is told its real place.
 */
export async function packTests(files: readonly string[], { sourcemap, processes }: PackOptions): Promise<Packed> {
  const children = globSync(CHILDREN)
  // Node runs files in the order of their names, and these are in the order in which they are to run.
  const tests = files.map((file, index) => ({ file, name: `${String(index).padStart(3, '0')}~${nameOf(file)}` }))
  const entries = [...tests, ...[...children, WORLD].map((file) => ({ file, name: nameOf(file) }))]
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map(({ file, name }) => [name, `./${file}`])),
    platform: 'node',
    checks: { eval: false },
    external: (id) => !OURS.test(id) && (KEPT.test(id) || isBuiltin(id)),
    plugins: [{ name: 'real places', transform: (code, id) => tellPlace(code, id) }],
  })
  await bundle.write({
    dir: FOLDER,
    format: 'esm',
    cleanDir: true,
    entryFileNames: '[name].mjs',
    minify: false,
    sourcemap,
  })
  await bundle.close()
  const urls = Object.fromEntries(children.map((file) => [urlOf(path.resolve(file)), urlOf(placeOf(nameOf(file)))]))
  const redirect = path.resolve(FOLDER, 'redirect.mjs')
  writeFileSync(
    redirect,
    `import { registerHooks } from 'node:module'
const urls = ${JSON.stringify(urls)}
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    return urls[found.url] ? { url: urls[found.url], format: 'module', shortCircuit: true } : found
  },
})
`,
  )
  return { tests: groupsOf(tests, processes).map((group) => path.relative('', group)), redirect }
}

type Test = { file: string; name: string }

/** What Node is to run: a file by itself, or a file that loads several. */
function groupsOf(tests: readonly Test[], processes: number): string[] {
  const grouped = tests.filter(({ file }) => GROUPED.test(file) && !ALONE.test(file))
  // It would be held for the whole group while that is loaded, and let go when the first of them is done.
  const held = grouped.filter(({ file }) => /^const \w+ = holdClock\(/m.test(readFileSync(file, 'utf8')))
  if (held.length > 0) throw new Error(`useHeldClock() it is in ${held.map(({ file }) => file).join(', ')}`)
  const alone = tests.filter((test) => !grouped.includes(test))
  const worlds = Map.groupBy(grouped, worldOf)
  const others = worlds.get(undefined) ?? []
  worlds.delete(undefined)
  const sharing = [...worlds].sort(([a = ''], [b = '']) => (a < b ? -1 : 1)).map(([, files]) => files)
  const size = Math.min(SHARED_GROUP_SIZE, Math.ceil(grouped.length / processes) || 1)
  const large = sharing.filter((files) => files.length > size / 2)
  const small = sharing.filter((files) => !large.includes(files)).flat()
  const groups = [
    ...large.flatMap((files) => deal(files, size)),
    ...Array.from({ length: Math.ceil(small.length / size) }, (_, index) =>
      small.slice(index * size, (index + 1) * size),
    ),
    ...deal(others, Math.min(GROUP_SIZE, size)),
  ]
  return [...alone.map(({ name }) => placeOf(name)), ...groups.map(writeGroup)]
}

/** The options of the world that a file shares with others. */
function worldOf({ file }: Test): string | undefined {
  const options = /^const \w+ = useWorld\(([^)]*)/m.exec(readFileSync(file, 'utf8'))?.[1]
  return options !== undefined && /\b(own: true|lines|routes)\b/.test(options) ? undefined : options
}

/** Groups of about that size. Dealt like cards, so that the long files of a folder do not come together. */
function deal(tests: readonly Test[], size: number): Test[][] {
  const count = Math.ceil(tests.length / size)
  return Array.from({ length: count }, (_, index) => tests.filter((_test, place) => place % count === index))
}

/** A suite for each file: its hooks are its own, as they would be in a process of its own. */
function writeGroup(group: readonly Test[], index: number): string {
  const place = placeOf(`group-${String(index).padStart(2, '0')}`)
  const suites = group.map(
    ({ file, name }) => `describe(${JSON.stringify(file)}, () => {
  let done
  before(() => { done = measureFile(${JSON.stringify(file)}) })
  after(() => done())
  return import('./${name}.mjs')
})`,
  )
  const sharing = group.some((test) => worldOf(test) !== undefined)
  const lines = [
    `import { after, before, describe } from 'node:test'`,
    `import { measureFile } from '${urlOf(path.resolve(MEASURE))}'`,
    ...(sharing ? [`import { shareWorlds } from './${nameOf(WORLD)}.mjs'`, 'shareWorlds()'] : []),
    ...suites,
  ]
  writeFileSync(place, `${lines.join('\n')}\n`)
  return place
}

const urlOf = (file: string) => pathToFileURL(file).href

function tellPlace(code: string, id: string): string | undefined {
  if (id.startsWith('\0') || !/\b(import\.meta\.|__dirname|__filename)/.test(code)) return undefined
  const places: Record<string, string> = {
    url: JSON.stringify(urlOf(id)),
    dirname: JSON.stringify(path.dirname(id)),
    filename: JSON.stringify(id),
    main: `(process.argv[1] === ${JSON.stringify(id)})`,
  }
  return code.replace(/\bimport\.meta\.(url|dirname|filename|main)\b|\b__(dirname|filename)\b/g, (_, modern, old) => {
    return places[modern ?? old] as string
  })
}
