import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { handle } from '#platform/http/operation.ts'
import { needFreshProof } from '../credentials/need-proof.ts'
import { logoutTokenInvalid } from '../errors.ts'
import type { AccountOptions } from '../options.ts'
import { domainLimit, providerLimit, staffLogoutLimit } from '../sign-in/attempts.ts'
import { finishFlow } from '../sign-in/oauth.ts'
import { checkDomain } from './domains.ts'
import { takeLogoutToken } from './logout.ts'
import * as operation from './operations.ts'
import { getProvider, removeProvider, STAFF_LOGOUT_PATH, saveProvider } from './settings.ts'

export const staffRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (app, options) => {
  await app.register(settingsRoutes, { ...options, prefix: '/v1/businesses/:businessId' })
  await app.register(logoutRoutes, options)

  handle(app, operation.staffLoginCallback, async (request, reply) => {
    const { business, url } = request
    const target = await finishFlow(options, new URL(url, options.publicUrl), business.id)
    return reply.header('cache-control', 'no-store').redirect(target, 302)
  })
}

const settingsRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (app, options) => {
  const { control, attempts, outgoing, publicUrl } = options
  const { allowsHttp, findTextRecords } = outgoing

  handle(app, operation.getSignInProvider, ({ business }) => getProvider(control, publicUrl, business.id))

  handle(app, operation.saveSignInProvider, async ({ business, actor, body }) => {
    await needFreshProof(control, actor, { of: 'those-with-a-factor' })
    await attempts.count(providerLimit(business.id)) // each may ask an address
    return saveProvider({ ...options, allowsHttp }, { businessId: business.id, actor }, body)
  })

  handle(app, operation.removeSignInProvider, async ({ business, actor }) => {
    await needFreshProof(control, actor, { of: 'those-with-a-factor' })
    await removeProvider(control, { businessId: business.id, actor })
    return { success: true } as const
  })

  handle(app, operation.checkSignInDomain, async ({ business, actor, body }) => {
    await attempts.count(domainLimit(business.id))
    return checkDomain(control, findTextRecords, { businessId: business.id, domain: body.domain, actor })
  })
}

/** For providers, by their own specification: a form, 200 or 400. */
const logoutRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (app, { control, attempts, staff }) => {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 20_000 },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
  app.post(
    `${STAFF_LOGOUT_PATH}/:businessId`,
    { config: { access: 'public', business: 'path' } },
    async ({ business, body, ip }, reply) => {
      await attempts.count(staffLogoutLimit(business.id, ip))
      const token = (body as { logout_token?: unknown } | null)?.logout_token
      if (typeof token !== 'string') throw logoutTokenInvalid()
      await takeLogoutToken({ control, staff }, business.id, token)
      return reply.header('cache-control', 'no-store').send({})
    },
  )
}
