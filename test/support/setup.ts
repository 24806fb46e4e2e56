import { after, before } from 'node:test'
import { createMake, type Make } from './make.ts'
import { type StartOptions, startApi, type TestApi } from './start-api.ts'

/** One API for all tests of a file, each of which makes its own businesses and users. */
export function useApi(options?: StartOptions): { api: TestApi; make: Make } {
  const used = {} as { api: TestApi; make: Make }
  before(async () => {
    used.api = await startApi(options)
    used.make = createMake(used.api)
  })
  after(() => used.api.close())
  return used
}
