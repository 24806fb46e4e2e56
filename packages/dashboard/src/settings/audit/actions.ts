/** What the log knows, by what a person would look for. */
export const ACTIONS = {
  people: [
    'member.role-set',
    'member.role-taken',
    'member.role-offered',
    'member.removed',
    'invitation.created',
    'invitation.accepted',
    'invitation.declined',
    'invitation.revoked',
  ],
  roles: ['role.created', 'role.updated', 'role.deleted'],
  business: ['business.created', 'business.updated', 'business.payments-set', 'business.suspended', 'business.resumed'],
  data: ['orders.exported', 'customers.exported', 'customer.exported', 'customer.erased'],
} as const
export type Kind = keyof typeof ACTIONS
export type Action = (typeof ACTIONS)[Kind][number]
export const KINDS = Object.keys(ACTIONS) as Kind[]
