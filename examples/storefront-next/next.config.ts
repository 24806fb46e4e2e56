import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import type { NextConfig } from 'next'

/** Written by `npm run dev` of the service; the environment wins. */
const DEV_ENV = path.resolve(import.meta.dirname, '../../.kontor/dev.env')
const written = existsSync(DEV_ENV) ? parseEnv(readFileSync(DEV_ENV, 'utf8')) : {}
for (const name of ['KONTOR_URL', 'KONTOR_BUSINESS_ID', 'KONTOR_API_KEY']) process.env[name] ??= written[name] ?? ''

const config: NextConfig = {
  // `use cache` and `cacheTag`: what the service answered is kept until the feed says that it has changed.
  cacheComponents: true,
  // Pages come whole, not in pieces that a script puts in place: they are to be read without JavaScript, too.
  partialPrefetching: false,
  htmlLimitedBots: /./,
  experimental: { instantInsights: { validationLevel: 'manual-warning' } }, // else it asks for such pieces
  // The SDK is taken as it is written, so that there is nothing to build first.
  turbopack: {
    root: path.resolve(import.meta.dirname, '../..'),
    resolveAlias: { '@kontor/sdk': path.join('../../packages/sdk/src/index.ts') },
  },
  typescript: { ignoreBuildErrors: true }, // `npm run check` does it, for all of the repository
  poweredByHeader: false,
  agentRules: false,
}

export default config
