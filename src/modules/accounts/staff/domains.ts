import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { domainNotFound } from '../errors.ts'
import type { SignInDomain } from './schemas.ts'
import { presentDomain, recordNameOf } from './settings.ts'

const findDomain = (db: ControlDb, businessId: string, domain: string) =>
  db
    .selectFrom('accounts.signInDomains')
    .selectAll()
    .where((row) => row.and({ businessId, domain }))
    .executeTakeFirst()

/** Looks for the text record. A domain that is proven stays so. */
export async function checkDomain(
  control: ControlDb,
  findTextRecords: (name: string) => Promise<string[]>,
  { businessId, actor }: { businessId: string; actor: Actor },
  domain: string,
): Promise<SignInDomain> {
  const row = await findDomain(control, businessId, domain)
  if (!row) throw domainNotFound({ domain })
  if (row.provenAt) return presentDomain(row)
  const { record } = presentDomain(row)
  // Name servers that do not answer prove nothing. Whoever waits for them asks again.
  const found = await findTextRecords(recordNameOf(domain)).catch((): string[] => [])
  if (!found.includes(record.value)) return presentDomain(row)
  const provenAt = await transaction(control, (tx) =>
    prove(tx, { businessId, domain, by: 'DNS', proof: row.proof, actor }),
  )
  return presentDomain({ ...row, provenAt })
}

/** The operator knows that it is theirs. Undefined when the business has not named this domain. */
export const proveDomain = (control: ControlDb, businessId: string, domain: string): Promise<Date | undefined> =>
  transaction(control, async (tx) => {
    const row = await findDomain(tx, businessId, domain)
    if (!row) return undefined
    return row.provenAt ?? (await prove(tx, { businessId, domain, by: 'OPERATOR', proof: row.proof })) ?? undefined
  })

type Proof = { businessId: string; domain: string; by: 'DNS' | 'OPERATOR'; proof: string; actor?: Actor }

/** Null when it was taken out, or begun anew, in the meantime. */
async function prove(tx: ControlTx, { businessId, domain, by, proof, actor }: Proof): Promise<Date | null> {
  const provenAt = now()
  const { numUpdatedRows } = await tx
    .updateTable('accounts.signInDomains')
    .set({ provenAt, provenBy: by })
    .where((row) => row.and({ businessId, domain, proof }))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return null
  await audit(tx, { businessId, action: 'sign-in-domain.proven', subject: domain, actor, data: { by } })
  return provenAt
}

/** Whether an address may be signed in by the provider of this business. */
export async function isProvenAddress(db: ControlDb, businessId: string, email: string): Promise<boolean> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const row = await findDomain(db, businessId, domain)
  return row?.provenAt != null
}
