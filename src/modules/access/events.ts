import { Type } from 'typebox'
import { defineEvent, FieldNames, Nothing } from '#platform/events/define.ts'
import { PERMISSIONS } from '#vocabulary/permissions.ts'
import { idOf, Nullable, OneOf, UserId } from '#vocabulary/schemas.ts'

const permissions = Type.Array(OneOf(PERMISSIONS))
const roleId = idOf('role', '01jcq3v7k8f5t9x2m4n6p8r0sw')

export const businessUpdated = defineEvent('business.updated', {
  subject: 'business',
  note: 'With the fields that were sent.',
  data: Type.Object({ fields: FieldNames }),
})

export const roleCreated = defineEvent('role.created', { subject: 'role', data: Type.Object({ permissions }) })
export const roleUpdated = defineEvent('role.updated', {
  subject: 'role',
  note: 'With the fields that were sent, and the permissions that it has now.',
  data: Type.Object({ fields: FieldNames, permissions }),
})
export const roleDeleted = defineEvent('role.deleted', { subject: 'role', data: Nothing })

export const memberRoleGiven = defineEvent('member.role_given', {
  subject: 'user',
  note: 'Also when they accepted an invitation.',
  data: Type.Object({ roleId }),
})
export const memberRoleTaken = defineEvent('member.role_taken', {
  subject: 'user',
  note: 'They have others left.',
  data: Type.Object({ roleId }),
})
export const memberRemoved = defineEvent('member.removed', {
  subject: 'user',
  note: 'They have no role here any more; also when they deleted their account.',
  data: Nothing,
})
export const memberInvited = defineEvent('member.invited', {
  subject: 'invitation',
  note: 'With `userId` if a role was offered to an account, without if an address was invited.',
  data: Type.Object({ roleId, userId: Nullable(UserId) }),
})
export const memberInvitationRevoked = defineEvent('member.invitation_revoked', {
  subject: 'invitation',
  data: Nothing,
})
export const memberInvitationDeclined = defineEvent('member.invitation_declined', {
  subject: 'invitation',
  data: Nothing,
})
