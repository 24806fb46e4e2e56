import type { AnyJob } from '#platform/jobs/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'
import { type FindAdmins, mailAdmins } from './mail-admins.ts'
import { tidyWebhooks } from './tidy.ts'

export {
  addOperatorEndpoint,
  listOperatorEndpoints,
  removeOperatorEndpoint,
} from './change-operator-endpoints.ts'
export { giveNewSecrets } from './give-new-secrets.ts'
export { resealEndpoints, resealOperatorEndpoints } from './reseal.ts'
export { webhookEndpointRoutes } from './routes.ts'
export { startWebhooks, type Webhooks } from './start-webhooks.ts'
export { webhookTables } from './tables.ts'

export const webhookEvents = Object.values(events)
export const webhookRefusals: readonly AnyRefusal[] = Object.values(errors)
export const webhookJobs = (findAdmins: FindAdmins): readonly AnyJob[] => [mailAdmins(findAdmins), tidyWebhooks]
