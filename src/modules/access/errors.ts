import { conflict, forbidden, invalid } from '#vocabulary/errors.ts'
import type { Permission } from '#vocabulary/permissions.ts'

export const slugExists = (slug: string) => conflict('slug', 'SLUG_EXISTS', `The slug ${slug} is taken.`)
export const stripeAccountTaken = (account: string) =>
  conflict('stripeAccountId', 'ACCOUNT_TAKEN', `The account ${account} belongs to another business.`)
export const roleNameExists = (name: string) =>
  conflict('name', 'NAME_EXISTS', `There is a role named ${name} already.`)
export const roleInUse = () => conflict('id', 'IN_USE', 'Users still have this role. Take it from them first.')
export const lastAdmin = () =>
  conflict('roleId', 'LAST_ADMIN', 'This would leave the business without anybody who is ADMIN.')
export const roleNotFound = (id: string) => invalid('roleId', 'NOT_FOUND', `This business has no role ${id}.`)
export const cannotGrant = (permission: Permission) =>
  forbidden(`You cannot give, change or take ${permission}, because you do not have it yourself.`)
export const signupClosed = () => forbidden('Businesses are created by the operator of this service. Ask them for one.')
export const adminNotAgreed = () =>
  conflict(
    'permissions',
    'IN_USE',
    'Others have this role, and nobody becomes ADMIN without agreeing to it. Make another role with ADMIN, and give it to them.',
  )
export const invitationInvalid = (field: string) =>
  invalid(field, 'TOKEN_INVALID', 'This invitation is not valid, or was accepted already.')
export const invitationExpired = (field: string) =>
  invalid(field, 'TOKEN_EXPIRED', 'This invitation has expired. Ask for a new one.')
