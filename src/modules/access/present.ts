import type { Selectable } from 'kysely'
import type { AccessInvitations, AccessRoles } from '#platform/database/control-tables.ts'
import type { Business } from '#vocabulary/business.ts'
import { toSeconds } from '#vocabulary/time.ts'

const presentStorefront = ({ id, name, slug, defaultLocale, locales, logo, markets }: Business) => ({
  id,
  name,
  slug,
  defaultLocale,
  locales,
  logo,
  markets,
})

/** What anybody may read of a business whose shop is public. */
export const presentPublicBusiness = (business: Business) => ({
  ...presentStorefront(business),
  timeZone: business.timeZone,
})

/** Strangers see what a storefront needs; members see the settings as well. */
export const presentBusiness = (business: Business, isMember: boolean) =>
  isMember
    ? {
        ...presentStorefront(business),
        contactEmail: business.contactEmail,
        allowedOrigins: business.allowedOrigins,
        orderUrl: business.orderUrl,
        timeZone: business.timeZone,
        keepPersonDays: business.keepPersonDays,
        storefront: business.storefront,
        requireSecondFactor: business.requireSecondFactor,
        createdAt: toSeconds(business.createdAt),
        updatedAt: toSeconds(business.updatedAt),
      }
    : presentStorefront(business)

/** To a member whose role counts only after a second factor: what strangers see, and why it is no more. */
export const presentShutBusiness = (business: Business) => ({
  ...presentStorefront(business),
  needsSecondFactor: true,
})

export const presentRole = ({
  id,
  name,
  permissions,
  createdAt,
  updatedAt,
}: Omit<Selectable<AccessRoles>, 'businessId'>) => ({
  id,
  name,
  permissions: permissions as never[],
  createdAt: toSeconds(createdAt),
  updatedAt: toSeconds(updatedAt),
})

export const presentInvitation = (
  row: Omit<Selectable<AccessInvitations>, 'businessId' | 'tokenHash' | 'byOperator'>,
) => ({
  id: row.id,
  email: row.email,
  ...(row.userId === null ? {} : { userId: row.userId }),
  roleId: row.roleId,
  invitedBy: row.invitedBy,
  expiresAt: toSeconds(row.expiresAt),
  acceptedAt: row.acceptedAt && toSeconds(row.acceptedAt),
  createdAt: toSeconds(row.createdAt),
})

type OwnInvitation = {
  id: string
  businessId: string
  businessName: string
  roleId: string
  roleName: string
  permissions: string[]
  expiresAt: Date
  createdAt: Date
}

/** An invitation as the invited user sees it. */
export const presentOwnInvitation = (row: OwnInvitation) => ({
  id: row.id,
  business: { id: row.businessId, name: row.businessName },
  role: { id: row.roleId, name: row.roleName, permissions: row.permissions as never[] },
  expiresAt: toSeconds(row.expiresAt),
  createdAt: toSeconds(row.createdAt),
})
