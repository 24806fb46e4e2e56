import type { EventDefinition } from '#platform/events/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'
import { carryEvents } from './outbox.ts'

export { AUDIT_LOG, audit, forgetAddresses } from './audit.ts'
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
export { createDirectory } from './directory.ts'
export { mintInvitationToken } from './invitations.ts'
export { removeFromBusinesses } from './leave-businesses.ts'
export { copyIntoLogo } from './logo.ts'
export { setMemberRoles } from './member-roles.ts'
export { type BusinessSummary, listAllBusinesses, setPaymentAccount, suspendBusiness } from './operate-business.ts'
export { presentPublicBusiness } from './present.ts'
export { keepProviderRoles, setProviderRoles } from './provider-roles.ts'
export {
  dropInvitationsTo,
  findBusiness,
  findBusinessBySlug,
  findInvitation,
  findPeople,
  findRolesOf,
  listHomes,
  listMembers,
  listMemberships,
  listOfferedRoles,
  listPeopleOf,
  listRolesOf,
  listUsedCells,
  openPeople,
  toMarkets,
} from './queries.ts'
export { grantRole, setRole } from './roles.ts'
export { accessRoutes } from './routes.ts'
export { NewMarket, publicBusiness } from './schemas.ts'
export { checkMarket } from './settings.ts'

export const accessEvents: readonly EventDefinition[] = Object.values(events)
export const accessJobs = [carryEvents]
export const accessRefusals: readonly AnyRefusal[] = Object.values(errors)
