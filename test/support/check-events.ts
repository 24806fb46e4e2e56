import assert from 'node:assert/strict'
import { Type } from 'typebox'
import { Errors } from 'typebox/value'
import { defineEvent, type EventDefinition } from '#platform/events/define.ts'
import { checkEvents } from '#platform/events/record.ts'
import { EVENTS } from '../../src/apps/events.ts'

/** An event of tests only. */
export const happened = testEvent('test.happened')

export function testEvent(type: `test.${string}`) {
  return defineEvent(type, { subject: 'thing', data: Type.Object({}) })
}

const isListed = ({ type }: EventDefinition) => type.startsWith('test.') || EVENTS.some((event) => event.type === type)

/** From here on, what is told of an event is what its definition says, and nothing more. Benchmarks do not pay for it. */
export function checkEventData(): void {
  if (process.env.NODE_TEST_CONTEXT === undefined) return
  checkEvents(({ definition, data }) => {
    assert.ok(isListed(definition), `${definition.type} is not in src/apps/events.ts`)
    const exactly = Type.Object(definition.data.properties, { additionalProperties: false })
    assert.deepEqual([...Errors(exactly, data)], [], `the data of ${definition.type}: ${JSON.stringify(data)}`)
  })
}
