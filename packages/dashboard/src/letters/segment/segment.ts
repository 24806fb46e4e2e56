import type { Body } from '@kontor/sdk'

export type Condition = NonNullable<Body<'sendEntry'>['conditions']>[number]
export type ConditionField = Condition['field']

/** Who gets a letter: everybody, or those who fit. The conditions stay while one looks at the other choice. */
export type Segment = { isSome: boolean; conditions: Condition[] }

export const EVERYBODY: Segment = { isSome: false, conditions: [] }
export const MAX_CONDITIONS = 10

/** A condition says something once it names something. */
export function isComplete(condition: Condition): boolean {
  switch (condition.field) {
    case 'bought':
      return (condition.productIds?.length ?? 0) > 0 || (condition.categoryId ?? '') !== ''
    case 'clicked':
      return true
    case 'subscribed':
      return condition.from !== undefined || condition.to !== undefined
    default:
      return (condition.values?.length ?? 0) > 0
  }
}

/** It would end before it begins. */
export const isTurned = ({ from, to }: Condition) => from !== undefined && to !== undefined && from >= to

export const isFinished = (condition: Condition) => isComplete(condition) && !isTurned(condition)
