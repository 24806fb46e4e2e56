import { loadExtensionFiles } from '#platform/config.ts'
import type { MigrationSet } from '#platform/database/migrate.ts'
import { openExtensions } from '../extensions.ts'
import { type Check, failed, off, ok, reasonOf } from './look.ts'

type Found = { sets: readonly MigrationSet[]; checks: Check[] }

/** Loads the files of KONTOR_EXTENSIONS, as the service does when it starts. */
export async function checkExtensions(env: Record<string, string | undefined>): Promise<Found> {
  const files = loadExtensionFiles(env)
  const check = 'extensions'
  if (files.length === 0) return { sets: [], checks: [{ check, ...off('none') }] }
  try {
    const extensions = await openExtensions({ extensions: files })
    const names = extensions.map(({ extension, file }) => `${extension.name} (${file})`)
    return { sets: extensions.map(({ migrations }) => migrations), checks: [{ check, ...ok(names.join(', ')) }] }
  } catch (error) {
    const fix = 'Neither API nor worker starts with it: mend the file, or take it out of KONTOR_EXTENSIONS.'
    return { sets: [], checks: [{ check, ...failed(reasonOf(error), fix) }] }
  }
}
