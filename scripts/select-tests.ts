// Selects the test files that a change can affect, from folders, imports, and texts.
import path from 'node:path'

/** Text of each TypeScript file of the repository, by path. */
export type Sources = Readonly<Record<string, string>>
/** Test files selected for one part of the change. */
export type Choice = { subject: string; tests: string[] }

export const isTest = (file: string) => /^(src|packages\/[^/]+\/src|test)\/.*\.test\.ts$/.test(file)
const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
const isPage = (file: string) => file.endsWith('.md') || file.startsWith('docs/')

const DASHBOARD = 'packages/dashboard/src/'
const DOCS = 'test/docs.test.ts'
const STYLES = 'test/dashboard/styles.test.ts'
/** Calls every route as every kind of caller, which takes a minute. */
const ACCESS_MATRIX = 'test/actor-matrix.test.ts'
const SETS_ACCESS = /^src\/modules\/access\/|\/(operations|routes)\.ts$/
/** Too slow to run for a change in a module that they mention but don't belong to. */
const SLOW = /kills|races|\/move-/
/** Files that affect every test, although only a few read them. */
const SHARED = /^(package(-lock)?\.json|tsconfig\.json|(src|migrations)\/.*)$/
/** Folders tested only by test files that import or mention them. */
const TOOLS = /^(deploy|dev|examples|lab|packages|scripts|test|twins)\//
/** If more tests than this open a screen, those that open it only once are left out. */
const MAX_SCREEN_TESTS = 5

export function selectTests(changed: readonly string[], sources: Sources): Choice[] {
  const project = readProject(sources)
  const choices = new Map<string, Set<string>>()
  for (const file of changed) {
    const { subject, tests } = chooseTests(file, project)
    if (tests === project.tests) return [{ subject, tests }]
    const chosen = choices.get(subject) ?? new Set()
    choices.set(subject, chosen)
    const deleted = /\.tsx?$/.test(file) && !(file in sources) ? [DOCS] : [] // a page may link to it
    for (const test of [...tests, ...project.readersOf(file), ...deleted]) if (test in sources) chosen.add(test)
  }
  return [...choices].map(([subject, tests]) => ({ subject, tests: [...tests].sort() }))
}

/** Arguments that limit the docs tests to the changed pages, if no other test is selected. */
export function docsPatterns(changed: readonly string[], tests: readonly string[]): string[] {
  if (tests.join() !== DOCS || !changed.every(isPage)) return []
  return ['^what the pages say', ...changed.map((page) => `(^| )${escape(page)}:`)].map(
    (pattern) => `--test-name-pattern=${pattern}`,
  )
}

type Project = ReturnType<typeof readProject>

function chooseTests(file: string, project: Project): Choice {
  const [, module] = /^src\/modules\/([^/]+)\//.exec(file) ?? []
  const [, app] = /^(?:src\/apps|packages)\/([^/]+)\//.exec(file) ?? []
  if (isPage(file)) return { subject: 'docs', tests: [DOCS] }
  if (isTest(file)) return { subject: 'tests', tests: [file] }
  if (module) return { subject: module, tests: project.testsOfModule(module, file) }
  if (file.startsWith(DASHBOARD)) return project.testsOfScreen(file)
  const ofApp = app ? project.testsIn(`test/api/${app}/`) : []
  if (app === 'cli') ofApp.push(...project.testsReaching('test/support/cli.ts'))
  if (app && ofApp.length > 0) return { subject: app, tests: [...ofApp, ...project.testsReaching(file)] }
  // The SDK is built into the dashboard and the storefronts.
  if (app === 'sdk')
    return { subject: app, tests: [...project.testsReaching(file), ...project.testsIn('test/sdk/', 'test/browser/')] }
  const near = TOOLS.test(file) ? project.testsNear(file) : undefined
  if (near) return near
  if (!SHARED.test(file) && project.readersOf(file).length > 0) return { subject: file, tests: [] }
  return { subject: `${file} (affects everything)`, tests: project.tests }
}

function readProject(sources: Sources) {
  const files = Object.keys(sources)
  const tests = files.filter(isTest)
  const imports = new Map(files.map((file) => [file, importsOf(file, sources)]))
  const reached = new Map(tests.map((test) => [test, [...reach(test, imports)]]))
  const textOf = (file: string) => sources[file] ?? ''
  const filesOf = (test: string) => reached.get(test) ?? []
  const testsIn = (...folders: string[]) => tests.filter((test) => folders.some((folder) => test.startsWith(folder)))
  const testsReaching = (file: string) => tests.filter((test) => filesOf(test).includes(file))
  /** Whether a test or one of its helpers contains the words. */
  const mentions = (test: string, words: RegExp) =>
    filesOf(test).some(
      (file) => (file === test || !/^(src|packages|examples)\//.test(file)) && words.test(textOf(file)),
    )

  /** Tests that read a file instead of importing it: they contain its path, or a glob that matches it. */
  function readersOf(file: string): string[] {
    const name = new RegExp(`${escape(file)}(?![\\w-])`)
    const isRead = (test: string) => globsIn(textOf(test)).some((glob) => path.matchesGlob(file, glob))
    return tests.filter((test) => mentions(test, name) || isRead(test))
  }

  function testsOfModule(module: string, file: string): string[] {
    const words = moduleWords(module, sources)
    const users = testsIn('test/api/', 'test/dashboard/', 'test/sdk/').filter(
      (test) => !SLOW.test(test) && words.test(textOf(test)),
    )
    const units = testsReaching(file).filter((test) => !test.startsWith('test/'))
    const matrix = SETS_ACCESS.test(file) ? [ACCESS_MATRIX] : []
    return [...testsIn(`src/modules/${module}/`, `test/api/${module}/`), ...users, ...units, ...matrix]
  }

  const wholeDashboard = {
    subject: 'dashboard',
    tests: testsIn('test/browser/dashboard', 'test/dashboard/', DASHBOARD),
  }

  /** Browser tests of a screen, or of a part with a path of its own. Other folders are shared by all screens. */
  function testsOfScreen(file: string): Choice {
    const [, folder = '', rest = ''] = new RegExp(`^${DASHBOARD}([^/]+)/(.*)`).exec(file) ?? []
    const isShared = files.some(
      (each) =>
        each.startsWith(DASHBOARD) && !each.startsWith(`${DASHBOARD}${folder}/`) && imports.get(each)?.includes(file),
    )
    if (isShared && !rest.endsWith('routes.ts')) return wholeDashboard
    const screen = `${DASHBOARD}${folder}/routes.ts` in sources ? folder : 'settings' // its routes also load other folders
    const part = screen === folder ? (/^[\w-]+?(?=-page\.|\/|\.)/.exec(rest)?.[0] ?? '') : folder
    const routes = textOf(`${DASHBOARD}${screen}/routes.ts`)
    const signs = [...addressesIn(routes), new RegExp(`\\blook\\(.*'${screen}\\b`)]
    const isNamed = (test: string, ...names: string[]) =>
      names.some((name) => name && test.startsWith(`test/browser/dashboard-${name.replace(/s$/, '')}`))
    const visits = (test: string) =>
      textOf(test)
        .split('\n')
        .filter((line) => signs.some((sign) => sign.test(line))).length
    const opened = testsIn('test/browser/dashboard').filter((test) => visits(test) > 0 || isNamed(test, screen, part))
    const hasPath = routes.includes(`path: '${part}'`)
    const mentionsPart = (test: string) =>
      isNamed(test, part) || new RegExp(`(['\`]|settings)/${part}\\b`).test(textOf(test))
    const ofPart = hasPath ? opened.filter(mentionsPart) : []
    const isMain = (test: string) => visits(test) > 1 || isNamed(test, screen, part)
    const ofScreen = opened.length > MAX_SCREEN_TESTS ? opened.filter(isMain) : opened
    const browser = ofPart.length > 0 || screen !== folder ? ofPart : ofScreen
    if (browser.length === 0) return wholeDashboard
    return {
      subject: ['dashboard', screen, ...(ofPart.length > 0 ? [part] : [])].join('/'),
      tests: [...browser, ...testsIn(`${DASHBOARD}${folder}/`), ...testsReaching(file), STYLES],
    }
  }

  /** Tests that import or start a file or, if there are none, use something in the nearest folder above it. */
  function testsNear(file: string): Choice | undefined {
    const name = new RegExp(`['\`/]${escape(path.basename(file))}['\`]`)
    const direct = tests.filter(
      (test) => filesOf(test).includes(file) || (file.startsWith('test/') && mentions(test, name)),
    )
    if (direct.length > 0) return { subject: file, tests: direct }
    for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) {
      const prefix = `${folder}/`
      const word = new RegExp(`['"\`/]${escape(folder)}['"\`/]`)
      const found = tests.filter(
        (test) => filesOf(test).some((each) => each.startsWith(prefix)) || mentions(test, word),
      )
      if (found.length > 0) return { subject: folder, tests: found }
    }
    return undefined
  }

  return { tests, testsIn, testsReaching, testsNear, testsOfModule, testsOfScreen, readersOf }
}

/** Files that a test imports. Tests in `test` start the whole service, so its own imports say nothing about them. */
function reach(test: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set([test])
  for (const file of found)
    if (!test.startsWith('test/') || !file.startsWith('src/'))
      for (const each of imports.get(file) ?? []) found.add(each)
  return found
}

function importsOf(file: string, sources: Sources): string[] {
  const matches = (sources[file] ?? '').matchAll(/\b(?:(from|import)\s*\(?|dashboardSource\()\s*'([^'\n]+)'/g)
  return [...matches]
    .map(([, isImport, to = '']) => {
      if (!isImport) return `${DASHBOARD}${to}`
      if (to === '@kontor/sdk') return 'packages/sdk/src/index.ts'
      if (to.startsWith('#demo/')) return to.replace('#demo/', 'packages/demo/src/')
      return to.startsWith('#') ? `src/${to.slice(1)}` : path.posix.join(path.posix.dirname(file), to)
    })
    .filter((to) => to in sources)
}

/** Globs that start in a folder of the repository, such as `src/**`. */
const globsIn = (text: string): string[] =>
  [...text.matchAll(/globSync\(([^)]*)\)/g)].flatMap(([, args = '']) =>
    [...args.matchAll(/'(?:\.\.\/)*(\w[^']*\*[^']*)'/g)].map(([, glob = '']) => glob),
  )

/** Matches a test that uses a module: by an import, a helper, a table, or a segment of a URL. */
function moduleWords(module: string, sources: Sources): RegExp {
  const counts = new Map<string, Map<string, number>>()
  for (const [file, text] of Object.entries(sources)) {
    const [, owner] = /^src\/modules\/([^/]+)\/(?!.*\.test\.ts$)/.exec(file) ?? []
    if (!owner) continue
    const urls = [...text.matchAll(/\burl: ['`](\/[^'`\n]+)['`]/g)].map(([, url = '']) => url)
    for (const [, segment = ''] of urls.join(' ').matchAll(/\/([a-z][a-z-]+)(?![\w:])/g)) {
      const owners = counts.get(segment) ?? new Map<string, number>()
      counts.set(segment, owners.set(owner, (owners.get(owner) ?? 0) + 1))
    }
  }
  // A segment belongs to the module with the most operations.
  const urls = [...counts].flatMap(([segment, owners]) =>
    owners.get(module) === Math.max(...owners.values()) ? [`(?<!/v1)/${segment}\\b`] : [],
  )
  const tables = [`\\b(from|join|into|update|table) ${module}\\.`, `'${module}\\.[a-zA-Z]+[ '.]`]
  return new RegExp([`#modules/${module}/`, `/support/${module}\\b`, ...tables, ...urls].join('|'))
}

/** Matches the paths of a screen as tests write them: `'/orders'` or `/admin/${id}/orders`. */
function addressesIn(routes: string): RegExp[] {
  return [...routes.matchAll(/getParentRoute(?:: \(\) => (\w+))?,\s*path: '([^'$]*\w)/g)]
    .filter(([, parent]) => !parent || !routes.includes(`const ${parent} =`)) // parts of a screen
    .map(([, , address]) => new RegExp(`(['\`]|/admin(/[^/'\`]+)?)/${address}\\b`))
}
