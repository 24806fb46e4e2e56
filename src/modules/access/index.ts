export { AUDIT_LOG, audit } from './audit.ts'
export { createBusiness } from './create-business.ts'
export { createCustomers, listCustomerships, rememberCustomer, withoutCustomers } from './customers.ts'
export { createDirectory } from './directory.ts'
export { mintInvitationToken } from './invitations.ts'
export {
  dropInvitationsTo,
  findBusiness,
  findInvitation,
  findPeople,
  listPeopleOf,
  listRolesOf,
  removeFromBusinesses,
} from './queries.ts'
export { setRole } from './roles.ts'
export { accessRoutes } from './routes.ts'
