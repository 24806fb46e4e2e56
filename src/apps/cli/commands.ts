import type { Command } from 'commander'
import type { Cli } from './command.ts'

type Add = (program: Command, cli: Cli) => void

/** The commands by their first word, in the order of the help. Loaded lazily: their modules take a while. */
const COMMANDS: Record<string, () => Promise<Add>> = {
  init: async () => (await import('./init.ts')).addInitCommand,
  doctor: async () => (await import('./doctor.ts')).addDoctorCommand,
  migrate: async () => (await import('./migrate.ts')).addMigrateCommand,
  demo: async () => (await import('./demo.ts')).addDemoCommand,
  cells: async () => (await import('./cells.ts')).addCellCommands,
  business: async () => (await import('./business.ts')).addBusinessCommands,
  user: async () => (await import('./users.ts')).addUserCommands,
  origins: async () => (await import('./keys.ts')).addOriginCommands,
  keys: async () => (await import('./keys.ts')).addKeyCommands,
  sessions: async () => (await import('./sessions.ts')).addSessionCommands,
  import: async () => (await import('./transfer.ts')).addImportCommands,
  export: async () => (await import('./transfer.ts')).addExportCommands,
  products: async () => (await import('./products.ts')).addProductCommands,
  content: async () => (await import('./content.ts')).addContentCommands,
  newsletter: async () => (await import('./newsletter.ts')).addNewsletterCommands,
  outbound: async () => (await import('./newsletter.ts')).addOutboundCommands,
  webhooks: async () => (await import('./webhooks.ts')).addWebhookCommands,
  listen: async () => (await import('./listen.ts')).addListenCommand,
  mcp: async () => (await import('./mcp.ts')).addMcpCommand,
  reports: async () => (await import('./reports.ts')).addReportCommands,
  jobs: async () => (await import('./jobs.ts')).addJobCommands,
  verify: async () => (await import('./verify.ts')).addVerifyCommand,
}

/** The commands of this word; all of them for an unknown word, for the help and for suggestions. */
export async function loadCommands(word: string | undefined): Promise<Add[]> {
  const called = Object.entries(COMMANDS).filter(([name]) => name === word)
  const loaded = called.length > 0 ? called : Object.entries(COMMANDS)
  return Promise.all(loaded.map(([, load]) => load()))
}
