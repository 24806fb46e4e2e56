import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { deletion, insertion, write } from '#platform/database/write.ts'
import { record } from '#platform/events/record.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { copyAgain } from './copy-again.ts'
import { mediaUpdated } from './events.ts'
import { checkAlt, type FileRow, searchOf, wordRows } from './file.ts'
import { lockFile } from './queries.ts'
import type { FileChanges } from './schemas.ts'

export type Editor = { businessId: string; actor: Actor }

export async function changeFile(
  tx: Tx,
  { businessId, actor }: Editor,
  id: string,
  expected: Expected,
  sent: FileChanges,
): Promise<FileRow> {
  const before = await lockFile(tx, businessId, id)
  checkExpected(expected, etagOf(before.version))
  checkAlt(sent.alt ?? {})
  const changed = { ...before, ...sent, version: before.version + 1, updatedAt: now() }
  const after = { ...changed, ...searchOf(changed) }
  const { fileName, sortName, alt, focalPoint, tags, words, version, updatedAt } = after
  const texts = { alt: JSON.stringify(alt), focalPoint: focalPoint && JSON.stringify(focalPoint) }
  await tx
    .updateTable('media.files')
    .set({ fileName, sortName, ...texts, tags, words, version, updatedAt })
    .where((file) => file.and({ businessId, id }))
    .execute()
  const rowsOf = (row: FileRow, other: FileRow) => wordRows(row).filter(({ word }) => !other.words.includes(word))
  await write(tx, deletion('media.words', rowsOf(before, after)), insertion('media.words', rowsOf(after, before)))
  await record(tx, mediaUpdated({ businessId, subject: id, actor, data: { fields: Object.keys(sent) } }))
  const isCopied = 'alt' in sent || 'focalPoint' in sent
  if (isCopied)
    await enqueue(tx, copyAgain(), { businessId, mediaId: id }, { key: `media.copy-again:${businessId}:${id}` })
  return after
}
