import type { Command } from 'commander'
import type { Cli } from './cli-command.ts'

type Add = (program: Command, cli: Cli) => void

/** The commands by their first word, in the order of the help. Loaded when asked for: the modules behind them take a while. */
const COMMANDS: Record<string, () => Promise<Add>> = {
  init: async () => (await import('./cli-init.ts')).addInitCommand,
  doctor: async () => (await import('./cli-doctor.ts')).addDoctorCommand,
  migrate: async () => (await import('./cli-migrate.ts')).addMigrateCommand,
  demo: async () => (await import('./cli-demo.ts')).addDemoCommand,
  business: async () => (await import('./cli-business.ts')).addBusinessCommands,
  user: async () => (await import('./cli-users.ts')).addUserCommands,
  origins: async () => (await import('./cli-keys.ts')).addOriginCommands,
  keys: async () => (await import('./cli-keys.ts')).addKeyCommands,
  import: async () => (await import('./cli-transfer.ts')).addImportCommands,
  export: async () => (await import('./cli-transfer.ts')).addExportCommands,
  products: async () => (await import('./cli-products.ts')).addProductCommands,
  content: async () => (await import('./cli-content.ts')).addContentCommands,
  newsletter: async () => (await import('./cli-newsletter.ts')).addNewsletterCommands,
  outbound: async () => (await import('./cli-newsletter.ts')).addOutboundCommands,
  jobs: async () => (await import('./cli-jobs.ts')).addJobCommands,
  verify: async () => (await import('./cli-verify.ts')).addVerifyCommand,
}

/** Those that this word calls; of a word that calls none, all: for the help, and to tell what was meant. */
export async function loadCommands(word: string | undefined): Promise<Add[]> {
  const called = Object.entries(COMMANDS).filter(([name]) => name === word)
  const loaded = called.length > 0 ? called : Object.entries(COMMANDS)
  return Promise.all(loaded.map(([, load]) => load()))
}
