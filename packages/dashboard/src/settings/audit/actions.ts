/** What the log knows, by what a person would look for. */
export const ACTIONS = {
  people: [
    'member.role-set',
    'member.role-taken',
    'member.role-offered',
    'member.removed',
    'member.logged-out-by-provider',
    'invitation.created',
    'invitation.accepted',
    'invitation.declined',
    'invitation.revoked',
  ],
  roles: ['role.created', 'role.updated', 'role.deleted'],
  business: [
    'business.created',
    'business.updated',
    'business.payments-set',
    'business.suspended',
    'business.resumed',
    'business.limits-set',
    'business.export-asked',
    'business.export-fetched',
    'job.retried',
    'job.discarded',
    'business.deletion-asked',
    'business.deletion-undone',
    'business.deletion-hurried',
    'business.deleted',
    'business.imported',
    'callout.saved',
    'callout.removed',
    'sign-in-provider.set',
    'sign-in-provider.removed',
    'sign-in-domain.proven',
  ],
  data: ['orders.exported', 'customers.exported', 'customer.exported', 'customer.erased'],
} as const
export type Kind = keyof typeof ACTIONS
export type Action = (typeof ACTIONS)[Kind][number]
export const KINDS = Object.keys(ACTIONS) as Kind[]
