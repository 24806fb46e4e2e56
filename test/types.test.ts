import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { makeProject } from './support/extension-project.ts'

const ROOT = path.join(import.meta.dirname, '..')

test('an extension type-checks in a project beside Kontor, and the compiler knows its routes, jobs and events', async () => {
  const project = makeProject()
  try {
    project.write('source.ts', await readFile(path.join(import.meta.dirname, 'types/extension.ts'), 'utf8'))
    const settings = {
      extends: 'kontor/tsconfig.json',
      compilerOptions: { typeRoots: ['node_modules/kontor/node_modules/@types'] },
      include: ['source.ts'],
    }
    project.write('tsconfig.json', JSON.stringify(settings))
    const output = await new Promise<string>((resolve) => {
      const options = ['--noEmit', '--pretty', 'false', '-p', project.folder]
      execFile(`${ROOT}/node_modules/.bin/tsc`, options, (_error, stdout, stderr) => resolve(stdout + stderr))
    })
    assert.equal(output.slice(0, 2_000), '')
  } finally {
    project.remove()
  }
})
