#!/usr/bin/env node
// Plain JavaScript on purpose: it has to run on any Node version, to say which one is needed.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 11)) {
  console.error(
    `Kontor needs Node 24.11 or newer; this is Node ${process.versions.node}.\n` +
      'Either start it through npm (`npm ci`, then `npm start`): the right Node comes with the packages.\n' +
      'Or install Node 24 and run the same command again.',
  )
  process.exit(1)
}

const apps = { api: '../src/apps/api.ts', worker: '../src/apps/worker.ts', cli: '../src/apps/cli.ts' }
const [, , app, ...rest] = process.argv
if (!Object.hasOwn(apps, app ?? '')) {
  console.error('Usage: kontor <api | worker | cli> …')
  process.exit(2)
}
// Caches compiled code: it saves a third of a command's start time.
const { enableCompileCache } = await import('node:module')
enableCompileCache()
const needsNone =
  ['init', 'help', undefined].includes(rest[0]) || rest.some((word) => /^(-h|--help|-V|--version)$/.test(word))
if (app === 'cli' && !needsNone && !process.env.DATABASE_URL && process.env.NODE_ENV !== 'production')
  await useDevelopment()
process.env.NODE_ENV ??= 'production'
process.argv.splice(2, process.argv.length, ...rest)
await import(apps[app])

/** Without a configured database, commands use that of `npm run dev`. The environment takes precedence. */
async function useDevelopment() {
  const { existsSync } = await import('node:fs')
  const { join, relative } = await import('node:path')
  const folder = process.env.KONTOR_DEV_DIR ?? join(import.meta.dirname, '../.kontor')
  const file = join(folder, 'dev.env')
  if (!existsSync(file)) return
  process.loadEnvFile(file)
  if (process.env.DATABASE_URL) console.error(`Using the database of npm run dev (${relative('', file)}).`)
}
