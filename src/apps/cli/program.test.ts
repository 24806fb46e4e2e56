import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { UsageError } from './command.ts'
import { createProgram } from './program.ts'

function* leavesOf(command: Command, path: string[] = []): Generator<{ name: string; command: Command }> {
  for (const child of command.commands) {
    if (child.commands.length > 0) yield* leavesOf(child, [...path, child.name()])
    else yield { name: [...path, child.name()].join(' '), command: child }
  }
}

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => void (text += part) })
  command.outputHelp()
  return text
}

const program = await createProgram()
const leaves = [...leavesOf(program)]

test('there are the commands that the documentation names', () => {
  const names = leaves.map(({ name }) => name)
  for (const name of [
    'init',
    'doctor',
    'migrate',
    'demo',
    'business create',
    'business list',
    'business suspend',
    'business payments',
    'user create',
    'user grant',
    'user suspend',
    'origins approve',
    'keys create',
    'keys list',
    'keys revoke',
    'keys rotate',
    'sessions end',
    'import products',
    'import subscribers',
    'export products',
    'export subscribers',
    'verify',
    'newsletter watch',
    'outbound status',
    'outbound enable',
    'jobs list',
    'jobs retry',
    'products rebuild',
    'content rebuild',
  ])
    assert.ok(names.includes(name), name)
})

test('every command takes --json and says what it does, with an example that begins with its own name', () => {
  for (const { name, command } of leaves) {
    assert.ok(
      command.options.some(({ long }) => long === '--json'),
      name,
    )
    assert.match(command.description(), /\.$/, name)
    assert.match(helpOf(command), new RegExp(`Examples?:\n  npm run cli -- ${name}\\b`), name)
  }
})

test('the help tells of exit codes', () => {
  assert.match(helpOf(program), /Exit codes: 0 done, 1 .*, 2 /)
})

test('what cannot mean anything is refused before a database is asked', async () => {
  for (const [args, says] of [
    [['demo', '--slug', 'Harbour Goods'], /is not a slug/],
    [['user', 'create', '--email', 'nobody'], /is not an address/],
    [['origins', 'approve', 'https://shop.example.com/path?query'], /is not an origin/],
  ] as const)
    await assert.rejects(program.parseAsync(args, { from: 'user' }), (error) => {
      assert.ok(error instanceof UsageError)
      assert.match(error.message, says)
      return true
    })
})
