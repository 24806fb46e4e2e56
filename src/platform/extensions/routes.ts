import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { BusinessParams, Id } from '#vocabulary/schemas.ts'
import { type BusinessSource, findAccessProblem } from '../http/access.ts'
import { parseJsonBodies } from '../http/json-body.ts'
import { type App, handle, type Operation } from '../http/operation.ts'
import type { Route, RouteServices } from './define.ts'
import { ExtensionError, type LoadedExtension } from './load.ts'
import { runExtension } from './running.ts'

const raw = new WeakMap<FastifyRequest, string>()

/** The body as it was sent, on a route with `keepsRawBody`. */
export const rawBodyOf = (request: FastifyRequest): string => raw.get(request) ?? ''

/** The chapter of the reference in which its routes stand. */
export const tagOf = ({ extension: { name, title = name, description = '' } }: LoadedExtension) => ({
  name: title,
  description: `${description} An extension of this service.`.trim(),
})

/** Where routes of an extension are, by where they name their business: never where Kontor itself may want to be one day. */
function folderOf(name: string, source: BusinessSource): { folder: string; params: Operation['schema']['params'] } {
  if (source === 'path') return { folder: `/v1/businesses/:businessId/extensions/${name}`, params: BusinessParams }
  if (source === 'storefront')
    return {
      folder: `/v1/storefront/:business/extensions/${name}`,
      params: Type.Object({ business: Type.String({ ...Id, maxLength: 100 }) }),
    }
  return { folder: `/v1/extensions/${name}`, params: undefined }
}

/** Registers its routes behind the same guard, limits and checks as our own. */
export async function registerExtension(app: App, loaded: LoadedExtension, services: RouteServices): Promise<void> {
  const { extension, file } = loaded
  const routes = runExtension(extension, () => extension.routes?.(services) ?? [])
  for (const { operation } of routes) {
    const problem = problemOf(operation)
    if (problem) throw new ExtensionError(`The extension ${file}: ${operation.method} ${operation.url} ${problem}`)
  }
  const place = ({ operation, handler }: Route, scope: App) => {
    const { folder, params } = folderOf(extension.name, operation.config.business ?? 'none')
    const schema = { ...(params === undefined ? {} : { params }), ...operation.schema, tags: [tagOf(loaded).name] }
    handle(scope, { ...operation, url: folder + operation.url, schema }, function (request, reply) {
      return runExtension(extension, () => handler.call(this, request, reply))
    })
  }
  await app.register(async (scope: App) => {
    for (const route of routes) if (!route.keepsRawBody) place(route, scope)
  })
  await app.register(async (scope: App) => {
    parseJsonBodies(scope, (request, text) => void raw.set(request, text))
    for (const route of routes) if (route.keepsRawBody) place(route, scope)
  })
}

function problemOf({ url, config, schema }: Operation): string | undefined {
  const problem = findAccessProblem(config ?? {})
  if (problem) return problem
  if (!/^\/[\w:/-]+$/.test(url))
    return 'must have an address that begins with a slash and is relative, such as /stores/:id.'
  if (!schema?.operationId) return 'has no operationId. Give its schema one, such as listStores.'
  if (!schema.response) return 'does not say what it answers. Give its schema response: { 200: … }.'
  return undefined
}
