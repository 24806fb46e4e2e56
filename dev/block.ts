import path from 'node:path'
import { styleText } from 'node:util'
import { signInUrl } from './dashboard.ts'
import type { Admin } from './first-steps.ts'
import { ROOT } from './folder.ts'
import type { Settings } from './settings.ts'
import type { Suggestion } from './suggestions.ts'

type Facts = {
  env: Settings
  admin: Admin
  businessId: string | undefined
  suggestions: Suggestion[]
  folder: string
  ms: number
}

/** A database URL from the user may be of one that matters, so its password is hidden. Ours is for development only. */
function withoutPassword(url: string): string {
  const shown = new URL(url)
  if (shown.password) shown.password = '***'
  return shown.href
}

/** The summary printed once after the start. */
export function showBlock({ env, admin, businessId, suggestions, folder, ms }: Facts): void {
  const { KONTOR_URL: url, KONTOR_INBOX_URL: inbox } = env
  const rows: [name: string, value: string, about?: string][] = [
    ['API', `${url}`],
    ['Dashboard', signInUrl(`${url}`, admin)], // opens signed in
    ['Reference', `${url}/docs`],
    ['Inbox', `${inbox}`, 'every mail and SMS'],
    ['Payments', `${env.STRIPE_API_URL}`, 'plays Stripe'],
    ['Login', `${env.OIDC_ISSUER}`, 'plays the identity provider'],
    ['Model', `${env.AI_API_URL}`, 'plays the language model'],
    ['Database', process.env.DATABASE_URL ? withoutPassword(`${env.DATABASE_URL}`) : `${env.DATABASE_URL}`],
    ['Admin', admin.email],
    ['Password', admin.password],
    ['API key', admin.apiKey],
    ...(businessId ? [['Business', businessId] as [string, string]] : []),
    ['Settings', path.join(path.relative(ROOT, folder) || '.', 'dev.env'), 'all of this, for scripts'],
  ]
  const dim = (text: string) => styleText('dim', text)
  const table = rows.map(
    ([name, value, about]) => `  ${dim(name.padEnd(10))} ${about ? `${value.padEnd(28)}  ${dim(about)}` : value}`,
  )
  const tries = suggestions.map(({ about, command }) => `${dim(`# ${about}`)}\n${command}\n`)
  const next = [
    ...(businessId
      ? ['npm run storefront     a shop that uses it']
      : [`npm run cli -- demo --owner ${admin.email}     demo data`]),
    'npm run cli -- --help  commands, on this database',
    'Ctrl-C                 stops all of it',
  ]
  console.log(
    `\n  ${styleText('bold', 'Kontor is running')} ${dim(`after ${(ms / 1_000).toFixed(1)} s`)}\n\n${table.join('\n')}\n\n  Try:\n\n${tries.join('\n')}\n${next.map((line) => `  ${line}`).join('\n')}\n`,
  )
}
