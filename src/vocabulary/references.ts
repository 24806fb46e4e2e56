import type { Reference, TargetType } from './blocks.ts'
import { type Detail, invalidFields } from './errors.ts'
import { referenceNotFound } from './refusals.ts'

/** Returns those of the ids that exist in the business. The app passes in each module's resolver. */
export type Resolver<Place> = (place: Place, businessId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>
export type Resolvers<Place> = Partial<Record<TargetType, Resolver<Place>>>

/** The references whose target does not exist, or is of an unknown kind. */
export async function findDangling<Place, Found extends Reference>(
  references: readonly Found[],
  resolvers: Resolvers<Place>,
  place: Place,
  businessId: string,
): Promise<Found[]> {
  const byType = Map.groupBy(references, ({ targetType }) => targetType)
  const dangling = await Promise.all(
    [...byType].map(async ([type, wanted]) => {
      const ids = [...new Set(wanted.map(({ id }) => id))]
      const known = (await resolvers[type]?.(place, businessId, ids)) ?? new Set()
      return wanted.filter(({ id }) => !known.has(id))
    }),
  )
  return dangling.flat()
}

export const danglingDetail = ({ field, targetType, id }: Reference): Detail =>
  referenceNotFound.asDetail({ field, targetType, id })

/** Throws 422 with a detail for each dangling reference. */
export async function checkReferences<Place>(
  references: readonly Reference[],
  resolvers: Resolvers<Place>,
  place: Place,
  businessId: string,
): Promise<void> {
  if (references.length === 0) return
  const dangling = await findDangling(references, resolvers, place, businessId)
  if (dangling.length > 0) throw invalidFields(dangling.map(danglingDetail))
}
