import type { Config } from '#platform/config.ts'
import { ExtensionError, type LoadedExtension, loadExtensions } from '#platform/extensions/load.ts'
import { registerExtension } from '#platform/extensions/routes.ts'
import { cellOf } from '#platform/http/cells.ts'
import type { Server } from '#platform/http/server.ts'
import { EVENTS } from './events.ts'
import type { Parts } from './parts.ts'

const EVENT_TYPES = EVENTS.map(({ type }) => type)

/** The extensions of a self-hosted service: the files of KONTOR_EXTENSIONS. */
export const openExtensions = ({ extensions }: Pick<Config, 'extensions'>): Promise<LoadedExtension[]> =>
  loadExtensions(extensions, EVENT_TYPES)

export async function wireExtensions(
  app: Server,
  { box, config, cells, directory }: Parts,
  extensions: readonly LoadedExtension[],
): Promise<void> {
  if (extensions.length === 0) return
  for (const loaded of extensions) {
    await registerExtension(app, loaded, {
      box,
      publicUrl: config.publicUrl,
      async openBusiness(id) {
        const business = await directory.findBusiness(id)
        return business && { business, cell: cellOf(cells, business, app.log) }
      },
    })
  }
  app.addHook('onReady', async () => checkNames(app))
}

/** Ours are checked by tests. Names of extensions may be those of each other, or of ours. */
function checkNames(app: Server): void {
  const ids = app.routeTable.flatMap(({ schema }) => schema?.operationId ?? [])
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice) throw new ExtensionError(`Two operations are named ${twice}. Rename that of the extension.`)
  try {
    app.openApiDocument()
  } catch (error) {
    throw new ExtensionError(
      `The reference cannot be made with the routes of the extensions: ${(error as Error).message}`,
    )
  }
}
