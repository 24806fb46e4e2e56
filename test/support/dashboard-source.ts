import { registerHooks } from 'node:module'
import type * as Sdk from '../../packages/sdk/src/index.ts'

const sdk = new URL('../../packages/sdk/src/index.ts', import.meta.url).href

// The dashboard is built by Vite, which takes the SDK's source; its package names what is built of it.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === '@kontor/sdk' ? sdk : specifier, context),
})

/** A file of the dashboard. Its types need a browser's, which tests of the service do not have. */
export const dashboardSource = async (path: string): Promise<unknown> =>
  import(new URL(`../../packages/dashboard/src/${path}`, import.meta.url).href)

/** The SDK as the dashboard has it: one that is packed with a test is another, with classes of its own. */
export const dashboardSdk = (await import(sdk)) as typeof Sdk
