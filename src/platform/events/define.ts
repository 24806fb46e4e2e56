import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { Actor } from '#vocabulary/actor.ts'

/** Shapes that the data of several events have. */
export const Nothing = Type.Object({})
export const Count = Type.Integer({ minimum: 0, examples: [7] })
export const FieldNames = Type.Array(Type.String({ examples: ['name'] }))

/** A kind of event: its type, its subject and the shape of its data. Feed, reference and docs are generated from it. */
export type EventDefinition<Data extends TObject = TObject, Name extends string = string> = {
  /** Words of `[a-z0-9_]` joined by dots: `order.paid`. */
  readonly type: Name
  /** The kind of record that the subject is the id of. */
  readonly subject: string
  /** When it happens, where that is not obvious. */
  readonly note: string
  /** Ids, numbers and our own words; never names, addresses or texts that people wrote. */
  readonly data: Data
}

declare const isDefined: unique symbol

/** An event that fits its definition. Only the function of its definition makes one. */
export type NewEvent = {
  readonly definition: EventDefinition
  readonly businessId: string
  readonly subject: string
  readonly actor: Actor | undefined
  readonly data: object
  readonly [isDefined]: true
}

type Happened<Data> = {
  businessId: string
  /** The id of the record that it happened to. */
  subject: string
  /** The user who did it; undefined for the service itself. */
  actor?: Actor | undefined
} & ([keyof Data] extends [never] ? { data?: undefined } : { data: Data })

/** The definition of an event, and the function that makes one. */
export type EventKind<Data extends TObject, Name extends string = string> = EventDefinition<Data, Name> &
  ((event: Happened<Static<Data>>) => NewEvent)

export function defineEvent<const Name extends string, Properties extends TProperties>(
  type: Name,
  { subject, data, note = '' }: { subject: string; data: TObject<Properties>; note?: string },
): EventKind<TObject<Properties>, Name> {
  const definition: EventDefinition = { type, subject, note, data }
  const make = (event: { businessId: string; subject: string; actor?: Actor; data?: object }) => ({
    actor: undefined,
    data: {},
    ...event,
    definition,
  })
  return Object.assign(make, definition) as unknown as EventKind<TObject<Properties>, Name>
}
