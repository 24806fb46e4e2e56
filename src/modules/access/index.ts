export { AUDIT_LOG, audit } from './audit.ts'
export { createBusiness } from './create-business.ts'
export {
  createCustomers,
  holdCustomer,
  listCustomerships,
  nameCustomer,
  rememberCustomer,
  withoutCustomers,
} from './customers.ts'
export { createDirectory } from './directory.ts'
export { mintInvitationToken } from './invitations.ts'
export { type BusinessSummary, listAllBusinesses, setStripeAccount, suspendBusiness } from './operate-business.ts'
export {
  dropInvitationsTo,
  findBusiness,
  findBusinessBySlug,
  findInvitation,
  findPeople,
  listHomes,
  listOfferedRoles,
  listPeopleOf,
  listRolesOf,
  openPeople,
  removeFromBusinesses,
} from './queries.ts'
export { grantRole, setRole } from './roles.ts'
export { accessRoutes } from './routes.ts'
