import { Type } from 'typebox'
import { defineJob } from '#platform/jobs/define.ts'
import { checkDomain, listDomainsToCheck } from './domains.ts'

/** Unresponsive name servers take seconds to time out. */
const AT_ONCE = 10

/** Checks daily that the domains of sign-in providers still have their TXT records. */
export const checkDomains = defineJob({
  name: 'accounts.check-domains',
  on: 'control',
  payload: Type.Object({}),
  isLong: true,
  cron: '23 * * * *',
  async run(_payload, { db, services, log, signal }) {
    const due = await listDomainsToCheck(db)
    const queue = due.values()
    const work = async () => {
      for (const { businessId, domain } of queue) {
        if (signal.aborted) return
        try {
          await checkDomain(db, services.findTextRecords, { businessId, domain })
        } catch (error) {
          log.warn({ err: error, businessId, domain }, 'domain of a sign-in provider not checked')
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    log.info({ domains: due.length }, 'domains of sign-in providers checked')
  },
})
