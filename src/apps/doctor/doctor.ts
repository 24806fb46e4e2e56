import { type Config, ConfigError, loadConfig, loadDatabases } from '#platform/config.ts'
import { checkDatabases } from './databases.ts'
import { checkExtensions } from './extensions.ts'
import { type Check, failed, ok, type Verdict, warning } from './look.ts'
import { checkMedia } from './media.ts'
import { checkProviders } from './providers.ts'

type Environment = Record<string, string | undefined>

/** Runs every check. Read-only, but for a file that it stores and deletes again. */
export async function examine(env: Environment): Promise<Check[]> {
  const { config, checks } = readConfig(env)
  const databases = config?.databases ?? attempt(() => loadDatabases(env))
  const extensions = await checkExtensions(env)
  const [ofDatabases, ofProviders, ofMedia] = await Promise.all([
    databases ? checkDatabases(databases, config, extensions.sets) : [],
    config ? checkProviders(config, env.REDIS_URL?.trim()) : [],
    config ? checkMedia(config) : [],
  ])
  return [
    { check: 'node', ...ok(process.versions.node) },
    ...checks,
    ...extensions.checks,
    ...ofDatabases,
    ...ofProviders,
    ...ofMedia,
  ]
}

function readConfig(env: Environment): { config: Config | undefined; checks: Check[] } {
  try {
    const config = loadConfig(env)
    return { config, checks: [{ check: 'configuration', ...judge(config) }] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const fix = 'Set it in the environment. From a file: set -a; . ./.env; set +a'
    return {
      config: undefined,
      checks: error.problems.map((problem) => ({ check: 'configuration', ...failed(problem, fix) })),
    }
  }
}

function judge({ mode, publicUrl }: Config): Verdict {
  const { protocol, hostname } = new URL(publicUrl)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (mode === 'production' && isLocal)
    return warning(
      `PUBLIC_URL is ${publicUrl}: links in mails would lead to the reader’s own machine`,
      'Set PUBLIC_URL to the public address of this service.',
    )
  if (mode === 'production' && protocol === 'http:')
    return warning(`PUBLIC_URL is not https: ${publicUrl}`, 'Serve it over https, and change PUBLIC_URL.')
  return ok(`${mode}, ${publicUrl}`)
}

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
