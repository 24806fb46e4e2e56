import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'
import { carryEvents } from './outbox.ts'

export {
  AUDIT_LOG,
  addToOperatorLog,
  audit,
  auditMemberships,
  auditOperator,
  forgetAddresses,
  listOperatorLog,
  OPERATOR_LOG,
} from './audit.ts'
export { keepCallouts, listCallouts } from './callouts.ts'
export { changeHome, freeWrites, holdWrites } from './change-home.ts'
export { createBusiness } from './create-business.ts'
export {
  createCustomers,
  findCame,
  holdCustomer,
  listCustomerHomes,
  listCustomerships,
  nameCustomer,
  rememberCustomer,
  withoutCustomers,
} from './customers.ts'
export {
  askDeletion,
  endGrace,
  finishImport,
  forgetBusiness,
  GRACE_DAYS,
  graceEnd,
  listCustomerIds,
  listMemberIds,
  listToDelete,
  type Marks,
  readMarks,
  undoDeletion,
} from './delete-business.ts'
export { createDirectory } from './directory.ts'
export {
  askForExport,
  type BusinessExport,
  EXPORT_STATES,
  findExport,
  forgetExport,
  giveUpExports,
  hasExports,
  listExpiredExports,
  listExporting,
  listExports,
  noteExport,
} from './exports.ts'
export { type Figures, listIdsOfCell, saveFigures, saveRows } from './figures.ts'
export { inviteImported, listImported, mintInvitationToken, renewImported } from './invitations.ts'
export { removeFromBusinesses } from './leave-businesses.ts'
export {
  BUSINESS_HEALTH,
  BUSINESS_SORTS,
  BUSINESS_STATES,
  type BusinessHealth,
  type BusinessOverview,
  type BusinessSort,
  countBusinesses,
  findNames,
  findOverview,
  listForOperator,
  type OverviewQuery,
  stateOf,
} from './list-for-operator.ts'
export { copyIntoLogo } from './logo.ts'
export { setMemberRoles } from './member-roles.ts'
export {
  type BusinessSummary,
  createJobsAtOnceOf,
  createQuotaOf,
  type LimitChanges,
  listAllBusinesses,
  setLimits,
  setPaymentAccount,
  suspendBusiness,
} from './operate-business.ts'
export { presentPublicBusiness } from './present.ts'
export { keepProviderRoles, setProviderRoles } from './provider-roles.ts'
export {
  dropInvitationsTo,
  findBusiness,
  findBusinessBySlug,
  findInvitation,
  findPeople,
  findPermissions,
  findRolesOf,
  isCellUsed,
  listAdmins,
  listHomes,
  listMembers,
  listMemberships,
  listOfferedRoles,
  listPeopleOf,
  listRolesOf,
  listUsedCells,
  lockBusiness,
  openPeople,
  toMarkets,
} from './queries.ts'
export { grantRole, setRole } from './roles.ts'
export { accessRoutes } from './routes.ts'
export { NewMarket, publicBusiness } from './schemas.ts'
export { type CellChanges, type CellSet, setCell } from './set-cell.ts'
export { checkMarket } from './settings.ts'
export { accessTables, membershipTable } from './tables.ts'

export const accessEvents = Object.values(events)
export const accessJobs = [carryEvents]
export const accessRefusals: readonly AnyRefusal[] = Object.values(errors)
