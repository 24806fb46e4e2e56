import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DevError, ROOT } from './folder.ts'

const FOLDER = path.join(ROOT, 'packages/dashboard')
const DIST = path.join(FOLDER, 'dist')
/** Says of which content the build is. Another build empties the folder, and this file with it. */
const MARK = path.join(DIST, '.built-from')
const SOURCES = [
  'packages/dashboard/**/*',
  'packages/sdk/src/**/*',
  'src/platform/transfer/csv-cells.ts',
  'package-lock.json',
]
const BUILD_MS = 300_000

/** A build takes seconds, so it is made once for each content of the sources. */
export async function ensureDashboard(): Promise<void> {
  const content = contentOf(SOURCES)
  if (isBuiltFrom(content)) return
  await build()
  writeFileSync(MARK, content)
}

const isBuiltFrom = (content: string) =>
  existsSync(path.join(DIST, 'index.html')) && existsSync(MARK) && readFileSync(MARK, 'utf8') === content

function contentOf(patterns: readonly string[]): string {
  const hash = createHash('sha256')
  const exclude = ['packages/dashboard/dist/**', 'packages/dashboard/node_modules/**', '**/*.test.ts', '**/*.md']
  const files = globSync(patterns, { cwd: ROOT, withFileTypes: true, exclude }).filter((entry) => entry.isFile())
  const names = files.map((entry) => path.join(entry.parentPath, entry.name)).toSorted()
  for (const name of names) hash.update(`${path.relative(ROOT, name)}\n`).update(readFileSync(name))
  return hash.digest('hex')
}

function build(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(ROOT, 'node_modules/vite/bin/vite.js'), 'build'], {
      cwd: FOLDER,
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: BUILD_MS,
    })
    process.once('exit', () => child.kill())
    let problems = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      problems = (problems + chunk).slice(-3_000)
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new DevError(`vite build failed:\n${problems.trim()}`))
    })
  })
}

/** Opens the dashboard, signed in. What follows `#` is never sent; only a page served for development reads it. */
export const signInUrl = (url: string, { email, password }: { email: string; password: string }): string =>
  `${url}/admin/#dev=${email}:${encodeURIComponent(password)}`
