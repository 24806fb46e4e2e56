import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { setRole } from '#modules/access/index.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { notFound } from '#vocabulary/errors.ts'
import { BusinessId, idOf, Nullable, Success, UserId } from '#vocabulary/schemas.ts'
import type { Keyring } from './signing-keys.ts'
import { findUser } from './users.ts'

const SetRoleBody = Type.Object({
  userId: UserId,
  roleId: Nullable(idOf('role', '01jcq3v7k8f5t9x2m4n6p8r0sw')),
  businessId: BusinessId,
})

const Jwk = Type.Object({
  kty: Type.String({ examples: ['EC'] }),
  crv: Type.String({ examples: ['P-256'] }),
  x: Type.String({ examples: ['f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU'] }),
  y: Type.String({ examples: ['x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0'] }),
  kid: Type.String({ examples: ['key_01jcq3v7k8f5t9x2m4n6p8r0sw'] }),
  alg: Type.String({ examples: ['ES256'] }),
  use: Type.String({ examples: ['sig'] }),
})

export const accountRoutes: FastifyPluginAsyncTypebox<{ control: ControlDb; keyring: Keyring }> = async (
  app,
  { control, keyring },
) => {
  app.get(
    '/.well-known/jwks.json',
    {
      config: { access: 'public', business: 'none' },
      schema: {
        operationId: 'listSigningKeys',
        tags: ['Accounts'],
        summary: 'Public keys of access tokens',
        response: { 200: Type.Object({ keys: Type.Array(Jwk) }) },
      },
    },
    async (_request, reply) => {
      void reply.header('cache-control', 'public, max-age=300')
      return (await keyring.published()) as { keys: Static<typeof Jwk>[] }
    },
  )

  app.put(
    '/v1/users/set-role',
    {
      config: { access: 'ADMIN', business: 'body' },
      schema: {
        operationId: 'setRole',
        tags: ['Accounts'],
        summary: 'Give a user a role',
        description:
          'Adds the role to the user in that business; repeating it changes nothing. `roleId: null` takes the user’s roles there away.',
        body: SetRoleBody,
        response: { 200: Success },
      },
    },
    async ({ actor, business, body }) => {
      const user = await findUser(control, body.userId)
      if (!user || user.isGuest) throw notFound('user')
      await transaction(control, (tx) =>
        setRole(tx, { actor, businessId: business.id, userId: user.id, roleId: body.roleId }),
      )
      return { success: true } as const
    },
  )
}
