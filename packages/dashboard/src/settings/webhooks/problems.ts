import { KontorError } from '@kontor/sdk'
import type { EndpointForm } from './endpoint-fields.tsx'

/** What the service says of fields, by their names in the form: it names single types by their place. */
export const problemsOf = (error: unknown): Partial<Record<keyof EndpointForm, string>> =>
  error instanceof KontorError
    ? Object.fromEntries(error.details.map(({ field, message }) => [field.split('.', 1)[0], message]))
    : {}
