import { styleText } from 'node:util'
import type { Command } from 'commander'
import { examine } from '../doctor/doctor.ts'
import type { Check } from '../doctor/look.ts'
import { addCommand, type Cli, type Json } from './command.ts'
import { cut, printJson, widthOf } from './output.ts'

export function addDoctorCommand(program: Command, _cli: Cli): void {
  addCommand(program, 'doctor', {
    says:
      'Check everything that the service needs: settings, databases, keys, workers, providers, media. ' +
      'Changes nothing (a file is stored and deleted again); takes ten seconds at most. Exit code 1 when something failed.',
    examples: ['doctor', 'doctor --json'],
  }).action(async ({ json = false }: Json) => {
    const checks = await examine(process.env)
    const isWell = checks.every(({ status }) => status !== 'failed')
    if (json) printJson({ ok: isWell, checks })
    else printChecks(checks)
    if (!isWell) process.exitCode = 1
  })
}

const STYLES = { ok: 'green', warning: 'yellow', failed: 'red', off: 'dim' } as const

function printChecks(checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ check }) => widthOf(check)))
  const room = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
  const paint = (style: 'green' | 'yellow' | 'red' | 'dim', text: string) =>
    styleText(style, text, { stream: process.stdout })
  for (const { check, status, says, fix } of checks) {
    const head = `${status.padEnd(7)}  ${check.padEnd(width)}  `
    // Problems are printed in full; other lines are cut to the width of the terminal.
    const text = fix ? says : cut(says, room - head.length)
    console.log(paint(STYLES[status], status.padEnd(7)) + head.slice(7) + text)
    if (fix) console.log(`${' '.repeat(9)}${paint('dim', '→')} ${fix}`)
  }
  const count = (status: Check['status']) => checks.filter((check) => check.status === status).length
  console.log(`\n${count('ok')} ok, ${count('warning')} warnings, ${count('failed')} failed, ${count('off')} off`)
}
