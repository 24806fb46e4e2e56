import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { handle } from '#platform/http/operation.ts'
import type { AccountOptions } from '../options.ts'
import { askForPasskey } from './login-with-passkey.ts'
import * as operation from './operations.ts'
import { addPasskey, listPasskeys, offerPasskey, removePasskey } from './own-passkeys.ts'

export const passkeyRoutes: FastifyPluginAsyncTypebox<AccountOptions> = async (app, options) => {
  const { control } = options

  handle(app, operation.getPasskeyLoginOptions, ({ body }) => askForPasskey(options, body.challenge), {
    preValidation: async (request) => {
      request.body ??= {} // nothing has to be said
    },
  })

  handle(app, operation.getPasskeyOptions, ({ actor }) => offerPasskey(options, actor))

  handle(app, operation.createPasskey, async ({ actor, body }, reply) => {
    void reply.code(201)
    return addPasskey(options, actor, body)
  })

  handle(app, operation.listPasskeys, async ({ actor }) => ({ items: await listPasskeys(control, actor.userId) }))

  handle(app, operation.deletePasskey, async ({ actor, params }) => {
    await removePasskey(control, actor, params.id)
    return { success: true } as const
  })
}
