import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { usePermissionLine } from '../../session/permission-words.ts'
import { type Permission, usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useColleagues } from '../../session/use-colleagues.ts'
import { type Point, usePointWords } from '../callouts/words.ts'
import { type AuditEntry, rolesQuery } from '../queries.ts'
import type { Action } from './actions.ts'
import { useBusinessSentences } from './business-sentences.ts'

type Data = {
  name?: string
  permissions?: Permission[]
  roleId?: string | null
  fields?: string[]
  account?: string | null
  point?: Point
  issuer?: string
}

/** What was done, as one would say it after the name of who did it. */
export function useSentence(): (entry: AuditEntry) => string {
  const { t } = useLingui()
  const business = useBusiness()
  const { may } = usePermissions()
  const colleague = useColleagues()
  const roleWords = usePermissionLine()
  const fieldWords = useFieldWords()
  const pointWords = usePointWords()
  const businessSentences = useBusinessSentences()
  const { data: roles } = useQuery({ ...rolesQuery(business.id), enabled: may('SETTINGS_WRITE') })
  const roleOf = (id: string | null | undefined) => roles?.items.find((role) => role.id === id)?.name
  return ({ action, subject, data: sent }) => {
    const data = (sent ?? {}) as Data
    const who = colleague(subject) ?? t`somebody who is not in the team`
    const role = roleOf(data.roleId) ?? t`a role that is gone`
    const named = data.name ?? roleOf(subject) ?? t`a role that is gone`
    const may = data.permissions && roleWords(data.permissions)
    const fields = fieldWords(data.fields ?? [])
    const point = data.point ? pointWords(data.point).name : ''
    const sentences: Record<Action, () => string> = {
      'member.role-set': () =>
        data.roleId === null ? t`removed ${who} from the team` : t`gave ${who} the role ${role}`,
      'member.role-taken': () => t`took the role ${role} from ${who}`,
      'member.role-offered': () => t`offered ${who} the role ${role}`,
      'member.removed': () => t`removed ${who} from the team`,
      'member.logged-out-by-provider': () => t`signed ${who} out`,
      'member.identity-joined': () => t`was connected to the account of ${who}`,
      'invitation.created': () => t`invited somebody as ${role}`,
      'invitation.accepted': () => t`accepted the invitation as ${role}`,
      'invitation.declined': () => t`declined an invitation`,
      'invitation.revoked': () => t`withdrew an invitation`,
      'role.created': () => t`made the role ${named}: ${may ?? ''}`,
      'role.updated': () =>
        may === undefined ? t`renamed a role to ${named}` : t`changed what ${named} may do: ${may}`,
      'role.deleted': () => t`deleted the role ${named}`,
      'business.created': () => t`created the business`,
      'business.updated': () => t`changed ${fields}`,
      ...businessSentences(data),
      'job.retried': () => t`ran a failed job again`,
      'job.discarded': () => t`discarded a failed job`,
      'business.deleted': () => t`deleted the business`,
      'business.imported': () => t`brought the business in from an archive`,
      'callout.saved': () => t`set up a checkout service (${point})`,
      'callout.removed': () => t`removed a checkout service (${point})`,
      'sign-in-provider.set': () => t`set the staff sign-in: ${data.issuer ?? ''}`,
      'sign-in-provider.removed': () => t`deleted the staff sign-in`,
      'sign-in-domain.proven': () => t`proved the domain ${subject} for the staff sign-in`,
      'sign-in-domain.check-failed': () => t`couldn’t find the TXT record of ${subject}`,
      'sign-in-domain.recovered': () => t`found the TXT record of ${subject} again`,
      'sign-in-domain.lapsed': () => t`stopped staff sign-in for ${subject}: TXT record not found for 7 days`,
      'sign-in-domain.proven-elsewhere': () => t`also verified the domain ${subject}`,
      'orders.exported': () => t`exported orders`,
      'customers.exported': () => t`exported the list of customers`,
      'customer.exported': () => t`exported what is known of a customer`,
      'customer.erased': () => t`erased a customer`,
    }
    // Of a later version: better the code than nothing.
    return sentences[action as Action]?.() ?? action
  }
}

/** Settings by the names that they have on their pages. */
function useFieldWords() {
  const { t } = useLingui()
  const words: Record<string, string> = {
    name: t`the name`,
    slug: t`the address in the dashboard`,
    contactEmail: t`the contact address`,
    logo: t`the logo`,
    locales: t`the languages`,
    defaultLocale: t`the first language`,
    timeZone: t`the time zone`,
    allowedOrigins: t`the addresses of the shop`,
    orderUrl: t`the page of an order`,
    storefront: t`how the shop can be read`,
    markets: t`the markets`,
    requireSecondFactor: t`the second factor`,
    keepPersonDays: t`how long people are remembered`,
  }
  return (fields: readonly string[]) =>
    fields.map((field) => words[field] ?? field).join(', ') || t`the settings of the business`
}
