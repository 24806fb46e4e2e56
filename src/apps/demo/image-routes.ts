import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { drawImage, isMotif } from '#demo/images/draw.ts'
import { pictureNotFound } from '../errors.ts'

const Params = Type.Object({
  motif: Type.String({ maxLength: 20, pattern: '^[a-z]+$' }),
  file: Type.String({ maxLength: 84, pattern: '^[a-z0-9]+(-[a-z0-9]+)*\\.svg$' }),
})

/** A URL always returns the same picture. */
const HEADERS = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; style-src 'none'; frame-ancestors 'none'; sandbox",
}

/** Pictures for the demo business, generated here, so that it needs no other host. Not in the API reference. */
export const demoImages: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/demo/images/:motif/:file',
    { config: { access: 'public', business: 'none' }, schema: { params: Params } },
    ({ params: { motif, file } }, reply) => {
      if (!isMotif(motif)) throw pictureNotFound()
      return reply.headers(HEADERS).send(drawImage(motif, file.slice(0, -'.svg'.length)))
    },
  )
}

export const imageUrl = (publicUrl: string, motif: string, seed: string) =>
  `${publicUrl}/demo/images/${motif}/${seed}.svg`
