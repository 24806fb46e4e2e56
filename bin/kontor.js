#!/usr/bin/env node
// Plain JavaScript on purpose: it has to run on any Node, to be able to say which one is needed.
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
// What was compiled once is not compiled at every start: a third of the time that a command takes to begin.
const { enableCompileCache } = await import('node:module')
enableCompileCache()
process.env.NODE_ENV ??= 'production'
process.argv.splice(2, process.argv.length, ...rest)
await import(apps[app])
