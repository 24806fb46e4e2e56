import type { FastifyInstance } from 'fastify'
import { type Detail, invalidFields } from '#vocabulary/errors.ts'
import { recognised } from './access.ts'
import { nearest } from './nearest.ts'
import { isUnlimited } from './rate-limit.ts'
import { unknownParameter } from './refusals.ts'

const MAX_DETAILS = 20
const MAX_SHOWN = 50

/**
 * Refuses query parameters that the route's schema does not know: a misspelt filter would return the unfiltered list.
 * Only under `/v1`: mail programs and browsers append their own parameters to the addresses that people and providers
 * open.
 */
export function refuseUnknownParameters(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { url, config, schema } = route
    if (!url.startsWith('/v1/') || isUnlimited(url) || config?.takesAnyParameter) return
    const { properties = {} } = (schema?.querystring ?? {}) as { properties?: object }
    route.config = { ...config, parameters: Object.keys(properties) }
  })

  app.addHook('preValidation', (request, _reply, done) => {
    const { parameters, parameterPrefix } = recognised(request).route
    if (!parameters) return done()
    const unknown: string[] = []
    for (const name in request.query as object) {
      if (parameters.includes(name) || (parameterPrefix && name.startsWith(parameterPrefix))) continue
      if (unknown.length < MAX_DETAILS) unknown.push(name)
    }
    done(unknown.length > 0 ? invalidFields(unknown.map((name) => toDetail(name, parameters))) : undefined)
  })
}

function toDetail(name: string, parameters: readonly string[]): Detail {
  const field = name.slice(0, MAX_SHOWN).toWellFormed()
  const meant = nearest(field, parameters)
  const message = [
    `Unknown query parameter "${field}".`,
    meant && `Did you mean "${meant}"?`,
    parameters.length > 0 ? `Accepted parameters: ${parameters.join(', ')}.` : 'Remove it.',
  ]
  return unknownParameter.asDetail({ field, message: message.filter(Boolean).join(' ') })
}
