import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { handle } from '#platform/http/operation.ts'
import type { AccountOptions } from '../options.ts'
import { finishLogin } from './login-challenge.ts'
import * as operation from './operations.ts'
import { reauthenticate } from './reauthenticate.ts'
import { beginFactor, confirmFactor, describeFactor, removeFactor, renewRecoveryCodes } from './second-factor.ts'

const success = { success: true } as const

export const secondFactorRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (app, options) => {
  const { control } = options

  handle(app, operation.loginWithSecondFactor, ({ body, headers, ip }) =>
    finishLogin({ ...options, device: { userAgent: headers['user-agent'], address: ip } }, body),
  )

  handle(app, operation.reauthenticate, async ({ actor, body, ip }) => {
    await reauthenticate({ ...options, address: ip }, actor, body)
    return success
  })

  handle(app, operation.getSecondFactor, ({ actor }) => describeFactor(control, actor))

  handle(app, operation.beginSecondFactor, ({ actor }) => beginFactor(options, actor))

  handle(app, operation.confirmSecondFactor, async ({ actor, body, ip }) => ({
    recoveryCodes: await confirmFactor({ ...options, address: ip }, actor, body.code),
  }))

  handle(app, operation.renewRecoveryCodes, async ({ actor }) => ({
    recoveryCodes: await renewRecoveryCodes(control, actor),
  }))

  handle(app, operation.removeSecondFactor, async ({ actor }) => {
    await removeFactor(control, actor)
    return success
  })
}
