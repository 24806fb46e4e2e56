// An extension whose jobs do what the drill wants: DRILL_URL answers, refuses, or keeps them waiting.
import { defineJob, extension, Type } from 'kontor/extension'

const { DRILL_URL } = process.env

const work = defineJob({
  name: 'drill.work',
  on: 'cell',
  payload: Type.Object({}),
  async run(_payload, { signal }) {
    const answer = await fetch(DRILL_URL ?? '', { signal })
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`The drill answers ${answer.status}.`)
  },
})

export default extension({ name: 'drill', jobs: [work] })
