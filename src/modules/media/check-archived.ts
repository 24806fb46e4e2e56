import { Type } from 'typebox'
import { type Flaw, findFlaw } from '#platform/portable/flaw.ts'
import type { ArchivedRow } from '#platform/portable/tables.ts'
import { isPrefixOf } from '#platform/storage/keys.ts'
import { Id, OneOf } from '#vocabulary/schemas.ts'
import { NewFile, STATUSES, Tags } from './schemas.ts'

const { fileName, mimeType, size, sha256, alt, focalPoint } = NewFile.properties

/** Its keys in the store are made of these, and its address is served by them. */
const File = Type.Object({
  id: Id,
  status: OneOf(STATUSES),
  file_name: fileName,
  mime_type: mimeType,
  size,
  sha256,
  alt,
  focal_point: focalPoint,
  tags: Tags,
})

export const checkArchivedFile = (row: ArchivedRow): Flaw | undefined => findFlaw(File, row)

export const checkArchivedLeftover = ({ prefix }: ArchivedRow, businessId: string): Flaw | undefined =>
  typeof prefix === 'string' && isPrefixOf(businessId, prefix)
    ? undefined
    : { field: 'prefix', says: 'is not a prefix of files of this business' }
