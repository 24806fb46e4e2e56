import type { Command } from 'commander'
import { endAllSessions } from '#modules/accounts/index.ts'
import { makeSure } from './ask.ts'
import { addCommand, type Cli, type Json } from './command.ts'
import { printResult } from './output.ts'

export function addSessionCommands(program: Command, { withDatabases }: Cli): void {
  const sessions = program.command('sessions').description('Logins of people and guests.')
  addCommand(sessions, 'end', {
    says: 'End all sessions: everybody has to log in again, and guests lose what only their session knew. API keys stay.',
    examples: ['sessions end --all'],
  })
    .requiredOption('--all', 'those of everybody; for one person: user suspend')
    .option('--yes', 'do not ask')
    .action(async ({ yes = false, json = false }: Json & { yes?: boolean }) => {
      await makeSure(yes, 'Everybody has to log in again, guests too.')
      return withDatabases(async ({ control }) => {
        const ended = await endAllSessions(control)
        printResult(json, { ended }, `${ended} sessions ended`)
      })
    })
}
