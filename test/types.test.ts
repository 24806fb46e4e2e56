import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { makeProject } from './support/extension-project.ts'

const ROOT = path.join(import.meta.dirname, '..')

/** The lines of a source file about which the compiler complains. */
async function linesInError(source: string): Promise<number[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kontor-types-'))
  try {
    const settings = {
      extends: `${ROOT}/tsconfig.json`,
      compilerOptions: { paths: { '#*': [`${ROOT}/src/*`] }, typeRoots: [`${ROOT}/node_modules/@types`] },
      files: ['source.ts'],
      include: [],
    }
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(settings))
    await writeFile(path.join(folder, 'source.ts'), source)
    const options = ['--noEmit', '--pretty', 'false', '-p', folder]
    const output = await new Promise<string>((resolve) => {
      execFile(`${ROOT}/node_modules/.bin/tsc`, options, (_error, stdout, stderr) => resolve(stdout + stderr))
    })
    const errors = output.split('\n').filter((line) => /^\S/.test(line)) // what is indented explains the line above
    return errors.map((error) => {
      const [, line] = /source\.ts\((\d+),\d+\): error TS/.exec(error) ?? assert.fail(output)
      return Number(line)
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('the compiler refuses to mix databases, and to take a pool for a transaction', async () => {
  const source = await readFile(path.join(import.meta.dirname, 'types/databases.ts'), 'utf8')
  const expectation = /^\s*\/\/ @ts-expect-error /
  const lines = source.split('\n')
  const mistakes = lines.flatMap((line, index) => (expectation.test(line) ? [index + 2] : [])) // the line below it
  assert.ok(mistakes.length > 10)

  const unguarded = lines.map((line) => (expectation.test(line) ? '' : line)).join('\n')
  assert.deepEqual([...new Set(await linesInError(unguarded))], mistakes)
})

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
