import { after, before } from 'node:test'
import { createMake, type Make } from './make.ts'
import { type StartOptions, startApi, type TestApi } from './start-api.ts'

/** One API for all tests of a file, each of which makes its own businesses and users. */
export function useApi(options?: StartOptions, prepare?: (used: Used) => Promise<void>): Used {
  const used = {} as Used
  before(async () => {
    used.api = await startApi(options)
    used.make = createMake(used.api)
    await prepare?.(used)
  })
  after(() => used.api.close())
  return used
}

type Used = { api: TestApi; make: Make }
