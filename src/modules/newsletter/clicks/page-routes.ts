import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { Db } from '#platform/database/database.ts'
import { cellOf } from '#platform/http/cells.ts'
import { type Page, showPage } from '#platform/http/page.ts'
import type { Business } from '#vocabulary/business.ts'
import { chooseCounting, findChooser } from './choose-counting.ts'
import { type Clicker, readChooser, readClicker } from './counted-link.ts'
import { followLink } from './follow-link.ts'
import { noteOpen } from './note-open.ts'

type PageOptions = {
  findBusiness: (id: string) => Promise<Business | undefined> | Business | undefined
  cells: ReadonlyMap<string, Db>
  box: SecretBox
}

const NO_LINK: Page = {
  title: 'This link leads nowhere',
  problem: 'It is not complete, or its letter is not there any more.',
}

/** One transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Where the links of letters lead to first, the picture that tells of open ones, and the page where a reader says whether their clicks are counted. */
export const clickPages: FastifyPluginAsyncTypebox<PageOptions> = async (app, { findBusiness, cells, box }) => {
  const config = { access: 'public', business: 'token' } as const
  // The button of the page sends a form; all that counts is its address.
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 10_000 }, (_request, _body, done) => done(null, {}))

  async function find(request: FastifyRequest, clicker: Clicker | undefined) {
    const business = clicker && (await findBusiness(clicker.businessId))
    if (!clicker || !business || business.suspendedAt) return undefined
    request.enterBusiness(business)
    return { clicker, business, cell: cellOf(cells, business, app.log) }
  }

  app.get<{ Params: { token: string; link: string } }>(
    '/newsletters/go/:token/:link/*',
    { config },
    async (request, reply) => {
      const { token, link } = request.params
      const found = /^\d{1,4}$/.test(link) ? await find(request, readClicker(box, token)) : undefined
      const url = found && (await followLink(found.cell, found.clicker, Number(link), request))
      if (url === undefined) return showPage(reply, NO_LINK, 404)
      // The page that it leads to is told nothing: not which letter, and not whose.
      void reply
        .header('cache-control', 'no-store')
        .header('referrer-policy', 'no-referrer')
        .header('x-robots-tag', 'noindex')
      return reply.redirect(url, 302)
    },
  )

  app.get<{ Params: { token: string } }>('/newsletters/open/:token', { config }, async (request, reply) => {
    const found = await find(request, readClicker(box, request.params.token))
    if (!found) return showPage(reply, NO_LINK, 404)
    await noteOpen(found.cell, found.clicker, request)
    void reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex').type('image/gif')
    return reply.send(PIXEL)
  })

  app.get<{ Params: { token: string } }>('/newsletters/clicks/:token', { config }, async (request, reply) => {
    const { token } = request.params
    const found = await find(request, readChooser(box, token))
    const chooser = found && (await findChooser(found.cell, found.clicker))
    if (!chooser) return showPage(reply, NO_LINK, 404)
    return showPage(reply, choicePage(chooser.countsClicks, found.business.name, token))
  })

  for (const choice of ['on', 'off'] as const) {
    app.post<{ Params: { token: string } }>(
      `/newsletters/clicks/:token/${choice}`,
      { config },
      async (request, reply) => {
        const { token } = request.params
        const found = await find(request, readChooser(box, token))
        const isKnown = found && (await chooseCounting(found.cell, found.clicker, choice === 'on'))
        if (!isKnown) return showPage(reply, NO_LINK, 404)
        return showPage(reply, { title: 'Thank you', text: CHOSEN[choice] })
      },
    )
  }
}

const CHOSEN = {
  on: 'From now on we count what you open of this newsletter.',
  off: 'What you open is not counted any more. Links in the letters to come lead straight to their pages.',
}

const choicePage = (countsClicks: boolean, business: string, token: string): Page => ({
  title: countsClicks ? 'What you open is counted' : 'What you open is not counted',
  text: countsClicks
    ? `${business} counts what is opened of its newsletter, and by whom.`
    : 'Links in letters to you lead straight to their pages.',
  action: `/newsletters/clicks/${token}/${countsClicks ? 'off' : 'on'}`,
  token,
  label: countsClicks ? 'Stop counting mine' : 'Count mine again',
})
