import { type Static, type TSchema, Type } from 'typebox'
import { findFlaw } from '#platform/portable/flaw.ts'
import { BrokenArchive } from '#platform/portable/tar.ts'
import { isKey, isPrefixOf } from '#platform/storage/keys.ts'
import { MimeType } from '#vocabulary/media.ts'
import { Email, OneOf } from '#vocabulary/schemas.ts'

export const MANIFEST = 'manifest.json'
const FORMAT = 1

const Count = Type.Integer({ minimum: 0 })
const Texts = Type.Array(Type.String())

const part = { name: Type.String(), bytes: Count, sha256: Type.String() }
const Part = Type.Object(part)
const Parts = Type.Array(Part)
/** A file in the archive: what was packed, by its hash. */
export type Part = Static<typeof Part>

/** `since`: of a table that is cut into months, its oldest row. */
const TableParts = Type.Object({
  table: Type.String(),
  is: OneOf(['kept', 'derived', 'queue', 'left out', 'stays']),
  rows: Count,
  since: Type.Optional(Type.String()),
  parts: Parts,
})
export type TableParts = Static<typeof TableParts>

const CarriedFile = Type.Object({
  ...part,
  key: Type.String(),
  about: Type.Object({
    mimeType: MimeType,
    isAttachment: Type.Optional(Type.Boolean()),
    isImmutable: Type.Optional(Type.Boolean()),
  }),
})
/** A file of the store, in the archive below `media/`. */
export type CarriedFile = Static<typeof CarriedFile>

const Manifest = Type.Object({
  format: Type.Literal(FORMAT),
  kontor: Type.String(),
  createdAt: Type.String(),
  business: Type.Object({
    id: Type.String(),
    name: Type.String(),
    slug: Type.String(),
    suspendedAt: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  }),
  /** The migrations of both kinds of databases: an import wants exactly these. */
  schema: Type.Object({ control: Texts, cell: Texts }),
  /** When the snapshots were taken that the rows are of. */
  asOf: Type.Object({ cell: Type.String(), control: Type.String() }),
  tables: Type.Array(TableParts),
  jobs: Type.Object({ count: Count, parts: Parts }),
  /** Members without an account here are invited by email, so their number is bounded. */
  people: Type.Array(Type.Object({ id: Type.String(), email: Email, name: Type.String() }), { maxItems: 500 }),
  leftOut: Texts,
  /** What nobody may read in a file: somebody has to enter it again. */
  toSetAgain: Texts,
  media: Type.Object({
    mode: OneOf(['reference', 'inside']),
    prefixes: Texts,
    files: Count,
    missing: Count,
    parts: Parts,
  }),
})
export type Manifest = Static<typeof Manifest>

/** Whatever stands in the file: nothing of it is used before it is known to be a manifest. */
export function parseManifest(text: string): Manifest {
  const manifest = parse(text, MANIFEST)
  const { format } = Object(manifest) as { format?: unknown }
  if (format !== undefined && format !== FORMAT)
    throw new BrokenArchive(`it is of the format ${JSON.stringify(format)}, and this reads ${FORMAT}`)
  const found = check(Manifest, manifest, MANIFEST)
  // It becomes part of keys in the store: one with a slash would reach into the files of another business.
  if (!/^biz_\w+$/.test(found.business.id))
    throw new BrokenArchive(`${JSON.stringify(found.business.id)} is no id of a business`)
  for (const [index, { since }] of found.tables.entries())
    if (since !== undefined && Number.isNaN(Date.parse(since)))
      throw malformed(MANIFEST, `tables.${index}.since is no time`)
  return found
}

/** A line of the list of files. `name` says where it is in the archive. */
export function parseFile(line: string, name: string, businessId: string): CarriedFile {
  const file = check(CarriedFile, parse(line, name), name)
  if (!isKey(file.key) || !isPrefixOf(businessId, file.key))
    throw malformed(name, `key ${JSON.stringify(file.key)} is not a key of a file of this business`)
  return file
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BrokenArchive(`its ${name} is no JSON. ${EXPORT_AGAIN}`)
  }
}

function check<Shape extends TSchema>(shape: Shape, value: unknown, name: string): Static<Shape> {
  const flaw = findFlaw(shape, value)
  if (flaw) throw malformed(name, `${flaw.field || 'it'} ${flaw.says}`)
  return value as Static<Shape>
}

const EXPORT_AGAIN = 'Nothing was imported: export the business again, and import that file as it is'

const malformed = (name: string, what: string) =>
  new BrokenArchive(`its ${name} is not as an export writes it: ${what}. ${EXPORT_AGAIN}`)
