import { type BusinessTable, controlTable } from '#platform/portable/tables.ts'
import {
  checkArchivedBusiness,
  checkArchivedCustomer,
  checkArchivedInvitation,
  checkArchivedMembership,
  checkArchivedRole,
} from './check-archived.ts'

export const membershipTable = controlTable('kept', 'access.memberships', ['user_id', 'role_id'], {
  people: ['user_id'],
  check: checkArchivedMembership,
})

export const accessTables: readonly BusinessTable[] = [
  // Cell, marks and suspension are for the import to say; account and services of callouts are to be set again. Limits are
  // those of the deployment.
  controlTable('kept', 'access.businesses', [], {
    of: 'id',
    check: checkArchivedBusiness,
    without: [
      'cell',
      'held_until',
      'moved_at',
      'suspended_at',
      'suspended_reason',
      'limits',
      'delete_at',
      'delete_asked_at',
      'import_of',
      'imported_from',
      'payment_account',
      'callouts',
    ],
  }),
  controlTable('derived', 'access.business_figures', []),
  controlTable('stays', 'access.operator_log', ['id', 'occurred_at'], { byMonth: 'occurred_at' }),
  controlTable('left out', 'access.business_exports', ['id']),
  controlTable('kept', 'access.roles', ['id'], { check: checkArchivedRole }),
  controlTable('kept', 'access.customers', ['user_id'], { check: checkArchivedCustomer }),
  controlTable('kept', 'access.audit_log', ['id', 'occurred_at'], { byMonth: 'occurred_at' }),
  controlTable('queue', 'access.event_outbox', ['position']),
  // The link in the mail leads to the deployment that sent it.
  controlTable('kept', 'access.invitations', ['id'], {
    without: ['token_hash', 'by_operator'],
    people: ['user_id'],
    check: checkArchivedInvitation,
  }),
  membershipTable,
]
