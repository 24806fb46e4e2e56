import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardSdk, dashboardSource } from '../support/dashboard-source.ts'

type Call = (input?: unknown) => Promise<unknown>
type Client = { operations: Record<string, Call> }
const { proven } = (await dashboardSource('api/proven.ts')) as { proven: (client: Client) => Client }
const { proofStore, endProof } = (await dashboardSource('api/proof.ts')) as {
  proofStore: { get: () => boolean; subscribe: (listener: () => void) => () => void }
  endProof: (isProven: boolean) => void
}

const refusal = (detail: string) =>
  new dashboardSdk.KontorError({
    status: 403,
    code: 'FORBIDDEN',
    message: detail,
    details: [{ field: '', error: detail, message: detail }],
  })

/** A service that wants a proof until there is one. */
function createService() {
  let isProven = false
  const done: unknown[] = []
  const change: Call = async (input) => {
    if (!isProven) throw refusal('REAUTHENTICATION_REQUIRED')
    done.push(input)
    return input
  }
  const refuse: Call = async () => {
    throw refusal('SECOND_FACTOR_REQUIRED')
  }
  return {
    done,
    operations: proven({ operations: { change, refuse } }).operations as { change: Call; refuse: Call },
    prove: () => {
      isProven = true
      endProof(true)
    },
  }
}

const asked = async () => {
  while (!proofStore.get()) await new Promise(setImmediate)
}

test('a person is asked once for all that waits, and each of it is done once', async () => {
  let opened = 0
  const stop = proofStore.subscribe(() => void (opened += proofStore.get() ? 1 : 0))
  const { operations, prove, done } = createService()
  const both = Promise.all([operations.change('first'), operations.change('second')])
  await asked()
  await new Promise(setImmediate)
  assert.deepEqual(done, [])
  prove()
  assert.deepEqual(await both, ['first', 'second'])
  assert.deepEqual(done, ['first', 'second'])
  assert.equal(opened, 1)
  assert.equal(proofStore.get(), false)
  stop()
})

test('a proof that does not suffice is asked for again', async () => {
  const { operations, prove } = createService()
  const changed = operations.change('name')
  await asked()
  endProof(true)
  await asked()
  prove()
  assert.equal(await changed, 'name')
})

test('who does not want to has nothing done, and learns why', async () => {
  const { operations, done } = createService()
  const changed = assert.rejects(operations.change('name'), { status: 403 })
  await asked()
  endProof(false)
  await changed
  assert.deepEqual(done, [])
})

test('any other refusal is told at once', async () => {
  const { operations } = createService()
  await assert.rejects(operations.refuse(), { status: 403 })
  assert.equal(proofStore.get(), false)
})
