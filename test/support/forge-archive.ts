import path from 'node:path'
import type { Databases } from '#platform/database/database.ts'
import { newId } from '#vocabulary/ids.ts'
import { createArchive, openArchive, toFile } from '../../src/apps/portable/archive.ts'
import { exportBusiness } from '../../src/apps/portable/export-business.ts'
import type { Manifest } from '../../src/apps/portable/manifest.ts'

export type Row = Record<string, unknown>
export type Forgery = {
  /** The lines of a table, as they are to be; `row` reads one. Undefined: as they are. */
  rows?: (table: string, lines: readonly string[]) => readonly (string | Row)[] | undefined
  /** The business gets another id in all of its rows. */
  id?: string
  manifest?: (manifest: Manifest) => Partial<Manifest>
  jobs?: readonly Row[]
}

const toLine = (row: string | Row) => (typeof row === 'string' ? row : JSON.stringify(row))

/** An archive of the business, with rows as somebody wants them; all its hashes are right. */
export async function forgeArchive(
  databases: Databases,
  businessId: string,
  folder: string,
  { rows = () => undefined, id = businessId, manifest: changed = () => ({}), jobs }: Forgery,
): Promise<string> {
  const file = path.join(folder, `${newId('forged')}.tar`)
  await exportBusiness(databases, businessId, { openSink: () => toFile(`${file}.real`), media: undefined })
  const { manifest, lines } = await openArchive(`${file}.real`)
  const archive = createArchive(await toFile(file))
  const renamed = (text: string) => text.replaceAll(businessId, id)
  async function read(parts: Manifest['jobs']['parts']): Promise<string[]> {
    const all: string[] = []
    for await (const some of lines(parts)) all.push(...some.map(({ text }) => renamed(text)))
    return all
  }
  async function add(name: string, all: readonly (string | Row)[]) {
    async function* one() {
      yield all.map(toLine)
    }
    return archive.addLines(name, one())
  }
  const tables: Manifest['tables'] = []
  for (const { parts, rows: _rows, ...table } of manifest.tables) {
    const before = await read(parts)
    const { count, parts: written } = await add(`tables/${table.table}`, rows(table.table, before) ?? before)
    tables.push({ ...table, rows: count, parts: written })
  }
  await archive.finish({
    ...manifest,
    business: { ...manifest.business, id },
    tables,
    jobs: await add('jobs', jobs ?? (await read(manifest.jobs.parts))),
    ...changed(manifest),
  })
  return file
}
